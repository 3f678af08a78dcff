# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Ctrl-C ends a command at once, wherever it is, and takes its folders and tools along."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path

from warploom.scratch import new_folder, remove_tree

# A call into C that no signal ends, as one into LLVM is: locking a mutex that the thread itself holds.
STUCK = """
import ctypes, subprocess, sys
from pathlib import Path
from warploom.scratch import end_at_once_when_interrupted, running, temporary_folder
end_at_once_when_interrupted()
tool = subprocess.Popen(["sleep", "100"])
with temporary_folder("stuck-", Path(sys.argv[1])), running(tool.pid):
    print(tool.pid, flush=True)
    mutex, c = ctypes.create_string_buffer(64), ctypes.CDLL(None)
    c.pthread_mutex_lock(mutex)
    c.pthread_mutex_lock(mutex)
"""
EXAMPLE = Path(__file__).parents[1] / "examples" / "vecadd.cu"


def _interrupted(process: subprocess.Popen[str]) -> tuple[int, float, str]:
    """Exit status, seconds until the end, and stderr of a process that is sent SIGINT."""
    start = time.monotonic()
    process.send_signal(signal.SIGINT)
    _, err = process.communicate(timeout=60)
    return process.returncode, time.monotonic() - start, err


def _start(*words: str | Path, **variables: str) -> subprocess.Popen[str]:
    return subprocess.Popen(
        [sys.executable, *words], env=dict(os.environ, **variables), text=True, stdout=subprocess.PIPE,
        stderr=subprocess.PIPE, preexec_fn=lambda: signal.signal(signal.SIGINT, signal.default_int_handler),
    )  # fmt: skip


def _wait_until(condition: Callable[[], bool]) -> None:
    end = time.monotonic() + 60
    while not condition():
        assert time.monotonic() < end
        time.sleep(0.02)


def _is_running(process: int) -> bool:
    status = Path(f"/proc/{process}/stat")
    return status.exists() and status.read_text().rpartition(")")[2].split()[0] != "Z"


def test_inside_a_call_of_c(tmp_path: Path) -> None:
    process = _start("-c", STUCK, tmp_path)
    assert process.stdout is not None
    tool = int(process.stdout.readline())
    time.sleep(1)  # for the few instructions from there into C
    status, seconds, err = _interrupted(process)
    assert (status, err) == (130, "")
    assert seconds < 5  # .4 where the machine has time
    assert not list(tmp_path.iterdir())
    _wait_until(lambda: not _is_running(tool))


def test_while_the_runtime_is_built(tmp_path: Path) -> None:
    process = _start("-m", "warploom", "run", EXAMPLE, WARPLOOM_CACHE_DIR=str(tmp_path))
    _wait_until(lambda: any((tmp_path / "object").glob(".*")))
    status, seconds, err = _interrupted(process)
    assert (status, err) == (130, "warploom: building the runtime, once ...\n")
    assert seconds < 10
    assert not list(tmp_path.glob("*/.*"))


def test_a_folder_is_removed_and_what_it_links_to_stays(tmp_path: Path) -> None:
    kept, top = tmp_path / "kept", new_folder("top-", tmp_path)
    kept.mkdir()
    (kept / "file").write_text("x")
    (top / "inner" / "deep").mkdir(parents=True)
    (top / "inner" / "file").write_text("x")
    (top / "inner" / "link").symlink_to(kept)
    (top / "link").symlink_to(kept / "file")
    remove_tree(top)
    assert not top.exists()
    assert (kept / "file").read_text() == "x"
    remove_tree(top)
    assert top.name.startswith("top-")


def test_temporary_folders_lie_where_the_system_keeps_them(tmp_path: Path) -> None:
    program = "from warploom.scratch import temporary_folder\nwith temporary_folder('a-') as made: print(made.parent)"
    for named, expected in ((str(tmp_path), str(tmp_path)), (str(tmp_path / "none"), "/tmp"), ("", "/tmp")):
        process = _start("-c", program, TMPDIR=named, TEMP="", TMP="")
        assert process.communicate()[0].strip() == expected
