# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""A lock of one process."""

from __future__ import annotations

import os
import threading


class Turn:
    """A lock for the threads of this process; a process that is forked begins with it free."""

    def __init__(self) -> None:
        self.lock = threading.RLock()
        os.register_at_fork(after_in_child=self._renew)

    def _renew(self) -> None:
        self.lock = threading.RLock()
