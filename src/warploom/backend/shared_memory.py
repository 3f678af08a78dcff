# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Give shared variables their place in the block's shared memory.

    @s = internal global [128 x float] undef        %base = call ptr @__warploom_shared_memory()
    ... getelementptr(@s, 12) ...             ==>   %s = base + SHARED_OFFSET constant + image offset + offset of s
                                                    ... getelementptr(%s, 12) ...

A block runs on one worker, whose memory `__warploom_shared_memory` returns; the image's own offset is written by the
runtime at registration. After this no shared variable is an LLVM global any more, so that LLVM has no ground to believe
that a barrier leaves it alone.

Code of engine `loom` runs block after block in a loop. While LLVM optimises it, each block's memory is allocated where
the block starts and freed where it ends:

    %memory = call ptr @__warploom_enter_block(i32 0)         %s = %memory + offset of s
    ...                                                       call void @__warploom_leave_block(ptr %memory)

That is what CUDA says of it: what a block leaves in it nobody reads. So LLVM knows that no other pointer leads there,
and stores that no load of the block follows can go (dead_stores.py). It holds for variables that only such functions
name: another function has its own way to the same bytes. Variables of fixed size and dynamic ones are two pieces of
memory. `end_blocks` then makes both calls what they are, an address and nothing.
"""

from __future__ import annotations

import ctypes
from collections.abc import Iterable, Mapping
from functools import partial

from warploom.backend.image import SHARED_OFFSET
from warploom.backend.materialise import Materialiser
from warploom.core.deferred import deferred
from warploom.core.records import dataclass
from warploom.core.type_names import TYPE_CHECKING
from warploom.frontend.device_module import DeviceModule
from warploom.llvm.binding import Handle
from warploom.llvm.codes import FUNCTION_INDEX
from warploom.llvm.module import Module

if TYPE_CHECKING:
    from warploom.backend import shared_debug
else:
    shared_debug = deferred("warploom.backend.shared_debug")

ENTER_BLOCK, LEAVE_BLOCK = "__warploom_enter_block", "__warploom_leave_block"
STATIC, DYNAMIC = 0, 1  # operands of ENTER_BLOCK
_BASE = "__warploom_shared_memory"
STATIC_SHARED_OFFSET = 262144  # WARPLOOM_STATIC_SHARED_OFFSET of device_abi.h
_LARGEST_ALIGNMENT = 128


@dataclass(frozen=True)
class SharedLayout:
    """Bytes of all shared variables of the image, and for each kernel the bytes it can reach."""

    image_size: int
    reached: dict[str, int]


def lower_shared_memory(device: DeviceModule, entries: Mapping[str, str], *, describe: bool = False) -> SharedLayout:
    """Replace every shared variable by an address in the block's shared memory.

    `entries`: the function that each kernel starts with. `describe`: debuggers can read the variables.
    """
    module = device.module
    materialiser = Materialiser(module)
    descriptions = shared_debug.SharedDescriptions(device) if describe else None
    memory = _SharedMemory(module)
    users: dict[str, set[Handle]] = {}
    sizes: dict[str, int] = {}
    offset = 0
    for name in device.static_shared:
        variable = module.lib.LLVMGetNamedGlobal(module.ref, name.encode())
        if not variable:  # nothing used it
            continue
        align = min(max(module.lib.LLVMGetAlignment(variable), 1), _LARGEST_ALIGNMENT)
        offset = (offset + align - 1) // align * align
        sizes[name] = module.size_of(module.lib.LLVMGlobalGetValueType(variable))
        places = memory.places(STATIC, [variable])
        address = partial(memory.static_address, offset)
        if descriptions is not None:
            address = descriptions.described(name, materialiser.instructions_using(variable), address)
        users[name] = materialiser.replace(variable, address, places)
        materialiser.delete(variable)
        offset += sizes[name]
    dynamic: list[Handle] = list(filter(None, map(module.find, device.dynamic_shared)))
    # They are one array; functions of other files reach it too.
    places = {} if device.separate else memory.places(DYNAMIC, dynamic)
    for variable in dynamic:
        materialiser.replace(variable, memory.base_address, places)
        materialiser.delete(variable)
    memory.drop_unused()
    materialiser.close()
    if descriptions is not None:
        descriptions.close()
    callers = {name: _callers(module, functions) for name, functions in users.items()}

    def reached_from(function: str) -> int:
        return sum(sizes[name] for name, found in callers.items() if function in found)

    # Where both engines have code of a kernel, each may have variables of its own: a launch runs on one.
    reached = {kernel: max(map(reached_from, {kernel, entry})) for kernel, entry in entries.items()}
    return SharedLayout((offset + _LARGEST_ALIGNMENT - 1) // _LARGEST_ALIGNMENT * _LARGEST_ALIGNMENT, reached)


def own_shared(device: DeviceModule) -> dict[str, list[str]]:
    """By function: the shared variables of fixed size that it alone names."""
    module, found = device.module, dict[str, list[str]]()
    for name in device.static_shared:
        users = users_of(module, module.find(name))
        if len(users) == 1:
            found.setdefault(module.name(users.pop()), []).append(name)
    return found


def static_shared_sizes(device: DeviceModule) -> dict[str, int]:
    """For each kernel the bytes of shared variables that it names, itself or through calls, before any optimisation."""
    module = device.module
    sizes = {kernel.name: 0 for kernel in device.kernels}
    for name in device.static_shared:
        variable = module.find(name)
        size = module.size_of(module.lib.LLVMGlobalGetValueType(variable))
        for kernel in _callers(module, users_of(module, variable)) & sizes.keys():
            sizes[kernel] += size
    return sizes


def users_of(module: Module, value: Handle) -> set[Handle]:
    """The functions that name `value`, in a constant expression too."""
    found: set[Handle] = set()
    for user in module.users(value):
        if module.lib.LLVMIsAInstruction(user):
            found.add(module.function_of(user))
        else:
            found |= users_of(module, user)
    return found


def _callers(module: Module, functions: set[Handle]) -> set[str]:
    """Names of all functions from which one of `functions` can be reached by direct calls, themselves included.

    Who hands a function on counts as calling it: so do parallel loops run.
    """
    seen: set[Handle] = set()
    work = list(functions)
    while work:
        function = work.pop()
        if function in seen:
            continue
        seen.add(function)
        for user in module.users(function):
            if module.lib.LLVMIsAInstruction(user):
                work.append(module.function_of(user))
    return {module.name(function) for function in seen}


def blocks_entered(module: Module) -> list[Handle]:
    """The calls of `ENTER_BLOCK`: each is the address of one block's memory."""
    return _calls(module, ENTER_BLOCK)


