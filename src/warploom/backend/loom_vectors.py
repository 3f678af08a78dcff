# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The LLVM text of addresses, and of ops on vectors for which LLVM has intrinsics.

    %v: <8 x float> = gather %a, %m, %o [align=4]
        ==>   %v = call <8 x float> @llvm.masked.gather.v8f32.v8p0(<8 x ptr> %a, i32 4, <8 x i1> %m, <8 x float> %o)

LLVM 22 and earlier take the alignment as an operand, later ones as an attribute of the pointer; the later ones read the
old form too, which is therefore the one written here.

    %a: <8 x ptr> = gep %p, %n, %i [offset=16, strides=(64, 4)]
        ==>   %base = getelementptr i8, ptr %p, i64 (%n * 64 + 16)
              %a = getelementptr i32, ptr %base, <8 x i64> (sext %i)

A processor's gather takes one base register and a vector of indices, scaled by 1, 2, 4 or 8: so what is uniform goes
into the base and the stride into the element type, and LLVM finds 32-bit indices under the sign extension.

    %x: float = extractelement %v, %i
        ==>   store <8 x float> %v, ptr %slot;  %x = load float, ptr (%slot + (%i & 7) * 4)

LLVM takes such an element from memory too, but its `extractelement` may be run where it was not. An index that is in
range only under its guard, as the number of a set bit of a mask is, then leads out of the slot: LLVM has dropped the
`and` (X86, LLVM 23). A load stays under its guard. `insertelement` at a variable place becomes a choice of elements.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence

from warploom.backend.loom_ops import NameOf, const_text, flags, typed, words
from warploom.core.remarks import Loc
from warploom.core.type_names import Protocol
from warploom.ir import types
from warploom.ir.core import Const, Op, Operand


class Writer(Protocol):
    """Where instructions go."""

    def name(self, operand: Operand) -> str:
        """An operand as LLVM writes it."""
        ...

    def value(self, hint: str, text: str, loc: Loc | None = None) -> str:
        """Append `%hint = text`; the name."""
        ...

    def line(self, text: str, loc: Loc | None = None, *, call: bool = False) -> None:
        """Append one instruction."""
        ...

    def slot(self, type_: str) -> str:
        """The function's memory for one vector of a type at a time."""
        ...


# -- intrinsics -------------------------------------------------------------------------------------------------------

_STARTS = {"fadd": -0.0, "fmul": 1.0}  # neutral: reductions in order begin with a number
INTRINSICS = frozenset(("masked_load", "masked_store", "gather", "scatter", "reduce"))


def mangled(type_: str) -> str:
    """A type as it stands in the name of an intrinsic: v16f32, i64, p0."""
    lanes, element = types.lanes_of(type_), types.element_of(type_)
    text = element
    if element == "ptr":
        text = "p0"
    elif types.is_float(element):
        text = "bf16" if element == "bfloat" else f"f{types.bits(element)}"
    return f"v{lanes}{text}" if lanes else text


def intrinsic(op: Op) -> str:
    """The name of the intrinsic for `op`."""
    if op.name == "reduce":
        return f"llvm.vector.reduce.{op.attrs['kind']}.{mangled(op.operands[0].type)}"
    name = op.name.replace("_", ".") if op.name.startswith("masked") else f"masked.{op.name}"
    value, pointer = _value_and_pointer(op)
    return f"llvm.{name}.{mangled(value)}.{mangled(pointer)}"


def _value_and_pointer(op: Op) -> tuple[str, str]:
    """The types of what an access reads or writes, and of the address."""
    first = op.operands[0].type
    return (op.result.type, first) if op.results else (first, op.operands[1].type)


