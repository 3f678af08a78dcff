# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""cuda.core.utils: arrays of any library as memory with extents."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import wraps
from typing import Any

from warploom.api.arguments import as_array_argument


class StridedMemoryView:
    """Where an array lies: `ptr`, `shape`, `strides` in elements (None: side by side), `dtype`."""

    device_id = 0
    is_device_accessible = True

    def __init__(self, obj: Any, stream_ptr: int | None = None) -> None:
        del stream_ptr
        array = as_array_argument(obj)
        self.exporting_obj, self.ptr, self.shape, self.dtype = obj, array.ctypes.data, array.shape, array.dtype
        steps = tuple(step // array.itemsize for step in array.strides)
        self.strides = None if array.flags.c_contiguous else steps
        self.readonly = not array.flags.writeable
        self._array = array

    @classmethod
    def from_any_interface(cls, obj: Any, stream_ptr: int | None = None) -> StridedMemoryView:
        """The memory of an array."""
        return cls(obj, stream_ptr)

    from_dlpack = from_cuda_array_interface = from_array_interface = from_any_interface


class _Viewable:
    def __init__(self, obj: Any) -> None:
        self._obj = obj

    def view(self, stream_ptr: int | None = None) -> StridedMemoryView:
        """The memory."""
        return StridedMemoryView(self._obj, stream_ptr)


def args_viewable_as_strided_memory(arg_indices: Sequence[int]) -> Callable[..., Any]:
    """The arguments at these places get a `.view(stream)`."""

    def decorator(function: Callable[..., Any]) -> Callable[..., Any]:
        @wraps(function)
        def wrapped(*args: Any, **options: Any) -> Any:
            given = [_Viewable(each) if place in arg_indices else each for place, each in enumerate(args)]
            return function(*given, **options)

        return wrapped

    return decorator
