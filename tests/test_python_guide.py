# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The guide's code does what it says: all of its blocks, one after the other."""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path

GUIDE = Path(__file__).resolve().parent.parent / "docs" / "python.md"


def test_the_guides_code_runs(tmp_path: Path) -> None:
    text = GUIDE.read_text()
    program = tmp_path / "guide.py"  # a file: kernels in Python are read from it
    program.write_text("\n\n".join(re.findall(r"```python\n(.*?)```", text, re.DOTALL)))
    done = subprocess.run([sys.executable, program], cwd=tmp_path, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    (shown,) = re.findall(r"```text\n(.*?)```", text, re.DOTALL)
    assert done.stdout.startswith(shown)
