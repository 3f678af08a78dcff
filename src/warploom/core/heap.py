# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What the C library does with free memory: the GNU one keeps it for later, unless it is told."""

from __future__ import annotations

import ctypes

_MMAP_THRESHOLD = -3  # M_MMAP_THRESHOLD of malloc.h
_LARGE = 256 << 10  # bytes


def give_back_free_memory() -> None:
    """Have free memory go back to the system now, as far as whole pages are free."""
    if hasattr(ctypes.CDLL(None), "malloc_trim"):
        ctypes.CDLL(None).malloc_trim(0)


def keep_large_blocks_apart() -> None:
    """Have blocks of 256 KB and more go back to the system when they are freed, to the end of the process.

    LLVM's tables grow by doubling, and as the C library has it, up to 32 MB: each would leave a hole behind.
    """
    if hasattr(ctypes.CDLL(None), "mallopt"):
        ctypes.CDLL(None).mallopt(_MMAP_THRESHOLD, _LARGE)