def _arguments(op: Op, name: NameOf) -> list[tuple[str, str]]:
    """What the intrinsic takes: types and texts."""
    given = [(each.type, name(each)) for each in op.operands]
    if op.name == "reduce":
        type_, start = op.result.type, _STARTS.get(str(op.attrs["kind"]))
        return given if start is None else [(type_, const_text(Const(type_, types.float_bits(type_, start)))), *given]
    align = op.attrs.get("align") or types.align_of(types.element_of(_value_and_pointer(op)[0]))
    given.insert(1 if op.results else 2, ("i32", str(align)))  # behind the pointer
    return given


def _result(op: Op) -> str:
    return op.result.type if op.results else "void"


def declaration(op: Op) -> str:
    """The declaration of the intrinsic for `op`."""
    parameters = ", ".join("i32 immarg" if type_ == "i32" else type_ for type_, _ in _arguments(op, lambda _: ""))
    return f"declare {_result(op)} @{intrinsic(op)}({parameters})"


def call(op: Op, name: NameOf) -> str:
    """The call of the intrinsic for `op`."""
    arguments = ", ".join(f"{type_} {text}" for type_, text in _arguments(op, name))
    return f"{words('call', flags(op), _result(op))} @{intrinsic(op)}({arguments})"


# -- vectors of one value ---------------------------------------------------------------------------------------------


def splat(op: Op, code: Writer, chooses_masks: bool = False) -> str:
    """The name of a vector, or the constant, whose elements are all the operand.

    `chooses_masks`: a mask is one of two numbers in a register. As an element that is copied LLVM joins it with others
    of its kind first, and then copies an element of a mask register: through a vector register, five instructions.
    """
    (operand,), type_ = op.operands, op.result.type
    if isinstance(operand, Const) and isinstance(operand.value, int):
        return f"splat ({typed(operand, code.name)})"
    if chooses_masks and operand.type == "i1":
        choice = f"select i1 {code.name(operand)}, {type_} splat (i1 true), {type_} zeroinitializer"
        return code.value(op.result.name or "all", choice, op.loc)
    return _splat(typed(operand, code.name), type_, code, op.loc, op.result.name or "all")


# -- single elements --------------------------------------------------------------------------------------------------


def element(op: Op, code: Writer) -> str:
    """What stands after `%result = ` for an op `extractelement`."""
    vector, index = op.operands
    if isinstance(index, Const):
        return f"extractelement {typed(vector, code.name)}, {typed(index, code.name)}"
    lanes, type_ = types.lanes_of(vector.type) or 1, op.result.type
    number = _inside(index, lanes, code)
    name, stored = code.name(vector), f"i{8 * types.size_of(type_)}" if types.is_int(type_) else type_
    whole = types.vector(stored, lanes)
    if stored != type_:  # in memory elements take whole bytes
        name = code.value("wide", f"zext {vector.type} {name} to {whole}", op.loc)
    slot = code.slot(whole)
    code.line(f"store {whole} {name}, ptr {slot}", op.loc)
    at = code.value("at", f"getelementptr inbounds {stored}, ptr {slot}, i64 {number}", op.loc)
    load = f"load {stored}, ptr {at}"
    return load if stored == type_ else f"trunc {stored} {code.value('found', load, op.loc)} to {type_}"


def with_element(op: Op, code: Writer) -> str:
    """What stands after `%result = ` for an op `insertelement`."""
    vector, value, index = op.operands
    if isinstance(index, Const):
        return f"insertelement {', '.join(typed(each, code.name) for each in op.operands)}"
    lanes = types.lanes_of(vector.type) or 1
    number = _splat(f"i64 {_inside(index, lanes, code)}", f"<{lanes} x i64>", code, op.loc)
    numbers = ", ".join(f"i64 {lane}" for lane in range(lanes))
    here = code.value("here", f"icmp eq <{lanes} x i64> {number}, <{numbers}>", op.loc)
    new = _splat(typed(value, code.name), vector.type, code, op.loc)
    return f"select <{lanes} x i1> {here}, {vector.type} {new}, {typed(vector, code.name)}"


