# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Integer division that is defined for every divisor, as on a GPU: its names in LLVM modules and its arithmetic.

    __warploom_sdiv_i32(a, b)    a / b; all bits set for b = 0; the lowest number for the lowest number / -1
    __warploom_srem_i32(a, b)    a % b; all bits set for b = 0; 0 for b = -1
    __warploom_sdiv_i64(a, b)    the same, but for b = 0 only the lower 32 bits are set where a has no others: there
                                 nvcc's code divides numbers of 32 bits (measured on an H200; with -G it does not)

LLVM's own `sdiv` is undefined there, and LLVM concludes from a division that its divisor is no zero. A call tells it
nothing. The importer makes the ops `sdiv`, `udiv`, `srem` and `urem` of such calls, which mean the same; calls that are
left are replaced by guarded divisions before LLVM optimises (backend/gpu_arithmetic.py).
"""

from __future__ import annotations

from warploom.core.patterns import regex

BYPASSED = 64  # bits of numbers that nvcc's code divides as shorter ones where it can
_NAME = regex(r"__warploom_([su](?:div|rem))_i(\d+)")


def division_name(op: str, bits: int) -> str:
    """The function that stands for LLVM's division `op` of integers of `bits` bits."""
    return f"__warploom_{op}_i{bits}"


def division(callee: str) -> tuple[str, int] | None:
    """LLVM's name of a division and its width in bits; None for a function that is none."""
    found = _NAME.fullmatch(callee)
    return (found[1], int(found[2])) if found else None


def is_safe(op: str, divisor: int, bits: int) -> bool:
    """Whether LLVM defines division `op` by this number (as unsigned bits) for every dividend."""
    return divisor != 0 and (op[0] == "u" or divisor != (1 << bits) - 1)


def by_zero(a: int, width: int) -> int:
    """What any division of `a` (as unsigned bits) by 0 gives."""
    return (1 << (width // 2 if width == BYPASSED and a >> width // 2 == 0 else width)) - 1


def unsigned_divide(a: int, b: int, width: int) -> int:
    """udiv."""
    return a // b if b else by_zero(a, width)


def unsigned_remainder(a: int, b: int, width: int) -> int:
    """urem."""
    return a % b if b else by_zero(a, width)


def signed_divide(a: int, b: int, width: int) -> int:
    """sdiv: rounds towards zero."""
    mask = (1 << width) - 1
    if b == 0:
        return by_zero(a, width)
    x, y = _signed(a, width), _signed(b, width)
    quotient = abs(x) // abs(y)
    return (quotient if (x < 0) == (y < 0) else -quotient) & mask


def signed_remainder(a: int, b: int, width: int) -> int:
    """srem: the sign of the dividend."""
    mask = (1 << width) - 1
    if b == 0:
        return by_zero(a, width)
    x, y = _signed(a, width), _signed(b, width)
    remainder = abs(x) % abs(y)
    return (-remainder if x < 0 else remainder) & mask


def _signed(value: int, width: int) -> int:
    sign = 1 << (width - 1)
    return (value ^ sign) - sign
