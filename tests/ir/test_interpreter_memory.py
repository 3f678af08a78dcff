# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Memory that nobody wrote, shared memory, globals and functions, as the interpreter sees them."""

from __future__ import annotations

import pytest
from interpreting import SEEDS, TILE, kernel, outcome

from warploom.ir.interpreter import (
    Fault,
    MemoryFault,
    Program,
    UnknownFunction,
    run,
)
from warploom.ir.memory import Memory


def add_forty(value: int) -> int:
    """A function that only the caller knows."""
    return value + 40


def test_unknown_functions_are_named_and_may_be_given() -> None:
    function = kernel('%x: i32 = call %tx [callee="mystery", effects=none]\n      store %x, %p')
    with pytest.raises(UnknownFunction, match="unknown function mystery"):
        outcome(function, 2)
    assert outcome(function, 2, functions={"mystery": add_forty})[0] == [40, 41]


def test_undefined_is_zero_or_garbage() -> None:
    body = "%a: ptr = alloca [size=4, align=4]\n%x: i32 = load %a\n%y: i32 = or %x, undef:i32\nstore %y, %p"
    assert outcome(kernel(body), 2)[0] == [0, 0]
    assert len({tuple(outcome(kernel(body), 2, seed=seed)[0]) for seed in SEEDS}) > 10


def test_shared_memory_is_fresh_for_each_block() -> None:
    body = "%x: i32 = load @tile:ptr\nstore 9:i32, @tile:ptr\nstore %x, %p"
    assert outcome(kernel(body, shared=TILE), 1, 3)[0] == [0, 0, 0]
    assert 9 not in outcome(kernel(body, shared=TILE), 1, 3, seed=1)[0]


def test_dynamic_shared_variables_are_one() -> None:
    body = "store %id, @one:ptr\n%x: i32 = load @two:ptr\nstore %x, %p"
    shared = "shared @one [size=0, align=4]\n  shared @two [size=0, align=8]"
    assert outcome(kernel(body, shared=shared), 1, 3, dynamic_shared=4)[0] == [0, 1, 2]
    with pytest.raises(MemoryFault):
        outcome(kernel(body, shared=shared), 1, 3, dynamic_shared=2)


def test_globals_are_found_by_name() -> None:
    function = kernel("%x: i32 = load @table:ptr\nstore %x, %p")
    memory = Memory()
    memory.add_global("table", b"\x07\0\0\0")
    out = memory.array("i32", [0])
    run(function, (1, 1, 1), (1, 1, 1), [out], memory)
    assert memory.values("i32", out, 1) == [7]
    with pytest.raises(Fault, match="@table"):
        outcome(function, 1)


def test_functions_have_addresses() -> None:
    function = kernel("%x: i32 = call_indirect @forty:ptr, %id [effects=none]\nstore %x, %p")
    assert outcome(function, 3, functions={"forty": add_forty})[0] == [40, 41, 42]


def test_a_program_runs_many_times() -> None:
    program = Program(kernel("store %id, %p"))
    for count in (1, 2):
        memory = Memory()
        out = memory.array("i32", [9, 9])
        assert program.run((1, 1, 1), (count, 1, 1), [out], memory).counts["store"] == count
        assert memory.values("i32", out, 2) == [0, [9, 1][count - 1]]
