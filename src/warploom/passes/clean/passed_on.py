# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Where control flow passes values on."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence

from warploom.ir.core import Op, Operand, Value

Edge = tuple[Op, int, Value]  # whose operand with that number a value becomes


def with_known_sources(edges: Sequence[Edge], values: set[Value], is_known: Callable[[Operand], bool]) -> set[Value]:
    """The most of `values` that only get each other, or what is known, and give it to each other alone."""
    found: set[Operand] = {*values}
    while True:
        bad: set[Operand] = set()
        for holder, at, value in edges:
            source = holder.operands[at]
            if value not in found:
                bad.add(source)
            elif source not in found and not is_known(source):
                bad.add(value)
        split = {(id(holder), at) for holder, at, value in edges if value not in found}
        bad |= {value for holder, at, value in edges if (id(holder), at) in split}
        if not bad & found:
            return {each for each in found if isinstance(each, Value)}
        found -= bad


def passed_on(op: Op) -> Iterator[Edge]:
    """The operands of `op` and of the terminators in it that become its results or parameters of its regions."""
    if op.name == "if":
        ways = [(region.terminator, 0, op.results) for region in op.regions]
    elif op.name == "while":
        before, after = op.regions
        ways = [(op, 0, before.params), (after.terminator, 0, before.params)]
        ways += [(before.terminator, 1, after.params), (before.terminator, 1, op.results)]
    elif op.name == "for":
        ends = [(op, 3), (op.region.terminator, 0)]
        ways = [(*end, values) for end in ends for values in (op.region.params[1:], op.results)]
    elif op.name == "select":
        ways = [(op, 1, op.results), (op, 2, op.results)]
    else:
        return
    for holder, first, values in ways:
        for number, value in enumerate(values):
            yield holder, first + number, value