def _inside(index: Operand, lanes: int, code: Writer) -> str:
    """An i64 that is the number of an element whatever `index` is, and `index` where that is one."""
    width = types.bits(index.type)
    name = code.name(index)
    if width != 64:
        name = code.value("index", f"{'zext' if width < 64 else 'trunc'} {index.type} {name} to i64")
    if lanes & (lanes - 1) == 0:
        return code.value("inside", f"and i64 {name}, {lanes - 1}")
    fits = code.value("fits", f"icmp ult i64 {name}, {lanes}")
    return code.value("inside", f"select i1 {fits}, i64 {name}, i64 0")


def _splat(operand: str, type_: str, code: Writer, loc: Loc | None, hint: str = "all") -> str:
    one = code.value("one", f"insertelement {type_} poison, {operand}, i64 0", loc)
    mask = f"<{types.lanes_of(type_)} x i32> zeroinitializer"
    return code.value(hint, f"shufflevector {type_} {one}, {type_} poison, {mask}", loc)


# -- addresses --------------------------------------------------------------------------------------------------------

_Scaled = tuple[Operand, int]  # an index and its stride in bytes


def address(op: Op, code: Writer) -> str:
    """What stands after `%result = ` for an op `gep`."""
    base, *indices = op.operands
    offset, strides = op.attrs.get("offset", 0), op.attrs.get("strides", ())
    assert isinstance(offset, int)
    assert isinstance(strides, tuple)
    inbounds = bool(op.attrs.get("inbounds"))
    scaled = [(index, int(str(stride))) for index, stride in zip(indices, strides, strict=True)]
    vectors = [each for each in scaled if types.is_vector(each[0].type)]
    uniform = [each for each in scaled if not types.is_vector(each[0].type)]
    if not vectors:
        return _step("i8", typed(base, code.name), f"i64 {_sum(uniform, offset, inbounds, code)}", inbounds)
    start = typed(base, code.name)
    if uniform or offset:
        # In bounds is where all steps end: this first one alone need not be.
        total = _sum(uniform, offset, inbounds, code)
        start = f"{base.type} {code.value('base', _step('i8', start, f'i64 {total}', False))}"
        inbounds = False
    unit = math.gcd(8, *(stride for _, stride in vectors))
    return _step(f"i{8 * unit}", start, _vector_sum(vectors, unit, code), inbounds)


def _step(element: str, start: str, index: str, inbounds: bool) -> str:
    return f"{words('getelementptr', 'inbounds' if inbounds else '', element)}, {start}, {index}"


def _sum(scaled: Sequence[_Scaled], offset: int, inbounds: bool, code: Writer) -> str:
    """Bytes, as i64. In bounds is the sum, not each step of it: so the steps are integers."""
    total = str(offset) if offset or not scaled else ""
    for index, stride in scaled:
        name = code.name(index)
        if index.type != "i64":
            name = code.value("index", f"sext {index.type} {name} to i64")
        if stride != 1:
            name = code.value("scaled", f"mul {'nsw ' if inbounds else ''}i64 {name}, {stride}")
        total = code.value("offset", f"add i64 {name}, {total}") if total else name
    return total


def _vector_sum(scaled: Sequence[_Scaled], unit: int, code: Writer) -> str:
    """Units of bytes, as a vector of i64, with its type."""
    wide = types.vector("i64", types.lanes_of(scaled[0][0].type) or 0)
    total = ""
    for index, stride in scaled:
        name = code.name(index)
        if index.type != wide:
            name = code.value("index", f"sext {index.type} {name} to {wide}")
        if stride != unit:
            name = code.value("scaled", f"mul {wide} {name}, splat (i64 {stride // unit})")
        total = code.value("offset", f"add {wide} {name}, {total}") if total else name
    return f"{wide} {total}"


# What stands after `%result = `, behind other instructions.
SEVERAL: dict[str, Callable[[Op, Writer], str]] = {
    "gep": address,
    "extractelement": element,
    "insertelement": with_element,
}
