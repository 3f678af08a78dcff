# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Programs that are started to wait for us, with pipes to them.

By posix_spawn, since `subprocess` takes 3 ms to load, a fortieth of a process's first kernel. As there, the program
gets none of our descriptors but its pipes: those that C code has opened, or that were handed to us, are closed by name.
"""

from __future__ import annotations

import os
from collections.abc import Sequence
from contextlib import suppress
from fcntl import F_DUPFD_CLOEXEC, fcntl
from signal import SIGPIPE, SIGXFSZ

from warploom.core.records import dataclass

_STANDARD = 3  # input, output and messages are numbered below


@dataclass
class Child:
    """A program that was started, and our ends of its pipes: its input, its output and, if wanted, its messages."""

    process: int
    pipes: tuple[int, ...]
    is_waited_for: bool = False

    def wait(self) -> None:
        """Wait for its end, once."""
        if not self.is_waited_for:
            self.is_waited_for = True
            with suppress(ChildProcessError):  # the program that we are in has done so
                os.waitpid(self.process, 0)


def start_child(command: Sequence[str], *, has_messages: bool) -> Child:
    """Start a program, named with its folder; where no messages are wanted they are lost. Raises OSError."""
    pipes: list[tuple[int, int]] = []  # ours, its
    try:
        for number in range(_STANDARD if has_messages else _STANDARD - 1):
            reading, writing = _pipe()
            pipes.append((reading, writing) if number else (writing, reading))
        actions = [(os.POSIX_SPAWN_DUP2, its, number) for number, (_, its) in enumerate(pipes)]
        silence = [] if has_messages else [(os.POSIX_SPAWN_OPEN, _STANDARD - 1, os.devnull, os.O_WRONLY, 0)]
        closing = [(os.POSIX_SPAWN_CLOSE, each) for each in _inherited()]
        process = os.posix_spawn(
            command[0],
            list(command),
            os.environ,
            file_actions=[*actions, *silence, *closing],
            setsigdef=(SIGPIPE, SIGXFSZ),  # which Python ignores
        )
    except OSError:
        for ours, _ in pipes:
            os.close(ours)
        raise
    finally:
        for _, its in pipes:
            os.close(its)
    return Child(process, tuple(ours for ours, _ in pipes))


def _pipe() -> tuple[int, int]:
    """A pipe whose ends are none of the standard descriptors, which a program may have closed."""
    low = os.pipe()
    try:
        return fcntl(low[0], F_DUPFD_CLOEXEC, _STANDARD), fcntl(low[1], F_DUPFD_CLOEXEC, _STANDARD)
    finally:
        for each in low:
            os.close(each)


def _inherited() -> list[int]:
    """The descriptors that any program we start would get."""
    found: list[int] = []
    for number in map(int, os.listdir("/proc/self/fd")):  # noqa: PTH208 - numbers
        with suppress(OSError):  # the folder's own is closed by now
            if number >= _STANDARD and os.get_inheritable(number):
                found.append(number)
    return found
