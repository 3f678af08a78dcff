# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""`warploom explain FILE.cu`: what became of each kernel, and why.

scan(int const*, int*)
  engine: loom
  barriers: 9 in the code; after eliminate_barriers 7, after split_barriers 0
  thread loops: 8
  kept across barriers: 12 bytes a thread in 3 buffers
  scan.cu:14  eliminate_barriers: barrier removed: ...
  for blocks of 256 x 1 x 1:
    thread loops: 9
"""

from __future__ import annotations

import itertools
import sys
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from pathlib import Path

from warploom.cli.kernels import USAGE_ERROR, SourceKernel, source_kernels, split_words
from warploom.debug import Debug
from warploom.driver import CompilerFailed
from warploom.frontend.launches import Dims
from warploom.ir.core import Function, Loc, Op, walk, walk_op
from warploom.ir.ops import Level, collective_level
from warploom.passes.base import Remark, Unsupported
from warploom.passes.runner import Lowered, PassFailed, PipelineOptions, run_passes
from warploom.passes.specialise_launch import worthwhile
from warploom.passes.vectorise import VECTORISE
from warploom.pipeline import check_finished, labelled, off_names, options_from_environment

HELP = """usage: warploom explain FILE.cu [--kernel K] [--off-pass P,...] [COMPILER FLAGS]

For each kernel: the engine that runs it and why, the barriers removed and kept, what was moved out of the threads, what
is kept in memory across barriers; then what differs in the variants for block sizes that the program is seen to launch.
Every other flag goes to the compiler as it would to nvcc: -I -D -arch ..."""


def main(argv: Sequence[str]) -> int:
    """Print one paragraph a kernel."""
    if not argv or argv[0] in ("-h", "--help"):
        print(HELP, file=sys.stdout if argv else sys.stderr)
        return 0 if argv else USAGE_ERROR
    words = split_words(argv, ("--kernel", "--off-pass"), ())
    options = options_from_environment()
    off = options.off | off_names(words.own.get("--off-pass", ""))
    options = replace(options, off=off, debug=max(options.debug, Debug.FALLBACKS), keep_going=False, reproducers=None)
    try:
        found = source_kernels(words, words.own.get("--kernel"))
    except CompilerFailed:
        return 1
    for number, kernel in enumerate(found):
        print("\n" * (number > 0) + "\n".join(explain(kernel, options)))
    return 0


def explain(kernel: SourceKernel, options: PipelineOptions) -> list[str]:
    """The paragraph of one kernel."""
    lines = story_of(kernel, None, options)
    found = [kernel.name.full, *(f"  {line}" for line in lines)]
    for block in variants(kernel):
        other = [line for line in story_of(kernel, block, options) if line not in lines]
        found.append(f"  for blocks of {' x '.join(map(str, block))}: {'' if other else 'the same'}".rstrip())
        found += [f"    {line}" for line in other]
    return found


def variants(kernel: SourceKernel) -> Sequence[Dims]:
    """The block sizes that the compiler makes code for, beside the code for any."""
    try:
        return worthwhile(kernel.load(), kernel.launched) if kernel.launched else ()
    except Unsupported:
        return ()


def story_of(kernel: SourceKernel, block: Dims | None, options: PipelineOptions) -> list[str]:
    """What became of the kernel, for one block size or any."""
    remarks: list[Remark] = []
    try:
        lines = ["engine: loom", *outcome(kernel.load_for(block), remarks, options)]
    except Unsupported as reason:
        lines = [f"engine: reference: {where(reason.loc)}{reason.reason}"]
    except PassFailed as failure:
        lines = [f"engine: reference, because {failure}"]
    return [*lines, *(f"{where(each.loc)}{each.source}: {each.text}" for each in once(remarks))]


def outcome(function: Function, remarks: list[Remark], options: PipelineOptions) -> list[str]:
    """Lower the kernel pass by pass and count."""
    lowered = Lowered(function, remarks)
    counts = [("", Counter(names(function)))]
    for step in labelled():
        run_passes(lowered, [step], options)
        counts.append((step[0], Counter(names(function))))
    check_finished(function)
    return [
        *story("barriers", [(label, count["barrier"]) for label, count in counts]),
        *story("warp collectives", [(label, count["collective"]) for label, count in counts]),
        loops(counts),
        memory(function),
    ]


def names(function: Function) -> Iterator[str]:
    """What to count: `barrier`, `collective`, and other ops under their names."""
    blocks = (op for block in function.blocks for op in block.ops)
    for op in (*blocks, *walk(function.body)):
        level = collective_level(op)
        yield op.name if level is None else "collective" if level is Level.WARP else "barrier"


def loops(counts: Sequence[tuple[str, Counter[str]]]) -> str:
    """How many loops over threads there were, and how many of them became loops over vectors of threads."""
    at = [label for label, _ in counts].index(VECTORISE.name)
    before, after = counts[at - 1][1], counts[at][1]
    vectors = before["block"] - after["block"]
    return f"loops: {before['block']} over threads, {vectors} of them by vectors; {after['warp']} over warps"


def story(what: str, counts: Sequence[tuple[str, int]]) -> list[str]:
    """How many there were, and the passes that changed that."""
    first = counts[0][1]
    if not any(count for _, count in counts):
        return [f"{what}: none"]
    changed = [(label, now) for (_, before), (label, now) in itertools.pairwise(counts) if before != now]
    changes = [f"{count} after {label}" for label, count in changed]
    return [f"{what}: {first} in the code" + "".join(f", {change}" for change in changes)]


def memory(function: Function) -> str:
    """What threads keep from one loop over them to the next, and lanes from one loop over them to the next."""
    all_kept = scratches(walk(function.body))
    by_warp = [scratches(walk_op(op)) for op in walk(function.body) if op.name == "warp"]
    of_lanes = max(map(total, by_warp), default=0)  # one loop over warps at a time
    of_threads = [op for op in all_kept if op.attrs["level"] != "warp"]
    return (
        f"kept across barriers: {total(of_threads)} bytes a thread ({len(of_threads)} values), {of_lanes} bytes a lane"
    )


def scratches(ops: Iterable[Op]) -> list[Op]:
    """The buffers with a place for each thread or lane."""
    return [op for op in ops if op.name == "scratch"]


def total(buffers: Iterable[Op]) -> int:
    """Bytes of one thread or lane."""
    return sum(int(str(op.attrs["size"])) for op in buffers)


def once(remarks: Iterable[Remark]) -> list[Remark]:
    """Each remark one time, as unrolled copies of an op say the same; by line, those about the whole kernel last."""
    return sorted(dict.fromkeys(remarks), key=lambda each: (each.loc is None, each.loc.line if each.loc else 0))


def where(loc: Loc | None) -> str:
    """`FILE:LINE: `, or nothing."""
    return f"{Path(loc.file).name}:{loc.line}: " if loc else ""
