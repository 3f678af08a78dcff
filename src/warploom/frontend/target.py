# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What a processor's features, as clang attaches them to functions, say of its vectors."""

from __future__ import annotations

# The widest that has what masked code needs: AVX-512 of servers (with masks for bytes and 256 bits too), AVX2.
_WIDTHS = ((512, ("+avx512f", "+avx512vl", "+avx512bw", "+avx512dq")), (256, ("+avx2",)))
NARROWEST = 128


def vector_bits(features: str) -> int:
    """The bits of a vector register for "target-features" such as `+avx2,+fma`."""
    have = set(features.split(","))
    return next((bits for bits, needed in _WIDTHS if have.issuperset(needed)), NARROWEST)


def branches_in_gathers(features: str, cpu: str) -> bool:
    """Whether LLVM takes a gather under a mask apart into a branch for each element; `cpu`: what it tunes for.

    It uses gathers of AVX-512, and those of AVX2 where it knows that they are fast: not by the names of feature levels.
    """
    bits = vector_bits(features)
    slow = not cpu or cpu.startswith(("x86-64", "generic", "haswell", "broadwell", "znver"))
    return bits < 256 or (bits == 256 and slow)
