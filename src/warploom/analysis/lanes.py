# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""How the values of a thread loop differ between neighbouring threads: what a vector of threads makes of them.

    block 256, 16, 1 { (%tx, %ty, %tz)              dims    stride
      %row: i32 = mul %ty, %n                        y        0        a scalar for each row
      %i: i32 = add %row, %tx [flags=(nsw)]          x y      1        base + (0, 1, 2, ...)
      %p: ptr = gep %a, %i [strides=(4)]             x y      4        a contiguous access
      %v: float = load %p                            x y      -        a vector

`dims` says along which axes a value may differ. `stride` is how much more the next thread in x has, modulo 2^width; -
where that is not the same everywhere. `exact`: over the signed integers, too, for all threads that execute the
definition; so a stride goes through sext. Where the sum may wrap between neighbours, the extended value still has its
stride whenever it does not: it is `guarded`, and the code asks at run time (one scalar comparison). So is an index
that is clamped to the edge of an array: it counts on for the threads that the clamp leaves alone. `align` is a power
of two that divides the value of a vector's first thread.

Control flow counts as in analysis/uniformity.py: what an `if` yields differs where its condition does, and what a loop
yields where threads leave it in different iterations. A plain load differs as its address does. The answer is the
largest fixpoint: carried values start out as what the loop starts with.
"""

from __future__ import annotations

from collections.abc import Callable

from warploom.analysis.access_group import AccessGroup
from warploom.analysis.exact_linear import Ranges
from warploom.analysis.integers import divisor_of, fits, range_of_op, signed_value, type_range
from warploom.analysis.lane_shapes import ANY, Shape, X, Y, aligned, join, varying
from warploom.core.patterns import regex
from warploom.core.records import dataclass, field, replace
from warploom.ir import types
from warploom.ir.core import Const, Op, Operand, Region, Value, flags_of, is_undefined
from warploom.ir.ops import private_size
from warploom.ir.properties import follows_operands

TOGETHER = "together"  # of a loop: only iterations that all threads of a vector run
SPREAD = "spread"  # of an `alloca`: one piece of memory for all threads of a vector
CLAMP = regex(r"llvm\.[su](min|max)\.i(32|64)")
_MOST_ALIGN = 1 << 12
_DEPTH = 4  # ops that the number of a block's first thread is computed by


@dataclass(slots=True)
class Shapes:
    """The shapes of one thread loop's values, for vectors of `width` threads."""

    ranges: Ranges
    width: int
    shapes: dict[Value, Shape] = field(default_factory=dict[Value, Shape])
    trips: dict[Op, int] = field(default_factory=dict[Op, int])  # of loops: dims of the number of iterations
    groups: dict[Op, AccessGroup] = field(default_factory=dict[Op, AccessGroup])  # of accesses with a small stride
    changed: bool = True

    def of(self, operand: Operand) -> Shape:
        """The shape of a value; what the loop does not define is uniform."""
        if isinstance(operand, Const):
            return aligned(_const_align(operand))
        return self.shapes.get(operand) or aligned(self._align_outside(operand))

    def is_divergent(self, op: Op) -> bool:
        """Whether threads of one vector part at the `if` or loop `op`."""
        dims = self.of(op.operands[0]).dims if op.name == "if" else self.trips[op]
        return bool(dims & X)

    # -- fixpoint

    def solve(self, loop: Op, lane: Value) -> None:
        """Find the shapes of everything in the thread loop `loop`; `lane` counts the threads of a vector."""
        x, *others = loop.region.params
        self.shapes[x] = Shape(X, 1, True, self.width)
        self.shapes[lane] = Shape(X, 1, True, _MOST_ALIGN)
        if others:
            self.shapes[others[0]] = Shape(Y)
        while self.changed:
            self.changed = False
            self._region(loop.region)

    def _set(self, value: Value, shape: Shape) -> None:
        if not types.is_int(value.type) and value.type != "ptr" and shape.dims & X:
            shape = varying(shape.dims)
        self.shapes[value] = shape

    def _join_used(self, value: Value, following: Operand) -> None:
        """What a loop carries on: where that tells more of what was used before, all is to be looked at again."""
        before = self.shapes[value]
        self._set(value, join(before, self.of(following)))
        self.changed |= self.shapes[value] != before

    def _region(self, region: Region) -> None:
        for op in region.ops:
            if op.name == "if":
                self._if(op)
            elif op.name == "for":
                self._for(op)
            elif op.name == "while":
                self._while(op)
            else:
                for result in op.results:
                    self._set(result, self._op(op, result))

    def _if(self, op: Op) -> None:
        for region in op.regions:
            self._region(region)
        dims = self.of(op.operands[0]).dims
        sides = (region.terminator.operands for region in op.regions)
        for result, x, y in zip(op.results, *sides, strict=True):
            self._set(result, self.of(x).kept if x == y else self.chosen(dims, x, y))

    def chosen(self, dims: int, x: Operand, y: Operand) -> Shape:
        """One of two values, by a condition that differs along `dims`."""
        for poison, other in ((x, y), (y, x)):
            if is_undefined(poison):
                return self.of(other).kept  # the other one may be any value
        both = join(self.of(x), self.of(y))
        return varying(both.dims | dims) if dims & X else _along(both, dims)

    def _for(self, op: Op) -> None:
        lower, upper, step, *init = op.operands
        start, end, by = self.of(lower), self.of(upper), self.of(step)
        trip = start.dims | end.dims | by.dims
        if op.attrs.get(TOGETHER):
            trip &= ~X
        self.trips[op] = trip
        counter, *carried = op.region.params
        self._set(counter, self._counter(op, start, by))
        for param, first in zip(carried, init, strict=True):
            self._set(param, join(self.of(first), self.shapes.get(param, self.of(first).kept)))
        self._region(op.region)
        for param, result, following in zip(carried, op.results, op.region.terminator.operands, strict=True):
            self._join_used(param, following)
            self._set(result, self._left(trip, self.of(param)))

    def _counter(self, op: Op, start: Shape, by: Shape) -> Shape:
        if not op.attrs.get(TOGETHER):  # else the loop asks
            start = start.kept
        dims = start.dims | by.dims
        if not by.is_uniform or start.stride is None:
            return varying(dims)
        exact = bool(op.attrs.get(TOGETHER)) or not dims & X or (start.exact and "nsw" in flags_of(op))
        return Shape(dims, start.stride, exact, min(start.align, by.align))

    def _left(self, trip: int, shape: Shape) -> Shape:
        """What threads have that leave a loop, whose iterations differ along `trip`, with a value of `shape`."""
        return varying(shape.dims | trip) if trip & X else _along(shape, trip)

    def _while(self, op: Op) -> None:
        before, after = op.regions
        for param, first in zip(before.params, op.operands, strict=True):
            self._set(param, join(self.of(first), self.shapes.get(param, self.of(first).kept)))
        self._region(before)
        condition, *passed = before.terminator.operands
        trip = self.of(condition).dims
        if op.attrs.get(TOGETHER):
            trip &= ~X
        self.trips[op] = trip
        for param, value in zip(after.params, passed, strict=True):
            self._set(param, self.of(value).kept)
        self._region(after)
        for param, following in zip(before.params, after.terminator.operands, strict=True):
            self._join_used(param, following)
        for result, value in zip(op.results, passed, strict=True):
            self._set(result, self._left(trip, self.of(value).kept))

    # -- ops

    def _op(self, op: Op, result: Value) -> Shape:
        dims = 0
        for operand in op.operands:
            dims |= self.of(operand).dims
        if op.name == "alloca":
            return Shape(Y) if op.attrs.get(SPREAD) else Shape(X | Y, private_size(op))
        if op.name != "load" and not follows_operands(op):
            return ANY
        rule = _RULES.get(op.name)
        if not dims & X:
            return Shape(dims, align=_align(op, lambda each: self.of(each).align))
        shape = rule(self, op, result) if rule is not None else None
        return shape if shape is not None else varying(dims)

    def _align_outside(self, operand: Operand, depth: int = 0) -> int:
        """What divides a value from in front of the loop: of the number of a block's first thread, the block's size."""
        if isinstance(operand, Const):
            return _const_align(operand)
        op = self.ranges.definitions.get(operand) if depth < _DEPTH else None
        return _align(op, lambda each: self._align_outside(each, depth + 1)) if op is not None else 1

    def stays_exact(self, op: Op) -> bool:
        """Whether the sum, difference or product `op` of exact operands does not wrap."""
        if not all(self.of(each).exact for each in op.operands):
            return False
        if "nsw" in flags_of(op) or op.name == "or":
            return True
        left, right = (self.ranges.of(each, signed=True) for each in op.operands)
        if op.name == "shl" and not 0 <= right[0] == right[1] < 64:
            return False
        return fits(range_of_op(op.name, left, right), type_range(op.result.type, signed=True))


def _along(shape: Shape, dims: int) -> Shape:
    """`shape`, which may differ along `dims`, too."""
    return shape if shape.dims | dims == shape.dims else replace(shape, dims=shape.dims | dims)


def _number(operand: Operand) -> int | None:
    return signed_value(operand) if isinstance(operand, Const) else None


def _align(op: Op, of: Callable[[Operand], int]) -> int:
    """What divides the result of `op`, by what divides operands."""
    if op.name in ("add", "sub"):
        return min(map(of, op.operands))
    if op.name == "mul":
        return min(_MOST_ALIGN, of(op.operands[0]) * of(op.operands[1]))
    amount = _number(op.operands[1]) if op.name == "shl" else None
    if amount is not None and 0 <= amount < 64:
        return min(_MOST_ALIGN, of(op.operands[0]) << amount)
    return of(op.operands[0]) if op.name in ("sext", "zext", "trunc") else 1


def _const_align(operand: Const) -> int:
    number = signed_value(operand)
    if number is None:
        return 1
    return min(_MOST_ALIGN, number & -number) if number else _MOST_ALIGN


# -- one rule an op that has an operand which differs in x


def _sum(shapes: Shapes, op: Op, _: Value) -> Shape | None:
    if op.name == "or" and "disjoint" not in flags_of(op):
        return None
    a, b = (shapes.of(each) for each in op.operands)
    if a.stride is None or b.stride is None:
        return None
    stride = a.stride - b.stride if op.name == "sub" else a.stride + b.stride
    if stride == 0 and not a.guarded and not b.guarded:
        return Shape((a.dims | b.dims) & ~X)  # the first thread's is everybody's
    return _derived(shapes, op, stride, a.dims | b.dims, min(a.align, b.align))


def _derived(shapes: Shapes, op: Op, stride: int, dims: int, align: int) -> Shape:
    """The result of arithmetic on values with strides: guarded where an operand is."""
    guarded = any(shapes.of(each).guarded for each in op.operands)
    return Shape(dims, stride, shapes.stays_exact(op), align, guarded)


def _scaled(shapes: Shapes, op: Op, result: Value) -> Shape | None:
    a, b = op.operands
    if _number(b) is None:
        a, b = b, a
    number, shape = _number(b), shapes.of(a)
    if op.name == "shl":
        if b is not op.operands[1] or number is None or not 0 <= number < types.bits(result.type):
            return None
        number = 1 << number
    if number is None or number == 0 or shape.stride is None:
        return None
    align = min(_MOST_ALIGN, shape.align * _const_align(Const("i64", number & -number)))
    return _derived(shapes, op, shape.stride * number, shape.dims, align)


def _extended(shapes: Shapes, op: Op, result: Value) -> Shape | None:
    shape = shapes.of(op.operands[0])
    if shape.stride is None or types.bits(result.type) != 64 or (shape.guarded and not shape.exact):
        return None
    unsigned = op.name == "zext" and "nneg" not in flags_of(op)
    if shape.exact and not (unsigned and shapes.ranges.of(op.operands[0], signed=True)[0] < 0):
        return shape
    # A sum may wrap, and what does not wrap as a signed number may do so between -1 and 0 as an unsigned one.
    is_asked = types.bits(op.operands[0].type) == 32 and not shape.guarded
    return replace(shape, exact=True, guarded=True, align=1) if is_asked else None


def _truncated(shapes: Shapes, op: Op, result: Value) -> Shape | None:
    shape = shapes.of(op.operands[0])
    if not types.is_int(result.type) or types.bits(result.type) == 1 or shape.stride is None:
        return None
    inside = fits(shapes.ranges.of(op.operands[0], signed=True), type_range(result.type, signed=True))
    return None if shape.guarded else replace(shape, exact=shape.exact and inside)


def _selected(shapes: Shapes, op: Op, _: Value) -> Shape | None:
    condition, x, y = op.operands
    if types.is_vector(condition.type):
        return None
    shape = shapes.chosen(shapes.of(condition).dims, x, y)
    return shape if shape.stride is not None else _clamped(shapes, op, op.result)


def counting(shapes: Shapes, op: Op) -> Operand | None:
    """The one of the operands of a `select` or of a call that clamps which counts threads."""
    choices = op.operands[1:] if op.name == "select" else op.operands
    known = [each for each in choices if shapes.of(each).stride]
    return min(known, key=lambda each: shapes.of(each).guarded, default=None)


def _clamped(shapes: Shapes, op: Op, result: Value) -> Shape | None:
    if op.name == "call" and not CLAMP.fullmatch(str(op.attrs["callee"])):
        return None
    source = counting(shapes, op)
    if source is None or not types.is_int(result.type):
        return None
    dims = 0
    for operand in op.operands:
        dims |= shapes.of(operand).dims
    shape = shapes.of(source)
    return Shape(dims, shape.stride, shape.exact, guarded=True)


def _address(shapes: Shapes, op: Op, _: Value) -> Shape | None:
    base, *indices = op.operands
    total, dims = shapes.of(base).stride, shapes.of(base).dims
    guarded = shapes.of(base).guarded
    strides = op.attrs.get("strides", ())
    assert isinstance(strides, tuple)
    for index, scale in zip(indices, strides, strict=True):
        shape = shapes.of(index)
        dims |= shape.dims
        guarded |= shape.guarded
        known = shape.stride is not None and (shape.exact or index.type == "i64")
        total = (
            total + shape.stride * int(str(scale)) if known and total is not None and shape.stride is not None else None
        )
    return Shape(dims, total, False, guarded=guarded) if total is not None else varying(dims)


def _as_number(shapes: Shapes, op: Op, result: Value) -> Shape | None:
    shape = shapes.of(op.operands[0])
    return (
        replace(shape, exact=False) if result.type in ("i64", "ptr") and op.operands[0].type in ("i64", "ptr") else None
    )


def _flipped(shapes: Shapes, op: Op, _: Value) -> Shape | None:
    """x ^ -1, which is -1 - x: what LLVM makes of the end of `n - 1 - x`. It never wraps."""
    shape = shapes.of(op.operands[0])
    if _number(op.operands[1]) != -1 or shape.stride is None:
        return None
    return Shape(shape.dims, -shape.stride, shape.exact, guarded=shape.guarded)


def _whole_groups(shapes: Shapes, op: Op, _: Value) -> Shape | None:
    """x / c, x % c, x >> c and x & c of threads that count on from a multiple of the vector's width: none wraps."""
    shape, number = shapes.of(op.operands[0]), _number(op.operands[1])
    if shape.stride != 1 or shape.align < shapes.width or shape.guarded or number is None:
        return None
    number = divisor_of(op.name, number)
    if number <= 0 or number % shapes.width:
        return None
    if op.name in ("sdiv", "srem") and shapes.ranges.of(op.operands[0], signed=True)[0] < 0:
        return None
    group = Shape(shape.dims & ~X)
    return (
        group
        if op.name in ("lshr", "ashr", "udiv", "sdiv")
        else Shape(shape.dims, 1, True, min(shape.align, number & -number))
    )


_RULES: dict[str, Callable[[Shapes, Op, Value], Shape | None]] = {
    **dict.fromkeys(("add", "sub", "or"), _sum),
    **dict.fromkeys(("mul", "shl"), _scaled),
    **dict.fromkeys(("sext", "zext"), _extended),
    **dict.fromkeys(("ptrtoint", "inttoptr"), _as_number),
    **dict.fromkeys(("udiv", "sdiv", "urem", "srem", "lshr", "ashr", "and"), _whole_groups),
    "trunc": _truncated,
    "xor": _flipped,
    "select": _selected,
    "call": _clamped,
    "gep": _address,
}
