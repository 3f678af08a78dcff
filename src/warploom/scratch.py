# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What must not outlive a command: its temporary folders and the processes that it started.

Ctrl-C ends all of them and the command at once. Python sees an interrupt only between two of its own instructions, and
a call into LLVM may take many seconds: a second thread is told by the signal itself, gives the command GRACE seconds to
end in the ordinary way (KeyboardInterrupt), and then ends it.
"""

from __future__ import annotations

import os
import signal
import sys
import threading
import time
from collections.abc import Generator
from contextlib import contextmanager, suppress
from pathlib import Path

from warploom.core.type_names import NoReturn

GRACE = 0.4  # seconds
INTERRUPTED = 128 + signal.SIGINT  # the exit status

_folders: set[Path] = set()
_processes: set[int] = set()


@contextmanager
def temporary_folder(prefix: str, parent: Path | None = None) -> Generator[Path]:
    """A new folder, in `parent` or where the system keeps such; it goes with the block, unless it was moved away."""
    folder = new_folder(prefix, parent or _usual_parent())
    _folders.add(folder)
    try:
        yield folder
    finally:
        remove_tree(folder)
        _folders.discard(folder)


def remove_tree(top: Path) -> None:
    """Remove a folder and what is in it, as far as that can be; links are removed, and not followed."""
    with suppress(OSError), os.scandir(top) as entries:
        for entry in entries:
            path = Path(entry.path)
            if entry.is_dir(follow_symlinks=False):
                remove_tree(path)
            else:
                with suppress(OSError):
                    path.unlink()
    with suppress(OSError):
        top.rmdir()


def new_folder(prefix: str, parent: str | Path) -> Path:
    """A new folder that only its owner may look into."""
    while True:
        folder = Path(parent, prefix + os.urandom(6).hex())
        with suppress(FileExistsError):
            folder.mkdir(0o700)
            return folder


def _usual_parent() -> str:
    """Where the system keeps temporary files; where nobody has loaded `tempfile` it would load ten modules, 4 ms."""
    if "tempfile" not in sys.modules:
        named = Path(next(filter(None, map(os.environ.get, ("TMPDIR", "TEMP", "TMP"))), "/tmp"))
        if named.is_dir() and os.access(named, os.W_OK | os.X_OK):
            return str(named.absolute())
    from tempfile import gettempdir

    return gettempdir()


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
        remove_tree(folder)
    os._exit(INTERRUPTED)
