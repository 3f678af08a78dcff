# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""CuPy's functions of arrays: NumPy's, on this package's arrays."""

from __future__ import annotations

import types
from collections.abc import Callable
from typing import Any

import numpy as np

from warploom.api.dtypes import is_array
from warploom.compat.cupy import pending
from warploom.compat.cupy.core import Plain, apply, cupy_of, memory_of, ndarray, numpy_of, wrap

# What has an array among its arguments, or makes one.
ARRAYS = """abs absolute add all allclose amax amin angle any append apply_along_axis arange arccos arccosh arcsin
arcsinh arctan arctan2 arctanh argmax argmin argpartition argsort argwhere around array_equal array_split atleast_1d
atleast_2d atleast_3d average bartlett bincount bitwise_and bitwise_or bitwise_xor blackman block broadcast_arrays
broadcast_to c_ cbrt ceil choose clip column_stack compress concatenate conj conjugate convolve copysign corrcoef
correlate cos cosh count_nonzero cov cross cumprod cumsum deg2rad degrees delete diag diag_indices diag_indices_from
diagflat diagonal diff digitize divide divmod dot dsplit dstack ediff1d einsum empty equal exp exp2 expand_dims expm1
extract eye fabs fill_diagonal fix flatnonzero flip fliplr flipud float_power floor floor_divide fmax fmin fmod frexp
full gcd gradient greater greater_equal hamming hanning heaviside histogram histogram2d histogramdd hsplit hstack
hypot i0 identity imag indices inner insert interp intersect1d invert isclose iscomplex isfinite isin isinf isnan
isneginf isposinf isreal ix_ kaiser kron lcm ldexp left_shift less less_equal lexsort linspace log log10 log1p log2
logaddexp logaddexp2 logical_and logical_not logical_or logical_xor logspace matmul matvec max maximum mean median
meshgrid mgrid min minimum mod modf moveaxis multiply nan_to_num nanargmax nanargmin nancumprod nancumsum nanmax
nanmean nanmedian nanmin nanprod nanstd nansum nanvar negative nextafter nonzero not_equal ogrid ones outer packbits
pad partition percentile piecewise place poly poly1d polyadd polyfit polymul polysub polyval positive power prod ptp
put put_along_axis putmask quantile r_ rad2deg radians ravel ravel_multi_index real real_if_close reciprocal remainder
repeat reshape resize right_shift rint roll rollaxis roots rot90 round searchsorted select setdiff1d setxor1d sign
signbit sin sinc sinh sort sort_complex split sqrt square squeeze stack std subtract sum swapaxes take take_along_axis
tan tanh tensordot tile trace transpose trapezoid trapz tri tril tril_indices tril_indices_from trim_zeros triu
triu_indices triu_indices_from true_divide trunc unique union1d unpackbits unravel_index unwrap vander var vdot vecdot
vsplit vstack where zeros acos acosh asin asinh atan atan2 atanh bitwise_count bitwise_invert bitwise_left_shift
bitwise_right_shift concat cumulative_prod cumulative_sum matrix_transpose permute_dims pow""".split()
# What says something of an array or a type, in Python's words.
WORDS = """can_cast common_type iscomplexobj isfortran isrealobj isscalar may_share_memory min_scalar_type ndim
promote_types result_type shape shares_memory size array2string array_repr array_str base_repr binary_repr issubdtype
mintypecode typename iterable broadcast_shapes""".split()
TYPES = """bool_ int8 int16 int32 int64 uint8 uint16 uint32 uint64 float16 float32 float64 complex64 complex128 byte
short intc int_ longlong ubyte ushort uintc uint ulonglong half single double csingle cdouble intp uintp number
integer signedinteger unsignedinteger inexact floating complexfloating generic dtype finfo iinfo e pi inf nan newaxis
euler_gamma character""".split()


def function_of(made: Callable[..., Any], name: str) -> Callable[..., Any]:
    """A function of NumPy's as one of this package's."""

    def function(*given: Any, **options: Any) -> Any:
        return apply(made, given, options)

    function.__name__ = function.__qualname__ = name
    function.__doc__ = made.__doc__
    return function


def _made_an_array(value: Any) -> Any:
    return cupy_of(np.asarray(value)) if type(value) in (np.ndarray, list) else value


