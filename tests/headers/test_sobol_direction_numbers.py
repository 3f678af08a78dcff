# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The packed direction numbers of Sobol's sequences, against what is published and what they must be."""

from __future__ import annotations

from itertools import pairwise

from sobol_direction_numbers import DIMENSIONS, pack, unpack

from warploom.runtime_library import SOURCES

PACKED = SOURCES / "curand" / "sobol_directions.bin"
# Dimensions 2 to 8 of the published file.
PUBLISHED = [
    (1, 0, [1]),
    (2, 1, [1, 3]),
    (3, 1, [1, 3, 1]),
    (3, 2, [1, 1, 1]),
    (4, 1, [1, 1, 3, 3]),
    (4, 4, [1, 3, 5, 13]),
    (5, 2, [1, 1, 5, 5, 17]),
]


def test_the_first_dimensions_are_the_published_ones() -> None:
    assert unpack(PACKED.read_bytes())[: len(PUBLISHED)] == PUBLISHED


def test_packing_is_undone_by_unpacking() -> None:
    data = PACKED.read_bytes()
    assert pack(unpack(data)) == data


def test_every_dimension_has_a_polynomial_of_its_own() -> None:
    rows = unpack(PACKED.read_bytes())
    assert len(rows) == DIMENSIONS - 1
    assert all((s, a) < (t, b) for (s, a, _), (t, b, _) in pairwise(rows))
