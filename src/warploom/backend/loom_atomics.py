# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The LLVM text of atomic operations that nobody can come between (passes/tune/private_atomics.py).

%old = atomicrmw add ptr %p, i32 %x      ==>      %old = load i32, ptr %p
                                                  %new = add i32 %old, %x
                                                  store i32 %new, ptr %p
"""

from __future__ import annotations

from collections.abc import Callable

from warploom.backend.loom_vectors import Writer, mangled
from warploom.ir import types
from warploom.ir.core import Op

Declare = Callable[[str, str], None]

_SIGNS = {"max": "sgt", "min": "slt", "umax": "ugt", "umin": "ult"}
_FLOATS = {"fmax": "maxnum", "fmin": "minnum", "fmaximum": "maximum", "fminimum": "minimum"}
_SAME_NAME = frozenset(("add", "sub", "and", "or", "xor", "fadd", "fsub"))
OPERATIONS = frozenset((*_SIGNS, *_FLOATS, *_SAME_NAME, "xchg", "nand", "uinc_wrap", "udec_wrap"))


def updated(op: Op, old: str, code: Writer, declare: Declare) -> str:
    """The name of what the operation of `op` makes of `old`."""
    type_, name, given = op.operands[1].type, str(op.attrs["operation"]), code.name(op.operands[1])
    if name == "xchg":
        return given
    if name in _SAME_NAME:
        return code.value("new", f"{name} {type_} {old}, {given}")
    if name in _SIGNS:
        keep = code.value("keep", f"icmp {_SIGNS[name]} {type_} {old}, {given}")
        return code.value("new", f"select i1 {keep}, {type_} {old}, {type_} {given}")
    if name in _FLOATS:
        intrinsic = f"llvm.{_FLOATS[name]}.{mangled(type_)}"
        declare(intrinsic, f"declare {type_} @{intrinsic}({type_}, {type_})")
        return code.value("new", f"call {type_} @{intrinsic}({type_} {old}, {type_} {given})")
    if name == "nand":
        both = code.value("both", f"and {type_} {old}, {given}")
        return code.value("new", f"xor {type_} {both}, -1")
    if name == "uinc_wrap":
        wraps = code.value("wraps", f"icmp uge {type_} {old}, {given}")
        more = code.value("more", f"add {type_} {old}, 1")
        return code.value("new", f"select i1 {wraps}, {type_} 0, {type_} {more}")
    none = code.value("none", f"icmp eq {type_} {old}, 0")
    above = code.value("above", f"icmp ugt {type_} {old}, {given}")
    wraps = code.value("wraps", f"or i1 {none}, {above}")
    less = code.value("less", f"sub {type_} {old}, 1")
    return code.value("new", f"select i1 {wraps}, {type_} {given}, {type_} {less}")


def plain_update(op: Op, code: Writer, write: Callable[[str], None], declare: Declare) -> str:
    """Write the `atomicrmw` op as a load and a store; the name of the old value."""
    pointer, type_ = code.name(op.operands[0]), op.operands[1].type
    old, align = _load(op, type_, pointer, code)
    new = updated(op, old, code, declare)
    write(f"store {type_} {new}, ptr {pointer}, align {align}")
    return old


def plain_exchange(op: Op, code: Writer, write: Callable[[str], None]) -> str:
    """Write the `cmpxchg` op as a load and a store; the name of its result."""
    pointer, expected, new = (code.name(each) for each in op.operands)
    type_ = op.operands[1].type
    old, align = _load(op, type_, pointer, code)
    same = code.value("same", f"icmp eq {type_} {old}, {expected}")
    kept = code.value("kept", f"select i1 {same}, {type_} {new}, {type_} {old}")
    write(f"store {type_} {kept}, ptr {pointer}, align {align}")
    pair = f"{{ {type_}, i1 }}"
    first = code.value("pair", f"insertvalue {pair} poison, {type_} {old}, 0")
    return code.value("pair", f"insertvalue {pair} {first}, i1 {same}, 1")


def _load(op: Op, type_: str, pointer: str, code: Writer) -> tuple[str, int]:
    align = int(str(op.attrs.get("align") or types.align_of(type_)))
    return code.value("old", f"load {type_}, ptr {pointer}, align {align}", op.loc), align
