# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""cupy.testing: NumPy's comparisons of arrays that raise, for arrays of either kind."""

from __future__ import annotations

from collections.abc import Callable
from functools import wraps
from typing import Any

import numpy as np

from warploom.compat.cupy.core import ndarray
from warploom.compat.cupy.functions import asnumpy

_NAMES = "assert_allclose assert_array_almost_equal assert_array_equal assert_array_less".split()


def _compares(name: str) -> Callable[..., None]:
    compared: Callable[..., None] = getattr(np.testing, name)

    @wraps(compared)
    def function(actual: Any, desired: Any, *rest: Any, **options: Any) -> None:
        given = [asnumpy(each) if isinstance(each, ndarray) else each for each in (actual, desired)]
        compared(*given, *rest, **options)

    return function


globals().update({name: _compares(name) for name in _NAMES})
__all__ = [*_NAMES]  # pyright: ignore[reportUnsupportedDunderAll]
