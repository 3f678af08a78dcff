# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Run a shell command with a time limit, so that nothing of it outlives the limit."""

from __future__ import annotations

import os
import select
import signal
import subprocess
import time
from collections.abc import Mapping
from contextlib import suppress
from pathlib import Path

from warploom.core.records import dataclass

READ_LIMIT = 256 << 20  # bytes of output that are read back


@dataclass(frozen=True)
class Finished:
    """How a command ended."""

    returncode: int  # as a shell gives it: 128 + N for signal N
    stdout: str
    stderr: str
    seconds: float
    timed_out: bool


def run_shell(command: str, *, folder: Path, environment: Mapping[str, str], limit: float, log: Path) -> Finished:
    """Run `command` by the shell in `folder` for at most `limit` seconds.

    Its output goes to LOG.out and LOG.err: a child that stays behind cannot keep a pipe open. The command gets a
    process group of its own, and the whole group is killed at the end, in time or not.
    """
    out, err = log.with_name(f"{log.name}.out"), log.with_name(f"{log.name}.err")
    begin = time.monotonic()
    with out.open("wb") as out_stream, err.open("wb") as err_stream:
        process = subprocess.Popen(
            ["/bin/sh", "-c", command],
            cwd=folder,
            env=dict(environment),
            stdin=subprocess.DEVNULL,
            stdout=out_stream,
            stderr=err_stream,
            start_new_session=True,
        )
        try:
            in_time = ends_within(process.pid, limit)
            seconds = time.monotonic() - begin
        finally:
            # Before the wait, so that the number of the group is not yet another's.
            with suppress(ProcessLookupError):
                os.killpg(process.pid, signal.SIGKILL)
            returncode = process.wait()
    status = returncode if returncode >= 0 else 128 - returncode
    return Finished(status, read_output(out), read_output(err), seconds, timed_out=not in_time)


def ends_within(pid: int, seconds: float) -> bool:
    """Wait for a child to end, without collecting it; false when it runs on."""
    descriptor = os.pidfd_open(pid)
    try:
        poll = select.poll()
        poll.register(descriptor, select.POLLIN)
        return bool(poll.poll(seconds * 1000))
    finally:
        os.close(descriptor)


def read_output(path: Path) -> str:
    """What a command wrote."""
    with path.open("rb") as stream:
        return stream.read(READ_LIMIT).decode(errors="replace")
