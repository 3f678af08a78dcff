# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Where lanes of a warp meet in plain memory, and where they only seem to."""

from __future__ import annotations

import pytest
from block_kernel import block_kernel, ops_of

from warploom.analysis.sample_run import meeting_pairs
from warploom.passes.barrier.lock_step import pairs_of

AT = """%x: i64 = zext %tx
%at: ptr = gep @s:ptr, %x [offset=0, strides=(4)]
%next: ptr = gep @s:ptr, %x [offset=64, strides=(4)]
"""
STORE, OWN, OTHER = "store 7:i32, %at", "%a: i32 = load %at", "%b: i32 = load %next"


NEIGHBOUR = "%up1: ptr = gep %at [offset=4, strides=()]\n%b1: i32 = load %up1"


def within(bound: str, *ops: str) -> str:
    """`ops`, by threads below `bound`."""
    body = "\n".join(ops)
    return f"%c{bound}: i1 = icmp %tx, {bound}:i32 [pred=ult]\nif %c{bound} {{ {body}\n yield }} {{ yield }}\n"


def halving(*ops: str) -> str:
    """A loop in which threads below %s, 32, 16, ..., run `ops`; %beside is %s places further."""
    body = "\n".join(ops)
    return f"""%end: i32 = while 32:i32 {{ (%v: i32)
      %go: i1 = icmp %v, 0:i32 [pred=ne]
      condition %go, %v
    }} {{ (%s: i32)
      %in: i1 = icmp %tx, %s [pred=ult]
      %to: i32 = add %tx, %s
      %tw: i64 = zext %to
      %beside: ptr = gep @s:ptr, %tw [offset=0, strides=(4)]
      if %in {{ {body}
        yield }} {{ yield }}
      %half: i32 = lshr %s, 1:i32
      yield %half
    }}"""


def in_launches_of(number: int, *ops: str) -> str:
    """`ops` where the kernel's argument is `number`, which it is in no sample."""
    body = "\n".join(ops)
    return f"%on{number}: i1 = icmp %n, {number}:i32 [pred=eq]\nif %on{number} {{ {body}\n yield }} {{ yield }}\n"


def sides(odd: str, even: str) -> str:
    """`odd` by lanes of odd number, `even` by the others."""
    condition = "%odd: i32 = and %tx, 1:i32\n%is: i1 = icmp %odd, 0:i32 [pred=ne]\n"
    return f"{condition}if %is {{ {odd} }} {{ {even} }}\n"


def reaching(index: str, condition: str = "and %low, 1:i1") -> str:
    """All threads store; then those with `condition` load from place %i, which `index` makes of %up, 16 places up, and
    of %m, which nobody knows."""
    return f"""{STORE}
      %m: i32 = load %q
      %low: i1 = icmp %tx, 16:i32 [pred=ult]
      %up: i32 = add %tx, 16:i32
      {index}
      %if: i1 = {condition}
      %iw: i64 = zext %i
      %there: ptr = gep @s:ptr, %iw [offset=0, strides=(4)]
      if %if {{ %b: i32 = load %there yield }} {{ yield }}
"""


