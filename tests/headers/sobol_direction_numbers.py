# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Pack Sobol direction numbers: `python sobol_direction_numbers.py new-joe-kuo-6.21201 > .../sobol_directions.bin`.

The numbers are those of S. Joe and F. Y. Kuo, "Constructing Sobol sequences with better two-dimensional projections"
(2008), search criterion D6, as published in the text file named above: a line `d s a m_1 ... m_s` for each dimension
from 2 on. The file is packed as a stream of bits, lowest bit of each byte first: for each dimension the s - 1 bits of
a, then (m_i - 1) / 2 in i - 1 bits for i = 2 to s. The degree s needs no bits: every primitive polynomial over GF(2) is
used once, in ascending order, so that the number of them of each degree gives it.
"""

from __future__ import annotations

import sys
from collections.abc import Iterable
from pathlib import Path

DIMENSIONS = 20000  # as many as cuRAND has
POLYNOMIALS = (1, 1, 2, 2, 6, 6, 18, 16, 48, 60, 176, 144, 630, 756, 1800, 2048, 7710, 7776)  # by degree, from 1


def degrees() -> list[int]:
    """The degree of the polynomial of each dimension from 2 on."""
    return [degree for degree, count in enumerate(POLYNOMIALS, 1) for _ in range(count)][: DIMENSIONS - 1]


def pack(rows: Iterable[tuple[int, int, list[int]]]) -> bytes:
    """The bits of dimensions 2 to DIMENSIONS, each a row (s, a, m)."""
    stream, length = 0, 0
    parts: list[bytes] = []
    for degree, (s, a, m) in zip(degrees(), rows, strict=False):
        if s != degree or len(m) != s or any(value % 2 == 0 or value >> i for i, value in enumerate(m, 1)):
            raise ValueError(f"not a row of direction numbers: {s} {a} {m}")
        for value, width in [(a, s - 1), *((value >> 1, i) for i, value in enumerate(m[1:], 1))]:
            stream |= value << length
            length += width
        parts.append((stream & (1 << length // 8 * 8) - 1).to_bytes(length // 8, "little"))
        stream, length = stream >> length // 8 * 8, length % 8
    return b"".join([*parts, stream.to_bytes(1, "little")])


def unpack(data: bytes) -> list[tuple[int, int, list[int]]]:
    """The rows again."""
    at = 0
    rows: list[tuple[int, int, list[int]]] = []
    for s in degrees():
        width = s - 1 + s * (s - 1) // 2
        row = int.from_bytes(data[at // 8 : (at + width + 7) // 8], "little") >> at % 8 & (1 << width) - 1
        at += width
        a, row = row & (1 << s - 1) - 1, row >> s - 1
        m = [1]
        for i in range(1, s):
            m.append((row & (1 << i) - 1) * 2 + 1)
            row >>= i
        rows.append((s, a, m))
    return rows


def main() -> None:
    """Write the packed numbers to the standard output."""
    lines = Path(sys.argv[1]).read_text().splitlines()[1:]
    numbers = [[int(word) for word in line.split()] for line in lines]
    sys.stdout.buffer.write(pack((row[1], row[2], row[3:]) for row in numbers))


if __name__ == "__main__":
    main()
