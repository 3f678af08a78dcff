# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Give shared variables their place in the block's shared memory.

    @s = internal global [128 x float] undef        %base = call ptr @__warploom_shared_memory()
    ... getelementptr(@s, 12) ...             ==>   %s = base + SHARED_OFFSET constant + image offset + offset of s
                                                    ... getelementptr(%s, 12) ...

A block runs on one worker, whose memory `__warploom_shared_memory` returns; the image's own offset is written by the
runtime at registration. After this no shared variable is an LLVM global any more, so that LLVM has no ground to believe
that a barrier leaves it alone.
"""

from __future__ import annotations

import ctypes
from collections.abc import Mapping
from dataclasses import dataclass
from functools import partial

from warploom.backend.image import SHARED_OFFSET
from warploom.backend.materialise import Materialiser
from warploom.frontend.device_module import DeviceModule
from warploom.llvm.binding import Handle
from warploom.llvm.module import FUNCTION_INDEX, Module

STATIC_SHARED_OFFSET = 262144  # WARPLOOM_STATIC_SHARED_OFFSET of device_abi.h
_LARGEST_ALIGNMENT = 128


@dataclass(frozen=True)
class SharedLayout:
    """Bytes of all shared variables of the image, and for each kernel the bytes it can reach."""

    image_size: int
    reached: dict[str, int]


def lower_shared_memory(device: DeviceModule, entries: Mapping[str, str]) -> SharedLayout:
    """Replace every shared variable by an address in the block's shared memory.

    `entries`: the function that each kernel starts with.
    """
    module = device.module
    materialiser = Materialiser(module)
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
        users[name] = materialiser.replace(variable, partial(memory.static_address, offset))
        materialiser.delete(variable)
        offset += sizes[name]
    for name in device.dynamic_shared:
        variable = module.lib.LLVMGetNamedGlobal(module.ref, name.encode())
        if not variable:
            continue
        materialiser.replace(variable, memory.base_address)
        materialiser.delete(variable)
    materialiser.close()
    reached = dict.fromkeys(entries, 0)
    for name, functions in users.items():
        callers = _callers(module, functions)
        for kernel, entry in entries.items():
            reached[kernel] += sizes[name] if entry in callers else 0
    return SharedLayout((offset + _LARGEST_ALIGNMENT - 1) // _LARGEST_ALIGNMENT * _LARGEST_ALIGNMENT, reached)


def static_shared_sizes(device: DeviceModule) -> dict[str, int]:
    """For each kernel the bytes of shared variables that it names, itself or through calls, before any optimisation."""
    module = device.module
    sizes = {kernel.name: 0 for kernel in device.kernels}
    for name in device.static_shared:
        variable = module.find(name)
        size = module.size_of(module.lib.LLVMGlobalGetValueType(variable))
        for kernel in _callers(module, _users(module, variable)) & sizes.keys():
            sizes[kernel] += size
    return sizes


def _users(module: Module, value: Handle) -> set[Handle]:
    """The functions that name `value`, in a constant expression too."""
    found: set[Handle] = set()
    for user in module.users(value):
        if module.lib.LLVMIsAInstruction(user):
            found.add(module.function_of(user))
        else:
            found |= _users(module, user)
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


class _SharedMemory:
    """Builds addresses in the block's shared memory."""

    def __init__(self, module: Module) -> None:
        lib = module.lib
        self.module, self.lib = module, lib
        self.i8: Handle = lib.LLVMInt8TypeInContext(module.context)
        self.i64: Handle = lib.LLVMInt64TypeInContext(module.context)
        self.image_offset: Handle = lib.LLVMAddGlobal(module.ref, self.i64, SHARED_OFFSET.encode())
        lib.LLVMSetInitializer(self.image_offset, lib.LLVMConstNull(self.i64))
        lib.LLVMSetExternallyInitialized(self.image_offset, 1)
        pointer = lib.LLVMPointerTypeInContext(module.context, 0)
        self.base_type: Handle = lib.LLVMFunctionType(pointer, None, 0, 0)
        self.base = self._declare_base()

    def _declare_base(self) -> Handle:
        lib = self.lib
        name = "__warploom_shared_memory"
        base = self.module.find(name) or lib.LLVMAddFunction(self.module.ref, name.encode(), self.base_type)
        for attribute in ("memory", "nounwind", "willreturn"):  # memory(none): the same for a whole call
            made = lib.LLVMCreateEnumAttribute(self.module.context, self.module.attribute_kind(attribute), 0)
            lib.LLVMAddAttributeAtIndex(base, FUNCTION_INDEX, made)
        return base

    def base_address(self, builder: Handle) -> Handle:
        """Where dynamic shared memory starts."""
        return self.lib.LLVMBuildCall2(builder, self.base_type, self.base, None, 0, b"shared")

    def static_address(self, offset: int, builder: Handle) -> Handle:
        """The address `offset` bytes into the image's static shared variables."""
        base = self.base_address(builder)
        image = self.lib.LLVMBuildLoad2(builder, self.i64, self.image_offset, b"shared.image")
        constant = self.lib.LLVMConstInt(self.i64, STATIC_SHARED_OFFSET + offset, 0)
        return self._add(builder, self._add(builder, base, image), constant)

    def _add(self, builder: Handle, pointer: Handle, offset: Handle) -> Handle:
        indices = (ctypes.c_void_p * 1)(offset)
        return self.lib.LLVMBuildGEP2(builder, self.i8, pointer, indices, 1, b"")
