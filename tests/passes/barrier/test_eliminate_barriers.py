# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Barriers that order nothing go, the others stay and say why."""

from __future__ import annotations

import pytest
from barrier_kernels import LAYERFORWARD, thread_kernel
from differential import lowered, results
from fission_kernels import KERNELS

from warploom.ir.core import Function, walk
from warploom.ir.parser import parse_function
from warploom.passes.barrier.eliminate_barriers import ELIMINATE_BARRIERS
from warploom.passes.base import Context
from warploom.passes.shape.specialise_launch import specialise

BARRIER = "barrier [level=block]\n"
WRITE, READ = "store 1:i32, %ps [align=4]\n", "%v: i32 = load %ps [align=4]\n"
NEXT = "%o: i32 = load %pn [align=4]\n"
FENCE = "fence [ordering=seq_cst]\n"


def kept(function: Function) -> tuple[list[int], Context]:
    """The lines of the barriers that the pass leaves, or their number if they have no lines."""
    context = Context()
    ELIMINATE_BARRIERS.run(function, context)
    barriers = [op for op in walk(function.body) if op.name == "barrier"]
    return [op.loc.line if op.loc else 0 for op in barriers], context


def count(body: str, attrs: str = "block=(16, 16, 1)") -> int:
    return len(kept(parse_function(thread_kernel(body, attrs)))[0])


# Body, attributes, barriers left, why.
CASES = [
    (WRITE + BARRIER, "", 0, "nothing comes after a trailing barrier"),
    (BARRIER + WRITE, "", 0, "nothing comes before a leading barrier"),
    (WRITE + BARRIER + BARRIER + NEXT, "", 1, "one of two in a row is enough"),
    (WRITE + BARRIER + NEXT, "", 1, "another thread reads what was stored"),
    (WRITE + BARRIER + READ, "", 0, "each thread reads its own"),
    (NEXT + BARRIER + READ, "", 0, "reads only"),
    (NEXT + BARRIER + WRITE, "", 1, "another thread overwrites what was read"),
    (WRITE + BARRIER + NEXT, "block=(1, 1, 1)", 0, "a block of one thread has nobody to wait for"),
    (WRITE + BARRIER + "%v: i32 = load %pt [align=4]\n", "", 0, "another variable"),
    ("store 1:i32, %pp [align=4]\n" + BARRIER + "%v: i32 = load %pq [align=4]\n", "", 1, "p may be q"),
    ("store 1:i32, %pp [align=4]\n" + BARRIER + "%v: i32 = load %pp [align=4]\n", "", 0, "injective in p"),
    ("store 1:i32, %pp [align=4]\n" + BARRIER.replace("block", "grid") + "%v: i32 = load %pp [align=4]\n", "", 1,
     "injective in a block, which does not say what other blocks do"),
    ("store 1:i32, %pp [align=4]\n" + FENCE + BARRIER + "%v: i32 = atomicrmw %q, 1:i32 [operation=add]\n", "", 1,
     "the last block done adds up what the others left: a barrier between data and ticket stays"),
    (WRITE + BARRIER + "%v: i32 = load %ps [align=4]\n" + BARRIER + NEXT, "", 1, "the second one orders for the first"),
    ("for 0:i32, %n, 1:i32 [pred=slt] { (%i: i32)\n" + READ + WRITE + BARRIER + " yield }\n", "", 0, "own slots"),
    ("for 0:i32, %tx, 1:i32 [pred=slt] { (%i: i32)\n" + READ + WRITE + BARRIER + " yield }\n", "", 1,
     "threads that leave the loop before others may wait at another one"),
    ("for 0:i32, %n, 1:i32 [pred=slt] { (%i: i32)\n" + NEXT + BARRIER + WRITE + " yield }\n", "", 1, "next iteration"),
    ("for 0:i32, %n, 1:i32 [pred=slt] { (%i: i32)\n" + NEXT + BARRIER + WRITE + BARRIER + " yield }\n", "", 2, "both"),
]  # fmt: skip


