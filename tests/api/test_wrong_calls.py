# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""A sample of tests/api/wrong_calls.py, in a process of its own."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path


def test_wrong_calls_are_exceptions() -> None:
    script = Path(__file__).resolve().parent / "wrong_calls.py"
    done = subprocess.run([sys.executable, script, "3000", "1"], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr[-3000:]
    assert "'launched'" in done.stdout
    assert "'ArgumentError'" in done.stdout