def end_blocks(module: Module) -> None:
    """Make plain addresses of the memory that blocks enter and leave. Requires optimised code."""
    lib = module.lib
    for call in _calls(module, LEAVE_BLOCK):
        lib.LLVMInstructionEraseFromParent(call)
    materialiser = Materialiser(module)
    memory = _SharedMemory(module)
    bases: dict[tuple[Handle, int], Handle] = {}
    for call in blocks_entered(module):
        key = function, kind = module.function_of(call), _kind(module, call)
        if key not in bases:
            lib.LLVMPositionBuilderBefore(materialiser.builder, materialiser.entry_point(function))
            build = memory.base_address if kind == DYNAMIC else partial(memory.static_address, 0)
            bases[key] = build(materialiser.builder, 0)
        lib.LLVMReplaceAllUsesWith(call, bases[key])
        lib.LLVMInstructionEraseFromParent(call)
    materialiser.close()


def _kind(module: Module, call: Handle) -> int:
    return module.lib.LLVMConstIntGetZExtValue(module.lib.LLVMGetOperand(call, 0))


def _calls(module: Module, name: str) -> list[Handle]:
    function = module.find(name)
    return list(module.users(function)) if function else []


class _SharedMemory:
    """Builds addresses in the block's shared memory."""

    def __init__(self, module: Module) -> None:
        lib = module.lib
        self.module, self.lib = module, lib
        self.i8: Handle = lib.LLVMInt8TypeInContext(module.context)
        self.i64: Handle = lib.LLVMInt64TypeInContext(module.context)
        self.image_offset = module.find(SHARED_OFFSET) or self._declare_offset()
        pointer = lib.LLVMPointerTypeInContext(module.context, 0)
        self.base_type: Handle = lib.LLVMFunctionType(pointer, None, 0, 0)
        self.base = self._declare_base()
        self.entered: dict[int, dict[Handle, Handle]] = {STATIC: {}, DYNAMIC: {}}
        for call in blocks_entered(module):
            self.entered[_kind(module, call)][module.function_of(call)] = call
        self.used: set[Handle] = set()

    def _declare_offset(self) -> Handle:
        offset = self.lib.LLVMAddGlobal(self.module.ref, self.i64, SHARED_OFFSET.encode())
        self.lib.LLVMSetInitializer(offset, self.lib.LLVMConstNull(self.i64))
        self.lib.LLVMSetExternallyInitialized(offset, 1)
        return offset

    def _declare_base(self) -> Handle:
        lib = self.lib
        base = self.module.find(_BASE) or lib.LLVMAddFunction(self.module.ref, _BASE.encode(), self.base_type)
        for attribute in ("memory", "nounwind", "willreturn"):  # memory(none): the same for a whole call
            made = lib.LLVMCreateEnumAttribute(self.module.context, self.module.attribute_kind(attribute), 0)
            lib.LLVMAddAttributeAtIndex(base, FUNCTION_INDEX, made)
        return base

    def places(self, kind: int, variables: Iterable[Handle]) -> dict[Handle, Handle]:
        """The calls behind which addresses of `variables` are built: none unless all functions with uses have one."""
        functions = {function for each in variables for function in users_of(self.module, each)}
        entered = self.entered[kind]
        if not functions <= entered.keys():
            return {}
        self.used.update(entered[function] for function in functions)
        return entered

    def drop_unused(self) -> None:
        """Take out the calls for memory that a function does not use."""
        calls = {call for kind in self.entered.values() for call in kind.values()}
        for call in calls - self.used:
            for leave in list(self.module.users(call)):
                self.lib.LLVMInstructionEraseFromParent(leave)
            self.lib.LLVMInstructionEraseFromParent(call)

    def base_address(self, builder: Handle, entered: Handle) -> Handle:
        """Where dynamic shared memory starts: `entered`, if it is no 0."""
        return entered or self.lib.LLVMBuildCall2(builder, self.base_type, self.base, None, 0, b"shared")

    def static_address(self, offset: int, builder: Handle, entered: Handle) -> Handle:
        """The address `offset` bytes into the image's static shared variables: into `entered`, if it is no 0."""
        if entered:
            return self._add(builder, entered, self.lib.LLVMConstInt(self.i64, offset, 0))
        image = self.lib.LLVMBuildLoad2(builder, self.i64, self.image_offset, b"shared.image")
        constant = self.lib.LLVMConstInt(self.i64, STATIC_SHARED_OFFSET + offset, 0)
        return self._add(builder, self._add(builder, self.base_address(builder, 0), image), constant)

    def _add(self, builder: Handle, pointer: Handle, offset: Handle) -> Handle:
        indices = (ctypes.c_void_p * 1)(offset)
        return self.lib.LLVMBuildGEP2(builder, self.i8, pointer, indices, 1, b"")
