# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What tests ask of processes that this one has started and that are no children of it."""

from __future__ import annotations

import os
import time
from collections.abc import Callable
from pathlib import Path


def processes_where(holds: Callable[[bytes], bool], environment: str = "") -> list[int]:
    """The other processes of the machine whose command line, words with a 0 behind each, `holds`, and that began with
    `environment` in theirs: tests run side by side."""
    found: list[int] = []
    for folder in Path("/proc").glob("[0-9]*"):
        try:
            words, began_with = (folder / "cmdline").read_bytes(), (folder / "environ").read_bytes()
        except OSError:
            continue
        if holds(words) and environment.encode() in began_with and int(folder.name) != os.getpid():
            found.append(int(folder.name))
    return found


def soon(holds: Callable[[], bool]) -> bool:
    """Whether it holds within 20 seconds."""
    until = time.monotonic() + 20
    while time.monotonic() < until:
        if holds():
            return True
        time.sleep(0.02)
    return False
