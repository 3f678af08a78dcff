# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""`warploom explain FILE.cu`: what became of each kernel, and why. With --verbose:

scan(int const*, int*)
  engine: loom
  barriers: 9 in the code; after eliminate_barriers 7, after split_barriers 0
  vectors: scan.cu:12: 16 threads; 2 uniform, 4 contiguous, 1 gather; 1 mask; spills 8 bytes; 1.2 cycles a thread (5.0)
    scan.cu:14: gather: columns: the index is loaded at line 13
  scan.cu:14  eliminate_barriers: barrier removed: ...
  for blocks of 256 x 1 x 1:
    thread loops: 9
"""

from __future__ import annotations

import itertools
import json
import sys
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path

from warploom.cli.explain_summary import Facts, page, summary
from warploom.cli.kernels import (
    PIPELINE_OPTIONS,
    USAGE_ERROR,
    SourceKernel,
    asked_for,
    block_size,
    source_kernels,
    split_words,
)
from warploom.core.launch import Dims
from warploom.core.records import dataclass, field, replace
from warploom.core.remarks import Loc, Remark, Unsupported
from warploom.driver.driver import CompilerFailed
from warploom.ir.core import Function, Op, walk, walk_op
from warploom.ir.ops import Level, collective_level
from warploom.passes.runner import Lowered, PassFailed, PipelineOptions, run_passes
from warploom.passes.shape.collapse_grid import runs_merged
from warploom.passes.shape.specialise_launch import worthwhile
from warploom.passes.vector.vector_report import KINDS, VectorLoop
from warploom.passes.vector.vectorise import VECTORISE
from warploom.pipeline import check_finished, labelled, options_from_environment

HELP = """usage: warploom explain FILE.cu [--verbose] [--kernel K] [--block X[,Y[,Z]]] [--json] [--html F]
                        [--off-pass P,...] [--width N] [--jam N] [COMPILER FLAGS]

