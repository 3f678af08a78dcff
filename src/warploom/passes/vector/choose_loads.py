# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Load on both sides of a choice between addresses instead of after it: gathers become loads of neighbours.

    %p = if %c { ... yield %a }                 %v = if %c { ... %x = load %a; yield %x }
               { ... yield %b }          ==>               { ... %y = load %b; yield %y }
    %v = load %p

Sound because the load runs exactly once either way, at the same address, and no op between the choice and the load
writes memory, orders it or lets other threads run. A `select` between addresses is such a choice.

Only where every address that may come is regular: made of ids, numbers of warps and lanes, counters and parameters by
sums, products and casts.
Then a vector of threads loads neighbours on each side, under a mask, where the chosen addresses would be a gather.
"""

from __future__ import annotations

from warploom.ir.core import Const, Function, Op, Operand, Region, Value, uses_of, walk
from warploom.ir.ops import CASTS, WARP_SIZE, is_plain_load, leaves_memory
from warploom.passes.base import Context, Pass
from warploom.passes.contracts import SCALAR, STRUCTURED

NAME = "choose_loads"
MOST_ADDRESSES = 16  # that one load may come to be
MOST_STEPS = 64
REGULAR = frozenset(("gep", "add", "sub", "mul", "shl", "or")) | CASTS


class _Choices:
    """Rewrites one function."""

    def __init__(self, function: Function) -> None:
        self.definitions = {value: op for op in walk(function.body) for value in op.results}
        self.uses = {value: len(users) for value, users in uses_of(function.body).items()}
        self.changed = 0

    def addresses(self, pointer: Operand) -> int:
        """How many addresses `pointer` is chosen from; more than MOST_ADDRESSES when one is not regular."""
        op = self.definitions.get(pointer) if isinstance(pointer, Value) else None
        if op is None or op.name not in ("if", "select"):
            return 1 if self.is_regular(pointer) else MOST_ADDRESSES + 1
        assert isinstance(pointer, Value)
        return sum(self.addresses(each) for each in sides_of(op, pointer))

    def is_regular(self, value: Operand) -> bool:
        """Whether neighbours in x surely have neighbouring values, or the same."""
        work, seen = [value], set[Value]()
        while work:
            each = work.pop()
            if isinstance(each, Const) or each in seen:
                continue
            seen.add(each)
            op = self.definitions.get(each)
            if op is None or _comes_from_one_lane(op):
                continue  # an id, a counter or a parameter; or the same in the warp
            if not (op.name in REGULAR or _numbers_warps(op)) or len(seen) > MOST_STEPS:
                return False
            work += op.operands
        return True

    def region(self, region: Region) -> None:
        """Rewrite the loads of `region`, then those below."""
        number = 0
        while number < len(region.ops):
            op = region.ops[number]
            if _chooses_address(op):
                for value in list(op.results):
                    op = self._choose(region, op, value)
            for inner in op.regions:
                self.region(inner)
            number += 1

    def _choose(self, region: Region, choice: Op, pointer: Value) -> Op:
        """Move the load of `pointer`, a result of `choice`, into its sides; what stands for `choice` then."""
        load = self._load_of(region, choice, pointer)
        if load is None or not 1 < self.addresses(pointer) <= MOST_ADDRESSES:
            return choice
        self.changed += 1
        region.ops.remove(load)
        if choice.name == "select":
            made = self._loaded(load, pointer)
            made.results = [load.result]
            region.ops[region.ops.index(choice)] = made
        else:
            made = choice
            place = choice.results.index(pointer)
            for side in choice.regions:
                operands = side.terminator.operands
                loaded = self._loaded(load, operands[place])
                side.ops.insert(-1, loaded)
                operands[place] = loaded.result
            choice.results[place] = load.result
        self.definitions[load.result] = made
        return made

    def _load_of(self, region: Region, choice: Op, pointer: Value) -> Op | None:
        """The load that alone uses `pointer`, with nothing between that could change what it reads."""
        if pointer.type != "ptr" or self.uses.get(pointer) != 1:
            return None
        for op in region.ops[region.ops.index(choice) + 1 :]:
            if pointer in op.operands:
                return op if is_plain_load(op) else None
            if not leaves_memory(op):
                return None
        return None

    def _loaded(self, load: Op, address: Operand) -> Op:
        """What loads from `address` as `load` does: a load, or a choice of loads."""
        choice = self.definitions.get(address) if isinstance(address, Value) else None
        result = Value(load.result.type, load.result.name)
        if choice is not None and choice.name == "select" and self.uses.get(choice.result) == 1:
            sides = [self._side(load, each) for each in choice.operands[1:]]
            made = Op("if", choice.operands[:1], [result], {}, sides, choice.loc)
        else:
            made = Op("load", [address], [result], dict(load.attrs), [], load.loc)
        self.definitions[result] = made
        self.uses[result] = 1
        return made

    def _side(self, load: Op, address: Operand) -> Region:
        loaded = self._loaded(load, address)
        return Region([], [loaded, Op("yield", [loaded.result])])


def _numbers_warps(op: Op) -> bool:
    """Whether `op` is the number of a lane in its warp, or of a warp, of what is a thread's number."""
    by = op.operands[1] if len(op.operands) > 1 else None
    if not isinstance(by, Const) or not isinstance(by.value, int):
        return False
    return (op.name == "and" and by.value == WARP_SIZE - 1) or (op.name == "lshr" and 1 << by.value == WARP_SIZE)


def _comes_from_one_lane(op: Op) -> bool:
    """Whether all lanes of a warp get the value of one of them."""
    if op.name != "shuffle" or op.attrs["kind"] != "idx":
        return False
    return all(isinstance(each, Const) for each in op.operands[2:])


def sides_of(choice: Op, result: Value) -> list[Operand]:
    """What `result` is on either side of a choice."""
    if choice.name == "select":
        return choice.operands[1:]
    place = choice.results.index(result)
    return [side.terminator.operands[place] for side in choice.regions]


def _chooses_address(op: Op) -> bool:
    return op.name in ("if", "select") and any(value.type == "ptr" for value in op.results)


def run(function: Function, context: Context) -> bool:
    """Rewrite all loads of chosen addresses."""
    if not any(map(_chooses_address, walk(function.body))):
        return False
    choices = _Choices(function)
    choices.region(function.body)
    if choices.changed:
        context.remark(NAME, f"{choices.changed} loads moved into the branches that choose their addresses")
    return bool(choices.changed)


CHOOSE_LOADS = Pass(NAME, run, requires=(STRUCTURED, SCALAR))
