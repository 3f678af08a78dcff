# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The import hook asks what is installed without importing it."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from warploom.compat import hook


@pytest.mark.parametrize(
    ("files", "installed"),
    [
        ([], set[str]()),
        (["cuda/core/__init__.py"], {"cuda", "cuda.core", "cuda.core.experimental"}),  # `cuda` without __init__.py
        (["cuda/__init__.py"], {"cuda"}),
        (["cuda.py"], {"cuda"}),
        (["numba/__init__.py", "cupy.py"], {"numba", "cupy"}),
    ],
)
def test_what_is_installed(files: list[str], installed: set[str], tmp_path: Path) -> None:
    for file in files:
        (tmp_path / file).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / file).write_text("raise AssertionError('imported')\n")
    program = (
        f"import sys; sys.path[:0] = [{str(tmp_path)!r}]; before = set(sys.modules)\n"
        "from warploom.compat import hook; print(*hook.install(), sep='\\n')\n"
        "assert not {name for name in set(sys.modules) - before if name.split('.')[0] in ('cuda', 'numba', 'cupy')}"
    )
    own = str(Path(hook.__file__).parents[2])
    command = [sys.executable, "-I", "-S", "-c", f"import sys; sys.path += [{own!r}]\n{program}"]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    assert set(done.stdout.split()) == set(hook.STANDS_FOR) - installed
