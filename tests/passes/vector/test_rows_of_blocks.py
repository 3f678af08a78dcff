# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Whether all threads of a block lie within one row is asked in front of them; where they do not, by each vector."""

from __future__ import annotations

import random
import re
from dataclasses import replace

import pytest
from vector_runs import results, threads, vectorised

from warploom.ir.core import Function
from warploom.ir.interpreter import run
from warploom.ir.memory import Memory
from warploom.ir.printer import print_function
from warploom.passes.shape.specialise_launch import specialise

WIDTH = 8
IDS = """
    %start: i32 = mul %bx, %bdx
    %id: i32 = add %start, %tx [flags=(nsw)]
    %mine: ptr = gep %p, %id [offset=0, strides=(4)]
    %first: i32 = mul %bx, 40:i32
    %i: i32 = add %first, %tx"""
# Of %i: rows of %n numbers, planes of 3 rows.
APART = """
    %left: i32, %offset: i32, %trips: i32 = while %i, 0:i32, 0:i32 { (%l: i32, %o: i32, %k: i32)
      %more: i1 = icmp %k, 2:i32 [pred=ult]
      condition %more, %l, %o, %k
    } { (%l.1: i32, %o.1: i32, %k.1: i32)
      %is: i1 = icmp %k.1, 0:i32 [pred=eq]
      %size: i32 = select %is, %n, 3:i32
      %q: i32 = udiv %l.1, %size
      %r: i32 = urem %l.1, %size
      %stride: i32 = select %is, 1:i32, 24:i32
      %far: i32 = mul %r, %stride
      %next: i32 = add %o.1, %far [flags=(nsw)]
      %k.2: i32 = add %k.1, 1:i32
      yield %q, %next, %k.2
    }
    %near: i32 = and %offset, 255:i32
    %a: ptr = gep %in, %near [offset=0, strides=(4)]
    %x: i32 = load %a [align=4]
    %y: i32 = add %x, %left"""
STORE = "\n    store %y, %mine [align=4]"


def in_a_loop(lower: str, upper: str, step: str, index: str = "%t: i32 = mul %j, 40:i32 %i: i32 = add %i0, %t") -> str:
    ids = IDS.replace("%i: i32 = add %first", "%i0: i32 = add %first")
    return f"""{ids}
    for {lower}, {upper}, {step} [pred=slt] {{ (%j: i32)
      {index} {APART}
      %old: i32 = load %mine [align=4]
      %sum: i32 = add %old, %y
      store %sum, %mine [align=4]
      yield
    }}"""


WHERE_SMALL = f"""{IDS} %c: i1 = icmp %i, 50:i32 [pred=slt]
    if %c {{ {APART} {STORE} yield }} {{ yield }}"""
OTHER_SIDE = f"""{IDS} %c: i1 = icmp %i, 50:i32 [pred=sge]
    if %c {{ yield }} {{ {APART} {STORE} yield }}"""
OWN_NUMBER = f"""{IDS} %v: i32 = load %mine [align=4]
    %c: i1 = icmp %v, 500:i32 [pred=slt]
    if %c {{ {APART} {STORE} yield }} {{ yield }}"""
CHANGES = (
    in_a_loop("0:i32", "3:i32", "1:i32", "%i: i32 = add %i0, %u")
    .replace(
        "for 0:i32, 3:i32, 1:i32 [pred=slt] { (%j: i32)",
        "%z: i32 = for 0:i32, 3:i32, 1:i32, 0:i32 [pred=slt] { (%j: i32, %u: i32)",
    )
    .replace("\n      yield\n    }", "\n      %v: i32 = add %u, 40:i32\n      yield %v\n    }")
)
MANY = in_a_loop("0:i32", "%some", "1:i32").replace("for 0", "%some: i32 = and %n, 3:i32 for 0")
DOWN = in_a_loop("0:i32", "3:i32", "1:i32", "%t: i32 = mul %j, -40:i32 %i: i32 = add %i0, %t")
IN_MEMORY = APART.replace(
    "%size: i32 = select %is, %n, 3:i32",
    "%w: i32 = load %in [align=4] %odd: i32 = or %w, 3:i32 %size: i32 = select %is, %n, %odd",
)
FIRST_SIZE_IN_MEMORY = f"""{IDS} store %n, %mine [align=4] %w: i32 = load %mine [align=4]
    {APART.replace("select %is, %n, 3:i32", "select %is, %w, 3:i32")} {STORE}"""
READ_BEHIND = f"""{IDS} %size: ptr = gep %acc [offset=0, strides=()] store %n, %size [align=4]
    {
    APART.replace(
        "%size: i32 = select %is, %n, 3:i32", "%v: i32 = load %size [align=4] %s: i32 = select %is, %v, 3:i32"
    ).replace("%l.1, %size", "%l.1, %s")
} {STORE}"""


def from_another(number: str, makes: str) -> str:
    """Threads whose index is `number` behind the first one."""
    ids = IDS.replace("%i: i32 = add %first, %tx", f"{makes} %i: i32 = add %first, {number}")
    return ids + APART + STORE


