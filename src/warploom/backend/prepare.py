# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""From the bitcode of the device pass to a module that means what CUDA means by it, before any optimisation."""

from __future__ import annotations

from pathlib import Path

from warploom.backend.compilation import Compilation, DeviceOptions
from warploom.backend.debug_producer import name_known_compiler
from warploom.backend.demangle import demangled
from warploom.backend.fixed_arguments import fix_arguments
from warploom.backend.gpu_arithmetic import define_like_gpu
from warploom.backend.half_range import keep_half_range
from warploom.backend.image import (
    SHARED_OFFSET,
)
from warploom.backend.kernel_handles import give_handles
from warploom.backend.managed import bind_managed
from warploom.backend.shared_memory import lower_shared_memory, static_shared_sizes
from warploom.backend.single_rounding import round_once
from warploom.backend.symbols import keep_published
from warploom.diagnostics import Diagnostic
from warploom.frontend.device_module import DeviceModule, read_device_module
from warploom.frontend.promises import return_at_ends, take_back
from warploom.frontend.ptx.statements import assembly_calls
from warploom.llvm.binding import Handle
from warploom.llvm.codes import Opcode
from warploom.llvm.module import Module
from warploom.toolchain import Toolchain

STATIC_SHARED_LIMIT = 48 * 1024


def begin(toolchain: Toolchain, bitcode: Path, options: DeviceOptions) -> Compilation:
    """Read the module, and make it mean what CUDA means by it."""
    module = Module(toolchain.llvm_library, bitcode)
    name_known_compiler(module, toolchain.version)
    machine = module.target_machine(toolchain.target, options.optimise)
    device = read_device_module(module, separate=options.separate, loadable=options.loadable)
    if options.fixed is not None:
        fix_arguments(device, options.fixed)
    if any(assembly_calls(module)):
        lower_ptx(device, toolchain, options.cpu, machine)
    check_static_shared(device)
    give_handles(device)
    bind_managed(device)
    mean_what_cuda_means(device, toolchain)
    if options.strict:
        from warploom.backend.strict_accesses import check_accesses

        check_accesses(module)
    flushing = set[str]()
    if options.flush_denormals:
        from warploom.backend.flush_denormals import FLUSHING_ARCHITECTURES, flush_denormals

        flushing = flush_denormals(device, machine, by_mode=toolchain.target.arch in FLUSHING_ARCHITECTURES)
    entries = {kernel.name: kernel.name for kernel in device.kernels}
    return Compilation(device, machine, options, keep_published(device), entries, flushing=flushing)


def lower_ptx(device: DeviceModule, toolchain: Toolchain, cpu: str, machine: Handle) -> None:
    """Make functions of inline PTX. The compiler for it is loaded only for modules that have any."""
    from warploom.frontend.ptx.build import ptx_compiler
    from warploom.frontend.ptx.lower import lower_inline_ptx

    lower_inline_ptx(device, ptx_compiler(toolchain, cpu), machine)


def mean_what_cuda_means(device: DeviceModule, toolchain: Toolchain) -> None:
    """Take C++'s promises back and define what it leaves open, before any optimisation."""
    module = device.module
    return_at_ends(module)  # which erases calls: before they are listed
    found = module.by_opcode(module.functions())
    take_back(device, found.get(Opcode.CALL, ()))
    define_like_gpu(module, found)
    keep_half_range(module, found)
    if toolchain.target.arch == "aarch64":
        round_once(device.module)


def place_shared_memory(work: Compilation) -> None:
    """Give shared variables their place."""
    describe = work.options.debug and work.options.names_threads
    work.layout = lower_shared_memory(work.device, work.entries, describe=describe)
    work.private.add(SHARED_OFFSET)


def check_static_shared(device: DeviceModule) -> None:
    """A kernel may not hold more static shared memory than a block has without asking."""
    for kernel, size in static_shared_sizes(device).items():
        if size > STATIC_SHARED_LIMIT:
            raise Diagnostic(
                f"kernel {demangled(kernel)} uses too much shared memory: {size} bytes, {STATIC_SHARED_LIMIT} at most",
                hint="use `extern __shared__` and raise cudaFuncAttributeMaxDynamicSharedMemorySize",
            )
