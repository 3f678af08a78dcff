# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The LLVM text of gathers and scatters of bytes and of two bytes, which no processor has an instruction for.

    %x: <32 x i16> = gather %p, %m, %o        ==>    %w = gather of the aligned i32 around each element, under %m
                                                     %x = %m ? trunc (%w >> the element's bits in it) : %o

    scatter %v, %p, %m                        ==>    store %v and %p;  for each bit %l of %m: store %v[%l] at %p[%l]

LLVM would write a branch for each lane: hundreds of instructions and most of the time to compile kernels on such types.
An aligned i32 lies in one page, so what can be read of it can be read whole; what it holds beside the element is
dropped. Elements are stored in the order of lanes, of which the last one counts where two addresses are equal.
"""

from __future__ import annotations

from typing import Protocol

from warploom.backend.loom_ops import typed
from warploom.backend.loom_vectors import Writer
from warploom.ir import types
from warploom.ir.core import Const, Op

_FEWEST_LANES = 8


class FlowWriter(Writer, Protocol):
    """Where instructions and basic blocks go."""

    label: str  # of the block at hand

    def fresh(self, hint: str) -> str:
        """A new local name."""
        ...

    def labels(self, kind: str, *parts: str) -> list[str]:
        """New labels."""
        ...

    def start(self, label: str) -> None:
        """Begin a basic block."""
        ...

    def jump(self, label: str, metadata: str = "") -> None:
        """End a basic block with an unconditional branch."""
        ...

    def declare(self, name: str, text: str) -> None:
        """Declare an intrinsic of LLVM."""
        ...

    def no_copies(self) -> str:
        """The suffix of a branch that closes a loop which LLVM is to leave as it is."""
        ...


def goes_by_words(op: Op) -> bool:
    """Whether a gather reads the words around its elements. A mask that is a constant costs no branches."""
    _, mask, _ = op.operands
    small = _is_small(op.result.type) and not isinstance(mask, Const)
    return small and _align(op, op.result.type) >= types.size_of(types.element_of(op.result.type))


def goes_by_lanes(op: Op) -> bool:
    """Whether a scatter stores one element after the other."""
    return _is_small(op.operands[0].type)


def _is_small(type_: str) -> bool:
    return types.size_of(types.element_of(type_)) <= 2 and (types.lanes_of(type_) or 0) >= _FEWEST_LANES


def _align(op: Op, type_: str) -> int:
    return int(str(op.attrs.get("align") or types.align_of(types.element_of(type_))))


def gather_by_words(op: Op, code: FlowWriter) -> str:
    """Write what loads the words; what stands after `%result = `."""
    pointers, mask, other = op.operands
    type_, lanes, bits = (
        op.result.type,
        types.lanes_of(op.result.type) or 0,
        types.bits(types.element_of(op.result.type)),
    )
    words, numbers, small = f"<{lanes} x i32>", f"<{lanes} x i64>", f"<{lanes} x i{bits}>"
    read = f"llvm.masked.gather.v{lanes}i32.v{lanes}p0"
    code.declare(read, f"declare {words} @{read}({pointers.type}, i32 immarg, {mask.type}, {words})")
    at, active = typed(pointers, code.name), typed(mask, code.name)
    number = code.value("number", f"ptrtoint {at} to {numbers}", op.loc)
    byte = code.value("byte", f"and {numbers} {number}, splat (i64 3)", op.loc)
    back = code.value("back", f"sub {numbers} zeroinitializer, {byte}", op.loc)
    around = code.value("around", f"getelementptr i8, {at}, {numbers} {back}", op.loc)
    arguments = f"{pointers.type} {around}, i32 4, {active}, {words} poison"
    found = code.value("words", f"call {words} @{read}({arguments})", op.loc)
    short = code.value("byte", f"trunc {numbers} {byte} to {words}", op.loc)
    shift = code.value("shift", f"shl {words} {short}, splat (i32 3)", op.loc)
    down = code.value("down", f"lshr {words} {found}, {shift}", op.loc)
    value = code.value("part", f"trunc {words} {down} to {small}", op.loc)
    if small != type_:
        value = code.value("part", f"bitcast {small} {value} to {type_}", op.loc)
    return f"select {active}, {type_} {value}, {typed(other, code.name)}"


def scatter_by_lanes(op: Op, code: FlowWriter) -> None:
    """Write a loop over the lanes that are active."""
    values, pointers, mask = op.operands
    lanes, element = types.lanes_of(values.type) or 0, types.element_of(values.type)
    bits, first = f"i{lanes}", f"llvm.cttz.i{lanes}"
    code.declare(first, f"declare {bits} @{first}({bits}, i1 immarg)")
    kept, places = code.slot(values.type), code.slot(pointers.type)
    code.line(f"store {typed(values, code.name)}, ptr {kept}", op.loc)
    code.line(f"store {typed(pointers, code.name)}, ptr {places}", op.loc)
    all_ = code.value("active", f"bitcast {typed(mask, code.name)} to {bits}", op.loc)
    some = code.value("some", f"icmp ne {bits} {all_}, 0", op.loc)
    body, after = code.labels("scatter", "body", "end")
    before, rest = code.label, code.fresh("rest")
    code.line(f"br i1 {some}, label %{body}, label %{after}", op.loc)
    code.start(body)
    left = code.value("left", f"phi {bits} [ {all_}, %{before} ], [ {rest}, %{body} ]")
    lane = code.value("lane", f"call {bits} @{first}({bits} {left}, i1 true)", op.loc)
    if lanes < 64:
        lane = code.value("lane", f"zext {bits} {lane} to i64", op.loc)
    value_at = code.value("at", f"getelementptr inbounds {element}, ptr {kept}, i64 {lane}", op.loc)
    value = code.value("value", f"load {element}, ptr {value_at}", op.loc)
    place_at = code.value("at", f"getelementptr inbounds ptr, ptr {places}, i64 {lane}", op.loc)
    place = code.value("place", f"load ptr, ptr {place_at}", op.loc)
    code.line(f"store {element} {value}, ptr {place}, align {_align(op, values.type)}", op.loc)
    less = code.value("less", f"add {bits} {left}, -1", op.loc)
    code.line(f"{rest} = and {bits} {left}, {less}", op.loc)
    more = code.value("more", f"icmp ne {bits} {rest}, 0", op.loc)
    code.line(f"br i1 {more}, label %{body}, label %{after}{code.no_copies()}", op.loc)
    code.start(after)
