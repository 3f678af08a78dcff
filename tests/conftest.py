# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Tests run side by side, and each is to have as many threads as if it were alone. Children that a test has fault say
nothing of it: pytest would have them write Python's stack to its own output."""

import faulthandler
import os

os.environ.setdefault("WARPLOOM_ALONE", "1")
os.register_at_fork(after_in_child=faulthandler.disable)
