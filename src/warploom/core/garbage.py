# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""How often Python looks for garbage: the IR lives to the end of a compilation, nearly, and looking for garbage in it
would take a tenth of the time."""

from __future__ import annotations

import gc
import threading
from collections.abc import Generator
from contextlib import contextmanager

_SELDOM = (500_000, 50, 100)


class _Compilations:
    """Those that are under way, on any thread: the first one changes how often, the last one changes it back."""

    def __init__(self) -> None:
        self.lock = threading.Lock()
        self.count = 0
        self.before = gc.get_threshold()

    def begin(self) -> None:
        with self.lock:
            if self.count == 0:
                self.before = gc.get_threshold()
                gc.set_threshold(*_SELDOM)
            self.count += 1

    def end(self) -> None:
        with self.lock:
            self.count -= 1
            if self.count == 0:
                gc.set_threshold(*self.before)


_compilations = _Compilations()


@contextmanager
def seldom_collecting() -> Generator[None]:
    """Python looks for garbage seldom, for the time of a compilation."""
    _compilations.begin()
    try:
        yield
    finally:
        _compilations.end()


def leave_alone() -> None:
    """What is there now counts as old: modules that were just loaded would be looked at twice soon, 8 ms each time.

    What was frozen is thawed by the way, so this does nothing in a program that has frozen something itself.
    """
    if gc.get_freeze_count() == 0:
        gc.freeze()
        gc.unfreeze()


@contextmanager
def seldom_collecting_to_the_end() -> Generator[None]:
    """Likewise to the end of a process that does nothing else, and whose memory then goes at once."""
    gc.set_threshold(*_SELDOM)
    try:
        yield
    finally:
        gc.freeze()  # Python would look at everything once more
