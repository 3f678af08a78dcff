# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""pycuda.gpuarray: arrays in the device's memory; what is computed with them is NumPy's."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from warploom.api.dtypes import is_array
from warploom.compat.cupy import pending
from warploom.compat.pycuda import driver
from warploom.compat.pycuda import vec as vec

Plain = np.ndarray[Any, Any]


class GPUArray:
    """An array. `gpudata`: its memory, or where it begins in another one's."""

    __array_ufunc__ = None  # arrays of NumPy's do not mix with it
    __hash__ = None  # pyright: ignore[reportAssignmentType]

    def __init__(
        self,
        shape: Any,
        dtype: Any,
        allocator: Callable[[int], Any] = driver.mem_alloc,
        base: Any = None,
        gpudata: Any = None,
        strides: Any = None,
        order: str = "C",
    ) -> None:
        form = np.empty(0, dtype).dtype
        extents = (int(shape),) if hasattr(shape, "__index__") else tuple(map(int, shape))
        size = int(np.prod(extents)) * form.itemsize
        self.base, self.gpudata = base, allocator(size) if gpudata is None else gpudata
        memory = driver._view(int(self.gpudata), (size,), np.uint8)  # pyright: ignore[reportPrivateUsage]
        keywords: dict[str, Any] = {"strides": strides, "order": "F" if order == "F" else "C"}
        self._array: Plain = np.ndarray(extents, form, memory, 0, **keywords)

    # What NumPy says of an array.
    shape = property(lambda self: self._array.shape)
    dtype = property(lambda self: self._array.dtype)
    ndim = property(lambda self: self._array.ndim)
    size = property(lambda self: self._array.size)
    mem_size = size
    nbytes = property(lambda self: self._array.nbytes)
    strides = property(lambda self: self._array.strides)
    flags = property(lambda self: self._array.flags)
    ptr = property(lambda self: int(self.gpudata))

    def get(self, ary: Plain | None = None, pagelocked: bool = False, stream: Any = None) -> Plain:
        """A copy as an array of NumPy's."""
        del pagelocked, stream
        pending.settle()
        if ary is None:
            return self._array.copy(order="K")
        if ary.shape != self.shape or ary.dtype != self.dtype:
            raise ValueError(f"{ary.dtype}{ary.shape} was given; the array is {self.dtype}{self.shape}")
        np.copyto(ary, self._array)
        return ary

    get_async = get

    def set(self, ary: Plain, stream: Any = None) -> None:
        """Take what an array of NumPy's holds."""
        del stream
        if ary.shape != self.shape or ary.dtype != self.dtype:
            raise ValueError(f"{ary.dtype}{ary.shape} was given; the array is {self.dtype}{self.shape}")
        pending.settle()
        np.copyto(self._array, ary)

    @property
    def __cuda_array_interface__(self) -> dict[str, Any]:
        return {**self._array.__array_interface__, "version": 3}

    def __getitem__(self, key: Any) -> GPUArray:
        return _view_of(self, self._array[(*key, ...) if isinstance(key, tuple) else (key, ...)])

    def __setitem__(self, key: Any, value: Any) -> None:
        pending.settle()
        self._array[key] = _plain(value) if not is_array(value) else value

    def __len__(self) -> int:
        return len(self._array)

    def __repr__(self) -> str:
        return repr(self.get())

    def __str__(self) -> str:
        return str(self.get())

    def __bool__(self) -> bool:
        return bool(self.get())

    def fill(self, value: Any, stream: Any = None) -> GPUArray:
        """Fill with a number."""
        del stream
        self[...] = value
        return self

    def copy(self) -> GPUArray:
        """A copy."""
        return to_gpu(self.get())

    def astype(self, dtype: Any, stream: Any = None) -> GPUArray:
        """As another dtype."""
        del stream
        return to_gpu(self.get().astype(dtype))

    def view(self, dtype: Any = None) -> GPUArray:
        """The same memory, as another dtype."""
        return _view_of(self, self._array.view(dtype or self.dtype))

    def reshape(self, *shape: Any, order: Any = "C") -> GPUArray:
        """The same memory, in other extents."""
        del order
        extents: Any = shape[0] if len(shape) == 1 else shape
        return _view_of(self, self._array.reshape(extents))

    def ravel(self) -> GPUArray:
        """The same memory, in one extent."""
        return self.reshape(-1)

    def transpose(self, axes: Any = None) -> GPUArray:
        """The same memory, with its extents in another order."""
        return _view_of(self, self._array.transpose(axes))

    T = property(lambda self: self.transpose())
    real = property(lambda self: to_gpu(self.get().real.copy()))
    imag = property(lambda self: to_gpu(self.get().imag.copy()))

    def conj(self) -> GPUArray:
        """Its conjugate."""
        return to_gpu(self.get().conj())

    def mul_add(self, selffac: Any, other: GPUArray, otherfac: Any) -> GPUArray:
        """`selffac * self + otherfac * other`."""
        return self * selffac + other * otherfac

    def any(self) -> GPUArray:
        """Whether one is true."""
        return to_gpu(np.asarray(self.get().any()))

    def all(self) -> GPUArray:
        """Whether all are true."""
        return to_gpu(np.asarray(self.get().all()))


