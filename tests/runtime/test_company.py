# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Programs in company: children of fork(), processes, threads, affinity masks, quotas, MPI, OpenMP and oneTBB."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from collections.abc import Iterator, Mapping
from pathlib import Path

import pytest

from warploom.toolchain import find_toolchain

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
    left_out = ("WARPLOOM_NUM_THREADS", "WARPLOOM_ALONE")
    return {name: value for name, value in os.environ.items() if name not in left_out} | dict(variables)


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


@pytest.fixture
def group() -> Iterator[Path]:
    """A control group of version 1 of this test's own."""
    made = Path(f"/sys/fs/cgroup/cpu/warploom-test-{os.getpid()}")
    try:
        made.mkdir()
        (made / "cpu.cfs_quota_us").write_text("-1")
    except OSError:
        pytest.skip("no control group can be made here")
    yield made
    made.rmdir()


def test_the_quota_of_a_control_group_counts(program: Path, group: Path) -> None:
    everything = int(output(program, "processors"))
    for processors in (1, 2):
        (group / "cpu.cfs_quota_us").write_text(str(processors * 100_000 - 1000))
        enter = ["sh", "-c", f'echo $$ > {group / "cgroup.procs"} && exec "$0" "$@"']
        assert int(output(program, "processors", *enter)) == min(processors, everything)
        assert output(program, "threads 1", *enter).startswith("8 right")


def test_programs_of_mpirun(program: Path) -> None:
    """Four ranks, as a real starter of MPI has them."""
    mpirun = shutil.which("mpirun")
    if mpirun is None:
        pytest.skip("no mpirun (Debian: mpich)")
    # Open MPI refuses what MPICH does.
    names = ("OMPI_ALLOW_RUN_AS_ROOT", "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM", "OMPI_MCA_rmaps_base_oversubscribe")
    allowed = dict.fromkeys(names, "1")
    everything = int(output(program, "processors"))
    told = output(program, "processors", mpirun, "-n", "4", **allowed).split()
    assert told == [str(max(1, everything // 4))] * 4
    assert output(program, "threads 1", mpirun, "-n", "4", **allowed).count("8 right") == 4


@pytest.mark.parametrize("library", ["openmp", "onetbb"])
def test_parallel_loops_of_other_libraries(program: Path, tmp_path: Path, library: str) -> None:
    made = tmp_path / "regions.so"
    words = ["-O2", "-std=c++17", "-shared", "-fPIC", HERE / "company" / "regions.cpp", "-o", made]
    if library == "openmp":
        words += ["-fopenmp"]
    else:
        tools = find_toolchain()
        words += ["-idirafter", str(tools.tbb_include), f"-L{tools.tbb_lib}", f"-Wl,-rpath,{tools.tbb_lib}", "-ltbb"]
    compiler = shutil.which("g++")
    if compiler is None or subprocess.run([compiler, *words], capture_output=True, check=False).returncode != 0:
        pytest.skip(f"no {library} for this system's g++")
    assert output(program, f"regions {made}") == "262144 of 262144 right"
    one = output(program, f"regions {made}", "taskset", "-c", str(PROCESSORS[0]))
    assert one == "262144 of 262144 right"
