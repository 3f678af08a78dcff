# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The optimising engine's passes, in order: the only file that orders them.

A kernel comes in as the importer leaves it (a control-flow graph) and leaves as nested loops without a barrier, ready
for the backend. What runs a pass, times it and checks after it is `passes/runner.py`.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence
from functools import cache
from pathlib import Path

from warploom.core.kernel_facts import KernelFacts
from warploom.core.launch import LAUNCH_LIMIT
from warploom.core.records import replace
from warploom.core.remarks import Unsupported
from warploom.debug import (
    MOST_JAM,
    MOST_THREADS,
    MOST_WIDTH,
    debug_level,
    keeps_going,
    passes_off,
    power_from_environment,
    wants_verification,
)
from warploom.diagnostics import Diagnostic
from warploom.ir.core import Function, clone_function, walk
from warploom.ir.vector_functions import vector_callee
from warploom.passes.barrier.eliminate_barriers import ELIMINATE_BARRIERS
from warploom.passes.barrier.forward_across_barriers import FORWARD_ACROSS_BARRIERS
from warploom.passes.barrier.hoist_parallel import HOIST_PARALLEL
from warploom.passes.barrier.lock_step import LOCK_STEP
from warploom.passes.barrier.meet_collectives import MEET_COLLECTIVES
from warploom.passes.barrier.merge_parallel import MERGE_PARALLEL
from warploom.passes.barrier.phase_waits import PHASE_WAITS
from warploom.passes.barrier.recompute_conditions import RECOMPUTE_CONDITIONS
from warploom.passes.barrier.split_barriers import SPLIT_BARRIERS
from warploom.passes.barrier.split_grid import SPLIT_GRID
from warploom.passes.barrier.split_warps import SPLIT_WARPS
from warploom.passes.barrier.take_turns import TAKE_TURNS
from warploom.passes.barrier.unroll import UNROLL
from warploom.passes.base import Pass, Purpose, check_order
from warploom.passes.clean.canonicalise import CANONICALISE
from warploom.passes.clean.carried_halves import CARRIED_HALVES
from warploom.passes.clean.constant_copies import CONSTANT_COPIES
from warploom.passes.clean.contract import CONTRACT
from warploom.passes.clean.narrow_booleans import NARROW_BOOLEANS
from warploom.passes.contracts import is_collective
from warploom.passes.guards.hoist_ranges import HOIST_RANGES
from warploom.passes.guards.launch_factors import LAUNCH_FACTORS, WARP_FACTORS
from warploom.passes.guards.uniform_choices import UNIFORM_CHOICES
from warploom.passes.guards.unswitch import UNSWITCH
from warploom.passes.guards.use_guards import USE_GUARDS
from warploom.passes.guards.version_blocks import VERSION_BLOCKS
from warploom.passes.runner import LabelledPass, Lowered, PipelineOptions, run_passes
from warploom.passes.shape.collapse_grid import COLLAPSE_GRID
from warploom.passes.shape.count_work import COUNT_WORK
from warploom.passes.shape.raise_loops import RAISE_LOOPS
from warploom.passes.shape.specialise_launch import SPECIALISE_LAUNCH
from warploom.passes.shape.structure import STRUCTURE
from warploom.passes.tune.interchange_strides import INTERCHANGE_STRIDES
from warploom.passes.tune.pipeline_loops import PIPELINE_LOOPS
from warploom.passes.tune.prefetch import PREFETCH
from warploom.passes.tune.prefetch_blocks import PREFETCH_BLOCKS
from warploom.passes.tune.private_atomics import PRIVATE_ATOMICS
from warploom.passes.tune.reduce_addresses import REDUCE_ADDRESSES
from warploom.passes.tune.silent_stores import SILENT_STORES
from warploom.passes.tune.unroll_rows import UNROLL_ROWS
from warploom.passes.vector.choose_loads import CHOOSE_LOADS
from warploom.passes.vector.vector_calls import VectorCalls
from warploom.passes.vector.vector_report import VectorLoop
from warploom.passes.vector.vectorise import VECTORISE

__all__ = ["PASSES", "PIPELINES", "Lowered", "PipelineOptions", "labelled", "lower", "options_from_environment"]


def cleaned(each: Pass) -> Pass:
    """`each`, and canonicalisation behind it where it has changed anything."""
    return replace(each, cleanup=(CANONICALISE,))


def behind(each: Pass, *others: Pass) -> Pass:
    """`each`, only where one of `others` has changed anything."""
    return replace(each, after=tuple(other.name for other in others))


