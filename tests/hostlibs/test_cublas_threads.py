# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The same bits come out for any number of threads."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

BITS = Path(__file__).with_name("bits.py")


@pytest.mark.ours("only these libraries run on threads of the host")
def test_bits_for_any_number_of_threads(libraries: Path) -> None:
    digests: set[str] = set()
    for threads in (1, 2, 8, 64):
        environment = dict(os.environ, WARPLOOM_NUM_THREADS=str(threads))
        command = [sys.executable, str(BITS), str(libraries / "libcublas.so")]
        done = subprocess.run(command, env=environment, capture_output=True, text=True, check=False)
        assert done.returncode == 0, done.stderr
        digests.add(done.stdout)
    assert len(digests) == 1
