# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Which numbers the threads of a loop are taken apart by into rows: the `n` of `i / n` and `i % n`.

    %i = add %first, %tx;  %row = udiv %i, %n;  %column = urem %i, %n

A vector of threads whose width divides `n` lies within one row. Where rows are shorter than the widest vectors, narrow
ones do what wide ones need gathers for: they have one row number, and columns that count on.
"""

from __future__ import annotations

from collections.abc import Iterator

from warploom.analysis.integers import divisor_of, signed_value
from warploom.ir.core import Builder, Const, Op, Operand, Value, defined_in, int_const, walk
from warploom.ir.ops import DIVISIONS, LOOPS

_COUNTING = frozenset("add sub or mul shl sext zext trunc freeze".split())
_BY_BITS = ("lshr", "ashr", "and")  # which divide as well


def row_lengths(loop: Op) -> list[Operand]:
    """What numbers of the threads of `loop` are divided by, each once: constants, and values from in front of it."""
    inside = defined_in(loop)
    return list(dict.fromkeys(each for each in _divisors(loop) if each not in inside))


def _divisors(loop: Op) -> Iterator[Operand]:
    numbers: set[Value] = {loop.region.params[0]}
    for op in walk(loop.region):
        if op.name in _COUNTING and not numbers.isdisjoint(op.operands):
            numbers.update(op.results)
        if not op.operands or op.operands[0] not in numbers:
            continue
        by = op.operands[-1]
        if op.name in DIVISIONS:
            yield by
        elif op.name in _BY_BITS and isinstance(by, Const):
            number = signed_value(by)
            length = divisor_of(op.name, number) if number is not None and 0 < number < 1 << 30 else 0
            if length:
                yield Const(by.type, length)


def width_of(length: Operand, widest: int, fewest: int) -> int | None:
    """The widest vectors, of at least `fewest` threads, that rows of a constant length hold a whole number of; None
    where these are the widest, there are none, or rows are so long that most of the widest lie in one."""
    number = signed_value(length) if isinstance(length, Const) else None
    if number is None or not fewest <= number < 2 * widest:
        return None
    width = min(number & -number, widest)
    return width if fewest <= width < widest else None


def are_short(build: Builder, length: Value, widest: int, fewest: int) -> Operand:
    """Likewise for rows whose length the launch says: whether they are shorter than the widest vectors, and whole
    numbers of vectors of `fewest` threads, which is a power of two."""
    least, range_, last = (int_const(length.type, each) for each in (fewest, widest - fewest, fewest - 1))
    known = build.op("freeze", [length], length.type)
    more = build.op("sub", [known, least], length.type)
    short = build.op("icmp", [more, range_], "i1", pred="ult")
    rest = build.op("and", [known, last], length.type)
    whole = build.op("icmp", [rest, int_const(length.type, 0)], "i1", pred="eq")
    return build.op("and", [short, whole], "i1")


def works_in_loops(loop: Op) -> bool:
    """Whether threads access memory in loops of their own."""
    return any(
        inner.name in ("load", "store")
        for op in walk(loop.region)
        if op.name in LOOPS
        for inner in walk(op.regions[-1])
    )