PASSES: tuple[Pass, ...] = (
    STRUCTURE,  # any control-flow graph becomes for, while and if inside grid { block { } }
    PHASE_WAITS,  # before anything looks at barriers of blocks
    COLLAPSE_GRID,  # only looks, at ids as they were written
    CONTRACT,  # a * b + c, before other passes change who uses what
    SPECIALISE_LAUNCH,  # a variant for one block size; the kernel itself stays as it is
    RAISE_LOOPS,  # counted `while` becomes `for`
    NARROW_BOOLEANS,
    CARRIED_HALVES,
    CONSTANT_COPIES,
    CANONICALISE,
    COUNT_WORK,  # only looks, while loops are the author's
    UNROLL,  # short uniform loops with barriers: each copy is then optimised by itself
    MEET_COLLECTIVES,  # before anything looks at barriers of warps, after loops around them are copies
    LOCK_STEP,  # likewise: barriers of warps that the program lacks
    ELIMINATE_BARRIERS,  # before forwarding: fewer barriers to look across
    FORWARD_ACROSS_BARRIERS,
    SPLIT_GRID,  # before anything stands in a grid beside its threads
    HOIST_PARALLEL,
    RAISE_LOOPS,  # a bound that was loaded in the loop may now be outside
    VERSION_BLOCKS,  # before splitting: what is known needs not be kept
    USE_GUARDS,  # what follows in these blocks, before other passes look at conditions
    CANONICALISE,
    CHOOSE_LOADS,  # before splitting: what a barrier makes of a chosen value may be written in between
    cleaned(RECOMPUTE_CONDITIONS),  # before what is carried becomes slots
    USE_GUARDS,  # before splitting takes code and the conditions around it apart
    INTERCHANGE_STRIDES,  # likewise: what it makes is a loop around a barrier
    TAKE_TURNS,  # only looks, at what splitting will put one after the other
    SPLIT_BARRIERS,
    behind(HOIST_PARALLEL, SPLIT_BARRIERS, VERSION_BLOCKS),  # what all threads read first behind a barrier
    cleaned(WARP_FACTORS),  # before warps become vectors
    SPLIT_WARPS,  # from here on: no barrier, no collective
    CANONICALISE,
    MERGE_PARALLEL,
    UNIFORM_CHOICES,  # after merging: what two loops share stays shared
    LAUNCH_FACTORS,  # after choices, so that each side is looked at by itself
    HOIST_RANGES,  # guards of whole thread loops become their bounds
    CANONICALISE,
    PRIVATE_ATOMICS,  # atomics that nobody can come between
    VECTORISE,  # thread loops become loops over vectors of threads
    CANONICALISE,
    UNSWITCH,  # after what is the same for all threads has been taken out of their loops
    UNROLL_ROWS,  # before what it writes looks like an effect on memory
    PIPELINE_LOOPS,  # likewise, and of what is left
    PREFETCH_BLOCKS,
    PREFETCH,
    SILENT_STORES,  # after all passes that look at what is written where
    REDUCE_ADDRESSES,  # last: nobody knows the steps of what it makes
)
HEAD = PASSES[: PASSES.index(SPECIALISE_LAUNCH)]  # the same for launches of all sizes
_PLAIN = tuple(each for each in PASSES if each.needed or each in (CONTRACT, LOCK_STEP))
# What is not to be fast takes the passes that a kernel with barriers needs, the one that decides the last digits of
# results, and the one without which results are wrong where a program lacks a barrier of a warp.
PIPELINES = {Purpose.FAST: PASSES, Purpose.SELDOM: _PLAIN, Purpose.CHECKED: _PLAIN, Purpose.DEBUG: _PLAIN}
for _passes in PIPELINES.values():
    check_order(_passes)


def options_from_environment() -> PipelineOptions:
    """What WARPLOOM_OFF_PASS, WARPLOOM_DEBUG and their like ask for."""
    return replace(
        library_options(),
        off=off_names(passes_off()),
        debug=debug_level(),
        verify=wants_verification(),
        keep_going=keeps_going(),
        width=power_from_environment("WARPLOOM_WIDTH", MOST_WIDTH),
        jam=power_from_environment("WARPLOOM_JAM", MOST_JAM),
        launch_limit=power_from_environment("WARPLOOM_LAUNCH_LIMIT", MOST_THREADS) or LAUNCH_LIMIT,
        reproducers=Path(),
    )


