# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Arguments of kernels: what decides their types, and what the C++ kernel gets for each."""

from __future__ import annotations

import enum
from collections.abc import Callable, Sequence
from functools import lru_cache
from typing import Any

import numpy as np

from warploom.api.arguments import ArgumentError, as_array_argument
from warploom.api.dtypes import is_array, is_scalar
from warploom.pyjit.elements import element_of
from warploom.pyjit.signatures import ArrayPattern, Pattern, Signature, chosen
from warploom.pyjit.types import HALF, SCALARS, Array, Enumerated, Known, Record, Scalar, Tuple, Type
from warploom.pyjit.values import JitError

_PLAIN = {bool: SCALARS["bool"], int: SCALARS["int64"], float: SCALARS["float64"], complex: SCALARS["complex128"]}
_WORDS = frozenset("biufc")
# NumPy's numbers that the kernel gets as they are: by their class, which is looked up more quickly than a dtype's kind.
_NUMBERS: dict[type[Any], np.dtype[Any]] = {np.dtype(word).type: np.dtype(word) for word in "?bhilBHILfdFD"}


_GIVEN_AS_THEY_ARE = frozenset((*_PLAIN, *_NUMBERS))


class Hint:
    """How an argument is meant: `In` is not written to for the caller, `Out` and `InOut` are."""

    def __init__(self, value: Any) -> None:
        self.value = value

    def given(self) -> Any:
        """What the kernel gets: what it writes to is the caller's own memory."""
        return self.value


class In(Hint):
    """An argument whose changes are dropped: the kernel gets a copy."""

    def given(self) -> Any:
        return np.array(as_array_argument(self.value))


class Out(Hint):
    """An argument that the kernel writes to."""


class InOut(Hint):
    """An argument that the kernel reads and writes."""


def taken(value: Any) -> tuple[Any, list[Any]]:
    """What decides the type of an argument (`type_of`), and what the C++ kernel gets for it. Raises ArgumentError."""
    kind: type[Any] = type(value)  # pyright: ignore[reportUnknownVariableType]
    if kind in _PLAIN:
        return kind, [value]
    if kind in _NUMBERS:
        return _NUMBERS[kind], [value]
    if is_scalar(value):
        return _taken_scalar(value)
    if not is_array(value):
        other = _taken_other(value)
        if other is not None:
            return other
    array = value if is_array(value) else as_array_argument(value)
    if array.ndim == 0:
        return _taken_scalar(array[()])
    flags = array.flags
    is_whole = flags.c_contiguous and flags.aligned
    if is_whole and array.dtype.kind in _WORDS and array.dtype.itemsize != 2:
        return (array.dtype, array.ndim, True, not flags.writeable), [array, *array.shape]
    address = array.__array_interface__["data"][0]
    if is_whole:
        return (array.dtype, array.ndim, True, not flags.writeable), [address, *array.shape]
    return (array.dtype, array.ndim, False, not flags.writeable), [address, *array.shape, *array.strides]


def looks_of(arguments: Sequence[Any]) -> tuple[Any, ...] | None:
    """What decides the types of numbers and arrays, said quickly; None where one of `arguments` is something else."""
    looks: list[Any] = []
    for value in arguments:
        kind: type[Any] = type(value)  # pyright: ignore[reportUnknownVariableType]
        if kind in _GIVEN_AS_THEY_ARE:
            looks.append(kind)
        elif is_array(value):
            looks.append((value.dtype, value.ndim, value.flags.num))
        else:
            return None
    return tuple(looks)


def is_given_whole(value: Any, words: Sequence[Any]) -> bool:
    """Whether what the kernel gets for an argument (`taken`) is itself, an array's extents behind it."""
    if is_array(value):
        return value.ndim > 0 and words[0] is value and tuple(words[1:]) == value.shape
    return len(words) == 1 and words[0] is value


def _taken_scalar(value: Any) -> tuple[Any, list[Any]]:
    dtype = value.dtype
    if dtype.kind == "V":
        return ("record", dtype), [value.__array_interface__["data"][0]]
    if dtype.kind in "mM":
        return dtype, [int(value.view(np.int64))]
    return dtype, [float(value) if dtype.itemsize == 2 and dtype.kind == "f" else value]


def _taken_other(value: Any) -> tuple[Any, list[Any]] | None:
    """Tuples, members of enumerations, None, hints; None for anything else."""
    if isinstance(value, enum.Enum):
        place = int(value) if isinstance(value, int) else list(type(value)).index(value)
        return type(value), [place]
    if isinstance(value, tuple):
        parts = [taken(each) for each in value]  # pyright: ignore[reportUnknownVariableType]
        names = tuple(getattr(value, "_fields", ()))  # pyright: ignore[reportUnknownArgumentType]
        return ("tuple", tuple(key for key, _ in parts), names), [word for _, words in parts for word in words]
    if value is None:
        return None, []
    if isinstance(value, Hint):
        return taken(value.given())
    return None


