# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What is the same for all threads runs once a block, what is the same for all blocks once a launch."""

from __future__ import annotations

import pytest
from barrier_kernels import NORMALIZE, thread_kernel
from differential import lowered, results
from fission_kernels import KERNELS
from thread_code import place

from warploom.ir.core import Function, clone_function
from warploom.ir.interpreter import run
from warploom.ir.memory import Memory
from warploom.ir.parser import parse_function
from warploom.passes.barrier.hoist_parallel import HOIST_PARALLEL
from warploom.passes.base import Context
from warploom.passes.shape.specialise_launch import specialise

BARRIER = "barrier [level=block]\n"
USE = "store %a, %pq [align=4]\n"
LOAD = "%a: i32 = load %p [align=4]\n"


def hoisted(body: str) -> Function:
    function = parse_function(thread_kernel(body))
    HOIST_PARALLEL.run(function, Context())
    return function


# Body, where %a is computed afterwards, why.
CASES = [
    ("%a: i32 = mul %n, %n\n" + USE, "launch", "parameters only"),
    ("%a: i32 = mul %bx, %n\n" + USE, "grid", "a block id"),
    ("%a: i32 = mul %tx, %n\n" + USE, "block", "a thread id"),
    (LOAD + USE, "launch", "the store comes later: all threads may load before any stores"),
    ("store 1:i32, %pq [align=4]\n" + LOAD + USE, "block", "the store before may change it"),
    ("store 1:i32, %ps [align=4]\n" + LOAD + USE, "launch", "a store to shared memory does not"),
    ("store 1:i32, %ps [align=4]\n" + BARRIER + LOAD + USE, "launch", "nor does a barrier by itself"),
    ("%a: i32 = load @s:ptr [align=4]\n" + USE, "grid", "each block has its own shared memory"),
    ("fence [ordering=seq_cst]\n" + LOAD + USE, "block", "a fence may end a wait for another block"),
    ("%b: i32 = atomicrmw %q, 1:i32 [operation=add, ordering=monotonic]\n" + LOAD + USE, "block", "so may an atomic"),
    ("%b: i32 = load %q [align=4, volatile=true]\n" + LOAD + USE, "block", "so may a volatile load"),
    ("%a: i32 = load %p [align=4, volatile=true]\n" + USE, "block", "a volatile load stays"),
    ("%a: i32 = load %p [align=4, ordering=monotonic]\n" + USE, "block", "an atomic load stays"),
    (f"%c: i1 = icmp %tx, %n [pred=slt]\nif %c {{ {LOAD}{USE} yield }} {{ yield }}", "if", "perhaps no thread loads"),
    (f"%c: i1 = icmp %tx, %n [pred=slt]\nif %c {{ %a: i32 = mul %n, %n\n{USE} yield }} {{ yield }}", "launch", "pure"),
    (f"%c: i1 = icmp %tx, %n [pred=slt]\nif %c {{ %a: i32 = udiv 7:i32, %n\n{USE} yield }} {{ yield }}", "if", "n = 0"),
    ("%a: i32 = udiv 7:i32, %n\n" + USE, "launch", "each thread divides anyway"),
    ("call [callee=f, effects=any]\n%a: i32 = udiv 7:i32, %n\n" + USE, "block", "unless one before has ended it"),
    ("%a: i32 = vote -1:i32, %n [kind=any]\n" + USE, "block", "a collective stays"),
    ("%a: ptr = alloca [size=4, align=4]\nstore 1:i32, %a [align=4]\n", "block", "private memory of each thread"),
    ("%a: i32 = call %n [callee=f, effects=none]\n" + USE, "launch", "a function without effects"),
    ("%a: i32 = call %n [callee=f, effects=none, convergent=true]\n" + USE, "block", "one that all threads come to"),
    ("%a: i32 = call %n [callee=f, effects=any]\n" + USE, "block", "a function with effects"),
]


@pytest.mark.parametrize(("body", "where", "why"), CASES, ids=[each[-1] for each in CASES])
def test_place(body: str, where: str, why: str) -> None:
    assert place(hoisted(body), "a") == where, why


