# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""How values differ between the threads of a vector: one fact each."""

from __future__ import annotations

import pytest

from warploom.analysis.exact_linear import Ranges
from warploom.analysis.lane_shapes import Shape, X, Y, join
from warploom.analysis.lanes import Shapes
from warploom.ir.core import Function, Op, Value, walk
from warploom.ir.parser import parse_function
from warploom.ir.verifier import verify

XY = X | Y
WIDTH = 16
LAUNCH = "%gdx: i32, %gdy: i32, %gdz: i32, %bdx: i32, %bdy: i32, %bdz: i32"


def threads(ops: str, block: str = "%bdx, %bdy, %bdz") -> Function:
    """A kernel whose threads run `ops`."""
    function = parse_function(
        f"kernel @k({LAUNCH}, %n: i32, %m: i64, %p: ptr, %f: float) {{\n"
        "grid %gdx, %gdy, %gdz { (%bx: i32, %by: i32, %bz: i32)\n"
        f"block {block} {{ (%tx: i32, %ty: i32, %tz: i32)\n{ops}\nyield\n}}\nyield\n}}\nyield\n}}\n"
    )
    verify(function, "structured")
    return function


def solved(function: Function) -> tuple[Shapes, dict[str, Value], Op]:
    """The shapes, all values by name, and the thread loop."""
    shapes = Shapes(Ranges(function), WIDTH)
    loop = next(op for op in walk(function.body) if op.name == "block")
    shapes.solve(loop, Value("i32", "lane"))
    found: dict[str, Value] = {}
    for op in walk(function.body):
        for value in (*op.results, *(value for region in op.regions for value in region.params)):
            found[value.name] = value
    return shapes, found, loop


def shape_of(ops: str, name: str, block: str = "%bdx, %bdy, %bdz") -> Shape:
    """The shape of the value called `name`."""
    shapes, found, _ = solved(threads(ops, block))
    return shapes.of(found[name])


