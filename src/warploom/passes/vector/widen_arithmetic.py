# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Arithmetic of a vector of threads: on scalars, on bases with strides, or on vectors, as shapes allow.

    %i: i32 = add %row, %tx     (tx: 0, 1, 2, ...)     ==>   %i = add %row, %x0         a base; stride 1
    %w: i64 = sext %i                                  ==>   %w = the base over the integers
    %q: i32 = sdiv %a, %b                              ==>   a quotient of doubles, and choices for divisors 0 and -1

Threads that are not active compute as well, on whatever they have: an op here is defined for every operand.
"""

from __future__ import annotations

from warploom.analysis.lane_shapes import Shape, X
from warploom.analysis.lanes import counting
from warploom.core.deferred import deferred
from warploom.core.type_names import TYPE_CHECKING
from warploom.ir import types
from warploom.ir.core import Const, Op, Operand, int_const, is_undefined
from warploom.ir.ops import DIVISIONS
from warploom.ir.properties import is_speculatable
from warploom.passes.vector.vector_calls import root_under_one
from warploom.passes.vector.widen import Lanes, Unvectorisable, Widener
from warploom.passes.vector.widen_comparisons import count_lanes

if TYPE_CHECKING:
    from warploom.passes.vector import wide_division
else:
    wide_division = deferred("warploom.passes.vector.wide_division")

_PER_BIT = ("add", "sub", "mul", "shl", "or", "xor")


def arithmetic(w: Widener, op: Op) -> None:
    """An op without effects: a scalar one, one on bases, or one on vectors, as its result's shape says."""
    shape = w.shapes.of(op.result)
    if shape.guarded:
        w.define(op.result, lambda row: _guarded(w, op, shape, row))
    elif op.name == "gep":
        w.define(op.result, lambda row: _address(w, op, shape, row))
    elif shape.is_uniform and not any(w.shapes.of(each).dims & X for each in op.operands):
        w.define(op.result, lambda row: Lanes(scalar_copy(w, op, row)))
    elif shape.stride is not None:
        w.define(op.result, lambda row: _strided(w, op, shape, row))
    else:
        w.define(op.result, lambda row: Lanes(vector=_lanewise(w, op, row)))


def _guarded(w: Widener, op: Op, shape: Shape, row: int) -> Lanes:
    """Both forms of a value whose stride may not hold."""
    claims = tuple(dict.fromkeys(claim for each in op.operands for claim in w.get(each, row).claims))
    if op.name == "gep":
        lanes = _address(w, op, shape, row)
        lanes.vector = _indexed(w, op, row)
    elif op.name == "select":
        return clamped(w, op, _lanewise(w, op, row), row)
    elif op.name in ("sext", "zext") and not claims:
        source = w.get(op.operands[0], row)
        assert source.base is not None
        claims = (_stays_in_range(w, source.base, source.stride, signed=op.name == "sext"),)
        base = w.build.op(op.name, [source.base], op.result.type)
        lanes = Lanes(base, source.stride, base, _lanewise(w, op, row))
    else:
        lanes = _strided(w, op, shape, row)
        lanes.vector = _lanewise(w, op, row)
    lanes.claims = claims
    return lanes


def clamped(w: Widener, op: Op, vector: Operand, row: int) -> Lanes:
    """What counts threads but where `op`, whose result is `vector`, chooses otherwise."""
    source = counting(w.shapes, op)
    assert source is not None
    counts = w.get(source, row)
    assert counts.base is not None
    threads = w.spread(counts.base, counts.stride)
    other = w.build.op("icmp", [vector, threads], types.vector("i1", w.width), pred="ne")
    exact = w.shapes.of(source).exact
    # What another clamp did before does not matter where the result counts in the end.
    claims = (*(each for each in counts.claims if each.type == "i1"), other)
    return Lanes(counts.base, counts.stride, w.wide(source, row) if exact else None, vector, claims)


