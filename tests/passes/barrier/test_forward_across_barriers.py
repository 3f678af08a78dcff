# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Values are used again instead of loaded again, across barriers too, unless someone may have written in between."""

from __future__ import annotations

import pytest
from barrier_kernels import LAYERFORWARD, thread_kernel
from differential import lowered, results
from fission_kernels import KERNELS

from warploom.ir.core import Function, Op, walk
from warploom.ir.parser import parse_function
from warploom.ir.verifier import verify
from warploom.passes.barrier.eliminate_barriers import ELIMINATE_BARRIERS
from warploom.passes.barrier.forward_across_barriers import FORWARD_ACROSS_BARRIERS
from warploom.passes.base import Context
from warploom.passes.shape.specialise_launch import specialise

BARRIER = "barrier [level=block]\n"
STORE = "store %n, %ps [align=4]\n"
LOAD = "%v: i32 = load %ps [align=4]\nstore %v, %pq [align=4]\n"
NEXT = "%o: i32 = load %pn [align=4]\nstore %o, %pp [align=4]\n"


def forwarded(body: str) -> tuple[list[Op], list[Op]]:
    """Loads from and stores to @s (by the addresses %ps, %pn, @s) that are left in a kernel."""
    function = parse_function(thread_kernel(body))
    FORWARD_ACROSS_BARRIERS.run(function, Context())
    verify(function, "structured")
    return accesses(function, "load", 0), accesses(function, "store", 1)


def accesses(function: Function, name: str, operand: int) -> list[Op]:
    names = ("ps", "pn", "pw")
    found = [op for op in walk(function.body) if op.name == name]
    return [op for op in found if getattr(op.operands[operand], "name", "ps") in names]


# Body, loads of @s left, why.
CASES = [
    (STORE + LOAD, 0, "store to load"),
    (STORE + BARRIER + LOAD, 0, "the slot is the thread's own"),
    (STORE + BARRIER + NEXT + BARRIER + LOAD, 1, "and stays so while others read it"),
    (STORE + BARRIER + "store 7:i32, %pn [align=4]\n" + BARRIER + LOAD, 1, "another thread may write it"),
    ("store 7:i32, %pn [align=4]\n" + BARRIER + LOAD + BARRIER + LOAD.replace("%v", "%v2"), 1, "but not long before"),
    (LOAD + BARRIER + LOAD.replace("%v", "%v2"), 1, "load to load"),
    (STORE + "store 7:i32, %pt [align=4]\n" + LOAD, 0, "a store to another variable"),
    (STORE + "store 7:i32, %pp [align=4]\n" + LOAD, 0, "a store to global memory"),
    (STORE + "store 7:i32, @s:ptr [align=4]\n" + LOAD, 1, "a store that may hit"),
    (STORE + "fence [ordering=seq_cst]\n" + LOAD, 1, "a fence"),
    (STORE + "%a: i32 = atomicrmw @t:ptr, 1:i32 [operation=add, ordering=monotonic]\n" + LOAD, 1,
     "an atomic may be a lock"),
    (STORE + "%a: i32 = load %pq [align=4, volatile=true]\n" + LOAD, 1, "a volatile load may wait"),
    (STORE + "call [callee=f, effects=any]\n" + LOAD, 1, "a call"),
    (STORE + "%v: float = load %ps [align=4]\nstore %v, %pq [align=4]\n", 1, "another type"),
    (STORE + "%v: i32 = load %ps [align=4, volatile=true]\nstore %v, %pq [align=4]\n", 1, "a volatile load"),
    (STORE + f"%c: i1 = icmp %tx, 3:i32 [pred=slt]\nif %c {{ {LOAD} yield }} {{ yield }}", 0, "into an if"),
    (STORE + f"%c: i1 = icmp %tx, 3:i32 [pred=slt]\nif %c {{ store 7:i32, %ps [align=4]\nyield }} {{ yield }}\n{LOAD}",
     1, "past an if that stores"),
    (f"%c: i1 = icmp %tx, 3:i32 [pred=slt]\nif %c {{ {STORE} yield }} {{ yield }}\n{LOAD}", 1, "not out of an if"),
    (STORE + f"for 0:i32, %n, 1:i32 [pred=slt] {{ (%i: i32)\n{LOAD} {BARRIER} yield }}", 0, "into a loop"),
    (STORE + f"for 0:i32, %n, 1:i32 [pred=slt] {{ (%i: i32)\n{LOAD} store %i, %ps [align=4]\n yield }}", 1,
     "not into a loop that stores later"),
    (STORE + "for 0:i32, %n, 1:i32 [pred=slt] { (%i: i32)\n" + LOAD + BARRIER + "store %i, %pn [align=4]\n" + BARRIER
     + "yield }", 1, "not into a loop where others store later"),
]  # fmt: skip