# What is computed, the value looked at, dims, stride (None: nothing known), exact, why.
FACTS = [
    ("%a: i32 = add %n, 1:i32", 0, 0, True, "a parameter is the same for all"),
    ("%a: i32 = add %ty, 1:i32", Y, 0, True, "the thread's row is the same for neighbours in x"),
    ("%a: i32 = add %tz, 1:i32", 0, 0, True, "vectors never cross planes"),
    ("%a: i32 = add %tx, %ty", XY, 1, True, "thread numbers are small, their sum does not wrap"),
    ("%a: i32 = add %tx, %n", X, 1, False, "the sum may wrap"),
    ("%a: i32 = add %tx, %n [flags=(nsw)]", X, 1, True, "LLVM says that the sum does not wrap"),
    ("%a: i32 = add %tx, %n [flags=(nuw)]", X, 1, False, "unsigned sums are no signed ones"),
    ("%a: i32 = sub %n, %tx [flags=(nsw)]", X, -1, True, "downwards"),
    ("%a: i32 = sub %tx, 5:i32", X, 1, True, "thread numbers are below 1024"),
    ("%a: i32 = sub %tx, %tx", 0, 0, True, "neighbours have the same"),
    ("%a: i32 = mul %tx, 12:i32", X, 12, True, "a constant factor"),
    ("%a: i32 = mul 12:i32, %tx", X, 12, True, "on either side"),
    ("%a: i32 = mul %tx, -3:i32", X, -3, True, "a negative one"),
    ("%a: i32 = mul %tx, 123456789:i32", X, 123456789, False, "a product that wraps"),
    ("%a: i32 = mul %tx, %n", X, None, False, "the factor is not known"),
    ("%a: i32 = mul %tx, %tx", X, None, False, "a square"),
    ("%a: i32 = shl %tx, 3:i32", X, 8, True, "a shift is a product"),
    ("%a: i32 = shl %n, %tx", X, None, False, "of another number"),
    ("%a: i32 = or %tx, 4096:i32 [flags=(disjoint)]", X, 1, True, "no bit in common: a sum"),
    ("%a: i32 = or %tx, 4096:i32", X, None, False, "nobody says that there is no bit in common"),
    ("%a: i32 = xor %tx, 1:i32", X, None, False, "swapped neighbours"),
    ("%a: i64 = sext %tx", X, 1, True, "an exact stride goes through sext"),
    ("%a: i64 = zext %tx", X, 1, True, "thread numbers are not negative"),
    ("%b: i32 = sub %tx, 5:i32 %a: i64 = zext %b [flags=(nneg)]", X, 1, True, "LLVM says that it is not negative"),
    ("%b: i64 = zext %tx %a: i32 = trunc %b", X, 1, True, "it fits"),
    ("%b: i64 = sext %tx %c: i64 = add %b, %m %a: i32 = trunc %c", X, 1, False, "modulo 2^32"),
    ("%a: i1 = trunc %tx", X, None, False, "a bit has no stride"),
    ("%a: float = sitofp %tx", X, None, False, "only integers and pointers have strides"),
    ("%c: i1 = icmp %n, 3:i32 [pred=eq] %a: i32 = select %c, %tx, %tx", X, 1, True, "the same either way"),
    ("%c: i1 = icmp %n, 3:i32 [pred=eq] %b: i32 = add %tx, 7:i32 %a: i32 = select %c, %tx, %b", X, 1, True,
     "the same stride, the same choice for all"),
    ("%c: i1 = icmp %n, 3:i32 [pred=eq] %a: ptr = select %c, %p, null:ptr", 0, 0, True,
     "a choice between uniform values"),
    ("%c: i1 = icmp %tx, %n [pred=eq] %a: ptr = select %c, %p, null:ptr", X, None, False, "each thread chooses"),
    ("%c: i1 = icmp %tx, %n [pred=eq] %a: i32 = select %c, %n, poison:i32", 0, 0, True, "the others may have anything"),
    ("%a: ptr = gep %p, %tx [offset=4, strides=(8)]", X, 8, False, "an address"),
    ("%w: i64 = sext %tx %a: ptr = gep %p, %w, %ty [offset=0, strides=(4, 100)]", XY, 4, False, "a row of a matrix"),
    ("%b: ptr = gep %p, %tx [offset=0, strides=(4)] %a: ptr = gep %b, %tx [offset=0, strides=(4)]", X, 8, False,
     "steps add up"),
    ("%i: i32 = add %tx, %n %a: ptr = gep %p, %i [offset=0, strides=(4)]", X, None, False, "the index may wrap"),
    ("%w: i64 = sext %tx %i: i64 = mul %w, 4:i64 %j: i64 = add %i, %m %a: ptr = gep %p, "
     "%j [offset=0, strides=(1)]", X, 4, False,
     "addresses of 64 bits wrap as their parts do"),
    ("%b: ptr = gep %p, %tx [offset=0, strides=(4)] %a: i64 = ptrtoint %b", X, 4, False, "a pointer as a number"),
    ("%a: i32 = lshr %tx, 5:i32", 0, 0, True, "the number of a warp"),
    ("%a: i32 = udiv %tx, 32:i32", 0, 0, True, "the same as a division"),
    ("%a: i32 = and %tx, 31:i32", X, 1, True, "the number in a warp counts threads"),
    ("%a: i32 = urem %tx, 32:i32", X, 1, True, "the same as a remainder"),
    ("%a: i32 = lshr %tx, 3:i32", X, None, False, "groups smaller than a vector"),
    ("%a: i32 = and %tx, 7:i32", X, None, False, "which start again inside of a vector"),
    ("%a: i32 = udiv %tx, 24:i32", X, None, False, "groups that vectors do not divide"),
    ("%b: i32 = add %tx, 1:i32 %a: i32 = lshr %b, 5:i32", X, None, False, "groups that start in a vector's middle"),
    ("%b: i32 = add %tx, 64:i32 %a: i32 = lshr %b, 5:i32", 0, 0, True, "or not"),
    ("%b: i32 = add %tx, %bx [flags=(nsw)] %a: i32 = lshr %b, 5:i32", X, None, False, "a start that is not known"),
    ("%a: i32 = load %p [align=4]", 0, 0, True, "a plain load is as uniform as its address"),
    ("%b: ptr = gep %p, %tx [offset=0, strides=(4)] %a: i32 = load %b [align=4]", X, None, False,
     "neighbours read neighbours"),
    ("%b: ptr = gep %p, %ty [offset=0, strides=(4)] %a: i32 = load %b [align=4]", Y, 0, True, "one address a row"),
    ("%a: i32 = atomicrmw %p, 1:i32 [operation=add, ordering=monotonic]", XY, None, False,
     "each thread gets another old value"),
    ("%a: ptr = alloca [size=20, align=4]", XY, 20, True, "private memory, piece by piece"),
    ("%a: ptr = alloca [size=20, align=16]", XY, 32, True, "each piece is aligned"),
    ("%a: float = call %f [callee=expf, effects=none]", 0, 0, True, "a function of uniform arguments"),
    ("%a: i32 = call %n [callee=f, effects=any]", XY, None, False, "which may ask who calls"),
]  # fmt: skip


