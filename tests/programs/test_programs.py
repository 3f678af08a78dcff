# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Every program of the corpus prints what a GPU printed, on each engine, in the default and in three random orders.

A program is built once a session; the builds are shared between pytest-xdist's workers under a file lock.
"""

from __future__ import annotations

import fcntl
import os
import subprocess
import sys
from pathlib import Path

import pytest

sys.path.insert(0, str(Path(__file__).resolve().parent))
import corpus

from warploom.engines import ENGINES

SOURCE_ROOT = corpus.HERE.parents[1] / "src"
WARPCC = [sys.executable, "-m", "warploom.cli.warpcc"]
PROGRAMS = corpus.discover()
SEEDS = [None, 1, 2, 3]
RUNS = [(program, seed) for program in PROGRAMS for seed in (SEEDS[:1] if program.default_order_only else SEEDS)]


@pytest.fixture(scope="session")
def build_root(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """One folder for the session's builds, the same for every worker."""
    base = tmp_path_factory.getbasetemp()
    shared = base.parent if "PYTEST_XDIST_WORKER" in os.environ else base
    root = shared / "programs"
    root.mkdir(exist_ok=True)
    return root


@pytest.fixture(autouse=True)
def package_on_path(monkeypatch: pytest.MonkeyPatch) -> None:
    """The package of this checkout comes first, installed or not."""
    paths = [str(SOURCE_ROOT), os.environ.get("PYTHONPATH", "")]
    monkeypatch.setenv("PYTHONPATH", os.pathsep.join(filter(None, paths)))


def build_once(program: corpus.Program, folder: Path) -> Path:
    """Build a program in `folder` unless this session has; a failed build is kept too, and told each time."""
    folder.mkdir(exist_ok=True)
    executable, failure = folder / program.name, folder / "failure.txt"
    with (folder / "lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        if not executable.exists() and not failure.exists():
            try:
                corpus.build(program, WARPCC, folder)
            except RuntimeError as error:
                failure.write_text(str(error))
        if failure.exists():
            pytest.fail(failure.read_text(), pytrace=False)
    return executable


@pytest.mark.parametrize("engine", ENGINES)
@pytest.mark.parametrize(
    ("program", "seed"), RUNS, ids=[f"{program.name}-seed={seed or 'none'}" for program, seed in RUNS]
)
def test_program(
    program: corpus.Program, engine: str, seed: int | None, build_root: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The program's stdout, exit status and stderr are as expected under one thread order."""
    monkeypatch.setenv("WARPLOOM_ENGINE", engine)
    monkeypatch.setenv("WARPLOOM_VERIFY", "1")
    if seed is None:
        monkeypatch.delenv("WARPLOOM_SCHEDULE_SEED", raising=False)
    else:
        monkeypatch.setenv("WARPLOOM_SCHEDULE_SEED", str(seed))
    executable = build_once(program, build_root / f"{program.name}.{engine}")
    try:
        done = corpus.run(program, executable)
    except subprocess.TimeoutExpired:
        pytest.fail(f"no end within {corpus.RUN_SECONDS} s", pytrace=False)
    assert done.stdout == program.expected_path.read_text(), done.stderr
    assert corpus.judge(program, done.returncode, done.stdout, done.stderr) == [], done.stderr


def test_recording_leaves_out() -> None:
    """Where there is nothing to compare with, or the GPU is older than the program, and for no other reason."""
    programs = {program.name: program for program in PROGRAMS}
    assert corpus.left_out(programs["saxpy"], "sm_90") is None
    assert corpus.left_out(programs["ptx_float_pairs"], "sm_90") == "it needs sm_100"
    assert corpus.left_out(programs["ptx_float_pairs"], "sm_100") is None
    reason = corpus.left_out(programs["texture_references"], None)
    assert reason is not None
    assert "CUDA 12" in reason


def test_reports_are_none_of_a_gpus() -> None:
    (program,) = (each for each in PROGRAMS if each.name == "error_stack_overflow")
    expected = program.expected_path.read_text()
    assert corpus.judge(program, 0, expected, "", reports=False) == []
    assert corpus.judge(program, 0, expected, "") == [f"stderr lacks {program.report}"]


def test_corpus_is_complete() -> None:
    """Every program has an expected output, every expected output a program."""
    names = {program.name for program in PROGRAMS}
    assert names == {path.stem for path in corpus.HERE.glob("*.out")}
