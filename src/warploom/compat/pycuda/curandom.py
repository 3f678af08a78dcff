# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""pycuda.curandom: arrays of random numbers. They are NumPy's, and not those of a GPU."""

from __future__ import annotations

from typing import Any

import numpy as np

from warploom.compat.pycuda.gpuarray import GPUArray, to_gpu

_generator = np.random.default_rng()


def rand(shape: Any, dtype: Any = np.float32, stream: Any = None) -> GPUArray:
    """Numbers from 0 up to, and without, 1; of whole numbers any."""
    del stream
    form = np.empty(0, dtype).dtype
    if form.kind in "iu":
        limits: Any = np.iinfo(str(form))
        return to_gpu(_generator.integers(limits.min, limits.max, shape, form.type, endpoint=True))
    made = np.empty(shape, form)
    made[...] = _generator.random(made.shape)
    made[made >= 1] = 0
    return to_gpu(made)


def seed(value: int) -> None:
    """Begin the numbers anew."""
    global _generator
    _generator = np.random.default_rng(value)
