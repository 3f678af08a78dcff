# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Accesses of a size that a choice says: moved once around the choice, and by the same bytes as case by case."""

from __future__ import annotations

import ctypes
import random
import re
from collections.abc import Callable

import pytest
from loom_text_harness import GRID, emit, function, launch

from warploom.ir.core import Function
from warploom.ir.interpreter import run
from warploom.ir.memory import Memory

BYTES = 512
NO_GATHERS = "[branches_in_gathers=true, vector_bits=256]"
PARAMETERS = "%in: ptr, %out: ptr, %kind: i32, %apart: i32, %active: i32"
# %at and %to: addresses of lanes %apart bytes apart; %m: the first %active ones; %span: as the vectoriser has it.
PLACES = """
%far: <8 x i32> = splat %apart
%steps: <8 x i32> = mul %far, `<i32 0, i32 1, i32 2, i32 3, i32 4, i32 5, i32 6, i32 7>`:<8 x i32>
%some: <8 x i32> = splat %active
%m: <8 x i1> = icmp %some, `<i32 0, i32 1, i32 2, i32 3, i32 4, i32 5, i32 6, i32 7>`:<8 x i32> [pred=sgt]
%at: <8 x ptr> = gep %in, %steps [offset=128, strides=(1)]
%to: <8 x ptr> = gep %out, %steps [offset=128, strides=(1)]
%whole: i32 = mul %apart, 7:i32
%wide: i64 = sext %whole
%all: i1 = reduce %m [kind=and]
%span: i64 = select %all, %wide, 0:i64
%is1: i1 = icmp %kind, 1:i32 [pred=eq]
%is2: i1 = icmp %kind, 2:i32 [pred=eq]
%is4: i1 = icmp %kind, 4:i32 [pred=eq]
%is8: i1 = icmp %kind, 8:i32 [pred=eq]
%none: <8 x double> = splat 0.0:double
"""


def loads(near: bool) -> str:
    """Elements of 1, 2, 4 or 8 bytes, or none, as doubles."""
    name, span, attrs = ("gather_near", ", %span", ", by_lanes=true") if near else ("gather", "", "")
    access = f"= {name} %at, {'%m' if near else '`splat (i1 true)`:<8 x i1>'}, poison:"
    return f"""
    %x: <8 x double> = if %is1 {{
      %b: <8 x i8> {access}<8 x i8>{span} [align=1{attrs}]
      %b.x: <8 x double> = sitofp %b
      yield %b.x
    }} {{
      %r: <8 x double> = if %is2 {{
        %h: <8 x i16> {access}<8 x i16>{span} [align=2{attrs}]
        %h.x: <8 x double> = uitofp %h
        yield %h.x
      }} {{
        %s: <8 x double> = if %is4 {{
          %f: <8 x float> {access}<8 x float>{span} [align=4{attrs}]
          %f.x: <8 x double> = fpext %f
          yield %f.x
        }} {{
          %t: <8 x double> = if %is8 {{
            %d: <8 x double> {access}<8 x double>{span} [align=8{attrs}]
            yield %d
          }} {{ yield %none }}
          yield %t
        }}
        yield %s
      }}
      yield %r
    }}
    %seen: <8 x double> = select %m, %x, %none
    store %seen, %out [align=8]
    """


def stores(near: bool) -> str:
    """Likewise, the other way."""
    name, span, attrs = ("scatter_near", ", %span", ", by_lanes=true") if near else ("scatter", "", "")
    places = f"%to, {'%m' if near else '`splat (i1 true)`:<8 x i1>'}{span}"
    return f"""
    %x: <8 x i64> = load %in [align=8]
    %b: <8 x i8> = trunc %x
    if %is1 {{
      {name} %b, {places} [align=1{attrs}]
      yield
    }} {{
      if %is2 {{
        %h: <8 x i16> = trunc %x
        {name} %h, {places} [align=2{attrs}]
        yield
      }} {{
        if %is4 {{
          %i: <8 x i32> = trunc %x
          %f: <8 x float> = bitcast %i
          {name} %f, {places} [align=4{attrs}]
          yield
        }} {{
          if %is8 {{
            {name} %x, {places} [align=8{attrs}]
            yield
          }} {{ yield }}
          yield
        }}
        yield
      }}
      yield
    }}
    """


def kernel(code: str) -> Function:
    """A kernel of one block."""
    return function(PARAMETERS, f"{GRID} {PLACES} {code} yield }}", NO_GATHERS)


def interpreted(code: str, given: bytes, numbers: tuple[int, int, int]) -> bytes:
    """What the interpreter leaves in %out."""
    memory = Memory()
    in_, out = memory.allocate(BYTES, given), memory.allocate(BYTES, b"\xaa" * BYTES)
    run(kernel(code), (1, 1, 1), (1, 1, 1), [in_, out, *numbers], memory, seed=None)
    return memory.read(out, BYTES)


