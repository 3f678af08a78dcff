# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The generator of random kernels: the same for the same seed, and with everything in it that CUDA code may hold."""

from __future__ import annotations

import random
import re
import struct
from itertools import product
from typing import NamedTuple

import pytest

from warploom.fuzz import arrays
from warploom.fuzz.arrays import Array, State
from warploom.fuzz.expressions import TYPES, Level, Scope, Variable, expression
from warploom.fuzz.features import CALLS, TILE_CALLS
from warploom.fuzz.fields import FLOATS_IN_X, LAYOUTS, Field
from warploom.fuzz.generate import kernel, program, without_kernels
from warploom.fuzz.interpret import floats
from warploom.fuzz.judge import INPUTS, inputs
from warploom.fuzz.kinds.elements import MAKERS as ELEMENT_MAKERS
from warploom.fuzz.kinds.idioms import MAKERS
from warploom.fuzz.text import kernel_text, launch_text, program_text
from warploom.fuzz.tree import Kernel, Launch, statements

FORMS = (
    "__syncthreads();",
    "__syncthreads_count(",
    "__syncthreads_and(",
    "__syncthreads_or(",
    "return;",
    "break;",
    "continue;",
    "switch (",
    "do {",
    "} while (",
    "} else {",
    "__shared__",
    "extern __shared__",
    "mine = scratch",
    "__syncwarp();",
    "__ballot_sync(",
    "__any_sync(",
    "__all_sync(",
    "__match_any_sync(",
    "__match_all_sync(",
    "__reduce_",
    "__activemask()",
    "from_lane<",
    "from_below<",
    "from_above<",
    "from_partner<",
    "p0[",
    "atomicAdd(",
    "this_grid().sync();",
    "wide = scratch",
    "launches.cooperative(",
    "atomicMin(",
    "atomicXor(",
    "atomicExch(",
    "fma(",
    "divided<",
    "whole<",
    "threadIdx.z",
)
DATA_FORMS = (
    "__restrict__",
    "const u32 gid = blockIdx.x * blockDim.x + threadIdx.x",
    "const i32 column",
    "if (gid < n) {",
    "if (gid >= n) return;",
    "break;",
    "continue;",
    "% 23u",
    "Mixed *y",
    "float4 *y",
    "float2 *y",
    "double2 *y",
    " all = y",
    "total * 5u - 1u - (gid",
    "gid + 1 * total",
    "threadIdx.x * blockDim.y",
    "x[u32(gid * 1u +",
    "x[i32(gid * 3u +",
    "x[u64(32767u - gid",
    "((const float4 *)x)[",
    "x[i32(in[",
    "q0[",
    "p0[",
    "by_compare_and_swap(",
    "atomicExch(&counters[64u",
    "atomicAdd((f32 *)counters",
    "atomicAdd((f64 *)counters",
    "__shared__ f32 sums",
    "__syncthreads();",
    "larger(",
    "floor(",
    "fmod(",
    "dim3(257, 1, 1)",
    "dim3(16, 16, 1)",
    "dim3(32, 8, 1)",
    "dim3(5, 3, 2)",
    "dim3(100, 1, 1)",
    "dim3(7, 1, 1)",
)


FEATURE_FORMS = (
    *(f"{name}(" for name in CALLS),
    *(f"{name}<" for name in TILE_CALLS),
    "tile_sum<4>(",
    "__shared__ volatile u32 sync",
    "u32 place = atomicAdd(&list",
    "__syncthreads();",
    "dim3(96, 1, 1)",
    "dim3(4, 4, 4)",
)


class Dim3(NamedTuple):
    x: int
    y: int
    z: int


def text(made: Kernel) -> str:
    return kernel_text(made) + "".join(launch_text(made, order) for order in range(len(made.launches)))


def test_the_same_seed_and_number_make_the_same_kernel_in_any_program() -> None:
    one = program(7, 3, 1).kernels[0]
    assert text(one) == text(program(7, 0, 5).kernels[3])
    assert text(one) != text(kernel(8, 3))
    assert program_text(program(7, 0, 2)) == program_text(program(7, 0, 2))


