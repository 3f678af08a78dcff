# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What few threads run is short code where the processor has no gathers: of warps that are not whole, and in rows."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

PROGRAM = Path(__file__).parent / "launches" / "rare_warps.cu"
BLOCKS = ("64 1 1", "48 1 1", "20 1 1", "16 16 1", "12 3 2", "33 2 1", "2 1 1")


@pytest.mark.parametrize("cpu", ["x86-64-v3", "x86-64-v2", "native"])
def test_warps_that_are_not_whole(cpu: str, tmp_path: Path) -> None:
    program = tmp_path / "program"
    command = [sys.executable, "-m", "warploom.cli.warpcc", str(PROGRAM), "-o", str(program), "--cpu", cpu]
    subprocess.run(command, check=True)
    for block in BLOCKS:
        result = subprocess.run([program, *block.split()], capture_output=True, text=True, check=False)
        assert result.stdout == "same\n", block
