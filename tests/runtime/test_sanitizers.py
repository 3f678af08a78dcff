# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The tests of what many threads share, under ThreadSanitizer (scripts/sanitize.py runs all, and AddressSanitizer).

The runtime is built once more for this: two minutes of a processor, and the objects are kept in the cache.
"""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from warploom.toolchain import find_toolchain

SCRIPT = Path(__file__).resolve().parents[2] / "scripts" / "sanitize.py"
TESTS = ("api/stream_dags", "api/stream_queue", "runtime/team")


def test_threads_share_nothing_without_order(tmp_path: Path) -> None:
    clang = find_toolchain().clang
    named = subprocess.run([clang, "-print-file-name=libclang_rt.tsan.a"], capture_output=True, text=True, check=True)
    if not Path(named.stdout.strip()).exists():
        pytest.skip("this clang has no ThreadSanitizer")
    command = [sys.executable, SCRIPT, "thread", "--folder", tmp_path, "--only", *TESTS]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.stdout.splitlines() == [f"ok {name}" for name in TESTS], done.stdout + done.stderr
    assert done.returncode == 0
