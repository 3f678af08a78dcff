# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Functions of the runtime's library from a table of what they give and take, and constants from its headers."""

from __future__ import annotations

import ctypes
import re
from collections.abc import Callable
from enum import IntEnum
from functools import cache
from pathlib import Path
from typing import Any

from warploom.api.runtime import runtime

_INCLUDE = Path(__file__).parents[2] / "include"
# The letters of a table: numbers of 32 bits, an address or handle, a size, a number of 64 bits, a float, text.
_TYPES: dict[str, Any] = {
    "i": ctypes.c_int,
    "u": ctypes.c_uint,
    "p": ctypes.c_void_p,
    "z": ctypes.c_size_t,
    "q": ctypes.c_ulonglong,
    "f": ctypes.c_float,
    "s": ctypes.c_char_p,
}
_CONSTANT = re.compile(r"^\s*((?:CU_|CUDA_|cuda|NVRTC_)\w+) = (-?(?:0x[0-9a-fA-F]+|\d+))", re.MULTILINE)
_FOLDERS = ("*.h", "warploom/*.h", "warploom/api/*.h")


class Handle(int):
    """A handle or an address: `int(handle)` is its number. `CUstream(0)` is one."""

    def getPtr(self) -> int:  # noqa: N802 - as cuda.bindings has it
        """The address of a place that holds it."""
        self._place = ctypes.c_void_p(int(self))
        return ctypes.addressof(self._place)


def make(
    symbol: str, takes: str, gives: str, status: Callable[[int], Any], *, gives_last: bool = False
) -> Callable[..., Any]:
    """A function from its row: what it gives comes before what it takes in C (behind it in NVRTC), as addresses."""

    def function(*given: Any) -> tuple[Any, ...]:
        if len(given) != len(takes):
            raise TypeError(f"{symbol} takes {len(takes)} arguments, not {len(given)}")
        results = [_TYPES[letter]() for letter in gives]
        arguments = [_argument(letter, value) for letter, value in zip(takes, given, strict=True)]
        places = [ctypes.byref(each) for each in results]
        code = status(_own(symbol)(*(arguments + places if gives_last else places + arguments)))
        if int(code) != 0:
            return (code, *(None for _ in results))
        return code, *(_result(letter, value) for letter, value in zip(gives, results, strict=True))

    function.__name__ = symbol
    return function


@cache
def _own(symbol: str) -> Callable[..., int]:
    """The library's function: of two versions the newer one."""
    for name in (f"{symbol}_v2", symbol):
        try:
            return runtime().function(name)
        except AttributeError:
            continue
    raise AttributeError(f"the runtime has no {symbol}")


def _argument(letter: str, value: Any) -> Any:
    if letter == "s":
        return ctypes.c_char_p(value)
    if letter == "f":
        return ctypes.c_float(value)
    if letter == "p":
        return ctypes.c_void_p(address_of(value))
    return _TYPES[letter](int(value))


def address_of(value: Any) -> int:
    """The address that an argument names: a number or handle, bytes, or an object that shows its memory."""
    if value is None:
        return 0
    if hasattr(value, "__cuda_stream__"):
        return int(value.__cuda_stream__()[1])
    if hasattr(value, "ctypes"):
        return int(value.ctypes.data)
    if isinstance(value, bytes):
        return ctypes.cast(ctypes.c_char_p(value), ctypes.c_void_p).value or 0
    if hasattr(value, "__array_interface__"):
        return int(value.__array_interface__["data"][0])
    try:
        return int(value)
    except TypeError:
        return ctypes.addressof((ctypes.c_char * len(value)).from_buffer(value))


def _result(letter: str, value: Any) -> Any:
    return Handle(value.value or 0) if letter == "p" else value.value


@cache
def constants() -> dict[str, int]:
    """The constants of the headers, by name."""
    files = (path for pattern in _FOLDERS for path in sorted(_INCLUDE.glob(pattern)))
    return {name: int(number, 0) for path in files for name, number in _CONSTANT.findall(path.read_text())}


class Constants:
    """An enumeration: constants of the headers by name, and a number as itself."""

    def __init__(self, more: dict[str, int] | None = None) -> None:
        self._more = more or {}

    def __call__(self, value: int) -> int:
        return int(value)

    def __getattr__(self, name: str) -> int:
        found = self._more.get(name, constants().get(name))
        if found is None:
            raise AttributeError(f"there is no constant '{name}'")
        return found


def errors(table: str, macro: str, prefix: str, success: str, name: str) -> Any:
    """The enumeration of an error table of the headers."""
    text = (_INCLUDE / "warploom" / table).read_text()
    rows = re.findall(rf"^{macro}\((\w+), (\d+)", text, re.MULTILINE)
    return IntEnum(name, {success: 0, **{f"{prefix}{each}": int(number) for each, number in rows}})


def table_of(text: str, status: Callable[[int], Any], *, gives_last: bool = False) -> dict[str, Callable[..., Any]]:
    """The functions of a table, a row each: its name, what it takes, what it gives; `-` for nothing."""
    rows = (line.split() for line in text.strip().splitlines())
    return {
        name: make(name, takes.strip("-"), gives.strip("-"), status, gives_last=gives_last)
        for name, takes, gives in rows
    }
