# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""mov, comparisons, lop3 and the dot products: instructions whose name holds more than types."""

from __future__ import annotations

from warploom.frontend.ptx.emitter import Emitter, expect, integer
from warploom.frontend.ptx.syntax import Instruction, PtxError, Sink, Vector
from warploom.frontend.ptx.types import TYPES

_COMPARISONS = {
    **{name: name for name in ("eq", "ne", "lt", "le", "gt", "ge", "equ", "neu", "ltu", "leu", "gtu", "geu")},
    "num": "num", "nan": "nan", "lo": "lt", "ls": "le", "hi": "gt", "hs": "ge",
}  # fmt: skip
_COMBINATIONS = {"and": "with_and", "or": "with_or", "xor": "with_xor"}


def _mov(emitter: Emitter, instruction: Instruction, rest: list[str]) -> str:
    expect(instruction, 2)
    target, source = instruction.operands
    if len(rest) != 1 or rest[0] not in TYPES:
        raise PtxError("mov takes one type")
    type_ = rest[0]
    if isinstance(target, Vector) and isinstance(source, Vector):
        raise PtxError("mov between two vectors")
    # A special register of 64 bits is read by mov.u32 as its lower half, as CUDA's own clock() does.
    bits = TYPES[type_][1]
    name = type_ if type_ == "pred" else f"b{bits}"
    return emitter.assign(target, name, emitter.value(source, name))


def _comparison(rest: list[str]) -> tuple[str, str, list[str], list[str]]:
    """The comparison, the combination with a third operand, the types, and what is left."""
    if not rest or rest[0] not in _COMPARISONS:
        raise PtxError("the comparison is not known")
    how = _COMPARISONS[rest[0]]
    types = [part for part in rest[1:] if part in TYPES]
    others = [part for part in rest[1:] if part not in TYPES]
    combination = next((_COMBINATIONS[part] for part in others if part in _COMBINATIONS), "alone")
    others = [part for part in others if part not in _COMBINATIONS and part != "ftz"]
    if others:
        raise PtxError(f"the modifier .{others[0]} is not supported")
    return how, combination, types, rest


def _third(emitter: Emitter, instruction: Instruction, combination: str) -> str:
    expect(instruction, 3 if combination == "alone" else 4)
    return "true" if combination == "alone" else emitter.predicate(instruction.operands[3])


def _setp(emitter: Emitter, instruction: Instruction, rest: list[str]) -> str:
    how, combination, types, _ = _comparison(rest)
    if len(types) != 1 or types[0].endswith("x2"):
        raise PtxError("setp takes one scalar type")
    third = _third(emitter, instruction, combination)
    a, b = (emitter.value(operand, types[0]) for operand in instruction.operands[1:3])
    name = emitter.temporary()
    flush = str("ftz" in rest).lower()
    code = [f"const bool {name} = compare<{how}, {flush}>({a}, {b}), {name}_c = {third};"]
    first, second = emitter.pair(instruction.operands[0])
    code.append(emitter.assign(first, "pred", f"combine<{combination}>({name}, {name}_c)"))
    if not isinstance(second, Sink):
        code.append(emitter.assign(second, "pred", f"combine<{combination}>(!{name}, {name}_c)"))
    return " ".join(code)


def _set(emitter: Emitter, instruction: Instruction, rest: list[str]) -> str:
    how, combination, types, _ = _comparison(rest)
    if len(types) != 2 or types[0] not in ("u32", "s32", "f32", "f16", "bf16") or types[1].endswith("x2"):
        raise PtxError("these types are not supported")
    third = _third(emitter, instruction, combination)
    a, b = (emitter.value(operand, types[1]) for operand in instruction.operands[1:3])
    test = f"combine<{combination}>(compare<{how}, {str('ftz' in rest).lower()}>({a}, {b}), {third})"
    return emitter.assign(instruction.operands[0], types[0], f"truth<{TYPES[types[0]][0]}>({test})")


def _lop3(emitter: Emitter, instruction: Instruction, rest: list[str]) -> str:
    if rest == ["b32"]:
        expect(instruction, 5)
        target = instruction.operands[0]
        a, b, c = (emitter.value(operand, "b32") for operand in instruction.operands[1:4])
        table = integer(instruction.operands[4])
        return emitter.assign(target, "b32", f"lop3<{table & 255}>({a}, {b}, {c})")
    if len(rest) == 2 and rest[0] in ("and", "or") and rest[1] == "b32":
        expect(instruction, 6)
        first, second = emitter.pair(instruction.operands[0], optional=False)
        a, b, c = (emitter.value(operand, "b32") for operand in instruction.operands[1:4])
        name, table = emitter.temporary(), integer(instruction.operands[4])
        third = emitter.predicate(instruction.operands[5])
        return " ".join((
            f"const u32 {name} = lop3<{table & 255}>({a}, {b}, {c}); const bool {name}_q = {third};",
            emitter.assign(first, "b32", name),
            emitter.assign(second, "pred", f"combine<with_{rest[0]}>({name} != 0, {name}_q)"),
        ))  # fmt: skip
    raise PtxError("lop3 is .b32")


def _dot(emitter: Emitter, instruction: Instruction, rest: list[str]) -> str:
    expect(instruction, 4)
    half = rest[0] if instruction.parts[0] == "dp2a" else ""
    types = rest[1:] if half else rest
    if len(types) != 2 or not set(types) <= {"u32", "s32"} or half not in ("", "lo", "hi"):
        raise PtxError("dp4a and dp2a take two of .u32 and .s32")
    a, b, c = (emitter.value(operand, "b32") for operand in instruction.operands[1:])
    letters = [name[0] for name in types]
    if half:
        code = f"dp2a<{letters[0]}16, {letters[1]}8>({a}, {b}, {c}, {0 if half == 'lo' else 2})"
    else:
        code = f"dp4a<{letters[0]}8, {letters[1]}8>({a}, {b}, {c})"
    return emitter.assign(instruction.operands[0], "b32", code)


def _bra(_: Emitter, instruction: Instruction, rest: list[str]) -> str:
    if set(rest) - {"uni"} or len(instruction.operands) != 1:
        raise PtxError("bra takes one label")
    name = str(getattr(instruction.operands[0], "text", ""))
    if not name:
        raise PtxError("bra takes a label")
    return "goto L_" + "".join(letter if letter.isalnum() else f"_{ord(letter):x}_" for letter in name) + ";"


INSTRUCTIONS = {
    "mov": _mov, "setp": _setp, "set": _set, "lop3": _lop3, "dp4a": _dot, "dp2a": _dot, "bra": _bra,
}  # fmt: skip
