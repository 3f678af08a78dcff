# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What few threads run is short code where the processor has no gathers: of warps that are not whole, and in rows."""

from __future__ import annotations

import re
import subprocess
from pathlib import Path

import pytest
from built_program import LAUNCHES, built

BLOCKS = ("64 1 1", "48 1 1", "20 1 1", "16 16 1", "12 3 2", "33 2 1", "2 1 1")


@pytest.mark.parametrize("cpu", ["x86-64-v3", "x86-64-v2", "native"])
def test_warps_that_are_not_whole(cpu: str, tmp_path: Path) -> None:
    program = built(LAUNCHES / "rare_warps.cu", tmp_path / "program", "--cpu", cpu)
    for block in BLOCKS:
        result = subprocess.run([program, *block.split()], capture_output=True, text=True, check=False)
        assert result.stdout == "same\n", block


@pytest.mark.parametrize(
    ("options", "where"), [(("-lineinfo",), r"  reading at \S*last_of_a_row.cu:7\n"), ((), r"  reading in program\+0x")]
)
def test_a_fault_of_the_last_vector_has_its_place(options: tuple[str, ...], where: str, tmp_path: Path) -> None:
    program = built(LAUNCHES / "last_of_a_row.cu", tmp_path / "program", "--cpu", "x86-64-v3", *options)
    result = subprocess.run([program], capture_output=True, text=True, check=False)
    assert result.stdout == "cudaErrorIllegalAddress\n"
    assert "in kernel copy(int, int const*, int const*, int*)" in result.stderr
    assert re.search(where, result.stderr)