@pytest.mark.parametrize(("ops", "dims", "stride", "exact", "why"), FACTS, ids=[fact[-1] for fact in FACTS])
def test_shape(ops: str, dims: int, stride: int | None, exact: bool, why: str) -> None:
    shape = shape_of(ops, "a")
    assert (shape.dims, shape.stride, shape.guarded) == (dims, stride, False), why
    assert shape.exact == exact or not shape.dims & X, why


# -- strides that are asked for at run time ---------------------------------------------------------------------------

GUARDED = {
    "a 32-bit sum that may wrap": "%b: i32 = add %tx, %n %a: i64 = zext %b",
    "an unsigned number that may be below zero": "%b: i32 = sub %tx, 5:i32 %a: i64 = zext %b",
    "its address": "%b: i32 = add %tx, %n %c: i64 = sext %b %a: ptr = gep %p, %c [offset=0, strides=(1)]",
    "a maximum": "%b: i32 = sub %tx, 5:i32 "
    "%a: i32 = call %b, 0:i32 [callee=llvm.smax.i32, effects=none, speculatable=true]",
    "a choice": "%c: i1 = icmp %tx, 9:i32 [pred=slt] %a: i32 = select %c, %tx, 9:i32",
}


@pytest.mark.parametrize("ops", GUARDED.values(), ids=GUARDED)
def test_a_guarded_stride(ops: str) -> None:
    shape = shape_of(ops, "a")
    assert shape.guarded
    assert shape.stride == 1
    assert shape.kept == Shape(X, None, False)


def test_control_flow_forgets_guarded_strides() -> None:
    ops = """%b: i32 = add %tx, %n %g: i64 = zext %b
    %a: i64 = for 0:i32, 4:i32, 1:i32, %g [pred=slt] { (%i: i32, %k: i64) yield %k }"""
    assert shape_of(ops, "a").stride is None
    assert shape_of(ops, "k").stride is None


def test_a_loop_that_starts_with_a_guarded_number_does_not_count() -> None:
    ops = "%b: i32 = add %tx, %n %g: i64 = zext %b for %g, %m, 4:i64 [pred=slt] { (%i: i64) yield }"
    assert shape_of(ops, "i").stride is None


# -- control flow -----------------------------------------------------------------------------------------------------

