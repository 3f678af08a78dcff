# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What a vector of threads asks to see that it lies within one row is asked for all threads of a block at once.

    block 128 { (%tx)                                  %l = ...;  %h = add %l, 511   the first index and the last one
      for 0, 4 { (%k)                                  %all, %qb, %rb = if %any { of %l and %h: A(%qb) }
        %i = ...                                       block 128 { (%tx)
        %same, %q = ... of %i for a vector       ==>     for 0, 4 { (%k)
        if %same { %r = A(%q); B(%r) } { C }               %i = ...
      }                                                    %same, %q, %r = if %all { true, %qb, %rb } { ...; A(%q) }
    }                                                      if %same { B(%r) } { C }
                                                         } }

A is what follows from the row alone: the other trips of a loop that takes an index apart (row_versions.py). Only where
there is such a loop, which costs more than the row that a vector loads.

Sound because the index of each thread in each trip is that of the first thread in the first trip and no more than the
distance on top, modulo 2^n; that the sum does not wrap is asked, and then the theorem of row_versions.py holds for all
of them. What is asked and A run in front of the threads only where the first thread comes to them in its first trip;
they compute, load what nothing writes, and find what they would find there.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from warploom.analysis.definitions import constant_memory
from warploom.analysis.integers import signed_value
from warploom.analysis.lanes import Shapes
from warploom.analysis.steps import known_trips
from warploom.core.records import dataclass, field
from warploom.ir.core import (
    FALSE,
    TRUE,
    Builder,
    Const,
    Op,
    Operand,
    Region,
    Value,
    clone_op,
    defined_in,
    free_values,
    int_const,
    replace_uses,
    used_in,
    walk_op,
)
from warploom.ir.ops import is_plain_load
from warploom.ir.properties import is_arithmetic, is_speculatable

_CONTROL = frozenset("if while condition yield".split())
_MOST = 1 << 30  # of the distance, but for one thread after the other: with those it does not wrap


class _Unknown(Exception):
    """Something is not known in front of the threads."""


@dataclass(frozen=True, slots=True)
class Asked:
    """What a vector of threads asks: `choice`, whose first result says whether all claims hold, the others being what
    its threads share; `test`, the ops in front of it; `ends`, of each index what the first and the last thread of a
    vector have; `lane`, a thread's number in its vector; `body`, the version for such vectors; `place`, where it is."""

    test: list[Op]
    choice: Op
    ends: Mapping[Value, tuple[Value, Value]]
    lane: Value
    body: Region
    place: Region

    @property
    def ops(self) -> list[Op]:
        """All of them."""
        return [*self.test, self.choice]


