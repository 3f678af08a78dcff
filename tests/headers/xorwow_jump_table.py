# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Compute XORWOW's jump polynomials: `python xorwow_jump_table.py > .../include/warploom/curand/xorwow_jump.inc`.

XORWOW's five words step linearly over GF(2), v -> T v. With m the minimal polynomial of T (degree 160, found with
the Berlekamp-Massey algorithm from one bit of the sequence), T^n v = p(T) v for p = x^n mod m: five words a
jump instead of a matrix. A jump count is read in digits of base 16; the table holds p for every digit at every
place, first for steps, then for subsequences of 2^67 steps.
"""

from __future__ import annotations

DEGREE = 160
SUBSEQUENCE_BITS = 67


def xorshift_bits(count: int) -> list[int]:
    """The lowest bit of the newest word after each of `count` steps, from an arbitrary state."""
    v = [123456789, 362436069, 521288629, 88675123, 5783321]
    bits: list[int] = []
    for _ in range(count):
        t = v[0] ^ v[0] >> 2
        v = [*v[1:], (v[4] ^ v[4] << 4 ^ t ^ t << 1) & 0xFFFFFFFF]
        bits.append(v[4] & 1)
    return bits


def minimal_polynomial(bits: list[int]) -> int:
    """The reciprocal of the shortest connection polynomial that generates `bits`: bit i is the coefficient of x^i."""
    current, previous, length, gap = 1, 1, 0, 1
    window = 0
    for n, bit in enumerate(bits):
        window = window << 1 | bit
        if (current & window).bit_count() & 1 == 0:
            gap += 1
        elif 2 * length <= n:
            current, previous, length, gap = current ^ previous << gap, current, n + 1 - length, 1
        else:
            current, gap = current ^ previous << gap, gap + 1
    return int(f"{current:0{length + 1}b}"[::-1], 2)


def multiply(a: int, b: int, modulus: int) -> int:
    """a * b mod modulus, over GF(2)."""
    product = 0
    while b:
        if b & 1:
            product ^= a
        b >>= 1
        a <<= 1
        if a >> DEGREE:
            a ^= modulus
    return product


def digit_rows(base: int, modulus: int) -> list[int]:
    """base^(digit * 16^place), for digits 1 to 15 at places 0 to 15."""
    rows: list[int] = []
    for _ in range(16):
        power = 1
        for _ in range(15):
            power = multiply(power, base, modulus)
            rows.append(power)
        base = multiply(power, base, modulus)
    return rows


def table() -> list[int]:
    """All 480 polynomials."""
    modulus = minimal_polynomial(xorshift_bits(4 * DEGREE))
    if modulus.bit_length() != DEGREE + 1:
        raise ArithmeticError(f"the minimal polynomial has degree {modulus.bit_length() - 1}, not {DEGREE}")
    subsequence = 2
    for _ in range(SUBSEQUENCE_BITS):
        subsequence = multiply(subsequence, subsequence, modulus)
    return digit_rows(2, modulus) + digit_rows(subsequence, modulus)


def main() -> None:
    """Print the table as rows of a C array."""
    print("// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception")
    print("//")
    print("// Written by tests/headers/xorwow_jump_table.py, which says what the rows are.")
    for row in table():
        words = (row >> 32 * word & 0xFFFFFFFF for word in range(5))
        print("{" + ", ".join(f"0x{word:08x}u" for word in words) + "},")


if __name__ == "__main__":
    main()
