# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Loads of memory that nothing writes are shared and hoisted like arithmetic, if the memory is there for sure."""

from __future__ import annotations

import pytest
from barrier_kernels import thread_kernel
from thread_code import place

from warploom.ir.core import Function, walk
from warploom.ir.parser import parse_function
from warploom.ir.verifier import verify
from warploom.passes.barrier.forward_across_barriers import FORWARD_ACROSS_BARRIERS
from warploom.passes.barrier.hoist_parallel import HOIST_PARALLEL
from warploom.passes.base import Context
from warploom.passes.clean.canonicalise import CANONICALISE
from warploom.passes.clean.constant_loads import mark_constant_loads

# The first parameter, %p, points to 16 bytes that nothing writes; so does @c.
ATTRS = "block=(16, 16, 1), noalias=(0,), constants=((0, 16), (c, 16))"
ORDER = "fence [ordering=seq_cst]\nbarrier [level=block]\n"
USE = "store %a, %pq [align=4]\n"
AT = "%at: ptr = gep {} [offset={}, strides=()]\n%a: {} = load %at [align=4{}]\n"
INDEXED = "%i: i64 = sext %n\n%at: ptr = gep @c:ptr, %i [offset=0, strides=(4,)]\n%a: i32 = load %at [align=4]\n"


def kernel(body: str) -> Function:
    return parse_function(thread_kernel(body, ATTRS))


def loads(function: Function) -> int:
    verify(function, "structured")
    return sum(op.name == "load" for op in walk(function.body))


@pytest.mark.parametrize(
    ("load", "marked", "why"),
    [
        (AT.format("%p", 12, "i32", ""), True, "inside of a parameter"),
        (AT.format("@c:ptr", 0, "i32", ""), True, "inside of a variable"),
        (AT.format("%p", 12, "i64", ""), False, "half of it is behind the end"),
        (AT.format("%p", -4, "i32", ""), False, "in front of it"),
        (AT.format("%q", 0, "i32", ""), False, "memory that may be written"),
        (AT.format("%p", 0, "i32", ", volatile=true"), False, "a volatile load"),
        (INDEXED, False, "the index may be anything"),
    ],
)
def test_what_is_marked(load: str, marked: bool, why: str) -> None:
    assert mark_constant_loads(kernel(load + USE)) is marked, why


def test_loads_are_shared_and_leave_loops() -> None:
    load = AT.format("@c:ptr", 4, "i32", "") + USE
    body = load + ORDER + load.replace("%a", "%b")
    function = kernel(f"for 0:i32, %n, 1:i32 [pred=slt] {{ (%k: i32)\n{body} yield }}")
    CANONICALISE.run(function, Context())
    assert loads(function) == 1
    assert place(function, "a") == "block"


@pytest.mark.parametrize(
    ("body", "where", "why"),
    [
        (ORDER + AT.format("@c:ptr", 0, "i32", "") + USE, "launch", "no message is about constant memory"),
        (ORDER + INDEXED + USE, "launch", "every thread loads, once the fence lets it"),
        ("call [callee=exit, effects=any]\n" + INDEXED + USE, "block", "perhaps no thread gets there"),
        (f"for 0:i32, %n, 1:i32 [pred=slt] {{ (%k: i32)\n{INDEXED}{USE} yield }}", "for", "the index may be outside"),
        (f"for 0:i32, 4:i32, 1:i32 [pred=slt] {{ (%k: i32)\n{ORDER}{INDEXED}{USE} yield }}", "launch", "it is loaded"),
    ],
)
def test_where_hoisting_takes_them(body: str, where: str, why: str) -> None:
    function = kernel(body)
    mark_constant_loads(function)
    HOIST_PARALLEL.run(function, Context())
    verify(function, "structured")
    assert place(function, "a") == where, why


def test_a_grid_barrier_and_stores_leave_what_is_known_of_them() -> None:
    again = INDEXED.replace("%a", "%b").replace("%i", "%j")
    body = INDEXED + USE + "fence [ordering=seq_cst]\nbarrier [level=grid]\n" + again + "store %b, %pt [align=4]\n"
    function = kernel(body)
    FORWARD_ACROSS_BARRIERS.run(function, Context())
    assert loads(function) == 1
