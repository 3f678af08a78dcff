# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Device arrays of numba.cuda: memory is memory, so they are NumPy's, with the functions that copy."""

from __future__ import annotations

from collections.abc import Generator, Iterator
from contextlib import contextmanager
from typing import Any

import numpy as np

from warploom.api.dtypes import is_array
from warploom.api.streams import Stream


class DeviceNDArray(np.ndarray[Any, Any]):
    """An array of the device's."""

    def copy_to_host(self, ary: np.ndarray[Any, Any] | None = None, stream: Stream | None = None) -> Any:
        """A copy, in `ary` where that is given; waits for `stream`."""
        if stream:
            stream.synchronize()
        if ary is None:
            return np.array(self)
        np.copyto(ary, self)
        return ary

    def copy_to_device(self, ary: Any, stream: Stream | None = None) -> None:
        """Take what `ary` holds."""
        if stream:
            stream.synchronize()
        np.copyto(self, ary)

    def split(self, section: int, stream: Stream | None = None) -> Iterator[Any]:
        """Parts of `section` elements each."""
        del stream
        for start in range(0, self.size, section):
            yield self[start : start + section]

    def is_c_contiguous(self) -> bool:
        """Whether rows lie one behind the other."""
        return self.flags.c_contiguous

    def is_f_contiguous(self) -> bool:
        """Whether columns lie one behind the other."""
        return self.flags.f_contiguous

    def bind(self, stream: Any = 0) -> DeviceNDArray:
        """The same array: streams wait for whoever wrote it."""
        del stream
        return self

    @property
    def alloc_size(self) -> int:
        """The bytes of its elements."""
        return self.nbytes


def to_device(obj: Any, stream: Stream | None = None, copy: bool = True, to: Any = None) -> DeviceNDArray:
    """A copy of an array, in `to` where that is given; with `copy=False` an array without its numbers."""
    del stream  # a copy has ended when it returns
    made: DeviceNDArray = device_array_like(obj) if to is None else to
    if copy:
        np.copyto(made, obj)
    return made


def auto_device(obj: Any, stream: Stream | None = None, copy: bool = True) -> tuple[Any, bool]:
    """An array of the device's, and whether it was made for `obj` here. Raises ValueError for one with gaps."""
    if isinstance(obj, DeviceNDArray):
        return obj, False
    array = obj if is_array(obj) or isinstance(obj, np.void) else np.array(obj)
    if is_array(array) and not (array.flags.c_contiguous or array.flags.f_contiguous):
        raise ValueError("Array contains non-contiguous buffer and cannot be transferred as a single memory region")
    return to_device(array, stream, copy), True


def device_array(
    shape: Any, dtype: Any = np.float64, strides: Any = None, order: str = "C", stream: Any = 0
) -> DeviceNDArray:
    """An array of no particular numbers."""
    del stream
    if strides is not None:
        raise NotImplementedError("an array with strides of one's own: make a view of another one")
    return np.empty(shape, dtype, order="F" if order == "F" else "C").view(DeviceNDArray)


def device_array_like(ary: Any, stream: Stream | None = None) -> DeviceNDArray:
    """An array of the same extents and dtype."""
    del stream
    return np.empty_like(np.asarray(ary)).view(DeviceNDArray)


def pinned_array(shape: Any, dtype: Any = np.float64, strides: Any = None, order: str = "C") -> np.ndarray[Any, Any]:
    """An array: all memory can be reached by kernels."""
    return device_array(shape, dtype, strides, order).view(np.ndarray)


def mapped_array(
    shape: Any, dtype: Any = np.float64, strides: Any = None, order: str = "C", stream: Any = 0, **_ignored: Any
) -> DeviceNDArray:
    """An array that host and device share, as all do."""
    return device_array(shape, dtype, strides, order, stream)


managed_array = mapped_array


def pinned_array_like(ary: Any) -> np.ndarray[Any, Any]:
    """An array of the same extents and dtype."""
    return np.empty_like(np.asarray(ary))


mapped_array_like = device_array_like


@contextmanager
def pinned(*arrays: Any) -> Generator[None]:
    """Memory that kernels reach: all is."""
    del arrays
    yield


def from_cuda_array_interface(desc: Any, owner: Any = None, sync: bool = True) -> Any:
    """Memory that `__cuda_array_interface__` describes, as an array."""
    del sync
    if desc.get("mask") is not None:
        raise NotImplementedError("Masked arrays are not supported")
    return as_cuda_array(type("Described", (), {"__cuda_array_interface__": desc, "owner": owner})())


def as_cuda_array(obj: Any, sync: bool = True) -> Any:
    """An object with an array interface as an array over its memory."""
    from warploom.api.arguments import as_array_argument

    del sync
    return as_array_argument(obj).view(DeviceNDArray)


def is_cuda_array(obj: Any) -> bool:
    """Whether an object shows memory by `__cuda_array_interface__`, or is an array of the device's."""
    return isinstance(obj, DeviceNDArray) or hasattr(obj, "__cuda_array_interface__")
