# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What must not outlive a command: its temporary folders and the processes that it started.

Ctrl-C ends all of them and the command at once. Python sees an interrupt only between two of its own instructions, and
a call into LLVM may take many seconds: a second thread is told by the signal itself, gives the command GRACE seconds to
end in the ordinary way (KeyboardInterrupt), and then ends it.
"""

from __future__ import annotations

import os
import shutil
import signal
import tempfile
import threading
import time
from collections.abc import Generator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import NoReturn

GRACE = 0.4  # seconds
INTERRUPTED = 128 + signal.SIGINT  # the exit status

_folders: set[Path] = set()
_processes: set[int] = set()


@contextmanager
def temporary_folder(prefix: str, parent: Path | None = None) -> Generator[Path]:
    """A new folder, in `parent` or where the system keeps such; it goes with the block, unless it was moved away."""
    folder = Path(tempfile.mkdtemp(prefix=prefix, dir=parent))
    _folders.add(folder)
    try:
        yield folder
    finally:
        shutil.rmtree(folder, ignore_errors=True)
        _folders.discard(folder)


@contextmanager
def running(process: int) -> Generator[None]:
    """The block waits for a process that was started here."""
    _processes.add(process)
    try:
        yield
    finally:
        _processes.discard(process)


def end_at_once_when_interrupted() -> None:
    """From here on Ctrl-C ends this process within a second; to be called once, in the main thread."""
    source, sink = os.pipe()
    os.set_blocking(sink, False)
    signal.set_wakeup_fd(sink, warn_on_full_buffer=False)
    threading.Thread(target=_watch, args=(source,), name="interrupts", daemon=True).start()


def leave_interrupts_to_the_system() -> None:
    """In a forked process: an interrupt ends it there and then, its parent cleans up."""
    signal.set_wakeup_fd(-1)
    signal.signal(signal.SIGINT, signal.SIG_DFL)


def _watch(source: int) -> None:
    while True:
        if signal.SIGINT in os.read(source, 64):  # one byte a signal: its number
            time.sleep(GRACE)
            _end()


def _end() -> NoReturn:
    for process in list(_processes):
        with suppress(ProcessLookupError):
            os.kill(process, signal.SIGTERM)
    for folder in list(_folders):
        shutil.rmtree(folder, ignore_errors=True)
    os._exit(INTERRUPTED)