@pytest.mark.parametrize(("body", "attrs", "left", "why"), CASES, ids=[each[-1] for each in CASES])
def test_barriers_left(body: str, attrs: str, left: int, why: str) -> None:
    assert count(body, attrs or "block=(16, 16, 1)") == left, why


def test_a_warp_barrier_goes_like_a_block_barrier() -> None:
    warp = "barrier [level=warp]\n"
    assert count(WRITE + warp + READ) == 0
    assert count(WRITE + warp + NEXT) == 1
    assert count(WRITE + warp + BARRIER + NEXT) == 1, "the block's barrier orders more"
    assert count(WRITE + BARRIER + warp + NEXT) == 1


def test_a_warp_barrier_does_not_replace_a_block_barrier() -> None:
    assert count(WRITE + "barrier [level=warp]\n" + BARRIER + "barrier [level=warp]\n" + NEXT) == 1
    function = parse_function(thread_kernel(WRITE + "barrier [level=warp]\n" + BARRIER + NEXT))
    kept(function)
    assert [op.attrs["level"] for op in walk(function.body) if op.name == "barrier"] == ["block"]
    both = WRITE + "barrier [level=warp]\n" + NEXT + BARRIER + NEXT.replace("%o", "%o2")
    assert count(both) == 2, "what is stored before the warp's barrier comes before the block's as well"


def test_a_warp_barrier_of_some_lanes_does_not_replace_one_of_all() -> None:
    some = "%c: i1 = icmp %tx, 3:i32 [pred=slt]\nif %c { " + WRITE + "barrier [level=warp]\n"
    some += NEXT.replace("%o", "%o2") + "yield } { yield }\n"
    function = parse_function(thread_kernel(some + "barrier [level=warp]\n" + NEXT, "block=(32, 1, 1)"))
    kept(function)
    block = next(op for op in walk(function.body) if op.name == "block")
    assert [op.name for op in block.region.ops if op.name == "barrier"], (
        "lanes that did not store wait for those that did"
    )


def test_barriers_on_both_sides_of_a_divergent_if_stay() -> None:
    # Hardware pairs them; removing one only would leave the others waiting.
    body = f"%c: i1 = icmp %tx, 3:i32 [pred=slt]\nif %c {{ {BARRIER} yield }} {{ {BARRIER} yield }}"
    assert count(body) == 2
    assert count(body.replace("%tx", "%n")) == 0, "all threads go the same way"


def test_an_early_exit_does_not_keep_barriers() -> None:
    body = f"%c: i1 = icmp %tx, %n [pred=slt]\nif %c {{ {WRITE}{BARRIER}{READ} yield }} {{ yield }}"
    assert count(body) == 0


def test_layerforward_loses_its_first_and_last_barrier() -> None:
    lines, context = kept(parse_function(LAYERFORWARD))
    assert lines == [2, 3, 4]
    assert [(remark.text.split(":")[0], remark.loc.line) for remark in context.remarks if remark.loc] == [
        ("barrier removed", 1),
        ("barrier kept", 2),
        ("barrier kept", 3),
        ("barrier kept", 4),
        ("barrier removed", 5),
    ]


def test_a_remark_names_both_accesses() -> None:
    body = f'store 1:i32, %ps [align=4] @ "a.cu":12\n{BARRIER}%o: i32 = load %pn [align=4] @ "a.cu":15\n'
    _, context = kept(parse_function(thread_kernel(body)))
    (remark,) = context.remarks
    assert remark.text == "barrier kept: store to @s at line 12 may meet another thread's load from @s at line 15"


@pytest.mark.parametrize("name", KERNELS)
def test_same_results_in_every_order(name: str) -> None:
    original = parse_function(KERNELS[name])
    for block in ((40, 1, 1), (8, 5, 2)):
        changed, _ = lowered(specialise(original, block), [ELIMINATE_BARRIERS])
        for seed in (None, 1, 2):
            assert results(changed, (2, 1, 1), block, 50, seed) == results(original, (2, 1, 1), block, 50)
