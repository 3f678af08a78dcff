# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Programs compiled for other processors print under qemu-user what they print here.

Needs a clang with the target's code generator, its C++ library and qemu-user; building the runtime for a new target
takes minutes, so the tests also want it in the cache, or WARPLOOM_TEST_TARGETS=1. Programs with cuBLAS or cuSOLVER want
the target's OpenBLAS, too: WARPLOOM_TEST_OPENBLAS=DIRS, as of LD_LIBRARY_PATH.
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
from warploom.frontend.passes import INCLUDE
from warploom.host_libraries import HOST_LIBRARIES, KERNELS, sources
from warploom.runtime_library import toolkit_key
from warploom.runtime_objects import SOURCES
from warploom.target import parse_target
from warploom.toolchain import find_toolchain

SOURCE_ROOT = corpus.HERE.parents[1] / "src"
TARGETS = {"aarch64-linux-gnu": (), "riscv64-linux-gnu": ("--cpu=rv64gcv",)}
NAMES = (
    "struct_parameters",
    "matmul",
    "reduce_warp_shuffle",
    "local_arrays",
    "wide_integers_to_float",
    "dot_products",
)
RUN_SECONDS = 120
# Programs with CUDA's host libraries; the second ones have OpenBLAS behind some of them.
LIBRARY_NAMES = ("cufft_streams", "cudnn_training")
OPENBLAS_NAMES = ("cublas_streams", "library_streams")


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


def check(triple: str, name: str, folder: Path, libraries: str = "") -> None:
    """Build and run a program, whose libraries are in `libraries`, too."""
    (program,) = (each for each in corpus.discover() if each.name == name)
    warpcc = [sys.executable, "-m", "warploom.cli.warpcc", f"--target={triple}", *TARGETS[triple]]
    executable = corpus.build(program, warpcc, folder)
    found = ["-E", f"LD_LIBRARY_PATH={libraries}"] if libraries else []
    done = subprocess.run(
        [f"qemu-{triple.partition('-')[0]}", "-L", f"/usr/{triple}", *found, executable, *program.args],
        capture_output=True,
        text=True,
        timeout=RUN_SECONDS,
        check=False,
    )
    assert corpus.judge(program, done.returncode, done.stdout, done.stderr) == [], done.stdout + done.stderr


@pytest.fixture(autouse=True)
def package_on_path(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PYTHONPATH", os.pathsep.join([str(SOURCE_ROOT), os.environ.get("PYTHONPATH", "")]))


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize("triple", TARGETS)
def test_program(triple: str, name: str, tmp_path: Path) -> None:
    reason = missing(triple)
    if reason is not None:
        pytest.skip(reason)
    check(triple, name, tmp_path)


@pytest.mark.parametrize("name", [*LIBRARY_NAMES, *OPENBLAS_NAMES])
def test_program_with_libraries(name: str, tmp_path: Path) -> None:
    triple, openblas = "aarch64-linux-gnu", os.environ.get("WARPLOOM_TEST_OPENBLAS", "")
    reason = missing(triple)
    if reason is None and name in OPENBLAS_NAMES and not openblas:
        reason = "WARPLOOM_TEST_OPENBLAS does not name the folders of OpenBLAS for AArch64"
    if reason is not None:
        pytest.skip(reason)
    check(triple, name, tmp_path, openblas)


def test_kernels_of_libraries_are_for_any_processor() -> None:
    """The sources that are compiled for each level of x86-64 compile for AArch64."""
    try:
        toolchain = find_toolchain(parse_target("aarch64-linux-gnu"))
    except Diagnostic as problem:
        pytest.skip(f"{problem.message}: {problem.hint}")
    kernels = [
        source
        for library in HOST_LIBRARIES
        for source in sources(library, toolchain)
        if source.path.parent.name == KERNELS
    ]
    assert kernels
    flags = [*toolchain.cxx_flags, "-std=c++20", *kernels[0].flags, "-fsyntax-only", "-I", SOURCES, "-I", INCLUDE]
    command = [toolchain.clang, *flags, *(each.path for each in kernels)]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
