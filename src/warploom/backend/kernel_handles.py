# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Give kernels an identity that outlives their code.

    call @cudaLaunchDevice(ptr @k, ...)     ==>     @k.handle = constant i8 0     ; the image's row of k names it
                                                    call @cudaLaunchDevice(ptr @k.handle, ...)

Device code may launch a kernel, ask for its attributes or keep its address in a table. The code behind the kernel's
name changes from engine to engine, and another translation unit may define it: the handle stays, and the runtime finds
the kernel by it (runtime/image.h). Sound because device code cannot call a kernel but by a launch.
"""

from __future__ import annotations

from warploom.backend.image import HANDLE
from warploom.frontend.device_module import DeviceModule
from warploom.llvm.binding import Handle
from warploom.llvm.module import Module


def give_handles(device: DeviceModule) -> None:
    """Define a handle for each kernel, and put it in place of the kernel's address wherever that is used."""
    module = device.module
    byte = module.lib.LLVMInt8TypeInContext(module.context)
    for kernel in device.kernels:
        function = module.find(kernel.name)
        handle = _replace_address(module, function, kernel.name, byte)
        module.lib.LLVMSetInitializer(handle, module.lib.LLVMConstNull(byte))
        module.lib.LLVMSetGlobalConstant(handle, 1)
        module.lib.LLVMSetLinkage(handle, module.lib.LLVMGetLinkage(function))
    for name in device.extern_kernels:
        _replace_address(module, module.find(name), name, byte)


def _replace_address(module: Module, function: Handle, name: str, byte: Handle) -> Handle:
    handle = module.lib.LLVMAddGlobal(module.ref, byte, (name + HANDLE).encode())
    module.lib.LLVMReplaceAllUsesWith(function, handle)
    return handle
