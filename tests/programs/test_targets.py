# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Programs compiled for other processors print under qemu-user what they print here.

Needs a clang with the target's code generator, its C++ library and qemu-user; building the runtime for a new target
takes minutes, so the tests also want it in the cache, or WARPLOOM_TEST_TARGETS=1.
"""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

sys.path.insert(0, str(Path(__file__).resolve().parent))
import corpus

from warploom.cache import entry_path
from warploom.diagnostics import Diagnostic
from warploom.runtime_library import toolkit_key
from warploom.target import parse_target
from warploom.toolchain import find_toolchain

SOURCE_ROOT = corpus.HERE.parents[1] / "src"
TARGETS = {"aarch64-linux-gnu": (), "riscv64-linux-gnu": ("--cpu=rv64gcv",)}
NAMES = ("struct_parameters", "matmul", "reduce_warp_shuffle", "local_arrays", "wide_integers_to_float")
RUN_SECONDS = 120


def missing(triple: str) -> str | None:
    """What this machine lacks to build and run programs for a target."""
    arch = triple.partition("-")[0]
    if shutil.which(f"qemu-{arch}") is None:
        return f"no qemu-{arch}: apt-get install qemu-user"
    try:
        toolchain = find_toolchain(parse_target(triple))
    except Diagnostic as problem:
        return f"{problem.message}: {problem.hint}"
    built = entry_path("toolkit", toolkit_key(toolchain)).is_dir()
    if not built and "WARPLOOM_TEST_TARGETS" not in os.environ:
        return "the runtime of this target is not in the cache, and WARPLOOM_TEST_TARGETS is not set"
    return None


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize("triple", TARGETS)
def test_program(triple: str, name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    reason = missing(triple)
    if reason is not None:
        pytest.skip(reason)
    monkeypatch.setenv("PYTHONPATH", os.pathsep.join([str(SOURCE_ROOT), os.environ.get("PYTHONPATH", "")]))
    (program,) = (each for each in corpus.discover() if each.name == name)
    warpcc = [sys.executable, "-m", "warploom.cli.warpcc", f"--target={triple}", *TARGETS[triple]]
    executable = corpus.build(program, warpcc, tmp_path)
    done = subprocess.run(
        [f"qemu-{triple.partition('-')[0]}", "-L", f"/usr/{triple}", executable, *program.args],
        capture_output=True,
        text=True,
        timeout=RUN_SECONDS,
        check=False,
    )
    assert corpus.judge(program, done.returncode, done.stdout, done.stderr) == [], done.stdout + done.stderr
