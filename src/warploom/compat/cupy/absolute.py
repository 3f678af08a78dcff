# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""cupy.absolute: of complex numbers as kernels compute it.

CuPy's functions of arrays are kernels: `abs(x)` and `abs` in a kernel give the same bits. NumPy's own is off by one in
the last place for a third of all numbers where it computes them by vectors.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from warploom.compat.cupy.core import memory_of, ndarray, tracing, wrap
from warploom.compat.cupy.elementwise import ElementwiseKernel
from warploom.compat.cupy.functions import Ufunc

_magnitudes = ElementwiseKernel("T x", "R y", "y = abs(x)", "cupy_absolute_complex")


class Absolute(Ufunc):
    """NumPy's ufunc; of arrays of complex numbers a kernel."""

    def __call__(self, *given: Any, **options: Any) -> Any:
        if len(given) == 1 and not options and not tracing.depth:
            array = given[0]
            if isinstance(array, ndarray) and array.dtype.kind == "c":
                real = memory_of(array).real
                return _magnitudes(array, wrap(np.empty(real.shape, real.dtype)))
        return super().__call__(*given, **options)


absolute = Absolute(np.absolute)
