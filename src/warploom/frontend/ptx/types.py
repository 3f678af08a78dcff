# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The types that an instruction's name can end in, as C++ (include/warploom/ptx/registers.h) and in bits."""

from __future__ import annotations

INTEGERS = frozenset(("u16", "s16", "u32", "s32", "u64", "s64"))
WORDS = frozenset(("u32", "s32"))
BITS = frozenset(("b16", "b32", "b64"))
LONG_BITS = frozenset(("b32", "b64"))
FLOATS = frozenset(("f32", "f64"))
HALVES = frozenset(("f16", "f16x2", "bf16", "bf16x2"))
SCALAR_HALVES = frozenset(("f16", "bf16"))

# Type -> (C++, bits).
TYPES: dict[str, tuple[str, int]] = {
    **{f"{kind}{bits}": (f"{kind}{bits}", bits) for kind in "us" for bits in (8, 16, 32, 64)},
    **{f"b{bits}": (f"u{bits}", bits) for bits in (8, 16, 32, 64, 128)},
    "f16": ("__half", 16), "f16x2": ("__half2", 32), "bf16": ("__nv_bfloat16", 16), "bf16x2": ("__nv_bfloat162", 32),
    "f32": ("float", 32), "f64": ("double", 64), "tf32": ("u32", 32), "e4m3x2": ("u16", 16), "e5m2x2": ("u16", 16),
    "u16x2": ("u16x2", 32), "s16x2": ("s16x2", 32), "f32x2": ("float2", 64),
    "pred": ("bool", 1),
}  # fmt: skip
