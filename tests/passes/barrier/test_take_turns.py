# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Kernels that wait in loops: taken where nobody is held up by a loop that waits, else refused."""

from __future__ import annotations

import pytest

from warploom.core.remarks import Unsupported
from warploom.ir.parser import parse_function
from warploom.passes.barrier.take_turns import TAKE_TURNS
from warploom.passes.base import Context
from warploom.passes.clean.dead_code import Gone, remove_dead_code
from warploom.passes.runner import PipelineOptions
from warploom.pipeline import lower

LAUNCH = "%gdx: i32, %gdy: i32, %gdz: i32, %bdx: i32, %bdy: i32, %bdz: i32"
WAIT = """while {{ ()
  %f{0}: i32 = load %p [align=4, volatile=true]
  %z{0}: i1 = icmp %f{0}, 0:i32 [pred=eq]
  condition %z{0}
}} {{ () yield }}
"""
W, STORE, BARRIER, WARP = (
    WAIT.format(""),
    "store 1:i32, %q [align=4]\n",
    "barrier [level=block]\n",
    "barrier [level=warp]\n",
)
UNIFORM, VARYING = "%u: i1 = icmp %n, 0:i32 [pred=eq]\n", "%u: i1 = icmp %tx, 5:i32 [pred=eq]\n"
ROUNDS, END = "for 0:i32, %n, 1:i32 [pred=slt] { (%i: i32)\n", "yield }\n"
FEW = "%v: i32 = vote 65535:i32, %tx [kind=any]\n"
ALL = "%v: i32 = vote -1:i32, %tx [kind=any]\n"
VOTES = """while {{ ()
  %f: i32 = load %p [align=4, volatile=true]
  %a: i32 = vote {mask}:i32, %f [kind=any]
  %z: i1 = icmp %a, 0:i32 [pred=eq]
  condition %z
}} {{ () yield }}
"""


def either(condition: str, then: str, otherwise: str = "") -> str:
    """An `if` on %u."""
    return f"{condition} if %u {{ {then} yield }} {{ {otherwise} yield }}\n"


def text(body: str) -> str:
    """A kernel that waits."""
    return (
        f"kernel @k({LAUNCH}, %p: ptr, %q: ptr, %n: i32) [waits=true] {{\n"
        "grid %gdx, %gdy, %gdz { (%bx: i32, %by: i32, %bz: i32)\n"
        "block %bdx, %bdy, %bdz { (%tx: i32, %ty: i32, %tz: i32)\n"
        f"{body} yield }} yield }} yield }}"
    )


COUNT = "%c: i32 = atomicrmw %p, 1:i32 [operation=add]\n"
TAKEN = {
    "a lane that counts what it has stored": ALL + either(VARYING, STORE + COUNT) + W,
    "a lane that counts behind a barrier": ALL + STORE + WARP + either(VARYING, COUNT) + W,
    "all lanes count": ALL + either(VARYING, STORE) + COUNT + W,
    "no collective before": STORE + either(VARYING, COUNT) + W,
    "nothing but the wait": W,
    "before and behind it in one piece": STORE + W + STORE,
    "behind a barrier": W + BARRIER + STORE,
    "under any condition": either(VARYING, STORE + W + STORE) + BARRIER + STORE,
    "a round that ends with a barrier": ROUNDS + STORE + BARRIER + W + BARRIER + END,
    "a round that begins with one": ROUNDS + BARRIER + STORE + W + END,
    "what follows only reads": either(UNIFORM, BARRIER + W) + "%l: i32 = load %q [align=4]\n",
    "behind a vote of all lanes": W + ALL + BARRIER + STORE,
    "a loop of the whole warp": VOTES.format(mask=-1) + STORE,
}
REFUSED = {
    "behind control that holds a barrier": (either(UNIFORM, BARRIER + W) + STORE, "threads of the block do next"),
    "in the next round": (ROUNDS + STORE + BARRIER + W + END, "threads of the block do next"),
    "ahead of the next barrier": (W + either(UNIFORM, STORE + BARRIER), "threads of the block do next"),
    "threads elsewhere": (either(VARYING, W + BARRIER), "other threads of the block are elsewhere"),
    "behind a vote of some lanes": (W + FEW + STORE, "lanes of the warp do next"),
    "lanes elsewhere": (either(VARYING, VOTES.format(mask=-1)), "other lanes of the warp are elsewhere"),
    "lanes that leave one by one": (
        VOTES.format(mask=-1).replace("icmp %a", "icmp %f") + STORE,
        "other lanes of the warp are elsewhere",
    ),
    "a lane that counts what others have stored": (
        ALL + STORE + either(VARYING, COUNT) + W,
        "a lane counts what others have stored",
    ),
    "the same in the next round": (
        ROUNDS + either(VARYING, COUNT) + ALL + STORE + END + W,
        "a lane counts what others have stored",
    ),
    "a barrier of the grid": (W + "barrier [level=grid]\n" + STORE, "a barrier of the grid"),
    "the wait in a loop around barriers": (
        either(VARYING, f"{WAIT.format(1).replace('() yield', '() ' + BARRIER + ' yield')}"),
        "other threads of the block are elsewhere",
    ),
}


@pytest.mark.parametrize("body", TAKEN.values(), ids=TAKEN)
def test_nobody_is_held_up(body: str) -> None:
    context = Context()
    assert not TAKE_TURNS.run(parse_function(text(body)), context)
    assert [each.text for each in context.remarks] == ["a loop waits for another thread: threads take turns"]


@pytest.mark.parametrize(("body", "reason"), REFUSED.values(), ids=REFUSED)
def test_somebody_would_be(body: str, reason: str) -> None:
    with pytest.raises(Unsupported, match=reason):
        TAKE_TURNS.run(parse_function(text(body)), Context())


def test_kernels_that_do_not_wait_are_not_looked_at() -> None:
    body = REFUSED["threads elsewhere"][0]
    assert not TAKE_TURNS.run(parse_function(text(body).replace(" [waits=true]", "")), Context())


def test_without_the_pass_they_are_refused() -> None:
    with pytest.raises(Unsupported, match="take_turns is switched off"):
        lower(parse_function(text(W)), PipelineOptions(off=frozenset({"take_turns"})))


def test_loops_that_wait_are_no_vectors_and_are_not_merged() -> None:
    other = WAIT.format("2").replace("%p", "%q")
    both = lower(parse_function(text(W + BARRIER + other)), PipelineOptions()).function
    loops = [op for op in both.body.ops[0].region.ops if op.name == "block"]
    assert len(loops) == 2, "one for each side of the barrier"


def test_votes_that_nobody_asks_go() -> None:
    masks = f"""%m: i32 = for 0:i32, %n, 1:i32, -1:i32 [pred=slt] {{ (%i: i32, %c: i32)
      %b: i32 = vote %c, %tx [kind=ballot]
      yield %b
    }}
    {ALL} {STORE}"""
    function = parse_function(text(masks + WARP))
    assert remove_dead_code(function.body) is not Gone.NOTHING
    threads = function.body.ops[0].region.ops[0].region
    assert [op.name for op in threads.ops] == ["store", "barrier", "yield"]
