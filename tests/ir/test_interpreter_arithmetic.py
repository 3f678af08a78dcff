# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Scalar ops, intrinsics and types in memory give the bits that hardware gives: numpy and the C library are judges."""

from __future__ import annotations

import ctypes
import functools
import itertools
import math
from collections.abc import Callable
from typing import Any

import numpy
import pytest

from warploom.ir import types
from warploom.ir.core import LAUNCH_PARAMS as LAUNCH
from warploom.ir.core import Builder, Const, Function, Op, Operand, Region, Shared, Value
from warploom.ir.interpreter import Program, run
from warploom.ir.memory import Memory

NUMPY = {"i8": "int8", "i16": "int16", "i32": "int32", "i64": "int64", "half": "f2", "float": "f4", "double": "f8"}
INTEGERS = [
    0,
    1,
    2,
    3,
    7,
    31,
    100,
    127,
    128,
    255,
    32767,
    65535,
    0x7FFFFFFF,
    0x80000000,
    0xFFFFFFFF,
    1 << 63,
    (1 << 64) - 1,
]
FLOATS = [
    0.0,
    -0.0,
    1.0,
    -1.5,
    0.1,
    3.3,
    1e-40,
    1e30,
    -1e30,
    65504.0,
    2.0**-25,
    1e300,
    math.inf,
    -math.inf,
    math.nan,
    7.5,
]

numpy.seterr(all="ignore")


@functools.cache
def program(name: str, operands: tuple[str, ...], result: str, attrs: tuple[tuple[str, Any], ...]) -> Program:
    """A kernel of one thread: loads operands, runs one op, stores its result."""
    params = [Value("i32", each) for each in LAUNCH] + [Value("ptr", f"p{n}") for n in range(len(operands) + 1)]
    block = Region([Value("i32") for _ in range(3)])
    builder = Builder(block.ops)
    loaded: list[Operand] = [
        builder.op("load", [pointer], type_) for pointer, type_ in zip(params[6:], operands, strict=False)
    ]
    builder.effect("store", [builder.op(name, loaded, result, **dict(attrs)), params[-1]])
    builder.terminate()
    return Program(in_grid(params, block))


def in_grid(params: list[Value], block: Region) -> Function:
    """A kernel whose threads run `block`."""
    grid = Region([Value("i32") for _ in range(3)], [Op("block", [*params[3:6]], regions=[block]), Op("yield")])
    return Function("k", params, Region([], [Op("grid", [*params[:3]], regions=[grid]), Op("yield")]))


def evaluate(name: str, operands: list[tuple[str, Any]], result: str, **attrs: Any) -> Any:
    """The value of one op; operands come from memory, so that nothing is known before."""
    memory = Memory()
    arguments = [memory.array(type_, [value]) for type_, value in operands]
    out = memory.allocate(64)
    which = program(name, tuple(type_ for type_, _ in operands), result, tuple(attrs.items()))
    which.run((1, 1, 1), (1, 1, 1), [*arguments, out], memory)
    return memory.load(result, out)


def same(a: float, b: float) -> bool:
    """Equal, with NaN like NaN and -0 unlike 0."""
    return (a != a and b != b) or (a == b and math.copysign(1, a) == math.copysign(1, b))


def wrap(value: int, type_: str) -> int:
    """As unsigned bits."""
    return int(value) & ((1 << types.bits(type_)) - 1)


def signed(value: int, type_: str) -> int:
    """The signed meaning."""
    half = 1 << (types.bits(type_) - 1)
    return (wrap(value, type_) ^ half) - half


INTEGER_TRUTH: dict[str, Callable[[Any, Any], Any]] = {
    "add": lambda a, b: a + b,
    "sub": lambda a, b: a - b,
    "mul": lambda a, b: a * b,
    "and": lambda a, b: a & b,
    "or": lambda a, b: a | b,
    "xor": lambda a, b: a ^ b,
}


@pytest.mark.parametrize("type_", ["i1", "i8", "i16", "i24", "i32", "i64", "i128"])
@pytest.mark.parametrize("name", INTEGER_TRUTH)
def test_integer_arithmetic_wraps(name: str, type_: str) -> None:
    for a, b in [(1, 1), (0, 1), (200, 100), (0xFFFFFFFF, 3), ((1 << 64) - 1, 1 << 63)]:
        a, b = wrap(a, type_), wrap(b, type_)
        assert evaluate(name, [(type_, a), (type_, b)], type_) == wrap(INTEGER_TRUTH[name](a, b), type_)