@dataclass(slots=True)
class Block:
    """A loop over the threads of a block, and `front`, what is computed in front of it."""

    loop: Op
    shapes: Shapes
    front: list[Op] = field(default_factory=list[Op])
    inside: set[Value] = field(default_factory=set[Value])
    around: dict[Region, tuple[Op, Region]] = field(default_factory=dict[Region, tuple[Op, Region]])
    loops: dict[Value, Op] = field(default_factory=dict[Value, Op])  # of the parameters of each `for`
    first: dict[Value, Operand] = field(default_factory=dict[Value, Operand])  # the first thread's, in the first trip
    constants: set[Operand] = field(default_factory=set[Operand])  # where memory begins that nothing writes

    def __post_init__(self) -> None:
        self.inside = defined_in(self.loop)
        self.constants = {each for each in constant_memory(self.shapes.ranges.function) if isinstance(each, Value)}
        for op in walk_op(self.loop):
            self.shapes.ranges.definitions.update(dict.fromkeys(op.results, op))
            for region in op.regions:
                self.around.update((inner, (each, region)) for each in region.ops for inner in each.regions)
            if op.name == "for":
                self.loops.update(dict.fromkeys(op.region.params, op))
        x, *others = self.loop.region.params
        self.first[x] = int_const("i32", 0)
        for axis, value in enumerate(others, 1):
            if self.loop.operands[axis] == int_const("i32", 1):
                self.first[value] = int_const("i32", 0)

    @property
    def build(self) -> Builder:
        """Writes in front of the loop."""
        return Builder(self.front, self.loop.loc)

    def of_first(self, operand: Operand) -> Operand:
        """What the first thread has in its first trip, in front of the loop; _Unknown where it takes more than
        arithmetic."""
        if not isinstance(operand, Value) or operand not in self.inside:
            return operand
        if operand not in self.first:
            self.first[operand] = self._of_first(operand)
        return self.first[operand]

    def _of_first(self, value: Value) -> Operand:
        loop = self.loops.get(value)
        if loop is not None:
            if value is loop.region.params[0]:
                _trips(loop)
                return loop.operands[0]
            return self.of_first(_start(loop, value))
        op = self.shapes.ranges.definitions.get(value)
        if op is None or op.regions or len(op.results) != 1 or not is_speculatable(op):
            raise _Unknown
        mapping = {each: self.of_first(each) for each in op.operands if isinstance(each, Value)}
        self.front.append(clone_op(op, mapping))
        return self.front[-1].result

    def distance(self, operand: Operand) -> tuple[int, int]:
        """At most how much more than the first thread in its first trip any has: a constant, and how often one less
        than there are threads."""
        if not isinstance(operand, Value) or operand not in self.inside:
            return 0, 0
        if operand in self.loop.region.params:
            if operand not in self.first:
                raise _Unknown
            return 0, int(operand is self.loop.region.params[0])
        loop = self.loops.get(operand)
        if loop is not None:
            last = (_trips(loop) - 1) * _known(loop.operands[2])
            return (last, 0) if operand is loop.region.params[0] else self.distance(_start(loop, operand))
        op = self.shapes.ranges.definitions.get(operand)
        if op is None or op.name not in ("add", "mul", "shl"):
            raise _Unknown
        left = self.distance(op.operands[0])
        if op.name == "add":
            right = self.distance(op.operands[1])
            return left[0] + right[0], left[1] + right[1]
        by = _known(op.operands[1])
        if by < 0 or (op.name == "shl" and by > 16):
            raise _Unknown
        by = 1 << by if op.name == "shl" else by
        return left[0] * by, left[1] * by

    def last(self, index: Value) -> Operand:
        """The distance of the farthest index, in front of the loop."""
        fixed, times = self.distance(index)
        count = self.loop.operands[0]
        if isinstance(count, Const):
            fixed, times = fixed + times * (_known(count) - 1), 0
        if fixed >= _MOST or times > 1:
            raise _Unknown
        if not times:
            return int_const(index.type, fixed)
        if index.type != count.type:
            raise _Unknown
        return self.build.op("add", [count, int_const(index.type, fixed - 1)], index.type)

    def comes_to(self, region: Region) -> list[Operand]:
        """The conditions with which there is a first thread and it comes to `region` in its first trip, the outermost
        one last, in front of the loop."""
        conditions: list[Operand] = []
        while region in self.around:
            op, outer = self.around[region]
            if op.name == "if":
                taken = self.of_first(op.operands[0])
                conditions.append(taken if region is op.regions[0] else self.build.op("xor", [taken, TRUE], "i1"))
            elif op.name != "for":
                raise _Unknown
            else:
                _trips(op)
            region = outer
        if not isinstance(self.loop.operands[0], Const):
            conditions.append(self.build.op("icmp", [self.loop.operands[0], int_const("i32", 0)], "i1", pred="sgt"))
        return conditions

    def is_known(self, op: Op, known: Iterable[Value]) -> bool:
        """Whether `op` computes from what is there in front of the loop and `known`."""
        free = {each for each in free_values(op) if each in self.inside}
        return free <= set(known) and self.computes(op)

    def computes(self, op: Op) -> bool:
        """Whether `op` does nothing but compute, and load what nothing writes."""
        return all(is_arithmetic(each) or each.name in _CONTROL or self._loads_constant(each) for each in walk_op(op))

    def _loads_constant(self, op: Op) -> bool:
        if not is_plain_load(op):
            return False
        root, makers = op.operands[0], self.shapes.ranges.definitions
        while isinstance(root, Value) and root in makers and makers[root].name == "gep":
            root = makers[root].operands[0]
        return root in self.constants


def _known(operand: Operand) -> int:
    number = signed_value(operand) if isinstance(operand, Const) else None
    if number is None:
        raise _Unknown
    return number


def _trips(loop: Op) -> int:
    """How often a `for` runs: known, and at least once."""
    trips = known_trips(loop)
    if not trips or _known(loop.operands[0]) < 0:
        raise _Unknown
    return trips


def _start(loop: Op, param: Value) -> Operand:
    """What a value that `loop` carries begins with; _Unknown where it changes."""
    number = loop.region.params.index(param) - 1
    if loop.region.terminator.operands[number] is not param:
        raise _Unknown
    return loop.operands[3 + number]


