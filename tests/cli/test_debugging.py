# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""-G: gdb, where it is installed, shows a kernel as its author wrote it. Other debuggers: tests/test_guide.py."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
from pathlib import Path

import pytest

from warploom.cli import warpcc
from warploom.cli.cuda_tools import GDB_COMMANDS

GUIDES = Path(__file__).parents[1] / "guide" / "programs" / "work.cu"
# And dynamic shared memory, on the same lines.
DYNAMIC = {
    "tile[threadIdx.x] = i;": "extern __shared__ int copy[]; tile[threadIdx.x] = copy[threadIdx.x] = i;",
    "<<<4, 64>>>": "<<<4, 64, 256>>>",
}


@pytest.fixture(scope="module")
def program(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("debugging")
    text = GUIDES.read_text()
    for old, new in DYNAMIC.items():
        assert old in text
        text = text.replace(old, new)
    (folder / "work.cu").write_text(text)
    # valgrind knows no AVX-512.
    flags = ["-g", "-G", "-march=x86-64-v3"] if os.uname().machine == "x86_64" else ["-g", "-G"]
    assert warpcc.main([*flags, str(folder / "work.cu"), "-o", str(folder / "work")]) == 0
    return folder / "work"


@pytest.mark.skipif(shutil.which("gdb") is None, reason="needs gdb")
def test_gdb_stops_at_one_thread_of_one_block_and_shows_what_it_has(program: Path) -> None:
    commands = [
        "start",
        "break work.cu:12 if threadIdx.x == 5 && blockIdx.x == 2",
        "continue",
        "focus",
        "info args",
        "info locals",
        "print tile[5]",
        "print ((int *)sharedMemory)[7]",
        "step",
        "info args",
        "backtrace",
        "finish",
        "next",
        "print value",
    ]
    words = [word for command in commands for word in ("-ex", command)]
    done = subprocess.run(
        ["gdb", "-q", "-batch", "-x", GDB_COMMANDS, *words, program],
        capture_output=True, text=True, timeout=120, check=False,
    )  # fmt: skip
    told = done.stdout
    assert "block (2, 0, 0) of (4, 1, 1), thread (5, 0, 0) of (64, 1, 1)" in told, told + done.stderr
    assert re.search(r"^n = 200$", told, re.M)
    assert re.search(r"^i = 133$", told, re.M)
    assert re.search(r"^tile = \{128, 129, 130, .*, 191\}$", told, re.M), "a shared variable, among the local ones"
    assert re.search(r"^\$1 = 133$", told, re.M)
    assert re.search(r"^\$2 = 135$", told, re.M)
    assert re.search(r"^x = 186$", told, re.M), "step went into the device function"
    frames = re.findall(r"^#\d+ +(?:0x\w+ in )?(\w+)", told, re.M)
    assert frames == ["helper", "work", "launch", "main"], told
    assert "Value returned is $3 = 373" in told
    assert told.rstrip().endswith("= 373")
