# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What a command that takes long says meanwhile, on stderr."""

from __future__ import annotations

import sys
import threading


class Progress:
    """`warploom: WHAT ...`, on a terminal with how many of the `total` steps are done; steps come from any thread."""

    def __init__(self, what: str, total: int) -> None:
        self.text = f"warploom: {what} ..."
        self.total = total
        self.done = 0
        self.lock = threading.Lock()
        self.live = sys.stderr.isatty()
        if total:
            print(self.text, end="" if self.live else "\n", file=sys.stderr, flush=True)

    def step(self) -> None:
        """One more is done."""
        with self.lock:
            self.done += 1
            if self.live:
                print(f"\r{self.text} {self.done}/{self.total}", end="", file=sys.stderr, flush=True)

    def end(self) -> None:
        """No more comes; the next output begins a line."""
        if self.live and self.total:
            print(file=sys.stderr, flush=True)
