# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Warp instructions. Without .sync they mean the lanes that stand at the instruction, as CUDA 8 did."""

from __future__ import annotations

from warploom.frontend.ptx.emitter import Emitter, expect
from warploom.frontend.ptx.syntax import Constant, Instruction, Operand, PtxError, Sink
from warploom.frontend.ptx.types import TYPES

# The clamp operand of CUDA's own shuffles of a whole warp.
_WHOLE_WARP = {"up": 0, "down": 31, "bfly": 31, "idx": 31}
_REDUX = {"add": "u32 s32", "min": "u32 s32", "max": "u32 s32", "and": "b32", "or": "b32", "xor": "b32"}


def _mask(emitter: Emitter, instruction: Instruction, rest: list[str], count: int) -> str:
    """The member mask: the operand after the first `count`, or who is there."""
    if "sync" not in rest:
        expect(instruction, count)
        return "activemask()"
    expect(instruction, count + 1)
    return emitter.value(instruction.operands[count], "b32")


def _shfl(emitter: Emitter, instruction: Instruction, rest: list[str]) -> str:
    how = next((part for part in rest if part in _WHOLE_WARP), "")
    if not how or rest[-1] != "b32" or set(rest) - {"sync", how, "b32"}:
        raise PtxError("shfl is .up, .down, .bfly or .idx and .b32")
    mask = _mask(emitter, instruction, rest, 4)
    target, predicate = emitter.pair(instruction.operands[0])
    value, operand, clamp = (emitter.value(source, "b32") for source in instruction.operands[1:4])
    is_whole = instruction.operands[3] == Constant(_WHOLE_WARP[how]) and isinstance(predicate, Sink)
    if is_whole:
        return emitter.assign(target, "b32", f"shfl_warp_{how}({value}, {operand}, {mask})")
    name = emitter.temporary()
    code = [f"bool {name}_p = false; const u32 {name} = shfl<{how}>({value}, {operand}, {clamp}, {mask}, {name}_p);"]
    code.append(emitter.assign(target, "b32", name))
    if not isinstance(predicate, Sink):
        code.append(emitter.assign(predicate, "pred", f"{name}_p"))
    return " ".join(code)


def _vote(emitter: Emitter, instruction: Instruction, rest: list[str]) -> str:
    mode = next((part for part in rest if part in ("all", "any", "uni", "ballot")), "")
    type_ = "b32" if mode == "ballot" else "pred"
    if not mode or set(rest) - {"sync", mode, type_}:
        raise PtxError("vote is .all, .any, .uni (.pred) or .ballot (.b32)")
    mask = _mask(emitter, instruction, rest, 2)
    value = emitter.predicate(instruction.operands[1])
    return emitter.assign(instruction.operands[0], type_, f"vote_{mode}({value}, {mask})")


def _match(emitter: Emitter, instruction: Instruction, rest: list[str]) -> str:
    if len(rest) != 3 or rest[0] not in ("any", "all") or rest[1] != "sync" or rest[2] not in ("b32", "b64"):
        raise PtxError("match is .any.sync or .all.sync, and .b32 or .b64")
    expect(instruction, 3)
    value, mask = emitter.value(instruction.operands[1], rest[2]), emitter.value(instruction.operands[2], "b32")
    target, predicate = emitter.pair(instruction.operands[0])
    if rest[0] == "any":
        return emitter.assign(target, "b32", f"match_any({value}, {mask})")
    return _with_predicate(emitter, target, predicate, f"match_all({value}, {mask}, ")


def _with_predicate(emitter: Emitter, target: Operand, predicate: Operand, call: str) -> str:
    name = emitter.temporary()
    code = [f"bool {name}_p = false; const u32 {name} = {call}{name}_p); (void){name};"]
    if not isinstance(target, Sink):
        code.append(emitter.assign(target, "b32", name))
    if not isinstance(predicate, Sink):
        code.append(emitter.assign(predicate, "pred", f"{name}_p"))
    return " ".join(code)


def _redux(emitter: Emitter, instruction: Instruction, rest: list[str]) -> str:
    if len(rest) != 3 or rest[0] != "sync" or rest[2] not in _REDUX.get(rest[1], "").split():
        raise PtxError("this form of redux is not supported")
    expect(instruction, 3)
    value = f"{TYPES[rest[2]][0]}({emitter.value(instruction.operands[1], rest[2])})"
    mask = emitter.value(instruction.operands[2], "b32")
    return emitter.assign(instruction.operands[0], rest[2], f"redux_{rest[1]}({value}, {mask})")


def _activemask(emitter: Emitter, instruction: Instruction, _: list[str]) -> str:
    expect(instruction, 1)
    return emitter.assign(instruction.operands[0], "b32", "activemask()")


def _elect(emitter: Emitter, instruction: Instruction, _: list[str]) -> str:
    expect(instruction, 2)
    target, predicate = emitter.pair(instruction.operands[0], optional=False)
    mask = emitter.value(instruction.operands[1], "b32")
    return _with_predicate(emitter, target, predicate, f"elect({mask}, ")


INSTRUCTIONS = {
    "shfl": _shfl, "vote": _vote, "match": _match, "redux": _redux, "activemask.b32": _activemask,
    "elect.sync": _elect,
}  # fmt: skip
