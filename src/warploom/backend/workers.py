# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Run tasks side by side, each in a fork of this process: it starts with all that this one has in memory.

    this process ---+--- task 1: result and messages --+--- results, messages in the order of the tasks
                    +--- task 2: ... ------------------+

Processes and not threads: the passes are Python, and an LLVM context takes one thread at a time. Each task begins from
the same state, however many run at once, so that its result does not depend on their number.
"""

from __future__ import annotations

import gc
import os
import pickle
import selectors
import signal
import sys
import tempfile
from collections.abc import Callable, Iterator, Sequence
from typing import IO, Generic, NoReturn, TypeVar

from warploom.core.records import dataclass, field
from warploom.diagnostics import Diagnostic
from warploom.scratch import leave_interrupts_to_the_system

T = TypeVar("T")


def usable_processors() -> int:
    """How many processors this process may use."""
    return len(os.sched_getaffinity(0))


class BrokeDown(Diagnostic):
    """A signal ended the process of a task; `how`: which, in words."""

    how: str = ""


def broke_down(name: str, how: str) -> BrokeDown:
    """What is raised when the signal `how` ended the task `name`."""
    problem = BrokeDown(f"the compiler broke down on {name}: {how}", hint="try --engine=reference, and report it")
    problem.how = how
    return problem


@dataclass
class _Running:
    process: int
    result: int  # where to read it
    messages: IO[bytes]
    data: bytearray = field(default_factory=bytearray)


class _Workers(Generic[T]):
    def __init__(self, tasks: Sequence[tuple[str, Callable[[], T]]]) -> None:
        self.tasks = tasks
        self.waiting = iter(enumerate(tasks))
        self.running: dict[int, _Running] = {}
        self.ended: dict[int, _Running] = {}
        self.selector = selectors.DefaultSelector()

    def start(self, number: int, task: Callable[[], T]) -> None:
        """Fork for one task."""
        messages = tempfile.TemporaryFile()  # noqa: SIM115 - it lives as long as the task
        source, sink = os.pipe()
        sys.stdout.flush()
        sys.stderr.flush()
        process = os.fork()
        if process == 0:
            os.close(source)
            leave_interrupts_to_the_system()
            _be_a_worker(task, sink, messages)
        os.close(sink)
        self.running[number] = _Running(process, source, messages)
        self.selector.register(source, selectors.EVENT_READ, number)

    def wait(self) -> None:
        """Read what has come, and see off who has ended."""
        for key, _ in self.selector.select():
            task = self.running[key.data]
            got = os.read(task.result, 1 << 16)
            task.data += got
            if not got:
                self.selector.unregister(task.result)
                os.close(task.result)
                self.ended[key.data] = self.running.pop(key.data)

    def stop(self) -> None:
        """End who still runs."""
        for task in self.running.values():
            os.kill(task.process, signal.SIGTERM)
            os.waitpid(task.process, 0)
            os.close(task.result)
        self.selector.close()


def side_by_side(tasks: Sequence[tuple[str, Callable[[], T]]], workers: int) -> Iterator[T]:
    """The results of `tasks`, in order; each has a name for messages. At most `workers` run at once.

    What a task wrote to stderr is shown before its result is given; what it raises is raised here.
    """
    run = _Workers(tasks)
    try:
        for wanted, (name, _) in enumerate(tasks):
            while wanted not in run.ended:
                while len(run.running) < workers and (following := next(run.waiting, None)) is not None:
                    run.start(following[0], following[1][1])
                run.wait()
            yield _result(name, run.ended.pop(wanted))
    finally:
        run.stop()


def apart(name: str, task: Callable[[], T]) -> T:
    """The result of `task`, which runs in a fork. Raises BrokeDown, with no other message, when a signal ends that."""
    run = _Workers([(name, task)])
    try:
        run.start(0, task)
        while not run.ended:
            run.wait()
        return _result(name, run.ended.pop(0), says_why=False)
    finally:
        run.stop()


def _result(name: str, task: _Running, *, says_why: bool = True) -> T:  # pyright: ignore[reportInvalidTypeVarUse]
    """`says_why`: whether to show what a task wrote that a signal ended."""
    status = os.waitstatus_to_exitcode(os.waitpid(task.process, 0)[1])
    with task.messages as messages:
        messages.seek(0)
        if status >= 0 or says_why:
            sys.stderr.write(messages.read().decode(errors="replace"))
    if status < 0:
        raise broke_down(name, signal.strsignal(-status) or f"signal {-status}")
    if status != 0:
        raise SystemExit(status)  # it has said why
    is_result, value = pickle.loads(bytes(task.data))
    if not is_result:
        raise value
    return value


def _be_a_worker(task: Callable[[], object], sink: int, messages: IO[bytes]) -> NoReturn:
    status = 1
    try:
        gc.freeze()  # what the parent made is not looked at, or it would be copied
        os.dup2(messages.fileno(), 2)
        sys.stderr = open(2, "w", errors="replace", closefd=False)  # noqa: SIM115 - to the end
        with os.fdopen(sink, "wb") as stream:
            stream.write(_attempted(task))
        status = 0
    except BaseException:
        from traceback import print_exc

        print_exc()
        raise
    finally:
        sys.stderr.flush()
        os._exit(status)


def _attempted(task: Callable[[], object]) -> bytes:
    """The result of `task`, or the Diagnostic that it raised, for the parent."""
    try:
        return pickle.dumps((True, task()))
    except Diagnostic as diagnostic:
        return pickle.dumps((False, diagnostic))
