# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What a program says when a kernel of it goes wrong, on both engines: who, where, and what lies at the address."""

from __future__ import annotations

import contextlib
import os
import re
import signal
import subprocess
import time
from collections.abc import Callable, Mapping
from pathlib import Path

import pytest

from warploom.cli import warpcc

SOURCE = Path(__file__).parent / "faults" / "faults.cu"
ENGINES = ("loom", "reference")
SPINNING = 0.5  # seconds of computing, after which a program is in its kernel
Run = Callable[..., str]


def line(mark: str) -> str:
    """`faults.cu:N` of the line that ends in the comment `line: MARK`."""
    lines = SOURCE.read_text().splitlines()
    return f"faults.cu:{1 + next(i for i, text in enumerate(lines) if text.endswith('// line: ' + mark))}"


@pytest.fixture(scope="module", params=ENGINES)
def program(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The program, compiled with -lineinfo for one engine."""
    made = tmp_path_factory.mktemp("faults") / f"faults-{request.param}"
    with contextlib.chdir(SOURCE.parent):
        assert warpcc.main(["-lineinfo", f"--engine={request.param}", SOURCE.name, "-o", str(made)]) == 0
    return made


@pytest.fixture
def run(program: Path) -> Run:
    """Runs the program with one argument; what it wrote to stderr. Its last words are the error of the kernel."""

    def start(what: str, error: str = "cudaErrorIllegalAddress", environment: Mapping[str, str] | None = None) -> str:
        env = {name: value for name, value in os.environ.items() if name != "WARPLOOM_GUARD"} | dict(environment or {})
        done = subprocess.run(
            [program, what], capture_output=True, text=True, timeout=60, check=False, env=env, cwd=SOURCE.parent
        )
        assert (done.returncode, done.stdout) == (0, error + "\n"), done.stderr
        return done.stderr

    return start


def test_a_read_behind_an_allocation_names_line_and_allocation(run: Run) -> None:
    text = run("read")
    assert re.search(r"illegal address 0x\w+ in kernel read\(float const\*, float\*, int\), block \(\d+, 0, 0\)", text)
    assert f"reading at {line('read')}\n" in text
    assert re.search(rf"behind the 4,194,304 bytes of cudaMalloc at {line('cudaMalloc')}\n", text)
    assert f"the kernel was launched at {line('launch of read')}\n" in text


def test_a_write_behind_an_allocation_counts_the_bytes(run: Run, program: Path) -> None:
    text = run("write")
    assert f"writing at {line('write')}\n" in text
    assert re.search(r"is (right|\d+ bytes) behind the 4,194,304 bytes of cudaMalloc", text)
    if program.name.endswith("loom"):
        assert "block (0, 0, 0), one of 64 threads (compiled with -G: which one)\n" in text
    else:
        assert "block (0, 0, 0), thread (32, 0, 0)\n" in text
        assert "is right behind" in text


def test_an_access_that_llvm_takes_out_of_a_loop_keeps_its_line(run: Run) -> None:
    """As in code for blocks of any size, where the last vector of a row of threads is the same for all rows."""
    text = run("any size")
    assert f"writing at {line('write')}\n" in text


def test_null_is_called_null(run: Run) -> None:
    assert re.search(r"the address is (null|\d+ bytes behind null)\n", run("null"))
    assert re.search(r"the address is 4,\d\d\d bytes behind null\n", run("member of null"))


def test_memory_that_was_freed_names_who_freed_it(run: Run) -> None:
    pattern = r"the address is (\d+) bytes into the 4,194,304 bytes of cudaMalloc at (\S+), which (.*)"
    found = re.search(pattern, run("freed"))
    assert found is not None
    assert 128 <= int(found[1]) < 256 + 128
    assert (found[2], found[3]) == (line("cudaMalloc"), f"cudaFree at {line('cudaFree')} freed")


def test_what_a_header_of_ours_does_has_the_line_of_the_call(run: Run) -> None:
    assert f"writing at {line('atomic')}\n" in run("atomic")


def test_what_a_library_does_has_the_line_of_the_call(run: Run) -> None:
    text = run("memcpy")
    assert re.search(rf"(reading|writing) (at|near) {line('memcpy')}", text), text


def test_a_trap_names_its_thread(run: Run) -> None:
    assert "__trap() in kernel trap(int), block (0, 0, 0), thread (33, 0, 0)" in run("trap", "cudaErrorLaunchFailure")


def test_an_assertion_names_its_thread(run: Run) -> None:
    text = run("assert", "cudaErrorAssert")
    what = "block: [0,0,0], thread: [33,0,0] Assertion `threadIdx.x < n` failed."
    assert text.splitlines()[0] == f"{line('assert')}: void claim(int): {what}"


def test_variables_are_named(run: Run) -> None:
    text = run("variable")
    assert "the address is 523,888 bytes behind the 400 bytes of variable numbers\n" in text


def test_memory_that_may_only_be_read_says_so(run: Run, program: Path) -> None:
    assert f"the address is in memory that may only be read (r--p, {program.name})" in run("read only")


def test_memory_that_is_called_says_so(run: Run) -> None:
    assert "the address was called, and is in memory without code (rw-p" in run("called")


def test_small_overruns_are_found_with_guards_only(run: Run, program: Path) -> None:
    assert run("small", "cudaSuccess") == ""
    text = run("small", environment={"WARPLOOM_GUARD": "1"})
    # Of a vector that lies on two pages the processor may name any byte on the second one.
    found = re.search(r"the address is (?:right|(\d+) bytes) behind the 400 bytes of cudaMalloc", text)
    assert found is not None, text
    assert int(found[1] or 0) < (64 if program.name.endswith("loom") else 1)
    # An alignment of 256 leaves 112 bytes behind 400.
    assert run("small", "cudaSuccess", {"WARPLOOM_GUARD": "256"}) == ""


def test_freed_memory_is_not_reused_with_guards(run: Run) -> None:
    assert run("small freed", "cudaSuccess") == ""
    text = run("small freed", environment={"WARPLOOM_GUARD": "1"})
    assert "as argument 1, which is the beginning of the 400 bytes of cudaMalloc" in text
    assert "the address is the beginning of the 400 bytes of cudaMalloc" in text


def test_guards_report_pointers_to_memory_of_the_host(run: Run) -> None:
    assert run("host", "cudaSuccess") == ""
    text = run("host", "cudaSuccess", {"WARPLOOM_GUARD": "1"})
    assert "as argument 1, which is memory of the host" in text
    assert f"launched at {line('launch with a host pointer')}" in text


def test_a_guard_that_is_no_alignment_is_taken_for_1(run: Run) -> None:
    assert "WARPLOOM_GUARD=12: " in run("small", environment={"WARPLOOM_GUARD": "12"})


def test_with_device_debug_loom_names_the_thread(tmp_path: Path) -> None:
    made = tmp_path / "faults-debug"
    with contextlib.chdir(SOURCE.parent):
        assert warpcc.main(["-G", "--engine=loom", SOURCE.name, "-o", str(made)]) == 0
    threads = {
        "write": "block (0, 0, 0), thread (32, 0, 0)",
        "small blocks": "block (1, 0, 0), thread (5, 0, 0)",
        "atomic": "block (0, 0, 0), thread (17, 0, 0)",
        "freed": "block (0, 0, 0), thread (0, 0, 0)",
    }
    for what, where in threads.items():
        done = subprocess.run([made, what], capture_output=True, text=True, timeout=60, check=False)
        assert f"{where}\n" in done.stderr


def _heed_interrupts() -> None:
    """Whatever ran the tests may ignore Ctrl-C, and a program inherits that."""
    signal.signal(signal.SIGINT, signal.SIG_DFL)


def _processor_time(process: int) -> float:
    """The seconds that a process has computed."""
    fields = Path(f"/proc/{process}/stat").read_text().rpartition(")")[2].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


def interrupted(program: Path, how: str, signals: int) -> tuple[int, str]:
    """Exit status and stderr of the program after Ctrl-C while its kernel spins."""
    command = [program, how]
    with subprocess.Popen(command, stderr=subprocess.PIPE, text=True, preexec_fn=_heed_interrupts) as process:
        while _processor_time(process.pid) < SPINNING:
            time.sleep(0.05)
        for _ in range(signals):
            process.send_signal(signal.SIGINT)
        _, text = process.communicate(timeout=30)
        return process.returncode, text


def test_ctrl_c_ends_the_program_with_a_report(program: Path) -> None:
    status, text = interrupted(program, "spin", 1)
    assert status == -signal.SIGINT
    assert re.fullmatch(
        r"warploom: interrupted in kernel spin\(int volatile\*\) <<<\(64, 1, 1\), \(256, 1, 1\)>>>, "
        r"which has run for \d+\.\d s: 5 of 64 blocks have ended\n",
        text,
    ), text


@pytest.mark.parametrize("signals", [2, 3])
def test_an_interruption_that_comes_by_several_signals_at_once_is_one(program: Path, signals: int) -> None:
    """`timeout` and a shell's Ctrl-C interrupt a program and its group."""
    for _ in range(3):
        status, text = interrupted(program, "spin", signals)
        assert status == -signal.SIGINT
        assert text.count("warploom: interrupted in kernel spin") == 1, text


def test_a_later_interruption_ends_a_program_that_cannot_report(program: Path) -> None:
    """Nobody reads the pipe, which is full."""
    reader, writer = os.pipe()
    os.set_blocking(writer, False)
    with contextlib.suppress(BlockingIOError):
        while os.write(writer, bytes(1 << 16)):
            pass
    os.set_blocking(writer, True)
    with subprocess.Popen([program, "spin"], stderr=writer, preexec_fn=_heed_interrupts) as process:
        while _processor_time(process.pid) < SPINNING:
            time.sleep(0.05)
        process.send_signal(signal.SIGINT)
        time.sleep(0.5)
        assert process.poll() is None
        process.send_signal(signal.SIGINT)
        assert process.wait(timeout=30) == -signal.SIGINT
    os.close(reader)
    os.close(writer)


def test_a_host_function_that_does_not_end_is_told_of(program: Path) -> None:
    """After 20 s by itself, and when the program is interrupted."""
    command = [program, "blocked"]
    with subprocess.Popen(command, stderr=subprocess.PIPE, text=True, preexec_fn=_heed_interrupts) as process:
        assert process.stderr is not None
        assert "a host function of a stream has not ended after 20 s" in process.stderr.readline()
        process.send_signal(signal.SIGINT)
        _, text = process.communicate(timeout=30)
    assert text == "warploom: interrupted while host functions that streams called have not ended: 1\n"
    assert process.returncode == -signal.SIGINT


def test_a_handler_of_the_programs_own_is_left_alone(program: Path) -> None:
    assert interrupted(program, "handler", 1) == (7, "")
