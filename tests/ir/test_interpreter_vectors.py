# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Vector ops in the interpreter: lanes that a mask leaves out do not matter, in what they read, write and race with."""

from __future__ import annotations

from typing import Any

import pytest

from warploom.ir.core import Function
from warploom.ir.interpreter import MemoryFault, Result, run
from warploom.ir.intrinsics import resolve
from warploom.ir.memory import Memory
from warploom.ir.parser import parse_function

LAUNCH = "%gdx: i32, %gdy: i32, %gdz: i32, %bdx: i32, %bdy: i32, %bdz: i32"
SEEDS = [None, *range(1, 6)]
NUMBERS = "`<i32 0, i32 1, i32 2, i32 3>`:<4 x i32>"
EVEN = "`<i1 1, i1 0, i1 true, i1 false>`:<4 x i1>"
ALL = "`splat (i1 true)`:<4 x i1>"


def kernel(body: str) -> Function:
    """A kernel whose threads run `body`; %in and %out have eight i32."""
    return parse_function(f"""kernel @k({LAUNCH}, %in: ptr, %out: ptr) {{
  grid %gdx, %gdy, %gdz {{ (%bx: i32, %by: i32, %bz: i32)
    block %bdx, %bdy, %bdz {{ (%tx: i32, %ty: i32, %tz: i32)
      {body}
      yield
    }}
    yield
  }}
  yield
}}""")


def outcome(body: str, seed: int | None = None, threads: int = 1, **options: Any) -> tuple[list[int], Result]:
    """What one block left in %out, which begins as eight times 7; %in holds 10, 11, ..."""
    memory = Memory()
    in_, out = memory.array("i32", list(range(10, 18)), "in"), memory.array("i32", [7] * 8, "out")
    result = run(kernel(body), (1, 1, 1), (threads, 1, 1), [in_, out], memory, seed=seed, **options)
    return memory.values("i32", out, 8), result


@pytest.mark.parametrize("seed", SEEDS)
def test_lanes_without_a_mask_are_neither_read_nor_written(seed: int | None) -> None:
    body = f"""
      %x: <4 x i32> = masked_load %in, {EVEN}, splat:<4 x i32> [align=4]
      masked_store %x, %out, {EVEN} [align=4]""".replace("splat:", "`splat (i32 -1)`:")
    assert outcome(body, seed)[0] == [10, 7, 12, 7, 7, 7, 7, 7]


@pytest.mark.parametrize("seed", SEEDS)
def test_poison_where_the_mask_is_off_does_no_harm(seed: int | None) -> None:
    body = f"""
      %good: ptr = gep %in [offset=28, strides=()]
      %one: <4 x ptr> = insertelement poison:<4 x ptr>, %good, 1:i32
      %m: <4 x i1> = icmp {NUMBERS}, `splat (i32 1)`:<4 x i32> [pred=eq]
      %x: <4 x i32> = gather %one, %m, undef:<4 x i32> [align=4]
      %last: <4 x i32> = shufflevector %x, poison:<4 x i32> [mask=(-1, 1, -1, -1)]
      %to: <4 x ptr> = insertelement poison:<4 x ptr>, %out, 1:i32
      scatter %last, %to, %m [align=4]
      %past: <4 x i32> = masked_load %good, `<i1 1, i1 0, i1 0, i1 0>`:<4 x i1>, poison:<4 x i32> [align=4]
      %next: ptr = gep %out [offset=4, strides=()]
      masked_store %past, %next, `<i1 1, i1 0, i1 0, i1 0>`:<4 x i1> [align=4]"""
    assert outcome(body, seed)[0] == [17, 17, 7, 7, 7, 7, 7, 7]


@pytest.mark.parametrize("seed", SEEDS)
def test_of_equal_addresses_the_last_lane_stays(seed: int | None) -> None:
    body = f"""
      %to: <4 x ptr> = gep %out, `<i32 2, i32 0, i32 2, i32 2>`:<4 x i32> [offset=0, strides=(4)]
      scatter {NUMBERS}, %to, `<i1 1, i1 1, i1 1, i1 0>`:<4 x i1> [align=4]"""
    assert outcome(body, seed)[0] == [1, 7, 2, 7, 7, 7, 7, 7]


