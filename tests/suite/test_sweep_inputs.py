# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""bench/sweep/inputs.py: the files are what their formats say, and the same each time."""

from __future__ import annotations

import struct
import subprocess
import sys
from pathlib import Path

SCRIPT = Path(__file__).resolve().parents[2] / "bench" / "sweep" / "inputs.py"


def made(*words: str) -> bytes:
    return subprocess.run([sys.executable, SCRIPT, *words], capture_output=True, check=True).stdout


def test_a_bitmap() -> None:
    image = made("bitmap", "8", "4")
    size, offset, width, height = (struct.unpack_from("<I", image, at)[0] for at in (2, 10, 18, 22))
    assert (image[:2], size, offset, width, height) == (b"BM", len(image), 54, 8, 4)
    assert len(image) == 54 + 3 * 8 * 4


def test_a_graph_in_ecls_format() -> None:
    words = struct.unpack("<45i", made("graph", "6", "3"))
    assert words[:2] == (6, 18)
    assert words[2:9] == (0, 3, 6, 9, 12, 15, 18)
    assert all(0 <= end < 6 for end in words[9:27])


def test_a_matrix_has_as_many_cells_as_its_head_says() -> None:
    _, head, *cells = made("matrix", "5", "2").decode().splitlines()
    assert head == "5 5 10"
    assert len(cells) == 10


def test_a_symmetric_matrix_is_its_lower_half() -> None:
    head, sizes, *cells = made("symmetric", "5", "2").decode().splitlines()
    assert head.endswith("symmetric")
    assert sizes == f"5 5 {len(cells)}"
    places = [tuple(map(int, cell.split()[:2])) for cell in cells]
    assert all(row >= column for row, column in places)
    assert len(set(places)) == len(places)
    assert {(i, i) for i in range(1, 6)} <= set(places)


def test_a_raw_array() -> None:
    file = made("raw_array", "4", "6", "2")
    head = struct.unpack_from("<9Q", file)
    assert file[:8] == b"rawarray"
    assert head[2:] == (4, 8, 8 * 48, 3, 4, 6, 2)
    assert len(file) == 9 * 8 + 8 * 48


def test_the_same_each_time() -> None:
    assert made("fasta", "4", "20") == made("fasta", "4", "20")