def test_kernels_without_a_variable_that_lanes_can_shuffle_are_kernels_too() -> None:
    assert "from_" not in kernel_text(kernel(22, 9227, "features"))


@pytest.fixture(scope="module")
def many() -> list[Kernel]:
    return [kernel(1, number, "barriers") for number in range(300)]


@pytest.mark.parametrize("form", FORMS)
def test_every_form_occurs(form: str, many: list[Kernel]) -> None:
    assert any(form in text(each) for each in many)


@pytest.fixture(scope="module")
def many_of_data() -> list[Kernel]:
    return [kernel(1, number, "data") for number in range(400)]


@pytest.mark.parametrize("form", DATA_FORMS)
def test_every_form_of_data_occurs(form: str, many_of_data: list[Kernel]) -> None:
    assert any(form in text(each) for each in many_of_data)


@pytest.fixture(scope="module")
def many_of_features() -> list[Kernel]:
    return [kernel(1, number, "features") for number in range(200)]


@pytest.mark.parametrize("form", FEATURE_FORMS)
def test_every_feature_occurs(form: str, many_of_features: list[Kernel]) -> None:
    assert any(form in text(each) for each in many_of_features)


def test_blocks_of_features_are_whole_warps(many_of_features: list[Kernel]) -> None:
    assert all(launch.threads % 32 == 0 for each in many_of_features for launch in each.launches)


def test_every_idiom_comes_in_turn() -> None:
    made = [text(kernel(3, number, "idioms")) for number in range(len(MAKERS))]
    forms = (
        *("sum[0] +=", "left[threadIdx.y", "next[ty][tx]", "dz * dz", "__dp", "__managed__", "table + slot"),
        *("parent + u", "cells[16]", "head, next", "counters + 64", "atomicMin(far", "switch (", "goto "),
    )
    assert [form for form in forms if not any(form in each for each in made)] == []
    assert text(kernel(3, 2, "idioms")) == made[2] != text(kernel(4, 2, "idioms"))


def test_every_form_of_elements_comes_in_turn() -> None:
    made = [text(kernel(3, number, "elements")) for number in range(len(ELEMENT_MAKERS))]
    forms = (
        *("gid] = v;", "sum[4]", "struct Point", "_strides[d]", "column_", "* step", "switch (n", "i < ", "kept[4]"),
        *("bits_", "_pair p", "*const p = (", "across"),
    )
    assert [form for form in forms if not any(form in each for each in made)] == []
    assert text(kernel(3, 2, "elements")) != text(kernel(4, 2, "elements"))


def test_most_kernels_are_of_data() -> None:
    made = [kernel(1, number) for number in range(400)]
    assert 320 < sum(bool(each.own) for each in made) < 360
    assert text(made[5]) in {text(kernel(1, 5, kind)) for kind in ("data", "barriers")}


@pytest.mark.parametrize("block", [(7, 1, 1), (4, 3, 1), (3, 2, 2)])
def test_no_two_threads_have_a_place_in_common(block: tuple[int, int, int]) -> None:
    bdx, bdy, bdz = block
    threads = bdx * bdy * bdz
    for layout in LAYOUTS:
        per_thread = 1 if layout == "contiguous" else 3
        places = [
            Field("y", "f32", layout, per_thread, "u32", 0).index(str(which)).replace("u", "").replace("gid", "(g)")
            for which in range(per_thread)
        ]
        found: list[int] = []
        for block_number, z, y, x in product(range(3), range(bdz), range(bdy), range(bdx)):
            gid = block_number * threads + x + bdx * (y + bdy * z)
            names = {"g": gid, "total": 3 * threads, "block": block_number, "threads": threads}
            ids = {"threadIdx": Dim3(x, y, z), "blockDim": Dim3(*block)}
            found += [eval(place, {}, names | ids) for place in places]
        assert sorted(found) == list(range(3 * threads * per_thread))


