# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""CuPy's array: NumPy's memory behind a type of its own.

It is a wrapper and no subclass of NumPy's array, because what differs is what programs rely on: an element and a sum
are arrays without dimensions (`x.sum().get()`), a NumPy array and one of these do not mix, `isinstance(x,
numpy.ndarray)` is false, and `numpy.asarray(x)` is refused. A program that runs here would otherwise fail on a GPU.
"""

from __future__ import annotations

import operator
import threading
from collections.abc import Callable, Iterator, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from warploom.api.dtypes import is_array, is_scalar
from warploom.compat.cupy import pending

Plain = np.ndarray[Any, Any]


class _Tracing(threading.local):
    """How many functions this thread is tracing (tracing.py)."""

    def __init__(self) -> None:
        self.depth = 0


tracing = _Tracing()


class ndarray:  # noqa: N801 - CuPy's name
    """`shape`, `dtype`, and `memptr`, where its memory is (cupy.cuda.alloc); without it there is new memory."""

    __slots__ = ("__weakref__", "_array")
    __hash__ = None  # pyright: ignore[reportAssignmentType]
    __array_priority__ = 100
    _array: Plain
    if TYPE_CHECKING:  # the rest of NumPy's methods: below

        def __getattr__(self, name: str) -> Any: ...

    def __init__(
        self, shape: Any, dtype: Any = float, memptr: Any = None, strides: Any = None, order: str = "C"
    ) -> None:
        if memptr is None:
            self._array = np.empty(shape, dtype, order="F" if order == "F" else "C")
        else:
            keywords: dict[str, Any] = {"strides": strides, "order": "F" if order == "F" else "C"}
            self._array = np.ndarray(shape, dtype, memptr.mem.array, memptr.offset, **keywords)

    # -- what it is ---------------------------------------------------------------------------------------------------

    @property
    def shape(self) -> tuple[int, ...]:
        """Its extents."""
        return self._array.shape

    @shape.setter
    def shape(self, extents: Any) -> None:
        self._array = np.reshape(self._array, extents, copy=False)

    @property
    def data(self) -> Any:
        """Where its memory is."""
        from warploom.compat.cupy.cuda.memory import pointer_to

        return pointer_to(self._array)

    @property
    def base(self) -> ndarray | None:
        """The array that it is a view of."""
        return wrap(self._array.base) if is_array(self._array.base) else None

    @property
    def device(self) -> Any:
        """The device."""
        from warploom.compat.cupy.cuda.device import Device

        return Device(0)

    @property
    def T(self) -> ndarray:  # noqa: N802 - NumPy's name
        """Its transpose."""
        return wrap(self._array.T)

    @property
    def real(self) -> ndarray:
        """Its real part."""
        return self if self._array.dtype.kind != "c" else wrap(self._array.real)

    @real.setter
    def real(self, value: Any) -> None:
        self._array.real = numpy_of(value)

    @property
    def imag(self) -> ndarray:
        """Its imaginary part."""
        return wrap(self._array.imag)

    @imag.setter
    def imag(self, value: Any) -> None:
        self._array.imag = numpy_of(value)

    @property
    def flat(self) -> Any:
        """Its elements, one after the other."""
        pending.settle()
        return self._array.flat

    # -- there and back -----------------------------------------------------------------------------------------------

    def get(self, stream: Any = None, order: Any = "C", out: Plain | None = None, blocking: bool = True) -> Plain:
        """A copy as an array of NumPy's."""
        del stream, blocking
        pending.settle()
        if out is None:
            return np.array(self._array, order=order)
        if out.dtype != self.dtype or out.shape != self.shape:
            raise ValueError(f"out is {out.dtype}{out.shape}; the array is {self.dtype}{self.shape}")
        np.copyto(out, self._array)
        return out

    def set(self, arr: Any, stream: Any = None) -> None:
        """Take what an array of NumPy's holds."""
        del stream
        if not is_array(arr):
            raise TypeError("only numpy.ndarray can be set to cupy.ndarray")
        if arr.dtype != self.dtype or arr.shape != self.shape:
            raise ValueError(f"{arr.dtype}{arr.shape} was given; the array is {self.dtype}{self.shape}")
        pending.settle()
        np.copyto(self._array, arr)

    def __warploom_array__(self) -> Plain:
        return self._array

    @property
    def __cuda_array_interface__(self) -> dict[str, Any]:
        described: dict[str, Any] = dict(self._array.__array_interface__)
        return {**described, "version": 3, "stream": 1}

    def __dlpack__(self, **options: Any) -> Any:
        options.pop("stream", None)
        pending.settle()
        return self._array.__dlpack__(**options)

    def __dlpack_device__(self) -> tuple[int, int]:
        return 1, 0

    toDlpack = __dlpack__  # noqa: N815 - CuPy's name

    def __array__(self, *_dtype: Any, **_options: Any) -> Plain:
        raise TypeError("Implicit conversion to a NumPy array is not allowed. Please use `.get()`")

    def __array_ufunc__(self, ufunc: Any, method: str, *inputs: Any, **options: Any) -> Any:
        return apply(getattr(ufunc, method), inputs, options)

    def __array_function__(self, function: Any, types: Any, given: Any, options: Any) -> Any:
        import warploom.compat.cupy as module

        del types
        own = getattr(module, function.__name__, None)
        return NotImplemented if own is None else own(*given, **options)

    # -- elements -----------------------------------------------------------------------------------------------------

    def __getitem__(self, key: Any) -> ndarray:
        chosen = index_of(key)
        pending.settle()
        found: Any = self._array[chosen]
        if is_array(found):
            return wrap(found)
        return wrap(self._array[(*chosen, ...) if isinstance(chosen, tuple) else (chosen, ...)])

    def __setitem__(self, key: Any, value: Any) -> None:
        chosen = index_of(key)
        is_whole = chosen is Ellipsis or (isinstance(chosen, slice) and chosen == slice(None))
        pending.settle()
        with np.errstate(all="ignore"):
            self._array[chosen] = value if is_whole and is_array(value) else numpy_of(value)

    def __len__(self) -> int:
        return len(self._array)

    def __iter__(self) -> Iterator[ndarray]:
        if self._array.ndim == 0:
            raise TypeError("iteration over a 0-d array")
        return (self[place] for place in range(len(self._array)))

    def __bool__(self) -> bool:
        return bool(numpy_of(self))

    def __int__(self) -> int:
        return int(numpy_of(self))

    def __float__(self) -> float:
        return float(numpy_of(self))

    def __complex__(self) -> complex:
        return complex(numpy_of(self))

    def __index__(self) -> int:
        return operator.index(numpy_of(self))

    def __repr__(self) -> str:
        return repr(numpy_of(self))

    def __str__(self) -> str:
        return str(numpy_of(self))

    def __format__(self, form: str) -> str:
        return format(numpy_of(self), form)

    def __reduce__(self) -> Any:
        return _unpickled, (self.get(order="A"),)

    def __copy__(self) -> ndarray:
        return self.copy()

    def __deepcopy__(self, _known: Any) -> ndarray:
        return self.copy()

    def copy(self, order: Any = "C") -> ndarray:
        """A copy."""
        return wrap(numpy_of(self).copy(order))

    def astype(self, dtype: Any, order: Any = "K", casting: Any = None, subok: Any = None, copy: bool = True) -> Any:
        """As another dtype."""
        del subok
        with np.errstate(all="ignore"):
            made = numpy_of(self).astype(dtype, order, casting or "unsafe", copy=copy)
        return self if made is self._array else wrap(made)

    def view(self, dtype: Any = None, array_class: Any = None) -> ndarray:
        """The same memory, as another dtype."""
        del array_class
        return wrap(self._array.view() if dtype is None else self._array.view(dtype))

    def __abs__(self) -> ndarray:
        from warploom.compat.cupy.absolute import absolute

        return absolute(self)

    def scatter_add(self, slices: Any, value: Any) -> None:
        """Add to elements, each as often as it is named."""
        pending.settle()
        np.add.at(self._array, index_of(slices), numpy_of(value))

    def reduced_view(self, dtype: Any = None) -> ndarray:
        """A view with as few dimensions as it can have."""
        flat = self._array.flags.c_contiguous
        return wrap(self._array.reshape(-1)).view(dtype) if flat else self.view(dtype)


