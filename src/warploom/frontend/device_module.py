# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What a freshly compiled device module holds: kernels with their parameters, device variables, shared variables.

clang lowers parameters to the machine's calling convention: a struct of three floats becomes a `<2 x float>` and a
`float`. A launch hands over one pointer a source parameter, so the mapping back is needed. It is read off clang's own
prologue, which stores each LLVM parameter into the slot of its source parameter; the debug records name the slots in
source order:

    define void @k(<2 x float> %s.coerce0, float %s.coerce1, ptr byval(%B) %b)
      store <2 x float> %s.coerce0, ptr %s               ->  Piece(parameter 0, offset 0)
      store float %s.coerce1, ptr (%s + 8)               ->  Piece(parameter 0, offset 8)
      #dbg_declare(ptr %s, ...), #dbg_declare(ptr %b, ...)

Requires the module as clang emits it before any LLVM pass, with value names and `-debug-info-kind=limited`.
"""

from __future__ import annotations

import re

from warploom.core.patterns import regex
from warploom.core.records import dataclass, field
from warploom.diagnostics import Diagnostic
from warploom.frontend.host_library import is_host_function
from warploom.frontend.type_alignment import alignment_of, base_type
from warploom.llvm.binding import Handle
from warploom.llvm.codes import Linkage, Opcode, TypeKind, Visibility
from warploom.llvm.module import Module

KERNEL = "warploom.kernel"
MANAGED = "warploom.managed"
CONSTANT = "warploom.constant"
LAUNCH_BOUNDS = "warploom.launch_bounds"
CLUSTER_DIMS = "warploom.cluster_dims"
CALLED = "warploom.called"
REFERENCES = ("struct.__warploom_texture_reference", "struct.__warploom_surface_reference")
_STATIC = "__static__"

_NUMBER = regex(r"%(\d+)")
_DECLARES = 1  # LLVMDbgRecordDeclare
_DECLARE = regex(r'#dbg_declare\(ptr %("[^"]*"|[-\w.$]+), ![0-9]+, !DIExpression\(([^)]*)\)')
_SUBPROGRAM_TYPE = 4  # operand of a DISubprogram


@dataclass(frozen=True)
class Piece:
    """Where one LLVM parameter comes from: bytes of a source parameter, or (`indirect`) a pointer to a copy of it."""

    parameter: int
    offset: int
    indirect: bool = False
    short: int = 0  # bytes that there are, where the LLVM parameter is larger: a struct of 3 bytes in an i64


@dataclass(frozen=True)
class Kernel:
    """A `__global__` function: source parameter sizes in bytes, and one piece for each LLVM parameter."""

    name: str
    sizes: tuple[int, ...]
    pieces: tuple[Piece, ...]
    max_threads: int  # of __launch_bounds__, 0 when not given
    alignments: tuple[int, ...] = ()  # of the source parameters, bytes
    cluster: tuple[int, int, int] = (0, 0, 0)  # of __cluster_dims__, zeros when not given


@dataclass(frozen=True)
class Variable:
    """A `__device__`, `__constant__` or `__managed__` variable that the host can name."""

    name: str
    size: int
    constant: bool
    managed: bool


@dataclass
class DeviceModule:
    """The LLVM module and what CUDA means by its members."""

    module: Module
    separate: bool = False  # other translation units may define device symbols, and call what this one defines
    kernels: list[Kernel] = field(default_factory=list[Kernel])
    variables: list[Variable] = field(default_factory=list[Variable])
    static_shared: list[str] = field(default_factory=list[str])  # names of shared variables of fixed size
    extern_managed: list[str] = field(default_factory=list[str])  # managed variables of other translation units
    extern_kernels: list[str] = field(default_factory=list[str])  # kernels of other translation units
    dynamic_shared: list[str] = field(default_factory=list[str])  # names of `extern __shared__` arrays
    called: set[str] = field(default_factory=set[str])  # functions of our headers that are never inlined


def read_device_module(module: Module, *, separate: bool, loadable: bool = False) -> DeviceModule:
    """Classify the globals and functions of `module`; the annotations are consumed.

    `separate`: other translation units may define device symbols (-rdc=true). `loadable`: host code that is not known
    finds variables by name (cuModuleGetGlobal), static ones too.
    """
    device = DeviceModule(module, separate)
    annotations = _take_annotations(module)
    _empty_list_of_host_references(module)
    _join_static_variables(module)
    alignments: dict[Handle, int] = {}
    for function in module.functions():
        marks = annotations.get(function, {})
        if CALLED in marks:
            device.called.add(module.name(function))
        if KERNEL not in marks:
            continue
        if module.is_defined(function):
            device.kernels.append(_read_kernel(module, function, marks, alignments))
        else:
            device.extern_kernels.append(module.name(function))
    for variable in module.globals():
        marks = annotations.get(variable, {})
        if loadable and _is_static_variable(module, variable, marks):
            module.lib.LLVMSetExternallyInitialized(variable, 1)  # or a load would be what it is initialised with
        _classify_global(device, variable, marks, separate)
    return device


def _empty_list_of_host_references(module: Module) -> None:
    """clang lists the kernels and variables of other files that the host's code names, for a linker of device code to
    find. Here the host refers to a kernel's handle, and a kernel that is only launched has no other symbol."""
    found = module.find("__clang_gpu_used_external")
    if found:
        module.lib.LLVMSetInitializer(found, module.lib.LLVMConstNull(module.lib.LLVMGlobalGetValueType(found)))


