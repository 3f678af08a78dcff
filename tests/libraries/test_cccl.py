# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Programs that use Thrust, CUB and libcu++ and check themselves; they need CCCL: pip install 'warploom[cccl]'."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

from warploom.engines import ENGINES
from warploom.frontend.cccl import INSTALL, find_cccl

HERE = Path(__file__).resolve().parent
FLAGS = re.compile(r"^// flags: (.+)$", re.MULTILINE)
PROGRAMS = sorted(HERE.glob("*.cu"))


@pytest.mark.skipif(find_cccl() is None, reason=f"no CCCL: {INSTALL}")
@pytest.mark.parametrize("engine", ENGINES)
@pytest.mark.parametrize("source", PROGRAMS, ids=lambda path: path.stem)
def test_device_libraries(source: Path, engine: str, tmp_path: Path) -> None:
    program = tmp_path / source.stem
    flags = " ".join(FLAGS.findall(source.read_text())).split()
    command = [sys.executable, "-m", "warploom.cli.warpcc", f"--engine={engine}", "-std=c++17", *flags]
    built = subprocess.run(
        [*command, str(source), "-o", str(program)], capture_output=True, text=True, timeout=600, check=False
    )
    assert built.returncode == 0, built.stderr
    for seed in ("", "7"):
        environment = {**os.environ, "WARPLOOM_SCHEDULE_SEED": seed}
        done = subprocess.run([program], capture_output=True, text=True, timeout=300, check=False, env=environment)
        assert (done.returncode, done.stdout) == (0, "all right\n"), f"{done.stdout}{done.stderr} seed {seed or 'none'}"