def test_blocks_of_one_two_and_three_dimensions_and_odd_sizes_occur(many: list[Kernel]) -> None:
    launches = [launch for each in many for launch in each.launches]
    assert {sum(size > 1 for size in launch.block) for launch in launches} == {0, 1, 2, 3}
    assert any(launch.threads % 32 for launch in launches)
    assert any(launch.threads > 32 for launch in launches)
    assert {launch.constant for launch in launches} == {True, False}


def test_kernels_are_neither_empty_nor_huge(many: list[Kernel]) -> None:
    sizes = sorted(sum(1 for _ in statements(each.body)) for each in many)
    assert 10 < sizes[len(sizes) // 2] < 100
    assert sizes[-1] < 200


def test_what_the_block_agrees_on_is_made_of_nothing_else() -> None:
    levels = {"v": Level.THREAD, "w": Level.WARP, "u": Level.BLOCK}
    scope = Scope(random.Random(1), [Variable(name, "u32", level) for name, level in levels.items()])
    for _ in range(300):
        found = str(expression(scope, scope.rng.choice(TYPES), Level.BLOCK, 3))
        assert not {"v", "w", "tid", "gid", "lane", "warp", "threadIdx"} & set(re.findall(r"[A-Za-z]\w*", found))


def test_kernels_with_barriers_of_the_grid_have_no_early_exits(many: list[Kernel]) -> None:
    cooperative = [kernel_text(each) for each in many if each.cooperative]
    assert 10 < len(cooperative) < 100
    assert not any("return;" in each for each in cooperative)
    assert not any("this_grid" in kernel_text(each) for each in many if not each.cooperative)


def test_blocks_do_not_agree_with_each_other_on_their_shared_memory() -> None:
    scope = Scope(random.Random(3))
    for wide in (False, True):
        found = arrays.load(Array("s", "i32", 1, blocked=True, wide=wide), scope, "i32", Level.GRID, 1)
        assert (found is not None) == wide


def test_states_say_who_may_load_and_store() -> None:
    scope = Scope(random.Random(3))
    array = Array("s", "i32", 2, blocked=True)
    array.state = State("READ")
    assert arrays.update(array, scope, 1) is None
    assert arrays.load(array, scope, "i32", Level.BLOCK, 1) is not None
    array.state = State("OWN", 5)
    assert arrays.load(array, scope, "i32", Level.BLOCK, 1) is None
    assert "s[((tid + 5u) % threads) * 2u + " in str(arrays.load(array, scope, "i32", Level.THREAD, 1))
    array.state = State("ONE", 3)
    assert arrays.load(array, scope, "i32", Level.THREAD, 1) is None
    stored = arrays.update(array, scope, 1)
    assert stored is not None
    assert str(stored.parts[0]) == "if (tid == 3u % threads) {"
    array.state = State("ATOMIC", operation="Or")
    assert arrays.load(array, scope, "i32", Level.THREAD, 1) is None


def test_launches_are_written_with_constants_or_without() -> None:
    made = Kernel("k", [], [], [Launch((2, 1, 1), (33, 2, 1), constant, 60, 1, 0.5) for constant in (True, False)], 8)
    arguments = "d.in, d.out, d.counters, d.scratch, d.x, d.own, 60u, 1u, 0.5f"
    assert f" k<<<dim3(2, 1, 1), dim3(33, 2, 1), 528>>>({arguments}); " in launch_text(made, 0)
    assert "u32 x = unknown(33); k<<<dim3(2, 1, 1), dim3(x, 2, 1), 528>>>(" in launch_text(made, 1)


def test_kernels_can_be_left_out() -> None:
    assert [each.name for each in without_kernels(program(1, 0, 4), ["k2"]).kernels] == ["k2"]


def test_the_interpreter_reads_the_same_input_as_the_program() -> None:
    # By hand from the recurrence in prelude.cuh: state = 12345 * 1664525 + 1013904223 modulo 2^32.
    state = (12345 * 1664525 + 1013904223) % 2**32
    assert inputs()[0] == (state >> 24 if state >> 28 & 1 else state >> 3)
    assert len(inputs()) == INPUTS
    assert struct.unpack("<2f", floats()[60 * 4 :][:8])[1] % 0.125 == 0
    assert len(floats()) == 4 * FLOATS_IN_X