@pytest.mark.parametrize("seed", SEEDS)
def test_where_the_span_is_that_of_a_row_the_first_address_counts(seed: int | None) -> None:
    body = f"""
      %at: <4 x ptr> = gep %in, `<i32 4, i32 0, i32 1, i32 3>`:<4 x i32> [offset=0, strides=(4)]
      %row: <4 x i32> = gather_near %at, {ALL}, poison:<4 x i32>, 12:i64 [align=4]
      %each: <4 x i32> = gather_near %at, {ALL}, poison:<4 x i32>, 8:i64 [align=4]
      %to: <4 x ptr> = gep %out, `<i32 0, i32 7, i32 6, i32 5>`:<4 x i32> [offset=0, strides=(4)]
      scatter_near %each, %to, {ALL}, 20:i64 [align=4]
      scatter_near %row, %to, {ALL}, 12:i64 [align=4]"""
    assert outcome(body, seed)[0] == [14, 15, 16, 17, 7, 13, 11, 10]


def test_indices_are_signed_and_wrap() -> None:
    body = f"""
      %end: ptr = gep %in [offset=32, strides=()]
      %from: <4 x ptr> = gep %end, `<i8 -1, i8 -2, i8 -3, i8 -8>`:<4 x i8>, %tx [offset=0, strides=(4, 100)]
      %x: <4 x i32> = gather %from, {ALL}, poison:<4 x i32> [align=4]
      store %x, %out [align=4]"""
    assert outcome(body)[0] == [17, 16, 15, 10, 7, 7, 7, 7]


@pytest.mark.parametrize(
    ("line", "message"),
    [
        ("%x: <4 x i32> = masked_load %past, {}, poison:<4 x i32> [align=4]", "4 bytes at byte 32 of in"),
        ("masked_store {}, %past, {} [align=4]", "4 bytes at byte 32 of in"),
        ("%x: <4 x i32> = gather %wild, {}, poison:<4 x i32> [align=4]", "null"),
        ("scatter {}, %wild, {} [align=4]", "null"),
    ],
)
@pytest.mark.parametrize("seed", [None, 1])
def test_lanes_stay_inside_their_allocation(line: str, message: str, seed: int | None) -> None:
    filled = line.format(NUMBERS, ALL) if line.count("{}") == 2 else line.format(ALL)
    body = f"""
      %past: ptr = gep %in [offset=24, strides=()]
      %wild: <4 x ptr> = insertelement zeroinitializer:<4 x ptr>, %in, 0:i32
      {filled}"""
    with pytest.raises(MemoryFault, match=message):
        outcome(body, seed)


def test_lanes_keep_the_alignment_that_they_promise() -> None:
    body = (
        "%odd: ptr = gep %in [offset=2, strides=()] %x: <4 x i32> = masked_load %odd, {}, poison:<4 x i32> [align={}]"
    )
    outcome(body.format(ALL, 2), seed=1)
    outcome(body.format("zeroinitializer:<4 x i1>", 4), seed=1)
    with pytest.raises(MemoryFault, match="not aligned to 4"):
        outcome(body.format(ALL, 4), seed=1)


RACE = """
      %mine: <4 x i1> = insertelement zeroinitializer:<4 x i1>, 1:i1, {lane}
      %to: <4 x ptr> = gep %out, `<i32 0, i32 1, i32 2, i32 3>`:<4 x i32> [offset=0, strides=(4)]
      {line}"""


@pytest.mark.parametrize(
    ("line", "pair"),
    [
        ("scatter %y, %to, %mine", {"scatter"}),
        ("masked_store %y, %out, %mine", {"masked_store"}),
        ("%x: <4 x i32> = gather %to, %mine, %y store %tx, %out", {"gather", "store"}),
        ("%x: <4 x i32> = masked_load %out, %mine, %y store %tx, %out", {"masked_load", "store"}),
    ],
)
def test_lanes_under_a_mask_race(line: str, pair: set[str]) -> None:
    """Two threads at lane 0 meet; where the mask keeps each at a lane of its own they do not."""
    line = line.replace("%y", NUMBERS)
    for seed in (None, 1):
        found = outcome(RACE.format(lane="0:i32", line=line), seed, threads=2, races=True)[1].races
        assert pair in [{race.first.name, race.second.name} for race in found]
        apart = outcome(RACE.format(lane="%tx", line=line), seed, threads=2, races=True)[1].races
        assert {"scatter", "masked_store"}.isdisjoint(race.first.name for race in apart)