CODES = {
    "loads near": loads(near=True),
    "loads": loads(near=False),
    "stores near": stores(near=True),
    "stores": stores(near=False),
}


@pytest.mark.parametrize("name", CODES)
def test_each_size_and_distance(name: str, load: Callable[..., ctypes.CDLL]) -> None:
    text = emit(kernel(CODES[name]))
    chosen = re.findall(r"\.chosen(?:\.8)?\(", text)
    assert len(chosen) == 2, "one definition, one call"
    library, draw = load(text), random.Random(3)
    for kind in (0, 1, 2, 4, 8, 3):
        for apart in (8, -8, 16, kind, -kind, 0):
            if kind and apart % kind:
                continue
            for active in (8, 7, 1, 0) if "near" in name else (8,):
                given = bytes(draw.randrange(256) for _ in range(BYTES))
                if kind == 4:  # no NaN, whose payload conversions may change
                    given = bytes(each & 0x3F for each in given)
                numbers = (kind, apart, active)
                in_, out = (
                    ctypes.create_string_buffer(given, BYTES),
                    ctypes.create_string_buffer(b"\xaa" * BYTES, BYTES),
                )
                pointers = [ctypes.c_void_p(ctypes.addressof(each)) for each in (in_, out)]
                launch(library, (1, 1, 1), (1, 1, 1), *pointers, *map(ctypes.c_int, numbers))
                assert out.raw == interpreted(CODES[name], given, numbers), numbers


LOADS = CODES["loads near"]
OTHERWISE = {
    "a case stores": LOADS.replace("%h.x: <8 x double> = uitofp %h", "%h.x: <8 x double> = uitofp %h store %h, %out"),
    "a case loads something else": LOADS.replace(
        "yield %d", "%e: double = load %in %f8: <8 x double> = splat %e yield %f8"
    ),
    "a condition comes from inside": LOADS.replace(
        "%s: <8 x double> = if %is4", "%four: i1 = icmp %kind, 4:i32 [pred=eq] %s: <8 x double> = if %four"
    ),
    "other places": LOADS.replace("gather_near %at, %m, poison:<8 x i16>", "gather_near %to, %m, poison:<8 x i16>"),
    "other lanes": LOADS.replace(
        "gather_near %at, %m, poison:<8 x i16>", "gather_near %at, `splat (i1 true)`:<8 x i1>, poison:<8 x i16>"
    ),
    "inactive lanes have values": LOADS.replace("poison:<8 x i16>", "zeroinitializer:<8 x i16>"),
    "elements that lie anyhow": LOADS.replace("[align=2, by_lanes=true]", "[align=1, by_lanes=true]"),
}


@pytest.mark.parametrize("why", OTHERWISE)
def test_what_must_stay_in_its_case_does(why: str, load: Callable[..., ctypes.CDLL]) -> None:
    assert OTHERWISE[why] != LOADS
    text = emit(kernel(OTHERWISE[why]))
    assert ".chosen(" not in text
    load(text)  # LLVM takes it


def test_a_case_with_two_loads_is_no_part_of_a_choice() -> None:
    """But the others are."""
    again = "%c: <8 x i8> = gather_near %at, %m, poison:<8 x i8>, %span [align=1, by_lanes=true]"
    sums = f"{again} %bc: <8 x i8> = add %b, %c %b.x: <8 x double> = sitofp %bc"
    text = emit(kernel(LOADS.replace("%b.x: <8 x double> = sitofp %b", sums)))
    assert text.count("@warploom.gather.1.1(") == 3, "a definition and two calls"
    assert text.count(".chosen(") == 2


@pytest.mark.parametrize("name", ["loads", "stores"])
def test_gathers_and_scatters_of_the_processor_stay(name: str) -> None:
    body = f"{GRID} {PLACES} {CODES[name]} yield }}"
    assert ".chosen" not in emit(function(PARAMETERS, body))
    assert ".chosen" in emit(function(PARAMETERS, body, NO_GATHERS))


def test_gathers_from_anywhere_are_vectors() -> None:
    """What is written element by element would be waited for."""
    text = emit(kernel(loads(near=False)))
    body = text.partition("@warploom.gather.chosen.8(")[2].partition("\n}")[0]
    assert "store <8 x i16>" in body
    assert "store i16" not in body


def test_gathers_under_a_mask_stay() -> None:
    masked = loads(near=False).replace("`splat (i1 true)`:<8 x i1>", "%m")
    assert ".chosen" not in emit(kernel(masked))


def test_where_faults_have_lines_they_have_those_of_their_cases() -> None:
    located = kernel(LOADS.replace("by_lanes=true]", 'by_lanes=true] @ "k.cu":7:1'))
    assert ".chosen(" in emit(located)
    assert ".chosen(" not in emit(located, debug=True)