def _with_arrays(made: Callable[..., Any], name: str) -> Callable[..., Any]:
    """The same of two arrays which may be NumPy's: CuPy makes arrays of these first."""

    def compared(a: Any, b: Any, *given: Any, **options: Any) -> Any:
        return apply(made, (_made_an_array(a), _made_an_array(b), *given), options)

    compared.__name__ = compared.__qualname__ = name
    compared.__doc__ = made.__doc__
    return compared


class Ufunc:
    """A ufunc of NumPy's; calls within `cupy.fuse` become part of one kernel."""

    def __init__(self, ufunc: Any) -> None:
        self._ufunc = ufunc
        self.__name__ = self.name = ufunc.__name__
        self.__doc__ = ufunc.__doc__
        self.nin, self.nout, self.nargs, self.types = ufunc.nin, ufunc.nout, ufunc.nargs, ufunc.types

    def __call__(self, *given: Any, **options: Any) -> Any:
        return apply(self._ufunc, given, options)

    def reduce(self, *given: Any, **options: Any) -> Any:
        """Along an axis."""
        return apply(self._ufunc.reduce, given, options)

    def accumulate(self, *given: Any, **options: Any) -> Any:
        """Along an axis, with each of the values between."""
        return apply(self._ufunc.accumulate, given, options)

    def outer(self, *given: Any, **options: Any) -> Any:
        """Of all pairs."""
        return apply(self._ufunc.outer, given, options)

    def reduceat(self, *given: Any, **options: Any) -> Any:
        """Along an axis, piece by piece."""
        return apply(self._ufunc.reduceat, given, options)

    def at(self, a: ndarray, *given: Any) -> None:
        """In place, each element as often as it is named."""
        pending.settle()
        self._ufunc.at(memory_of(a), *map(numpy_of, given))

    def __repr__(self) -> str:
        return f"<ufunc '{self.name}'>"


def made_functions() -> dict[str, Any]:
    """The functions that are NumPy's, and its types, by name; names that this NumPy lacks are left out."""
    found: dict[str, Any] = {}
    for name in ARRAYS:
        own = getattr(np, name, None)
        if isinstance(own, np.ufunc):
            found[name] = Ufunc(own)
        elif callable(own) and not isinstance(own, type):
            found[name] = function_of(own, name)
        elif own is not None and name in ("c_", "r_", "mgrid", "ogrid"):
            found[name] = _Subscripted(own)
    for name in ("isclose", "allclose"):
        found[name] = _with_arrays(getattr(np, name), name)
    for name in WORDS:
        if hasattr(np, name):
            found[name] = _word(getattr(np, name))
    return found | {name: getattr(np, name) for name in TYPES}


class _Subscripted:
    """`cupy.r_[...]` and its like."""

    def __init__(self, own: Any) -> None:
        self._own = own

    def __getitem__(self, key: Any) -> Any:
        return apply(self._own.__getitem__, (key,), {})


def _word(own: Callable[..., Any]) -> Callable[..., Any]:
    def function(*given: Any, **options: Any) -> Any:
        return own(*map(_plain, given), **{name: _plain(value) for name, value in options.items()})

    function.__name__ = own.__name__
    function.__doc__ = own.__doc__
    return function


def _plain(value: Any) -> Any:
    return memory_of(value) if isinstance(value, ndarray) else value


def submodule(own: types.ModuleType) -> dict[str, Any]:
    """The functions of a module of NumPy's (linalg, fft), as this package's."""
    names: list[str] = [name for name in own.__all__ if callable(getattr(own, name))]
    return {
        name: function_of(getattr(own, name), name) if not isinstance(getattr(own, name), type) else getattr(own, name)
        for name in names
    }


# -- to and from the host ---------------------------------------------------------------------------------------------


def array(
    obj: Any, dtype: Any = None, copy: bool | None = True, order: Any = "K", subok: Any = False, ndmin: int = 0
) -> ndarray:
    """An array of numbers, lists, or arrays of either kind: a copy, but with `copy=False` of one of this package's."""
    del subok
    chosen = order or "K"
    if isinstance(obj, ndarray):
        pending.settle()
        return wrap(np.array(memory_of(obj), dtype, copy=copy or None, order=chosen, ndmin=ndmin))
    seen = _seen(obj)
    if seen is not None:
        return wrap(np.array(seen, dtype, copy=copy or None, order=chosen, ndmin=ndmin))
    made = np.array(_host(obj), dtype, copy=True, order=chosen, ndmin=ndmin)
    if made.dtype.kind not in "biufcV" or made.dtype.hasobject:
        raise ValueError(f"Unsupported dtype {made.dtype}")
    return wrap(made)


