# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# feature: Devices and errors / WARPLOOM_STRICT, what a GPU refuses
"""WARPLOOM_STRICT: what a GPU would refuse fails here, too, on both engines, and says what it was; the rest runs."""

from __future__ import annotations

import contextlib
import os
import re
import signal
import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest

from warploom.cli import warpcc
from warploom.engines import ENGINES, STRICT

SOURCE = Path(__file__).parent / "strict" / "strict.cu"
Run = Callable[..., tuple[int, str, str]]


def line(text: str) -> str:
    """`strict.cu:N` of the first line that holds `text`."""
    lines = SOURCE.read_text().splitlines()
    return f"strict.cu:{1 + next(number for number, each in enumerate(lines) if text in each)}"


@pytest.fixture(scope="module", params=ENGINES)
def program(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The program, compiled with --strict for one engine."""
    made = tmp_path_factory.mktemp("strict") / f"strict-{request.param}"
    with contextlib.chdir(SOURCE.parent):
        assert warpcc.main(["--strict", f"--engine={request.param}", SOURCE.name, "-o", str(made)]) == 0
    return made


@pytest.fixture
def run(program: Path) -> Run:
    """Runs the program with one argument; its exit status, its output and what it wrote to stderr."""

    def start(what: str, strict: str = "1") -> tuple[int, str, str]:
        environment = dict(os.environ, **{STRICT: strict})
        done = subprocess.run(
            [program, what], capture_output=True, text=True, timeout=60, check=False, env=environment, cwd=SOURCE.parent
        )
        return done.returncode, done.stdout, done.stderr

    return start


def test_what_a_gpu_takes_runs(run: Run) -> None:
    assert run("legal") == (0, "legal: cudaSuccess\n4 1\n", "")
    assert run("attached") == (0, "4\n", "")


@pytest.mark.parametrize(("what", "verb"), [("host_reads", "reads"), ("host_writes", "writes")])
def test_the_host_does_not_reach_device_memory(run: Run, what: str, verb: str) -> None:
    status, _, text = run(what)
    assert status == -signal.SIGSEGV
    assert f"the host {verb} device memory\n  at {line(what)}\n" in text
    assert re.search(rf"is \d bytes into the 4,096 bytes of cudaMalloc at {line('cudaMalloc(&device')}\n", text)


def test_a_host_function_of_a_stream_is_the_hosts_code(run: Run) -> None:
    status, _, text = run("callback")
    assert status == -signal.SIGSEGV
    assert f"the host writes device memory\n  at {line('static_cast<float *>(memory)')}\n" in text


def test_managed_memory_is_the_hosts_when_it_has_waited(run: Run) -> None:
    status, _, text = run("managed")
    assert status == -signal.SIGSEGV
    assert "the host reads managed memory before it has waited for the kernels that were launched\n" in text
    assert run("managed", "concurrent") == (0, "2\n", "")


def test_the_device_says_which_rule_managed_memory_has(run: Run) -> None:
    assert run("attribute")[1] == "0\n"
    assert run("attribute", "concurrent")[1] == "1\n"
    assert run("attribute", "0")[1] == "1\n"


@pytest.mark.parametrize("what", ["heap", "large", "stack", "list"])
def test_kernels_do_not_reach_the_hosts_memory(run: Run, what: str) -> None:
    status, out, text = run(what)
    assert (status, out) == (0, f"{what}: cudaErrorIllegalAddress\n")
    read = "total += node->value" if what == "list" else "values[i] *= 2"
    assert f"thread (0, 0, 0)\n  reading at {line(read)}\n  the address is memory of the host, which a GPU" in text


def test_a_variable_of_the_host_is_no_argument(run: Run) -> None:
    status, out, text = run("variable")
    assert (status, out) == (0, "variable: cudaErrorIllegalAddress\n")
    assert "gets a variable of the host as argument 1" in text


def test_a_misaligned_vector_is_no_access(run: Run) -> None:
    status, out, text = run("misaligned")
    assert (status, out) == (0, "misaligned: cudaErrorMisalignedAddress\n")
    assert re.search(r"misaligned access of 16 bytes at 0x\w+4 in kernel sum4", text)


def test_a_copy_checks_its_sides(run: Run) -> None:
    assert run("copy")[1] == "copy: cudaSuccess cudaErrorInvalidValue\n"


def test_without_the_variable_nothing_is_checked(run: Run) -> None:
    assert run("host_reads", "0")[:2] == (0, "1\n")
