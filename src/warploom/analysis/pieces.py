# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Pieces of memory that one thread loads or stores as neighbours: four floats of an array, the members of a struct.

    %p: ptr = gep %a, %i [offset=0]        %x: float = load %p
    %q: ptr = gep %a, %i [offset=4]        %y: float = load %q       a piece of 8 bytes

Where each thread's piece begins behind the last thread's, a vector of threads loads or stores them as one
(strided_groups.py).
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from warploom.core.records import dataclass
from warploom.ir import types
from warploom.ir.core import Op, Operand, Region, Value
from warploom.ir.ops import is_plain_load, is_plain_store

_Key = tuple[object, ...]


@dataclass(frozen=True, slots=True)
class Piece:
    """`members`: accesses of one sequence of ops, all loads or all stores; the first one is the lowest."""

    members: tuple[Op, ...]
    size: int  # bytes of all of them

    @property
    def address(self) -> Operand:
        """Where it begins."""
        return self.members[0].operands[-1]


def pieces_in(region: Region, definitions: Mapping[Value, Op]) -> Iterator[Piece]:
    """The pieces of two or more accesses in `region` and below."""
    found: dict[_Key, dict[int, Op]] = {}
    for op in region.ops:
        for inner in op.regions:
            yield from pieces_in(inner, definitions)
        place = _place(op, definitions)
        if place is not None:
            key, offset = place
            found.setdefault(key, {}).setdefault(offset, op)
    for key, members in found.items():
        yield from _neighbours(sorted(members.items()), int(str(key[0])))


def _place(op: Op, definitions: Mapping[Value, Op]) -> tuple[_Key, int] | None:
    """What accesses of one piece have in common, with their size first, and where in it `op` is."""
    if not is_plain_load(op) and not is_plain_store(op):
        return None
    type_, address = (op.results[0] if op.results else op.operands[0]).type, op.operands[-1]
    if types.is_vector(type_) or types.is_aggregate(type_):
        return None
    offset = 0
    while True:
        made = definitions.get(address) if isinstance(address, Value) else None
        if made is None or made.name != "gep":
            return (types.size_of(type_), op.name, address), offset
        offset += int(str(made.attrs.get("offset", 0)))
        if len(made.operands) > 1:
            return (types.size_of(type_), op.name, *made.operands, made.attrs["strides"]), offset
        address = made.operands[0]


def _neighbours(members: Sequence[tuple[int, Op]], size: int) -> Iterator[Piece]:
    """The longest pieces of accesses in the order of their offsets."""
    run: list[Op] = []
    end = 0
    for offset, op in members:
        if run and offset != end:
            yield from _piece(run, size)
            run = []
        run.append(op)
        end = offset + size
    yield from _piece(run, size)


def _piece(run: Sequence[Op], size: int) -> Iterator[Piece]:
    if len(run) > 1:
        yield Piece(tuple(run), size * len(run))
