# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Dot products within 32-bit numbers (CUDA's dp4a and dp2a, and of bfloat16): their names and their arithmetic.

    __warploom_dot4_us(a, b, c)      c + the sum of a's four bytes, unsigned, times b's, signed
    __warploom_dot2_su(a, b, c)      c + the sum of a's two halfwords, signed, times b's lower two bytes, unsigned
    __warploom_dot2_bf16(a, b, c)    fma(low a, low b, fma(high a, high b, c)) of bfloat16 and of a float c, as bits
    __warploom_v16_dot4_us           the same for 16 lanes

Whole numbers are modulo 2^32; in products of bfloat16 numbers below 2^-126 may count as 0. To passes they are calls
without effects; the backend defines them (backend/dot_products.py).
"""

from __future__ import annotations

import struct
from collections.abc import Callable

from warploom.core.patterns import regex
from warploom.core.records import dataclass
from warploom.ir.scalar import signed

_NAME = regex(r"__warploom_(?:v(?P<lanes>\d+)_)?(?:dot(?P<count>[24])_(?P<a>[us])(?P<b>[us])|dot2_bf16)")
_WORD, _BYTE = 32, 8
_UPPER = 0xFFFF0000


@dataclass(frozen=True)
class DotProduct:
    """`count` products a lane; `lanes` is 0 for a single number."""

    lanes: int
    count: int
    a_signed: bool
    b_signed: bool
    of_bfloats: bool = False

    def value(self, a: int, b: int, c: int) -> int:
        """What one lane gives, as unsigned bits."""
        if self.of_bfloats:
            return _of_bfloats(a, b, c)
        for number in range(self.count):
            left = _part(a, _WORD // self.count, number, self.a_signed)
            c += left * _part(b, _BYTE, number, self.b_signed)
        return c & ((1 << _WORD) - 1)


def dot_product(callee: str) -> DotProduct | None:
    """What a function's name says; None for one that is no dot product."""
    found = _NAME.fullmatch(callee) if callee.startswith("__warploom_") else None
    if found is None:
        return None
    lanes = int(found["lanes"] or 0)
    if found["count"] is None:
        return DotProduct(lanes, 2, a_signed=True, b_signed=True, of_bfloats=True)
    return DotProduct(lanes, int(found["count"]), found["a"] == "s", found["b"] == "s")


def vector_dot(callee: str, lanes: int) -> str | None:
    """The name for `lanes` lanes of a dot product; None for one that is none."""
    if dot_product(callee) is None:
        return None
    return callee.replace("__warploom_", f"__warploom_v{lanes}_")


def evaluator(callee: str) -> Callable[..., object] | None:
    """The function in Python, on numbers or on tuples of them; None for a callee that is no dot product."""
    dot = dot_product(callee)
    if dot is None:
        return None
    if not dot.lanes:
        return dot.value
    return lambda *vectors: tuple(dot.value(*each) for each in zip(*vectors, strict=True))


def _of_bfloats(a: int, b: int, c: int) -> int:
    from warploom.ir.libm import mathematics_for  # of interpreters alone

    fma, total = mathematics_for("fma", "float"), _float(c)
    for shift in (0, 16):
        total = fma(_float(a << shift & _UPPER), _float(b << shift & _UPPER), total)
    return int.from_bytes(struct.pack("<f", total), "little")


def _float(bits: int) -> float:
    return struct.unpack("<f", bits.to_bytes(4, "little"))[0]


def _part(word: int, width: int, number: int, is_signed: bool) -> int:
    """Byte or halfword `number` of a word."""
    part = word >> width * number & ((1 << width) - 1)
    return signed(part, width) if is_signed else part
