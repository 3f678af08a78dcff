# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""From optimised code to an object: names of symbols, the image, machine code."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path

from warploom.backend import emitter
from warploom.backend.compilation import Compilation
from warploom.backend.demangle import demangled
from warploom.backend.image import (
    entry_text,
    image_text,
)
from warploom.backend.image_facts import CompiledKernel, ImageFacts
from warploom.backend.lock_step import meet_at_run_time
from warploom.backend.resource_usage import report
from warploom.backend.spin_points import PHASE_WAIT, SPIN_POINT, add_spin_points, callers_of
from warploom.backend.symbols import name_symbols, set_linkage
from warploom.frontend.function_facts import NOTHING
from warploom.frontend.importer_locations import Locations
from warploom.llvm.binding import Handle
from warploom.llvm.module import Module

_BLOCKS = ".blocks"  # what names of bodies of parallel loops of the optimising engine have behind the kernel's


def finish(work: Compilation, output: Path) -> None:
    """Name the symbols, add the image, emit. Requires optimised code."""
    linkage = name_symbols(work)
    facts = complete(work)
    add_image(work, facts, work.layout.image_size)
    set_linkage(work.module, linkage)
    emit(work, output)


def complete(work: Compilation) -> dict[str, CompiledKernel]:
    """Add what threads that run one by one need; the facts of each kernel, by name. Symbols have their names."""
    module = work.module
    optimised = {name + work.suffix for name in work.without_spin_points}
    meet_at_run_time(module, optimised)
    add_spin_points(module, optimised)
    if work.options.debug:
        Locations(module).show_user_lines()
    else:
        module.strip_debug_info()
    spinning = callers_of(module, [SPIN_POINT, PHASE_WAIT, *_elsewhere(work)])
    bodies = _bodies_by_caller(module)
    facts = {kernel.name: _kernel_facts(work, kernel.name, spinning, bodies) for kernel in work.device.kernels}
    for kernel in work.device.kernels:
        if not facts[kernel.name].grid_entry or kernel.name in work.on_both:
            module.link_text(entry_text(module, kernel, work.suffix), "entry")
    return facts


def add_image(work: Compilation, kernels: Mapping[str, CompiledKernel], shared_size: int) -> None:
    """Add the table of the module's kernels, whose facts are known, and of its variables."""
    options, device = work.options, work.device
    features, separate, rank = options.cpu_features, options.separate, options.rank
    facts = ImageFacts(
        options.image_id,
        options.arch,
        features,
        shared_size,
        separate,
        rank,
        work.symbol,
        is_twin=options.twin,
        functions=work.functions,
    )
    rows = [(kernel, kernels[kernel.name]) for kernel in device.kernels]
    if options.reports_usage and not options.twin:
        report(device, kernels, options.arch, options.cpu)
    work.module.link_text(image_text(work.module, rows, device.variables, facts), "image")


def emit(work: Compilation, output: Path) -> None:
    """Check the module and write its object."""
    work.module.verify("the image")
    if work.options.keep_text is not None:
        work.module.write_text(work.options.keep_text)
    options = work.options
    if not options.by_emitter or not emitter.emit(work.module, options.optimise, options.cpu, output):
        from warploom.backend.emission import emit_object

        emit_object(work.module, work.machine, output, {name: demangled(name) for name in work.entries})


def _elsewhere(work: Compilation) -> list[str]:
    """The device functions of other translation units."""
    module = work.module
    return [
        name
        for name in map(module.name, module.functions())
        if name.endswith(work.suffix) and not module.is_defined(module.find(name))
    ]


def _kernel_facts(
    work: Compilation, name: str, spinning: set[Handle], bodies: Mapping[Handle, Sequence[Handle]]
) -> CompiledKernel:
    module, entry = work.module, work.entries[name]
    function = module.find(entry + work.suffix)
    threads = module.find(name + work.suffix) if name in work.on_both else function
    local = _frame_size(module, function) if entry == name else _frame_sizes(module, function, bodies)
    return CompiledKernel(
        static_shared=work.layout.reached[name],
        local_size=max(local, _frame_size(module, threads)),
        source_name=demangled(name),
        grid_entry=entry if entry != name else "",
        may_spin=function in spinning or threads in spinning,
        thread_work=min(work.thread_work.get(entry, 0), 2**32 - 1),
        work=work.formulas.get(entry, ""),
        needs=work.needs.get(name, NOTHING),
        flushes=name in work.flushing,
        limits=work.limits.get(name),
        usage=work.usages.get(entry),
    )


def _bodies_by_caller(module: Module) -> dict[Handle, list[Handle]]:
    """The bodies of parallel loops that each function hands on."""
    found: dict[Handle, list[Handle]] = {}
    for body in module.functions():
        if _BLOCKS in module.name(body):
            users = [user for user in module.users(body) if module.lib.LLVMIsAInstruction(user)]
            for caller in dict.fromkeys(map(module.function_of, users)):
                found.setdefault(caller, []).append(body)
    return found


def _frame_sizes(module: Module, function: Handle, bodies: Mapping[Handle, Sequence[Handle]]) -> int:
    """Bytes of private memory of `function` and what it hands on: the optimising engine runs the bodies of a kernel's
    parallel loops one at a time, each below its entry, and iterations that take turns below these."""
    below = (_frame_sizes(module, body, bodies) for body in bodies.get(function, ()))
    return _frame_size(module, function) + max(below, default=0)


def _frame_size(module: Module, function: Handle) -> int:
    """Bytes of a function's own private memory."""
    return sum(
        module.size_of(module.lib.LLVMGetAllocatedType(instruction))
        for instruction in module.block_instructions(module.lib.LLVMGetEntryBasicBlock(function))
        if module.lib.LLVMIsAAllocaInst(instruction)
    )
