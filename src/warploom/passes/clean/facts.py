# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What is known where a condition is known to hold.

    if %c { ... %c ... icmp sge %a, %b ... }     with %c = icmp slt %a, %b:     true, false

Sound because a comparison that holds fixes how its operands are ordered, and with it every other comparison of the same
signedness between them.
"""

from __future__ import annotations

from collections.abc import Iterator

from warploom.ir.core import FALSE, TRUE, Op, Operand, Value
from warploom.passes.clean.fold import INVERSE, Definitions

# The orderings that each predicate allows.
_ALLOWS = {"eq": "=", "ne": "<>", "lt": "<", "le": "<=", "gt": ">", "ge": ">="}


def _full(predicate: str, sign: str) -> str:
    return predicate if predicate in ("eq", "ne") else sign + predicate


def _implied() -> dict[str, list[tuple[str, bool]]]:
    found: dict[str, dict[str, bool]] = {}
    for sign in "su":
        for known, orderings in _ALLOWS.items():
            for asked, allowed in _ALLOWS.items():
                if set(orderings) <= set(allowed):
                    found.setdefault(_full(known, sign), {})[_full(asked, sign)] = True
                elif not set(orderings) & set(allowed):
                    found.setdefault(_full(known, sign), {})[_full(asked, sign)] = False
    return {known: list(answers.items()) for known, answers in found.items()}


IMPLIED = _implied()


def consequences(condition: Operand, holds: bool, definitions: Definitions) -> Iterator[tuple[Value, bool]]:
    """The truth values that follow from that of `condition`, itself included."""
    work = [(condition, holds)]
    while work:
        operand, truth = work.pop()
        if not isinstance(operand, Value):
            continue
        yield operand, truth
        op = definitions.get(operand)
        if op is not None:
            work += _parts(op, truth)


def _parts(op: Op, truth: bool) -> list[tuple[Operand, bool]]:
    """Truth values that follow from that of the result of `op`."""
    if op.name == "xor" and op.operands[1] == TRUE:
        return [(op.operands[0], not truth)]
    if (op.name == "and" and truth) or (op.name == "or" and not truth):
        return [(each, truth) for each in op.operands]
    if op.name == "select" and op.operands[2] == (FALSE if truth else TRUE):
        return [(op.operands[0], True), (op.operands[1], truth)]
    if op.name == "select" and op.operands[1] == (FALSE if truth else TRUE):
        return [(op.operands[0], False), (op.operands[2], truth)]
    return []


def implied_comparisons(op: Op, truth: bool) -> list[tuple[str, bool]]:
    """The predicates between the operands of an icmp that its truth value decides."""
    pred = str(op.attrs["pred"])
    return IMPLIED[pred if truth else INVERSE[pred]]
