# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""A module for launches in which some whole numbers are known.

    define void @k(ptr %x, i32 %n) { ... %n ... }      ==>      define void @k(ptr %x, i32 %n) { ... 1024 ... }

The kernel is called as before, and does not look at what it is given for those parameters. Right for launches that
give it just these numbers: who launches compares (core/fixed_launch.py). It comes before anything else is done with the
code, so that loops unroll and divisions go away as if the source had the number. Other kernels of the module go.
"""

from __future__ import annotations

from warploom.core.fixed_launch import FixedLaunch
from warploom.frontend.device_module import DeviceModule
from warploom.llvm.codes import TypeKind


def fix_arguments(device: DeviceModule, fixed: FixedLaunch) -> None:
    """Leave of `device` the kernel of `fixed` alone, with its numbers put in."""
    module, lib = device.module, device.module.lib
    device.kernels = [kernel for kernel in device.kernels if kernel.name == fixed.kernel]
    (kernel,) = device.kernels
    known = dict(fixed.numbers)
    parameters = module.parameters(module.find(kernel.name))
    for piece, parameter in zip(kernel.pieces, parameters, strict=True):
        type_ = lib.LLVMTypeOf(parameter)
        is_number = not piece.indirect and lib.LLVMGetTypeKind(type_) == TypeKind.INTEGER
        if piece.parameter in known and is_number:
            value = known[piece.parameter] & (1 << 64) - 1
            lib.LLVMReplaceAllUsesWith(parameter, lib.LLVMConstInt(type_, value, 1))
