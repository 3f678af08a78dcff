# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Kernels with random guards and loops do the same after unrolling and range hoisting, in any order of threads."""

from __future__ import annotations

import random

import pytest
from differential import lowered, results
from fission_kernels import KERNELS, REDUCTION, kernel

from warploom.ir.core import Function, walk
from warploom.ir.parser import parse_function
from warploom.passes.barrier.merge_parallel import MERGE_PARALLEL
from warploom.passes.barrier.split_barriers import SPLIT_BARRIERS
from warploom.passes.barrier.split_grid import SPLIT_GRID
from warploom.passes.barrier.split_warps import SPLIT_WARPS
from warploom.passes.barrier.unroll import UNROLL
from warploom.passes.guards.hoist_ranges import HOIST_RANGES
from warploom.passes.shape.specialise_launch import specialise

HOW = ("and {0}, {1}", "and {0}, {1}", "or {0}, {1}", "select {0}, {1}, 0:i1", "select {0}, 1:i1, {1}")
SHAPES = ((5, 1, 1), (4, 3, 1), (2, 2, 3))


def random_guard(rng: random.Random) -> str:
    """A condition %c on up to three comparisons of ids, some of which are ranges."""
    lines: list[str] = []
    total = ""
    for number in range(rng.randint(1, 3)):
        axis = rng.choice(("%tx", "%tx", "%tx", "%ty", "%tz", "%lin"))
        if rng.random() < 0.5:
            flags = rng.choice(("", " [flags=(nsw)]"))
            offset = rng.choice((f"{rng.randint(-3, 3)}:i32", "%bx", "%volume"))
            lines.append(f"%s{number}: i32 = add {axis}, {offset}{flags}")
            axis = f"%s{number}"
        if rng.random() < 0.3:
            lines.append(f"%e{number}: i64 = {rng.choice(('sext', 'zext'))} {axis}")
            sides = [f"%e{number}", f"{rng.randint(-2, 6)}:i64"]
        else:
            sides = [axis, rng.choice((f"{rng.randint(-2, 6)}:i32", "%n", "%bx", "%bdx"))]
        rng.shuffle(sides)
        order = rng.choice("slt slt sle sgt sge ult ult ule ugt uge eq ne".split())
        lines.append(f"%q{number}: i1 = icmp {sides[0]}, {sides[1]} [pred={order}]")
        if not total:
            total = f"%q{number}"
            continue
        how = rng.choice(HOW)
        lines.append(f"%j{number}: i1 = " + how.format(total, f"%q{number}"))
        total = f"%j{number}"
    last = f"xor {total}, 1:i1" if rng.random() < 0.3 else f"and {total}, {total}"
    return "\n".join([*lines, f"%c: i1 = {last}"])


def guarded(rng: random.Random) -> Function:
    """if (guard) p[id] = id; or with the sides swapped."""
    filled, empty = "store %tid, %here [align=4]\nyield", "yield"
    sides = [filled, empty] if rng.random() < 0.7 else [empty, filled]
    return parse_function(kernel(f"{random_guard(rng)}\nif %c {{\n{sides[0]}\n}} {{\n{sides[1]}\n}}"))


@pytest.mark.parametrize("seed", range(40))
def test_random_guards(seed: int) -> None:
    rng = random.Random(f"guards {seed}")
    function = guarded(rng)
    for shape in SHAPES:
        n = rng.randint(-1, 6) & 0xFFFFFFFF
        expected = results(function, (3, 1, 1), shape, n)
        for variant in (function, specialise(function, shape)):
            after, _ = lowered(variant, [HOIST_RANGES])
            assert results(after, (3, 1, 1), shape, n, seed=seed) == expected


def test_most_random_guards_are_hoisted() -> None:
    """The test above would be worth little otherwise."""
    rng = random.Random("hoisted")
    functions = [guarded(rng) for _ in range(60)]
    assert sum(HOIST_RANGES.run(function, lowered(function, [])[1]) for function in functions) >= 20


def test_a_reduction_unrolls_where_the_block_size_is_known() -> None:
    function = parse_function(REDUCTION)
    shape = (8, 2, 1)
    variant = specialise(function, shape)
    passes = [UNROLL, SPLIT_BARRIERS, MERGE_PARALLEL, HOIST_RANGES]
    after, context = lowered(variant, passes)
    assert any("copies of its body" in remark.text for remark in context.remarks) == (
        not any(op.name in ("while", "for") for op in walk(after.body))
    )
    for seed in range(4):
        assert results(after, (2, 1, 1), shape, 3, seed=seed) == results(function, (2, 1, 1), shape, 3)


@pytest.mark.parametrize("shape", [(40, 1, 1), (6, 2, 2)], ids=str)
@pytest.mark.parametrize("name", KERNELS)
def test_splitting_then_merging_and_hoisting(name: str, shape: tuple[int, int, int]) -> None:
    function = parse_function(KERNELS[name])
    passes = [SPLIT_GRID, UNROLL, SPLIT_BARRIERS, SPLIT_WARPS, MERGE_PARALLEL, HOIST_RANGES]
    grid = (2, 1, 1)
    expected = results(function, grid, shape, 7)
    for variant in (function, specialise(function, shape)):
        after, _ = lowered(variant, passes)
        for seed in range(2):
            assert results(after, grid, shape, 7, seed=seed) == expected