def _is_static_variable(module: Module, variable: Handle, marks: dict[str, list[int]]) -> bool:
    """A variable of device code that clang takes for unknown to the host. Other constants are the compiler's."""
    lib = module.lib
    initializer = lib.LLVMGetInitializer(variable)
    if not initializer or lib.LLVMGetLinkage(variable) != Linkage.INTERNAL:
        return False
    if lib.LLVMIsUndef(initializer) or lib.LLVMIsPoison(initializer):
        return False  # shared
    return CONSTANT in marks or not lib.LLVMIsGlobalConstant(variable)


def _classify_global(device: DeviceModule, variable: Handle, marks: dict[str, list[int]], separate: bool) -> None:
    module = device.module
    lib, name = module.lib, module.name(variable)
    initializer = lib.LLVMGetInitializer(variable)
    if initializer and _is_reference(module, variable):
        # clang leaves it undefined; the host writes it when it binds the reference.
        type_ = lib.LLVMGlobalGetValueType(variable)
        lib.LLVMSetInitializer(variable, lib.LLVMConstNull(type_))
        device.variables.append(Variable(name, module.size_of(type_), constant=False, managed=False))
    elif initializer and (lib.LLVMIsUndef(initializer) or lib.LLVMIsPoison(initializer)):
        device.static_shared.append(name)
    elif not initializer and lib.LLVMGetVisibility(variable) == Visibility.HIDDEN:
        device.extern_managed.append(name)
    elif not initializer and _is_dynamic_shared(module, variable, separate):
        device.dynamic_shared.append(name)
    elif initializer and (lib.LLVMIsExternallyInitialized(variable) or MANAGED in marks):
        size = module.size_of(lib.LLVMGlobalGetValueType(variable))
        constant = bool(lib.LLVMIsGlobalConstant(variable))
        device.variables.append(Variable(name, size, constant, MANAGED in marks))


def _is_reference(module: Module, variable: Handle) -> bool:
    """Whether a global is a `texture<...>` or `surface<...>`: the headers give these types names of their own."""
    type_ = module.lib.LLVMGlobalGetValueType(variable)
    if module.lib.LLVMGetTypeKind(type_) != TypeKind.STRUCT:
        return False
    name = module.lib.LLVMGetStructName(type_)
    return bool(name) and name.decode().startswith(REFERENCES)


def _is_dynamic_shared(module: Module, variable: Handle, separate: bool) -> bool:
    """Whether an undefined global is an `extern __shared__` array.

    The headers give those protected visibility, which clang drops inside templates. Without separate compilation an
    array of unknown size can be nothing else. With it, `extern __device__ int x[];` looks the same: that one is
    taken for shared memory only when nothing but templates uses it.
    """
    lib = module.lib
    if lib.LLVMGetVisibility(variable) == Visibility.PROTECTED:
        return True
    if is_host_function(module.name(variable)):  # of the C++ runtime: a virtual table
        return False
    type_ = lib.LLVMGlobalGetValueType(variable)
    if lib.LLVMGetTypeKind(type_) != TypeKind.ARRAY or lib.LLVMGetArrayLength2(type_) != 0:
        return False
    if not separate:
        return True
    instructions = [user for user in module.users(variable) if lib.LLVMIsAInstruction(user)]
    return bool(instructions) and all(
        lib.LLVMGetLinkage(module.function_of(user)) in (Linkage.LINK_ONCE_ODR, Linkage.WEAK_ODR)
        for user in instructions
    )


def _join_static_variables(module: Module) -> None:
    """Give the uses of a static device variable to its definition.

    Under separate compilation clang renames a static variable once host code names it (`x` to `x__static__<id>`); what
    it compiled before that still uses the old name.
    """
    lib = module.lib
    defined = {module.name(variable): variable for variable in module.globals() if module.is_defined(variable)}
    renamed = {name.partition(_STATIC)[0]: variable for name, variable in defined.items() if _STATIC in name}
    for variable in list(module.globals()):
        target = renamed.get(module.name(variable))
        if target and not module.is_defined(variable):
            lib.LLVMReplaceAllUsesWith(variable, target)
            lib.LLVMDeleteGlobal(variable)


