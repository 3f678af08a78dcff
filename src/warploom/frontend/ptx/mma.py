# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""mma in every documented shape (include/warploom/ptx/mma.h says which lane holds what).

mma.sync.aligned.SHAPE.LAYOUT_A.LAYOUT_B{.satfinite}.D.A.B.C{.OP.popc} d, a, b, c;
mma.sp{::ordered_metadata}.sync.aligned.SHAPE.row.col{.satfinite}.D.A.B.C d, a, b, c, places, selector;
"""

from __future__ import annotations

import re

from warploom.frontend.ptx.emitter import HERE, Emitter, expect, registers
from warploom.frontend.ptx.syntax import Instruction, Operand, PtxError

# Whole numbers as the C++ calls them, and whether they have a sign.
_INTEGERS = {
    "s8": ("bytes", "true"), "u8": ("bytes", "false"), "s4": ("four_bits", "true"), "u4": ("four_bits", "false"),
}  # fmt: skip
_FLOATS = {
    "f16": "small_element<__half>", "bf16": "bfloat16_element", "tf32": "tf32_element",
    "f64": "double_element", "e4m3": "e4m3_element", "e5m2": "e5m2_element",
}  # fmt: skip
_BITS = {"f64": 64, "tf32": 32, "f16": 16, "bf16": 16, "b1": 1, "s4": 4, "u4": 4}  # of an element; of others 8
# The types that a factor may have beside another of its kind, the shapes of the kind and its results.
_KINDS = [
    ({"f16"}, {"m8n8k4", "m16n8k8", "m16n8k16"}, {"f16", "f32"}),
    ({"bf16"}, {"m16n8k8", "m16n8k16"}, {"f32"}),
    ({"tf32"}, {"m16n8k4", "m16n8k8"}, {"f32"}),
    ({"e4m3", "e5m2"}, {"m16n8k16", "m16n8k32"}, {"f16", "f32"}),
    ({"f64"}, {"m8n8k4", "m16n8k4", "m16n8k8", "m16n8k16"}, {"f64"}),
    ({"s8", "u8"}, {"m8n8k16", "m16n8k16", "m16n8k32"}, {"s32"}),
    ({"s4", "u4"}, {"m8n8k32", "m16n8k32", "m16n8k64"}, {"s32"}),
    ({"b1"}, {"m8n8k128", "m16n8k128", "m16n8k256"}, {"s32"}),
]
# The same where two of four elements of a are there.
_SPARSE = [
    ({"f16"}, {"m16n8k16", "m16n8k32"}, {"f16", "f32"}),
    ({"bf16"}, {"m16n8k16", "m16n8k32"}, {"f32"}),
    ({"tf32"}, {"m16n8k8", "m16n8k16"}, {"f32"}),
    ({"e4m3", "e5m2"}, {"m16n8k64"}, {"f16", "f32"}),
    ({"s8", "u8"}, {"m16n8k32", "m16n8k64"}, {"s32"}),
    ({"s4", "u4"}, {"m16n8k64", "m16n8k128"}, {"s32"}),
]
_CPP = {"f16": "float", "f32": "float", "f64": "double", "s32": "s32"}


def _mma(emitter: Emitter, instruction: Instruction, rest: list[str]) -> str:
    is_sparse = bool(rest) and rest[0] in ("sp", "sp::ordered_metadata")
    rest = rest[is_sparse:]
    unknown = next((part for part in rest if part.startswith(("kind::", "scale_vec::")) or part == "block_scale"), "")
    if unknown:
        raise PtxError(f"the modifier .{unknown} is not supported")
    expect(instruction, 6 if is_sparse else 4)
    words = [part for part in rest if part not in ("sync", "aligned", "satfinite")]
    form = re.fullmatch(r"(m\d+n8k\d+)((?:\.(?:row|col)){2})((?:\.\w+){4})((?:\.(?:and|xor)\.popc)?)", ".".join(words))
    if not form or rest[:2] != ["sync", "aligned"]:
        raise PtxError("mma is .sync.aligned, a shape, two layouts and four types")
    shape, (result, a, b, c), layouts = form[1], form[3][1:].split("."), form[2]
    kinds = _SPARSE if is_sparse else _KINDS
    _check(kinds, shape, (result, a, b, c), is_saturated="satfinite" in rest, operation=form[4])
    if a == "f16" and shape == "m8n8k4":
        return _quads(emitter, instruction, layouts, result, c)
    if layouts != ".row.col":
        raise PtxError(f"mma.{shape} has a by rows and b by columns")
    return _multiply(emitter, instruction, shape, (result, a, b), form[4], "satfinite" in rest, is_sparse=is_sparse)


def _check(
    kinds: list[tuple[set[str], set[str], set[str]]],
    shape: str,
    types: tuple[str, ...],
    *,
    is_saturated: bool,
    operation: str,
) -> None:
    """A PtxError unless there is such a product."""
    result, a, b, c = types
    found = next((kind for kind in kinds if {a, b} <= kind[0]), None)
    if found is None:
        raise PtxError(f"products of .{a} and .{b} are not supported")
    _, shapes, results = found
    if shape not in shapes:
        raise PtxError(f"products of .{a} and .{b} have the shapes {', '.join(sorted(shapes, key=_size))}")
    is_mixed = shape == "m8n8k4" and (result, c) == ("f32", "f16")
    if not {result, c} <= results or (result != c and not is_mixed):
        raise PtxError(f"products of .{a} and .{b} plus .{c} are no .{result}")
    if bool(operation) != (a == "b1"):
        raise PtxError("of .b1, and of nothing else, products are .xor.popc or .and.popc")
    if is_saturated and (result != "s32" or a == "b1"):
        raise PtxError("of .satfinite there are products of bytes and of 4-bit integers")


def _size(shape: str) -> list[int]:
    return [int(number) for number in re.findall(r"\d+", shape)]


def _elements(a: str, b: str, operation: str) -> str:
    """How the C++ calls two factors."""
    if a == "b1":
        return f"bits<{str(operation == '.and.popc').lower()}>"
    if a in _INTEGERS:
        return f"{_INTEGERS[a][0]}<{_INTEGERS[a][1]}, {_INTEGERS[b][1]}>"
    return f"numbers<{_FLOATS[a]}, {_FLOATS[b]}>"


def _multiply(
    emitter: Emitter,
    instruction: Instruction,
    shape: str,
    types: tuple[str, str, str],
    operation: str,
    saturate: bool,
    *,
    is_sparse: bool,
) -> str:
    result, a, b = types
    rows, _, depth = _size(shape)
    bits = 64 if a == "f64" else 32
    steps = depth * _BITS.get(a, 8) // bits // 4
    name, count = emitter.temporary(), rows // 4
    factors, end, more = _elements(a, b, operation), str(saturate).lower(), ""
    call = f"mma<{factors}, {rows}, {steps}, {end}>"
    if is_sparse:
        call = f"mma_sparse<{factors}, {16 if _BITS.get(a, 8) >= 16 else 8}, {steps}, {end}>"
        more = "".join(f"{emitter.value(operand, 'b32')}, " for operand in instruction.operands[4:])
    elif a == "bf16":
        call = f"mma_bfloat16<{rows}, {steps}>"
    code = [
        _array(emitter, instruction.operands[1], f"{name}_a", bits, steps * rows // (16 if is_sparse else 8)),
        _array(emitter, instruction.operands[2], f"{name}_b", bits, steps),
        *_addends(emitter, instruction.operands[3], name, result, count),
        f"{call}({name}_d, {name}_a, {name}_b, {name}_c, {more}{HERE});",
        *_results(emitter, instruction.operands[0], name, result, count),
    ]
    return " ".join(code)


def _quads(emitter: Emitter, instruction: Instruction, layouts: str, result: str, c: str) -> str:
    name = emitter.temporary()
    by_rows = [str(layout == "row").lower() for layout in layouts[1:].split(".")]
    if result != c:  # whose elements lie in other lanes
        raise PtxError("mma.m8n8k4 of .f16 plus .f16 into .f32 is not supported")
    code = [
        _array(emitter, instruction.operands[1], f"{name}_a", 32, 2),
        _array(emitter, instruction.operands[2], f"{name}_b", 32, 2),
        *_addends(emitter, instruction.operands[3], name, c, 8),
        f"mma_quads<{', '.join(by_rows)}, {str(result == 'f16').lower()}>"
        f"({name}_d, {name}_a, {name}_b, {name}_c, {HERE});",
        *_results(emitter, instruction.operands[0], name, result, 8),
    ]
    return " ".join(code)


def _addends(emitter: Emitter, operand: Operand, name: str, type_: str, count: int) -> list[str]:
    """c, and room for d."""
    cpp = _CPP[type_]
    code = [f"{cpp} {name}_c[{count}], {name}_d[{count}];"]
    if type_ == "f16":
        halves = [emitter.value(register, "b32") for register in registers(operand, count // 2)]
        return code + [f"unpack_halves({name}_c + {2 * i}, {value});" for i, value in enumerate(halves)]
    values = [emitter.value(register, type_) for register in registers(operand, count)]
    return code + [f"{name}_c[{i}] = {value};" for i, value in enumerate(values)]


def _results(emitter: Emitter, operand: Operand, name: str, type_: str, count: int) -> list[str]:
    if type_ == "f16":
        targets = registers(operand, count // 2)
        return [emitter.assign(to, "b32", f"pack_halves({name}_d + {2 * i})") for i, to in enumerate(targets)]
    return [emitter.assign(to, type_, f"{name}_d[{i}]") for i, to in enumerate(registers(operand, count))]


def _array(emitter: Emitter, operand: Operand, name: str, bits: int, count: int) -> str:
    values = [emitter.value(register, f"b{bits}" if bits == 32 else "f64") for register in registers(operand, count)]
    if bits == 64:
        values = [f"__builtin_bit_cast(u64, {value})" for value in values]
    return f"const u{bits} {name}[{count}] = {{{', '.join(values)}}};"


INSTRUCTIONS = {"mma": _mma}
