# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Tools that are started before it is known what they are to do.

    this process --text--> clang++ @/dev/stdin: loaded, waits for that --messages, exit status--> this process

More than half of what clang takes for a small kernel, and three quarters of what the linker takes, is loading the LLVM
that both stand on. A program that has compiled a kernel may well compile another: a tool waits for that, which reads
what it is to do from a pipe. It is this process's grandchild, so that no `wait` of the program meets it; when the
program ends the pipe does, and so the tool. A fork of the program has none. What was killed meanwhile, or was started
with another folder or environment, is left aside, and the tool is started anew.
"""

from __future__ import annotations

import os
import select
import threading
from collections.abc import Iterable, Sequence
from contextlib import suppress

from warploom.core.child import Child, start_child
from warploom.core.records import dataclass

# The tool is a shell's child, which says how it ended: its own parent has long gone.
_SHELL = 'exec 3<&0; ("$0" "$@" <&3 3<&- >&2; echo $?) &'


@dataclass
class Tool:
    """A tool that waits for its text, or has got it. Each number is a descriptor of ours."""

    shell: Child  # which goes at once
    command: tuple[str, ...]
    folder: str
    environment: dict[str, str]
    text: int
    messages: int
    status: int

    def is_ready(self) -> bool:
        """Whether it still waits, where and as a tool that was started now would be."""
        ended = select.poll()
        ended.register(self.status, select.POLLIN)
        fits = self.folder == os.getcwd() and self.environment == dict(os.environ)  # noqa: PTH109 - as text
        return fits and not ended.poll(0)

    def give(self, text: str) -> bool:
        """Say what it is to do; whether that was taken."""
        place, self.text = self.text, -1
        try:
            with open(place, "w", errors="surrogateescape") as stream:
                stream.write(text)
        except OSError:
            return False
        return True

    def result(self) -> tuple[int, str]:
        """Its exit status and what it printed, when it has ended."""
        with open(self.messages, errors="replace") as messages, open(self.status) as status:
            said = messages.read()
            return int(status.read() or -1), said

    def end(self) -> None:
        """Have it end without doing anything."""
        for descriptor in (self.text, self.messages, self.status):
            with suppress(OSError):
                os.close(descriptor)


def started() -> None:
    """Nothing that was started is a child of this process any more."""
    with _waiting.lock:
        for tool in _waiting.tools.values():
            tool.shell.wait()


class _Waiting:
    """The tools that wait, by command; a fork begins with none."""

    def __init__(self) -> None:
        self.lock = threading.Lock()
        self.tools: dict[tuple[str, ...], Tool] = {}
        os.register_at_fork(after_in_child=self._forget)

    def _forget(self) -> None:
        self.lock = threading.Lock()
        self.end()

    def end(self) -> None:
        for tool in self.tools.values():
            tool.end()
        self.tools = {}


_waiting = _Waiting()


def end_all() -> None:
    """Have every tool that waits end."""
    started()
    with _waiting.lock:
        _waiting.end()


def quoted(words: Iterable[str]) -> str:
    """Words as clang reads them from a file, and names as the linker does."""
    return " ".join('"' + word.replace("\\", "\\\\").replace('"', '\\"') + '"' for word in words)


def start(*command: str) -> None:
    """Have a tool wait for the rest of what it is to do at its standard input, unless one does so already."""
    with _waiting.lock:
        if command not in _waiting.tools:
            with suppress(OSError):
                _waiting.tools[command] = _started(command)


def taken(command: Sequence[str], text: str) -> Tool | None:
    """The tool that waited, which has got its text now; None where none did."""
    with _waiting.lock:
        tool = _waiting.tools.pop(tuple(command), None)
    if tool is None:
        return None
    tool.shell.wait()
    if tool.is_ready() and tool.give(text):
        return tool
    tool.end()
    return None


def _started(command: tuple[str, ...]) -> Tool:
    shell = start_child(["/bin/sh", "-c", _SHELL, *command], has_messages=True)
    text, status, messages = shell.pipes
    return Tool(shell, command, os.getcwd(), dict(os.environ), text, messages, status)  # noqa: PTH109 - as text
