# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The optimising engine's code generator: kernels become nested loops.

The pipeline on one screen: read and clean the module, lower each kernel in the parallel IR and write it as LLVM text,
link that text in, place shared memory, let LLVM optimise and vectorise, add the image, emit. A kernel that cannot be
lowered stays a function that the reference engine runs once for each thread, and says why in a remark.
"""

from __future__ import annotations

import sys
from collections.abc import Mapping, Sequence
from pathlib import Path

from warploom.backend.loom_text import LoomText
from warploom.backend.reference import Compilation, DeviceOptions, begin, demangled, finish, place_shared_memory
from warploom.backend.vector_math import link as link_vector_math
from warploom.debug import Debug
from warploom.frontend.cleanup import clean
from warploom.frontend.device_module import Kernel
from warploom.frontend.host_library import is_host_function
from warploom.frontend.importer import import_kernel
from warploom.frontend.launches import Dims, kernel_name
from warploom.frontend.target import vector_bits
from warploom.ir.core import Function
from warploom.llvm.binding import Handle
from warploom.llvm.module import Linkage, Module, Visibility
from warploom.passes.base import Unsupported
from warploom.passes.specialise_launch import WANTED
from warploom.pipeline import PipelineOptions, lower
from warploom.toolchain import Toolchain

# Ops of a kernel that is worth compiling more than once.
_LARGEST_VARIANT = 1000
# Of the kernel as clang made it: what code it may use.
_ATTRIBUTES = (
    "target-cpu",
    "target-features",
    "tune-cpu",
    "probe-stack",
    "no-trapping-math",
    "denormal-fp-math",
    "denormal-fp-math-f32",
    "frame-pointer",
)


def compile_device(
    toolchain: Toolchain,
    bitcode: Path,
    output: Path,
    options: DeviceOptions,
    pipeline: PipelineOptions,
    sizes: Mapping[str, Sequence[Dims]] | None = None,
) -> None:
    """Compile the device module in `bitcode` to the object `output`.

    `sizes`: the block sizes that the program is seen to launch each kernel with (frontend/launches.py).
    """
    work = begin(toolchain, bitcode, options)
    clean(work.module, work.machine, work.device)
    if not options.separate:
        keep_only(work.module, work.device.kernels)
    known = sizes or {}
    lowered = [
        (kernel, lower_or_explain(work, kernel, pipeline, known.get(kernel_name(kernel.name), ())))
        for kernel in work.device.kernels
    ]
    link_kernels(work, [(kernel, variants) for kernel, variants in lowered if variants])
    link_vector_math(work.module, toolchain, work.machine)
    place_shared_memory(work)
    work.module.run_passes(f"default<O{options.optimise}>", work.machine)
    finish(work, output)


def keep_only(module: Module, kernels: Sequence[Kernel]) -> None:
    """Let LLVM drop every function that no kernel needs: most have been inlined everywhere."""
    wanted = {kernel.name for kernel in kernels}
    for function in module.functions():
        if module.is_defined(function) and module.name(function) not in wanted:
            module.lib.LLVMSetComdat(function, None)
            module.lib.LLVMSetVisibility(function, Visibility.DEFAULT)
            module.lib.LLVMSetLinkage(function, Linkage.INTERNAL)


def lower_or_explain(
    work: Compilation, kernel: Kernel, pipeline: PipelineOptions, sizes: Sequence[Dims]
) -> list[Function]:
    """The kernel without barriers, the variant for all block sizes last; empty: the reference engine must run it."""
    try:
        imported = [import_kernel(work.device, kernel, separate=work.options.separate)]
        if sum(len(block.ops) for block in imported[0].blocks) > _LARGEST_VARIANT:
            sizes = ()
        for size in sizes:
            imported.append(import_kernel(work.device, kernel, separate=work.options.separate))
            imported[-1].attrs[WANTED] = size
        generic, *variants = [lower(function, pipeline).function for function in imported]
        return [*(variant for variant in variants if "block" in variant.attrs), generic]
    except Unsupported as problem:
        if pipeline.debug >= Debug.FALLBACKS:
            place = f"{problem.loc.file}:{problem.loc.line}: " if problem.loc else ""
            name = demangled(kernel.name)
            print(f"warploom: {place}kernel {name} runs on the reference engine: {problem.reason}", file=sys.stderr)
        return []


def link_kernels(work: Compilation, lowered: Sequence[tuple[Kernel, Sequence[Function]]]) -> None:
    """Write the lowered kernels as LLVM and link them in, in place of the functions they were imported from."""
    module = work.module
    if not lowered:
        return
    originals = {kernel.name: module.find(kernel.name) for kernel, _ in lowered}
    attributes = _attributes(module, next(iter(originals.values())))
    text = LoomText(module.target_text(), ModuleSymbols(module), attributes=attributes, debug=work.options.debug)
    for kernel, variants in lowered:
        work.entries[kernel.name] = text.add(kernel, variants)
    hidden = _publish(module, text.referred)
    module.link_text(text.text(), "the optimising engine")
    for symbol, linkage in hidden.items():
        module.lib.LLVMSetLinkage(symbol, linkage)
    for original in originals.values():
        module.lib.LLVMSetComdat(original, None)
        module.lib.LLVMSetLinkage(original, Linkage.INTERNAL)
    work.private |= set(work.entries.values()) - originals.keys()
    work.without_spin_points |= set(text.defined)
    module.run_passes("globaldce", work.machine)


class ModuleSymbols:
    """What a module knows of its globals, by name."""

    def __init__(self, module: Module) -> None:
        self._module = module

    def is_function(self, name: str) -> bool:
        """Whether `name` is a function."""
        return bool(self._module.lib.LLVMGetNamedFunction(self._module.ref, name.encode()))

    def is_library(self, name: str) -> bool:
        """Whether `name` is a function that LLVM, the C library or the runtime defines."""
        found = self._module.find(name)
        return is_host_function(name) and not (found and self._module.is_defined(found))


def _publish(module: Module, names: set[str]) -> dict[Handle, int]:
    """Make the named symbols visible to the linker; the linkage that each had."""
    hidden: dict[Handle, int] = {}
    for name in sorted(names):
        symbol = module.find(name)
        if symbol and module.is_defined(symbol):
            hidden[symbol] = module.lib.LLVMGetLinkage(symbol)
            module.lib.LLVMSetLinkage(symbol, Linkage.EXTERNAL)
    return hidden


def _attributes(module: Module, function: Handle) -> str:
    """The attributes of emitted functions."""
    found = {name: module.function_attribute(function, name) for name in _ATTRIBUTES}
    words = [f'"{name}"="{text}"' for name, text in found.items() if text is not None]
    # LLVM would split vectors that are wider than what it likes to use by itself.
    width = vector_bits(found["target-features"] or "")
    legal = [f'"{name}"="{width}"' for name in ("min-legal-vector-width", "prefer-vector-width")]
    return " ".join(["nounwind", "mustprogress", *legal, *words])