def ask_once(block: Block, asked: Asked) -> Op | None:
    """Let a choice ask what has been asked in front of the loop: the op that takes its place, None where it stays.
    What follows from the row alone moves from the version to the choice."""
    made = [*asked.ops, *asked.body.ops]
    block.inside.update(value for op in made for value in defined_in(op))
    block.shapes.ranges.definitions.update({value: op for each in made for op in walk_op(each) for value in op.results})
    follows = _follows(block, asked)
    if not any(op.name == "while" for op in follows) or not _is_of_indices(block, asked):
        return None
    written, first = len(block.front), dict(block.first)
    try:
        conditions = block.comes_to(asked.place)
        ends = {index: (block.of_first(index), block.last(index)) for index in asked.ends}
    except _Unknown:
        del block.front[written:]
        block.first = first
        return None
    _move(asked, follows)
    everything = _ask_for_all(block, asked, ends, conditions)
    results = [Value(each.type, each.name) for each in asked.choice.results]
    known = Region([], [Op("yield", list(everything))])
    alone = Region([], [asked.choice, Op("yield", list(asked.choice.results))])
    replace_uses(asked.body, dict(zip(asked.choice.results, results, strict=True)))
    return Op("if", [everything[0]], [*results], {}, [known, alone], asked.choice.loc)


def _follows(block: Block, asked: Asked) -> list[Op]:
    """The ops of the version that follow from what all threads share."""
    known, found = set(asked.choice.results[1:]), list[Op]()
    for op in asked.body.body:
        if block.is_known(op, known):
            known.update(op.results)
            found.append(op)
    return found


def _is_of_indices(block: Block, asked: Asked) -> bool:
    """Whether what is asked is computed, of a thread's indices and of nothing else that it has."""
    made = {value for op in asked.ops for value in defined_in(op)} | {asked.lane, *asked.ends}
    free = {value for op in asked.ops for value in free_values(op)}
    return not (free & block.inside) - made and all(map(block.computes, asked.ops))


def _move(asked: Asked, follows: list[Op]) -> None:
    """Let the choice compute `follows` where all claims hold."""
    yes, no = (region.terminator.operands for region in asked.choice.regions)
    asked.body.ops = [op for op in asked.body.ops if op not in follows]
    used = {value for op in asked.body.ops for value in used_in(op)}
    passed = [value for op in follows for value in op.results if value in used]
    inner, outer = ([Value(each.type, each.name) for each in passed] for _ in range(2))
    taken = Region([], [*follows, Op("yield", [*passed])])
    replace_uses(taken, dict(zip(asked.choice.results, yes, strict=True)))
    replace_uses(asked.body, dict(zip(passed, outer, strict=True)))
    nothing = [Const(each.type, "poison") for each in passed]
    computed = Op("if", [yes[0]], [*inner], {}, [taken, Region([], [Op("yield", [*nothing])])], asked.choice.loc)
    asked.choice.regions[0].ops.insert(-1, computed)
    asked.choice.results += outer
    yes += inner
    no += nothing


def _ask_for_all(
    block: Block, asked: Asked, ends: Mapping[Value, tuple[Operand, Operand]], conditions: list[Operand]
) -> list[Value]:
    """What the choice gives where its first thread is the first one of the block, and its last thread the last one."""
    mapping: dict[Value, Operand] = {index: first for index, (first, _) in ends.items()}
    mapping[asked.lane] = int_const("i32", 0)
    copy = [clone_op(op, mapping) for op in asked.ops]
    makers = {value: op for each in copy for op in walk_op(each) for value in op.results}
    for index, (_, distance) in ends.items():
        last = mapping[asked.ends[index][1]]
        assert isinstance(last, Value)
        makers[last].operands[1] = distance
    results = copy[-1].results
    if not conditions:
        block.front += copy
        return results
    build, total = block.build, conditions[-1]
    for each in reversed(conditions[:-1]):  # what is asked last may be poison where those before do not hold
        total = build.op("select", [total, each, FALSE], "i1")
    nothing = [FALSE, *(Const(each.type, "poison") for each in results[1:])]
    sides = [Region([], [*copy, Op("yield", [*results])]), Region([], [Op("yield", [*nothing])])]
    made = [Value(each.type, each.name) for each in results]
    build.add(Op("if", [total], [*made], {}, sides, asked.choice.loc))
    return made
