# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Bind managed variables to the host's storage.

    @m = global i32 5                 @m = global i32 5           ; the initial value, which the runtime copies
    ... load i32, ptr @m        ==>   @m.managed = global ptr     ; the runtime writes the host's address
                                      %p = load ptr, ptr @m.managed
                                      ... load i32, ptr %p

clang gives the host a variable of its own for each device variable; for a managed one that is the storage, and device
code finds it through the slot.
"""

from __future__ import annotations

from functools import partial

from warploom.backend.image import MANAGED_SLOT
from warploom.backend.materialise import Materialiser
from warploom.frontend.device_module import DeviceModule
from warploom.llvm.binding import Handle
from warploom.llvm.module import Module


def bind_managed(device: DeviceModule) -> None:
    """Send every use of a managed variable through its slot."""
    names = [variable.name for variable in device.variables if variable.managed]
    if not names and not device.extern_managed:
        return
    module = device.module
    materialiser = Materialiser(module)
    for name in [*names, *device.extern_managed]:
        slot = _slot(module, name, materialiser.pointer, defined=name in names)
        materialiser.replace(module.find(name), partial(_load, module, materialiser.pointer, slot))
    for name in device.extern_managed:
        materialiser.delete(module.find(name))
    materialiser.close()


def _slot(module: Module, name: str, pointer: Handle, *, defined: bool) -> Handle:
    lib = module.lib
    slot = lib.LLVMAddGlobal(module.ref, pointer, (name + MANAGED_SLOT).encode())
    if defined:
        lib.LLVMSetInitializer(slot, lib.LLVMConstNull(pointer))
        lib.LLVMSetExternallyInitialized(slot, 1)
    return slot


def _load(module: Module, pointer: Handle, slot: Handle, builder: Handle, _: Handle) -> Handle:
    return module.lib.LLVMBuildLoad2(builder, pointer, slot, b"managed")
