# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""From objects of Python to what a kernel takes, by the kernel's own signature: zero copy, or a mistake explained.

Arrays are NumPy's, or whatever shows its memory by `__dlpack__` (PyTorch's and JAX's on the CPU), by
`__array_interface__`, `__cuda_array_interface__` (memory of this runtime) or the buffer protocol. Nothing is copied or
converted behind the caller's back: an array of another dtype is refused, with the words that convert it.
"""

from __future__ import annotations

import ctypes
from collections.abc import Sequence
from typing import Any

import numpy as np

from warploom.api.dtypes import Array, dtype_of, holds, is_array, is_scalar, is_text, name_of
from warploom.api.runtime import PointerAttributes, runtime
from warploom.compiler.signature import UNKNOWN, KernelSignature, Parameter, Type
from warploom.core.records import dataclass

_CPU, _PINNED = 1, 3  # DLPack's devices
_OWN_MEMORY = (1, 2, 3)  # cudaMemoryType: host, device, managed
_MOST_SHOWN = 60


class ArgumentError(TypeError):
    """The arguments are not what the kernel takes; the message says which, what was given and what helps."""


@dataclass(frozen=True)
class Packed:
    """The bytes of each argument, and what has to stay alive until the kernel has ended."""

    values: list[bytes]
    kept: list[object]


@dataclass(frozen=True)
class Address:
    """Memory by its address, whatever it holds, for a parameter that is a pointer. `owner` keeps it alive."""

    place: int
    owner: object = None


class _Wrong(Exception):
    """What is wrong with one argument, and what to do."""


def pack(kernel: KernelSignature, arguments: Sequence[Any]) -> Packed:
    """The arguments of a launch. Raises ArgumentError, before anything has run."""
    wanted = kernel.parameters
    if len(arguments) != len(wanted):
        takes = ", ".join(parameter.text for parameter in wanted) or "none"
        raise ArgumentError(f"{_short(kernel)} takes {len(wanted)} arguments ({takes}), not {len(arguments)}")
    packed = Packed([], [])
    for number, (parameter, value) in enumerate(zip(wanted, arguments, strict=True), 1):
        try:
            packed.values.append(_bytes_of(parameter, value, packed.kept))
        except _Wrong as wrong:
            raise ArgumentError(f"{_short(kernel)}, argument {number} ({parameter.text}): {wrong}") from None
    return packed


def _short(kernel: KernelSignature) -> str:
    return kernel.source_name.partition("(")[0].removeprefix("void ")


def _bytes_of(parameter: Parameter, value: Any, kept: list[object]) -> bytes:
    if not parameter.is_pointer:
        assert parameter.type is not None
        if parameter.type.kind == UNKNOWN:
            return _as_given(parameter.size, value, kept)
        return _value(parameter.type, parameter.size, value)
    if value is None:
        return bytes(8)
    if isinstance(value, Address):
        kept.append(value)
        return value.place.to_bytes(8, "little")
    array = as_array(value)
    _check(parameter, array)
    kept += (value, array)
    return array.ctypes.data.to_bytes(8, "little")


# -- arrays -----------------------------------------------------------------------------------------------------------


def as_array(value: Any) -> Array:
    """A NumPy array over the memory of `value`. Raises _Wrong where it shows none."""
    if is_array(value):
        return value
    own = getattr(value, "__warploom_array__", None)  # arrays of warploom.compat
    if own is not None:
        return own()
    if is_scalar(value) or isinstance(value, int | float | complex):
        raise _Wrong(f"a number ({shown(value)}) was given where an array is wanted")
    if hasattr(value, "__cuda_array_interface__"):
        return _of_runtime(value)
    if hasattr(value, "__dlpack__"):
        return _of_dlpack(value)
    if hasattr(value, "__array_interface__"):
        return np.asarray(value)
    try:
        return np.asarray(memoryview(value))
    except (TypeError, ValueError):
        what = f"{shown(value)} is no array"
        raise _Wrong(f"{what}; numpy.array(...) makes one of a list") from None


def _of_runtime(value: Any) -> Array:
    try:
        described = dict(value.__cuda_array_interface__)
        address = int(described["data"][0])
        array = np.asarray(_Described(described))
    except (TypeError, ValueError, KeyError, IndexError, AttributeError) as error:
        raise _Wrong(f"its __cuda_array_interface__ does not describe an array: {error}") from None
    found = PointerAttributes()
    if runtime().function("cudaPointerGetAttributes")(ctypes.byref(found), address) or found.type not in _OWN_MEMORY:
        raise _Wrong("its __cuda_array_interface__ names memory that is not this runtime's")
    return array


class _Described:
    def __init__(self, described: dict[str, Any]) -> None:
        described.pop("stream", None)
        described.pop("mask", None)
        self.__array_interface__ = {**described, "version": 3}


def _of_dlpack(value: Any) -> Array:
    try:
        device = int(value.__dlpack_device__()[0])
    except (TypeError, ValueError, IndexError, AttributeError) as error:
        raise _Wrong(f"its __dlpack_device__ names no device: {error}") from None
    if device not in (_CPU, _PINNED):
        raise _Wrong(f"its memory is on a device of DLPack's kind {device}; kernels run on the CPU: move it there")
    try:
        array = np.from_dlpack(value)
    except Exception as error:  # noqa: BLE001 - of another library, whose words say it best
        raise _Wrong(f"its __dlpack__ gives no array: {error}") from None
    if array.flags.writeable or not hasattr(value, "numpy"):
        return array
    # Without a flag in its capsule NumPy takes it for read-only; PyTorch's own way says what it is.
    other = value.detach().numpy() if hasattr(value, "detach") else value.numpy()
    return other if is_array(other) and other.ctypes.data == array.ctypes.data else array


def _check(parameter: Parameter, array: Array) -> None:
    found = parameter.type
    if not holds(array.dtype, found) and not is_text(array.dtype, found):
        wanted = f"{name_of(found)}{_conversion(array, found)}" if found is not None else "plain memory"
        raise _Wrong(f"an array of {_dtype(array)} was given; it wants {wanted}")
    if not (array.flags.c_contiguous or array.flags.f_contiguous):
        raise _Wrong(
            f"the array's elements are not side by side (shape {array.shape}, strides {array.strides} bytes); "
            "numpy.ascontiguousarray(x) makes a copy whose elements are"
        )
    if not parameter.is_const and not array.flags.writeable:
        raise _Wrong("the array is read-only, and the kernel may write to what is not const")
    if found is not None and found.size and array.size:
        _check_place(parameter, found, array)


def _check_place(parameter: Parameter, found: Type, array: Array) -> None:
    if array.ctypes.data % found.alignment:
        raise _Wrong(f"the array begins at an address that is no multiple of {found.alignment}; numpy.copy(x) helps")
    if found.kind in ("struct", "array") and array.nbytes % found.size and not parameter.text.endswith("&"):
        raise _Wrong(f"{array.nbytes} bytes are no whole number of {found.name}, which has {found.size}")
    if parameter.text.endswith("&") and array.nbytes < found.size:
        raise _Wrong(f"{array.nbytes} bytes are fewer than the {found.size} of {found.name}")


def _conversion(array: Array, found: Type) -> str:
    if found.is_number and found.kind != "bf" and array.dtype.kind in "biufc":
        return f"; x.astype(numpy.{dtype_of(found)}) converts"
    return ""


def _dtype(array: Array) -> str:
    return str(array.dtype)


# -- values -----------------------------------------------------------------------------------------------------------


def _value(found: Type, size: int, value: Any) -> bytes:
    """The bytes of a parameter that is passed by value."""
    if not found.is_number or found.kind == "bf" or found.size not in (1, 2, 4, 8):
        return _record(found, size, value)
    number = _plain(value)
    dtype = dtype_of(found)
    if found.kind == "f":
        if not isinstance(number, int | float):
            raise _Wrong(f"{shown(value)} is no number that a {found.name} can hold")
        return _rounded(dtype, number, value)
    if not isinstance(number, int):
        raise _Wrong(f"{shown(value)} is no whole number; int(x) makes one")
    if found.kind == "b":
        if number not in (0, 1):
            raise _Wrong(f"{shown(value)} is neither True nor False")
        return bytes([number])
    limits = np.iinfo(dtype)
    if not limits.min <= number <= limits.max:
        raise _Wrong(f"{shown(value)} does not fit: from {limits.min} to {limits.max}")
    return number.to_bytes(found.size, "little", signed=found.kind == "i")


def _as_given(size: int, value: Any, kept: list[object]) -> bytes:
    """An argument of a kernel that is known without its types: an array is its address, a number its own bytes, and a
    number of Python's what has the parameter's size."""
    if isinstance(value, int):
        if not -(1 << 8 * size - 1) <= value < 1 << 8 * size:
            raise _Wrong(f"{shown(value)} does not fit {size} bytes")
        return value.to_bytes(size, "little", signed=value < 0)
    if isinstance(value, float) and not is_scalar(value) and size in (4, 8):
        return _rounded(np.dtype(f"f{size}"), value, value)
    if is_scalar(value):
        given = value.tobytes()
    else:
        place = value.place if isinstance(value, Address) else as_array(value).ctypes.data
        given = place.to_bytes(8, "little")
        kept.append(value)
    if len(given) != size:
        raise _Wrong(f"{shown(value)} has {len(given)} bytes")
    return given


def _plain(value: Any) -> Any:
    """A number of Python's, from one of NumPy's or from an array without dimensions."""
    if is_scalar(value) or (is_array(value) and value.ndim == 0):
        return value.item()
    return value


def _rounded(dtype: np.dtype[Any], number: float, value: Any) -> bytes:
    try:
        with np.errstate(over="ignore"):
            made = dtype.type(number)
    except OverflowError:
        raise _Wrong(f"{shown(value)} does not fit a {dtype}") from None
    if np.isinf(made) and not np.isinf(float(number)):
        raise _Wrong(f"{shown(value)} does not fit a {dtype}")
    return made.tobytes()


def _record(found: Type, size: int, value: Any) -> bytes:
    """A struct by value: a structured scalar or array of one element, or a tuple of its members."""
    dtype = dtype_of(found)
    if isinstance(value, tuple | list):
        members: tuple[Any, ...] = tuple(value)  # pyright: ignore[reportUnknownArgumentType, reportUnknownVariableType]
        try:
            value = np.array(members, dtype)
        except (TypeError, ValueError) as error:
            raise _Wrong(f"{shown(members)} are no members of {name_of(found)}: {error}") from None
    if not (is_scalar(value) or is_array(value) or isinstance(value, complex)):
        raise _Wrong(f"{shown(value)} was given; it wants a structured array of one element, {name_of(found)}")
    array = np.asarray(value)
    if isinstance(value, complex) and found.size == 8:
        array = array.astype(np.complex64)
    if array.nbytes != size or not (
        holds(array.dtype, found) or (array.dtype.itemsize == size and array.dtype.kind == "V")
    ):
        raise _Wrong(f"{array.size} elements of {_dtype(array)} were given; it wants {name_of(found)}")
    return array.tobytes()


def shown(value: object) -> str:
    """A value and its type, for messages."""
    try:
        text = repr(value)
    except Exception:  # noqa: BLE001 - a repr may raise anything
        text = "an object"
    kind = type(value).__name__
    return f"{text if len(text) <= _MOST_SHOWN else text[:_MOST_SHOWN] + '...'} ({kind})"


def as_array_argument(value: Any) -> Array:
    """`as_array` for those who explain nothing more: ArgumentError where `value` shows no memory."""
    try:
        return as_array(value)
    except _Wrong as wrong:
        raise ArgumentError(str(wrong)) from None