SAME = "%c: i1 = icmp %n, 3:i32 [pred=sgt]"
PARTS = "%c: i1 = icmp %tx, %n [pred=sgt]"
FLOW = [
    (f"{SAME} %a: i32 = if %c {{ yield %tx }} {{ %b: i32 = add %tx, 9:i32 yield %b }}", X, 1, "one stride either way"),
    (f"{SAME} %a: i32 = if %c {{ yield %tx }} {{ yield %n }}", X, None, "two strides"),
    (f"{SAME} %a: i32 = if %c {{ yield 1:i32 }} {{ yield %n }}", 0, 0, "all threads take one side"),
    (f"{PARTS} %a: i32 = if %c {{ yield 1:i32 }} {{ yield %n }}", X, None, "threads part"),
    (f"{PARTS} %a: i32 = if %c {{ yield %n }} {{ yield %n }}", 0, 0, "threads part, and have the same"),
    (f"{PARTS} %a: i32 = if %c {{ yield %n }} {{ yield poison:i32 }}", 0, 0, "poison may be anything"),
    ("%a: i32 = for 0:i32, %n, 1:i32, 0:i32 [pred=slt] { (%i: i32, %k: i32) %l: i32 = add %k, %i yield %l }", 0, 0,
     "a loop of uniform trips"),
    ("%a: i32 = for 0:i32, %n, 1:i32, %tx [pred=slt] { (%i: i32, %k: i32) %l: i32 = add %k, %i yield %l }", X, 1,
     "a carried number keeps its stride"),
    ("%a: i32 = for 0:i32, %n, 1:i32, 0:i32 [pred=slt] { (%i: i32, %k: i32) %l: i32 = add %k, %tx yield %l }", X, None,
     "a stride that grows"),
    ("%a: i32 = for 0:i32, %tx, 1:i32, 0:i32 [pred=slt] { (%i: i32, %k: i32) %l: i32 = add %k, 1:i32 yield "
     "%l }", X, None,
     "threads leave in different iterations"),
    ("%a: i32 = for 0:i32, %ty, 1:i32, 0:i32 [pred=slt] { (%i: i32, %k: i32) %l: i32 = add %k, 1:i32 yield %l }", Y, 0,
     "rows leave in different iterations"),
    ("for 0:i32, %tx, 1:i32 [pred=slt] { (%a: i32) yield }", 0, 0, "inside all threads count alike"),
    ("for %tx, %n, 64:i32 [pred=slt] { (%a: i32) yield }", X, 1, "a counter that starts with the thread's number"),
    ("for %tx, %n, %tx [pred=slt] { (%a: i32) yield }", X, None, "steps of one's own"),
    ("%q: ptr = gep %p, %tx [offset=0, strides=(4)] %a: ptr = for 0:i32, %n, 1:i32, %q [pred=slt] { (%i: i32, %k: ptr) "
     "%l: ptr = gep %k [offset=64, strides=()] yield %l }", X, 4, "a carried pointer keeps its stride"),
    ("%a: i32 = while %n { (%i: i32) %c: i1 = icmp %i, 0:i32 [pred=sgt] condition %c, %i } { (%j: i32) "
     "%l: i32 = lshr %j, 1:i32 yield %l }", 0, 0, "a `while` of all threads"),
    ("%a: i32 = while %n { (%i: i32) %c: i1 = icmp %i, %tx [pred=sgt] condition %c, %i } { (%j: i32) "
     "%l: i32 = lshr %j, 1:i32 yield %l }", X, None, "a `while` that threads leave one by one"),
    ("%z: i32 = while %n { (%i: i32) %c: i1 = icmp %i, %tx [pred=sgt] condition %c, %i } { (%a: i32) "
     "%l: i32 = lshr %a, 1:i32 yield %l }", 0, 0, "in which they are in the same iteration"),
]  # fmt: skip


@pytest.mark.parametrize(("ops", "dims", "stride", "why"), FLOW, ids=[fact[-1] for fact in FLOW])
def test_control_flow(ops: str, dims: int, stride: int | None, why: str) -> None:
    shape = shape_of(ops, "a")
    assert (shape.dims, shape.stride) == (dims, stride), why


def test_which_loops_and_branches_part_threads() -> None:
    shapes, _, loop = solved(
        threads(f"""{PARTS}
        if %c {{ yield }} {{ yield }}
        %d: i1 = icmp %ty, %n [pred=sgt]
        if %d {{ yield }} {{ yield }}
        for 0:i32, %tx, 1:i32 [pred=slt] {{ (%i: i32) yield }}
        for %tx, 100:i32, 32:i32 [pred=slt] {{ (%j: i32) yield }}
        for 0:i32, %n, 1:i32 [pred=slt] {{ (%k: i32) yield }}""")
    )
    parting = [shapes.is_divergent(op) for op in walk(loop.region) if op.name in ("if", "for")]
    assert parting == [True, False, True, True, False]


def test_a_counter_of_iterations_that_all_threads_run_is_exact() -> None:
    ops = "for %tx, %n, 64:i32 [pred=slt] { (%i: i32) yield }"
    function = threads(ops)
    loop = next(op for op in walk(function.body) if op.name == "for")
    shapes, found, _ = solved(function)
    assert not shapes.of(found["i"]).exact
    loop.attrs["together"] = True
    shapes, found, _ = solved(function)
    assert shapes.of(found["i"]) == Shape(X, 1, True, WIDTH)
    assert not shapes.is_divergent(loop)


def test_block_sizes_give_ranges_and_alignment() -> None:
    ops = "%s: i32 = mul %bx, 256:i32 %i: i32 = add %s, %tx [flags=(nsw)] %a: i32 = ashr %i, 5:i32"
    assert shape_of(ops, "a", block="256:i32, 1:i32, 1:i32").is_uniform


def test_what_two_values_have_in_common() -> None:
    row = Shape(X, 4, True, 16)
    assert join(row, row) == row
    assert join(row, Shape(Y, 4, False, 8)) == Shape(XY, 4, False, 8)
    assert join(row, Shape(X, 8)) == Shape(X, None, False)
    assert join(row, Shape(X, 4, True, 16, guarded=True)).stride is None