# One fact a line: the code, how many pairs meet, why.
FACTS = [
    (within("32", STORE) + within("16", OTHER), 1, "the next statement loads what lanes 16 ... 31 have stored"),
    (within("32", STORE) + "barrier [level=block]\n" + within("16", OTHER), 0, "all have waited"),
    (within("32", STORE) + "barrier [level=warp]\n" + within("16", OTHER), 0, "the warp has waited"),
    (within("16", OTHER, STORE), 0, "lanes 0 ... 15 load what is never stored"),
    (within("32", OTHER, STORE), 1, "lanes 16 ... 31 store what lanes 0 ... 15 have loaded"),
    (STORE + "\n" + OWN, 0, "one's own"),
    ("store 7:i32, @s:ptr\n%a: i32 = load @s:ptr", 0, "where all use one place one thread is meant"),
    (within("1", "store 7:i32, @s:ptr") + "%a: i32 = load @s:ptr", 1, "one lane stores, all load"),
    (halving("%a: i32 = load %beside", STORE), 1, "the next round loads what this one has stored"),
    (halving("%a: i32 = load %beside", "barrier [level=block]", STORE, "barrier [level=block]"), 0, "all wait"),
    (
        "%o: i64 = zext %n\n%far: ptr = gep %at, %o [offset=0, strides=(4)]\n" + STORE + "\n%a: i32 = load %far",
        0,
        "parameters are large",
    ),
    (
        "%l: i32 = xor %tx, 1:i32\n%y: i64 = zext %l\n%pair: ptr = gep @s:ptr, %y [offset=0, strides=(4)]\n"
        + STORE
        + "\n%a: i32 = load %pair",
        1,
        "pairs of lanes",
    ),
    (
        "%u: i32 = load %q\n%y: i64 = zext %u\n%any: ptr = gep @s:ptr, %y [offset=0, strides=(4)]\n"
        + STORE
        + "\n%a: i32 = load %any",
        0,
        "an index from memory shows nothing",
    ),
    (reaching("%i: i32 = select %low, %up, %tx"), 1, "a chosen index"),
    (reaching("%i: i32 = select 1:i1, %up, 0:i32"), 1, "an index chosen for all lanes"),
    (reaching("%known: i1 = icmp %m, 0:i32 [pred=eq]\n%i: i32 = select %known, %up, %tx"), 0, "who knows which"),
    (reaching("%known: i1 = icmp %m, 0:i32 [pred=eq]\n%i: i32 = select %known, %up, %up"), 1, "both are the same"),
    (reaching("%i: i32 = call %up, 5:i32 [callee=llvm.smax.i32, effects=none]"), 1, "at least 5"),
    (reaching("%i: i32 = call %up, 63:i32 [callee=llvm.umin.i32, effects=none]"), 1, "at most 63"),
    (reaching("%i: i32 = call %up, 1:i32 [callee=somebody, effects=none]"), 0, "who knows what it gives"),
    (reaching("%i: i32 = freeze %up"), 1, "frozen"),
    (reaching("%k: i1 = icmp %m, 0:i32 [pred=eq]\n%i: i32 = add %up, 0:i32", "and %low, %k"), 1, "it may be both"),
    (reaching("%i: i32 = add %up, 0:i32", "or %low, 1:i1"), 1, "one of two holds"),
    (reaching("%i: i32 = add %up, 0:i32", "and %low, 0:i1"), 0, "never both"),
    (reaching("%i: i32 = add %up, 0:i32", "and 1:i1, 0:i1"), 1, "what is the same for all lanes is tried both ways"),
    (reaching("%i: i32 = add %up, 0:i32", "or 0:i1, 1:i1"), 1, "always, for all lanes"),
    (
        reaching(
            "%i: i32 = for %tx, %up, 1:i32, 0:i32 [pred=slt] { (%c: i32, %o: i32) %p2: i32 = add %c, 1:i32\nyield %p2 }"
        ),
        0,
        "sixteen rounds are too many to follow",
    ),
    (
        reaching(
            "%i: i32 = for 0:i32, 4:i32, 1:i32, %tx [pred=slt] { (%c: i32, %o: i32) %p4: i32 = add %o, 4:i32\n"
            "yield %p4 }"
        ),
        1,
        "four rounds",
    ),
    (
        reaching("%i: i32 = for 0:i32, %m, 1:i32, %up [pred=slt] { (%c: i32, %o: i32) yield %o }"),
        1,
        "the same after any number of rounds",
    ),
    (reaching("%act: i32 = activemask\n%i: i32 = add %up, 0:i32"), 1, "asking who is there does not wait"),
    (reaching("%v: i32 = vote -1:i32, 1:i32 [kind=any]\n%i: i32 = add %up, 0:i32"), 0, "a vote waits"),
    (
        "%e: i32 = and %tx, 1:i32\n%even: i1 = icmp %e, 0:i32 [pred=eq]\n%up: ptr = gep %at [offset=4, strides=()]\n"
        "if %even { %a: i32 = load %up\n store %a, %at yield } { yield }",
        0,
        "every other lane",
    ),
    (in_launches_of(5, within("32", STORE), within("16", OTHER)), 1, "another launch may come here"),
    (in_launches_of(5, within("32", STORE)) + within("16", OTHER), 1, "what another launch has stored"),
    (within("32", STORE) + in_launches_of(5, STORE) + within("16", OTHER), 1, "the store that is sure is no less so"),
    (within("32", STORE) + in_launches_of(5, "barrier [level=block]") + within("16", OTHER), 1, "it may not wait"),
    (sides(f"{STORE} yield", f"{NEIGHBOUR} yield"), 1, "lanes that go the other way come behind"),
    (sides("barrier [level=warp] yield", f"{STORE} yield") + within("16", OTHER), 1, "one side does not wait"),
    (sides(f"{NEIGHBOUR} barrier [level=warp] yield", f"{STORE} yield"), 0, "the first side has waited"),
]


@pytest.mark.parametrize(("body", "count", "why"), FACTS, ids=[fact[-1] for fact in FACTS])
def test_pairs(body: str, count: int, why: str) -> None:
    function = block_kernel(AT + body)
    pairs = meeting_pairs(function)
    assert len(pairs) == count, why
    assert pairs_of(function) == pairs  # what shows without a sample that there are none is right
    touching = {*ops_of(function, "load"), *ops_of(function, "store")}
    assert all(first in touching and then in touching for first, then in pairs)


def test_in_rows_of_sixteen_threads() -> None:
    # A tile of 16 x 16 numbers: threads of a row share a warp with the row before or behind.
    body = """%t: i32 = mul %ty, 16:i32
      %i: i32 = add %t, %tx
      %y: i64 = zext %i
      %cell: ptr = gep @s:ptr, %y [offset=0, strides=(4)]
      %above: ptr = gep @s:ptr, %y [offset=-64, strides=(4)]
      store 7:i32, %cell
      %odd: i32 = and %ty, 1:i32
      %c: i1 = icmp %odd, 0:i32 [pred=ne]
      if %c { %a: i32 = load %above yield } { yield }"""
    assert len(meeting_pairs(block_kernel(body, attrs="block=(16, 16, 1)"))) == 1
