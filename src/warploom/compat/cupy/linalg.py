# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""cupy.linalg: NumPy's functions, on this package's arrays."""

from __future__ import annotations

import numpy as np

from warploom.compat.cupy.functions import submodule

globals().update(submodule(np.linalg))
