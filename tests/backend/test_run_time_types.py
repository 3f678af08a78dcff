# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Accesses of types and distances that the launch says, in the alternatives of a `switch`: rows where they are rows."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

PROGRAM = Path(__file__).parent / "launches" / "run_time_types.cu"


@pytest.mark.parametrize("options", [(), ("--cpu", "x86-64-v3"), ("--cpu", "x86-64-v2"), ("-g",)])
def test_every_type_and_distance(options: tuple[str, ...], tmp_path: Path) -> None:
    program = tmp_path / "program"
    command = [sys.executable, "-m", "warploom.cli.warpcc", str(PROGRAM), "-o", str(program), *options]
    subprocess.run(command, check=True)
    assert subprocess.run([program], capture_output=True, text=True, check=False).stdout == "0 of 288 differ\n"
