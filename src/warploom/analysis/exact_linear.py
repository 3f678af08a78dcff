# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Integers of the IR as exact linear functions of the thread ids.

    %m: i32 = mul %bx, %bdx
    %i: i32 = add %m, %tx             exactly  tx + m,  0 <= tx + m < 2^31
    %w: i64 = sext %i                 exactly  tx + m

IR arithmetic wraps; a loop bound may be computed from `%i < %n` only where it does not. `Exact.lift` answers with a sum
over the integers, or None where a step may wrap. A step does not wrap when LLVM's flags say so, or when its range fits.
Ranges come from what CUDA allows in a launch (blocks of 1024 threads, 65535 blocks in y and z) and from an assumption:
a launch has at most LAUNCH_LIMIT threads in x, or in all where the kernel numbers the blocks of a plane; where threads
have several elements each, numbered in 32 bits (`blockIdx.x * 512` in blocks of 128), at most that many elements. CUDA
allows more, and a 32-bit index then wraps. Whoever relies on it notes the fact `launch_limit_x` (gdx * bdx is at most
that) or `launch_limit` (all six dimensions multiplied) by `note_limits`, and the kernel's entry sends a larger launch
to code for which nothing was assumed: a function with the fact `any_launch`.
"""

from __future__ import annotations

from enum import Enum

from warploom.analysis.integers import (
    Range,
    fits,
    range_add,
    range_of_number,
    range_of_op,
    range_scale,
    signed_value,
    type_range,
)
from warploom.analysis.intervals import has_rule, op_interval
from warploom.analysis.sums import Sum, factors_of
from warploom.core.launch import LAUNCH_LIMIT, MAX_BLOCK, MAX_GRID
from warploom.core.records import dataclass, field, replace
from warploom.ir import types
from warploom.ir.core import Const, Function, Op, Operand, Value, flags_of, walk
from warploom.ir.properties import is_duplicable, is_speculatable

MAX_DEPTH = 12
MOST_ELEMENTS = 16  # of a thread: larger factors are of random numbers and the like, and say nothing of a launch's size
_SUMS = frozenset("add sub mul shl or xor".split())


class Limit(Enum):
    """What may be assumed of a launch: that it has at most LAUNCH_LIMIT threads ..."""

    ALONG_X = "x"
    IN_ALL = "x y z"


@dataclass(frozen=True, slots=True)
class Shared:
    """A value that all threads share, read as signed or unsigned."""

    value: Value
    signed: bool


@dataclass(frozen=True, slots=True)
class Linear:
    """A sum over thread ids and shared values, over the integers; between `low` and `high`."""

    sum: Sum[Value | Shared]  # a Value: a thread's id
    low: int
    high: int

    @property
    def threads(self) -> dict[Value, int]:
        """The factor of each thread id."""
        return {each: factor for each, factor in self.sum.terms.items() if isinstance(each, Value)}

    @property
    def shared(self) -> dict[Shared, int]:
        """The factor of each shared value."""
        return {each: factor for each, factor in self.sum.terms.items() if isinstance(each, Shared)}

    @property
    def constant(self) -> int:
        """What is added to all terms."""
        return self.sum.constant

    def plus(self, other: Linear, sign: int = 1) -> Linear:
        """self + sign * other."""
        low, high = (other.low, other.high) if sign > 0 else (-other.high, -other.low)
        return Linear(self.sum.plus(other.sum, sign), self.low + low, self.high + high)

    def times(self, factor: int) -> Linear:
        """factor * self."""
        return Linear(self.sum.times(factor), *range_scale((self.low, self.high), factor))


def constant(number: int) -> Linear:
    """A number."""
    return Linear(Sum(number), number, number)


@dataclass(slots=True)
class Ranges:
    """What is known of the integers of one function."""

    function: Function
    definitions: dict[Value, Op] = field(default_factory=dict[Value, Op])
    known: dict[Value, Range] = field(default_factory=dict[Value, Range])
    index_of: dict[Value, int] = field(default_factory=dict[Value, int])  # block ids: dimension
    assumed: dict[Limit, int] = field(default_factory=dict[Limit, int])  # the most threads that answers relied on
    elements: int = 1  # of each thread of a launch, at least: LAUNCH_LIMIT is for all of them

    def __post_init__(self) -> None:
        for dimension in range(3):
            self.known[self.function.params[dimension]] = (1, MAX_GRID[dimension])
            self.known[self.function.params[3 + dimension]] = (1, MAX_BLOCK[dimension])
        definitions = self.definitions
        for op in walk(self.function.body):
            for value in op.results:
                definitions[value] = op
            if not op.regions:
                continue
            if op.name == "block":
                for value, bound, most in zip(op.region.params, op.operands, MAX_BLOCK, strict=True):
                    size = signed_value(bound) if isinstance(bound, Const) else None
                    self.known[value] = (0, max(0, (most if size is None else size) - 1))
            if op.name == "grid":
                for dimension, value in enumerate(op.region.params):
                    self.index_of[value] = dimension
                    self.known[value] = (0, MAX_GRID[dimension] - 1)

    @property
    def is_for_any_launch(self) -> bool:
        """Whether nothing may be assumed of how many threads there are."""
        return self.function.facts.any_launch

    def _block_sizes(self) -> tuple[int, int, int]:
        """The block's size where a variant has it, else 1."""
        x, y, z = self.function.facts.block or (1, 1, 1)
        return max(1, x), max(1, y), max(1, z)

    def of(self, operand: Operand, signed: bool, depth: int = 0) -> Range:
        """The range of `operand` read as signed or unsigned."""
        whole = type_range(operand.type, signed)
        found = self._of(operand, signed, depth)
        return found if found is not None and fits(found, whole) else whole

    def _of(self, operand: Operand, signed: bool, depth: int) -> Range | None:
        if isinstance(operand, Const):
            value = signed_value(operand)
            if value is None:
                return None
            number = value if signed else value & type_range(operand.type, False)[1]
            return number, number
        if operand in self.known:
            low, high = self.known[operand]
            width = self._block_sizes()[0]
            others = self.index_of.get(operand) != 0 and operand is not self.function.params[0]
            if width == 1 or others or self.is_for_any_launch:
                return low, high
            return low, min(high, self._limit(Limit.ALONG_X) // width)
        op = self.definitions.get(operand)
        if op is None or depth > MAX_DEPTH or not types.is_int(operand.type):
            return None
        return self._of_op(op, signed, depth + 1)

    def _of_op(self, op: Op, signed: bool, depth: int) -> Range | None:
        given = op.attrs.get("range")
        if isinstance(given, tuple):
            low, high = given
            assert isinstance(low, int), "the least of a range"
            assert isinstance(high, int), "the most of a range"
            return low, high
        if op.name in ("sext", "zext"):
            return self.of(op.operands[0], op.name == "sext", depth)
        if op.name == "trunc":
            return self.of(op.operands[0], signed, depth)
        limit = self._launch_product(op)
        if limit is not None:
            return 0, limit
        if op.name not in ("add", "sub", "mul", "shl"):
            return self._of_any(op, signed, depth)
        left, right = (self.of(each, signed, depth) for each in op.operands)
        if op.name == "shl" and not (0 <= right[0] == right[1] < 64 and left[0] >= 0):
            return None
        found = range_of_op(op.name, left, right)
        if op.name in ("mul", "shl") and found[1] > type_range(op.result.type, signed)[1]:
            return self._of_elements(op, signed, found[1], depth)
        return found

    def _of_any(self, op: Op, signed: bool, depth: int) -> Range | None:
        """The range of an op that is no sum, from its operands as signed numbers: the same unsigned if not negative."""
        if not has_rule(op):
            return None
        limits, before = type_range(op.result.type), dict(self.assumed)
        operands = [self.of(each, True, depth) if types.is_int(each.type) else limits for each in op.operands]
        found = op_interval(op, operands, limits)
        if found == op_interval(op, [type_range(each.type) for each in op.operands], limits):
            self.assumed = before  # nothing of the launch went into it
        return found if signed or found[0] >= 0 else None

    def _of_elements(self, op: Op, signed: bool, most: int, depth: int) -> Range | None:
        """The range of the product `op` if a launch has no more elements than LAUNCH_LIMIT, several of each thread.

        None where it may wrap even so. `most`: how large it gets otherwise.
        """
        if self.is_for_any_launch or op.result.type != "i32":
            return None
        before, assumed = self.elements, dict(self.assumed)
        self.elements *= -(-most // LAUNCH_LIMIT)
        found: Range | None = None
        if self.elements <= MOST_ELEMENTS:
            left, right = (self.of(each, signed, depth) for each in op.operands)
            found = range_of_op(op.name, left, right)
        if found is None or not fits(found, type_range(op.result.type, signed)):
            found, self.assumed = None, assumed
        self.elements = before
        return found

    def _limit(self, limit: Limit) -> int:
        most = LAUNCH_LIMIT // self.elements
        self.assumed[limit] = min(most, self.assumed.get(limit, most))
        return most

    def note_limits(self) -> None:
        """Note at the kernel what was assumed of its launches: from now on its code relies on that."""
        facts = self.function.facts
        along_x, in_all = self.assumed.get(Limit.ALONG_X), self.assumed.get(Limit.IN_ALL)
        if along_x is not None:
            facts = replace(facts, launch_limit_x=min(along_x, facts.launch_limit_x or along_x))
        if in_all is not None:
            facts = replace(facts, launch_limit=min(in_all, facts.launch_limit or in_all))
        self.function.facts = facts

    def _launch_product(self, op: Op) -> int | None:
        """The most that `op` is when it counts blocks or threads of a launch."""
        if self.is_for_any_launch:
            return None
        grid_x, block_x = self.function.params[0], self.function.params[3]
        if op.name == "add" and self._is_block_number(op.result):
            x, y, z = self._block_sizes()
            return self._limit(Limit.IN_ALL) // (x * y * z)
        if op.name != "mul":
            return None
        for index, size in (op.operands, op.operands[::-1]):
            if size is block_x and isinstance(index, Value) and (index is grid_x or self.index_of.get(index) == 0):
                return self._limit(Limit.ALONG_X)
            if self._is_block_number(index) and self._is_block_volume(size):
                return self._limit(Limit.IN_ALL)
        return None

    def _is_block_number(self, operand: Operand) -> bool:
        """Whether `operand` is blockIdx.x or blockIdx.x + gridDim.x * blockIdx.y."""
        if not isinstance(operand, Value) or self.index_of.get(operand) == 0:
            return isinstance(operand, Value)
        for column, row in self._sides(operand, "add"):
            if isinstance(column, Value) and self.index_of.get(column) == 0:
                grid_x = self.function.params[0]
                return any(
                    a is grid_x and isinstance(b, Value) and self.index_of.get(b) == 1
                    for a, b in self._sides(row, "mul")
                )
        return False

    def _is_block_volume(self, operand: Operand) -> bool:
        """Whether `operand` is blockDim.x or blockDim.x * blockDim.y."""
        x, y = self.function.params[3:5]
        return operand is x or any(a is x and b is y for a, b in self._sides(operand, "mul"))

    def _sides(self, operand: Operand, name: str) -> list[tuple[Operand, Operand]]:
        """The operands of the op `name` that makes `operand`, in both orders."""
        op = self.definitions.get(operand) if isinstance(operand, Value) else None
        if op is None or op.name != name:
            return []
        left, right = op.operands
        return [(left, right), (right, left)]


@dataclass(slots=True)
class Exact:
    """Linear forms of the values inside one thread loop."""

    ranges: Ranges
    threads: frozenset[Value]
    inside: set[Value]  # all that the loop defines
    uniform: dict[Value, bool] = field(default_factory=dict[Value, bool])
    lifted: dict[tuple[Operand, bool], Linear | None] = field(default_factory=dict[tuple[Operand, bool], Linear | None])

    def is_uniform(self, operand: Operand) -> bool:
        """Whether `operand` can be computed outside of the loop: from outside, or pure and of such operands."""
        if isinstance(operand, Const) or operand not in self.inside:
            return True
        if operand not in self.uniform:
            op = self.ranges.definitions.get(operand)
            self.uniform[operand] = False
            if op is not None and is_speculatable(op) and is_duplicable(op) and not op.regions:
                self.uniform[operand] = all(self.is_uniform(each) for each in op.operands)
        return self.uniform[operand]

    def lift(self, operand: Operand, signed: bool) -> Linear | None:
        """`operand`, read as signed or unsigned, as a sum; None where that may wrap or is no sum."""
        if not types.is_int(operand.type) or types.bits(operand.type) > 64:
            return None
        if (operand, signed) not in self.lifted:
            self.lifted[operand, signed] = self._either(operand, signed)
        return self.lifted[operand, signed]

    def _either(self, operand: Operand, signed: bool) -> Linear | None:
        found = self._lift(operand, signed)
        if found is not None:
            return found
        # Not negative in the other reading means the same number in this one.
        other = self._lift(operand, not signed)
        return (
            other
            if other is not None and fits((other.low, other.high), (0, type_range(operand.type, True)[1]))
            else None
        )

    def without_threads(self, side: Linear) -> Linear:
        """`side` less its thread ids, with a range that holds whatever LLVM's flags promise of the whole."""
        total, shared = range_of_number(side.constant), side.shared
        for each, factor in shared.items():
            total = range_add(total, range_scale(self.ranges.of(each.value, each.signed), factor))
        return Linear(Sum(side.constant, {**shared}), *total)

    def _lift(self, operand: Operand, signed: bool) -> Linear | None:
        if isinstance(operand, Const):
            if signed_value(operand) is None:
                return None
            return constant(self.ranges.of(operand, signed)[0])
        if operand in self.threads:
            return Linear(Sum(0, {operand: 1}), *self.ranges.of(operand, signed))
        if self.is_uniform(operand):
            return Linear(Sum(0, {Shared(operand, signed): 1}), *self.ranges.of(operand, signed))
        op = self.ranges.definitions.get(operand)
        return None if op is None else self._lift_op(op, signed)

    def _lift_op(self, op: Op, signed: bool) -> Linear | None:
        if len(op.results) != 1:  # a loop
            return None
        type_ = op.result.type
        if op.name in ("sext", "zext", "trunc"):
            inner = self.lift(op.operands[0], op.name == "sext" or (op.name == "trunc" and signed))
            return inner if inner is not None and fits((inner.low, inner.high), type_range(type_, signed)) else None
        if op.name not in _SUMS:
            return None
        left, right = (self.lift(each, signed) for each in op.operands)
        total = combine(op, left, right) if left is not None and right is not None else None
        if total is None:
            return None
        whole = type_range(type_, signed)
        if fits((total.low, total.high), whole):
            return total
        if op.name == "or" or ("nsw" if signed else "nuw") in flags_of(op):
            return Linear(total.sum, max(total.low, whole[0]), min(total.high, whole[1]))
        return None


def combine(op: Op, left: Linear, right: Linear) -> Linear | None:
    """What an op of two sums is over the integers, where it does not wrap; None where that is no sum."""
    factors = factors_of(op, lambda operand: _number(left if operand is op.operands[0] else right))
    if factors is None:
        return None
    one, other, number = factors
    total = left.times(one).plus(right.times(other)) if other else left.times(one)
    return total.plus(constant(number)) if number else total


def _number(form: Linear) -> int | None:
    return None if form.sum.terms else form.constant
