# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What the table says about single ops."""

from __future__ import annotations

import pytest

from warploom.ir.core import Op
from warploom.ir.ops import OPS, Effect, Level, Property, collective_level, levels_in
from warploom.ir.parser import parse_function
from warploom.ir.properties import is_convergent, is_duplicable, is_pure, is_removable, is_speculatable, may_make_poison


def parse_op(line: str) -> Op:
    """One op, which may use %n: i32, %p: ptr and %c: i1."""
    return parse_function(f"kernel @k(%n: i32, %p: ptr, %c: i1) {{ {line} yield }}").body.ops[0]


@pytest.mark.parametrize(
    ("line", "pure", "removable"),
    [
        ("%x: i32 = add %n, %n", True, True),
        ("%x: i32 = udiv %n, %n", False, True),
        ("%x: i32 = udiv %n, 0:i32", False, True),
        ("%x: i32 = udiv %n, -1:i32", True, True),
        ("%x: i32 = srem %n, 16:i32", True, True),
        ("%x: i32 = sdiv %n, -1:i32", False, True),  # the smallest number overflows
        ("%x: i32 = sdiv %n, undef:i32", False, True),
        ("%x: <2 x i32> = udiv poison:<2 x i32>, `<i32 1, i32 0>`:<2 x i32>", False, True),
        ("%x: i32 = load %p", False, True),
        ("%x: i32 = load %p [volatile=true]", False, False),
        ("%x: i32 = load %p [ordering=monotonic]", False, False),
        ('%x: i32 = load %p [ordering=""]', False, True),
        ("store %n, %p", False, False),
        ("%x: ptr = alloca [size=4]", False, True),
        ("%x: i32 = call %n [callee=f, effects=none]", False, True),
        ("%x: i32 = call %n [callee=f, effects=none, speculatable=true]", True, True),
        ("%x: i32 = call %n [callee=f, effects=read]", False, True),
        ("%x: i32 = call %n [callee=f, effects=argmem]", False, False),
        ("%x: i32 = call %n [callee=f, effects=none, noreturn=true]", False, False),
        ('%x: i32 = asm [text="", constraints="", effects=none]', False, True),
        ('%x: i32 = asm [text="", constraints="", effects=none, sideeffect=true]', False, False),
        ("%x: i32 = activemask", False, False),
    ],
)
def test_what_may_move_and_what_may_go(line: str, pure: bool, removable: bool) -> None:
    op = parse_op(line)
    assert (is_speculatable(op), is_removable(op)) == (pure, removable)


@pytest.mark.parametrize(
    ("line", "pure", "speculatable", "duplicable", "convergent", "poison"),
    [
        ("%x: i32 = add %n, %n", True, True, True, False, False),
        ("%x: i32 = add %n, %n [flags=(nsw)]", True, True, True, False, True),
        ("%x: i32 = shl %n, %n", True, True, True, False, True),
        ("%x: i32 = shl %n, 31:i32", True, True, True, False, False),
        ("%x: i32 = shl %n, 32:i32", True, True, True, False, True),
        ("%x: i32 = udiv %n, %n", True, False, True, False, False),
        ("%x: i32 = udiv %n, 8:i32 [flags=(exact)]", True, True, True, False, True),
        ("%x: i32 = freeze %n", True, True, False, False, False),
        ("%x: float = fadd 1.0:float, 2.0:float", True, True, True, False, False),
        ("%x: float = fadd 1.0:float, 2.0:float [flags=(contract)]", True, True, False, False, False),
        ("%x: float = fmul 1.0:float, 2.0:float [flags=(reassoc)]", True, True, False, False, False),
        ("%x: float = fmul 1.0:float, 2.0:float [flags=(nnan)]", True, True, True, False, True),
        ("%x: i32 = fptosi 1.0:float", True, True, True, False, True),
        ("%x: ptr = gep %p, %n [offset=0, strides=(4)]", True, True, True, False, False),
        ("%x: ptr = gep %p, %n [offset=0, strides=(4), inbounds=true]", True, True, True, False, True),
        ("%x: i32 = extractelement zeroinitializer:<4 x i32>, 3:i32", True, True, True, False, False),
        ("%x: i32 = extractelement zeroinitializer:<4 x i32>, %n", True, True, True, False, True),
        ("%x: i32 = load %p", False, False, False, False, False),
        ("%x: i32 = load %p [constant=true]", True, True, True, False, True),
        ("%x: i32 = call %n, 0:i1 [callee=llvm.ctlz.i32, effects=none, speculatable=true]", *[True] * 3, False, False),
        ("%x: i32 = call %n, 1:i1 [callee=llvm.ctlz.i32, effects=none, speculatable=true]", *[True] * 3, False, True),
        ("%x: i32 = call %n [callee=f, effects=none]", True, False, True, False, True),
        (
            "%x: i32 = call %n [callee=f, effects=none, convergent=true, speculatable=true]",
            True,
            False,
            False,
            True,
            True,
        ),
        ("%x: i32 = call %n [callee=f, effects=read]", False, False, False, False, True),
        ("%x: i32 = activemask", False, False, False, True, False),
        ("barrier [level=block]", False, False, False, True, False),
        ("store %n, %p", False, False, False, False, False),
    ],
)
def test_properties(
    line: str, pure: bool, speculatable: bool, duplicable: bool, convergent: bool, poison: bool
) -> None:
    op = parse_op(line)
    assert is_pure(op) == pure
    assert is_speculatable(op) == speculatable
    assert is_duplicable(op) == duplicable
    assert is_convergent(op) == convergent
    assert may_make_poison(op) == poison


def test_a_property_takes_the_ones_before_it() -> None:
    for name, info in OPS.items():
        if info.properties & (Property.SPECULATABLE | Property.DUPLICABLE):
            assert info.properties & Property.PURE, name
        assert (info.effect is Effect.COLLECTIVE) <= bool(info.properties & Property.CONVERGENT), name


def test_every_collective_has_a_level() -> None:
    levels = {name: collective_level(Op(name, attrs={"level": "grid"})) for name in OPS}
    assert {name for name, level in levels.items() if level} == {
        name for name, info in OPS.items() if info.effect is Effect.COLLECTIVE
    }
    assert levels["barrier"] is Level.GRID
    assert levels["barrier_reduce"] is Level.BLOCK
    assert levels["shuffle"] is Level.WARP


def test_levels_are_found_below() -> None:
    op = parse_op("if %c { barrier [level=block] yield } { if %c { %m: i32 = activemask yield } { yield } yield }")
    assert levels_in(op) == Level.BLOCK | Level.WARP
    assert levels_in(parse_op("if %c { yield } { yield }")) == Level(0)
