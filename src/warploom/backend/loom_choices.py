# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The LLVM text of accesses to elements whose size a choice says, for processors without gathers and scatters.

    if %is_byte {                                       %size = %is_byte ? 1 : 4
      %b: <8 x i8> = gather_near %p, %m, .., %span      if %span != 7 * %size: move elements of %size bytes from %p
      yield sitofp %b                                                          to %kept, in a loop
    } {                                          ==>    %place = %span == 7 * %size ? %p[0] : %kept
      %w: <8 x i32> = gather_near %p, %m, .., %span     if %is_byte { %b = load <8 x i8>, %place; yield sitofp %b }
      yield sitofp %w                                   { %w = load <8 x i32>, %place; yield sitofp %w }
    }

Likewise with scatters: the cases store at %place, and the loop comes behind the choice. Without %span there is no row.
A plain `gather` of all lanes is no loop: a vector is slow to load that has just been written element by element. What
is called for it has a row of instructions for each size, and writes a vector.

That is how kernels look whose types the launch says: a `switch` over ten types for each operand. Written case by case,
each has a call of a loop beside its row, or with `scatter` instructions for each lane.

Sound because a case that is taken makes one access, of as many bytes as %size says, and nothing else in the choice
touches memory: so elements may be read before it, and stored behind it. Where no case makes one %size is 0, of which
the loop moves nothing. %span is that of a row under the same conditions as in `gather_near`. It is not done where
instructions have lines, so that a fault has that of its case.
"""

from __future__ import annotations

from collections.abc import Callable

from warploom.backend.loom_ops import typed
from warploom.core.deferred import deferred
from warploom.core.records import dataclass
from warploom.core.remarks import Loc
from warploom.core.type_names import TYPE_CHECKING
from warploom.ir import types
from warploom.ir.core import Const, Op, Operand, Region, walk_op
from warploom.ir.properties import is_pure
from warploom.passes.clean.fold import is_poison

if TYPE_CHECKING:
    from warploom.backend import loom_scattered
else:
    loom_scattered = deferred("warploom.backend.loom_scattered")

_LOADS, _STORES = ("gather", "gather_near"), ("scatter", "scatter_near")
_SIZES = (1, 2, 4, 8)
_ALL = "splat (i1 true)"
_FEWEST = 3  # accesses: what is written once is longer than one case, and hardly shorter than two


@dataclass(frozen=True, slots=True)
class Choice:
    """An `if`, with others inside, whose cases access elements of several sizes at the same places."""

    op: Op
    accesses: list[Op]

    @property
    def loads(self) -> bool:
        """Whether its cases load; else they store."""
        return self.accesses[0].name in _LOADS

    @property
    def lanes(self) -> int:
        """Lanes of each access."""
        return types.lanes_of(_places(self.accesses[0])[0].type) or 0


@dataclass(frozen=True, slots=True)
class Place:
    """Where the accesses of a choice are, one element behind the other: names of values."""

    at: str
    size: str  # of an element
    kept: str  # memory of the function
    is_row: str  # whether `at` is where the program's elements lie; empty: never


def choice_of_sizes(op: Op, *, takes_apart: bool) -> Choice | None:
    """The `if` at hand, if it is such a choice. `takes_apart`: LLVM makes of a scatter instructions for each lane."""
    accesses = _accesses(op)
    if accesses is None or len(accesses) < _FEWEST or not all(map(_can_be_moved, accesses)):
        return None
    first = accesses[0]
    is_loop = all(each.attrs.get("by_lanes") for each in accesses)
    inside = {value for each in walk_op(op) for value in each.results}
    conditions = [each.operands[0] for each in walk_op(op) if each.name == "if"]
    return (
        Choice(op, accesses)
        if all(each.name == first.name and _places(each) == _places(first) for each in accesses)
        and inside.isdisjoint([*_places(first), *conditions])
        and (types.lanes_of(_places(first)[0].type) or 0) <= loom_scattered.MOST_LANES
        and (is_loop or (takes_apart and (first.name in _STORES or _is_of_all(first))))
        else None
    )


def _accesses(op: Op) -> list[Op] | None:
    """What the cases of `op` load or store, each at most one; None where they do anything else to memory."""
    found: list[Op] = []
    for region in op.regions:
        carriers: list[list[Op]] = []
        for each in region.body:
            inner = _accesses(each) if each.name == "if" else [each] if each.name in _LOADS + _STORES else None
            if inner is None and (each.regions or not is_pure(each)):
                return None
            carriers += [inner] if inner else []
        if len(carriers) > 1:
            return None
        found += carriers[0] if carriers else []
    return found


def _places(access: Op) -> list[Operand]:
    """Addresses, mask, and how far the last lane's address is behind the first one's where that may be a row."""
    return [*access.operands[:2], *access.operands[3:]] if access.name in _LOADS else access.operands[1:]


def _is_of_all(access: Op) -> bool:
    """Whether all lanes take part, whatever the program does."""
    mask = access.operands[1]
    return isinstance(mask, Const) and mask.value == _ALL


def _can_be_moved(access: Op) -> bool:
    type_ = access.result.type if access.results else access.operands[0].type
    size = types.size_of(types.element_of(type_))
    is_whole = loom_scattered.align_of(access, type_) >= size and types.bits(types.element_of(type_)) == 8 * size
    return size in _SIZES and is_whole and (not access.results or is_poison(access.operands[2]))


def open_choice(choice: Choice, code: loom_scattered.FlowWriter) -> Place:
    """Write what comes before a choice."""
    loc = choice.op.loc
    size, kept = _size(choice.op, code), code.memory(f"kept.{choice.lanes}", _SIZES[-1] * choice.lanes)
    pointers, _, *span = _places(choice.accesses[0])
    if not span:
        place = Place(kept, size, kept, "")
    else:
        start = code.value("start", f"extractelement {typed(pointers, code.name)}, i64 0", loc)
        of_row = code.value("of_row", f"mul i64 {size}, {choice.lanes - 1}", loc)
        is_row = code.value("is_row", f"icmp eq {typed(span[0], code.name)}, {of_row}", loc)
        place = Place(code.value("place", f"select i1 {is_row}, ptr {start}, ptr {kept}", loc), size, kept, is_row)
    if choice.loads:
        _move(choice, place, code)
    return place


def access_at(place: Place, op: Op, code: loom_scattered.FlowWriter) -> str:
    """An access of the choice; of a load what stands after `%result = `."""
    if op.results:
        return f"load {op.result.type}, ptr {place.at}, align {loom_scattered.align_of(op, op.result.type)}"
    value = op.operands[0]
    return f"store {typed(value, code.name)}, ptr {place.at}, align {loom_scattered.align_of(op, value.type)}"


def close_choice(choice: Choice, place: Place, code: loom_scattered.FlowWriter) -> None:
    """Write what comes behind a choice."""
    if not choice.loads:
        _move(choice, place, code)


def _size(op: Op, code: loom_scattered.FlowWriter) -> str:
    """The size of an element of the case that is taken, as i64; 0 where there is none."""
    sides = [_size_in(region, code) for region in op.regions]
    if sides[0] == sides[1]:
        return sides[0]
    condition = code.name(op.operands[0])
    return code.value("size", f"select i1 {condition}, i64 {sides[0]}, i64 {sides[1]}", op.loc)


def _size_in(region: Region, code: loom_scattered.FlowWriter) -> str:
    for op in region.body:
        if op.name == "if" and _accesses(op):
            return _size(op, code)
        if op.name in _LOADS + _STORES:
            return str(types.size_of(types.element_of(op.result.type if op.results else op.operands[0].type)))
    return "0"


def _move(choice: Choice, place: Place, code: loom_scattered.FlowWriter) -> None:
    """Write a call of what moves the elements of active lanes between their places and the function's memory, where
    they are no row."""
    loc = choice.op.loc
    if not place.is_row:
        _call(choice, place, code, loc)
        return
    some, after = code.labels("elements", "some", "end")
    code.line(f"br i1 {place.is_row}, label %{after}, label %{some}", loc)
    code.start(some)
    _call(choice, place, code, loc)
    code.jump(after)
    code.start(after)


def _call(choice: Choice, place: Place, code: loom_scattered.FlowWriter, loc: Loc | None) -> None:
    pointers, mask, *_ = _places(choice.accesses[0])
    if choice.loads and not choice.accesses[0].attrs.get("by_lanes"):
        places = loom_scattered.stored(pointers, code, loc)
        call = code.help(
            f"warploom.gather.chosen.{choice.lanes}",
            "ptr %kept, ptr %places, i64 %size",
            lambda inner: _each_size(inner, lambda size: loom_scattered.load_lanes(choice.lanes, size, inner)),
            seldom=False,
        )
        code.line(f"{call}(ptr {place.kept}, ptr {places}, i64 {place.size})", loc, call=True)
        return
    places, active = loom_scattered.store_places(pointers, mask, code, loc)
    active = loom_scattered.in_one_word(active, choice.lanes, code, loc)
    name = f"warploom.{choice.accesses[0].name}.chosen"
    bits = loom_scattered.MOST_LANES
    parameters = f"ptr %kept, ptr %places, i{bits} %active, i64 %size"
    call = code.help(name, parameters, lambda inner: _loops(inner, loads=choice.loads), seldom=bool(place.is_row))
    code.line(
        f"{call}(ptr {place.kept}, ptr {places}, i{bits} {active}, i64 {place.size})",
        loc,
        call=True,
    )


def _loops(code: loom_scattered.FlowWriter, *, loads: bool) -> None:
    """Write a loop over active lanes for each size."""
    lanes = loom_scattered.MOST_LANES
    _each_size(
        code,
        lambda size: loom_scattered.move_lanes(
            "%kept", "%places", "%active", lanes, 8 * size, size, code, None, loads=loads
        ),
    )


def _each_size(code: loom_scattered.FlowWriter, write: Callable[[int], None]) -> None:
    """Write a choice of what `write` writes for each size."""
    after, *labels = code.labels("size", "end", *(f"of_{size}" for size in _SIZES))
    cases = " ".join(f"i64 {size}, label %{label}" for size, label in zip(_SIZES, labels, strict=True))
    code.line(f"switch i64 %size, label %{after} [ {cases} ]")
    for size, label in zip(_SIZES, labels, strict=True):
        code.start(label)
        write(size)
        code.jump(after)
    code.start(after)
