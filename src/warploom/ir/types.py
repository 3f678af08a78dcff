# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Types of IR values: LLVM's own spelling, as plain strings.

`i1 i32 i64 half bfloat float double ptr`, vectors `<4 x float>`, arrays `[3 x i32]`, literal structs `{ i32, i1 }`.
Named structs do not occur: the importer spells them out.
"""

from __future__ import annotations

import math
import struct
from functools import cache

FLOAT_BITS = {"half": 16, "bfloat": 16, "float": 32, "double": 64}
POINTER_BYTES = 8


@cache
def is_int(type_: str) -> bool:
    """Whether `type_` is iN."""
    return type_[0] == "i" and type_[1:].isdigit()


def is_float(type_: str) -> bool:
    """Whether `type_` is a scalar floating-point type."""
    return type_ in FLOAT_BITS


@cache
def bits(type_: str) -> int:
    """Width of a scalar in bits."""
    if type_ == "ptr":
        return 8 * POINTER_BYTES
    return FLOAT_BITS[type_] if type_ in FLOAT_BITS else int(type_[1:])


@cache
def is_vector(type_: str) -> bool:
    """Whether `type_` is a vector of fixed length."""
    return type_[0] == "<" and not type_.startswith("<{")


@cache
def is_aggregate(type_: str) -> bool:
    """Whether `type_` is an array or a struct."""
    return type_[0] in "[{" or type_.startswith("<{")


@cache
def elements(type_: str) -> tuple[str, ...]:
    """The element types of a vector, array or struct, in order."""
    if is_vector(type_) or type_[0] == "[":
        count, _, element = type_[1:-1].strip().partition(" x ")
        return (element.strip(),) * int(count)
    packed = type_.startswith("<{")
    inner = type_[2:-2] if packed else type_[1:-1]
    return tuple(members_of_text(inner))


@cache
def vector(element: str, lanes: int) -> str:
    """The vector type of `lanes` elements of the scalar type `element`."""
    assert lanes > 0, f"a vector of {lanes}"
    assert not is_vector(element), element
    assert not is_aggregate(element), element
    return f"<{lanes} x {element}>"


@cache
def lanes_of(type_: str) -> int | None:
    """How many elements a vector type has; None for any other type."""
    return len(elements(type_)) if is_vector(type_) else None


@cache
def element_of(type_: str) -> str:
    """The element type of a vector; any other type itself."""
    return elements(type_)[0] if is_vector(type_) else type_


def members_of_text(text: str) -> list[str]:
    """The parts of a list in LLVM's text, between the commas that stand in no bracket."""
    parts: list[str] = []
    depth, start = 0, 0
    for position, character in enumerate(text):
        if character in "<[{(":
            depth += 1
        elif character in ">]})":
            depth -= 1
        elif character == "," and depth == 0:
            parts.append(text[start:position].strip())
            start = position + 1
    last = text[start:].strip()
    return [*parts, last] if last else parts


@cache
def align_of(type_: str) -> int:
    """Natural alignment in memory, bytes (x86-64, AArch64 and RISC-V agree on these)."""
    if is_vector(type_):
        return _power_of_two(size_of(type_))
    if type_[0] == "[":
        inner = elements(type_)
        return align_of(inner[0]) if inner else 1
    if is_aggregate(type_):
        return 1 if type_.startswith("<{") else max((align_of(each) for each in elements(type_)), default=1)
    return min(16, _power_of_two((bits(type_) + 7) // 8))


@cache
def may_hold_address(type_: str) -> bool:
    """Whether a pointer can come along in a value of `type_`: as it is, as a number, or in a part."""
    return not is_float(type_) and size_of(type_) >= POINTER_BYTES


@cache
def size_of(type_: str) -> int:
    """Bytes from one array element of `type_` to the next."""
    if is_vector(type_):
        inner = elements(type_)
        return _power_of_two((len(inner) * bits(inner[0]) + 7) // 8)
    if type_[0] == "[":
        inner = elements(type_)
        return len(inner) * size_of(inner[0]) if inner else 0
    if is_aggregate(type_):
        offset = 0
        for each in elements(type_):
            step = 1 if type_.startswith("<{") else align_of(each)
            offset = -(-offset // step) * step + size_of(each)
        step = align_of(type_)
        return -(-offset // step) * step
    step = align_of(type_)
    return -(-((bits(type_) + 7) // 8) // step) * step


def _power_of_two(number: int) -> int:
    return 1 << max(number - 1, 0).bit_length()


def float_value(type_: str, pattern: int) -> float:
    """The number that the IEEE bits `pattern` mean in the floating-point type `type_`."""
    if type_ == "bfloat":
        return float_value("float", pattern << 16)
    width, code = _FLOAT_CODES[type_]
    return struct.unpack(code, pattern.to_bytes(width, "little"))[0]


def float_bits(type_: str, value: float) -> int:
    """The IEEE bits of `value` rounded to `type_`, to nearest, ties to even; too large a number becomes infinity."""
    if type_ == "bfloat":
        pattern = float_bits("float", value)
        return pattern >> 16 if value != value else (pattern + 0x7FFF + (pattern >> 16 & 1)) >> 16
    _, code = _FLOAT_CODES[type_]
    try:
        return int.from_bytes(struct.pack(code, value), "little")
    except OverflowError:
        return int.from_bytes(struct.pack(code, math.copysign(math.inf, value)), "little")


_FLOAT_CODES = {"half": (2, "<e"), "float": (4, "<f"), "double": (8, "<d")}
