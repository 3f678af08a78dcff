# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What is asked at the ends of loops: where it holds, a comparison holds in each trip for each lane.

Comparisons of random sums, in numbers of eight bits, which wrap often; each trip is computed by itself.
"""

from __future__ import annotations

import random

import pytest

from warploom.analysis import corners
from warploom.analysis.corners import MOST_THREADS, Corners, ends_hold
from warploom.ir.core import Builder, Const, Op, Operand, Region, Value, defined_in, int_const, walk_op
from warploom.ir.evaluate import evaluate

TYPE, VECTOR = "i8", "<4 x i8>"
LANES = ((0, 1, 2, 3), (0, 4, 8, 12), (3, 2, 1, 0), (-5, 7, 0, 0))
SATURATING = {"s": "llvm.ssub.sat.i8", "u": "llvm.usub.sat.i8"}


def number(value: int) -> Const:
    return int_const(TYPE, value)


def saturating(callee: str, left: int, right: int) -> int:
    """The difference of two numbers of eight bits, whose bits are given."""
    if callee == SATURATING["u"]:
        return max(left - right, 0)
    exact = (left - 256 * (left > 127)) - (right - 256 * (right > 127))
    return max(min(exact, 127), -128) % 256


class Example:
    """Two loops, one in the other, and a comparison in the inner one."""

    def __init__(self, choose: random.Random, *, of_unknown_trips: bool = False) -> None:
        self.choose = choose
        self.outside = [Value(TYPE, name) for name in ("a", "b")]
        self.bound = Value(TYPE, "bound")
        self.at, self.turn = Value(TYPE, "at"), Value(TYPE, "turn")
        self.steps = choose.choice((1, 2, 4, 8)), choose.choice((1, 3))
        self.trips = choose.randrange(1, 7), choose.randrange(1, 4)
        self.ops: list[Op] = []
        self.build = Builder(self.ops)
        pred = choose.choice(("slt", "sle", "sgt", "sge", "ult", "ule", "ugt", "uge"))
        left, right = self.side(), self.limit(pred)
        if choose.random() < 0.4:
            left, right = self.vector(left), self.build.op("splat", [right], VECTOR)
        sides = [left, right] if pred[1] == "l" else [right, left]
        self.comparison = self.build.add(
            Op("icmp", sides, [Value("<4 x i1>" if left.type == VECTOR else "i1")], {"pred": pred})
        )
        inner = self.loop(self.turn, 1, [*self.ops, Op("yield")], None)
        self.whole = self.loop(self.at, 0, [inner, Op("yield")], self.bound if of_unknown_trips else None)
        self.inside = defined_in(self.whole)

    def loop(self, counter: Value, which: int, ops: list[Op], bound: Value | None) -> Op:
        upper = bound or number(self.steps[which] * self.trips[which])
        operands: list[Operand] = [number(0), upper, number(self.steps[which])]
        return Op("for", operands, [], {"pred": "slt"}, [Region([counter], ops)])

    def side(self) -> Operand:
        """A random sum."""
        choose = self.choose
        total: Operand = choose.choice(self.outside)
        for _ in range(choose.randrange(1, 4)):
            part: Operand = choose.choice((self.at, self.turn, self.at, *self.outside))
            name = choose.choice(("add", "add", "sub"))
            if choose.random() < 0.5:
                part = self.build.op("mul", [part, number(choose.choice((2, 3, 5, -1, 90)))], TYPE)
            total = self.build.op(name, [total, part], TYPE)
        return total

    def limit(self, pred: str) -> Operand:
        """What it is compared with."""
        kind = self.choose.random()
        if kind < 0.3:
            return self.side()
        if kind < 0.6:
            part = self.build.op("mul", [self.turn, number(self.choose.choice((1, 4, 20, -3, 50)))], TYPE)
            whole = self.side() if self.choose.random() < 0.2 else self.outside[1]
            return self.build.op("call", [whole, part], TYPE, callee=SATURATING[pred[0]])
        return self.choose.choice((self.outside[1], number(self.choose.randrange(-128, 128))))

    def vector(self, start: Operand) -> Operand:
        lanes = ", ".join(f"i8 {lane}" for lane in self.choose.choice(LANES))
        all_ = self.build.op("splat", [start], VECTOR)
        return self.build.op("add", [all_, Const(VECTOR, f"<{lanes}>")], VECTOR)

    def asked(self) -> tuple[list[Op], list[Operand]] | None:
        """What is computed in front of the loops, and the conditions."""
        made = {value: op for op in walk_op(self.whole) for value in op.results}
        test = Corners(self.whole, self.inside, made, lambda _: False).test(self.comparison)
        if test is None:
            return None
        ops: list[Op] = []
        return ops, list(ends_hold(test, lambda value: value, Builder(ops)))

    def holds(self, known: dict[Value, int]) -> bool:
        """Whether the comparison holds in all trips for all lanes."""
        trips = len(range(0, known[self.bound], self.steps[0])) if self.bound in known else self.trips[0]
        return all(
            computed(self.ops, known | {self.at: at * self.steps[0], self.turn: turn * self.steps[1]}, lane)[
                self.comparison.result
            ]
            for at in range(trips)
            for turn in range(self.trips[1])
            for lane in range(4)
        )


def computed(ops: list[Op], known: dict[Value, int], lane: int) -> dict[Value, int]:
    """The values of `ops`; of vectors those of one lane."""
    found = dict(known)

    def of(operand: Operand) -> Const:
        if isinstance(operand, Value):
            return int_const("i1" if operand.type.endswith("i1>") else operand.type.strip("<4 x>"), found[operand])
        if operand.type != VECTOR:
            return operand
        return number(int(str(operand.value)[1:-1].split(", ")[lane].removeprefix("i8 ")))

    for op in ops:
        operands = [of(each) for each in op.operands]
        numbers = [int(each.value) for each in operands]
        if op.name == "splat":
            found[op.result] = numbers[0]
        elif op.name == "call":
            found[op.result] = saturating(str(op.attrs["callee"]), *numbers)
        else:
            type_ = "i1" if op.name == "icmp" else TYPE
            result = evaluate(Op(op.name, list(operands), [Value(type_)], op.attrs))
            assert result is not None
            found[op.result] = int(result.value)
    return found


@pytest.mark.parametrize("of_unknown_trips", [False, True])
@pytest.mark.parametrize("seed", range(4))
def test_no_comparison_fails_where_its_ends_hold(
    seed: int, *, of_unknown_trips: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(corners, "MOST_THREADS", 20)  # a small part of what eight bits count
    choose = random.Random(f"{seed} {of_unknown_trips}")
    asked, always, told = 0, 0, 0
    for _ in range(60):
        example = Example(choose, of_unknown_trips=of_unknown_trips)
        found = example.asked()
        if found is None:
            continue
        asked += 1
        for _ in range(8):
            known = {value: choose.randrange(256) for value in example.outside}
            if of_unknown_trips:
                known[example.bound] = choose.randrange(choose.choice((24, 120)))
            values = computed(found[0], known, 0)
            is_told = all(values[each] if isinstance(each, Value) else each.value for each in found[1])
            holds = example.holds(known)
            assert holds or not is_told, [str(op) for op in example.ops]
            always += holds
            told += is_told
    assert asked > 30
    assert told > always // 3


def test_it_is_exact_where_nothing_else_moves() -> None:
    """`a + at + lane < b`: it is told exactly where it holds without a wrap."""
    example = Example(random.Random(0))
    example.ops.clear()
    start = example.build.op("add", [example.outside[0], example.at], TYPE)
    lanes = Const(VECTOR, "<i8 0, i8 1, i8 2, i8 3>")
    vector = example.build.op("add", [example.build.op("splat", [start], VECTOR), lanes], VECTOR)
    limit = example.build.op("splat", [example.outside[1]], VECTOR)
    example.comparison = example.build.add(Op("icmp", [vector, limit], [Value("<4 x i1>")], {"pred": "slt"}))
    example.whole = example.loop(example.at, 0, [*example.ops, Op("yield")], None)
    example.inside = defined_in(example.whole)
    found = example.asked()
    assert found is not None
    for a in range(-128, 128):
        for b in (-128, -100, 0, 60, 127):
            known = {example.outside[0]: a % 256, example.outside[1]: b % 256}
            values = computed(found[0], known, 0)
            farthest = a + example.steps[0] * (example.trips[0] - 1) + 3
            assert all(values[each] for each in found[1] if isinstance(each, Value)) == (farthest < b)


def test_numbers_of_threads_are_not_asked_about() -> None:
    example = Example(random.Random(0))
    example.comparison = Op("icmp", [example.at, example.outside[0]], [Value("i1")], {"pred": "slt"})
    assert example.asked() is None


@pytest.mark.parametrize("pred", ["eq", "ne"])
def test_what_is_no_order_is_not_asked(pred: str) -> None:
    example = Example(random.Random(1))
    example.comparison.attrs["pred"] = pred
    assert example.asked() is None


def test_no_block_has_more_threads() -> None:
    assert MOST_THREADS == 1024
