# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Barriers of the block and of the warp, and fences."""

from __future__ import annotations

from warploom.frontend.ptx.emitter import Emitter, expect
from warploom.frontend.ptx.syntax import Constant, Instruction, PtxError

_SCOPES = frozenset(("cta", "cluster", "gpu", "sys", "gl"))
_ORDERS = frozenset(("sc", "acq_rel", "acquire", "release"))


def _bar(emitter: Emitter, instruction: Instruction, rest: list[str]) -> str:
    rest = [part for part in rest if part not in ("cta", "aligned")]
    if rest[:1] == ["cluster"]:
        return _cluster_barrier(instruction, rest[1:])
    action, operands = rest[0] if rest else "", instruction.operands
    if action == "warp":
        expect(instruction, 1)
        return f"syncwarp({emitter.value(operands[0], 'b32')});"
    if action == "red":
        return _bar_red(emitter, instruction, rest[1:])
    if action not in ("sync", "arrive") or len(rest) != 1:
        raise PtxError(f"this form of {instruction.parts[0]} is not supported")
    expect(instruction, 2 if action == "arrive" else 1, 2)
    number = emitter.value(operands[0], "u32")
    if action == "arrive":
        return f"barrier_arrive({number}, {emitter.value(operands[1], 'u32')});"
    if len(operands) == 2:
        return f"barrier_named({number}, {emitter.value(operands[1], 'u32')});"
    return "barrier();" if operands[0] == Constant(0) else f"barrier_named({number}, nwarpid() * 32);"


def _cluster_barrier(instruction: Instruction, rest: list[str]) -> str:
    """An arrival is not counted until its wait, which is the barrier: stricter than hardware, never weaker."""
    expect(instruction, 0)
    action, orders = rest[0] if rest else "", set(rest[1:])
    if action == "arrive" and orders <= {"release", "relaxed"}:
        return "__atomic_thread_fence(__ATOMIC_SEQ_CST);"
    if action == "wait" and orders <= {"acquire"}:
        return "cluster_barrier();"
    raise PtxError("barrier.cluster is .arrive or .wait")


def _bar_red(emitter: Emitter, instruction: Instruction, rest: list[str]) -> str:
    """d, 0, p: of the whole block."""
    expect(instruction, 3)
    if instruction.operands[1] != Constant(0):
        raise PtxError("a reduction at another barrier than 0 is not supported")
    value = emitter.predicate(instruction.operands[2])
    if rest == ["popc", "u32"]:
        return emitter.assign(instruction.operands[0], "u32", f"barrier_popc({value})")
    if rest in (["and", "pred"], ["or", "pred"]):
        return emitter.assign(instruction.operands[0], "pred", f"barrier_{rest[0]}({value})")
    raise PtxError("bar.red is .popc.u32, .and.pred or .or.pred")


def _fence(_: Emitter, instruction: Instruction, rest: list[str]) -> str:
    if any(part.startswith("proxy") for part in rest) or set(rest) <= _SCOPES | _ORDERS | {"mbarrier_init"}:
        return "__atomic_thread_fence(__ATOMIC_SEQ_CST);"
    raise PtxError(f"this form of {instruction.parts[0]} is not supported")


INSTRUCTIONS = {"bar": _bar, "barrier": _bar, "membar": _fence, "fence": _fence}
