# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Kernels do the same after `vectorise`, bit by bit, for any width, any number of rows and any shape of the block."""

from __future__ import annotations

import random

import pytest
from random_threads import random_kernel
from vector_runs import Dims, results, vectorised

from warploom.ir.core import walk
from warploom.ir.parser import parse_function
from warploom.ir.verifier import verify
from warploom.passes.shape.specialise_launch import specialise
from warploom.passes.vector import vectorise

WIDTHS, JAMS = (4, 8, 16, 32), (1, 2, 4)
BLOCKS: tuple[Dims, ...] = (
    (1, 1, 1), (7, 1, 1), (33, 1, 1), (16, 16, 1), (32, 8, 1), (5, 3, 2), (100, 1, 1), (4, 4, 4), (8, 3, 1),
)  # fmt: skip


def check(text: str, rng: random.Random, tries: int) -> None:
    """Some widths, rows and shapes."""
    function = parse_function(text)
    verify(function, "structured")
    for _ in range(tries):
        block, width, jam = rng.choice(BLOCKS), rng.choice(WIDTHS), rng.choice(JAMS)
        n = rng.choice((0, 1, 5, 1000, (1 << 32) - 3))
        expected = results(function, block, n)
        variant = specialise(function, block) if rng.random() < 0.5 else function
        alone = rng.choice((None, False, True))
        changed = vectorised(variant, width, jam, alone)
        for seed in (None, rng.randrange(100)):
            assert results(changed, block, n, seed) == expected, (block, width, jam, alone, n, seed)


@pytest.mark.parametrize("seed", range(30))
def test_random_kernels(seed: int) -> None:
    check(random_kernel(seed), random.Random(seed), tries=2)


def test_most_random_kernels_have_a_vector_form() -> None:
    """The test above would be worth little otherwise."""
    functions = [vectorised(parse_function(random_kernel(seed)), 8, 2) for seed in range(30)]
    assert sum(not any(op.name == "block" for op in walk(each.body)) for each in functions) >= 27


@pytest.mark.parametrize("seed", range(100, 108))
def test_random_kernels_that_are_too_large_to_be_written_twice(seed: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(vectorise, "LARGEST_TWICE", 0)
    check(random_kernel(seed), random.Random(seed), tries=2)