For each kernel three lines: how it runs, what costs most, what could be changed. --verbose: the engine that runs it and
why, the barriers removed and kept, what was moved out of the loops, what is kept in memory across barriers; for each
loop over vectors of threads how wide it is, how it meets memory and what it may cost; then what differs in the variants
for block sizes that the program is seen to launch. --block: for blocks of one size only. --json: for machines.
--html F: a page with both. Every other flag goes to the compiler as it would to nvcc: -I -D -arch ..."""


@dataclass
class Explained:
    """What became of one kernel."""

    name: str
    symbol: str
    engine: str = "loom"
    reason: str = ""  # why it is not loom
    loc: Loc | None = None  # of the reason
    counts: list[tuple[str, Counter[str]]] = field(default_factory=list[tuple[str, Counter[str]]])  # after each pass
    memory: str = ""
    vectors: list[VectorLoop] = field(default_factory=list[VectorLoop])
    remarks: list[Remark] = field(default_factory=list[Remark])
    block: Dims | None = None  # the size of blocks that this is for; None: any
    is_merged: bool = False  # the runtime makes larger blocks of these
    others_are_plain: bool = False  # blocks of other sizes than those of `variants` run code that is made quickly
    variants: list[Explained] = field(default_factory=list["Explained"])  # for sizes that launches are seen to have


def main(argv: Sequence[str]) -> int:
    """Print one paragraph a kernel."""
    if not argv or argv[0] in ("-h", "--help"):
        print(HELP, file=sys.stdout if argv else sys.stderr)
        return 0 if argv else USAGE_ERROR
    try:
        found = explained(argv)
    except CompilerFailed:
        return 1
    if "--json" in argv:
        print(json.dumps([as_json(each) for each in found], indent=1))
    elif "--verbose" in argv:
        print("\n\n".join("\n".join(paragraph(each)) for each in found))
    else:
        print("\n\n".join("\n  ".join([each.name, *summary(facts_of(each))]) for each in found))
    for number, word in enumerate(argv):
        if word.startswith("--html"):
            file = word.partition("=")[2] or argv[number + 1]
            Path(file).write_text(page((each.name, summary(facts_of(each)), paragraph(each)) for each in found))
    return 0


def facts_of(found: Explained) -> Facts:
    """What the short form is made of."""
    threads, _, warps = loop_counts(found.counts) if found.counts else (0, 0, 0)
    barriers = found.counts[0][1]["barrier"] if found.counts else 0
    launched = found.variants[0].vectors if found.variants else ()
    return Facts(found.engine, found.reason, found.loc, barriers, found.vectors, threads + warps, launched)


def explained(argv: Sequence[str]) -> list[Explained]:
    """What became of the kernels that a command line names; raises CompilerFailed."""
    words = split_words(argv, ("--kernel", "--block", "--html", *PIPELINE_OPTIONS), ("--json", "--verbose"))
    options = replace(asked_for(words, options_from_environment()), reproducers=None)
    block = block_size(words.own["--block"]) if "--block" in words.own else None
    return explain_all(source_kernels(words, words.own.get("--kernel")), options, block)


def explain_all(kernels: Iterable[SourceKernel], options: PipelineOptions, block: Dims | None) -> list[Explained]:
    """What becomes of kernels, for one block size or for those that they are seen to be launched with."""
    found: list[Explained] = []
    for kernel in kernels:
        found.append(explain(kernel, options, block))
        if block is None:
            found[-1].variants = [explain(kernel, options, each) for each in variants(kernel)]
            found[-1].others_are_plain = kernel.is_certain and are_enough(found[-1].variants)
    return found


def are_enough(variants: Sequence[Explained]) -> bool:
    """Whether variants for all sizes that are launched can do without optimised code for any."""
    return bool(variants) and not any(each.is_merged for each in variants)


def variants(kernel: SourceKernel) -> Sequence[Dims]:
    """The block sizes that the compiler makes code for, beside the code for any."""
    try:
        return worthwhile(kernel.load(), kernel.launched, is_certain=kernel.is_certain)
    except Unsupported:
        return ()


def explain(kernel: SourceKernel, options: PipelineOptions, block: Dims | None) -> Explained:
    """Lower one kernel, for one block size or any, and note what happens."""
    found = Explained(kernel.name.full, kernel.name.mangled, block=block)
    try:
        outcome(kernel.load_for(block), found, options)
    except Unsupported as problem:
        found.engine, found.reason, found.loc = "reference", problem.reason, problem.loc
    except PassFailed as failure:
        found.engine, found.reason = "reference", str(failure)
    return found


def outcome(function: Function, found: Explained, options: PipelineOptions) -> None:
    """Lower the kernel pass by pass and count."""
    lowered = Lowered(function, found.remarks, vectors=found.vectors)
    counts = [("", Counter(names(function)))]
    for step in labelled():
        run_passes(lowered, [step], options)
        counts.append((step[0], Counter(names(function))))
    check_finished(function)
    found.counts, found.memory = counts, memory(function)
    found.is_merged = found.block is not None and runs_merged(function, found.block)


def names(function: Function) -> Iterator[str]:
    """What to count: `barrier`, `collective`, and other ops under their names."""
    blocks = (op for block in function.blocks for op in block.ops)
    for op in (*blocks, *walk(function.body)):
        level = collective_level(op)
        yield op.name if level is None else "collective" if level is Level.WARP else "barrier"


# -- for people -------------------------------------------------------------------------------------------------------


def paragraph(found: Explained) -> list[str]:
    """The paragraph of one kernel, and of its variants what differs."""
    lines = story_of(found)
    paragraph = [found.name, *(f"  {line}" for line in lines)]
    for variant in found.variants:
        other = [line for line in story_of(variant) if line not in lines]
        paragraph.append(f"  for blocks of {' x '.join(map(str, variant.block or ()))}:{'' if other else ' the same'}")
        paragraph += [f"    {line}" for line in other]
    if found.others_are_plain:
        paragraph.append("  for blocks of other sizes, which no launch is seen to have: plain code, compiled quickly")
    return paragraph


def story_of(found: Explained) -> list[str]:
    """What became of one kernel for one block size, or any."""
    because = f": {where(found.loc)}{found.reason}" if found.reason else ""
    lines = [f"engine: {found.engine}{because}"]
    if found.counts:
        lines += [
            *story("barriers", [(label, count["barrier"]) for label, count in found.counts]),
            *story("warp collectives", [(label, count["collective"]) for label, count in found.counts]),
            loops(found.counts),
            found.memory,
            *(line for each in dict.fromkeys(map(lines_of, found.vectors)) for line in each),
        ]
    notes = [f"{where(each.loc)}{each.source}: {each.text}" for each in once(found.remarks)]
    return [*lines, *notes]


def lines_of(vectors: VectorLoop) -> tuple[str, ...]:
    """One loop over vectors of threads, and its expensive accesses, a line each."""
    rows = f" x {vectors.jam} rows" if vectors.jam > 1 else ""
    asked = f" ({vectors.asked_by})" if vectors.asked_by else ""
    accesses = [f"{vectors.accesses[kind]} {kind}" for kind in KINDS if vectors.accesses.get(kind)]
    facts = [
        f"{vectors.width} threads{rows}{asked}",
        ", ".join(accesses) or "no loads or stores",
        f"{plural(vectors.masks, 'mask')}{', one more for the last vector' if vectors.tail else ''}",
        f"spills {vectors.spilled} bytes a thread",
        f"{vectors.cycles:.3g} cycles a thread predicted, {vectors.scalar_cycles:.3g} without vectors",
    ]
    head = f"vectors: {where_all(vectors.loc, vectors.last_line)}{'; '.join(facts)}"
    return head, *(f"  {where(each.loc)}{each.kind}: {each.reason}" for each in vectors.expensive)


def plural(count: int, what: str) -> str:
    """`1 mask`, `2 masks`."""
    return f"{count or 'no'} {what}{'' if count == 1 else 's'}"


def loops(counts: Sequence[tuple[str, Counter[str]]]) -> str:
    """How many loops over threads there were, and how many of them became loops over vectors of threads."""
    threads, vectors, warps = loop_counts(counts)
    return f"loops: {threads} over threads, {vectors} of them by vectors; {warps} over warps"


def loop_counts(counts: Sequence[tuple[str, Counter[str]]]) -> tuple[int, int, int]:
    """Loops over threads, those of them that became loops over vectors, loops over warps."""
    at = [label for label, _ in counts].index(VECTORISE.name)
    before, after = counts[at - 1][1], counts[at][1]
    return before["block"], before["block"] - after["block"], after["warp"]


def story(what: str, counts: Sequence[tuple[str, int]]) -> list[str]:
    """How many there were, and the passes that changed that."""
    first = counts[0][1]
    if not any(count for _, count in counts):
        return [f"{what}: none"]
    changes = [f"{count} after {label}" for label, count in changed(counts)]
    return [f"{what}: {first} in the code" + "".join(f", {change}" for change in changes)]


def changed(counts: Sequence[tuple[str, int]]) -> list[tuple[str, int]]:
    """The passes that changed a count, and what it was then."""
    return [(label, now) for (_, before), (label, now) in itertools.pairwise(counts) if before != now]


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


def where_all(loc: Loc | None, last: int) -> str:
    """`FILE:LINE: ` or `FILE:LINE-LINE: `, or nothing."""
    return f"{Path(loc.file).name}:{loc.line}-{last}: " if loc and last > loc.line else where(loc)


# -- for machines -----------------------------------------------------------------------------------------------------


def as_json(found: Explained) -> dict[str, object]:
    """One kernel; lines of the source are null where nobody knows them."""
    made: dict[str, object] = {"kernel": found.name, "symbol": found.symbol, "engine": found.engine}
    if found.reason:
        made["reason"] = {**place(found.loc), "text": found.reason}
    if found.counts:
        for what, name in (("barriers", "barrier"), ("warp_collectives", "collective")):
            counts = [(label, count[name]) for label, count in found.counts]
            made[what] = {"in_the_code": counts[0][1], "after": dict(changed(counts))}
        threads, vectors, warps = loop_counts(found.counts)
        made["loops"] = {"over_threads": threads, "by_vectors": vectors, "over_warps": warps}
    made["vectors"] = [vectors_as_json(each) for each in found.vectors]
    if found.block is not None:
        made["block"] = list(found.block)
    elif found.variants:
        made["variants"] = [as_json(each) for each in found.variants]
        made["others_are_plain"] = found.others_are_plain
    made["remarks"] = [{**place(each.loc), "pass": each.source, "text": each.text} for each in once(found.remarks)]
    return made


def vectors_as_json(vectors: VectorLoop) -> dict[str, object]:
    """One loop over vectors of threads."""
    return {
        **place(vectors.loc),
        "last_line": vectors.last_line or None,
        "width": vectors.width,
        "jam": vectors.jam,
        "asked_by": vectors.asked_by or None,
        "accesses": {kind.replace(" ", "_"): vectors.accesses.get(kind, 0) for kind in KINDS},
        "masks": vectors.masks,
        "masked_tail": vectors.tail,
        "spilled_bytes": vectors.spilled,
        "cycles": vectors.cycles,
        "scalar_cycles": vectors.scalar_cycles,
        "reasons": [{**place(each.loc), "kind": each.kind, "text": each.reason} for each in vectors.expensive],
    }


def place(loc: Loc | None) -> dict[str, object]:
    """Where in the source."""
    return {"file": loc.file if loc else None, "line": loc.line if loc else None}