@pytest.mark.parametrize("type_", ["i8", "i32", "i64"])
def test_shifts(type_: str) -> None:
    width = types.bits(type_)
    for value, by in itertools.product([1, 0x55, 1 << (width - 1), (1 << width) - 3], [0, 1, 5, width - 1]):
        operands = [(type_, value), (type_, by)]
        assert evaluate("shl", operands, type_) == wrap(value << by, type_)
        assert evaluate("lshr", operands, type_) == value >> by
        assert evaluate("ashr", operands, type_) == wrap(signed(value, type_) >> by, type_)


@pytest.mark.parametrize("type_", ["i8", "i32", "i64"])
def test_division_rounds_towards_zero(type_: str) -> None:
    for a, b in itertools.product([7, -7, 100, -100, 127, -128], [2, -2, 3, 7, -128]):
        operands = [(type_, wrap(a, type_)), (type_, wrap(b, type_))]
        assert evaluate("sdiv", operands, type_) == wrap(int(math.copysign(abs(a) // abs(b), a * b)), type_)
        assert evaluate("srem", operands, type_) == wrap(int(math.fmod(a, b)), type_)
        assert evaluate("udiv", operands, type_) == wrap(a, type_) // wrap(b, type_)
        assert evaluate("urem", operands, type_) == wrap(a, type_) % wrap(b, type_)


@pytest.mark.parametrize("type_", ["i8", "i32", "i64"])
def test_division_by_zero_and_of_the_least_number_is_as_on_a_gpu(type_: str) -> None:
    ones, least = wrap(-1, type_), 1 << (types.bits(type_) - 1)
    for a in (0, 1, 7, ones, least):
        for name in ("sdiv", "srem", "udiv", "urem"):
            by_zero = 0xFFFFFFFF if type_ == "i64" and a < 1 << 32 else ones
            assert evaluate(name, [(type_, a), (type_, 0)], type_) == by_zero
        assert evaluate("sdiv", [(type_, a), (type_, ones)], type_) == wrap(-a, type_)
        assert evaluate("srem", [(type_, a), (type_, ones)], type_) == 0


@pytest.mark.parametrize("type_", ["i1", "i8", "i32", "ptr"])
def test_integer_comparisons(type_: str) -> None:
    truth: dict[str, Callable[[int, int], bool]] = {
        "eq": lambda a, b: a == b,
        "ne": lambda a, b: a != b,
        "lt": lambda a, b: a < b,
        "le": lambda a, b: a <= b,
        "gt": lambda a, b: a > b,
        "ge": lambda a, b: a >= b,
    }
    top = 1 << (types.bits(type_) - 1)
    for a, b in itertools.product([0, 1, top - 1, top, 2 * top - 1], repeat=2):
        a, b = min(a, 2 * top - 1), min(b, 2 * top - 1)
        operands = [(type_, a), (type_, b)]
        for pred in ("eq", "ne"):
            assert evaluate("icmp", operands, "i1", pred=pred) == truth[pred](a, b)
        for pred in ("lt", "le", "gt", "ge"):
            assert evaluate("icmp", operands, "i1", pred="u" + pred) == truth[pred](a, b)
            low, high = (a ^ top) - top, (b ^ top) - top
            assert evaluate("icmp", operands, "i1", pred="s" + pred) == truth[pred](low, high)


@pytest.mark.parametrize("type_", ["half", "float", "double"])
@pytest.mark.parametrize(("name", "ufunc"), [("fadd", numpy.add), ("fsub", numpy.subtract), ("fmul", numpy.multiply)])
def test_float_arithmetic_rounds_once(name: str, ufunc: Any, type_: str) -> None:
    check_binary(name, ufunc, type_)


@pytest.mark.parametrize("type_", ["half", "float", "double"])
@pytest.mark.parametrize(("name", "ufunc"), [("fdiv", numpy.divide), ("frem", numpy.fmod)])
def test_float_division(name: str, ufunc: Any, type_: str) -> None:
    check_binary(name, ufunc, type_)


def check_binary(name: str, ufunc: Any, type_: str) -> None:
    own = numpy.dtype(NUMPY[type_]).type
    values = [float(own(value)) for value in FLOATS]
    for a, b in itertools.product(values, values):
        assert same(evaluate(name, [(type_, a), (type_, b)], type_), float(ufunc(own(a), own(b)))), (a, b)


def test_float_comparisons_know_nan() -> None:
    for a, b in itertools.product([0.0, -0.0, 1.0, math.nan], repeat=2):
        unordered = a != a or b != b
        for name, holds in (("eq", a == b), ("lt", a < b), ("le", a <= b), ("gt", a > b), ("ge", a >= b)):
            operands = [("float", a), ("float", b)]
            assert evaluate("fcmp", operands, "i1", pred="o" + name) == (holds and not unordered)
            assert evaluate("fcmp", operands, "i1", pred="u" + name) == (holds or unordered)
        assert evaluate("fcmp", operands, "i1", pred="ord") == (not unordered)
        assert evaluate("fcmp", operands, "i1", pred="uno") == unordered
        assert evaluate("fcmp", operands, "i1", pred="one") == (not unordered and a != b)
        assert evaluate("fcmp", operands, "i1", pred="une") == (unordered or a != b)


@pytest.mark.parametrize(("source", "target"), [("double", "float"), ("double", "half"), ("float", "half")])
def test_fptrunc_rounds_to_nearest_even(source: str, target: str) -> None:
    for value in [
        *FLOATS,
        1 + 2**-24,
        1 + 2**-11,
        1 + 3 * 2**-12,
        65519.9,
        65520.0,
        2.0**-150,
        6e-8,
        3.4028235677973366e38,
    ]:
        value = float(numpy.dtype(NUMPY[source]).type(value))
        truth = float(numpy.dtype(NUMPY[target]).type(value))
        assert same(evaluate("fptrunc", [(source, value)], target), truth), value


def test_bfloat_rounds_to_nearest_even() -> None:
    assert evaluate("fptrunc", [("float", 1 + 2.0**-8)], "bfloat") == 1.0
    assert evaluate("fptrunc", [("float", 1 + 3 * 2.0**-8)], "bfloat") == 1 + 2.0**-6
    assert evaluate("fptrunc", [("double", 1 + 2.0**-8 + 2.0**-40)], "bfloat") == 1 + 2.0**-7
    assert evaluate("fptrunc", [("float", 3.4e38)], "bfloat") == math.inf
    assert evaluate("fadd", [("bfloat", 256.0), ("bfloat", 1.0)], "bfloat") == 256.0


@pytest.mark.parametrize("target", ["half", "float", "double"])
def test_integers_become_floats_with_one_rounding(target: str) -> None:
    """2**60 + 2**36 + 1 goes up as float; by way of double it would go down."""
    own = numpy.dtype(NUMPY[target]).type
    for value in [*INTEGERS, (1 << 60) + (1 << 36) + 1, (1 << 24) + 1, (1 << 53) + 1]:
        if target == "half" and value > 65504:
            continue
        truth = float(numpy.uint64(value).astype(own))
        assert evaluate("uitofp", [("i64", value)], target) == truth, value
        truth = float(numpy.uint64(value).astype(numpy.int64).astype(own))
        assert evaluate("sitofp", [("i64", value)], target) == truth, value


def test_other_casts() -> None:
    assert evaluate("trunc", [("i32", 0x12345678)], "i8") == 0x78
    assert evaluate("zext", [("i8", 0x80)], "i32") == 0x80
    assert evaluate("sext", [("i8", 0x80)], "i32") == 0xFFFFFF80
    assert evaluate("sext", [("i1", 1)], "i32") == 0xFFFFFFFF
    assert evaluate("fptosi", [("float", -2.75)], "i32") == wrap(-2, "i32")
    assert evaluate("fptoui", [("double", 4e9)], "i32") == 4000000000
    assert evaluate("fpext", [("float", 1.5)], "double") == 1.5
    assert evaluate("bitcast", [("float", 1.0)], "i32") == 0x3F800000
    assert evaluate("bitcast", [("i64", 0x3FF0000000000000)], "double") == 1.0
    assert evaluate("bitcast", [("i16", 0x3C00)], "half") == 1.0
    assert evaluate("bitcast", [("<2 x i32>", (1, 0x3F800000))], "<4 x i16>") == (1, 0, 0, 0x3F80)
    assert evaluate("bitcast", [("<8 x i1>", (1, 0, 0, 0, 0, 0, 0, 1))], "i8") == 0x81
    assert evaluate("ptrtoint", [("ptr", 0x123456789)], "i32") == 0x23456789
    assert evaluate("freeze", [("i32", 5)], "i32") == 5


def test_negation_and_select() -> None:
    assert same(evaluate("fneg", [("float", 0.0)], "float"), -0.0)
    assert evaluate("select", [("i1", 1), ("i32", 5), ("i32", 6)], "i32") == 5
    assert evaluate("select", [("i1", 0), ("<2 x i32>", (1, 2)), ("<2 x i32>", (3, 4))], "<2 x i32>") == (3, 4)
    assert evaluate("select", [("<2 x i1>", (1, 0)), ("<2 x i32>", (1, 2)), ("<2 x i32>", (3, 4))], "<2 x i32>") == (
        1,
        4,
    )


def test_address_arithmetic_is_signed() -> None:
    operands = [("ptr", 1 << 40), ("i32", wrap(-3, "i32")), ("i64", wrap(-1, "i64"))]
    assert evaluate("gep", operands, "ptr", offset=100, strides=(8, 2)) == (1 << 40) + 100 - 24 - 2


def test_vectors_and_aggregates() -> None:
    vector = ("<4 x float>", (1.0, 2.0, 3.0, 4.0))
    assert evaluate("fadd", [vector, vector], vector[0]) == (2.0, 4.0, 6.0, 8.0)
    assert evaluate("extractelement", [vector, ("i32", 2)], "float") == 3.0
    assert evaluate("insertelement", [vector, ("float", 9.0), ("i64", 3)], vector[0]) == (1.0, 2.0, 3.0, 9.0)
    assert evaluate("shufflevector", [vector, vector], "<3 x float>", mask=(3, -1, 4)) == (4.0, 0.0, 1.0)
    bytes_ = ("<2 x i8>", (200, 100))
    assert evaluate("add", [bytes_, bytes_], "<2 x i8>") == (144, 200)
    assert evaluate("icmp", [bytes_, ("<2 x i8>", (100, 100))], "<2 x i1>", pred="slt") == (1, 0)
    struct = ("{ i32, [2 x i8] }", (7, (8, 9)))
    assert evaluate("extractvalue", [struct], "i8", path=(1, 1)) == 9
    assert evaluate("insertvalue", [struct, ("i8", 5)], struct[0], path=(1, 0)) == (7, (5, 9))


# -- atomics ----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("operation", "type_", "old", "value", "new"),
    [
        ("xchg", "i32", 1, 2, 2),
        ("add", "i32", 0xFFFFFFFF, 2, 1),
        ("sub", "i8", 0, 1, 255),
        ("and", "i32", 6, 3, 2),
        ("nand", "i8", 6, 3, 253),
        ("or", "i32", 6, 3, 7),
        ("xor", "i32", 6, 3, 5),
        ("max", "i32", 0xFFFFFFFF, 1, 1),
        ("min", "i32", 0xFFFFFFFF, 1, 0xFFFFFFFF),
        ("umax", "i32", 0xFFFFFFFF, 1, 0xFFFFFFFF),
        ("umin", "i32", 0xFFFFFFFF, 1, 1),
        ("fadd", "float", 16777216.0, 1.0, 16777216.0),
        ("fsub", "double", 1.0, 0.25, 0.75),
        ("fmax", "float", math.nan, 1.0, 1.0),
        ("fmin", "double", 2.0, 1.0, 1.0),
        ("uinc_wrap", "i32", 4, 4, 0),
        ("uinc_wrap", "i32", 3, 4, 4),
        ("udec_wrap", "i32", 0, 4, 4),
        ("udec_wrap", "i32", 9, 4, 4),
        ("udec_wrap", "i32", 3, 4, 2),
        ("usub_cond", "i32", 3, 4, 3),
        ("usub_sat", "i32", 3, 4, 0),
    ],
)
def test_atomicrmw(operation: str, type_: str, old: Any, value: Any, new: Any) -> None:
    memory = Memory()
    cell = memory.array(type_, [old])
    result = atomic("atomicrmw", cell, [(type_, value)], type_, memory, operation=operation, ordering="monotonic")
    assert same(result, old)
    assert memory.load(type_, cell) == new


@pytest.mark.parametrize(("expected", "after"), [(5, 9), (6, 5)])
def test_cmpxchg(expected: int, after: int) -> None:
    memory = Memory()
    cell = memory.array("i32", [5])
    orders = {"ordering": "seq_cst", "failure": "seq_cst"}
    result = atomic("cmpxchg", cell, [("i32", expected), ("i32", 9)], "{ i32, i1 }", memory, **orders)
    assert result == (5, expected == 5)
    assert memory.load("i32", cell) == after


def atomic(name: str, cell: int, values: list[tuple[str, Any]], result: str, memory: Memory, **attrs: Any) -> Any:
    """The result of an atomic op on `cell`."""
    params = [Value("i32", each) for each in LAUNCH] + [Value("ptr"), Value("ptr")]
    out = memory.allocate(32)
    block = Region([Value("i32") for _ in range(3)])
    builder = Builder(block.ops)
    constants: list[Operand] = []
    for type_, value in values:
        constants.append(Const(type_, types.float_bits(type_, value) if types.is_float(type_) else value))
    builder.effect("store", [builder.op(name, [params[6], *constants], result, **attrs), params[7]])
    builder.terminate()
    run(in_grid(params, block), (1, 1, 1), (1, 1, 1), [cell, out], memory)
    return memory.load(result, out)


# -- intrinsics -------------------------------------------------------------------------------------------------------


def intrinsic(callee: str, operands: list[tuple[str, Any]], result: str) -> Any:
    """The result of a call."""
    return evaluate("call", operands, result, callee=callee, effects="none")


@pytest.mark.parametrize(
    ("name", "arguments", "expected"),
    [
        ("ctpop", [0b1011], 3),
        ("ctlz", [1, 0], 31),
        ("cttz", [8, 0], 3),
        ("bswap", [0x12345678], 0x78563412),
        ("bitreverse", [1], 0x80000000),
        ("fshl", [0x12345678, 0x9ABCDEF0, 8], 0x3456789A),
        ("fshr", [0x12345678, 0x9ABCDEF0, 8], 0x789ABCDE),
        ("fshl", [1, 2, 32], 1),
        ("abs", [0xFFFFFFFB, 0], 5),
        ("smin", [0xFFFFFFFF, 1], 0xFFFFFFFF),
        ("smax", [0xFFFFFFFF, 1], 1),
        ("umin", [0xFFFFFFFF, 1], 1),
        ("umax", [0xFFFFFFFF, 1], 0xFFFFFFFF),
        ("sadd.sat", [0x7FFFFFFF, 1], 0x7FFFFFFF),
        ("ssub.sat", [0x80000000, 1], 0x80000000),
        ("uadd.sat", [0xFFFFFFFF, 1], 0xFFFFFFFF),
        ("usub.sat", [1, 2], 0),
        ("sshl.sat", [0x40000000, 1], 0x7FFFFFFF),
        ("scmp", [0xFFFFFFFF, 1], 0xFFFFFFFF),
        ("ucmp", [0xFFFFFFFF, 1], 1),
        ("expect", [5, 6], 5),
    ],
)
def test_integer_intrinsics(name: str, arguments: list[int], expected: int) -> None:
    operands = [("i32", each) for each in arguments]
    assert intrinsic(f"llvm.{name}.i32", operands, "i32") == expected
    if name not in ("expect", "abs", "ctlz", "cttz"):
        vectors = [("<2 x i32>", (each, each)) for each in arguments]
        assert intrinsic(f"llvm.{name}.v2i32", vectors, "<2 x i32>") == (expected, expected)


def test_overflow_intrinsics() -> None:
    for name, a, b, expected in (
        ("sadd", 0x7FFFFFFF, 1, (0x80000000, 1)),
        ("uadd", 0x7FFFFFFF, 1, (0x80000000, 0)),
        ("usub", 1, 2, (0xFFFFFFFF, 1)),
        ("ssub", 1, 2, (0xFFFFFFFF, 0)),
        ("smul", 0x10000, 0x8000, (0x80000000, 1)),
        ("umul", 0x10000, 0x10000, (0, 1)),
    ):
        assert intrinsic(f"llvm.{name}.with.overflow.i32", [("i32", a), ("i32", b)], "{ i32, i1 }") == expected


def libm(name: str, *values: float) -> float:
    """The C library's float function."""
    function = getattr(ctypes.CDLL("libm.so.6"), name)
    function.restype, function.argtypes = ctypes.c_float, [ctypes.c_float] * len(values)
    return function(*values)


@pytest.mark.parametrize("name", ["exp", "exp2", "log", "log2", "sin", "cos", "tan", "sqrt", "floor", "rint", "round"])
def test_mathematics_is_the_c_librarys(name: str) -> None:
    for value in (0.5, 1.25, 2.5, 3.5, 100.3):
        value = float(numpy.float32(value))
        truth = libm(name + "f", value)
        assert intrinsic(f"llvm.{name}.f32", [("float", value)], "float") == truth
        assert intrinsic(name + "f", [("float", value)], "float") == truth
        assert intrinsic(f"llvm.{name}.v2f32", [("<2 x float>", (value, value))], "<2 x float>") == (truth, truth)


def test_fma_rounds_once() -> None:
    for a, b, c in [(1 + 2.0**-23, 1 + 2.0**-23, -1.0), (2.0**-24, 1.0, 1.0), (3.0, 5.0, 2.0**-149)]:
        operands = [("float", a), ("float", b), ("float", c)]
        assert intrinsic("llvm.fma.f32", operands, "float") == libm("fmaf", a, b, c)
        assert intrinsic("llvm.fmuladd.f32", operands, "float") == libm("fmaf", a, b, c)


def test_minimum_and_maximum_know_nan_and_zero() -> None:
    def call(name: str, a: float, b: float) -> float:
        return intrinsic(f"llvm.{name}.f32", [("float", a), ("float", b)], "float")

    assert call("minnum", math.nan, 1.0) == 1.0
    assert math.isnan(call("minimum", math.nan, 1.0))
    assert same(call("minimum", 0.0, -0.0), -0.0)
    assert same(call("maximum", -0.0, 0.0), 0.0)
    assert call("maxnum", 2.0, math.nan) == 2.0
    assert call("maximumnum", 2.0, 3.0) == 3.0


def test_casts_that_saturate() -> None:
    for value, expected in ((1e10, 0x7FFFFFFF), (-1e10, 0x80000000), (math.nan, 0), (-2.5, 0xFFFFFFFE)):
        assert intrinsic("llvm.fptosi.sat.i32.f64", [("double", value)], "i32") == expected
    for value, expected in ((1e10, 0xFFFFFFFF), (-1.0, 0), (math.inf, 0xFFFFFFFF)):
        assert intrinsic("llvm.fptoui.sat.i32.f64", [("double", value)], "i32") == expected


def test_classes() -> None:
    for value, bit in ((math.nan, 2), (-math.inf, 4), (-1.0, 8), (-1e-40, 16), (-0.0, 32), (0.0, 64), (1e-40, 128)):
        value = float(numpy.float32(value))
        for mask in (1 << n for n in range(10)):
            assert intrinsic("llvm.is.fpclass.f32", [("float", value), ("i32", mask)], "i1") == (mask == bit)


def test_vector_reductions() -> None:
    vector = ("<4 x i32>", (1, 2, 0xFFFFFFFF, 4))
    for name, expected in (("add", 6), ("or", 0xFFFFFFFF), ("smin", 0xFFFFFFFF), ("smax", 4), ("umax", 0xFFFFFFFF)):
        assert intrinsic(f"llvm.vector.reduce.{name}.v4i32", [vector], "i32") == expected
    floats = ("<4 x float>", (16777216.0, 1.0, 1.0, 1.0))
    assert intrinsic("llvm.vector.reduce.fadd.v4f32", [("float", 0.0), floats], "float") == 16777216.0


def test_functions_with_more_results() -> None:
    assert intrinsic("ldexpf", [("float", 1.5), ("i32", wrap(-1, "i32"))], "float") == 0.75
    assert intrinsic("llvm.frexp.f64.i32", [("double", 0.125)], "{ double, i32 }") == (0.5, wrap(-2, "i32"))
    assert intrinsic("llvm.modf.f32", [("float", -1.25)], "{ float, float }") == (-0.25, -1.0)
    assert intrinsic("llvm.sincos.f32", [("float", 0.0)], "{ float, float }") == (0.0, 1.0)
    assert intrinsic("lrint", [("double", -2.5)], "i64") == wrap(-2, "i64")
    assert intrinsic("ilogb", [("double", 0.25)], "i32") == wrap(-2, "i32")
    assert intrinsic("llvm.powi.f32.i32", [("float", 2.0), ("i32", wrap(-2, "i32"))], "float") == 0.25


# -- memory -----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("type_", "value", "size"),
    [
        ("i1", 1, 1),
        ("i8", 200, 1),
        ("i24", 0x123456, 3),
        ("i64", 1 << 63, 8),
        ("i128", 1 << 127, 16),
        ("half", 0.5, 2),
        ("bfloat", -2.0, 2),
        ("float", 1.5, 4),
        ("double", 0.1, 8),
        ("ptr", 1 << 32, 8),
        ("<3 x float>", (1.0, 2.0, 3.0), 12),
        ("<3 x i1>", (1, 0, 1), 1),
        ("<2 x bfloat>", (1.0, 2.0), 4),
        ("{ i8, i32 }", (1, 2), 8),
        ("<{ i8, i32 }>", (1, 2), 5),
        ("[2 x { i16, i8 }]", ((1, 2), (3, 4)), 8),
    ],
)
def test_every_type_goes_through_memory(type_: str, value: Any, size: int) -> None:
    memory = Memory()
    place = memory.allocate(size)
    memory.store(type_, place, value)
    assert memory.load(type_, place) == value
    assert evaluate("freeze", [(type_, value)], type_) == value


def test_bytes_lie_as_on_the_host() -> None:
    memory = Memory()
    place = memory.allocate(8)
    memory.store("{ i8, i32 }", place, (1, 0x01020304))
    assert memory.read(place, 8) == bytes([1, 0, 0, 0, 4, 3, 2, 1])
    memory.store("<4 x i1>", place, (1, 0, 1, 1))
    assert memory.read(place, 1) == bytes([0b1101])


# -- constants --------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("type_", "text", "expected"),
    [
        ("<2 x i32>", "<i32 1, i32 -2>", (1, 0xFFFFFFFE)),
        ("<2 x float>", "zeroinitializer", (0.0, 0.0)),
        ("<2 x float>", "<float 1.5, float 0xFFF0000000000000>", (1.5, -math.inf)),
        ("<2 x half>", "splat (half 0xH3C00)", (1.0, 1.0)),
        ("{ i32, [2 x i8] }", '{ i32 7, [2 x i8] c"A\\00" }', (7, (65, 0))),
        ("{ i1, ptr }", "{ i1 true, ptr null }", (1, 0)),
        ("ptr", "getelementptr inbounds nuw (i8, ptr @tile, i64 4)", 4),
        ("ptr", "getelementptr ([4 x { i32, i64 }], ptr @tile, i64 1, i64 2, i32 1)", 64 + 32 + 8),
        ("i64", "ptrtoint (ptr @tile to i64)", 0),
        (
            "i64",
            "sub (i64 ptrtoint (ptr getelementptr (i8, ptr @tile, i64 8) to i64), i64 ptrtoint (ptr @tile to i64))",
            8,
        ),
    ],
)
def test_constants_in_llvms_words(type_: str, text: str, expected: Any) -> None:
    params = [Value("i32", each) for each in LAUNCH] + [Value("ptr")]
    memory = Memory()
    out = memory.allocate(32)
    block = Region([Value("i32") for _ in range(3)], [Op("store", [Const(type_, text), params[6]]), Op("yield")])
    function = in_grid(params, block)
    function.shared["tile"] = Shared("tile", 256, 4)
    run(function, (1, 1, 1), (1, 1, 1), [out], memory)
    value = memory.load(type_, out)
    assert (value & 0xFFFFFFFF if type_ in ("ptr", "i64") else value) == expected
