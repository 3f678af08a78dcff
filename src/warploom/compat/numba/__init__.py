# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The names of numba that programs for `numba.cuda` use beside it."""

from __future__ import annotations

from typing import Any

import numpy as _numpy

from warploom.compat import numba_cuda as cuda
from warploom.compat.numba_vectorize import guvectorize, vectorize
from warploom.pyjit.types import SCALARS as _SCALARS

globals().update({name: _numpy.dtype(name).type for name in _SCALARS})
boolean = bool_ = _numpy.bool_
__version__ = "0.0"


def __getattr__(name: str) -> Any:
    raise AttributeError(f"numba's '{name}' is not part of warploom.compat: only numba.cuda is; numba is not installed")


__all__ = ["cuda", "guvectorize", "vectorize"]
