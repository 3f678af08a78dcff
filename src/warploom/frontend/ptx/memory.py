# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Loads, stores, atomics and asynchronous copies. Scopes and cache hints change nothing on a CPU."""

from __future__ import annotations

from warploom.frontend.ptx.emitter import Emitter, expect, integer
from warploom.frontend.ptx.syntax import Instruction, Negated, Operand, PtxError, Register, Sink, Vector
from warploom.frontend.ptx.types import TYPES

SPACES = {
    "shared": "shared", "shared::cta": "shared", "shared::cluster": "cluster", "global": "global", "local": "global",
    "const": "global", "generic": "global",
}  # fmt: skip
ORDERS = {"weak": "weak", "volatile": "is_volatile", "relaxed": "relaxed", "acquire": "acquire", "release": "release"}
_SCOPES = frozenset(("cta", "cluster", "gpu", "sys", "gl"))
_HINTS = frozenset(("ca", "cg", "cs", "lu", "cv", "wb", "wt", "nc", "L2", "mmio", "noftz"))
_ATOMIC_ORDERS = {
    "relaxed": "__ATOMIC_RELAXED", "acquire": "__ATOMIC_ACQUIRE", "release": "__ATOMIC_RELEASE",
    "acq_rel": "__ATOMIC_ACQ_REL",
}  # fmt: skip
_ATOMIC_TYPES = {
    "add": "u32 s32 u64 s64 f32 f64 f16 f16x2 bf16 bf16x2",
    "min": "u32 s32 u64 s64 f16 f16x2 bf16 bf16x2",
    "max": "u32 s32 u64 s64 f16 f16x2 bf16 bf16x2",
    "and": "b32 b64", "or": "b32 b64", "xor": "b32 b64",
    "inc": "u32", "dec": "u32", "exch": "b32 b64", "cas": "b16 b32 b64",
}  # fmt: skip


class Access:
    """What the modifiers of a memory instruction say."""

    def __init__(self, rest: list[str], orders: dict[str, str]) -> None:
        self.space, self.order, self.count, self.has_policy = "global", "", 1, False
        self.others: list[str] = []
        for part in rest:
            if part in SPACES:
                self.space = SPACES[part]
            elif part in orders:
                self.order = orders[part]
            elif part in ("v2", "v4", "v8"):
                self.count = int(part[1:])
            elif part == "L2::cache_hint":
                self.has_policy = True
            elif part not in _SCOPES and part not in _HINTS and not part.startswith(("L1::", "L2::")):
                self.others.append(part)


def _moved(access: Access, rest: list[str]) -> str:
    """The type of a load or store as the integer that is moved."""
    if len(access.others) != 1 or access.others[0] not in TYPES:
        unknown = next((part for part in access.others if part not in TYPES), "")
        raise PtxError(f"the modifier .{unknown} is not supported" if unknown else f"no type among .{'.'.join(rest)}")
    name = access.others[0]
    return name if name[0] in "us" else f"b{TYPES[name][1]}"


def _elements(operand: Operand, count: int) -> tuple[Operand, ...]:
    if count == 1:
        return operand.elements if isinstance(operand, Vector) and len(operand.elements) == 1 else (operand,)
    if not isinstance(operand, Vector) or len(operand.elements) != count:
        raise PtxError(f"expected {count} registers in braces")
    return operand.elements


def _ld(emitter: Emitter, instruction: Instruction, rest: list[str]) -> str:
    access = Access(rest, ORDERS)
    expect(instruction, 2, 3 if access.has_policy else 2)
    type_ = _moved(access, rest)
    cpp, bits = TYPES[type_]
    name = emitter.temporary()
    pointer = emitter.address(instruction.operands[1], access.space)
    code = [f"const char *{name} = static_cast<const char *>({pointer});"]
    targets = _elements(instruction.operands[0], access.count)
    # All are read before the first is written: a target may be the register that holds the address.
    if access.order and len(targets) > 1:
        code.append(f"const auto {name}_all = load_elements<{access.order}, {cpp}, {len(targets)}>({name});")
        values = [f"{name}_all.part[{index}]" for index in range(len(targets))]
    else:
        values = [f"{name}_{index}" for index in range(len(targets))]
        for index, value in enumerate(values):
            code.append(f"const {cpp} {value} = load<{access.order or 'weak'}, {cpp}>({name} + {index * bits // 8});")
    for target, value in zip(targets, values, strict=True):
        if not isinstance(target, Sink):
            code.append(emitter.assign(target, type_, value, may_be_wider=True))
    return " ".join(code)


def _st(emitter: Emitter, instruction: Instruction, rest: list[str]) -> str:
    access = Access(rest, ORDERS)
    expect(instruction, 2, 3 if access.has_policy else 2)
    type_ = _moved(access, rest)
    cpp, bits = TYPES[type_]
    name = emitter.temporary()
    code = [f"char *{name} = static_cast<char *>({emitter.address(instruction.operands[0], access.space)});"]
    sources = _elements(instruction.operands[1], access.count)
    values = [emitter.value(source, type_, may_be_wider=True) for source in sources]
    if access.order and len(values) > 1:
        elements = f"elements<{cpp}, {len(values)}>"
        code.append(f"store_elements<{access.order}>({name}, {elements}{{{{{', '.join(values)}}}}});")
        return " ".join(code)
    for index, value in enumerate(values):
        code.append(f"store<{access.order or 'weak'}, {cpp}>({name} + {index * bits // 8}, {value});")
    return " ".join(code)


