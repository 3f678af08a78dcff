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

from warploom.ir.core import Op, Operand, flags_of
from warploom.ir.ops import COMMUTATIVE
from warploom.ir.properties import is_arithmetic, is_convergent, is_speculatable
from warploom.passes.clean.fold import SWAPPED

PROMISES = frozenset("nsw nuw exact nneg disjoint samesign".split())


def is_comparable(op: Op) -> bool:
    """Whether a second `op` with the same operands has the same results. Divisions do, where the first one ran."""
    return len(op.results) == 1 and (is_arithmetic(op) or (not is_convergent(op) and is_speculatable(op)))


def op_key(name: str, operands: Sequence[Operand], type_: str, attrs: dict[str, object] | None = None) -> Hashable:
    """Equal for ops that compute the same."""
    either: Sequence[Hashable] = operands
    if name in COMMUTATIVE and len(operands) == 2:
        either = (frozenset(operands),)
    if not attrs:
        return (name, type_, *either)
    return (name, type_, *either, *(sorted(attrs.items()) if len(attrs) > 1 else attrs.items()))


def key_of(op: Op) -> Hashable:
    """The key of `op`, which is no comparison of integers, promises left out."""
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


def is_comparison(op: Op) -> bool:
    """Whether `op` compares two integers: the table has these by their operands."""
    return op.name == "icmp" and op.results[0].type == "i1"


class ValueTable:
    """What was computed before, by key, forgotten scope by scope."""

    def __init__(self) -> None:
        self.known: dict[Hashable, Operand] = {}
        self.compared: dict[tuple[Operand, Operand], dict[Hashable, Operand]] = {}  # each two one way round
        self.log: list[tuple[dict[Hashable, Operand], Hashable]] = []

    def mark(self) -> int:
        """Begin a scope."""
        return len(self.log)

    def forget(self, mark: int) -> None:
        """End the scope that began at `mark`."""
        for known, key in self.log[mark:]:
            del known[key]
        del self.log[mark:]

    def add(self, known: dict[Hashable, Operand], key: Hashable, value: Operand) -> None:
        """Note in `known`, which is this table's, what it does not have."""
        known[key] = value
        self.log.append((known, key))

    def comparisons(self, left: Operand, right: Operand) -> tuple[dict[Hashable, Operand], bool]:
        """The comparisons of two integers, by predicate, and whether these are of `right` with `left`.

        An assumption decides six of them at once, and hashing their operands is what takes the time.
        """
        found = self.compared.get((left, right))
        if found is not None:
            return found, False
        found = self.compared.get((right, left))
        if found is not None:
            return found, True
        found = self.compared[left, right] = {}
        return found, False

    def find_or_add(self, op: Op) -> Operand | None:
        """What has been noted for `op`, a comparable one; where there is nothing its result is noted."""
        value = op.results[0]
        if is_comparison(op):
            known, swapped = self.comparisons(op.operands[0], op.operands[1])
            pred = str(op.attrs["pred"])
            key: Hashable = SWAPPED[pred] if swapped else pred
        else:
            known, key = self.known, key_of(op)
        found = known.setdefault(key, value)  # a key takes long to hash, so it is done once
        if found is not value:
            return found
        self.log.append((known, key))
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
