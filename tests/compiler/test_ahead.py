# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Tools that wait for what they are to do: they do it, are nobody's child, and end with the program."""

from __future__ import annotations

import os
import shutil
import signal
import subprocess
import sys
import textwrap
import threading
import time
from collections.abc import Iterator
from pathlib import Path

import pytest
from other_processes import processes_where, soon

from warploom import ahead
from warploom.compiler.service import CompileError, Request, compile_module
from warploom.toolchain import COMMAND_LINE, find_toolchain, run_tool

SOURCE = 'extern "C" __global__ void k(float *x) {{ x[threadIdx.x] += {}; }}\n'
CAT = ("/bin/cat",)


@pytest.fixture(autouse=True)
def none_waits() -> Iterator[None]:
    """Each test begins and ends without tools."""
    ahead.end_all()
    yield
    ahead.end_all()


def processes_with(word: str) -> list[int]:
    """Processes whose command line has `word` in it, but for this one."""
    return processes_where(lambda words: word.encode() in words)


def test_a_tool_gets_its_text_and_says_how_it_ended() -> None:
    ahead.start(*CAT)
    tool = ahead.taken(CAT, "one two")
    assert tool is not None
    assert tool.result() == (0, "one two")
    assert ahead.taken(CAT, "three") is None, "nobody waits any more"
    ahead.start("/bin/sh", "-c", "read line; exit 3")
    tool = ahead.taken(("/bin/sh", "-c", "read line; exit 3"), "x\n")
    assert tool is not None
    assert tool.result() == (3, "")


def test_clang_takes_odd_words(tmp_path: Path) -> None:
    clang = str(find_toolchain().clang)
    source = tmp_path / 'a "b" \\c.cu'
    source.write_text("int x = X;\n")
    words = [clang, "-x", "c++", "-E", "-P", str(source), '-DX="a\\b c"', "-o", str(tmp_path / "out")]
    plain = run_tool(words)
    expected = (tmp_path / "out").read_text()
    ahead.start(clang, COMMAND_LINE)
    waited = run_tool(words)
    assert plain.returncode == waited.returncode == 0
    assert (tmp_path / "out").read_text() == expected == 'int x = "a\\b c";\n'


def test_no_wait_of_the_program_meets_it() -> None:
    """In a process of its own: this one may have other children, as multiprocessing's tracker."""
    program = """
        import os
        from warploom import ahead
        ahead.start("/bin/cat")
        ahead.started()
        try:
            print(os.waitpid(-1, os.WNOHANG))
        except ChildProcessError:
            print("no child")
    """
    done = subprocess.run([sys.executable, "-c", textwrap.dedent(program)], capture_output=True, text=True)
    assert (done.stdout, done.stderr) == ("no child\n", "")


def test_what_was_killed_or_started_elsewhere_is_left_aside(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    marked = ("/bin/sh", "-c", "read line", f"warploom-test-{os.getpid()}")
    ahead.start(*marked)
    assert soon(lambda: len(processes_with(marked[-1])) == 2), "the tool, and who waits for it"
    for process in processes_with(marked[-1]):
        os.kill(process, signal.SIGKILL)
    assert soon(lambda: not processes_with(marked[-1]))
    assert ahead.taken(marked, "") is None
    ahead.start(*CAT)
    monkeypatch.setenv("CPATH", "/nowhere")
    assert ahead.taken(CAT, "") is None
    ahead.start(*CAT)
    monkeypatch.chdir(tmp_path)
    assert ahead.taken(CAT, "") is None


def test_it_ends_with_the_program() -> None:
    mark = f"warploom-ends-{os.getpid()}"
    code = f"""
        import os, time
        from warploom import ahead
        ahead.start("/bin/sh", "-c", "cat; exit", {mark!r})
        time.sleep(0.3)
        os.kill(os.getpid(), 9)
    """
    subprocess.run([sys.executable, "-c", textwrap.dedent(code)], check=False)
    assert soon(lambda: not processes_with(mark))


def test_a_fork_has_none_and_leaves_the_programs_alone() -> None:
    ahead.start(*CAT)
    process = os.fork()
    if process == 0:
        os._exit(0 if ahead.taken(CAT, "child") is None else 1)
    assert os.waitpid(process, 0)[1] == 0
    tool = ahead.taken(CAT, "parent")
    assert tool is not None
    assert tool.result() == (0, "parent")


def nothing_waits(*_command: str) -> None:
    """In place of `ahead.start`."""


def test_modules_are_the_same_with_and_without(monkeypatch: pytest.MonkeyPatch) -> None:
    request = Request(SOURCE.format(time.time_ns() % 10**6))
    with monkeypatch.context() as patch:
        patch.setattr(ahead, "start", nothing_waits)
        plain = compile_module(request).library
    expected = plain.read_bytes()
    ahead.start(str(find_toolchain().clang), COMMAND_LINE)
    shutil.rmtree(plain.parent)
    assert compile_module(request).library.read_bytes() == expected
    for wrong in ("nothing_like_that", "odd"):
        with pytest.raises(CompileError, match=wrong):
            compile_module(Request(SOURCE.format(wrong)))


def test_eight_threads_compile_and_forks_too() -> None:
    first = time.time_ns()
    failures: list[BaseException] = []

    def work(number: int) -> None:
        try:
            for turn in range(3):
                made = compile_module(Request(SOURCE.format(first % 10**6 + 10 * number + turn)))
                assert [each.name for each in made.contents.kernels] == ["k"]
        except BaseException as error:  # noqa: BLE001 - whatever a thread ended with
            failures.append(error)

    threads = [threading.Thread(target=work, args=(number,)) for number in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert failures == []
    process = os.fork()
    if process == 0:
        status = 1
        try:
            work(9)
            status = len(failures)
        finally:
            os._exit(status)
    work(10)
    assert os.waitpid(process, 0)[1] == 0
    assert failures == []
