# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Programs with pipes to them: what they print, what they get of this process, and where they cannot be started."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import textwrap
from pathlib import Path

import pytest

from warploom.core.child import start_child

SHELL = "/bin/sh"


def all_of(descriptor: int) -> bytes:
    with open(descriptor, "rb") as stream:
        return stream.read()


def descriptors() -> set[str]:
    return {each.name for each in Path("/proc/self/fd").iterdir()}


def test_input_output_and_messages_are_pipes() -> None:
    child = start_child([SHELL, "-c", "read word; echo $word; echo wrong >&2"], has_messages=True)
    given, said, messages = child.pipes
    os.write(given, b"right\n")
    os.close(given)
    assert (all_of(said), all_of(messages)) == (b"right\n", b"wrong\n")
    child.wait()
    child.wait()  # once more is nothing
    with pytest.raises(ChildProcessError):
        os.waitpid(child.process, 0)


def test_a_program_gets_no_descriptor_of_ours() -> None:
    reading, writing = os.pipe()
    os.set_inheritable(writing, True)  # as C code opens them
    try:
        child = start_child([SHELL, "-c", "ls /proc/$$/fd"], has_messages=False)
        given, said = child.pipes
        shown = all_of(said).split()
        os.close(given)
        child.wait()
    finally:
        os.close(reading)
        os.close(writing)
    assert set(shown) == {b"0", b"1", b"2"}


def test_signals_that_python_ignores_are_as_usual() -> None:
    child = start_child([SHELL, "-c", "grep SigIgn /proc/$$/status"], has_messages=False)
    given, said = child.pipes
    ignored = int(all_of(said).split()[1], 16)
    os.close(given)
    child.wait()
    assert not ignored & (1 << signal.SIGPIPE - 1 | 1 << signal.SIGXFSZ - 1)


def test_what_cannot_be_started_leaves_nothing_open(tmp_path: Path) -> None:
    before = descriptors()
    with pytest.raises(FileNotFoundError):
        start_child([str(tmp_path / "none")], has_messages=True)
    assert descriptors() == before


def test_a_program_without_standard_descriptors_can_start_one() -> None:
    code = """
        import os
        from warploom.core.child import start_child
        for each in range(3):
            os.close(each)
        child = start_child(["/bin/sh", "-c", "read word; echo $word"], has_messages=True)
        given, said, messages = child.pipes
        os.write(given, b"right\\n")
        os._exit(0 if os.read(said, 99) == b"right\\n" and min(child.pipes) > 2 else 1)
    """
    assert subprocess.run([sys.executable, "-c", textwrap.dedent(code)], check=False).returncode == 0
