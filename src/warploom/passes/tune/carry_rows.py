# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What one trip of a loop loads and the next one loads again stays in a register.

    for %y = 1, 15 {                              %n0 = load @s[0]; %h0 = load @s[1]
      %north = load @s[%y - 1]                    for %y = 1, 15, %north = %n0, %here = %h0 {
      %here  = load @s[%y]              ==>         %south = load @s[%y + 1]
      %south = load @s[%y + 1]                      ...
      ...                                           yield %here, %south
    }                                             }

A stencil over the rows of a tile loads each row three times; a processor has two loads a cycle, and as many
multiplications. (Known as predictive commoning, or as scalar replacement across iterations.)

Sound because a load of one trip and another of the next have one address: both are a base, what the loop does not
change, the counter times a number, and constants that differ by that number times the step. Both happen in every trip,
being in the loop's own sequence of ops, and nothing in the loop writes to the variable that they read: what it stores
goes to other variables of the block, or to memory that a kernel's parameter points to, which is none of the block's.
What the first trip carries is loaded before the loop, if there is a first trip.
"""

from __future__ import annotations

from collections.abc import Iterator

from warploom.analysis.byte_addresses import Addresses
from warploom.analysis.integers import signed_value
from warploom.analysis.sums import Sum
from warploom.ir import types
from warploom.ir.core import (
    Builder,
    Const,
    Function,
    Op,
    Operand,
    Region,
    Value,
    clone_op,
    defined_in,
    replace_uses,
    walk,
)
from warploom.ir.ops import is_plain_load, leaves_memory
from warploom.passes.base import Context, Pass
from warploom.passes.contracts import FLAT
from warploom.passes.tune.computing_loops import cones

NAME = "carry_rows"
REGISTERS, FEW_REGISTERS = 8, 2  # that carried vectors may take: where there are 32, and where there are 16
_STORES = {"store": 1, "masked_store": 1}  # the operand that is the address

_Key = tuple[Operand, Sum[Value], str]


class _Rows:
    """Rewrites one function."""

    def __init__(self, function: Function) -> None:
        self.function = function
        self.bits = function.facts.processor.vector_bits
        self.parameters = {each for each in function.arguments if each.type == "ptr"}
        self.addresses = Addresses({value: op for op in walk(function.body) for value in op.results})
        self.carried = 0

    def region(self, region: Region) -> None:
        """Rewrite the loops of `region`, the inner ones first."""
        ops: list[Op] = []
        for op in region.ops:
            for inner in op.regions:
                self.region(inner)
            if op.name == "for":
                ops += self._loop(op)
            else:
                ops.append(op)
        region.ops = ops

    def _loop(self, loop: Op) -> list[Op]:
        found = list(self._chains(loop))
        if not found:
            return [loop]
        older = [load for loads in found for load in loads[1:]]
        self.carried += len(older)
        return self._carry(loop, older, [load.result for loads in found for load in loads[:-1]])

    # -- what can be carried

    def _chains(self, loop: Op) -> Iterator[list[Op]]:
        """Loads of vectors, each of what the one before it loaded a trip ago; as many as there are registers for."""
        counter, step = loop.region.params[0], loop.operands[2]
        growth_of_counter = signed_value(step) if isinstance(step, Const) else None
        written = self._written(loop) if growth_of_counter is not None else None
        if growth_of_counter is None or written is None:
            return
        inside = defined_in(loop)
        places: dict[_Key, dict[int, Op]] = {}
        for op in loop.region.body:
            if is_plain_load(op) and types.is_vector(op.result.type):
                address = self.addresses.of(op.operands[0])
                others = set(address.index.terms) - {counter}
                if inside.isdisjoint(others) and self._is_variable(address.root) and address.root not in written:
                    key = (*address.row(), op.result.type)
                    places.setdefault(key, {}).setdefault(address.offset, op)
        left = REGISTERS if self.bits >= 512 else FEW_REGISTERS
        for (_, index, type_), by_offset in places.items():
            growth = growth_of_counter * index.terms.get(counter, 0)
            for loads in _linked(by_offset, growth):
                needed = (len(loads) - 1) * max(1, -(-8 * types.size_of(type_) // self.bits))
                if needed <= left:
                    left -= needed
                    yield loads

    def _written(self, loop: Op) -> set[Operand] | None:
        """What the loop writes to: variables of the block and memory of parameters; None where that is not known."""
        found: set[Operand] = set()
        for op in (each for each in walk(loop.region) if not each.regions):
            if leaves_memory(op):
                continue
            if op.name not in _STORES or op.attrs.get("volatile") or op.attrs.get("ordering"):
                return None
            root = self.addresses.of(op.operands[_STORES[op.name]]).root
            if not (self._is_variable(root) or root in self.parameters):
                return None
            found.add(root)
        return found

    def _is_variable(self, root: Operand) -> bool:
        if not isinstance(root, Const) or not isinstance(root.value, str):
            return False
        found = self.function.shared.get(root.value.removeprefix("@"))
        return found is not None and found.size > 0

    # -- the rewrite

    def _carry(self, loop: Op, loads: list[Op], later: list[Value]) -> list[Op]:
        """The loop, with what `loads` give carried by it: `later` in the next trip."""
        ops: list[Op] = []
        starts = _first_trip(loop, loads, Builder(ops, loop.loc))
        carried = [Value(load.result.type, load.result.name) for load in loads]
        region = loop.region
        region.ops = [op for op in region.ops if op not in loads]
        region.terminator.operands += later
        replace_uses(region, dict(zip([load.result for load in loads], carried, strict=True)))
        region.params += carried
        loop.operands += starts
        loop.results += [Value(each.type) for each in carried]
        return [*ops, loop]


def _first_trip(loop: Op, loads: list[Op], build: Builder) -> list[Value]:
    """What `loads` give in the first trip, if there is one."""
    lower, upper = loop.operands[:2]
    some = build.op("icmp", [lower, upper], "i1", pred=str(loop.attrs["pred"]))
    mapping: dict[Value, Operand] = {loop.region.params[0]: lower}
    then, otherwise = Region(), Region()
    values: list[Operand] = [load.result for load in loads]
    (needed,) = cones(loop.region, values, len(values))
    then.ops = [clone_op(op, mapping) for op in needed]
    Builder(then.ops, loop.loc).terminate("yield", [mapping[load.result] for load in loads])
    Builder(otherwise.ops, loop.loc).terminate("yield", [Const(load.result.type, "poison") for load in loads])
    results = [Value(load.result.type) for load in loads]
    build.add(Op("if", [some], results, {}, [then, otherwise], loop.loc))
    return results


def _linked(places: dict[int, Op], growth: int) -> Iterator[list[Op]]:
    """Of the loads at `places`, those `growth` bytes apart: each as the trip before had the one ahead of it."""
    if not growth:
        return
    for place, load in places.items():
        if place + growth in places:
            continue
        chain = [load]
        while (place := place - growth) in places:
            chain.append(places[place])
        if len(chain) > 1:
            yield chain


def run(function: Function, context: Context) -> bool:
    """Carry what loops load again."""
    rows = _Rows(function)
    rows.region(function.body)
    if rows.carried:
        context.remark(NAME, f"{rows.carried} rows stay in registers from one iteration to the next", function.loc)
    return rows.carried > 0


CARRY_ROWS = Pass(NAME, run, requires=(FLAT,))
