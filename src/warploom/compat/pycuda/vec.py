# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""pycuda.gpuarray.vec: CUDA's vector types as structured dtypes (`float3`), and what makes one (`make_float3`)."""

from __future__ import annotations

from typing import Any

import numpy as np

_ELEMENTS = {
    "char": np.int8, "uchar": np.uint8, "short": np.int16, "ushort": np.uint16, "int": np.int32, "uint": np.uint32,
    "long": np.int64, "ulong": np.uint64, "longlong": np.int64, "ulonglong": np.uint64, "float": np.float32,
    "double": np.float64,
}  # fmt: skip
_COUNTS = (1, 2, 3, 4)
types: dict[str, np.dtype[Any]] = {
    f"{name}{count}": np.dtype([(axis, element) for axis in "xyzw"[:count]])
    for name, element in _ELEMENTS.items()
    for count in _COUNTS
}


def name_of(dtype: np.dtype[Any]) -> str | None:
    """The first vector type that is this dtype."""
    return next((name for name, each in types.items() if each == dtype), None)


def __getattr__(name: str) -> Any:
    """`float3` is a dtype, `make_float3(x, y, z)` makes one; what is not given is 0."""
    if name in types:
        return types[name]
    dtype = types.get(name.removeprefix("make_"))
    if dtype is None or not name.startswith("make_"):
        raise AttributeError(f"pycuda.gpuarray.vec has no '{name}'")

    def make(*values: Any) -> Any:
        return np.array((*values, *(0,) * (len(dtype.names or ()) - len(values))), dtype)[()]

    return make
