# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""cuda.core.utils: arrays of any library as memory with extents."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from enum import IntEnum
from functools import wraps
from typing import Any

import numpy as np

from warploom.api.arguments import as_array_argument
from warploom.compat.cuda_core._memory import Buffer
from warploom.compat.cuda_core._stream import stream_from
from warploom.compat.cupy.core import memory_of, ndarray
from warploom.core.records import dataclass


class StridedMemoryView:
    """Where an array lies: `ptr`, `shape`, `strides` in elements (None: side by side), `dtype`.

    Kernels read all memory here; `is_device_accessible` says what it would on a GPU: NumPy's arrays are the host's.
    """

    device_id = 0

    def __init__(self, obj: Any, stream_ptr: int | None = None) -> None:
        del stream_ptr
        array = memory_of(obj) if isinstance(obj, ndarray) else as_array_argument(obj)
        self.is_device_accessible = not isinstance(obj, np.ndarray)
        self.size = array.size
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

    @classmethod
    def from_buffer(
        cls,
        buffer: Buffer,
        shape: Sequence[int],
        strides: Sequence[int] | None = None,
        *,
        itemsize: int | None = None,
        dtype: Any = None,
        is_readonly: bool = False,
    ) -> StridedMemoryView:
        """The memory of a buffer as elements of `dtype`, `strides` of them apart. Raises ValueError where it is too
        small."""
        kind = np.dtype(dtype if dtype is not None else f"V{itemsize}")
        extents, steps = tuple(shape), None if strides is None else tuple(each * kind.itemsize for each in strides)
        bytes_ = np.from_dlpack(buffer)
        array = np.ndarray(extents, kind, buffer=bytes_.view(np.uint8), strides=steps)
        array.flags.writeable = not is_readonly
        made = cls(array)
        made.exporting_obj, made.is_device_accessible = buffer, True
        return made

    __dlpack__ = ndarray.__dlpack__  # of what both have in `_array`
    __dlpack_device__ = ndarray.__dlpack_device__


class MemcpySrcAccessOrder(IntEnum):
    """When the source of a copy is read: here always in the stream's order, which is right for each."""

    STREAM = 1
    DURING_API_CALL = 2
    ANY = 3


@dataclass
class CopyOptions:
    """Of copy_batch. Where memory lies makes no difference."""

    src_access_order: MemcpySrcAccessOrder = MemcpySrcAccessOrder.STREAM
    src_location_hint: Any = None
    dst_location_hint: Any = None


def copy_batch(stream: Any, srcs: Sequence[Buffer], dsts: Sequence[Buffer], *, options: Any = None) -> None:
    """Copy several buffers in a stream. What is read during the call is copied before it returns."""
    given = [options] * len(srcs) if options is None or isinstance(options, CopyOptions) else list(options)
    if not len(srcs) == len(dsts) == len(given):
        raise ValueError(f"{len(srcs)} sources, {len(dsts)} destinations and {len(given)} options")
    for source, target in zip(srcs, dsts, strict=True):
        target.copy_from(source, stream=stream)
    if any(each is not None and each.src_access_order == MemcpySrcAccessOrder.DURING_API_CALL for each in given):
        stream_from(stream).sync()


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