@lru_cache(maxsize=1000)
def type_of(key: Any) -> Type:
    """The type that an argument's key means. Raises ArgumentError for what kernels cannot have."""
    if key is None:
        return Known(None)
    if isinstance(key, type):
        return _PLAIN[key] if key in _PLAIN else Enumerated(key)
    try:
        if isinstance(key, tuple):
            return _type_of_several(key)  # pyright: ignore[reportUnknownArgumentType]
        found = element_of(key)
    except JitError as error:
        raise ArgumentError(error.message) from None
    if not isinstance(found, Scalar):
        raise ArgumentError(f"{key} is no number that kernels in Python have")
    return found


def _type_of_several(key: tuple[Any, ...]) -> Type:
    if key[0] == "tuple":
        return Tuple(tuple(type_of(each) for each in key[1]), key[2])
    if key[0] == "record":
        return element_of(np.dtype(key[1]))
    dtype, ndim, is_contiguous, is_const = key
    return Array(element_of(dtype), ndim, is_contiguous, is_const)


def taken_apart(name: str, kind: Type) -> tuple[list[str], str]:
    """The parameters of the C++ kernel that an argument becomes, and the text that makes one value of them again."""
    if isinstance(kind, Known):
        return [], ""
    if kind == HALF:
        return [f"float {name}"], f"__half({name})"
    if isinstance(kind, Scalar | Enumerated):
        return [f"{kind.text} {name}"], name
    if isinstance(kind, Record):
        return [f"unsigned long long {name}"], f"((char *){name})"
    if isinstance(kind, Tuple):
        parts = [taken_apart(f"{name}_{number}", member) for number, member in enumerate(kind.members)]
        return [each for words, _ in parts for each in words], f"{kind.text}{{{', '.join(text for _, text in parts)}}}"
    assert isinstance(kind, Array)
    extents = [f"{name}_n{axis}" for axis in range(kind.ndim)]
    strides = [] if kind.is_contiguous else [f"{name}_s{axis}" for axis in range(kind.ndim)]
    element = kind.element
    is_plain = kind.is_contiguous and isinstance(element, Scalar) and not element.unit and element.size != 2
    stored = f"const {element.stored}" if kind.is_const else element.stored
    address = f"{stored} *{name}_data" if is_plain else f"unsigned long long {name}_data"
    parameters = [address, *(f"Int {each}" for each in (*extents, *strides))]
    lists = "".join(f", {{{', '.join(each)}}}" for each in (extents, strides) if each)
    return parameters, f"{kind.text}{{({stored} *){name}_data{lists}}}"


# -- signatures -------------------------------------------------------------------------------------------------------


def fitting(name: str, signatures: Sequence[Signature], types: Sequence[Type]) -> list[tuple[Pattern, Type]]:
    """What the signature that fits arguments of these types has for each, and what is given; ArgumentError where none
    fits."""
    found = chosen(signatures, types)
    if found is None:
        given = ", ".join(kind.name for kind in types)
        raise ArgumentError(f"No matching definition of {name} for ({given}) among its {len(signatures)} signatures")
    return list(zip(found.arguments, types, strict=True))


def conversion(pattern: Pattern, found: Type) -> Callable[[Any], Any] | None:
    """What makes of an argument of type `found` the number that a signature asks for; None where that is it already."""
    if not isinstance(pattern, Scalar) or not isinstance(found, Scalar) or pattern == found or pattern.unit:
        return None
    made = np.dtype(pattern.name).type
    bits, is_signed = 8 * pattern.size, pattern.kind == "i"

    def cut(value: Any) -> Any:  # what has too many bits loses the upper ones, as in C
        number = int(value) & (1 << bits) - 1
        return made(number - (1 << bits) if is_signed and number >> (bits - 1) else number)

    def converted(value: Any) -> Any:
        with np.errstate(over="ignore"):
            return made(value)

    def rounded(value: Any) -> Any:  # to look at its size is quicker than to forbid a warning
        return made(value) if -largest <= value <= largest else converted(value)

    if pattern.kind in "iu" and found.kind in "biu":
        return cut
    if pattern.kind != "f" or found.kind != "f":
        return converted
    largest = float(np.finfo(made).max)
    return rounded


def patterns_of(types: Sequence[Any]) -> Signature:
    """The signature of arguments, or of types, for a function that is made for them only."""
    return Signature(tuple(_pattern_of(each) for each in types))


def _pattern_of(value: Any) -> Pattern:
    if isinstance(value, Scalar | ArrayPattern):
        return value
    found = type_of(taken(value)[0])
    if isinstance(found, Array):
        return ArrayPattern(found.element, found.ndim)
    return found if isinstance(found, Scalar) else None
