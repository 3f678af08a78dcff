# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""An LLVM module as Python sees it: iteration, names, locations, linking, optimising, emitting.

Values and types stay plain integers (LLVM-C handles); a `Module` gives them meaning. A handle is valid only as long as
what it names stays in the module.
"""

from __future__ import annotations

import ctypes
import threading
from collections import defaultdict
from collections.abc import Generator, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path

from warploom.core.heap import give_back_free_memory
from warploom.core.records import dataclass
from warploom.diagnostics import Diagnostic
from warploom.llvm.binding import Handle, load
from warploom.llvm.codes import FUNCTION_INDEX, UNOPTIMISED
from warploom.target import ARCHITECTURES, Target

_UNITS = b"llvm.dbg.cu"  # the list of compile units
_ERROR = 0  # LLVMDSError
_HANDLER = ctypes.CFUNCTYPE(None, ctypes.c_void_p, ctypes.c_void_p)

_OBJECT_FILE = 1
_RELOC_PIC = 2
_CODE_MODEL_DEFAULT = 0


@dataclass(frozen=True)
class Location:
    """A place in the user's source."""

    file: str
    line: int


class _Scope(threading.local):
    """The modules that this thread has read since `forgetting_modules` began; None outside it."""

    modules: list[Module] | None = None
    machines: list[Handle]


_scope = _Scope()


@contextmanager
def forgetting_modules() -> Generator[None]:
    """What this thread reads within has no use behind it, and its memory goes; else it lives as long as the process."""
    assert _scope.modules is None, "one within another"
    _scope.modules, _scope.machines = [], []
    try:
        yield
    finally:
        read, _scope.modules = _scope.modules, None
        for module in read:
            module.lib.LLVMContextDispose(module.context)
        for machine in _scope.machines if read else ():
            read[0].lib.LLVMDisposeTargetMachine(machine)


