# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The LLVM text of conversions from vectors of floats to integers that saturate, for x86-64.

    %i = call <16 x i32> @llvm.fptosi.sat(<16 x float> %x)
        ==>   %above = %x > -0x1p31 ? %x : -0x1p31             NaN is -0x1p31 here
              %safe = %x < 0x1p31 ? %above : 0.0               and 0.0 here
              %i = %x >= 0x1p31 ? 0x7fffffff : fptosi %safe

LLVM converts such a vector element by element, with two comparisons and three moves for each (X86, LLVM 23).
"""

from __future__ import annotations

from warploom.backend.loom_ops import const_text, typed
from warploom.backend.loom_vectors import Writer
from warploom.core.patterns import regex
from warploom.ir import types
from warploom.ir.core import Const, Op

_SATURATING = regex(r"llvm\.fpto([su])i\.sat\.v(\d+)i(32|64)\.v\d+f(?:32|64)")


def converts_vectors(op: Op) -> bool:
    """Whether a call is a conversion that is written here."""
    return _SATURATING.fullmatch(str(op.attrs["callee"])) is not None


def saturating_conversion(op: Op, code: Writer) -> str:
    """Write the conversion; what stands after `%result = `."""
    found = _SATURATING.fullmatch(str(op.attrs["callee"]))
    assert found is not None
    is_signed, lanes, bits = found[1] == "s", int(found[2]), int(found[3])
    (source,) = op.operands
    float_, result, truth = source.type, op.result.type, f"<{lanes} x i1>"
    x = typed(source, code.name)
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


def _splat(type_: str, value: float) -> str:
    element = types.element_of(type_)
    return f"splat ({element} {const_text(Const(element, types.float_bits(element, value)))})"
