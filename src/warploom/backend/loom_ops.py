# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The LLVM text of one op that is no control flow: a table from op to text.

    %x: float = fadd %a, %b [flags=(contract)]      ==>     %x = fadd contract float %a, %b

Ops carry LLVM's names, types and flags, so a line of LLVM is the op's parts in LLVM's order. Addresses are the one
exception: an op `gep` of the parallel IR counts in bytes.
"""

from __future__ import annotations

import re
import struct
from collections.abc import Callable

from warploom.ir import types
from warploom.ir.core import Const, Op, Operand
from warploom.ir.ops import BINARY, CASTS

# An operand without its type.
NameOf = Callable[[Operand], str]

_INTEGER_FLAGS = frozenset("nuw nsw exact disjoint nneg samesign".split())
_SHORT_FLOATS = {"half": "0xH", "bfloat": "0xR"}


def const_text(const: Const) -> str:
    """A constant as LLVM writes it, without its type."""
    if isinstance(const.value, str):
        return f"@{quoted(const.value[1:])}" if const.value.startswith("@") else const.value
    if types.is_float(const.type):
        return _float_text(const.type, const.value)
    if const.type == "i1":
        return "true" if const.value else "false"
    return str(const.value)


def _float_text(type_: str, bits: int) -> str:
    if type_ in _SHORT_FLOATS:
        return f"{_SHORT_FLOATS[type_]}{bits:04X}"
    return f"0x{_as_double(bits) if type_ == 'float' else bits:016X}"


def _as_double(bits: int) -> int:
    """A float's bits as those of the double of the same value: so LLVM writes floats. A NaN keeps its payload."""
    if bits >> 23 & 0xFF == 0xFF:
        return (bits >> 31) << 63 | 0x7FF << 52 | (bits & 0x7FFFFF) << 29
    (value,) = struct.unpack("<f", bits.to_bytes(4, "little"))
    return int.from_bytes(struct.pack("<d", value), "little")


def quoted(name: str) -> str:
    """A global's name as it stands behind the @."""
    if re.fullmatch(r'[A-Za-z_.$][\w.$-]*|".*"', name):
        return name
    return '"' + name.replace("\\", "\\5C").replace('"', "\\22") + '"'


def words(*parts: str) -> str:
    """The parts that are not empty, with blanks between them."""
    return " ".join(part for part in parts if part)


def flags(op: Op) -> str:
    """Attribute `flags`, in the order that LLVM's reader wants: those of fast math first."""
    found = op.attrs.get("flags")
    if not found:
        return ""
    assert isinstance(found, tuple), f"{op.name}: flags is no tuple"
    return " ".join(sorted(map(str, found), key=lambda flag: flag in _INTEGER_FLAGS))


def _head(op: Op) -> str:
    """An instruction's name, and its flags."""
    return f"{op.name} {flags(op)}" if op.attrs.get("flags") else op.name


def typed(operand: Operand, name: NameOf) -> str:
    """An operand with its type."""
    return f"{operand.type} {name(operand)}"


def _binary(op: Op, name: NameOf) -> str:
    left, right = op.operands
    return f"{_head(op)} {typed(left, name)}, {name(right)}"


def _unary(op: Op, name: NameOf) -> str:
    return f"{_head(op)} {typed(op.operands[0], name)}"


def _compare(op: Op, name: NameOf) -> str:
    left, right = op.operands
    return f"{words(op.name, flags(op), str(op.attrs['pred']))} {typed(left, name)}, {name(right)}"


def _cast(op: Op, name: NameOf) -> str:
    return f"{_head(op)} {typed(op.operands[0], name)} to {op.result.type}"


def _listed(op: Op, name: NameOf) -> str:
    """Operands with their types, in order: select, shufflevector, ..."""
    return f"{_head(op)} {', '.join(typed(each, name) for each in op.operands)}"


def _shuffle(op: Op, name: NameOf) -> str:
    mask = _numbers(op, "mask")
    lanes = ", ".join(f"i32 {lane}" if lane >= 0 else "i32 poison" for lane in mask)
    return f"{_listed(op, name)}, <{len(mask)} x i32> <{lanes}>"


def _member(op: Op, name: NameOf) -> str:
    return ", ".join([_listed(op, name), *(str(number) for number in _numbers(op, "path"))])


def _numbers(op: Op, key: str) -> tuple[int, ...]:
    found = op.attrs[key]
    assert isinstance(found, tuple), f"{op.name}: {key} is no tuple"
    return tuple(int(number) for number in found if isinstance(number, int))


def _scope(op: Op) -> str:
    scope = op.attrs.get("scope", "")
    return f'syncscope("{scope}")' if scope else ""


def _volatile(op: Op) -> str:
    return "volatile" if op.attrs.get("volatile") else ""