class Module:
    """One LLVM module, by default in a context of its own."""

    def __init__(self, library: Path, bitcode: Path, context: Handle = 0, *, is_lazy: bool = False) -> None:
        """Read `bitcode` (into `context`, if there is one); a Diagnostic when it is not an LLVM module.

        `is_lazy`: the bodies of functions are not read yet: `drop_unneeded` has to follow.
        """
        self._library = library
        self.lib = load(library)
        self._errors: list[str] = []
        self.context: Handle = context or self._new_context()
        buffer, message = ctypes.c_void_p(), ctypes.c_void_p()
        if self.lib.LLVMCreateMemoryBufferWithContentsOfFile(
            str(bitcode).encode(), ctypes.byref(buffer), ctypes.byref(message)
        ):
            raise Diagnostic(self._take(message))
        module = ctypes.c_void_p()
        read = self.lib.LLVMGetBitcodeModuleInContext2 if is_lazy else self.lib.LLVMParseBitcodeInContext2
        failed = read(self.context, buffer, ctypes.byref(module))
        if not is_lazy:  # else the module keeps it
            self.lib.LLVMDisposeMemoryBuffer(buffer)
        if failed:
            said = "".join(f": {error}" for error in self._errors)
            raise Diagnostic(f"{bitcode} is not LLVM bitcode that LLVM at {library} can read{said}")
        self.ref: Handle = module.value or 0

    def _new_context(self) -> Handle:
        """A context that tells of errors only: nvcc says nothing of a loop that it could not unroll as asked either.

        LLVM goes on after an error, as it does within clang; what it makes then is of no use (`_check`).
        """

        def hear(report: int, _data: int | None) -> None:
            if self.lib.LLVMGetDiagInfoSeverity(report) == _ERROR:
                self._errors.append(self._take(ctypes.c_void_p(self.lib.LLVMGetDiagInfoDescription(report))))

        context: Handle = self.lib.LLVMContextCreate()
        self._hear = _HANDLER(hear)  # which LLVM calls as long as the context lives
        self.lib.LLVMContextSetDiagnosticHandler(context, ctypes.cast(self._hear, ctypes.c_void_p), None)
        if _scope.modules is not None:
            _scope.modules.append(self)
        return context

    def _check(self) -> None:
        """A Diagnostic for what LLVM found wrong with the code."""
        if self._errors:
            raise Diagnostic("\n".join(dict.fromkeys(self._errors)))

    # -- walking ----------------------------------------------------------------------------------------------------

    def functions(self) -> Iterator[Handle]:
        """Every function, declarations included; deleting the one just yielded is allowed."""
        yield from self._chain(self.lib.LLVMGetFirstFunction(self.ref), self.lib.LLVMGetNextFunction)

    def globals(self) -> Iterator[Handle]:
        """Every global variable; deleting the one just yielded is allowed."""
        yield from self._chain(self.lib.LLVMGetFirstGlobal(self.ref), self.lib.LLVMGetNextGlobal)

    def aliases(self) -> Iterator[Handle]:
        """Every second name of a function or variable: of a destructor, say."""
        yield from self._chain(self.lib.LLVMGetFirstGlobalAlias(self.ref), self.lib.LLVMGetNextGlobalAlias)

    def blocks(self, function: Handle) -> Iterator[Handle]:
        """Every basic block of `function`, the entry first."""
        yield from self._chain(self.lib.LLVMGetFirstBasicBlock(function), self.lib.LLVMGetNextBasicBlock)

    def instructions(self, function: Handle) -> Iterator[Handle]:
        """Every instruction of `function` in order."""
        following = self.lib.LLVMGetNextInstruction
        for block in self.blocks(function):  # not by block_instructions: each would pass through three generators
            current = self.lib.LLVMGetFirstInstruction(block)
            while current:
                after = following(current)
                yield current
                current = after

    def by_opcode(self, functions: Iterable[Handle]) -> Mapping[int, Sequence[Handle]]:
        """The instructions of `functions`, in order, by their opcodes."""
        found: defaultdict[int, list[Handle]] = defaultdict(list)
        opcode_of = self.lib.LLVMGetInstructionOpcode
        for function in functions:
            for instruction in self.instructions(function):
                found[opcode_of(instruction)].append(instruction)
        return found

    def block_instructions(self, block: Handle) -> Iterator[Handle]:
        """Every instruction of one basic block."""
        yield from self._chain(self.lib.LLVMGetFirstInstruction(block), self.lib.LLVMGetNextInstruction)

    def parameters(self, function: Handle) -> list[Handle]:
        """The LLVM parameters of `function`."""
        return [self.lib.LLVMGetParam(function, i) for i in range(self.lib.LLVMCountParams(function))]

    def operands(self, user: Handle) -> list[Handle]:
        """The operands of an instruction or constant."""
        return [self.lib.LLVMGetOperand(user, i) for i in range(self.lib.LLVMGetNumOperands(user))]

    def users(self, value: Handle) -> Iterator[Handle]:
        """Every user of `value`, once a use."""
        for use in self._chain(self.lib.LLVMGetFirstUse(value), self.lib.LLVMGetNextUse):
            yield self.lib.LLVMGetUser(use)

    @staticmethod
    def _chain(first: Handle | None, following: ctypes._NamedFuncPointer) -> Iterator[Handle]:  # pyright: ignore[reportPrivateUsage]
        current = first
        while current:
            after = following(current)
            yield current
            current = after

    # -- asking -----------------------------------------------------------------------------------------------------

    def name(self, value: Handle) -> str:
        """The name of a value, without sigil."""
        size = ctypes.c_size_t()
        text = self.lib.LLVMGetValueName2(value, ctypes.byref(size))
        return ctypes.string_at(text, size.value).decode("utf-8", "replace")

    def text(self, value: Handle) -> str:
        """A value as LLVM prints it."""
        return self._take(ctypes.c_void_p(self.lib.LLVMPrintValueToString(value)))

    def type_text(self, type_: Handle) -> str:
        """A type as LLVM prints it."""
        return self._take(ctypes.c_void_p(self.lib.LLVMPrintTypeToString(type_)))

    def find(self, name: str) -> Handle:
        """The function or global variable `name`; 0 when there is none."""
        data = name.encode()
        return self.lib.LLVMGetNamedFunction(self.ref, data) or self.lib.LLVMGetNamedGlobal(self.ref, data) or 0

    def is_defined(self, value: Handle) -> bool:
        """Whether this module defines the function or global."""
        return not self.lib.LLVMIsDeclaration(value)

    def function_of(self, instruction: Handle) -> Handle:
        """The function that holds `instruction`."""
        return self.lib.LLVMGetBasicBlockParent(self.lib.LLVMGetInstructionParent(instruction))

    def size_of(self, type_: Handle) -> int:
        """Bytes that an array element of `type_` takes."""
        return self.lib.LLVMABISizeOfType(self.data_layout, type_)

    @property
    def data_layout(self) -> Handle:
        return self.lib.LLVMGetModuleDataLayout(self.ref)

    def target_text(self) -> str:
        """The two lines of LLVM text that name the target."""
        layout = ctypes.string_at(self.lib.LLVMGetDataLayoutStr(self.ref)).decode()
        return f'target datalayout = "{layout}"\ntarget triple = "{self.triple()}"'

    def triple(self) -> str:
        """The target triple."""
        return ctypes.string_at(self.lib.LLVMGetTarget(self.ref)).decode()

    def has_attribute(self, function: Handle, index: int, name: str) -> Handle:
        """The enum or type attribute `name` at `index` (0 result, 1.. parameters); 0 when absent."""
        return self.lib.LLVMGetEnumAttributeAtIndex(function, index, self.attribute_kind(name)) or 0

    def function_attribute(self, function: Handle, name: str) -> str | None:
        """The text of a function's attribute `name`; None where it has none."""
        found = self.lib.LLVMGetStringAttributeAtIndex(function, FUNCTION_INDEX, name.encode(), len(name))
        return self.attribute_text(found) if found else None

    def attribute_text(self, attribute: Handle) -> str:
        """The value of a string attribute."""
        size = ctypes.c_uint()
        text = self.lib.LLVMGetStringAttributeValue(attribute, ctypes.byref(size))
        return ctypes.string_at(text, size.value).decode()

    def attribute_kind(self, name: str) -> int:
        """LLVM's number for an attribute."""
        return self.lib.LLVMGetEnumAttributeKindForName(name.encode(), len(name))

    def metadata_kind(self, name: str) -> int:
        """LLVM's number for a kind of metadata of instructions."""
        return self.lib.LLVMGetMDKindIDInContext(self.context, name.encode(), len(name))

    def location(self, instruction: Handle) -> Location | None:
        """Where in the source an instruction comes from; None without debug information."""
        size = ctypes.c_uint()
        file = self.lib.LLVMGetDebugLocFilename(instruction, ctypes.byref(size))
        line = self.lib.LLVMGetDebugLocLine(instruction)
        return Location(ctypes.string_at(file, size.value).decode(), line) if file and line else None

    def metadata_operands(self, node: Handle) -> list[Handle]:
        """The operands of a metadata node (as metadata handles), 0 for null."""
        value = self.lib.LLVMMetadataAsValue(self.context, node)
        count = self.lib.LLVMGetMDNodeNumOperands(value)
        slots = (ctypes.c_void_p * count)()
        self.lib.LLVMGetMDNodeOperands(value, slots)
        return [self.lib.LLVMValueAsMetadata(slot) if slot else 0 for slot in slots]

    def compile_units(self) -> list[Handle]:
        """The DICompileUnits of the module, as values."""
        units = (ctypes.c_void_p * self.lib.LLVMGetNamedMetadataNumOperands(self.ref, _UNITS))()
        self.lib.LLVMGetNamedMetadataOperands(self.ref, _UNITS, units)
        return list(units)

    def string(self, node: Handle) -> str:
        """The text of a metadata string; empty for null."""
        size = ctypes.c_uint()
        value = self.lib.LLVMMetadataAsValue(self.context, node) if node else 0
        text = self.lib.LLVMGetMDString(value, ctypes.byref(size)) if value else None
        return ctypes.string_at(text, size.value).decode() if text else ""

    def type_name(self, node: Handle) -> str:
        """The name of a DIType; empty for a type without one."""
        size = ctypes.c_size_t()
        name = self.lib.LLVMDITypeGetName(node, ctypes.byref(size))
        return ctypes.string_at(name, size.value).decode() if name else ""

    def metadata_of(self, variable: Handle) -> list[Handle]:
        """The metadata that is attached to a global variable, whatever its kind."""
        count = ctypes.c_size_t()
        entries = self.lib.LLVMGlobalCopyAllMetadata(variable, ctypes.byref(count))
        found = [self.lib.LLVMValueMetadataEntriesGetMetadata(entries, number) for number in range(count.value)]
        self.lib.LLVMDisposeValueMetadataEntries(entries)
        return found

    # -- changing ---------------------------------------------------------------------------------------------------

    def link_text(self, ir: str, name: str) -> None:
        """Parse `ir` and link it into this module."""
        data = ir.encode()
        buffer = self.lib.LLVMCreateMemoryBufferWithMemoryRangeCopy(data, len(data), name.encode())
        other, message = ctypes.c_void_p(), ctypes.c_void_p()
        if self.lib.LLVMParseIRInContext(self.context, buffer, ctypes.byref(other), ctypes.byref(message)):
            raise AssertionError(f"{name}: {self._take(message)}")
        if self.lib.LLVMLinkModules2(self.ref, other):
            raise AssertionError(f"{name}: does not link")

    def link_bitcode(self, bitcode: Path) -> None:
        """Link the module in the file `bitcode` into this one; a Diagnostic when both define a symbol."""
        other = Module(self._library, bitcode, self.context)
        failed = self.lib.LLVMLinkModules2(self.ref, other.ref)
        self._check()
        if failed:
            raise AssertionError(f"{bitcode}: does not link")

    def drop_unneeded(self) -> None:
        """Leave what other modules can see, and what that needs. Of a module that is read lazily, no more is read."""
        size = ctypes.c_size_t()
        name = self.lib.LLVMGetSourceFileName(self.ref, ctypes.byref(size))
        needed = self.lib.LLVMModuleCreateWithNameInContext(b"", self.context)
        self.lib.LLVMSetSourceFileName(needed, name, size.value)
        if self.lib.LLVMLinkModules2(needed, self.ref):
            raise AssertionError("does not link with nothing")
        self._check()
        self.ref = needed

    def dispose(self) -> None:
        """Give the memory of the module and its context back to the system. No handle may be used any more."""
        if _scope.modules is not None and self in _scope.modules:
            _scope.modules.remove(self)
        self.lib.LLVMContextDispose(self.context)
        self.ref = self.context = 0
        give_back_free_memory()

    def run_passes(self, pipeline: str, machine: Handle) -> None:
        """Run a pass pipeline as `opt -passes=` takes it."""
        options = self.lib.LLVMCreatePassBuilderOptions()
        error = self.lib.LLVMRunPasses(self.ref, pipeline.encode(), machine, options)
        self.lib.LLVMDisposePassBuilderOptions(options)
        if error:
            text = ctypes.string_at(self.lib.LLVMGetErrorMessage(error)).decode()
            raise AssertionError(f"{pipeline}: {text}")
        self._check()

    def knows(self, pipeline: str) -> bool:
        """Whether the LLVM at hand has all passes of `pipeline`, with their parameters."""
        empty = self.lib.LLVMModuleCreateWithNameInContext(b"", self.context)
        options = self.lib.LLVMCreatePassBuilderOptions()
        error = self.lib.LLVMRunPasses(empty, pipeline.encode(), 0, options)
        self.lib.LLVMDisposePassBuilderOptions(options)
        self.lib.LLVMDisposeModule(empty)
        if error:
            self.lib.LLVMDisposeErrorMessage(self.lib.LLVMGetErrorMessage(error))
        return not error

    @contextmanager
    def left_alone(self, functions: Sequence[Handle]) -> Generator[None]:
        """No pass of a pipeline that is run meanwhile looks at `functions`."""
        given: list[tuple[Handle, int]] = []
        for function in functions:
            for kind in map(self.attribute_kind, UNOPTIMISED):
                if not self.lib.LLVMGetEnumAttributeAtIndex(function, FUNCTION_INDEX, kind):
                    made = self.lib.LLVMCreateEnumAttribute(self.context, kind, 0)
                    self.lib.LLVMAddAttributeAtIndex(function, FUNCTION_INDEX, made)
                    given.append((function, kind))
        yield
        for function, kind in given:
            self.lib.LLVMRemoveEnumAttributeAtIndex(function, FUNCTION_INDEX, kind)

    def verify(self, stage: str) -> None:
        """Assert that the module is well formed after `stage`."""
        message = ctypes.c_void_p()
        if self.lib.LLVMVerifyModule(self.ref, 2, ctypes.byref(message)):
            raise AssertionError(f"after {stage}: {self._take(message)}")
        if message:
            self.lib.LLVMDisposeMessage(message)

    def strip_debug_info(self) -> None:
        """Drop every debug location and description."""
        self.lib.LLVMStripModuleDebugInfo(self.ref)

    def call_intrinsic(
        self, builder: Handle, name: str, types: Sequence[Handle], arguments: Sequence[Handle]
    ) -> Handle:
        """A call of LLVM's intrinsic `name`, of the overload for `types`, where the builder stands."""
        lib, data = self.lib, name.encode()
        overload, given = (ctypes.c_void_p * len(types))(*types), (ctypes.c_void_p * len(arguments))(*arguments)
        number = lib.LLVMLookupIntrinsicID(data, len(data))
        function = lib.LLVMGetIntrinsicDeclaration(self.ref, number, overload, len(types))
        function_type = lib.LLVMGlobalGetValueType(function)
        return lib.LLVMBuildCall2(builder, function_type, function, given, len(arguments), b"")

    # -- emitting ---------------------------------------------------------------------------------------------------

    def target_machine(self, machine: Target, level: int) -> Handle:
        """A position-independent code generator at optimisation `level` (0..3)."""
        target, message = ctypes.c_void_p(), ctypes.c_void_p()
        triple, features = machine.triple.encode(), ARCHITECTURES[machine.arch].features.encode()
        if self.lib.LLVMGetTargetFromTriple(triple, ctypes.byref(target), ctypes.byref(message)):
            raise Diagnostic(self._take(message))
        made = self.lib.LLVMCreateTargetMachine(target, triple, b"", features, level, _RELOC_PIC, _CODE_MODEL_DEFAULT)
        if _scope.modules is not None:
            _scope.machines.append(made)
        return made

    def emit_object(self, machine: Handle, path: Path) -> None:
        """Write an object file."""
        message = ctypes.c_void_p()
        if self.lib.LLVMTargetMachineEmitToFile(
            machine, self.ref, str(path).encode(), _OBJECT_FILE, ctypes.byref(message)
        ):
            raise Diagnostic(self._take(message))
        self._check()

    def write_bitcode(self, path: Path) -> None:
        """Write the module as bitcode."""
        if self.lib.LLVMWriteBitcodeToFile(self.ref, str(path).encode()):
            raise Diagnostic(f"cannot write {path}")

    def write_text(self, path: Path) -> None:
        """Write the module as text (for debugging)."""
        message = ctypes.c_void_p()
        if self.lib.LLVMPrintModuleToFile(self.ref, str(path).encode(), ctypes.byref(message)):
            raise Diagnostic(self._take(message))

    def _take(self, message: ctypes.c_void_p) -> str:
        text = ctypes.string_at(message.value or 0).decode("utf-8", "replace") if message else ""
        if message:
            self.lib.LLVMDisposeMessage(message)
        return text
