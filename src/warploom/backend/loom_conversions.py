# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The LLVM text of conversions from vectors of floats to integers that saturate, for x86-64.

    %i = call <16 x i32> @llvm.fptosi.sat(<16 x float> %x)
        ==>   %above = %x > -0x1p31 ? %x : -0x1p31             NaN is -0x1p31 here
              %safe = %x < 0x1p31 ? %above : 0.0               and 0.0 here
              %i = %x >= 0x1p31 ? 0x7fffffff : fptosi %safe

LLVM converts such a vector element by element, with two comparisons and three moves for each (X86, LLVM 23).

Between vectors of i64 and of floats AVX2 has no instruction in either direction: LLVM takes twenty times as long as for
others to write them element by element. Among the cases of a choice of types (loom_choices.py), of which most launches
take another one, they are calls of a function that the module has once.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from warploom.backend.loom_ops import const_text
from warploom.backend.loom_vectors import Writer
from warploom.core.deferred import deferred
from warploom.core.patterns import regex
from warploom.ir import types
from warploom.ir.core import Const, Op

if TYPE_CHECKING:
    from warploom.backend import loom_scattered
else:
    loom_scattered = deferred("warploom.backend.loom_scattered")

_SATURATING = regex(r"llvm\.fpto([su])i\.sat\.v(\d+)i(32|64)\.v\d+f(?:32|64)")


def is_long(op: Op) -> bool:
    """Whether `op` converts between vectors of i64 and of floats."""
    if op.name not in ("sitofp", "uitofp", "call") or len(op.results) != 1 or not op.operands:
        return False
    ends = [op.operands[0].type, op.result.type]
    if not all(map(types.lanes_of, ends)) or "i64" not in map(types.element_of, ends):
        return False
    return op.name != "call" or converts_vectors(op)


def converted_by_call(op: Op, code: loom_scattered.FlowWriter) -> str:
    """Write a call of the function that converts as `op` does; what stands after `%result = `."""
    (source,) = op.operands
    from_, to = source.type, op.result.type
    kind = str(op.attrs["callee"]) if op.name == "call" else f"{op.name}.{_short(from_)}.{_short(to)}"

    def write(inner: loom_scattered.FlowWriter) -> None:
        given = inner.value("given", f"load {from_}, ptr %from")
        text = _saturated(op, given, inner) if op.name == "call" else f"{op.name} {from_} {given} to {to}"
        inner.line(f"store {to} {inner.value('made', text)}, ptr %to")

    call = code.help(f"warploom.{kind.removeprefix('llvm.')}", "ptr %from, ptr %to", write, seldom=False)
    made = code.slot(to)
    code.line(f"{call}(ptr {loom_scattered.stored(source, code, op.loc)}, ptr {made})", op.loc, call=True)
    return f"load {to}, ptr {made}"


def converts_vectors(op: Op) -> bool:
    """Whether a call is a conversion that is written here."""
    return _SATURATING.fullmatch(str(op.attrs["callee"])) is not None


def saturating_conversion(op: Op, code: Writer) -> str:
    """Write the conversion; what stands after `%result = `."""
    return _saturated(op, code.name(op.operands[0]), code)


def _saturated(op: Op, source: str, code: Writer) -> str:
    found = _SATURATING.fullmatch(str(op.attrs["callee"]))
    assert found is not None
    is_signed, lanes, bits = found[1] == "s", int(found[2]), int(found[3])
    float_, result, truth = op.operands[0].type, op.result.type, f"<{lanes} x i1>"
    x = f"{float_} {source}"
    low, high = (-(2.0 ** (bits - 1)), 2.0 ** (bits - 1)) if is_signed else (0.0, 2.0**bits)
    lowest, end = _splat(float_, low), _splat(float_, high)
    over = code.value("over", f"fcmp ogt {x}, {lowest}", op.loc)
    above = code.value("above", f"select {truth} {over}, {x}, {float_} {lowest}", op.loc)
    under = code.value("under", f"fcmp olt {x}, {end}", op.loc)
    safe = code.value("safe", f"select {truth} {under}, {float_} {above}, {float_} zeroinitializer", op.loc)
    number = code.value("number", f"fpto{found[1]}i {float_} {safe} to {result}", op.loc)
    large = code.value("large", f"fcmp oge {x}, {end}", op.loc)
    most = (1 << (bits - 1 if is_signed else bits)) - 1
    return f"select {truth} {large}, {result} splat (i{bits} {most}), {result} {number}"


def _short(type_: str) -> str:
    return f"v{types.lanes_of(type_)}{types.element_of(type_)}"


def _splat(type_: str, value: float) -> str:
    element = types.element_of(type_)
    return f"splat ({element} {const_text(Const(element, types.float_bits(element, value)))})"