def _align(op: Op, type_: str = "") -> str:
    """`type_`: of what plain loads and stores access; LLVM would take a vector to be aligned as a whole."""
    align = op.attrs.get("align")
    if not align and type_ and types.is_vector(type_):
        align = types.align_of(types.element_of(type_))
    return f", align {align}" if align else ""


def _order(op: Op) -> tuple[str, str]:
    """What follows `load` or `store`, and what follows the operands."""
    ordering = str(op.attrs.get("ordering", ""))
    tail = words(_scope(op), ordering)
    return words("atomic" if ordering else "", _volatile(op)), f" {tail}" if tail else ""


def _load(op: Op, name: NameOf) -> str:
    head, tail = _order(op)
    return f"{words('load', head, op.result.type)}, {typed(op.operands[0], name)}{tail}{_align(op, op.result.type)}"


def _store(op: Op, name: NameOf) -> str:
    value, pointer = op.operands
    head, tail = _order(op)
    return f"{words('store', head)} {typed(value, name)}, {typed(pointer, name)}{tail}{_align(op, value.type)}"


def _atomic_rmw(op: Op, name: NameOf) -> str:
    pointer, value = op.operands
    head = words("atomicrmw", _volatile(op), str(op.attrs["operation"]))
    tail = words(_scope(op), str(op.attrs["ordering"]))
    return f"{head} {typed(pointer, name)}, {typed(value, name)} {tail}{_align(op)}"


def _compare_exchange(op: Op, name: NameOf) -> str:
    head = words("cmpxchg", "weak" if op.attrs.get("weak") else "", _volatile(op))
    tail = words(_scope(op), str(op.attrs["ordering"]), str(op.attrs["failure"]))
    return f"{head} {', '.join(typed(each, name) for each in op.operands)} {tail}{_align(op)}"


def _fence(op: Op, _name: NameOf) -> str:
    return words("fence", _scope(op), str(op.attrs["ordering"]))


def _pointer(op: Op, number: int, key: str, name: NameOf) -> str:
    align = op.attrs.get(key)
    return f"ptr align {align} {name(op.operands[number])}" if align else f"ptr {name(op.operands[number])}"


def _copy(op: Op, name: NameOf) -> str:
    target, source = _pointer(op, 0, "align_to", name), _pointer(op, 1, "align_from", name)
    volatile = "true" if op.attrs.get("volatile") else "false"
    return f"call void @llvm.{op.name}.p0.p0.i64({target}, {source}, {typed(op.operands[2], name)}, i1 {volatile})"


def _fill(op: Op, name: NameOf) -> str:
    volatile = "true" if op.attrs.get("volatile") else "false"
    rest = ", ".join(typed(each, name) for each in op.operands[1:])
    return f"call void @llvm.memset.p0.i64({_pointer(op, 0, 'align_to', name)}, {rest}, i1 {volatile})"


def _assembly(op: Op, name: NameOf) -> str:
    result = op.results[0].type if op.results else "void"
    side = "sideeffect" if op.attrs.get("sideeffect") else ""
    text, constraints = (_escaped(str(op.attrs[key])) for key in ("text", "constraints"))
    arguments = ", ".join(typed(each, name) for each in op.operands)
    return f'{words("call", result, "asm", side)} "{text}", "{constraints}"({arguments})'


def _escaped(text: str) -> str:
    return "".join(chr(b) if 32 <= b < 127 and b not in (34, 92) else f"\\{b:02X}" for b in text.encode())


# What stands after `%result = `. Not here: control flow, addresses, single elements, calls, memory that an op makes.
TEXT: dict[str, Callable[[Op, NameOf], str]] = {
    **dict.fromkeys(BINARY, _binary),
    **dict.fromkeys(CASTS, _cast),
    **dict.fromkeys(("fneg", "freeze"), _unary),
    **dict.fromkeys(("icmp", "fcmp"), _compare),
    "select": _listed,
    **dict.fromkeys(("extractvalue", "insertvalue"), _member),
    "shufflevector": _shuffle,
    "load": _load,
    "store": _store,
    "atomicrmw": _atomic_rmw,
    "cmpxchg": _compare_exchange,
    "fence": _fence,
    "memcpy": _copy,
    "memmove": _copy,
    "memset": _fill,
    "asm": _assembly,
}

DECLARATIONS = """\
declare void @llvm.memcpy.p0.p0.i64(ptr, ptr, i64, i1 immarg)
declare void @llvm.memmove.p0.p0.i64(ptr, ptr, i64, i1 immarg)
declare void @llvm.memset.p0.i64(ptr, i8, i64, i1 immarg)
declare void @llvm.lifetime.start.p0(i64 immarg, ptr)"""
