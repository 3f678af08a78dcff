# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Device code's polynomials are those of the vector math library."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

SCRIPT = Path(__file__).resolve().parents[2] / "scripts" / "device_polynomials.py"


def test_the_header_is_up_to_date() -> None:
    done = subprocess.run([sys.executable, SCRIPT, "--check"], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
