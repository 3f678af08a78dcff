# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Switches over types as functions: the same values as inside, and one function for all that are the same."""

from __future__ import annotations

import ctypes
import random
from collections.abc import Callable

import pytest
from loom_text_harness import GRID, emit, function, launch

from warploom.backend.loom_cases import MANY
from warploom.ir.core import Function
from warploom.ir.interpreter import run
from warploom.ir.memory import Memory

BYTES = 512
PARAMETERS = "%in: ptr, %out: ptr, %first: i32, %second: i32, %apart: i32, %active: i32"
PLACES = """
%far: <8 x i32> = splat %apart
%steps: <8 x i32> = mul %far, `<i32 0, i32 1, i32 2, i32 3, i32 4, i32 5, i32 6, i32 7>`:<8 x i32>
%some: <8 x i32> = splat %active
%m: <8 x i1> = icmp %some, `<i32 0, i32 1, i32 2, i32 3, i32 4, i32 5, i32 6, i32 7>`:<8 x i32> [pred=sgt]
%at: <8 x ptr> = gep %in, %steps [offset=128, strides=(1)]
%at2: <8 x ptr> = gep %in, %steps [offset=160, strides=(1)]
%to: <8 x ptr> = gep %out, %steps [offset=192, strides=(1)]
%whole: i32 = mul %apart, 7:i32
%wide: i64 = sext %whole
%all: i1 = reduce %m [kind=and]
%span: i64 = select %all, %wide, 0:i64
%none: <8 x double> = splat 0.0:double
"""
# Bits of an element, and how it becomes a double and comes from an i64.
CASES = [
    ("i8", "sitofp", ""), ("i8", "uitofp", ""), ("i16", "sitofp", ""), ("i16", "uitofp", ""), ("i32", "sitofp", ""),
    ("float", "fpext", "i32"), ("double", "", "i64"),
]  # fmt: skip


def loads(kind: str, places: str, result: str, count: int = len(CASES)) -> str:
    """Elements of a type that %kind says, as doubles."""
    text, inner = "", "%none"
    for number in reversed(range(count)):
        type_, convert, _ = CASES[number]
        name = f"%{result}{number}"
        load = f"{name}.l: <8 x {type_}> = gather_near {places}, %m, poison:<8 x {type_}>, %span [by_lanes=true]"
        value = f"{name}.x: <8 x double> = {convert} {name}.l yield {name}.x" if convert else f"yield {name}.l"
        text = f"{name}: <8 x double> = if %is.{kind}.{number} {{ {load} {value} }} {{ {text} yield {inner} }}"
        inner = name
    return text


def stores(kind: str, value: str) -> str:
    """Elements of a type that %kind says, out of 64 bits."""
    text = ""
    for number in reversed(range(len(CASES))):
        type_, _, bits = CASES[number]
        name = f"%put{number}"
        narrow = f"{name}.t: <8 x {bits or type_}> = trunc {value}" if bits != "i64" else ""
        cast = f"{name}: <8 x {type_}> = bitcast {f'{name}.t' if narrow else value}" if bits else ""
        stored = name if cast else f"{name}.t"
        text = f"""
        if %is.{kind}.{number} {{
          {narrow} {cast} scatter_near {stored}, %to, %m, %span [by_lanes=true]
          yield
        }} {{ {text} yield }}
        """
    return text


def conditions(kind: str) -> str:
    return "\n".join(f"%is.{kind}.{number}: i1 = icmp %{kind}, {number}:i32 [pred=eq]" for number in range(len(CASES)))


BODY = f"""
{loads("first", "%at", "x")} {loads("second", "%at2", "y")}
%sum: <8 x double> = fadd %x0, %y0
%seen: <8 x double> = select %m, %sum, %none
store %seen, %out [align=8]
%bits: <8 x i64> = bitcast %seen
{stores("second", "%bits")}
"""


def kernel(body: str, attrs: str) -> Function:
    """A kernel of one block that knows its types from the start."""
    return function(PARAMETERS, f"{conditions('first')} {conditions('second')} {GRID} {PLACES} {body} yield }}", attrs)


