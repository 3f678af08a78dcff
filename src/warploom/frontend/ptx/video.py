# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The video instructions: vadd, vabsdiff4, vshr and their siblings."""

from __future__ import annotations

from warploom.frontend.ptx.emitter import Emitter, expect, part_of
from warploom.frontend.ptx.syntax import Instruction, Operand, PtxError

_SCALAR = ("vadd", "vsub", "vabsdiff", "vmin", "vmax")
_SHIFTS = ("vshl", "vshr")
_LANES = ("vadd", "vsub", "vabsdiff", "vmin", "vmax", "vavrg")


def _types(rest: list[str], count: int) -> tuple[list[str], list[str]]:
    types, others = rest[:count], rest[count:]
    if len(types) != count or not set(types) <= {"u32", "s32"}:
        raise PtxError("a video instruction takes types .u32 and .s32")
    return types, others


def _part(emitter: Emitter, operand: Operand, type_: str) -> str:
    register, selected = part_of(operand)
    signed = str(type_ == "s32").lower()
    value = emitter.value(register, "b32")
    if not selected:
        return f"part<{signed}>({value}, 0, 32)"
    bits = 8 if selected[0] == "b" else 16
    index = int(selected[1:])
    if index >= 32 // bits:
        raise PtxError(f"there is no part .{selected}")
    return f"part<{signed}>({value}, {index * bits}, {bits})"


def _scalar(emitter: Emitter, instruction: Instruction, rest: list[str]) -> str:
    """d = a op b, then with a third operand d = c op2 that."""
    types, others = _types(rest, 3)
    name = instruction.parts[0]
    mode = next((part for part in others if part in ("wrap", "clamp")), "")
    if bool(mode) != (name in _SHIFTS) or (instruction.operands and part_of(instruction.operands[0])[1]):
        raise PtxError("this form is not supported")
    second = next((part for part in others if part in ("add", "min", "max")), "")
    if set(others) - {"sat", mode, second}:
        raise PtxError("this form is not supported")
    expect(instruction, 4 if second else 3)
    how = f"{name}_{mode}" if mode else name
    a, b = (_part(emitter, operand, type_) for operand, type_ in zip(instruction.operands[1:3], types[1:], strict=True))
    signed, saturate = str(types[0] == "s32").lower(), str("sat" in others).lower()
    value = f"video_fit<{signed}, {saturate}>(video_result<{how}>({a}, {b}), 32)"
    if second:
        type_ = types[0]
        third = emitter.value(instruction.operands[3], type_)
        value = {"add": f"integer_add<false>({type_}({value}), {third})"}.get(
            second, f"integer_{second}({type_}({value}), {third})"
        )
    return emitter.assign(instruction.operands[0], types[0], value)


def _selector(operand: Operand, lanes: int, default: str) -> tuple[Operand, str]:
    register, selected = part_of(operand)
    digits = selected[1:] or default
    if len(digits) != lanes or (selected and selected[0] != ("b" if lanes == 4 else "h")):
        raise PtxError(f"there is no part .{selected}")
    return register, f"0x{digits}"


def _lanes(emitter: Emitter, instruction: Instruction, rest: list[str]) -> str:
    types, others = _types(rest, 3)
    name, lanes = instruction.parts[0][:-1], int(instruction.parts[0][-1])
    if set(others) - {"sat", "add"}:
        raise PtxError("this form is not supported")
    expect(instruction, 4)
    target, mask = part_of(instruction.operands[0])
    letters = {4: "b3210", 2: "h10"}[lanes]
    written = sum(1 << int(digit) for digit in (mask or letters)[1:])
    a, a_lanes = _selector(instruction.operands[1], lanes, letters[1:])
    b, b_lanes = _selector(instruction.operands[2], lanes, {4: "7654", 2: "32"}[lanes])
    c = emitter.value(instruction.operands[3], "b32")
    flags = [str(flag).lower() for flag in (*(t == "s32" for t in types), "sat" in others, "add" in others)]
    operands = ", ".join((emitter.value(a, "b32"), emitter.value(b, "b32"), c, a_lanes, b_lanes, str(written)))
    code = f"video_lanes<{name}, {', '.join(flags)}, {32 // lanes}>({operands})"
    return emitter.assign(target, "b32", code)


INSTRUCTIONS = {
    **dict.fromkeys((*_SCALAR, *_SHIFTS), _scalar),
    **{f"{name}{lanes}": _lanes for name in _LANES for lanes in (2, 4)},
}
