# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Pack MTGP32's parameters: `python mtgp32_parameters.py mtgp32dc-param-11213.c > .../curand/mtgp32_parameters.inc`.

The figures are those of cuRAND's 200 sets, found by the dynamic creator of MTGP's authors and published with MTGP
(github.com/MersenneTwister-Lab/MTGP, cuda-sample/mtgp32dc-param-11213.c) under the 3-clause BSD licence, Copyright (c)
2009-2012 Hiroshima University, University of Tokyo and the authors named there.

A generator has period 2^11213 - 1. Its two tables of 16 words are linear over GF(2), so that entries 1, 2, 4 and 8 say
all; the third table follows from the second, and the mask is the same for all.
"""

from __future__ import annotations

import re
import sys
from dataclasses import dataclass
from pathlib import Path

DEGREE, WORDS, MASK = 11213, 351, 0xFFF80000
_SET = re.compile(r"No\.\d+[^{]*?(\d+),\s*(\d+),\s*(\d+),\s*(\d+),((?:\s*\{[^}]*\},?){3})\s*UINT32_C\((0x\w+)\)")
_WORD = re.compile(r"0x([0-9a-f]{8})")


@dataclass(frozen=True)
class Parameters:
    """One generator: word i + 351 comes from words i, i + 1 and i + position."""

    position: int
    shift1: int
    shift2: int
    recursion: tuple[int, ...]  # entries 1, 2, 4, 8
    tempering: tuple[int, ...]

    def text(self) -> str:
        """The set as an initialiser in C."""
        words = ", ".join(f"0x{each:08x}" for each in (*self.recursion, *self.tempering))
        return f"{{{self.position}, {self.shift1}, {self.shift2}, {words}}},"


def spread(basis: tuple[int, ...]) -> list[int]:
    """The 16 entries of a linear table."""
    table = [0] * 16
    for index in range(16):
        for bit, word in enumerate(basis):
            table[index] ^= word if index >> bit & 1 else 0
    return table


def parse(text: str) -> list[Parameters]:
    """The sets of MTGP's file; raises ValueError for one that is not of the form above."""
    found: list[Parameters] = []
    for match in _SET.finditer(text):
        degree, position, shift1, shift2 = (int(match[number]) for number in range(1, 5))
        words = [int(word, 16) for word in _WORD.findall(match[5])]
        tables = [words[:16], words[16:32], words[32:]]
        one = Parameters(
            position, shift1, shift2, *(tuple(table[1 << bit] for bit in range(4)) for table in tables[:2])
        )
        floats = [word >> 9 | 0x3F800000 for word in tables[1]]
        if degree != DEGREE or int(match[6], 16) != MASK or tables[2] != floats:
            raise ValueError(f"set {len(found)} is of another kind")
        if [spread(one.recursion), spread(one.tempering)] != tables[:2]:
            raise ValueError(f"set {len(found)} has a table that is not linear")
        found.append(one)
    return found


def initial_words(one: Parameters, seed: int) -> list[int]:
    """MTGP's state for a seed of 32 bits."""
    table = spread(one.recursion)
    hidden = table[4] ^ table[8] << 16 & 0xFFFFFFFF
    mixed = hidden + (hidden >> 16) & 0xFFFFFFFF
    mixed = mixed + (mixed >> 8) & 0xFFFFFFFF
    words = [(mixed & 0xFF) * 0x01010101] * WORDS
    words[0], words[1] = seed, hidden
    for i in range(1, WORDS):
        words[i] ^= 1812433253 * (words[i - 1] ^ words[i - 1] >> 30) + i & 0xFFFFFFFF
    return words


def extend(one: Parameters, words: list[int], count: int) -> None:
    """Append the next `count` words of the recursion."""
    table = spread(one.recursion)
    for i in range(len(words) - WORDS, len(words) - WORDS + count):
        x = words[i] & MASK ^ words[i + 1]
        x ^= x << one.shift1 & 0xFFFFFFFF
        y = x ^ words[i + one.position] >> one.shift2
        words.append(y ^ table[y & 15])


def outputs(one: Parameters, seed: int, count: int) -> list[int]:
    """The first `count` numbers of the generator."""
    words = initial_words(one, seed)
    extend(one, words, count)
    table, results = spread(one.tempering), list[int]()
    for i in range(count):
        t = words[i + one.position - 1]
        t ^= t >> 16
        t ^= t >> 8
        results.append(words[i + WORDS] ^ table[t & 15])
    return results


def main() -> None:
    """Write the packed sets to stdout."""
    print("// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception\n//")
    print("// Written by tests/headers/mtgp32_parameters.py, which says what the rows are and where they come from.")
    print("// clang-format off")
    for one in parse(Path(sys.argv[1]).read_text()):
        print(one.text())
    print("// clang-format on")


if __name__ == "__main__":
    main()
