# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Cut the threads of a block at barriers: what few parts are about is then written twice for these parts alone.

    block (t) {                            block (t) { %i = ...; A }      about it
      %i = ...; A                   ==>    block (t) { B }                not
      barrier; B; barrier                  block (t) { %i = ...; C }      about it
      C of %i }

Sound because a barrier puts A of all threads before B of all threads, and so do two loops in sequence. What a part uses
of earlier ones it computes again: a cut is only made where that is a few ops that give the same each time.
"""

from __future__ import annotations

from collections.abc import Iterator, Set

from warploom.core.records import dataclass
from warploom.ir.core import Op, Value, used_in, walk_op
from warploom.ir.properties import is_duplicable

# Ops of parts that are worth loops of their own. In one version LLVM keeps in registers what short tails store and
# load: a sum of 256 floats over its last 74 ops took 1.23 times as long when cut (AVX2), sums and scans of 103 to 118
# ops .97 to 1.02 times.
SMALLEST = 96
MOST_AGAIN = 16  # ops that a part computes again


@dataclass(frozen=True, slots=True)
class Part:
    """Some of a block's ops, by number, in order; no barrier is at its ends."""

    ops: tuple[int, ...]
    is_about: bool


def cut(block: Op, wanted: Set[Op]) -> list[Part]:
    """The parts of `block`, in order; those that use a result of `wanted` are about it."""
    body = block.region.body
    made = {value: number for number, op in enumerate(body) for value in op.results}
    results = {value for op in wanted for value in op.results}
    used = [used_in(op) for op in body]
    spans: list[_Span] = []
    for first, last in _segments(body):
        if _again(body, used, made, first, len(body)) is None:  # no cut before it
            first = spans.pop().first
        numbers = (*range(first, last), *(_again(body, used, made, first, last) or ()))
        _append(spans, _Span(first, last, any(not results.isdisjoint(used[number]) for number in numbers)))
    large: list[_Span] = []
    for span in spans:
        size = sum(1 for op in body[span.first : span.last] for _ in walk_op(op))
        _append(large, _Span(span.first, span.last, span.is_about or size < SMALLEST))
    parts: list[Part] = []
    for span in large:
        again = _again(body, used, made, span.first, span.last) or ()
        parts.append(Part((*sorted(again), *range(span.first, span.last)), span.is_about))
    return parts


@dataclass(frozen=True, slots=True)
class _Span:
    first: int
    last: int
    is_about: bool


def _append(spans: list[_Span], span: _Span) -> None:
    """Add `span`, together with the one before it where that is of the same kind."""
    if spans and spans[-1].is_about == span.is_about:
        span = _Span(spans.pop().first, span.last, span.is_about)
    spans.append(span)


def _segments(body: list[Op]) -> Iterator[tuple[int, int]]:
    """From where to where no barrier stands between ops of `body`."""
    first = 0
    for number, op in enumerate(body):
        if op.name == "barrier" and op.attrs["level"] == "block":
            yield first, number
            first = number + 1
    yield first, len(body)


def _again(body: list[Op], used: list[set[Value]], made: dict[Value, int], first: int, last: int) -> set[int] | None:
    """What ops from `first` to `last` need of ops before them, by number; None where it cannot be computed again."""
    found: set[int] = set()
    pending = [value for values in used[first:last] for value in values]
    while pending:
        number = made.get(pending.pop(), first)
        if number < first and number not in found:
            if body[number].regions or not is_duplicable(body[number]):
                return None
            found.add(number)
            pending += used[number]
    return found if len(found) <= MOST_AGAIN else None