def _take_annotations(module: Module) -> dict[Handle, dict[str, list[int]]]:
    """Annotated value -> annotation -> integer arguments; removes LLVM's table of them."""
    lib = module.lib
    table = lib.LLVMGetNamedGlobal(module.ref, b"llvm.global.annotations")
    found: dict[Handle, dict[str, list[int]]] = {}
    if not table:
        return found
    for entry in module.operands(lib.LLVMGetInitializer(table)):
        value, text, _file, _line, arguments = module.operands(entry)
        numbers: list[int] = []
        if not lib.LLVMIsNull(arguments):
            for number in module.operands(lib.LLVMGetInitializer(arguments)):
                numbers.append(lib.LLVMConstIntGetZExtValue(number) if lib.LLVMIsAConstantInt(number) else 0)
        found.setdefault(value, {})[_string(module, lib.LLVMGetInitializer(text))] = numbers
    lib.LLVMDeleteGlobal(table)
    return found


def _string(module: Module, constant: Handle) -> str:
    match = re.search(r'c"((?:[^"\\]|\\.)*)\\00"', module.text(constant))
    return match.group(1) if match else ""


def _cluster(dims: list[int]) -> tuple[int, int, int]:
    x, y, z = [*dims, 1, 1, 1][:3] if dims else (0, 0, 0)
    return x, y, z


def _read_kernel(
    module: Module, function: Handle, marks: dict[str, list[int]], alignments: dict[Handle, int]
) -> Kernel:
    """`alignments`: of types of parameters, as far as they are known."""
    slots = _parameter_slots(module, function)
    sizes = [_size_of_slot(module, function, slot) for slot in slots]
    owner = {slot.value: number for number, slot in enumerate(slots) if not slot.holds_pointer}
    holders = {slot.value: number for number, slot in enumerate(slots) if slot.holds_pointer}
    pieces: list[Piece] = []
    for value in module.parameters(function):
        if value in owner:
            pieces.append(Piece(owner[value], 0, indirect=True))
            continue
        slot, offset = _stored_to(module, function, value)
        if slot not in owner and slot not in holders:
            slot = _copied_to(module, slot)
        if slot in holders:
            pieces.append(Piece(holders[slot], 0, indirect=True))
        elif slot in owner:
            left = sizes[owner[slot]] - offset
            size = _bytes_read(module, module.lib.LLVMTypeOf(value))
            pieces.append(Piece(owner[slot], offset, short=left if left < size else 0))
        else:
            raise AssertionError(f"{module.name(function)}: parameter {module.name(value)} has no source parameter")
    for type_ in {slot.type for slot in slots}.difference(alignments):
        alignments[type_] = alignment_of(module, type_)
    aligned = tuple(alignments[slot.type] for slot in slots)
    bounds, cluster = marks.get(LAUNCH_BOUNDS, []), _cluster(marks.get(CLUSTER_DIMS, []))
    return Kernel(module.name(function), tuple(sizes), tuple(pieces), bounds[0] if bounds else 0, aligned, cluster)


def _bytes_read(module: Module, type_: Handle) -> int:
    """Bytes that a load of `type_` reads: of an i24 three, though it takes the place of four."""
    if module.lib.LLVMGetTypeKind(type_) == TypeKind.INTEGER:
        return (module.lib.LLVMGetIntTypeWidth(type_) + 7) // 8
    return module.size_of(type_)


@dataclass(frozen=True)
class _Slot:
    value: Handle  # the alloca that holds the parameter, or the LLVM parameter that points at it
    holds_pointer: bool  # the alloca holds a pointer to the parameter
    type: Handle  # DIType


def parameter_types(module: Module, function: Handle) -> list[Handle]:
    """The DIType of each source parameter, in order."""
    subprogram = module.lib.LLVMGetSubprogram(function)
    if not subprogram:
        raise AssertionError(f"{module.name(function)}: no debug information")
    signature = module.metadata_operands(module.metadata_operands(subprogram)[_SUBPROGRAM_TYPE])
    result_and_parameters = next(operand for operand in reversed(signature) if operand)
    return module.metadata_operands(result_and_parameters)[1:]


def _parameter_slots(module: Module, function: Handle) -> list[_Slot]:
    """The storage of each source parameter, in order."""
    types = parameter_types(module, function)
    is_new = hasattr(module.lib, "LLVMDbgVariableRecordGetValue")
    declares = (declared if is_new else printed_declares)(module, function)[: len(types)]
    if len(declares) != len(types):
        raise AssertionError(f"{module.name(function)}: {len(types)} parameters, {len(declares)} declared")
    return [_Slot(value, "DW_OP_deref" in how, type_) for (value, how), type_ in zip(declares, types, strict=True)]


