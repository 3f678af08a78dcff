# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""docs/api.md is what the package's docstrings say, and every public name has one."""

from __future__ import annotations

import inspect
import subprocess
import sys
from pathlib import Path

import warploom

SCRIPT = Path(__file__).resolve().parent.parent / "scripts" / "api_reference.py"


def test_the_reference_is_up_to_date() -> None:
    done = subprocess.run([sys.executable, SCRIPT, "--check"], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr


def test_every_name_is_described_and_typed() -> None:
    for name in warploom.__all__:
        made = getattr(warploom, name)
        assert inspect.getdoc(made), name
        assert name in dir(warploom)
    assert (Path(warploom.__file__).parent / "py.typed").exists()
