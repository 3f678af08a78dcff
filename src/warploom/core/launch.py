# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What CUDA allows in a launch: CUDA C++ Programming Guide, "Technical Specifications", compute capability 3.0 on."""

from __future__ import annotations

from collections.abc import Sequence

MAX_BLOCK = (1024, 1024, 64)  # threads of a block along x, y and z
MAX_THREADS = 1024  # and in all
MIN_THREADS = 8  # of a block: below nothing is to be gained from knowing the size
MAX_GRID = ((1 << 31) - 1, 65535, 65535)  # blocks of a grid along x, y and z
# The threads that passes take a launch to have at most, in x or in all. Less than 2^31 by enough for stencils:
# `blockIdx.x * blockDim.x + threadIdx.x + 1` still does not wrap.
LAUNCH_LIMIT = (1 << 31) - (1 << 16)

Dims = tuple[int, int, int]


def is_block_size(dims: Sequence[int | None]) -> bool:
    """Whether CUDA allows a launch with blocks of `dims` (None: any)."""
    known = [size or 1 for size in dims]
    fits = all(1 <= size <= most for size, most in zip(known, MAX_BLOCK, strict=True))
    return fits and known[0] * known[1] * known[2] <= MAX_THREADS