def _seen(obj: Any) -> Plain | None:
    """The memory of another library's array on the device."""
    if hasattr(obj, "__cupy_get_ndarray__"):
        return memory_of(obj.__cupy_get_ndarray__())
    if hasattr(obj, "__cuda_array_interface__"):
        from warploom.compat.cupy.cuda.runtime import is_memory

        described: dict[str, Any] = dict(obj.__cuda_array_interface__)
        made = np.asarray(_Described(described))
        if not is_memory(described["data"][0], made.nbytes):
            raise ValueError("its __cuda_array_interface__ names memory that is not this process's")
        return made
    return None


class _Described:
    def __init__(self, described: dict[str, Any]) -> None:
        kept = {name: value for name, value in described.items() if name not in ("stream", "mask")}
        self.__array_interface__ = {**kept, "version": 3}


def _host(obj: Any) -> Any:
    if isinstance(obj, tuple | list):
        return [_host(each) for each in obj]  # pyright: ignore[reportUnknownVariableType]
    if isinstance(obj, ndarray):
        pending.settle()
        return memory_of(obj)
    return obj


def asarray(a: Any, dtype: Any = None, order: Any = None, *, blocking: bool = False) -> ndarray:
    """An array of this package's; what is one stays as it is. NumPy's are copied, as to a device."""
    del blocking
    if isinstance(a, ndarray) and dtype is None and order in (None, "K", "A"):
        return a
    return array(a, dtype, copy=False, order=order or "K")


def ascontiguousarray(a: Any, dtype: Any = None) -> ndarray:
    """An array whose rows lie one after the other."""
    return wrap(np.ascontiguousarray(memory_of(asarray(a, dtype))))


def asfortranarray(a: Any, dtype: Any = None) -> ndarray:
    """An array whose columns lie one after the other."""
    return wrap(np.asfortranarray(memory_of(asarray(a, dtype))))


def asnumpy(a: Any, stream: Any = None, order: Any = "C", out: Plain | None = None, *, blocking: bool = True) -> Plain:
    """An array of NumPy's: a copy of one of this package's."""
    del stream, blocking
    if isinstance(a, ndarray):
        return a.get(order=order, out=out)
    made = np.asarray(_host(a), order="C" if order == "C" else None)
    if out is None:
        return made
    np.copyto(out, made)
    return out


def copy(a: Any, order: Any = "K") -> ndarray:
    """A copy."""
    return asarray(a).copy(order)


def copyto(dst: ndarray, src: Any, casting: Any = "same_kind", where: Any = True) -> None:
    """Write the elements of `src` to `dst`."""
    pending.settle()
    np.copyto(memory_of(dst), numpy_of(src), casting=casting, where=numpy_of(where))


def from_dlpack(array: Any) -> ndarray:
    """The memory of another library's array."""
    from warploom.api.arguments import as_array_argument

    return wrap(as_array_argument(array))


def frombuffer(buffer: Any, dtype: Any = float, count: int = -1, offset: int = 0) -> ndarray:
    """A copy of the bytes of `buffer`."""
    return wrap(np.frombuffer(buffer, dtype, count, offset).copy())


def _like(own: Callable[..., Any]) -> Callable[..., ndarray]:
    def function(a: Any, *given: Any, **options: Any) -> ndarray:
        return apply(own, (asarray(a), *given), options)

    function.__name__ = own.__name__
    return function


empty_like, zeros_like, ones_like, full_like = map(_like, (np.empty_like, np.zeros_like, np.ones_like, np.full_like))


def get_array_module(*given: Any) -> types.ModuleType:
    """This module where one of the arguments is its array; else NumPy."""
    import warploom.compat.cupy as module

    return module if any(isinstance(each, ndarray) for each in given) else np


def save(file: Any, arr: Any, **options: Any) -> None:
    """As numpy.save."""
    np.save(file, asnumpy(arr), **options)


def savez(file: Any, *given: Any, **named: Any) -> None:
    """As numpy.savez."""
    arrays: dict[str, Any] = {name: asnumpy(each) for name, each in named.items()}
    np.savez(file, *map(asnumpy, given), **arrays)


def load(file: Any, **options: Any) -> Any:
    """As numpy.load."""
    made = np.load(file, **options)
    return wrap(made.copy()) if is_array(made) else made
