# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""ldmatrix, stmatrix and movmatrix (include/warploom/ptx/matrix.h says which lane holds what)."""

from __future__ import annotations

from warploom.frontend.ptx.emitter import HERE, Emitter, expect, registers
from warploom.frontend.ptx.syntax import Instruction, Operand, PtxError


def _matrix_count(rest: list[str]) -> tuple[int, bool]:
    """How many matrices, and whether transposed; ptxas takes the modifiers in any order."""
    counts = [int(part[1:]) for part in rest if part in ("x1", "x2", "x4")]
    shared = {"shared", "shared::cta"} & set(rest)
    if rest[:2] != ["sync", "aligned"] or not {"m8n8", "b16"} <= set(rest) or not shared:
        raise PtxError("only .sync.aligned.m8n8 of .shared and .b16 is supported")
    if len(counts) != 1 or set(rest) - {"sync", "aligned", "m8n8", f"x{counts[0]}", "trans", "b16", *shared}:
        raise PtxError("the number of matrices is .x1, .x2 or .x4")
    return counts[0], "trans" in rest


def _shared_number(emitter: Emitter, operand: Operand) -> str:
    return f"shared_address(u64({emitter.address(operand, 'shared')}))"


def _ldmatrix(emitter: Emitter, instruction: Instruction, rest: list[str]) -> str:
    expect(instruction, 2)
    count, transposed = _matrix_count(rest)
    targets, name = registers(instruction.operands[0], count), emitter.temporary()
    code = [f"const u64 {name} = {_shared_number(emitter, instruction.operands[1])};"]
    flag = str(transposed).lower()
    code += [f"const u32 {name}_{i} = load_matrix<{flag}>({name}, {i}, {HERE});" for i in range(count)]
    code += [emitter.assign(target, "b32", f"{name}_{i}") for i, target in enumerate(targets)]
    return " ".join([*code, "syncwarp(whole_warp);"])


def _stmatrix(emitter: Emitter, instruction: Instruction, rest: list[str]) -> str:
    expect(instruction, 2)
    count, transposed = _matrix_count(rest)
    sources, name = registers(instruction.operands[1], count), emitter.temporary()
    code = [f"const u64 {name} = {_shared_number(emitter, instruction.operands[0])};"]
    flag = str(transposed).lower()
    for i, source in enumerate(sources):
        code.append(f"store_matrix<{flag}>({name}, {i}, {emitter.value(source, 'b32')}, {HERE});")
    return " ".join([*code, "syncwarp(whole_warp);"])


def _movmatrix(emitter: Emitter, instruction: Instruction, rest: list[str]) -> str:
    expect(instruction, 2)
    if rest != ["sync", "aligned", "m8n8", "trans", "b16"]:
        raise PtxError("movmatrix is .sync.aligned.m8n8.trans.b16")
    code = f"transpose_matrix({emitter.value(instruction.operands[1], 'b32')})"
    return emitter.assign(instruction.operands[0], "b32", code)


INSTRUCTIONS = {"ldmatrix": _ldmatrix, "stmatrix": _stmatrix, "movmatrix": _movmatrix}
