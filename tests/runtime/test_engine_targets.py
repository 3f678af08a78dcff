# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The engine on other processors, under qemu-user: fibers, faults, barriers, and the threads behind a launch.

Needs a clang with the target's code generator, its C++ library and qemu-user, and WARPLOOM_TEST_TARGETS=1: compiling
the engine for a target takes half a minute.
"""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from warploom.diagnostics import Diagnostic
from warploom.target import parse_target
from warploom.toolchain import find_toolchain

sys.path.insert(0, str(Path(__file__).resolve().parent))
import engine as build

TARGETS = ("aarch64-linux-gnu", "riscv64-linux-gnu")
NAMES = ("team", "loom_grid", "barriers", "failures", "spinning")
SECONDS = 300


@pytest.mark.parametrize("triple", TARGETS)
def test_engine(triple: str, tmp_path: Path) -> None:
    emulator = f"qemu-{triple.partition('-')[0]}"
    if "WARPLOOM_TEST_TARGETS" not in os.environ or shutil.which(emulator) is None:
        pytest.skip(f"WARPLOOM_TEST_TARGETS is not set, or there is no {emulator}: apt-get install qemu-user")
    try:
        toolchain = find_toolchain(parse_target(triple))
    except Diagnostic as problem:
        pytest.skip(f"{problem.message}: {problem.hint}")
    engine = build.engine_objects(toolchain, tmp_path)
    for name in NAMES:
        folder = tmp_path / name
        folder.mkdir()
        main = build.compile_object(toolchain, build.HERE / f"{name}.cpp", folder)
        program = build.link_program(toolchain, [main, *engine], folder / name)
        # qemu 7.2 itself breaks when a child of fork() starts a thread.
        environment = os.environ | {"WARPLOOM_TEST_NO_FORK": "1"}
        done = subprocess.run(
            [emulator, "-L", f"/usr/{triple}", program],
            capture_output=True,
            text=True,
            timeout=SECONDS,
            check=False,
            env=environment,
        )
        build.check_output(done)
