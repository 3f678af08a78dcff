# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Programs in company: children of fork(), several processes and threads, affinity masks, OpenMP's, ranks of MPI."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Mapping
from pathlib import Path

import pytest

HERE = Path(__file__).parent
SECONDS = 120
PROCESSORS = sorted(os.sched_getaffinity(0))


@pytest.fixture(scope="module")
def program(tmp_path_factory: pytest.TempPathFactory) -> Path:
    made = tmp_path_factory.mktemp("company") / "company"
    # What an OpenMP library exports, the program does itself.
    words = [str(HERE / "company" / "company.cu"), "-O2", "-std=c++17", "-Xlinker", "-export-dynamic", "-o", str(made)]
    done = subprocess.run(
        [sys.executable, "-m", "warploom.cli.warpcc", *words], capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stderr
    return made


def clean(variables: Mapping[str, str]) -> dict[str, str]:
    return {name: value for name, value in os.environ.items() if name != "WARPLOOM_NUM_THREADS"} | dict(variables)


def output(program: Path, *words: str, **variables: str) -> str:
    done = subprocess.run(
        [*words[1:], program, *words[0].split()],
        capture_output=True,
        text=True,
        timeout=SECONDS,
        check=False,
        env=clean(variables),
    )
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout.strip()


def test_children_before_and_after_the_first_call(program: Path) -> None:
    assert output(program, "fork") == "10 before, 10 after, parent right"


def test_the_affinity_mask_counts(program: Path) -> None:
    assert output(program, "processors", "taskset", "-c", str(PROCESSORS[0])) == "1"
    assert output(program, "processors", COMPANY_BINDS="1") == "1"


def test_but_not_one_that_openmp_has_set(program: Path) -> None:
    everything = output(program, "processors")
    assert output(program, "processors", COMPANY_BINDS="1", COMPANY_OPENMP="1") == everything


def test_ranks_share_the_processors(program: Path) -> None:
    half = max(1, int(output(program, "processors")) // 2)
    assert output(program, "processors", OMPI_COMM_WORLD_LOCAL_SIZE="2") == str(half)
    assert output(program, "processors", MPI_LOCALNRANKS="10000") == "1"


@pytest.mark.parametrize("text", ["abc", "0", "1000000", "-1", "2x"])
def test_a_number_of_threads_that_is_none_is_told_of_once(program: Path, text: str) -> None:
    done = subprocess.run(
        [program, "processors"],
        capture_output=True,
        text=True,
        timeout=SECONDS,
        check=False,
        env=clean({}) | {"WARPLOOM_NUM_THREADS": text},
    )
    assert done.returncode == 0
    assert done.stdout.strip() == output(program, "processors")
    assert done.stderr == f"warploom: WARPLOOM_NUM_THREADS={text} ignored: expected a number from 1 to 4096\n"


def test_threads_with_streams_share_the_processors(program: Path) -> None:
    """Four threads, which would have seven members each: together they have eight, and the one that samples may be seen
    between two of them."""
    right, runnable = output(program, "threads 4", WARPLOOM_NUM_THREADS="8").split(", ")
    assert right == "32 right"
    assert int(runnable.split()[0]) <= 9


def test_processes_side_by_side_end(program: Path) -> None:
    """Each takes all processors for its own."""
    words = [str(program), "threads", "1"]
    started = [subprocess.Popen(words, stdout=subprocess.PIPE, text=True, env=clean({})) for _ in range(4)]
    assert all(each.communicate(timeout=SECONDS)[0].startswith("8 right") for each in started)