def _stays_in_range(w: Widener, base: Operand, stride: int, *, signed: bool) -> Operand:
    """Whether the i32 numbers base, base + stride, ... of a vector do not wrap."""
    reach = (w.width - 1) * stride
    least, most = (-(1 << 31), (1 << 31) - 1) if signed else (0, (1 << 32) - 1)
    bound, relation = (most - reach, "le") if stride > 0 else (least - reach, "ge")
    predicate = ("s" if signed else "u") + relation
    return w.cached(
        ("range", base, stride, signed),
        lambda: w.build.op("icmp", [base, int_const("i32", bound)], "i1", pred=predicate),
    )


def scalar_copy(w: Widener, op: Op, row: int) -> Operand:
    """A scalar op, as all threads of a row have the same."""
    if is_speculatable(op):
        return _copy(w, op, row)
    (found,) = w.if_row_runs(row, w.dims_of(op), lambda: [_copy(w, op, row)])
    return found


def select(w: Widener, op: Op) -> None:
    """Where one choice is poison the other one is as good, and may be a scalar when the condition is none."""
    _, *choices = op.operands
    for one, other in (choices, choices[::-1]):
        if is_undefined(other):
            w.values[op.result] = [w.get(one, row) for row in range(w.rows)]
            return
    arithmetic(w, op)


def _copy(w: Widener, op: Op, row: int) -> Operand:
    operands = [w.scalar(each, row) for each in op.operands]
    return w.build.op(op.name, operands, op.result.type, op.result.name, **op.attrs)


def _strided(w: Widener, op: Op, shape: Shape, row: int) -> Lanes:
    """On bases. The first thread may be inactive, and wrap: no flags, and a second base that does not wrap."""
    type_, stride = op.result.type, shape.stride
    assert stride is not None
    if op.name in ("sext", "zext"):
        wide = w.wide(op.operands[0], row)
        return Lanes(wide if type_ == "i64" else w.build.op("trunc", [wide], type_), stride, wide)
    operands = [w.scalar(each, row) for each in op.operands]
    name = "add" if op.name == "or" else op.name
    attrs = {key: value for key, value in op.attrs.items() if key != "flags"}
    base = w.build.op(name, operands, type_, op.result.name, **attrs)
    if not shape.exact or type_ == "i64" or shape.is_uniform:
        return Lanes(base, stride)
    if op.name in _PER_BIT:
        wide = w.build.op(name, [w.wide(each, row) for each in op.operands], "i64")
    elif op.name == "select":
        wide = w.build.op(name, [operands[0], *(w.wide(each, row) for each in op.operands[1:])], "i64")
    elif op.name == "trunc":
        wide = w.wide(op.operands[0], row)
    else:
        wide = w.build.op("sext", [base], "i64")
    return Lanes(base, stride, wide)


def _address(w: Widener, op: Op, shape: Shape, row: int) -> Lanes:
    pointer, *indices = op.operands
    if not shape.dims & X:
        return Lanes(_copy(w, op, row))
    attrs = {key: value for key, value in op.attrs.items() if key != "inbounds"}
    if shape.stride is not None:
        bases = [w.wide(each, row) for each in indices]
        return Lanes(w.build.op("gep", [w.scalar(pointer, row), *bases], "ptr", op.result.name, **attrs), shape.stride)
    return Lanes(vector=_indexed(w, op, row))


def _indexed(w: Widener, op: Op, row: int) -> Operand:
    """A vector of addresses. Scalar parts first, and vectors of one index: what gathers are made of."""
    pointer, *indices = op.operands
    attrs = {key: value for key, value in op.attrs.items() if key != "inbounds"}
    parts = list(zip(indices, _strides(op), strict=True))
    even = [(each, by) for each, by in parts if w.shapes.of(each).is_uniform]
    rest = [(each, by) for each, by in parts if not w.shapes.of(each).is_uniform]
    start = w.get(pointer, row)
    base = w.vector(pointer, row) if start.vector is not None or start.stride else w.scalar(pointer, row)
    if even or attrs.get("offset"):
        numbers = [w.scalar(each, row) for each, _ in even]
        base = w.build.op("gep", [base, *numbers], base.type, **{**attrs, "strides": tuple(by for _, by in even)})
    type_ = types.vector("ptr", w.width)
    vectors = [w.vector(each, row) for each, _ in rest]
    if not vectors:
        return base
    strides = tuple(by for _, by in rest)
    return w.build.op("gep", [base, *vectors], type_, op.result.name, offset=0, strides=strides)


