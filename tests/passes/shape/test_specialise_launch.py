# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Variants of kernels for one block size."""

from __future__ import annotations

import pytest
from differential import results
from fission_kernels import NEIGHBOUR

from warploom.ir.core import int_const, walk
from warploom.ir.parser import parse_function
from warploom.ir.printer import print_function
from warploom.ir.verifier import verify
from warploom.passes.shape.specialise_launch import specialise


def test_the_size_is_a_constant_everywhere_and_said_in_an_attribute() -> None:
    function = parse_function(NEIGHBOUR)
    before = print_function(function)
    variant = specialise(function, (8, 2, 1))
    verify(variant, "structured")
    assert variant.facts.block == (8, 2, 1)
    block = next(op for op in walk(variant.body) if op.name == "block")
    assert block.operands == [int_const("i32", 8), int_const("i32", 2), int_const("i32", 1)]
    assert not any(param in op.operands for op in walk(variant.body) for param in variant.params[3:6])
    assert print_function(function) == before


def test_a_size_that_is_not_known_stays_a_parameter() -> None:
    variant = specialise(parse_function(NEIGHBOUR), (None, 1, 1))
    assert variant.facts.block == (0, 1, 1)
    block = next(op for op in walk(variant.body) if op.name == "block")
    assert block.operands[0] is variant.params[3]


def test_a_variant_does_the_same_for_its_size() -> None:
    function = parse_function(NEIGHBOUR)
    variant = specialise(function, (4, 2, 1))
    for seed in range(3):
        assert results(variant, (2, 1, 1), (4, 2, 1), 5, seed=seed) == results(function, (2, 1, 1), (4, 2, 1), 5)


def test_sizes_that_cuda_refuses_are_refused() -> None:
    with pytest.raises(AssertionError, match="no block has the size"):
        specialise(parse_function(NEIGHBOUR), (1024, 2, 1))