# what the threads do, and whether it is asked in front of all
FACTS = {
    "all threads": (IDS + APART + STORE, True),
    "threads that a bound lets through": (WHERE_SMALL, True),
    "threads that a bound keeps out": (WHERE_SMALL.replace("pred=slt", "pred=sge").replace("50:i32", "13:i32"), True),
    "the other side of a choice": (OTHER_SIDE, True),
    "trips": (in_a_loop("0:i32", "3:i32", "1:i32"), True),
    "trips in steps": (in_a_loop("1:i32", "6:i32", "2:i32"), True),
    "trips that go down": (DOWN, False),
    "an index that a loop carries": (CHANGES, False),
    "no trips": (in_a_loop("3:i32", "3:i32", "1:i32"), False),
    "trips that the launch says": (MANY, False),
    "two numbers for each thread": (from_another("%twice", "%twice: i32 = shl %tx, 1:i32"), False),
    "the row of threads": (from_another("%here", "%here: i32 = add %tx, %ty"), False),
    "a number that was loaded": (from_another("%here", "%w: i32 = load %in [align=4] %here: i32 = add %tx, %w"), False),
    "what each thread has decides": (OWN_NUMBER, False),
    "a size that each thread has": (FIRST_SIZE_IN_MEMORY, False),
    "a size that was stored before": (READ_BEHIND, False),
    "a size that is read from memory": (IDS + IN_MEMORY + STORE, False),
}


def asks_once(function: Function) -> bool:
    """Whether anything is asked in front of the threads."""
    text = print_function(function)
    return bool(re.search(r"%same\S*: i1, [^\n]* = if (%\S+) {\n +yield \1", text))


@pytest.mark.parametrize(("ops", "once"), FACTS.values(), ids=FACTS)
def test_form(ops: str, once: bool) -> None:
    assert asks_once(vectorised(threads(ops), WIDTH, 1)) == once


@pytest.mark.parametrize("ops", [ops for ops, _ in FACTS.values()], ids=FACTS)
@pytest.mark.parametrize("n", [1, 7, 8, 16, 39, 40, 41, 80, 150, 1000])
def test_results(ops: str, n: int) -> None:
    """Rows shorter and longer than a vector, than a block's threads and than all trips of them."""
    function = threads(ops)
    after = vectorised(function, WIDTH, 1)
    for block in (8, 1, 1), (13, 1, 1), (40, 1, 1):
        expected = results(function, block, n)
        assert results(after, block, n) == expected
        assert results(after, block, n, seed=random.Random(n).randrange(1 << 30)) == expected


@pytest.mark.parametrize("n", [39, 40, 79, 119, 120])
@pytest.mark.parametrize("ops", [FACTS["all threads"][0], FACTS["trips"][0]], ids=["all threads", "trips"])
def test_the_last_thread_of_a_known_block_is_asked(ops: str, n: int) -> None:
    function = threads(ops)
    after = vectorised(specialise(threads(ops), (40, 1, 1)), WIDTH, 1)
    assert asks_once(after)
    assert results(after, (40, 1, 1), n) == results(function, (40, 1, 1), n)


@pytest.mark.parametrize("start", [-3, -20, -45, 0x7FFFFFF8, -(1 << 31)])
@pytest.mark.parametrize("known", [True, False])
def test_indices_that_wrap(start: int, known: bool) -> None:
    ops = in_a_loop(
        "0:i32", "3:i32", "1:i32", f"%t: i32 = mul %j, 40:i32 %u: i32 = add %i0, {start}:i32 %i: i32 = add %u, %t"
    )
    function = threads(ops)
    after = vectorised(specialise(threads(ops), (40, 1, 1)) if known else function, WIDTH, 1)
    assert asks_once(after)
    for n in (7, 40, 200, 0x7FFFFFFF):
        assert results(after, (40, 1, 1), n) == results(function, (40, 1, 1), n)


def test_nothing_is_read_where_no_thread_comes() -> None:
    """The sizes lie in a structure that was passed, and the kernel is told that it has no elements."""
    sizes = APART.replace(
        "%size: i32 = select %is, %n, 3:i32",
        "%at: ptr = gep %acc, %k.1 [offset=0, strides=(4)] %size: i32 = load %at [align=4]",
    )
    ops = f"{IDS} %c: i1 = icmp %i, %n [pred=slt] if %c {{ {sizes} {STORE} yield }} {{ yield }}"
    function = threads(ops)
    function.facts = replace(function.facts, constants=((5, 8),))
    after = vectorised(function, WIDTH, 1)
    assert asks_once(after)
    memory = Memory()
    out = memory.array("i32", [5] * 16, "p")
    inputs = memory.array("i32", [0] * 256, "in")
    run(after, (2, 1, 1), (8, 1, 1), [0, 0, out, inputs, inputs, 0], memory, seed=None, limit=10_000)
    assert bytes(memory.buffers[out >> 32]) == bytes(memory.buffers[memory.array("i32", [5] * 16, "q") >> 32])
