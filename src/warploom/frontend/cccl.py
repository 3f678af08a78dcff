# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Where CCCL is: the headers of Thrust, CUB and libcu++ (`thrust/`, `cub/`, `cuda/`, `nv/`).

They are open source and no part of Warploom: a package that the user installs brings them, and everything compiled from
them is compiled here. WARPLOOM_CCCL names a folder with them, or says `none`; else the packages beside this Python are
looked through. A `-I` of the user's comes first in any case.
"""

from __future__ import annotations

import os
import re
import sys
from functools import lru_cache
from pathlib import Path

from warploom.core.patterns import regex
from warploom.diagnostics import Diagnostic

ENVIRONMENT = "WARPLOOM_CCCL"
NOWHERE = "none"
INSTALL = "pip install 'warploom[cccl]'"
# Where PyPI's packages lay the headers, below a folder of sys.path: nvidia-cuda-cccl, nvidia-cuda-cccl-cu12, cuda-cccl.
LAYOUTS = ("nvidia/cu*/include/cccl", "nvidia/cuda_cccl/include", "cuda/cccl/headers/include")
_MARK = Path("cuda", "std", "__cccl", "version.h")
# For Thrust's TBB system, and programs that use oneTBB themselves.
INSTALL_TBB = "pip install 'warploom[tbb]'"
_MISSING_TBB = regex(r"fatal error: '((?:oneapi/)?tbb/[^']*)' file not found|(?:find library|cannot find) (-ltbb)\b")
_MISSING = regex(r"fatal error: '((?:thrust|cub|nv|cuda)/[^']*)' file not found")


def find_cccl() -> Path | None:
    """The folder to search for `thrust/...`, or None where no CCCL is installed."""
    named = os.environ.get(ENVIRONMENT, "")
    if named == NOWHERE:
        return None
    if named:
        folder = Path(named).absolute()
        if not (folder / _MARK).exists():
            raise Diagnostic(
                f"{ENVIRONMENT} names {named}, which holds no CCCL headers",
                hint=f"name the folder that holds cub/, thrust/ and cuda/, or '{NOWHERE}', or: {INSTALL}",
                exit_code=2,
            )
        return folder
    return packaged_cccl()


def packaged_cccl() -> Path | None:
    """The folder that a package beside this Python has brought."""
    return _installed(tuple(sys.path))


@lru_cache(maxsize=1)
def _installed(places: tuple[str, ...]) -> Path | None:
    for place in filter(None, places):
        for layout in LAYOUTS:
            for folder in sorted(Path(place).glob(layout), reverse=True):  # of two CUDA versions, the newer
                if (folder / _MARK).exists():
                    return folder
    return None


def cccl_version(folder: Path) -> str:
    """The version of the headers, "3.5.0"."""
    match = re.search(r"#\s*define\s+CCCL_VERSION\s+(\d+)", (folder / _MARK).read_text())
    if match is None:
        return "unknown"
    number = int(match.group(1))
    return f"{number // 1_000_000}.{number // 1000 % 1000}.{number % 1000}"


def missing_hint(messages: str) -> str:
    """What to add to a tool's messages when a header or library was not found that a package brings; else nothing."""
    if match := _MISSING.search(messages):
        return f"warpcc: error: {match.group(1)} needs CCCL: {INSTALL} (or {ENVIRONMENT}=FOLDER, or -I FOLDER)\n"
    if match := _MISSING_TBB.search(messages):
        return f"warpcc: error: {match.group(1) or match.group(2)} needs oneTBB: {INSTALL_TBB} (or -I and -L FOLDER)\n"
    return ""