def wrap(array: Plain) -> ndarray:
    """A NumPy array's memory as one of these."""
    made = object.__new__(ndarray)
    made._array = array  # pyright: ignore[reportPrivateUsage]
    return made


def _unpickled(array: Plain) -> ndarray:
    return wrap(array)


def memory_of(array: ndarray) -> Plain:
    """Its memory, which kernels may still write to."""
    return array._array  # pyright: ignore[reportPrivateUsage]


def numpy_of(value: Any) -> Any:
    """What NumPy's functions take: arrays of this module as NumPy's, within tuples and lists too.

    Raises TypeError for arrays of NumPy's, which CuPy does not take.
    """
    if isinstance(value, ndarray):
        pending.settle()
        return memory_of(value)
    if type(value) in (tuple, list):
        return type(value)(map(numpy_of, value))
    if is_array(value):
        raise TypeError(f"Unsupported type {np.ndarray}; cupy.asarray(x) makes an array of CuPy's")
    return value


def index_of(key: Any) -> Any:
    """A subscript for NumPy. Indices may be arrays of NumPy's, too."""
    if isinstance(key, tuple):
        parts: tuple[Any, ...] = key  # pyright: ignore[reportUnknownVariableType]
        return tuple(map(index_of, parts))
    return key if is_array(key) else numpy_of(key)


