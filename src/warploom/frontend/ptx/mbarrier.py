# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""mbarriers, and the copies, stores and reductions that count bytes into them (include/warploom/ptx/mbarrier.h).

All is done at once, in the order of the thread; so there is nothing to wait for in groups of copies.
"""

from __future__ import annotations

from warploom.frontend.ptx.emitter import Emitter, expect
from warploom.frontend.ptx.memory import ORDERS, SPACES, Access, memory_statement
from warploom.frontend.ptx.syntax import Instruction, Operand, PtxError
from warploom.frontend.ptx.types import TYPES

_COUNTS_BYTES = "mbarrier::complete_tx::bytes"
_REDUCTIONS = {
    "add": "u32 s32 u64 s64 f16 bf16 f32 f64", "min": "u32 s32 u64 s64 f16 bf16", "max": "u32 s32 u64 s64 f16 bf16",
    "and": "b32 b64", "or": "b32 b64", "xor": "b32 b64", "inc": "u32", "dec": "u32",
}  # fmt: skip


def _mbarrier(emitter: Emitter, instruction: Instruction, rest: list[str]) -> str:
    action = rest[0] if rest else ""
    access = Access(rest[1:], {**ORDERS, "acq_rel": "acq_rel"})
    known = {"b64", "noComplete", "parity"} | ({"expect_tx"} if action.startswith("arrive") else set[str]())
    parts = [part for part in access.others if part not in known]
    handler = _MBARRIER.get(action)
    if handler is None or parts:
        raise PtxError(f"mbarrier.{'.'.join((action, *parts))} is not supported")
    return handler(emitter, instruction, access.space, access.others)


def _init(emitter: Emitter, instruction: Instruction, space: str, _: list[str]) -> str:
    expect(instruction, 2)
    count = emitter.value(instruction.operands[1], "u32")
    return f"store<relaxed, u64>({emitter.address(instruction.operands[0], space)}, mbarrier_of({count}));"


def _inval(emitter: Emitter, instruction: Instruction, space: str, _: list[str]) -> str:
    expect(instruction, 1)
    return f"store<relaxed, u64>({emitter.address(instruction.operands[0], space)}, u64(0));"


def _arrive(emitter: Emitter, instruction: Instruction, space: str, others: list[str]) -> str:
    expects = "expect_tx" in others
    expect(instruction, 3 if expects else 2, 3)
    drop = str(instruction.parts[1] == "arrive_drop").lower()
    pointer = emitter.address(instruction.operands[1], space)
    number = emitter.value(instruction.operands[2], "u32") if len(instruction.operands) == 3 else "1u"
    amounts = f"1u, {number}" if expects else number
    return emitter.assign(instruction.operands[0], "b64", f"mbarrier_arrive<{drop}>({pointer}, {amounts})")


def _bytes(emitter: Emitter, instruction: Instruction, space: str, _: list[str]) -> str:
    expect(instruction, 2)
    sign = "-" if instruction.parts[1] == "complete_tx" else ""
    pointer, number = emitter.address(instruction.operands[0], space), emitter.value(instruction.operands[1], "u32")
    return f"mbarrier_expect({pointer}, {sign}s64({number}));"


def _test(emitter: Emitter, instruction: Instruction, space: str, others: list[str]) -> str:
    expect(instruction, 3, 4)  # try_wait: a time limit, too
    pointer = emitter.address(instruction.operands[1], space)
    state = emitter.value(instruction.operands[2], "u32" if "parity" in others else "b64")
    function = "mbarrier_test_parity" if "parity" in others else "mbarrier_test"
    return emitter.assign(instruction.operands[0], "pred", f"{function}({pointer}, {state})")


def _pending(emitter: Emitter, instruction: Instruction, _: str, __: list[str]) -> str:
    expect(instruction, 2)
    state = emitter.value(instruction.operands[1], "b64")
    return emitter.assign(instruction.operands[0], "b32", f"u32({state} >> pending_at & count_mask)")


_MBARRIER = {
    "init": _init, "inval": _inval, "arrive": _arrive, "arrive_drop": _arrive, "expect_tx": _bytes,
    "complete_tx": _bytes, "test_wait": _test, "try_wait": _test, "pending_count": _pending,
}  # fmt: skip


def _arrive_after_copies(emitter: Emitter, instruction: Instruction, rest: list[str]) -> str:
    """The copies are done, so it arrives at once; without .noinc the phase expects one arrival more."""
    access = Access(rest, {})
    if set(access.others) - {"noinc", "b64"}:
        raise PtxError(f"cp.async.mbarrier.arrive.{'.'.join(rest)} is not supported")
    expect(instruction, 1)
    pointer = emitter.address(instruction.operands[0], access.space)
    return f"mbarrier_arrive<false>({pointer}, 1u);" if "noinc" in rest else f"(void){pointer};"


def _spaces(rest: list[str]) -> list[str]:
    return [SPACES[part] for part in rest if part in SPACES]


def _counted(emitter: Emitter, barrier: Operand, space: str, size: str) -> str:
    return f"mbarrier_expect({emitter.address(barrier, space)}, -s64({size}));"


def _bulk_copy(emitter: Emitter, instruction: Instruction, rest: list[str]) -> str:
    """[to], [from], size, and [mbarrier] where the bytes are counted into one."""
    if rest[:1] in (["commit_group"], ["wait_group"]):
        return "__atomic_signal_fence(__ATOMIC_SEQ_CST);"
    if rest[:1] == ["prefetch"]:
        expect(instruction, 2, 3)
        emitter.address(instruction.operands[0], "global")
        return ";"
    counts, spaces = _COUNTS_BYTES in rest, _spaces(rest)
    unknown = set(rest) - SPACES.keys() - {_COUNTS_BYTES, "bulk_group", "L2::cache_hint"}
    if unknown or len(spaces) != 2 or counts == ("bulk_group" in rest):
        raise PtxError(f"the modifier .{min(unknown)} is not supported" if unknown else "this copy is not supported")
    least = 4 if counts else 3
    expect(instruction, least, least + ("L2::cache_hint" in rest))
    target, source = (
        emitter.address(operand, space) for operand, space in zip(instruction.operands, spaces, strict=False)
    )
    name = emitter.temporary()
    code = [f"const u32 {name} = {emitter.value(instruction.operands[2], 'u32')};"]
    code.append(f"copy_bulk({target}, {source}, {name});")
    if counts:
        code.append(_counted(emitter, instruction.operands[3], spaces[0], name))
    return " ".join(code)


def _bulk_reduction(emitter: Emitter, instruction: Instruction, rest: list[str]) -> str:
    """[to], [from], size, and [mbarrier]: of each element an atomic operation."""
    counts, spaces = _COUNTS_BYTES in rest, _spaces(rest)
    left = [
        part for part in rest if part not in SPACES.keys() | {_COUNTS_BYTES, "bulk_group", "L2::cache_hint", "noftz"}
    ]
    if len(left) != 2 or len(spaces) != 2 or left[1] not in _REDUCTIONS.get(left[0], "").split():
        raise PtxError("this reduction is not supported")
    least = 4 if counts else 3
    expect(instruction, least, least + ("L2::cache_hint" in rest))
    target, source = (
        emitter.address(operand, space) for operand, space in zip(instruction.operands, spaces, strict=False)
    )
    name, cpp = emitter.temporary(), TYPES[left[1]][0]
    code = [
        f"const u32 {name} = {emitter.value(instruction.operands[2], 'u32')};"
        f" {cpp} *{name}_to = static_cast<{cpp} *>({target}); {cpp} *{name}_from = static_cast<{cpp} *>({source});"
        f" for (u32 i = 0; i < {name} / sizeof({cpp}); ++i)"
        f" atom_{left[0]}<__ATOMIC_RELAXED, {cpp}>({name}_to + i, {name}_from[i]);"
    ]
    if counts:
        code.append(_counted(emitter, instruction.operands[3], spaces[0], name))
    return " ".join(code)


def _store_async(emitter: Emitter, instruction: Instruction, rest: list[str]) -> str:
    """st.async and red.async: [to], value, [mbarrier]; what the plain instruction does, then its bytes are counted."""
    expect(instruction, 3)
    left = [part for part in rest if part != _COUNTS_BYTES]
    if _COUNTS_BYTES not in rest or not set(_spaces(rest)) <= {"cluster"}:
        raise PtxError(f"{'.'.join(instruction.parts[:2])} is .shared::cluster.{_COUNTS_BYTES}")
    name = instruction.parts[0]
    words = [part for part in left if part not in ("weak", "relaxed", "cluster", *SPACES)]
    plain = Instruction(instruction.text, (name, "shared::cluster", *words), instruction.operands[:2])
    access = Access(words, {})
    size = sum(TYPES[part][1] for part in access.others if part in TYPES) // 8 * access.count
    return f"{memory_statement(emitter, plain)} {_counted(emitter, instruction.operands[2], 'cluster', f'{size}u')}"


INSTRUCTIONS = {
    "mbarrier": _mbarrier, "cp.async.mbarrier.arrive": _arrive_after_copies, "cp.async.bulk": _bulk_copy,
    "cp.reduce.async.bulk": _bulk_reduction, "st.async": _store_async, "red.async": _store_async,
}  # fmt: skip
