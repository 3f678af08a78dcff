# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The three lines that `warploom explain` begins with: what runs how, what costs most, and what could be changed.

generation(unsigned char const*, unsigned char*, int, int)
  runs: 32 threads at a time, as vectors; the 2 barriers became ends of loops
  costs most: line 19, about 93 % of the time: `now` is read element by element, because the index is a remainder ...
  to change: replace `%` and `/` by comparisons where the index can be outside by one row at most
"""

from __future__ import annotations

import html
from collections import Counter
from collections.abc import Iterable, Sequence
from pathlib import Path

from warploom.core.records import dataclass
from warploom.core.remarks import Loc
from warploom.passes.vector.vector_report import ALONE, SCATTER, Access, VectorLoop

# What helps against the reasons of analysis/scattered.py: the first whose words are in the reason.
_REMEDIES = (
    ("remainder", "replace `%` by a comparison where the index can be outside by one row at most"),
    ("divided", "let each thread compute its row and column from threadIdx.x and threadIdx.y instead of dividing"),
    ("is loaded", "order the data so that neighbouring threads find neighbouring indices"),
    ("bytes apart", "let neighbouring threads (threadIdx.x) use neighbouring elements: an array for each member"),
    ("multiplied by a number that is not known", "let threadIdx.x be added to the index last, without a factor"),
    ("32-bit number that may wrap", "compute the index as int or size_t instead of unsigned"),
    ("loop", "give the threads of a block the same number of iterations, or sort their work by length"),
    ("condition", "choose the value first and load once, outside of the condition"),
    ("private array", "index private arrays by constants or by the counter of a loop that can be unrolled"),
)
_USUAL = "let neighbouring threads (threadIdx.x) use neighbouring elements"


@dataclass(frozen=True)
class Facts:
    """What the three lines are made of."""

    engine: str
    reason: str  # why it is not loom
    loc: Loc | None
    barriers: int
    vectors: Sequence[VectorLoop]
    loops: int  # over threads, or over warps
    variants: Sequence[VectorLoop] = ()  # of the first block size that launches have


def summary(facts: Facts) -> list[str]:
    """The three lines."""
    if facts.engine != "loom":
        place = f"line {facts.loc.line}: " if facts.loc else ""
        return [
            "runs: each thread by itself, on the reference engine: right, but tens to hundreds of times slower",
            f"costs most: {place}{facts.reason}",
            "to change: rewrite that line, and look again; `warploom suite` and WARPLOOM_COMPARE check the result",
        ]
    vectors = facts.variants or facts.vectors
    return [_runs(facts, vectors), *_costs(vectors)]


def _runs(facts: Facts, vectors: Sequence[VectorLoop]) -> str:
    widths = Counter(loop.width for loop in vectors)
    how = f"{max(widths)} threads at a time, as vectors" if widths else "the threads of a block one after the other"
    if widths and len(vectors) < facts.loops and not facts.variants:
        how += f" ({facts.loops - len(vectors)} of {facts.loops} loops over threads one after the other)"
    one, more = "the barrier became the end of a loop", f"the {facts.barriers} barriers became ends of loops"
    barriers = "" if facts.barriers == 0 else f"; {one if facts.barriers == 1 else more}"
    return f"runs: {how}; blocks on all processors{barriers}"


def _costs(vectors: Sequence[VectorLoop]) -> list[str]:
    """The second and third line."""
    # Versions of one loop for several cases stand side by side; one of them runs.
    places = {(loop.loc, loop.last_line): loop for loop in sorted(vectors, key=lambda loop: loop.cycles)}
    vectors = list(places.values())
    total = sum(loop.cycles for loop in vectors)
    if not vectors or total == 0:
        return ["costs most: not known", "to change: --verbose says why there are no vectors"]
    worst = max(vectors, key=lambda loop: loop.cycles)
    share = f"about {100 * worst.cycles / total:.0f} % of the time" if len(vectors) > 1 else "nearly all of the time"
    head = f"costs most: {_lines(worst)}{share}"
    if not worst.expensive:
        measure = "to change: nothing stands out; `warploom profile` measures"
        return [f"{head}; memory is read and written in order", measure]
    access = worst.expensive[0]
    return [f"{head}: {_said(access)}", f"to change: {remedy(access.reason)}"]


def _lines(loop: VectorLoop) -> str:
    if loop.loc is None:
        return ""
    last = f"-{loop.last_line}" if loop.last_line > loop.loc.line else ""
    return f"{Path(loop.loc.file).name}:{loop.loc.line}{last}, "


def _said(access: Access) -> str:
    array, colon, reason = access.reason.partition(": ")
    if access.kind == ALONE or not colon:
        return f"threads run one after the other there: {access.reason}"
    what = "written" if access.kind == SCATTER else "read"
    return f"`{array}` is {what} element by element, because {reason}"


def remedy(reason: str) -> str:
    """What could be changed in the program."""
    return next((text for words, text in _REMEDIES if words in reason), _USUAL)


def page(kernels: Iterable[tuple[str, Sequence[str], Sequence[str]]]) -> str:
    """A page for a browser: of each kernel its name, the three lines, and all that is known of it behind a button."""
    head = "<!DOCTYPE html><html lang=en><meta charset=utf-8><title>warploom explain</title><body>\n"
    return f"{head}{fragment(kernels)}\n</body></html>\n"


def fragment(kernels: Iterable[tuple[str, Sequence[str], Sequence[str]]]) -> str:
    """What stands on the page, to be put into another one."""
    parts: list[str] = []
    for name, lines, everything in kernels:
        short = "<br>".join(map(html.escape, lines))
        whole = html.escape("\n".join(everything))
        parts.append(f"<h2><code>{html.escape(name)}</code></h2><p>{short}</p>")
        parts.append(f"<details><summary>everything</summary><pre>{whole}</pre></details>")
    return "\n".join(parts)
