# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Accesses of types and distances that the launch says, in the alternatives of a `switch`: rows where they are rows."""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest
from built_program import LAUNCHES, built


@pytest.mark.parametrize("options", [(), ("--cpu", "x86-64-v3"), ("--cpu", "x86-64-v2"), ("-g",)])
def test_every_type_and_distance(options: tuple[str, ...], tmp_path: Path) -> None:
    program = built(LAUNCHES / "run_time_types.cu", tmp_path / "program", *options)
    assert subprocess.run([program], capture_output=True, text=True, check=False).stdout == "0 of 288 differ\n"
