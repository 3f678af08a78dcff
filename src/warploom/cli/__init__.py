# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The command line tools.

Python reads the compiler's sources in .4 s, and their bytecode in .1 s. pip installs both. Where there are sources
alone, and Python was asked to leave no bytecode beside them (PYTHONDONTWRITEBYTECODE), that of the tools goes to our
cache.
"""

from __future__ import annotations

import sys
from importlib.util import cache_from_source
from pathlib import Path

from warploom.cache import cache_dir

if sys.dont_write_bytecode and sys.pycache_prefix is None and not Path(cache_from_source(__file__)).exists():
    sys.pycache_prefix = str(cache_dir() / "bytecode")
    sys.dont_write_bytecode = False
