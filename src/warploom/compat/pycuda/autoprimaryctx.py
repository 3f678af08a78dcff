# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""pycuda.autoprimaryctx: the device is ready."""

from __future__ import annotations

from warploom.compat.pycuda import driver

device = driver.Device(0)
context = device.make_context()
