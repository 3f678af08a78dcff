# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Common subexpressions: a table of the pure ops whose results can be used from here.

    %a = add %x, %y                 %a = add %x, %y
    if %c { %b = add %y, %x }  ==>  if %c { } with %a for %b

Sound because an op without effects has one value for the same operands, and because what a region computes is forgotten
at its end. Flags that promise something (nsw, inbounds, ...) are not compared: the op that stays keeps only what both
promise. Operands of commutative ops are compared in either order. Flags of floating point change what may be computed
and are compared.
"""

from __future__ import annotations

from collections.abc import Hashable, Sequence

from warploom.ir.core import Op, Operand, Value, flags_of
from warploom.ir.ops import COMMUTATIVE
from warploom.ir.properties import is_arithmetic, is_convergent, is_speculatable
from warploom.passes.clean.fold import SWAPPED

_EITHER_WAY = frozenset(("eq", "ne"))
_GREATER = frozenset("sgt sge ugt uge".split())
PROMISES = frozenset("nsw nuw exact nneg disjoint samesign".split())


def is_comparable(op: Op) -> bool:
    """Whether a second `op` with the same operands has the same results. Divisions do, where the first one ran."""
    return len(op.results) == 1 and not is_convergent(op) and (is_speculatable(op) or is_arithmetic(op))


def op_key(name: str, operands: Sequence[Operand], type_: str, attrs: dict[str, object] | None = None) -> Hashable:
    """Equal for ops that compute the same."""
    either: Sequence[Hashable] = operands
    if name in COMMUTATIVE and len(operands) == 2:
        either = (frozenset(operands),)
    if not attrs:
        return (name, type_, *either)
    return (name, type_, *either, *(sorted(attrs.items()) if len(attrs) > 1 else attrs.items()))


def icmp_key(pred: str, left: Operand, right: Operand) -> Hashable:
    """The key of a comparison, whichever way it is written."""
    if pred in _EITHER_WAY:
        return ("icmp", pred, frozenset((left, right)))
    if pred in _GREATER:
        pred, left, right = SWAPPED[pred], right, left
    return ("icmp", pred, left, right)


def key_of(op: Op) -> Hashable:
    """The key of `op`, promises left out."""
    if op.name == "icmp" and op.results[0].type == "i1":
        return icmp_key(str(op.attrs["pred"]), op.operands[0], op.operands[1])
    if not op.attrs:
        return op_key(op.name, op.operands, op.results[0].type)
    if op.name == "gep":  # most ops with attributes are
        return ("gep", op.results[0].type, op.attrs.get("offset"), op.attrs.get("strides"), *op.operands)
    attrs: dict[str, object] = {name: value for name, value in op.attrs.items() if name not in ("inbounds", "nneg")}
    flags = flags_of(op)
    if not PROMISES.isdisjoint(flags):
        attrs["flags"] = tuple(flag for flag in flags if flag not in PROMISES)
    if not attrs.get("flags"):
        attrs.pop("flags", None)
    return op_key(op.name, op.operands, op.results[0].type, attrs)


class ValueTable:
    """What was computed before, by key, forgotten scope by scope."""

    def __init__(self) -> None:
        self.known: dict[Hashable, Operand] = {}
        self.log: list[Hashable] = []

    def mark(self) -> int:
        """Begin a scope."""
        return len(self.log)

    def forget(self, mark: int) -> None:
        """End the scope that began at `mark`."""
        for key in self.log[mark:]:
            del self.known[key]
        del self.log[mark:]

    def add(self, key: Hashable, value: Operand) -> None:
        """Note a value."""
        if key not in self.known:
            self.known[key] = value
            self.log.append(key)

    def find(self, key: Hashable) -> Operand | None:
        """A value noted before."""
        return self.known.get(key)

    def find_or_add(self, key: Hashable, value: Value) -> Operand | None:
        """A value noted before; where there is none `value` is noted. A key takes long to hash, so it is done once."""
        known = self.known.setdefault(key, value)
        if known is not value:
            return known
        self.log.append(key)
        return None


def keep_common_promises(kept: Op, other: Op) -> None:
    """`kept` now stands for `other` as well."""
    if kept.attrs == other.attrs:
        return
    for name in ("inbounds", "nneg"):
        if kept.attrs.get(name) and not other.attrs.get(name):
            kept.attrs = {key: value for key, value in kept.attrs.items() if key != name}
    flags, others = flags_of(kept), flags_of(other)
    if flags != others:
        common = tuple(flag for flag in flags if flag in others)
        kept.attrs = {key: value for key, value in kept.attrs.items() if key != "flags"}
        if common:
            kept.attrs["flags"] = common
