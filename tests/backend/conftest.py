# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What several tests of this folder take."""

from __future__ import annotations

import ctypes
import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest
from loom_text_harness import RUNTIME

from warploom.toolchain import find_toolchain


@pytest.fixture(name="load")
def loader(tmp_path: Path) -> Callable[..., ctypes.CDLL]:
    """Compiles LLVM text at -O3 with the stand-in runtime and loads it."""

    def compile_and_load(text: str, more: str = "") -> ctypes.CDLL:
        source, runtime, library = tmp_path / "k.ll", tmp_path / "runtime.c", tmp_path / "k.so"
        source.write_text(text)
        runtime.write_text(RUNTIME + more)
        toolchain = find_toolchain()
        command = [
            toolchain.clang,
            *toolchain.link_flags,
            "-O3",
            "-fPIC",
            "-shared",
            "-nostdlib++",
            "-x",
            "ir",
            source,
            "-x",
            "c",
            runtime,
            "-o",
            library,
        ]
        done = subprocess.run([*command, "-Wno-everything"], capture_output=True, text=True, check=False)
        assert done.returncode == 0, done.stderr
        return ctypes.CDLL(str(library))

    return compile_and_load
