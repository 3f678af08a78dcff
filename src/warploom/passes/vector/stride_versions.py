# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Accesses of neighbours that lie as far apart as a number of the launch says get versions for the usual numbers.

                                          if %n == 1 { %x = load %a[%tx] }
    %i = mul %tx, %n             ==>      { if %n == 0 { %x = load %a[0] }
    %x = load %a[%i]                        { %x = load %a[%i] } }

The strides of a matrix, or the increment of a vector in BLAS, are nearly always 1 or 0: then a vector of threads loads
a row, or one element; else it gathers.

Sound because each side of the choice computes the address again, with the number that %n is there.

Where there are too many accesses for that, but no thread meets many, as in a `switch` over types that only the launch
knows, they keep their addresses, and say that neighbours are likely:

    %x = load %a[%i]             ==>      %s = %i of the last thread - %i of the first, in bytes, or 0 if not all run
    of T                                  %x = gather_near %a[%i], %s:  a row if %s == (n - 1) * sizeof(T)

Sound because at most one number on the way from thread to address may wrap around, one of b >= 16 bits: thread l has
z(u + l * d mod 2^b) * t + v, with z an extension. The distance says that z's first and last differ by (n - 1) * e, for
the e = sizeof(T) / t that a row needs. So (n - 1) * d = (n - 1) * e mod 2^b; n is a power of two, so n - 1 is odd and
d = e. In n - 1 steps of e nothing wraps around, or the last would not be that far behind the first.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator

from warploom.analysis.lanes import Shapes
from warploom.analysis.strides import Apart, distance, number_of_rows
from warploom.ir.core import Builder, Const, Op, Operand, Region, Value, clone_op, int_const, walk
from warploom.ir.ops import is_plain_load, is_plain_store
from warploom.passes.vector.row_versions import is_left_one_by_one

NAME = "stride_versions"
MOST = 16  # accesses of a loop over threads


def version_strides(region: Region, shapes: Shapes) -> bool:
    """Write versions of accesses in `region`; true where any was."""
    found = dict(_versions(region, shapes))
    if 0 < len(found) <= MOST:
        _rewrite(region, found, shapes)
        return True
    if found and _most_on_a_path(region, found) <= MOST:
        for op, (apart, _) in found.items():
            if apart.extensions <= 1 and not apart.fixed:
                op.attrs["often_a_row"] = True
    return False


def _most_on_a_path(region: Region, found: Collection[Op]) -> int:
    """How many of `found` a thread meets at most; of loops, in one iteration."""
    total = 0
    for op in region.ops:
        inner = [_most_on_a_path(each, found) for each in op.regions]
        total += (op in found) + (max(inner, default=0) if op.name == "if" else sum(inner))
    return total


def _versions(region: Region, shapes: Shapes) -> Iterator[tuple[Op, tuple[Apart, int]]]:
    for op in region.ops:
        if is_plain_load(op) or is_plain_store(op):
            wanted = number_of_rows(op, shapes)
            if wanted is not None:
                yield op, wanted
        for inner in op.regions if not is_left_one_by_one(op, shapes) else ():
            yield from _versions(inner, shapes)


def _rewrite(region: Region, found: dict[Op, tuple[Apart, int]], shapes: Shapes) -> None:
    ops: list[Op] = []
    for op in region.ops:
        for inner in op.regions:
            _rewrite(inner, found, shapes)
        if op in found:
            apart, number = found[op]
            _choose(Builder(ops, op.loc), op, apart, number, shapes)
        else:
            ops.append(op)
    region.ops = ops


def _choose(build: Builder, op: Op, apart: Apart, number: int, shapes: Shapes) -> None:
    """The access `op` as a choice by the number that its addresses depend on."""
    by = apart.number
    assert by is not None
    numbers = [number, 0] if op.results and not apart.fixed else [number]
    made = _side([clone_op(op, {})])
    for each in reversed(numbers):
        known = int_const(by.type, each)
        ops: list[Op] = []
        inner = Builder(ops, op.loc)
        mapping: dict[Value, Operand] = {}
        _again(op.operands[-1], by, known, mapping, inner, shapes)
        inner.add(clone_op(op, mapping))
        test = Op("icmp", [by, known], [Value("i1")], {"pred": "eq"}, [], op.loc)
        results = [Value(result.type, result.name) for result in op.results]
        made = _side([test, Op("if", [test.result], results, {}, [_side(ops), made], op.loc)])
    made.body[-1].results = list(op.results)
    build.ops += made.body
    shapes.ranges.definitions.update({value: each for each in walk(made) for value in each.results})


def _side(ops: list[Op]) -> Region:
    """`ops`, and the results of the last one."""
    return Region([], [*ops, Op("yield", list(ops[-1].results))])


def _again(
    operand: Operand, by: Value, known: Const, mapping: dict[Value, Operand], build: Builder, shapes: Shapes
) -> None:
    """Compute an address again with `known` in place of `by`; `mapping` learns what has changed."""
    if not isinstance(operand, Value) or operand in mapping:
        return
    if operand is by:
        mapping[operand] = known
        return
    apart = distance(operand, shapes)
    if apart is None or apart.number is None:
        return
    op = shapes.ranges.definitions[operand]
    for each in op.operands:
        _again(each, by, known, mapping, build, shapes)
    if op.name == "mul" and by in op.operands and known.value in (0, 1):
        other = op.operands[1 - op.operands.index(by)]
        mapping[operand] = mapping.get(other, other) if known.value and isinstance(other, Value) else known
        return
    build.add(clone_op(op, mapping))
