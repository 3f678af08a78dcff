# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""numba.cuda.reduce: a function of two numbers that combines those of an array, as a kernel."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from warploom.pyjit.function import jit
from warploom.pyjit.intrinsics import Intrinsic

_MOST_PARTS, _BLOCK = 1024, 128
_grid = Intrinsic("grid")


class Reduce:
    """`@cuda.reduce`: `total = reduction(array)`. The order of combining is open."""

    def __init__(self, functor: Callable[[Any, Any], Any]) -> None:
        combine: Any = jit(device=True)(functor)
        grid = _grid

        def kernel(values: Any, count: Any, parts: Any, out: Any) -> None:
            place: Any = grid(1)
            if place < parts:
                total = values[place]
                for other in range(place + parts, count, parts):
                    total = combine(total, values[other])
                out[place] = total

        self._functor = functor
        self._kernel: Any = jit()(kernel)

    def __call__(self, arr: Any, size: int | None = None, res: Any = None, init: Any = 0, stream: Any = 0) -> Any:
        """The numbers combined, `init` among them; in `res[0]` where that is given."""
        values = np.asarray(arr)
        if values.ndim != 1:
            raise TypeError("only support 1D array")
        count = len(values) if size is None else size
        if count == 0:
            return init
        parts = min(count, _MOST_PARTS)
        partial, total = np.empty(parts, values.dtype), np.empty(1, values.dtype)
        if stream:
            stream.synchronize()
        self._kernel[-(-parts // _BLOCK), _BLOCK](values, count, parts, partial)
        self._kernel[1, 1](partial, parts, 1, total)
        result = self._functor(values.dtype.type(init), total[0])
        if res is None:
            return result
        res[0] = result
        return None
