# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What the table says about single ops."""

from __future__ import annotations

import pytest

from warploom.ir.core import Op
from warploom.ir.ops import OPS, Effect, Level, collective_level, is_pure, is_removable, levels_in
from warploom.ir.parser import parse_function


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
    assert (is_pure(op), is_removable(op)) == (pure, removable)


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
