# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""A sample of tests/api/wrong_calls.py, in processes of their own, once with the extension under AddressSanitizer."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from warploom.runtime_library import CALLS_SOURCE
from warploom.toolchain import find_toolchain

SCRIPT = Path(__file__).resolve().parent / "wrong_calls.py"
WITH_OTHER = """
import runpy, sys
from pathlib import Path
import warploom.runtime_library
library, script = sys.argv[1:3]
warploom.runtime_library.calls_library = lambda: Path(library)
sys.argv[:] = sys.argv[2:]
try:
    runpy.run_path(script, run_name="__main__")
finally:
    print("loaded:", library in Path("/proc/self/maps").read_text())
"""


def test_wrong_calls_are_exceptions() -> None:
    done = subprocess.run([sys.executable, SCRIPT, "3000", "1"], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr[-3000:]
    assert "'launched'" in done.stdout
    assert "'ArgumentError'" in done.stdout


def test_the_extension_under_address_sanitizer(tmp_path: Path) -> None:
    clang = find_toolchain().clang
    clang = clang.with_name(clang.name.replace("clang++", "clang"))
    library, flags = tmp_path / "calls.so", ("-std=c11", "-O1", "-g", "-fPIC", "-shared", "-fuse-ld=lld")
    checks = ("-fsanitize=address,undefined", "-shared-libsan", "-fno-sanitize-recover=undefined")
    made = subprocess.run([clang, *flags, *checks, CALLS_SOURCE, "-o", library], capture_output=True, check=False)
    named = subprocess.run([clang, "-print-file-name=libclang_rt.asan.so"], capture_output=True, text=True, check=True)
    sanitizer = Path(named.stdout.strip())
    if made.returncode != 0 or not sanitizer.exists():
        pytest.skip("there is no shared AddressSanitizer")
    environment = {
        **os.environ,
        "LD_PRELOAD": f"{sanitizer}:libstdc++.so.6",  # part of which it takes for granted
        "PYTHONMALLOC": "malloc",  # or it would not see objects of Python's
        "ASAN_OPTIONS": "detect_leaks=0:handle_segv=0:handle_sigbus=0:handle_sigfpe=0:use_sigaltstack=0",
    }
    command = [sys.executable, "-c", WITH_OTHER, library, SCRIPT, "1500", "2"]
    done = subprocess.run(command, env=environment, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr[-3000:]
    assert "Sanitizer" not in done.stderr
    assert "'launched'" in done.stdout
    assert "loaded: True" in done.stdout