def test_a_vector_op_counts_once() -> None:
    body = f"%x: <4 x i32> = splat %tx %s: i32 = reduce %x [kind=add] %y: <4 x i32> = add %x, {NUMBERS}"
    assert outcome(body, threads=3)[1].counts == {"grid": 1, "block": 1, "splat": 3, "reduce": 3, "add": 3}


def test_sums_go_from_the_first_element_upwards() -> None:
    floats = "`<float 16777216.0, float 1.0, float 1.0, float -16777216.0>`:<4 x float>"
    body = f"%s: float = reduce {floats} [kind=fadd] %x: i32 = fptosi %s store %x, %out"
    assert outcome(body)[0][0] == 0


def test_vector_mathematics_is_the_scalar_one_lane_by_lane() -> None:
    vector, wide = "<2 x float>", "<2 x double>"
    for name in ("__warploom_v2_exp_f32", "__warploom_v2_fast_exp_f32"):
        call, scalar = resolve(name, [vector], vector), resolve("expf", ["float"], "float")
        assert call is not None
        assert scalar is not None
        assert call((0.5, -1.0)) == (scalar(0.5), scalar(-1.0))
    power = resolve("__warploom_v2_pow_f64", [wide, wide], wide)
    assert power is not None
    assert power((2.0, 9.0), (10.0, 0.5)) == (1024.0, 3.0)
    root = resolve("__warploom_v2_rsqrt_f32", [vector], vector)
    assert root is not None
    assert root((4.0, 0.25)) == (0.5, 2.0)
    assert resolve("__warploom_v2_nothing_f32", [vector], vector) is None


@pytest.mark.parametrize(
    ("callee", "types", "values", "result", "expected"),
    [
        ("llvm.fmuladd.v2f32", ["<2 x float>"] * 3, [(2.0, 3.0), (4.0, 5.0), (1.0, -1.0)], "<2 x float>", (9.0, 14.0)),
        ("llvm.minnum.v2f64", ["<2 x double>"] * 2, [(2.0, 3.0), (4.0, 1.0)], "<2 x double>", (2.0, 1.0)),
        ("llvm.ctpop.v2i32", ["<2 x i32>"], [(7, 0x80000000)], "<2 x i32>", (3, 1)),
        ("llvm.smax.v2i32", ["<2 x i32>"] * 2, [(0xFFFFFFFF, 3), (0, 2)], "<2 x i32>", (0, 3)),
        ("llvm.fptosi.sat.v2i32.v2f32", ["<2 x float>"], [(1e20, -2.5)], "<2 x i32>", (0x7FFFFFFF, 0xFFFFFFFE)),
        ("llvm.fshl.v2i32", ["<2 x i32>"] * 3, [(1, 2), (0x80000000, 0), (1, 4)], "<2 x i32>", (3, 32)),
        ("llvm.cttz.v2i32", ["<2 x i32>", "i1"], [(8, 0), 0], "<2 x i32>", (3, 32)),
        ("llvm.powi.v2f32.i32", ["<2 x float>", "i32"], [(2.0, 3.0), 2], "<2 x float>", (4.0, 9.0)),
        (
            "llvm.modf.v2f32",
            ["<2 x float>"],
            [(1.5, -2.25)],
            "{ <2 x float>, <2 x float> }",
            ((0.5, -0.25), (1.0, -2.0)),
        ),
        (
            "llvm.sadd.with.overflow.v2i8",
            ["<2 x i8>"] * 2,
            [(127, 1), (1, 1)],
            "{ <2 x i8>, <2 x i1> }",
            ((128, 2), (1, 0)),
        ),
    ],
)
def test_intrinsics_go_lane_by_lane(
    callee: str, types: list[str], values: list[Any], result: str, expected: tuple[Any, ...]
) -> None:
    call = resolve(callee, types, result)
    assert call is not None
    assert call(*values) == expected
