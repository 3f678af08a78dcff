# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The tests of what many threads share, under ThreadSanitizer (scripts/sanitize.py runs all, and AddressSanitizer).

With WARPLOOM_TEST_SANITIZERS=1: the runtime is built once more, which takes some minutes.
"""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

SCRIPT = Path(__file__).resolve().parents[2] / "scripts" / "sanitize.py"
TESTS = ("api/stream_dags", "api/stream_queue", "runtime/team")


@pytest.mark.skipif(os.environ.get("WARPLOOM_TEST_SANITIZERS") != "1", reason="WARPLOOM_TEST_SANITIZERS is not 1")
def test_threads_share_nothing_without_order(tmp_path: Path) -> None:
    command = [sys.executable, SCRIPT, "thread", "--folder", tmp_path, "--only", *TESTS]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.stdout.splitlines() == [f"ok {name}" for name in TESTS], done.stdout + done.stderr
    assert done.returncode == 0
