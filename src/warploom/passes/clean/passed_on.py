# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Where control flow passes values on."""

from __future__ import annotations

from collections.abc import Iterator

from warploom.ir.core import Op, Value


def passed_on(op: Op) -> Iterator[tuple[Op, int, Value]]:
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