def _atom(emitter: Emitter, instruction: Instruction, rest: list[str]) -> str:
    has_result = instruction.parts[0] == "atom"
    access = Access(rest, _ATOMIC_ORDERS)
    operation = next((part for part in access.others if part in _ATOMIC_TYPES), "")
    types = [part for part in access.others if part in TYPES]
    if not operation or len(types) != 1 or len(access.others) != 2:
        raise PtxError("this atomic operation is not supported")
    # 64-bit sums are the same bits whatever the sign; .b types of min are never.
    if types[0] not in _ATOMIC_TYPES[operation].split():
        raise PtxError(f"atomic {operation} has no form .{types[0]}")
    operands = list(instruction.operands)
    target = operands.pop(0) if has_result else Sink()
    wanted = 3 if operation == "cas" else 2
    if not wanted <= len(operands) <= wanted + access.has_policy:
        raise PtxError(f"{len(instruction.operands)} operands")
    pointer = emitter.address(operands[0], access.space)
    call = f"atom_{operation}<{access.order or '__ATOMIC_RELAXED'}, {TYPES[types[0]][0]}>"
    if access.count > 1:
        return _atomic_vector(emitter, (target, operands[1]), types[0], access.count, call, pointer)
    values = [emitter.value(operand, types[0]) for operand in operands[1:wanted]]
    return emitter.assign(target, types[0], f"{call}({pointer}, {', '.join(values)})")


def _atomic_vector(
    emitter: Emitter, operands: tuple[Operand, Operand], type_: str, count: int, call: str, pointer: str
) -> str:
    """Each element is one atomic operation, the whole is none."""
    if type_ not in ("f32", "f16", "f16x2", "bf16", "bf16x2"):
        raise PtxError(f"there are no atomic operations on vectors of .{type_}")
    target, source = operands
    targets = [Sink()] * count if isinstance(target, Sink) else list(_elements(target, count))
    name, size = emitter.temporary(), TYPES[type_][1] // 8
    code = [f"char *{name} = static_cast<char *>({pointer});"]
    values = [emitter.value(element, type_) for element in _elements(source, count)]
    # All are read before the first is written.
    code += [f"const auto {name}_{i} = {call}({name} + {i * size}, {value});" for i, value in enumerate(values)]
    code += [emitter.assign(to, type_, f"{name}_{i}") for i, to in enumerate(targets)]
    return " ".join(code)


def _cp_async(emitter: Emitter, instruction: Instruction, rest: list[str]) -> str:
    access, operands = Access(rest, {}), list(instruction.operands)
    places = [part for part in rest if part in SPACES]
    if access.others or [SPACES[place] for place in places] != ["shared", "global"]:
        raise PtxError("cp.async copies from global to shared memory")
    expect(instruction, 3, 5)
    size = integer(operands[2])
    if size not in (4, 8, 16) or ("cg" in instruction.parts and size != 16):
        raise PtxError(f"cp.async of {size} bytes")
    amount = f"{size}u"
    if len(operands) > 3:
        extra = operands[3]
        if isinstance(extra, Negated) or (isinstance(extra, Register) and extra.bits == 1):
            amount = f"({emitter.predicate(extra)} ? 0u : {size}u)"
        elif not (access.has_policy and len(operands) == 4):
            amount = emitter.value(extra, "u32")
    target, source = emitter.address(operands[0], "shared"), emitter.address(operands[1], "global")
    return f"copy_async<{size}>({target}, {source}, {amount});"


def _wait_group(_: Emitter, __: Instruction, rest: list[str]) -> str:
    if rest:
        raise PtxError(f".{rest[0]} is not supported")
    return "__atomic_signal_fence(__ATOMIC_SEQ_CST);"


def _hint(emitter: Emitter, instruction: Instruction, rest: list[str]) -> str:
    """An instruction that only tells caches what is coming: its address must exist, nothing else."""
    expect(instruction, 1, 3)
    emitter.address(instruction.operands[0], "global")
    if rest and rest[0] in ("tensor", "bulk"):
        raise PtxError("tensor maps are not supported")
    return ";"


def _policy(emitter: Emitter, instruction: Instruction, _: list[str]) -> str:
    return emitter.assign(instruction.operands[0], "b64", "u64(0)")


INSTRUCTIONS = {
    "ld": _ld, "ldu": _ld, "st": _st, "atom": _atom, "red": _atom,
    "cp.async.ca": _cp_async, "cp.async.cg": _cp_async,
    "cp.async.commit_group": _wait_group, "cp.async.wait_group": _wait_group, "cp.async.wait_all": _wait_group,
    "prefetch": _hint, "prefetchu": _hint, "applypriority": _hint, "discard": _hint, "createpolicy": _policy,
}  # fmt: skip


def memory_statement(emitter: Emitter, instruction: Instruction) -> str:
    """The C++ of a load, a store or an atomic operation."""
    return INSTRUCTIONS[instruction.parts[0]](emitter, instruction, list(instruction.parts[1:]))
