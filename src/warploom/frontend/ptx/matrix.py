# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""ldmatrix, stmatrix, movmatrix and mma.sync (include/warploom/ptx/matrix.h says which lane holds what)."""

from __future__ import annotations

import re

from warploom.frontend.ptx.emitter import Emitter, expect
from warploom.frontend.ptx.syntax import Instruction, Operand, PtxError, Vector

# Element type of a factor -> (C++, elements in a register, bits of a register).
_FACTORS = {
    "f16": ("small_element<__half>", 2, 32), "bf16": ("small_element<__nv_bfloat16>", 2, 32),
    "tf32": ("tf32_element", 1, 32), "f64": ("double_element", 1, 64),
    "s8": ("integer_element<true, 8>", 4, 32), "u8": ("integer_element<false, 8>", 4, 32),
    "s4": ("integer_element<true, 4>", 8, 32), "u4": ("integer_element<false, 4>", 8, 32),
}  # fmt: skip
# (type of a, shape) -> the results that go with it.
_SHAPES = {
    "f16": ({"m16n8k8", "m16n8k16"}, {"f16", "f32"}), "bf16": ({"m16n8k8", "m16n8k16"}, {"f32"}),
    "tf32": ({"m16n8k4", "m16n8k8"}, {"f32"}), "f64": ({"m8n8k4", "m16n8k4", "m16n8k8", "m16n8k16"}, {"f64"}),
    "s8": ({"m8n8k16", "m16n8k16", "m16n8k32"}, {"s32"}), "s4": ({"m8n8k32", "m16n8k32", "m16n8k64"}, {"s32"}),
}  # fmt: skip
_HERE = "__builtin_FILE(), __builtin_LINE()"


def _registers(operand: Operand, count: int) -> tuple[Operand, ...]:
    elements = operand.elements if isinstance(operand, Vector) else (operand,)
    if len(elements) != count:
        raise PtxError(f"expected {count} registers, found {len(elements)}")
    return elements


def _matrix_count(rest: list[str]) -> tuple[int, bool]:
    if rest[:3] != ["sync", "aligned", "m8n8"] or rest[-1] != "b16" or not {"shared", "shared::cta"} & set(rest):
        raise PtxError("only .sync.aligned.m8n8 of .shared and .b16 is supported")
    count = next((int(part[1:]) for part in rest if part in ("x1", "x2", "x4")), 0)
    unknown = set(rest) - {"sync", "aligned", "m8n8", f"x{count}", "trans", "shared", "shared::cta", "b16"}
    if not count or unknown:
        raise PtxError("the number of matrices is .x1, .x2 or .x4")
    return count, "trans" in rest


def _shared_number(emitter: Emitter, operand: Operand) -> str:
    return f"shared_address(u64({emitter.address(operand, 'shared')}))"


def _ldmatrix(emitter: Emitter, instruction: Instruction, rest: list[str]) -> str:
    expect(instruction, 2)
    count, transposed = _matrix_count(rest)
    targets, name = _registers(instruction.operands[0], count), emitter.temporary()
    code = [f"const u64 {name} = {_shared_number(emitter, instruction.operands[1])};"]
    flag = str(transposed).lower()
    code += [f"const u32 {name}_{i} = load_matrix<{flag}>({name}, {i}, {_HERE});" for i in range(count)]
    code += [emitter.assign(target, "b32", f"{name}_{i}") for i, target in enumerate(targets)]
    return " ".join([*code, "syncwarp(whole_warp);"])


def _stmatrix(emitter: Emitter, instruction: Instruction, rest: list[str]) -> str:
    expect(instruction, 2)
    count, transposed = _matrix_count(rest)
    sources, name = _registers(instruction.operands[1], count), emitter.temporary()
    code = [f"const u64 {name} = {_shared_number(emitter, instruction.operands[0])};"]
    flag = str(transposed).lower()
    for i, source in enumerate(sources):
        code.append(f"store_matrix<{flag}>({name}, {i}, {emitter.value(source, 'b32')}, {_HERE});")
    return " ".join([*code, "syncwarp(whole_warp);"])


