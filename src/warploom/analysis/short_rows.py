# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Which numbers the threads of a loop are taken apart by into rows: the `n` of `i / n` and `i % n`.

    %i = add %first, %tx;  %row = udiv %i, %n;  %column = urem %i, %n

A vector of threads whose width divides `n` lies within one row. Where rows are shorter than the widest vectors, narrow
ones do what wide ones need gathers for: they have one row number, and columns that count on.
"""

from __future__ import annotations

from collections.abc import Iterator

from warploom.analysis.integers import signed_value
from warploom.ir.core import Const, Op, Operand, Value, defined_in, walk
from warploom.ir.ops import DIVISIONS, LOOPS

_COUNTING = frozenset("add sub or mul shl sext zext trunc freeze".split())


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
        length = _power_of_two(op.name, by)
        if op.name in DIVISIONS:
            yield by
        elif length:
            yield Const(by.type, length)


def _power_of_two(name: str, by: Operand) -> int:
    """The number that a shift to the right or a mask divides by; 0 for anything else, or where it is not known."""
    number = signed_value(by) if isinstance(by, Const) else None
    if number is None or not 0 < number < 1 << 30:
        return 0
    if name in ("lshr", "ashr"):
        return 1 << number if number < 31 else 0
    return number + 1 if name == "and" and number & (number + 1) == 0 else 0


def width_of(length: Operand, widest: int, fewest: int) -> int | None:
    """The widest vectors, of at least `fewest` threads, that rows of a constant length hold a whole number of; None
    where these are the widest, there are none, or rows are so long that most of the widest lie in one."""
    number = signed_value(length) if isinstance(length, Const) else None
    if number is None or not fewest <= number < 2 * widest:
        return None
    width = min(number & -number, widest)
    return width if fewest <= width < widest else None


def works_in_loops(loop: Op) -> bool:
    """Whether threads access memory in loops of their own."""
    return any(
        inner.name in ("load", "store")
        for op in walk(loop.region)
        if op.name in LOOPS
        for inner in walk(op.regions[-1])
    )
