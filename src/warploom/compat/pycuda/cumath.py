# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""pycuda.cumath: functions of each element."""

from __future__ import annotations

import numpy as np

from warploom.compat.pycuda.gpuarray import _function  # pyright: ignore[reportPrivateUsage]

_NAMES = "ceil floor fabs exp log log10 sqrt sin cos tan sinh cosh tanh fmod ldexp arctan2".split()
globals().update({name: _function(name) for name in _NAMES if hasattr(np, name)})
globals().update({short: _function(f"arc{short[1:]}") for short in ("asin", "acos", "atan")})
