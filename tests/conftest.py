# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Tests run side by side, and each is to have as many threads as if it were alone."""

import os

os.environ.setdefault("WARPLOOM_ALONE", "1")