LOOP = """%e: i32 = for 0:i32, {trips}, 1:i32, 0:i32 [pred=slt] {{ (%i: i32, %x: i32)
  {body}
  %y: i32 = add %x, %a
  yield %y
}}"""
OWN = "%a: i32 = load %ps [align=4]\n"
PLACE = "%l: i64 = sext %k\n%o: ptr = gep @s:ptr, %l [offset=0, strides=(4,)]\n%a: i32 = load %o [align=4]\n"
LOOPS = [
    (OWN, "%n", "block", "inside of a variable, so the load may run although the loop does not"),
    ("%a: i32 = load %pp [align=4]\n", "%n", "for", "the loop may have no iteration, and p no memory"),
    ("%a: i32 = load %pp [align=4]\n", "4:i32", "block", "the loop has iterations"),
    ("%a: i32 = load %pp [align=4]\nstore %i, %ps [align=4]\n", "4:i32", "block", "a store to shared memory"),
    (
        "%a: i32 = load %pp [align=4]\nstore %i, %pq [align=4]\n",
        "4:i32",
        "for",
        "the next iteration loads what was stored",
    ),
    ("%k: i32 = ashr %n, 24:i32\n" + PLACE, "%n", "for", "in front of a variable, perhaps"),
    ("%k: i32 = lshr %n, 16:i32\n" + PLACE, "%n", "for", "behind a variable, perhaps"),
    ("%k: i32 = lshr %n, 24:i32\n" + PLACE, "%n", "grid", "in a variable"),
    ("%k: i32 = load %q [align=4]\n" + PLACE, "%n", "for", "nobody knows where"),
    (OWN + BARRIER + "store %i, %pn [align=4]\n" + BARRIER, "4:i32", "for", "another thread stores"),
]


@pytest.mark.parametrize(("body", "trips", "where", "why"), LOOPS, ids=[each[-1] for each in LOOPS])
def test_out_of_sequential_loops(body: str, trips: str, where: str, why: str) -> None:
    text = LOOP.format(body=body, trips=trips) + "\nstore %e, %pt [align=4]"
    assert place(hoisted(text), "a") == where, why


@pytest.mark.parametrize(
    ("bounds", "where"),
    [("-1:i32, 4:i32, 1:i32 [pred=ult]", "for"), ("5:i32, -1:i32, -1:i32 [pred=ugt]", "for"),
     ("1:i32, 4:i32, 1:i32 [pred=ult]", "block"), ("5:i32, 1:i32, -1:i32 [pred=ugt]", "block")],
)  # fmt: skip
def test_minus_one_is_a_large_number_without_a_sign(bounds: str, where: str) -> None:
    limits, _, pred = bounds.partition(" [")
    body = f"for {limits} [{pred} {{ (%i: i32)\n%a: i32 = load %pp [align=4]\nstore %a, %ps [align=4]\nyield }}"
    assert place(hoisted(body), "a") == where


@pytest.mark.parametrize(
    ("before", "where"),
    [("store 1:i32, %pq [align=4]\n", "grid"), ("%b: i32 = load %q [align=4, volatile=true]\n", "grid"),
     ("store 1:i32, %ps [align=4]\n", "launch")],
)  # fmt: skip
def test_what_a_block_loads_once_comes_after_what_its_threads_did(before: str, where: str) -> None:
    text = thread_kernel(before).replace("    }\n    yield\n", f"    }}\n{LOAD}store %a, %q [align=4]\n    yield\n")
    function = parse_function(text)
    HOIST_PARALLEL.run(function, Context())
    assert place(function, "a") == where


def test_a_store_before_the_loop_that_a_barrier_in_it_orders() -> None:
    body = LOOP.format(body=BARRIER + OWN, trips="4:i32")
    assert place(hoisted("store %n, %pn [align=4]\n" + body + "\nstore %e, %pt [align=4]"), "a") == "for"


def operations(function: Function, n: int) -> tuple[int, list[float]]:
    """Ops executed by normalize on n numbers, and what it computes."""
    memory = Memory()
    source = memory.array("float", [float(i % 7 + 1) for i in range(n)], "in")
    target = memory.array("float", [0.0] * n, "out")
    counts = run(function, (n // 32, 1, 1), (32, 1, 1), [target, source, n], memory)
    return counts.total, memory.values("float", target, n)


def test_normalize_is_linear() -> None:
    original = parse_function(NORMALIZE)
    linear = clone_function(original)
    HOIST_PARALLEL.run(linear, Context())
    assert place(linear, "sum") == "launch"
    small, large = operations(linear, 64), operations(linear, 128)
    assert large[0] < 2.1 * small[0], "twice the numbers, twice the work"
    assert operations(original, 128)[0] > 3.5 * operations(original, 64)[0], "it was quadratic"
    assert small[1] == operations(original, 64)[1]


def test_remarks_name_what_moved() -> None:
    context = Context()
    HOIST_PARALLEL.run(parse_function(NORMALIZE), context)
    texts = [remark.text for remark in context.remarks]
    assert "for hoisted: it runs once a launch" in texts


@pytest.mark.parametrize("name", KERNELS)
def test_same_results_in_every_order(name: str) -> None:
    original = parse_function(KERNELS[name])
    for block in ((40, 1, 1), (8, 5, 2)):
        changed, _ = lowered(specialise(original, block), [HOIST_PARALLEL])
        for seed in (None, 1, 2):
            assert results(changed, (2, 1, 1), block, 50, seed) == results(original, (2, 1, 1), block, 50)