def cupy_of(value: Any) -> Any:
    """What NumPy's functions give, as CuPy has it: numbers are arrays without dimensions."""
    if is_array(value):
        return wrap(value)
    if is_scalar(value):
        return wrap(np.asarray(value))
    if isinstance(value, tuple):
        parts = [cupy_of(each) for each in value]  # pyright: ignore[reportUnknownVariableType]
        return type(value)(*parts) if hasattr(value, "_fields") else tuple(parts)  # pyright: ignore[reportUnknownArgumentType, reportUnknownVariableType]
    if isinstance(value, list):
        return [cupy_of(each) for each in value]  # pyright: ignore[reportUnknownVariableType]
    return value


def apply(function: Callable[..., Any], given: Sequence[Any], options: dict[str, Any]) -> Any:
    """Call a function of NumPy's with arrays of this module."""
    if tracing.depth:
        from warploom.compat.cupy.tracing import is_traced, traced_call

        if is_traced(given, options):
            return traced_call(function, given, options)
    with np.errstate(all="ignore"):
        made = function(*map(numpy_of, given), **{name: numpy_of(value) for name, value in options.items()})
    out = options.get("out")
    return out if out is not None and made is not None else cupy_of(made)


def _method(name: str) -> Any:
    function = getattr(np.ndarray, name)

    def method(self: ndarray, *given: Any, **options: Any) -> Any:
        return apply(function, (self, *given), options)

    method.__name__ = name
    method.__doc__ = f"As numpy.ndarray.{name}."
    return method


def _attribute(name: str) -> Any:
    return property(lambda self: getattr(self._array, name), doc=f"As numpy.ndarray.{name}.")


def _binary(name: str, in_place: bool = False) -> Any:
    function = getattr(np.ndarray, name)

    def method(self: ndarray, other: Any) -> Any:
        if is_array(other):
            numpy_of(other)
        if not isinstance(other, ndarray) and not is_scalar(other) and hasattr(other, "__array_priority__"):
            return NotImplemented
        made = apply(function, (self, other), {})
        return self if in_place and isinstance(made, ndarray) else made

    method.__name__ = name
    return method


_METHODS = """all any argmax argmin argpartition argsort choose clip compress conj conjugate cumprod cumsum diagonal dot
dump dumps fill flatten item max mean min nonzero partition prod put ravel repeat reshape round searchsorted sort
squeeze std sum swapaxes take tobytes tofile tolist trace transpose var __neg__ __pos__ __invert__
__contains__""".split()
_BINARY = "add sub mul truediv floordiv mod pow lshift rshift and or xor matmul divmod".split()
_COMPARE = "__eq__ __ne__ __lt__ __le__ __gt__ __ge__".split()
for _name in _METHODS:
    setattr(ndarray, _name, _method(_name))
for _name in "dtype ndim size itemsize nbytes strides flags".split():
    setattr(ndarray, _name, _attribute(_name))
for _name in (*_COMPARE, *(f"__{prefix}{each}__" for each in _BINARY for prefix in ("", "r"))):
    setattr(ndarray, _name, _binary(_name))
for _name in _BINARY:
    if hasattr(np.ndarray, f"__i{_name}__"):
        setattr(ndarray, f"__i{_name}__", _binary(f"__i{_name}__", in_place=True))
