# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""MTGP32's packed parameters, against what is published of them and what they must be."""

from __future__ import annotations

import hashlib
import re
from pathlib import Path

from mtgp32_parameters import DEGREE, WORDS, Parameters, extend, initial_words, outputs
from xorwow_jump_table import minimal_polynomial

from warploom.runtime_library import SOURCES

PACKED = SOURCES.parent / "include" / "warploom" / "curand" / "mtgp32_parameters.inc"
EXPECTED = Path(__file__).with_name("curand_mtgp32.out")
# Of set 0: the SHA-1 of its characteristic polynomial's coefficients, constant first, as published with it.
PUBLISHED = "cbb03faa650dbd1c8cc2910087257ff86f23f218"


def sets() -> list[Parameters]:
    rows = re.findall(r"^\{(.*)\},$", PACKED.read_text(), re.MULTILINE)
    numbers = [[int(number, 0) for number in row.split(", ")] for row in rows]
    return [Parameters(row[0], row[1], row[2], tuple(row[3:7]), tuple(row[7:])) for row in numbers]


def test_there_are_200_sets_whose_blocks_may_have_256_threads() -> None:
    found = sets()
    assert len(set(found)) == 200
    # 256 threads at once read no word that one of them makes: the farthest read stays before the first new word.
    assert all(255 + max(each.position, 1) < WORDS for each in found)


def test_the_polynomial_of_the_first_set_is_the_published_one() -> None:
    first = sets()[0]
    words = initial_words(first, 1)
    extend(first, words, 2 * DEGREE)
    polynomial = minimal_polynomial([word & 1 for word in words[WORDS:]])
    assert polynomial.bit_length() == DEGREE + 1
    assert hashlib.sha1(f"{polynomial:b}"[::-1].encode(), usedforsecurity=False).hexdigest() == PUBLISHED


def test_the_program_prints_the_numbers_of_the_recursion() -> None:
    seed = 0x1234567890
    folded = (seed ^ seed >> 32) & 0xFFFFFFFF
    first, fifth = (outputs(sets()[number], folded + number + 1, 2) for number in (0, 4))
    line = "state 0: {:08x} {:08x}, state 4: {:08x} {:08x}".format(*first, *fifth)
    assert EXPECTED.read_text().count(line) == 4