LOOP = """%r: i32 = while 0:i32 {{ (%u: i32)
  {before}
  %d: i1 = icmp %u, %n [pred=slt]
  condition %d, {passed}
}} {{ (%x: i32)
  {after}
  %y: i32 = add %x, 1:i32
  yield %y
}}
{behind}"""
AGAIN = "%v2: i32 = load %ps [align=4]\nstore %v2, %pq [align=4]\n"
AGAIN3 = AGAIN.replace("%v2", "%v3")
WHILES = [
    (LOAD, "%u", AGAIN, "", 2, "a value of the first region is not visible in the second"),
    (LOAD, "%v", AGAIN, "", 1, "unless it is passed to it"),
    (LOAD, "%u", "", AGAIN, 2, "nor after the loop"),
    (LOAD, "%v", "", AGAIN, 1, "unless it is a result"),
    (LOAD + BARRIER + AGAIN, "%v2", AGAIN3, "", 1, "a load that goes is passed as what it is"),
    (LOAD, "%v", "store %n, %ps [align=4]\n", AGAIN, 1, "the second region runs before the first one"),
    (STORE, "%u", AGAIN, AGAIN3, 0, "values from before the loop are visible everywhere"),
    ("", "%u", STORE, AGAIN, 1, "the second region may not run"),
]


@pytest.mark.parametrize(("before", "passed", "after", "behind", "loads", "why"), WHILES, ids=[w[-1] for w in WHILES])
def test_loads_left_of_while(before: str, passed: str, after: str, behind: str, loads: int, why: str) -> None:
    body = LOOP.format(before=before, passed=passed, after=after, behind=behind + "store %r, %pp [align=4]")
    assert len(forwarded(body)[0]) == loads, why


@pytest.mark.parametrize(("body", "loads", "why"), CASES, ids=[each[-1] for each in CASES])
def test_loads_left(body: str, loads: int, why: str) -> None:
    assert len(forwarded(body)[0]) == loads, why


# Body, stores to @s left, why.
STORES = [
    (STORE + LOAD + BARRIER, 0, "nothing reads @s any more"),
    (STORE + BARRIER + STORE + BARRIER + NEXT, 1, "overwritten before anyone reads"),
    (STORE + BARRIER + NEXT + BARRIER + STORE + BARRIER + NEXT.replace("%o", "%o2"), 2, "read in between"),
    (STORE + "fence [ordering=seq_cst]\n" + STORE + BARRIER + NEXT, 2, "a fence in between"),
    (STORE + NEXT, 1, "another thread reads it"),
    (STORE + "store @s:ptr, %pp [align=8]\n", 1, "the address goes elsewhere"),
    ("store %n, %ps [align=4, volatile=true]\n", 1, "a volatile store"),
]


@pytest.mark.parametrize(("body", "stores", "why"), STORES, ids=[each[-1] for each in STORES])
def test_stores_left(body: str, stores: int, why: str) -> None:
    assert len(forwarded(body)[1]) == stores, why


OWN = "%x: i32 = load %pp [align=4]\nstore %x, %ps [align=4]\n"
READ = "%o: i32 = load %pn [align=4]\nstore %o, %pq [align=4]\n"


@pytest.mark.parametrize(
    ("body", "loads", "why"),
    [
        (OWN + BARRIER + READ + LOAD, 2, "others read @s, so the store stays, and the value needs no slot beside it"),
        (OWN + BARRIER + READ + LOAD + "store %x, %pp [align=4]\n", 1, "the value is needed late in any case"),
        (OWN + LOAD + BARRIER + READ, 1, "no barrier in between"),
        (OWN + BARRIER + LOAD, 0, "the store goes"),
        (STORE + BARRIER + READ + LOAD, 1, "a parameter needs no slot"),
    ],
)
def test_a_load_stays_where_the_value_would_need_a_slot(body: str, loads: int, why: str) -> None:
    assert len(forwarded(body)[0]) == loads, why


def test_a_fence_of_another_thread_ends_what_is_known_of_a_restricted_pointer() -> None:
    # Another block may write there, through the same parameter, once thread 0 has told it to.
    fence = "fence [ordering=seq_cst]\n"
    for ordered, loads in ((fence, 1), ("", 0)):
        told = f"%c: i1 = icmp %tx, 0:i32 [pred=eq]\nif %c {{ {ordered} yield }} {{ yield }}\n"
        body = told + "store %n, %pp [align=4]\n" + BARRIER + "%v: i32 = load %pp [align=4]\n"
        function = parse_function(
            thread_kernel(body + "store %v, %pq [align=4]\n", "block=(16, 16, 1), noalias=(0, 1)")
        )
        FORWARD_ACROSS_BARRIERS.run(function, Context())
        assert sum(op.name == "load" for op in walk(function.body)) == loads


def test_layerforward_keeps_its_weight_in_a_register() -> None:
    # "Unnecessary Store #1" and "Unnecessary Load #1" of the paper, lines 101 and 102.
    function = parse_function(LAYERFORWARD)
    assert FORWARD_ACROSS_BARRIERS.run(function, Context())
    lines = [op.loc.line for op in walk(function.body) if op.loc is not None]
    assert lines == [1, 2, 3, 4, 5]


@pytest.mark.parametrize("name", KERNELS)
def test_same_results_in_every_order(name: str) -> None:
    original = parse_function(KERNELS[name])
    for block in ((40, 1, 1), (8, 5, 2)):
        changed, _ = lowered(specialise(original, block), [ELIMINATE_BARRIERS, FORWARD_ACROSS_BARRIERS])
        for seed in (None, 1, 2):
            assert results(changed, (2, 1, 1), block, 50, seed) == results(original, (2, 1, 1), block, 50)
