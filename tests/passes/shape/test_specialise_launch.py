# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Variants of kernels for one block size."""

from __future__ import annotations

import re

import pytest
from differential import results
from fission_kernels import NEIGHBOUR

from warploom.ir.core import int_const, walk
from warploom.ir.parser import parse_function
from warploom.ir.printer import print_function
from warploom.ir.verifier import verify
from warploom.passes.shape.specialise_launch import specialise, worthwhile


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


BOUNDED = """kernel @k(%gdx: i32, %gdy: i32, %gdz: i32, %bdx: i32, %bdy: i32, %bdz: i32, %p: ptr) [max_threads=BOUND] {
  ids (%bx: i32, %by: i32, %bz: i32, %tx: i32, %ty: i32, %tz: i32)
  ^entry:
    %row: i32 = mul %ty, %bdx
    %slice: i32 = mul %tz, %bdy
    %rows: i32 = add %slice, %ty
    %before: i32 = mul %rows, %bdx
    %number: i32 = add %before, %tx
    store WHAT, %p [align=4]
    ret
}
"""


@pytest.mark.parametrize(
    ("bound", "what", "sizes"),
    [
        (128, "%tx", [(128, 1, 1)]),
        (128, "%ty", [(128, 1, 1), (32, 4, 1)]),
        (32, "%ty", []),
        (128, "%bdz", []),
        (128, "%number", []),
        (0, "%tx", []),
        (4, "%tx", []),
        (2048, "%tx", []),
    ],
)
def test_who_bounds_threads_launches_that_many(bound: int, what: str, sizes: list[tuple[int, int, int]]) -> None:
    text = BOUNDED.replace("BOUND", str(bound)).replace("WHAT", what)
    if what != "%number":
        text = re.sub(r"    %(row|slice|rows|before|number): .*\n", "", text)
    imported = parse_function(text)
    assert list(worthwhile(imported, ())) == sizes
    assert worthwhile(imported, [(64, 1, 1)]) == [(64, 1, 1)]


# A row of an array for each row of threads, an element for each thread.
TILE = BOUNDED.replace(
    "store WHAT, %p [align=4]",
    """%wide.y: i64 = sext %ty
    %a: ptr = gep %p, %wide.y [offset=0, strides=(ROW)]
    %b: ptr = gep %a, %tx [offset=0, strides=(4)]
    OTHER
    store %ty, %b [align=4]""",
)


@pytest.mark.parametrize(
    ("row", "other", "sizes"),
    [
        (64, "", [(16, 16, 1)]),
        (68, "", [(16, 16, 1)]),
        (128, "", [(32, 8, 1)]),
        (132, "", [(32, 8, 1)]),
        (16, "", [(256, 1, 1), (32, 8, 1)]),
        (1024, "", [(256, 1, 1), (32, 8, 1)]),
        (80, "", [(256, 1, 1), (32, 8, 1)]),
        (64, "%c: ptr = gep %p, %ty, %tx [offset=0, strides=(32, 4)]", [(256, 1, 1), (32, 8, 1)]),
        (64, "%c: ptr = gep %p, %ty, %tx [offset=0, strides=(128, 8)]", [(16, 16, 1)]),
    ],
)
def test_rows_are_as_long_as_those_of_arrays(row: int, other: str, sizes: list[tuple[int, int, int]]) -> None:
    text = TILE.replace("BOUND", "256").replace("ROW", str(row)).replace("OTHER", other)
    text = re.sub(r"    %(row|slice|rows|before|number): .*\n", "", text)
    assert list(worthwhile(parse_function(text), ())) == sizes
