# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# feature: Devices and errors / CUPTI's callbacks and activity records [in part]
"""CUPTI, as profilers within programs use it: callbacks at calls of the API, records of what ran, refusals by name."""

from __future__ import annotations

import re
import subprocess
from pathlib import Path

import pytest

from warploom.cli import warpcc
from warploom.runtime_library import toolkit
from warploom.toolchain import find_toolchain

SOURCE = Path(__file__).parent / "cupti" / "profiler.cu"


@pytest.fixture(scope="module")
def done(tmp_path_factory: pytest.TempPathFactory) -> subprocess.CompletedProcess[str]:
    """What the program wrote."""
    made = tmp_path_factory.mktemp("cupti") / "profiler"
    assert warpcc.main([str(SOURCE), "-o", str(made), "-lcupti"]) == 0
    return subprocess.run([made], capture_output=True, text=True, timeout=60, check=True)


def test_calls_are_told_where_they_begin_and_end(done: subprocess.CompletedProcess[str]) -> None:
    assert "launch of _Z5scalePfi: grid 2 block 32\nlaunched: 0, 77\n" in done.stdout
    assert "calls 14, enters 7, exits 7\n" in done.stdout


@pytest.mark.parametrize(
    "record",
    [
        "device 8.0",
        "kernel _Z5scalePfi grid 2 block 32 shared 16 took 1 correlated 1",
        "memcpy kind 1 bytes 256 from 1 to 3",
        "memcpy kind 2 bytes 256 from 3 to 1",
        "memset 100 value 1",
        "marker 2 work",
        "marker 4 ",
        "outer 42",
        "call cudaLaunchKernel 0",
        "call cudaFree 1",
    ],
)
def test_what_ran_is_recorded(done: subprocess.CompletedProcess[str], record: str) -> None:
    assert done.stdout.splitlines().count(record) == 1


def test_records_come_whole_and_in_buffers_of_any_size(done: subprocess.CompletedProcess[str]) -> None:
    assert "odd end" not in done.stdout
    assert re.search(r"calls \d+", done.stdout)


def test_counters_are_refused_by_name(done: subprocess.CompletedProcess[str]) -> None:
    assert "events: 27; pc sampling: 27\n" in done.stdout
    assert "warploom: cuptiEventGetIdFromName: counters of the hardware are not there on a CPU\n" in done.stderr
    assert "warploom: cuptiActivityEnable: there are no records of kind 30\n" in done.stderr


def test_it_lies_where_build_systems_look(done: subprocess.CompletedProcess[str]) -> None:
    assert done.returncode == 0
    folder = toolkit(find_toolchain()) / "extras" / "CUPTI"
    assert (folder / "include" / "cupti.h").exists()
    assert (folder / "lib64" / "libcupti.so").exists()