PROCESSORS = {"loops": "[branches_in_gathers=true, vector_bits=256]", "instructions": "[vector_bits=512]"}


@pytest.mark.parametrize("processor", PROCESSORS)
def test_each_type_and_distance(processor: str, load: Callable[..., ctypes.CDLL]) -> None:
    code, draw = kernel(BODY, PROCESSORS[processor]), random.Random(5)
    text = emit(code)
    assert text.count("define internal <8 x double>") == 1, "both operands share a function"
    assert text.count("call <8 x double> @k.blocks.0.cases.0(") == 2
    assert text.count("call void @k.blocks.0.cases.2(") == 1
    library = load(text)
    for _ in range(150):
        given = bytes(draw.randrange(0x40) for _ in range(BYTES))  # no NaN, whose payload conversions may change
        numbers = (draw.randrange(8), draw.randrange(8), 8 * draw.choice((1, 2, -1)), draw.choice((8, 8, 5, 1, 0)))
        memory = Memory()
        in_, out = memory.allocate(BYTES, given), memory.allocate(BYTES, b"\xaa" * BYTES)
        run(code, (1, 1, 1), (1, 1, 1), [in_, out, *numbers], memory, seed=None)
        data, made = (ctypes.create_string_buffer(each, BYTES) for each in (given, b"\xaa" * BYTES))
        pointers = [ctypes.c_void_p(ctypes.addressof(each)) for each in (data, made)]
        launch(library, (1, 1, 1), (1, 1, 1), *pointers, *map(ctypes.c_int, numbers))
        assert made.raw == memory.read(out, BYTES), numbers


def test_types_are_one_number_that_is_made_once() -> None:
    lines = emit(kernel(BODY, PROCESSORS["loops"])).splitlines()
    loop = next(number for number, line in enumerate(lines) if line.startswith("blocks.head"))
    packed = [number for number, line in enumerate(lines) if " shl i64 %bit." in line]
    assert len(packed) == 2 * len(CASES), "two operands; the result has the type of the second"
    assert all(number < loop for number in packed)


def test_where_types_are_known_later_the_number_is_made_there(load: Callable[..., ctypes.CDLL]) -> None:
    later = f"%first2: i32 = add %first, %bx {conditions('first').replace('%first,', '%first2,')}"
    body = f"{later} {PLACES} {loads('first', '%at', 'x')} store %x0, %out [align=8]"
    code = function(PARAMETERS, f"{GRID} {body} yield }}", PROCESSORS["loops"])
    text = emit(code)
    assert ".cases.0(" in text
    given = bytes(range(128)) * 4
    memory = Memory()
    in_, out = memory.allocate(BYTES, given), memory.allocate(BYTES)
    run(code, (1, 1, 1), (1, 1, 1), [in_, out, 2, 0, 8, 8], memory, seed=None)
    data, made = ctypes.create_string_buffer(given, BYTES), ctypes.create_string_buffer(BYTES)
    pointers = [ctypes.c_void_p(ctypes.addressof(each)) for each in (data, made)]
    launch(load(text), (1, 1, 1), (1, 1, 1), *pointers, *map(ctypes.c_int, (2, 0, 8, 8)))
    assert made.raw == memory.read(out, BYTES) != bytes(BYTES)


def test_a_few_cases_stay() -> None:
    few = f"{loads('first', '%at', 'x', MANY - 1)} store %x0, %out [align=8]"
    assert ".cases." not in emit(kernel(few, PROCESSORS["loops"]))
    enough = f"{loads('first', '%at', 'x', MANY)} store %x0, %out [align=8]"
    assert ".cases." in emit(kernel(enough, PROCESSORS["loops"]))


def test_where_faults_have_lines_cases_stay() -> None:
    located = kernel(BODY.replace("[by_lanes=true]", '[by_lanes=true] @ "k.cu":7:1'), PROCESSORS["loops"])
    assert ".cases." in emit(located)
    assert ".cases." not in emit(located, debug=True)
