# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The optimising engine's code generator: kernels become nested loops.

The pipeline on one screen: read and clean the module, import the kernels, lower each in the parallel IR and write it as
LLVM text, link that text in, place shared memory, let LLVM optimise and vectorise, add the image, emit. A kernel that
cannot be lowered stays a function that the reference engine runs once for each thread, and says why in a remark. From
the lowering on, a module of many kernels is compiled in parts, side by side (parts.py).
"""

from __future__ import annotations

import sys
from collections import Counter
from collections.abc import Sequence
from functools import partial
from pathlib import Path
from time import perf_counter

from warploom.analysis.thread_work import thread_work
from warploom.analysis.warp_groups import assumed_warps
from warploom.backend.access_lines import run_llvm
from warploom.backend.compilation import Compilation, DeviceOptions
from warploom.backend.dead_stores import drop_dead_stores
from warploom.backend.demangle import demangled
from warploom.backend.dot_products import define as define_dot_products
from warploom.backend.finish import add_image, complete, emit, finish
from warploom.backend.gpu_division import define as define_divisions
from warploom.backend.image_facts import CompiledKernel, Limits
from warploom.backend.lock_step import meet_at, meet_where_known, races_of
from warploom.backend.loom_code import may_spin
from warploom.backend.loom_link import ModuleSymbols, Written, kernel_attributes, link_kernels
from warploom.backend.loom_text import LoomText
from warploom.backend.minima import write_minima
from warploom.backend.parts import (
    PART,
    become_head,
    become_part,
    can_be_cut,
    cut,
    end_part,
    keep_only,
    put_aside,
    shared_variables,
    take,
)
from warploom.backend.prepare import begin, place_shared_memory
from warploom.backend.resource_usage import usage_of
from warploom.backend.shared_memory import end_blocks, own_shared
from warploom.backend.symbols import name_symbols
from warploom.backend.thread_by_thread import ByThread, ThreadByThread
from warploom.backend.vector_math import link as link_vector_math
from warploom.backend.work_text import work_text
from warploom.core.deferred import deferred, load_all
from warploom.core.launch import Dims
from warploom.core.records import dataclass, replace
from warploom.core.remarks import Unsupported
from warploom.core.type_names import TYPE_CHECKING
from warploom.debug import Debug
from warploom.diagnostics import Diagnostic
from warploom.frontend.cleanup import PIPELINE, clean
from warploom.frontend.device_module import Kernel
from warploom.frontend.function_facts import Needs, exported_facts
from warploom.frontend.importer import import_kernel
from warploom.frontend.launches import LaunchSizes, kernel_name
from warploom.ir.core import Function, Op, clone_function, walk
from warploom.ir.same_code import code_key, outline
from warploom.passes.barrier.lock_step import LOCK_STEP
from warploom.passes.base import Context, Purpose
from warploom.passes.runner import attempt
from warploom.passes.shape.collapse_grid import goes_by_rows, runs_merged
from warploom.passes.shape.raise_loops import RAISE_LOOPS
from warploom.passes.shape.specialise_launch import worthwhile
from warploom.pipeline import Lowered, PipelineOptions, for_purpose, lower_begun
from warploom.pipeline import begin as begin_lowering
from warploom.toolchain import Toolchain, run_tool

if TYPE_CHECKING:
    from warploom.ir import printer
else:
    printer = deferred("warploom.ir.printer")


MOST_KEPT = 10_000  # ops of kernels that are kept when more follow: 7 MB; importing them again is 1 % of the work


def compile_device(
    toolchain: Toolchain,
    bitcode: Path,
    output: Path,
    options: DeviceOptions,
    pipeline: PipelineOptions,
    sizes: LaunchSizes | None = None,
) -> None:
    """Compile the device module in `bitcode` to the object `output`.

    `sizes`: the block sizes that the program is seen to launch each kernel with (frontend/launches.py).
    """
    work = begin(toolchain, bitcode, options)
    if options.has_twin:
        from warploom.backend.twins import share

        share(work)
    if not options.debug:  # variables were parameters' places (begin); LLVM would keep note of each
        work.module.run_passes("strip-nonlinetable-debuginfo", work.machine)
    clean(work.module, work.machine, work.device)
    if options.strict:
        from warploom.backend.strict_accesses import drop_needless

        drop_needless(work.module)
        work.module.run_passes(PIPELINE, work.machine)
    meet_where_known(work.device)
    if not options.separate:
        keep_only(work.module, work.device.kernels, work.across)
    work.functions = exported_facts(work.device) if options.separate else []
    planned = plan(work, pipeline, LaunchSizes() if sizes is None else sizes)
    parts = cut(planned, [each.weight for each in planned], PART)
    if len(parts) > 1 and can_be_cut(work):
        compile_parts(toolchain, work, parts, pipeline, output)
    else:
        import_again(work, planned, pipeline)
        generate(toolchain, work, planned, pipeline)
        finish(work, output)


def generate(toolchain: Toolchain, work: Compilation, planned: Sequence[Planned], pipeline: PipelineOptions) -> None:
    """Optimised code of the kernels, in place of the functions that they were imported from."""
    link_kernels(work, write_kernels(work, planned, pipeline))
    link_vector_math(work.module, toolchain, work.machine)
    define_dot_products(work.module)
    define_divisions(work.module)
    place_shared_memory(work)
    run_llvm(work)
    write_minima(work.module, work.machine, is_exact=False)
    drop_dead_stores(work.module)
    end_blocks(work.module)


def compile_parts(
    toolchain: Toolchain,
    work: Compilation,
    parts: Sequence[Sequence[Planned]],
    pipeline: PipelineOptions,
    output: Path,
) -> None:
    """Compile each of `parts` to an object of its own, side by side, and join these (parts.py)."""
    from warploom.backend.workers import side_by_side, usable_processors

    load_all()
    whole = output.with_suffix(".whole.bc")
    put_aside(work, shared_variables(work), whole)
    objects = [output.with_suffix(f".{number}.o") for number in range(len(parts) + 1)]

    def compile_part(number: int) -> tuple[int, dict[str, CompiledKernel]]:
        kernels = [kernel for each in parts[number] for kernel in each.kernels]
        name_text(work, number)
        take(work, toolchain, whole, kernels)
        import_again(work, parts[number], pipeline)
        become_part(work, kernels)
        generate(toolchain, work, parts[number], pipeline)
        end_part(work)
        name_symbols(work)
        facts = complete(work)
        emit(work, objects[number])
        return work.layout.image_size, facts

    tasks = [
        (f"kernel {demangled(part[0].kernel.name)} and those behind it", partial(compile_part, number))
        for number, part in enumerate(parts)
    ]
    made = list(side_by_side(tasks, work.options.jobs or usable_processors()))
    take(work, toolchain, whole, ())
    become_head(work)
    name_symbols(work)
    facts = {name: each for _, found in made for name, each in found.items()}
    add_image(work, facts, max(size for size, _ in made))
    emit(work, objects[-1])
    joined = run_tool([toolchain.partial_linker(), "-r", *objects, "-o", output])
    if joined.returncode != 0:
        raise Diagnostic(f"the parts of the device code do not link:\n{joined.stderr}", hint="please report it")
    for each in (*objects, whole):
        each.unlink()


def name_text(work: Compilation, number: int) -> None:
    """Give the part a file of its own for its LLVM IR, where that is wanted."""
    kept = work.options.keep_text
    if kept is not None:
        work.options = replace(work.options, keep_text=kept.with_suffix(f".{number}{kept.suffix}"))


@dataclass
class Planned:
    """Kernels that are the same code, as they were imported; None: the reference engine runs them, or, where they have
    ops, they are imported again when their turn comes."""

    kernels: list[Kernel]
    sizes: Sequence[Dims]
    imported: Function | None
    is_certain: bool = False  # no launch of another size is to be seen
    weight: int = 0  # how much work there is, in ops

    @property
    def kernel(self) -> Kernel:
        """The one whose name the code has."""
        return self.kernels[0]


@dataclass
class _Seen:
    """A kernel as it was imported, if it is kept, its ops, and what it is compared by, as far as that is known."""

    function: Function | None
    weight: int
    outline: int | None = None
    code: bytes | None = None


def plan(work: Compilation, pipeline: PipelineOptions, sizes: LaunchSizes) -> list[Planned]:
    """Import the kernels, and find those that are the same code under several names; a remark says which cannot be."""
    known: dict[object, Planned] = {}
    own = own_shared(work.device)
    # Nobody else is to launch these kernels.
    is_whole = work.options.fixed is not None or not (work.options.separate or work.options.loadable)
    seen: dict[str, _Seen] = {}
    kept = 0
    for kernel in work.device.kernels:
        try:
            function = import_one(work, kernel, pipeline)
        except Unsupported as problem:
            explain_fallback(kernel, problem, pipeline)
            continue
        seen[kernel.name] = look = _Seen(function, sum(len(block.ops) for block in function.blocks))
        if not work.options.debug:  # else each has lines of its own
            look.outline = outline(function)
        if kept < MOST_KEPT:
            kept += look.weight
            continue
        if not work.options.debug:
            look.code = code_key(function, own.get(kernel.name, ()))
        look.function = None
    often = Counter(look.outline for look in seen.values())
    for kernel in work.device.kernels:
        look = seen.get(kernel.name)
        if look is None:
            known[kernel.name] = Planned([kernel], (), None)
            continue
        wanted, is_known = sizes.of(kernel_name(kernel.name), kernel.max_threads)
        is_certain = is_whole and is_known
        key: object = kernel.name
        if look.outline is not None and often[look.outline] > 1:
            if look.code is None:
                assert look.function is not None, "a kernel that is not kept has its key"
                look.code = code_key(look.function, own.get(kernel.name, ()))
            key = look.code, kernel.pieces, tuple(wanted), is_certain
        if key in known:
            known[key].kernels.append(kernel)
        else:
            known[key] = Planned([kernel], wanted, look.function, is_certain, look.weight)
    return list(known.values())


def import_again(work: Compilation, planned: Sequence[Planned], pipeline: PipelineOptions) -> None:
    """Import the kernels that `plan` did not keep. Requires the module as it was then."""
    for each in planned:
        if each.imported is None and each.weight:
            each.imported = import_one(work, each.kernel, pipeline)


def write_kernels(work: Compilation, planned: Sequence[Planned], pipeline: PipelineOptions) -> Written:
    """Lower and write every kernel that can be; the reference engine must run the others, and a remark says why."""
    module, kernels = work.module, work.device.kernels
    attributes = kernel_attributes(module, module.find(kernels[0].name)) if kernels else ""
    text = LoomText(
        module.target_text(),
        ModuleSymbols(module),
        attributes=attributes,
        debug=work.options.debug,
        names_threads=work.options.names_threads,
        launch_limit=pipeline.launch_limit,
    )
    by_thread = ThreadByThread(work.device)
    written = Written(text, {}, by_thread)
    for each in planned:
        imported, each.imported = each.imported, None
        if imported is None:
            run_by_threads(work, each.kernels)
            continue
        needs = needs_of(imported)
        try:
            entry = write_kernel(work, each, imported, pipeline, written)
            names = [kernel.name for kernel in each.kernels]
            written.entries |= dict.fromkeys(names, entry)
            if each.kernel.name in work.limits:
                work.limits |= dict.fromkeys(names, work.limits[each.kernel.name])
            if needs.functions:
                work.needs |= dict.fromkeys(names, needs)
            if not work.on_both.isdisjoint(names):
                run_by_threads(work, each.kernels)
        except Unsupported as problem:
            run_by_threads(work, each.kernels)
            for kernel in each.kernels:
                explain_fallback(kernel, problem, pipeline)
    return written


def needs_of(imported: Function) -> Needs:
    """What has to be true of other translation units, so that the kernel can run on this engine."""
    return Needs(imported.facts.needs, imported.facts.needs_still)


def run_by_threads(work: Compilation, kernels: Sequence[Kernel]) -> None:
    """What the functions need that the reference engine runs."""
    races = races_of(work.device, kernels[:1], separate=work.options.separate)
    meet_at(work.module, races, [work.module.find(kernel.name) for kernel in kernels])


def explain_fallback(kernel: Kernel, problem: Unsupported, pipeline: PipelineOptions) -> None:
    """The remark of a kernel that the reference engine runs."""
    if pipeline.debug < Debug.FALLBACKS and pipeline.remarks is None:
        return
    place = f"{problem.loc.file}:{problem.loc.line}: " if problem.loc else ""
    remark = f"{place}kernel {demangled(kernel.name)} runs on the reference engine: {problem.reason}"
    if pipeline.remarks is not None:
        pipeline.remarks.append(remark)
    if pipeline.debug >= Debug.FALLBACKS:
        print(f"warploom: {remark}", file=sys.stderr)


def import_one(work: Compilation, kernel: Kernel, pipeline: PipelineOptions) -> Function:
    """The kernel in the parallel IR. May raise Unsupported."""
    separate = work.options.separate
    return attempt(kernel.name, "import", lambda: import_kernel(work.device, kernel, separate=separate), pipeline)


def write_kernel(
    work: Compilation, planned: Planned, imported: Function, pipeline: PipelineOptions, written: Written
) -> str:
    """Write the kernel's code for block sizes that are worth it, and for all others; its entry. May raise Unsupported.

    Where no launch of another size is to be seen, what is made for launches of any size is the code for the others.
    """
    sizes = worthwhile(imported, planned.sizes, is_certain=planned.is_certain)
    began = perf_counter()
    pipeline = replace(pipeline, reports_vectors=work.options.reports_usage)
    begun = begin_lowering(clone_function(imported), pipeline, imported)
    sizes = [size for size in sizes if not goes_by_rows(begun.function, size)]
    lowered = [copy_lowered(begun, pipeline, wanted_block=size) for size in sizes]
    variants = [each for each in lowered if each.function.facts.block is not None]  # not where no such code is wanted
    is_merged = any(runs_merged(variant.function, size) for variant in variants for size in sizes)
    is_all = bool(variants) and planned.is_certain and not is_merged
    versions = variants if is_all else [*variants, copy_lowered(begun, pipeline)]
    kept = [each.function for each in versions]
    wide: Function | ByThread | None = None
    mark_bounded(begun.function)
    if is_all or any(map(assumes_launch, kept)):
        is_alone = (
            not work.options.names_threads and not needs_of(imported).functions and limits_of(kept, None, 0) is None
        )
        hands_on = None if is_all else LOCK_STEP.name in versions[-1].changed
        if is_alone and written.by_thread.can_run(planned.kernel, begun.function, hands_on=hands_on):
            wide = written.by_thread.version(planned.kernel, begun.function)
        else:
            wide = version_for_any_launch(begun, pipeline, is_in_step=hands_on is not False)
    shown = partial(printer.print_function, kept[-1])
    add = partial(written.text.add, planned.kernel, kept, wide)
    entry = attempt(planned.kernel.name, "emission", add, pipeline, shown)
    if isinstance(wide, ByThread):
        written.by_thread.choose(planned.kernel)
    limits = limits_of(kept, wide if isinstance(wide, Function) else None, pipeline.launch_limit)
    if limits is not None:
        work.limits[planned.kernel.name] = limits
    work.thread_work[entry] = thread_work(kept[-1])
    if work.options.reports_usage:
        work.usages[entry] = usage_of(imported, kept[-1], versions[-1].vectors or (), perf_counter() - began)
    counted = [(each.work, each.function.facts.block) for each in versions]
    work.formulas[entry] = work_text(counted, planned.kernel.pieces)
    return entry


def mark_bounded(function: Function) -> None:
    """Say of loops around atomic operations that no other thread decides when they end, where all of them are counted.

    Code for huge launches has them as `while`, and one that may wait would have the runtime keep the blocks of every
    launch in order.
    """
    loops = waiting_loops(function)
    if not loops or function.facts.waits:
        return
    raised = clone_function(function)
    RAISE_LOOPS.run(raised, Context())
    if not waiting_loops(raised):
        for loop in loops:
            loop.attrs["bounded"] = True


def waiting_loops(function: Function) -> list[Op]:
    """The loops of the kernel that may wait for another thread."""
    return [op for op in walk(function.body) if op.name == "while" and may_spin(op)]


def copy_lowered(
    begun: Lowered, pipeline: PipelineOptions, *, wanted_block: Dims | None = None, is_wide: bool = False
) -> Lowered:
    """A copy of a kernel that has gone through the first passes, lowered for some launches. May raise Unsupported."""
    known = begun.function.facts
    is_any = is_wide or known.any_launch
    facts = replace(known, wanted_block=wanted_block, any_launch=is_any, seldom_run=is_wide)
    return lower_begun(begun, facts, pipeline)


def limits_of(variants: Sequence[Function], wide: Function | None, launch_limit: int) -> Limits | None:
    """The blocks that the versions of a kernel are for; None: all. `wide`, and a last one without the fact `block`,
    are for all sizes; from `launch_limit` threads on a launch may be for `wide` instead of a variant."""
    needed = max(map(assumed_warps, [*variants, wide] if wide is not None else variants))
    if not needed:
        return None
    sizes: list[tuple[int, ...]] = []
    most: int | None = None
    for each in variants:
        facts = each.facts
        if facts.block is not None and not assumed_warps(each):
            sizes.append(facts.block)
        for limit in (facts.launch_limit_x, facts.launch_limit):
            most = min(most or launch_limit, limit) if limit is not None else most
    return Limits(needed, sizes, most)


def assumes_launch(function: Function) -> bool:
    """Whether a pass relied on a launch not being too large."""
    return function.facts.launch_limit_x is not None or function.facts.launch_limit is not None


def version_for_any_launch(begun: Lowered, pipeline: PipelineOptions, *, is_in_step: bool) -> Function:
    """The kernel for launches of so many threads that 32-bit numbers of them may wrap. These are seldom: as little time
    as possible is spent on it, unless it takes every pass to lower the kernel at all. May raise Unsupported.

    `is_in_step`: lanes may hand on values by lock step, as far as is known.
    """
    seldom = for_purpose(pipeline, Purpose.SELDOM)
    if not is_in_step:
        seldom = replace(seldom, off=seldom.off | {LOCK_STEP.name})
    try:
        return copy_lowered(begun, seldom, is_wide=True).function
    except Unsupported:
        return copy_lowered(begun, pipeline, is_wide=True).function