def _lanewise(w: Widener, op: Op, row: int) -> Operand:
    check_scalar(op)
    if op.name == "icmp" and (counted := count_lanes(w, op, row)) is not None:
        return counted
    radicand = root_under_one(op, w.shapes.ranges.definitions)
    name = {"float": "rsqrtf", "double": "rsqrt"}.get(op.result.type) if radicand is not None else None
    callee = w.calls.library(name, w.width, False) if name is not None else None
    if radicand is not None and callee is not None:
        given = w.vector(radicand, row)
        return w.build.op("call", [given], given.type, callee=callee, effects="none", speculatable=True)
    operands = [w.vector(each, row) for each in op.operands]
    if op.name == "select" and w.shapes.of(op.operands[0]).is_uniform:
        operands[0] = w.scalar(op.operands[0], row)
    if op.name in DIVISIONS:
        return _divided(w, op, operands)
    return w.build.op(op.name, operands, types.vector(op.result.type, w.width), op.result.name, **op.attrs)


def _divided(w: Widener, op: Op, operands: list[Operand]) -> Operand:
    """A division: defined for any divisor, so that threads that are not active may divide, too."""
    if wide_division.is_for_doubles(w, op):
        return wide_division.divide(w, op, *operands)
    if isinstance(op.operands[1], Const) or types.bits(op.result.type) > 32:
        return w.build.op(op.name, operands, operands[0].type, **op.attrs)
    return _divided_as_doubles(w, op, *operands)


def _divided_as_doubles(w: Widener, op: Op, dividend: Operand, divisor: Operand) -> Operand:
    """Integers of 32 bits: the quotient of doubles is exact enough, as k - 1/b and k are 2^-32 apart at least. What
    no double says, of divisors 0 and -1, is chosen afterwards."""
    signed, type_ = op.name[0] == "s", dividend.type
    double = types.vector("double", w.width)
    x, y = (w.build.op("sitofp" if signed else "uitofp", [each], double) for each in (dividend, divisor))
    ratio = w.build.op("fdiv", [x, y], double)
    result = w.build.op("fptosi" if signed else "fptoui", [ratio], type_)
    is_positive = w.shapes.ranges.of(op.operands[1], signed=True)[0] > 0
    if signed and not is_positive:
        zero = w.spread(int_const(op.result.type, 0), 0)
        negative = w.build.op("sub", [zero, dividend], type_)
        result = _where_divisor_is(w, -1, divisor, negative, result)
    if op.name.endswith("rem"):
        whole = w.build.op("mul", [result, divisor], type_)
        result = w.build.op("sub", [dividend, whole], type_)
    if is_positive:
        return result
    return _where_divisor_is(w, 0, divisor, w.spread(int_const(op.result.type, -1), 0), result)


def _where_divisor_is(w: Widener, number: int, divisor: Operand, then: Operand, otherwise: Operand) -> Operand:
    wanted = w.spread(int_const(types.element_of(divisor.type), number), 0)
    test = w.build.op("icmp", [divisor, wanted], types.vector("i1", w.width), pred="eq")
    return w.build.op("select", [test, then, otherwise], divisor.type)


def check_scalar(op: Op) -> None:
    """No vectors of vectors."""
    for value in (*op.operands, *op.results):
        if types.is_vector(value.type) or types.is_aggregate(value.type):
            raise Unvectorisable(f"`{op.name}` of {value.type} differs between threads", op)


def _strides(op: Op) -> tuple[int, ...]:
    strides = op.attrs.get("strides", ())
    assert isinstance(strides, tuple)
    return tuple(int(str(each)) for each in strides)
