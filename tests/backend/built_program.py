# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Programs that tests of the backend compile and start."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

LAUNCHES = Path(__file__).parent / "launches"


def built(source: Path, program: Path, *options: str) -> Path:
    """`source`, compiled to `program`."""
    command = [sys.executable, "-m", "warploom.cli.warpcc", source, "-o", program, *options]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    return program
