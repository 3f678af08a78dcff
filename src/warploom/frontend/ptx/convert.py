# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""cvt, between every two types that PTX converts."""

from __future__ import annotations

import re

from warploom.frontend.ptx.emitter import Emitter, expect
from warploom.frontend.ptx.syntax import Instruction, PtxError
from warploom.frontend.ptx.types import FLOATS, SCALAR_HALVES, TYPES

_NUMBERS = frozenset(name for name in TYPES if name[0] in "us" and name[1:].isdigit()) | FLOATS | SCALAR_HALVES
_ROUNDINGS = {"rn": "rn", "rz": "rz", "rm": "rm", "rp": "rp", "rna": "rna"}
_INTEGRAL = {f"{name}i": name for name in ("rn", "rz", "rm", "rp")}
_FP8 = {"e4m3x2": "__NV_E4M3", "e5m2x2": "__NV_E5M2"}


def _cvt(emitter: Emitter, instruction: Instruction, rest: list[str]) -> str:
    types = [part for part in rest if part in TYPES]
    modifiers = {part for part in rest if part not in TYPES}
    unknown = modifiers - _ROUNDINGS.keys() - _INTEGRAL.keys() - {"ftz", "sat", "relu", "satfinite"}
    if unknown or len(types) != 2:
        raise PtxError(f"cvt with .{min(unknown)} is not supported" if unknown else "cvt takes two types")
    target, source = types
    rounding = next((_ROUNDINGS.get(part) or _INTEGRAL.get(part) for part in modifiers if part[0] == "r"
                     and part != "relu"), None)  # fmt: skip
    relu = str("relu" in modifiers).lower()
    if target in ("f16x2", "bf16x2") and source == "f32":
        return _pair(emitter, instruction, target, f"cvt_pair<{rounding or 'rn'}, {relu}, {TYPES[target][0]}>", "f32")
    if target in _FP8 and source in ("f32", "f16x2"):
        return _to_fp8(emitter, instruction, target, source, relu)
    if target == "f16x2" and source in _FP8:
        expect(instruction, 2)
        value = emitter.value(instruction.operands[1], source)
        return emitter.assign(instruction.operands[0], target, f"cvt_from_fp8<{_FP8[source]}, {relu}>({value})")
    expect(instruction, 2)
    if target == "tf32" and source == "f32":
        code = f"cvt_tf32<{rounding or 'rn'}, {relu}>({emitter.value(instruction.operands[1], 'f32')})"
        return emitter.assign(instruction.operands[0], "b32", code)
    if target not in _NUMBERS or source not in _NUMBERS:
        raise PtxError(f"cvt.{target}.{source} is not supported")
    _check_rounding(target, source, rounding)
    integral = str(bool(modifiers & _INTEGRAL.keys()) and target[0] not in "us").lower()
    flags = [str(part in modifiers).lower() for part in ("ftz", "sat", "relu")]
    value = emitter.value(instruction.operands[1], source, may_be_wider=True)
    code = f"cvt<{rounding or 'rn'}, {integral}, {', '.join(flags)}, {TYPES[target][0]}>({value})"
    return emitter.assign(instruction.operands[0], target, code, may_be_wider=True)


def _check_rounding(target: str, source: str, rounding: str | None) -> None:
    to_integer, from_integer = target[0] in "us", source[0] in "us"
    inexact = to_integer != from_integer or (not to_integer and TYPES[target][1] < TYPES[source][1])
    if inexact and rounding is None:
        raise PtxError(f"cvt.{target}.{source} needs a rounding modifier")


def _pair(emitter: Emitter, instruction: Instruction, target: str, function: str, source: str) -> str:
    expect(instruction, 3)
    a, b = (emitter.value(operand, source) for operand in instruction.operands[1:])
    return emitter.assign(instruction.operands[0], target, f"{function}({a}, {b})")


def _to_fp8(emitter: Emitter, instruction: Instruction, target: str, source: str, relu: str) -> str:
    function = f"cvt_to_fp8<{_FP8[target]}, {relu}>"
    if source == "f32":
        return _pair(emitter, instruction, target, function, source)
    expect(instruction, 2)
    name = emitter.temporary()
    value = emitter.value(instruction.operands[1], source)
    code = emitter.assign(instruction.operands[0], target, f"{function}({name}.y, {name}.x)")
    return f"const __half2 {name} = {value}; {code}"


def _pack(emitter: Emitter, instruction: Instruction, rest: list[str]) -> str:
    """cvt.pack.sat.N.s32{.b32} d, a, b{, c}: a and b clamped into the lower lanes of d, c shifted above them."""
    expect(instruction, 3, 4)
    lane = re.fullmatch(r"([us])(2|4|8|16)", rest[1]) if len(rest) in (3, 4) else None
    if lane is None or rest[0] != "sat" or rest[2] != "s32":
        raise PtxError("cvt.pack takes .sat, a type of 2, 4, 8 or 16 bits and .s32")
    bits = int(lane[2])
    least, most = (-(1 << bits - 1), (1 << bits - 1) - 1) if lane[1] == "s" else (0, (1 << bits) - 1)
    a, b = (emitter.value(operand, "s32") for operand in instruction.operands[1:3])
    upper = emitter.value(instruction.operands[3], "b32") if len(instruction.operands) == 4 else "0u"
    lanes = [f"clamped_bits<{least}, {most}, {(1 << bits) - 1}u>({value})" for value in (a, b)]
    code = f"u32(u64({upper}) << {2 * bits}) | {lanes[0]} << {bits} | {lanes[1]}"
    return emitter.assign(instruction.operands[0], "b32", f"({code})")


INSTRUCTIONS = {"cvt": _cvt, "cvt.pack": _pack}
