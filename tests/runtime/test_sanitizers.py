# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The tests of what many threads share, under ThreadSanitizer (scripts/sanitize.py runs all, and AddressSanitizer)."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

SCRIPT = Path(__file__).resolve().parents[2] / "scripts" / "sanitize.py"
TESTS = ("api/stream_dags", "api/stream_queue", "runtime/team")


def test_threads_share_nothing_without_order() -> None:
    command = [sys.executable, SCRIPT, "thread", "--only", *TESTS]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.stdout.splitlines() == [f"ok {name}" for name in TESTS], done.stdout + done.stderr
    assert done.returncode == 0
