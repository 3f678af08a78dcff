# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Comparisons of a number that counts threads, for vectors of many threads.

    %i = add %base, %tx        (%base + 0, %base + 1, ...)         %d = min(max(%n - %base, -1), 64), as i8
    %c = icmp %i, %n [pred=slt]                              ==>   %c = icmp <i8 0, i8 1, ..., i8 63>, %d [pred=slt]

A vector of 64 threads is that of a kernel on bytes: as i32 its numbers take eight registers of AVX2, as many
comparisons, and seven instructions that pack what they give.

Theorem. Let lane l have the number b + l over the integers (its shape is exact), n be the same in all lanes, and l be
one of 0 ... W-1. Then b + l < n exactly if l < n - b, and the same holds for <=, >, >=, = and !=. Every number below 0
compares alike with all l, and so do those above W - 1: -1 and W stand for them. These fit i8 for W up to 127. In
unsigned comparisons b + l and n are their values as unsigned numbers, where b + l is not negative as a signed one.
"""

from __future__ import annotations

from warploom.analysis.work_formulas import SWAPPED
from warploom.ir import types
from warploom.ir.core import Op, Operand, int_const
from warploom.passes.vector.widen import Widener

_REGISTERS = 2  # that the numbers may take as they are: for one or two, what comes before the comparison costs as much
_FAR = 1 << 62  # the difference of two numbers of less has no overflow as i64


def count_lanes(w: Widener, op: Op, row: int) -> Operand | None:
    """The vector of what `icmp` gives; None where it is to be written as it is."""
    left, right = op.operands
    bits, vector_bits = types.bits(left.type), w.shapes.ranges.function.facts.processor.vector_bits
    if not types.is_int(left.type) or w.width * bits <= _REGISTERS * vector_bits:
        return None
    pred = str(op.attrs["pred"])
    if w.shapes.of(left).is_uniform:
        left, right, pred = right, left, SWAPPED.get(pred, pred)
    shape, unsigned = w.shapes.of(left), pred[0] == "u"
    least, most = w.shapes.ranges.of(left, signed=True)
    if shape.stride != 1 or not shape.exact or shape.guarded or not w.shapes.of(right).is_uniform:
        return None
    if (unsigned and least < 0) or (bits == 64 and not -_FAR < least <= most < _FAR):
        return None
    small = _type_of_numbers(w.width, vector_bits)
    away = w.build.op("sub", [_bound(w, right, row, unsigned), w.wide(left, row)], "i64")
    away = _limited(w, "smin", _limited(w, "smax", away, -1), w.width)
    bound = w.spread(w.build.op("trunc", [away], small), 0)
    signed = pred if pred in ("eq", "ne") else f"s{pred[1:]}"
    return w.build.op("icmp", [w.steps(small, 1), bound], w.vector_of("i1"), op.result.name, pred=signed)


def _type_of_numbers(lanes: int, vector_bits: int) -> str:
    """For the numbers of lanes and `lanes` itself: one that fills the registers that they may take."""
    room = _REGISTERS * vector_bits // lanes
    return "i8" if room < 16 and lanes < 128 else "i16" if room < 32 else "i32"


def _bound(w: Widener, operand: Operand, row: int, unsigned: bool) -> Operand:
    """What the numbers are compared with, as i64; where it has 64 bits, at most as far away as matters."""
    bound = w.scalar(operand, row)
    if bound.type != "i64":
        return w.build.op("zext" if unsigned else "sext", [bound], "i64")
    if unsigned:
        return _limited(w, "umin", bound, _FAR)
    return _limited(w, "smin", _limited(w, "smax", bound, -_FAR), _FAR)


def _limited(w: Widener, kind: str, number: Operand, limit: int) -> Operand:
    attrs = {"callee": f"llvm.{kind}.i64", "effects": "none", "speculatable": True}
    return w.build.op("call", [number, int_const("i64", limit)], "i64", **attrs)