def _movmatrix(emitter: Emitter, instruction: Instruction, rest: list[str]) -> str:
    expect(instruction, 2)
    if rest != ["sync", "aligned", "m8n8", "trans", "b16"]:
        raise PtxError("movmatrix is .sync.aligned.m8n8.trans.b16")
    code = f"transpose_matrix({emitter.value(instruction.operands[1], 'b32')})"
    return emitter.assign(instruction.operands[0], "b32", code)


def _mma(emitter: Emitter, instruction: Instruction, rest: list[str]) -> str:
    expect(instruction, 4)
    saturate = "satfinite" in rest
    words = [part for part in rest if part not in ("sync", "aligned", "row", "col", "satfinite")]
    if len(words) != 5 or [part for part in rest if part in ("row", "col")] != ["row", "col"]:
        raise PtxError("this form of mma is not supported")
    shape, result, a, b, c = words
    key = {"u8": "s8", "u4": "s4"}.get(a, a)
    shapes, results = _SHAPES.get(key, (set[str](), set[str]()))
    if shape not in shapes or result not in results or c != result or {"u8": "s8", "u4": "s4"}.get(b, b) != key:
        raise PtxError("mma with this shape and these types is not supported")
    return _multiply(emitter, instruction, shape, result, a, b, saturate)


def _multiply(
    emitter: Emitter, instruction: Instruction, shape: str, result: str, a: str, b: str, saturate: bool
) -> str:
    match = re.fullmatch(r"m(\d+)n8k(\d+)", shape)
    assert match, shape
    rows, steps = int(match.group(1)), int(match.group(2)) // (4 * _FACTORS[a][1])
    name, bits = emitter.temporary(), _FACTORS[a][2]
    values = rows // 4  # of the result, in each lane
    code = [_array(emitter, instruction.operands[1], f"{name}_a", bits, steps * rows // 8)]
    code.append(_array(emitter, instruction.operands[2], f"{name}_b", bits, steps))
    cpp = {"f32": "float", "f16": "float", "f64": "double", "s32": "s32"}[result]
    code.append(f"{cpp} {name}_c[{values}], {name}_d[{values}];")
    packed = result == "f16"
    addends = _registers(instruction.operands[3], values // 2 if packed else values)
    for i, addend in enumerate(addends):
        if packed:
            code.append(f"unpack_halves({name}_c + {2 * i}, {emitter.value(addend, 'b32')});")
        else:
            code.append(f"{name}_c[{i}] = {emitter.value(addend, result)};")
    total = "s64" if result == "s32" else cpp
    types = f"{_FACTORS[a][0]}, {_FACTORS[b][0]}, {rows}, {steps}, {str(saturate).lower()}, {total}, {cpp}"
    code.append(f"mma<{types}>({name}_d, {name}_a, {name}_b, {name}_c, {_HERE});")
    for i, target in enumerate(_registers(instruction.operands[0], len(addends))):
        value = f"pack_halves({name}_d + {2 * i})" if packed else f"{name}_d[{i}]"
        code.append(emitter.assign(target, "b32" if packed else result, value))
    return " ".join(code)


def _array(emitter: Emitter, operand: Operand, name: str, bits: int, count: int) -> str:
    values = [emitter.value(register, f"b{bits}" if bits == 32 else "f64") for register in _registers(operand, count)]
    if bits == 64:
        values = [f"__builtin_bit_cast(u64, {value})" for value in values]
    return f"const u{bits} {name}[{count}] = {{{', '.join(values)}}};"


INSTRUCTIONS = {"ldmatrix": _ldmatrix, "stmatrix": _stmatrix, "movmatrix": _movmatrix, "mma": _mma}