def library_options() -> PipelineOptions:
    """How kernels are lowered when the environment has no say: nothing is written beside the result."""
    return PipelineOptions(
        calls=VectorCalls(lambda callee, lanes, fast: vector_callee(callee, lanes, fast=fast)), reproducers=None
    )


def for_purpose(options: PipelineOptions, purpose: Purpose) -> PipelineOptions:
    """`options` for code of a purpose: what its pipeline lacks is off, so that parts of other passes can tell."""
    there = {each.name for each in PIPELINES[purpose]}
    return replace(options, purpose=purpose, off=options.off | {name for name in pass_names() if name not in there})


def lower(
    function: Function,
    options: PipelineOptions,
    passes: Sequence[Pass] | None = None,
    origin: Function | None = None,
) -> Lowered:
    """Run the pipeline of `options.purpose`, or other `passes`, on `function`, which is changed in place. `origin`: an
    equal function, which stays as it is.

    Raises Unsupported when the kernel needs the reference engine: because no pass can lower it, or because a pass broke
    (a reproducer is written then, and a warning; with WARPLOOM_DEBUG >= 1 the pass's own exception comes through).
    """
    lowered = Lowered(function, origin=origin, vectors=[] if options.reports_vectors else None)
    run_passes(lowered, labelled(PIPELINES[options.purpose] if passes is None else passes), options)
    check_finished(function)
    return lowered


@cache
def _parts(purpose: Purpose) -> tuple[list[LabelledPass], list[LabelledPass]]:
    """The passes of a pipeline that are the same for launches of all sizes, and the others."""
    passes = PIPELINES[purpose]
    return labelled([each for each in passes if each in HEAD]), labelled([each for each in passes if each not in HEAD])


def begin(function: Function, options: PipelineOptions, origin: Function) -> Lowered:
    """Run the first passes of a pipeline, which are the same for launches of all sizes; else as `lower`."""
    begun = Lowered(function, origin=origin)
    run_passes(begun, _parts(options.purpose)[0], options)
    return begun


def lower_begun(begun: Lowered, facts: KernelFacts, options: PipelineOptions) -> Lowered:
    """Run the other passes on a copy of the kernel, of which `facts` are known; else as `lower`."""
    vectors: list[VectorLoop] | None = [] if options.reports_vectors else None
    origin = replace(begun.function, facts=facts)
    lowered = Lowered(clone_function(origin), origin=origin, vectors=vectors, held=set(begun.held))
    run_passes(lowered, _parts(options.purpose)[1], options)
    check_finished(lowered.function)
    return lowered


def check_finished(function: Function) -> None:
    """The backend takes no barrier and no collective: Unsupported when one is left."""
    left = next(filter(is_collective, walk(function.body)), None)
    if left is not None:
        raise Unsupported(f"{left.name} is left after the last pass", left.loc)


def labelled(passes: Sequence[Pass] = PASSES) -> list[LabelledPass]:
    """Each pass with the name of its place: `canonicalise`, `canonicalise.2`, ..."""
    seen: dict[str, int] = {}
    found: list[LabelledPass] = []
    for each in passes:
        seen[each.name] = seen.get(each.name, 0) + 1
        number = seen[each.name]
        found.append((each.name if number == 1 else f"{each.name}.{number}", each))
    return found


def off_names(text: str) -> frozenset[str]:
    """The passes that `text` names, with commas between them; a Diagnostic for what is no pass."""
    known = [name for each in PASSES for name in (each.name, *each.features)]
    return frozenset(checked_name(name, list(dict.fromkeys(known))) for name in text.split(",") if name)


def pass_names() -> list[str]:
    """The names of the passes, each once, in order."""
    return list(dict.fromkeys(each.name for each in PASSES))


def optional_passes() -> list[str]:
    """The passes that a kernel with barriers can do without."""
    return list(dict.fromkeys(each.name for each in PASSES if not each.needed))


def checked_name(name: str, known: Collection[str]) -> str:
    """`name` as `known` spells it; a Diagnostic that lists `known` when it is none of them."""
    wanted = name.replace("_", "-")
    for each in known:
        if each.replace("_", "-") == wanted:
            return each
    from difflib import get_close_matches

    near = get_close_matches(name, known, n=1)
    guess = f"did you mean '{near[0]}'? " if near else ""
    raise Diagnostic(f"no pass is called '{name}'", hint=f"{guess}passes: {', '.join(known)}", exit_code=2)