def declared(module: Module, function: Handle) -> list[tuple[Handle, str]]:
    """The variables that debug records of the function's entry declare: where each is, and how that is to be read."""
    lib = module.lib
    found: list[tuple[Handle, str]] = []
    for instruction in module.block_instructions(lib.LLVMGetEntryBasicBlock(function)):
        record = lib.LLVMGetFirstDbgRecord(instruction)
        while record:
            if lib.LLVMDbgRecordGetKind(record) == _DECLARES:
                expression = lib.LLVMMetadataAsValue(module.context, lib.LLVMDbgVariableRecordGetExpression(record))
                found.append((lib.LLVMDbgVariableRecordGetValue(record, 0), module.text(expression)))
            record = lib.LLVMGetNextDbgRecord(record)
    return found


def printed_declares(module: Module, function: Handle) -> list[tuple[Handle, str]]:
    """As `declared`, for an LLVM whose records can only be printed, for which it looks at the whole module."""
    lib = module.lib
    entry = lib.LLVMGetEntryBasicBlock(function)
    named = {_printed_name(module, value): value for value in module.parameters(function)}
    for instruction in module.block_instructions(entry):
        if lib.LLVMGetInstructionOpcode(instruction) == Opcode.ALLOCA:
            named[_printed_name(module, instruction)] = instruction
    declares = _DECLARE.findall(module.text(lib.LLVMBasicBlockAsValue(entry)))
    return [(named.get(name.strip('"'), 0), how) for name, how in declares]


def _printed_name(module: Module, value: Handle) -> str:
    """What LLVM prints a value as; a parameter without a name in the source has a number."""
    name = module.name(value)
    if name:
        return name
    number = _NUMBER.search(module.text(value))
    return number[1] if number else ""


def _size_of_slot(module: Module, function: Handle, slot: _Slot) -> int:
    """Bytes of the source parameter."""
    lib = module.lib
    if lib.LLVMIsAAllocaInst(slot.value) and not slot.holds_pointer:
        return module.size_of(lib.LLVMGetAllocatedType(slot.value))
    node = slot.type
    while node and not lib.LLVMDITypeGetSizeInBits(node):
        node = base_type(module, node)
    if not node:
        raise AssertionError(f"{module.name(function)}: a parameter of unknown size")
    return lib.LLVMDITypeGetSizeInBits(node) // 8


def _stored_to(module: Module, function: Handle, value: Handle) -> tuple[Handle, int]:
    """The alloca and byte offset that the prologue stores LLVM parameter `value` to."""
    lib = module.lib
    for user in module.users(value):
        # A pointer in a structure that clang passes as a number, or a number that fills a register.
        if lib.LLVMIsAZExtInst(user) or lib.LLVMIsATruncInst(user) or lib.LLVMIsAIntToPtrInst(user):
            return _stored_to(module, function, user)
        if lib.LLVMIsAStoreInst(user) and lib.LLVMGetOperand(user, 0) == value:
            return alloca_and_offset(module, lib.LLVMGetOperand(user, 1))
    raise Diagnostic(
        f"kernel {module.name(function)}: cannot follow parameter {module.name(value)}",
        hint="pass the parameter by pointer",
    )


def alloca_and_offset(module: Module, pointer: Handle) -> tuple[Handle, int]:
    """What constant steps lead to `pointer` from, and how many bytes they are together."""
    lib = module.lib
    if not lib.LLVMIsAGetElementPtrInst(pointer):
        return pointer, 0
    base, *indices = module.operands(pointer)
    if not all(map(lib.LLVMIsAConstantInt, indices)):
        return pointer, 0
    slot, offset = alloca_and_offset(module, base)
    numbers = [lib.LLVMConstIntGetZExtValue(index) for index in indices]
    type_ = lib.LLVMGetGEPSourceElementType(pointer)
    offset += numbers[0] * module.size_of(type_)
    for number in numbers[1:]:
        if lib.LLVMGetTypeKind(type_) == TypeKind.STRUCT:
            offset += lib.LLVMOffsetOfElement(module.data_layout, type_, number)
            type_ = lib.LLVMStructGetTypeAtIndex(type_, number)
        else:
            type_ = lib.LLVMGetElementType(type_)
            offset += number * module.size_of(type_)
    return slot, offset


def _copied_to(module: Module, temporary: Handle) -> Handle:
    """The alloca that a temporary of the prologue is copied to."""
    lib = module.lib
    for user in module.users(temporary):
        if lib.LLVMIsAMemCpyInst(user) and lib.LLVMGetOperand(user, 1) == temporary:
            return lib.LLVMGetOperand(user, 0)
    return temporary