setattr(GPUArray, "set_async", GPUArray.set)  # noqa: B010


def _view_of(owner: GPUArray, array: Plain) -> GPUArray:
    made = object.__new__(GPUArray)
    made.base, made.gpudata, made._array = owner, _Place(array.ctypes.data, owner), array  # pyright: ignore[reportPrivateUsage]
    return made


class _Place(int):
    """An address within another array's memory, which it keeps."""

    owner: GPUArray

    def __new__(cls, place: int, owner: GPUArray) -> _Place:
        made = super().__new__(cls, place)
        made.owner = owner
        return made


def _plain(value: Any) -> Any:
    if isinstance(value, GPUArray):
        pending.settle()
        return value._array  # pyright: ignore[reportPrivateUsage]
    if is_array(value):
        raise TypeError("an array of NumPy's was given; gpuarray.to_gpu(x) copies it to the device")
    return value


def _computed(function: Callable[..., Any], *given: Any) -> GPUArray:
    with np.errstate(all="ignore"):
        return to_gpu(np.asarray(function(*map(_plain, given))))


def _operator(name: str, in_place: bool) -> Any:
    function = getattr(np.ndarray, name.replace("__i", "__") if in_place and name != "__invert__" else name)

    def method(self: GPUArray, *other: Any) -> GPUArray:
        made = _computed(function, self, *other)
        if not in_place:
            return made
        self[...] = made
        return self

    return method


_BINARY = "add sub mul truediv floordiv mod pow and or xor lshift rshift".split()
for _each in (
    *(f"__{p}{n}__" for n in _BINARY for p in ("", "r")),
    *(f"__{n}__" for n in "eq ne lt le gt ge neg abs".split()),
):
    setattr(GPUArray, _each, _operator(_each, in_place=False))
for _each in _BINARY:
    setattr(GPUArray, f"__i{_each}__", _operator(f"__i{_each}__", in_place=True))


def to_gpu(ary: Any, allocator: Any = driver.mem_alloc) -> GPUArray:
    """A copy of an array of NumPy's."""
    found = np.asarray(ary)
    made = GPUArray(found.shape, found.dtype, allocator, order="F" if _is_by_columns(found) else "C")
    made.set(found)
    return made


def _is_by_columns(array: Plain) -> bool:
    return array.flags.f_contiguous and not array.flags.c_contiguous


to_gpu_async = to_gpu


def empty(shape: Any, dtype: Any, allocator: Any = driver.mem_alloc, order: str = "C") -> GPUArray:
    """An array of no particular numbers."""
    return GPUArray(shape, dtype, allocator, order=order)


def zeros(shape: Any, dtype: Any = np.float64, allocator: Any = driver.mem_alloc, order: str = "C") -> GPUArray:
    """An array of zeros."""
    return empty(shape, dtype, allocator, order).fill(0)


def ones(shape: Any, dtype: Any = np.float64, allocator: Any = driver.mem_alloc, order: str = "C") -> GPUArray:
    """An array of ones."""
    return empty(shape, dtype, allocator, order).fill(1)


def empty_like(other: GPUArray, dtype: Any = None) -> GPUArray:
    """An array like another one."""
    return empty(other.shape, dtype or other.dtype)


def zeros_like(other: GPUArray, dtype: Any = None) -> GPUArray:
    """An array of zeros like another one."""
    return zeros(other.shape, dtype or other.dtype)


def ones_like(other: GPUArray, dtype: Any = None) -> GPUArray:
    """An array of ones like another one."""
    return ones(other.shape, dtype or other.dtype)


def arange(*given: Any, dtype: Any = None, stream: Any = None) -> GPUArray:
    """Numbers at equal distances."""
    del stream
    return to_gpu(np.arange(*given, dtype=dtype))


def _function(name: str) -> Any:
    def function(*given: Any) -> GPUArray:
        return _computed(getattr(np, name), *given)

    function.__name__ = name
    return function


maximum, minimum, where = map(_function, ("maximum", "minimum", "where"))


def if_positive(criterion: GPUArray, then_: GPUArray, else_: GPUArray) -> GPUArray:
    """Elements of one array where a number is positive, of the other one elsewhere."""
    return where(_computed(np.greater, criterion, 0), then_, else_)


def _reduction(name: str) -> Any:
    def function(a: GPUArray, dtype: Any = None, stream: Any = None) -> GPUArray:
        del stream
        kept = dtype or (a.dtype if name == "sum" else None)
        with np.errstate(all="ignore"):
            made = getattr(np, name)(_plain(a), **({} if kept is None else {"dtype": kept}))
        return to_gpu(np.asarray(made))

    function.__name__ = name
    return function


sum, max, min = map(_reduction, ("sum", "max", "min"))  # noqa: A001 - PyCUDA's names


def dot(a: GPUArray, b: GPUArray, dtype: Any = None) -> GPUArray:
    """The sum of the products of all elements."""
    made: Plain = _plain(_computed(np.vdot, _computed(np.conj, a), b))
    return to_gpu(made if dtype is None else made.astype(dtype))


def take(a: GPUArray, indices: GPUArray, out: GPUArray | None = None) -> GPUArray:
    """Elements by their places."""
    made = _computed(np.take, a, indices)
    if out is None:
        return made
    out[...] = made
    return out
