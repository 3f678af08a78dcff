# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Runs kernels (%n: i32, %m: i64, %p, %in, %small, %acc: ptr) before and after `vectorise`."""

from __future__ import annotations

import random

import pytest
from random_threads import ACCUMULATORS, INPUTS, PARAMS, SLOTS

from warploom.analysis import vector_cost
from warploom.analysis.lanes import Shapes
from warploom.ir.core import Function, Op, clone_function
from warploom.ir.interpreter import run
from warploom.ir.memory import Memory
from warploom.ir.parser import parse_function
from warploom.ir.verifier import verify
from warploom.passes.base import Context
from warploom.passes.vector import widen_loops
from warploom.passes.vector.vectorise import VECTORISE

Dims = tuple[int, int, int]
GRID = (2, 1, 1)

# What the threads of most kernels begin with.
IDS = """
    %start: i32 = mul %bx, %bdx
    %id: i32 = add %start, %tx [flags=(nsw)]
    %mine: ptr = gep %p, %id [offset=0, strides=(4)]
    %low: i32 = and %tx, 3:i32
    %c: i1 = icmp %low, 1:i32 [pred=sgt]
    %x: i32 = load %mine [align=4]
    %some: i32 = and %x, 7:i32"""


def results(function: Function, block: Dims, n: int, seed: int | None = None) -> list[bytes]:
    """What a launch leaves in %p and %acc."""
    memory = Memory()
    threads = GRID[0] * block[0] * block[1] * block[2]
    numbers = random.Random(n)
    out = memory.array("i32", [(7919 * i * i + 31 * i) % 1013 for i in range(threads * SLOTS)], "p")
    inputs = memory.array("i32", [numbers.getrandbits(numbers.choice((3, 8, 32))) for _ in range(INPUTS)], "in")
    small = memory.array("i8", [numbers.getrandbits(8) for _ in range(INPUTS)], "small")
    acc = memory.array("i32", [numbers.getrandbits(32) for _ in range(8 * ACCUMULATORS)], "acc")
    run(function, GRID, block, [n, n * 3 + (1 << 33), out, inputs, small, acc], memory, seed=seed, limit=100_000)
    return [bytes(memory.buffers[each >> 32]) for each in (out, acc)]


def vectorised(function: Function, width: int, jam: int, alone: bool | None = None) -> Function:
    """A copy after the pass, verified. `alone`: whether threads go one by one through loops that they leave so."""
    copy = clone_function(function)
    with pytest.MonkeyPatch.context() as patch:
        if alone is not None:

            def answer(_loop: Op, _shapes: Shapes) -> bool:
                return bool(alone)

            patch.setattr(vector_cost, "runs_better_alone", answer)
            patch.setattr(widen_loops, "runs_better_alone", answer)
        VECTORISE.run(copy, Context(width=width, jam=jam))
    verify(copy, "structured")
    return copy


def threads(ops: str) -> Function:
    """The kernel whose threads run `ops`."""
    function = parse_function(
        f"{PARAMS} {{\ngrid %gdx, %gdy, %gdz {{ (%bx: i32, %by: i32, %bz: i32)\n"
        f"block %bdx, %bdy, %bdz {{ (%tx: i32, %ty: i32, %tz: i32)\n{ops}\nyield\n}}\nyield\n}}\nyield\n}}\n"
    )
    verify(function, "structured")
    return function
