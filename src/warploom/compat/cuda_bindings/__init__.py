# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The names of cuda.bindings: functions of the driver, the runtime and NVRTC, each of which gives a tuple, its error
first.

    from warploom.compat.cuda_bindings import driver

    error, device = driver.cuDeviceGet(0)
"""

from __future__ import annotations

__version__ = "13.0.0"
