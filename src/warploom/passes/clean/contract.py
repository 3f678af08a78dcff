# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Fuse multiplications and additions, where the program allows it, before anything else moves them.

    m = fmul a, b [contract]          r = fmuladd a, b, c
    r = fadd m, c [contract]    ==>
    r = fsub m, c                     r = fmuladd a, b, -c
    r = fsub c, m                     r = fmuladd -a, b, c

Sound because both ops allow contraction. Of a*b + c*d the first product is fused, and only a product without another
use: what code generators do late, also the reference engine's. Done late, the choice would depend on every pass before
it, and the last digits of a result on the optimisation level. A product with a power of two is exact, so that it may
be fused wherever it is used without a change of any digit; it comes after the others. `llvm.fmuladd` becomes two
instructions where the processor has no fused one.

Then the permission goes: no op keeps the flag `contract`. A pass may compute an op again, as the minimum cut does, and
LLVM would fuse the copy whose product has no other use, and not the other one: a thread would find `a * b + c < d` true
before a barrier and false behind it. What is left rounds the same wherever it is computed. That is not said of the sign
and the payload of a NaN, which LLVM may choose at every op anew: `fmuladd a, b, -c` is one instruction, which keeps the
sign of a NaN c, or two, of which the first turns it round.
"""

from __future__ import annotations

from warploom.ir.core import Const, Function, Op, Operand, Region, Value, flags_of, uses_of, walk
from warploom.ir.types import is_float
from warploom.passes.base import Context, Pass
from warploom.passes.contracts import CONTRACTED, STRUCTURED

_CONTRACT = frozenset(("contract", "fast"))
_OTHERS_OF_FAST = ("reassoc", "nnan", "ninf", "nsz", "arcp", "afn")


def may_contract(op: Op) -> bool:
    """Whether the op's rounding may be left out."""
    return not _CONTRACT.isdisjoint(flags_of(op))


def is_exact(product: Op) -> bool:
    """Whether one factor is a power of two, so that the product is rounded nowhere but among the smallest numbers."""
    return any(isinstance(each, Const) and is_power_of_two(each) for each in product.operands)


def is_power_of_two(factor: Const) -> bool:
    """Whether a float or double has a mantissa of zeros only and doubles at least: it never makes a number smaller."""
    mantissa = {"float": 23, "double": 52}.get(factor.type)
    if mantissa is None or not isinstance(factor.value, int):
        return False
    bits = factor.value & ~(1 << (31 if factor.type == "float" else 63))
    one = 127 << 23 if factor.type == "float" else 1023 << 52
    infinity = 255 << 23 if factor.type == "float" else 2047 << 52
    return bits % (1 << mantissa) == 0 and one < bits < infinity


def run(function: Function, _: Context) -> bool:
    """Fuse every sum and difference of a product, and end the permission to do so; the products die later."""
    products = {op.result: op for op in walk(function.body) if op.name == "fmul" and may_contract(op)}
    uses = uses_of(function.body) if products else {}
    alone = {value: op for value, op in products.items() if len(uses.get(value, ())) == 1}
    exact = {value: op for value, op in products.items() if is_exact(op)}
    changed = False
    for some in (alone, exact):
        if some:
            around = [Op("root", regions=[function.body]), *walk(function.body)]
            for op in around:
                changed |= _fuse_in(op.regions, some)
    for op in walk(function.body):
        changed |= _forbid(op)
    return changed


def _forbid(op: Op) -> bool:
    """Let LLVM fuse `op` with nothing."""
    if not may_contract(op):
        return False
    left: list[str] = []
    for flag in map(str, flags_of(op)):
        left += _OTHERS_OF_FAST if flag == "fast" else (flag,) if flag != "contract" else ()
    if left:
        op.attrs["flags"] = tuple(left)
    else:
        del op.attrs["flags"]
    return True


def _fuse_in(regions: list[Region], alone: dict[Value, Op]) -> bool:
    changed = False
    for region in regions:
        ops: list[Op] = []
        here = {op.result for op in region.ops if op.name == "fmul"}
        for op in region.ops:
            fused = op.name in ("fadd", "fsub") and may_contract(op) and _fuse(op, alone, here, ops)
            if not fused:
                ops.append(op)
            changed |= fused
        region.ops = ops
    return changed


def _fuse(op: Op, alone: dict[Value, Op], here: set[Value], ops: list[Op]) -> bool:
    """Append the fused op; false when neither operand is a product of the same region."""
    for number, operand in enumerate(op.operands):
        if isinstance(operand, Value) and operand in alone and operand in here and is_float(operand.type):
            left, right = alone[operand].operands
            other = op.operands[1 - number]
            if op.name == "fsub":
                negated = Op("fneg", [left if number else other], [Value(operand.type)], {}, [], op.loc)
                ops.append(negated)
                left, other = (negated.result, other) if number else (left, negated.result)
            ops.append(_fused(op, [left, right, other]))
            return True
    return False


def _fused(op: Op, operands: list[Operand]) -> Op:
    type_ = op.result.type
    suffix = {"half": "f16", "bfloat": "bf16", "float": "f32", "double": "f64"}[type_]
    attrs = {"callee": f"llvm.fmuladd.{suffix}", "effects": "none", "speculatable": True, "flags": op.attrs["flags"]}
    return Op("call", operands, op.results, dict(attrs), [], op.loc)


CONTRACT = Pass("contract", run, requires=(STRUCTURED,), ensures=(CONTRACTED,))
