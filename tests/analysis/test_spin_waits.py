# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Loops that wait for another thread are told from loops that go on by themselves."""

from __future__ import annotations

import pytest

from warploom.analysis.spin_waits import find_spin_wait
from warploom.ir.parser import parse_function
from warploom.ir.verifier import verify

_HEAD = """kernel @k(%gdx: i32, %gdy: i32, %gdz: i32, %bdx: i32, %bdy: i32, %bdz: i32, %p: ptr, %q: ptr, %n: i32) {
  ids (%bx: i32, %by: i32, %bz: i32, %tx: i32, %ty: i32, %tz: i32)
"""
_LOAD = "load %p [align=4, volatile=true]"
_LOCK = "cmpxchg %p, 0:i32, 1:i32 [align=4, ordering=monotonic, failure=monotonic]"

WAITING = {
    "a flag": f"""
  ^entry:
    br [targets=(spin), counts=(0)]
  ^spin:
    %v: i32 = {_LOAD}
    %c: i1 = icmp %v, 0:i32 [pred=eq]
    cond_br %c [targets=(spin, after), counts=(0, 0)]
  ^after:
    ret
""",
    "an atomic load that adds nothing": """
  ^entry:
    br [targets=(spin), counts=(0)]
  ^spin:
    %v: i32 = atomicrmw %p, 0:i32 [operation=add, ordering=monotonic, align=4]
    %c: i1 = icmp %v, %n [pred=ne]
    cond_br %c [targets=(spin, after), counts=(0, 0)]
  ^after:
    ret
""",
    "a plain load behind a fence": """
  ^entry:
    br [targets=(spin), counts=(0)]
  ^spin:
    fence [ordering=seq_cst]
    %v: i32 = load %p [align=4]
    %c: i1 = icmp %v, %n [pred=ne]
    cond_br %c [targets=(spin, after), counts=(0, 0)]
  ^after:
    ret
""",
    "a lock": f"""
  ^entry:
    br [targets=(spin), counts=(0)]
  ^spin:
    %r: {{ i32, i1 }} = {_LOCK}
    %got: i1 = extractvalue %r [path=(1)]
    cond_br %got [targets=(critical, spin), counts=(0, 0)]
  ^critical:
    store 0:i32, %p [align=4, volatile=true]
    ret
""",
    "a lock taken in a branch of a loop": f"""
  ^entry:
    br 0:i1 [targets=(head), counts=(1)]
  ^head(%done: i1):
    cond_br %done [targets=(after, try), counts=(0, 0)]
  ^try:
    %r: {{ i32, i1 }} = {_LOCK}
    %got: i1 = extractvalue %r [path=(1)]
    cond_br %got, 0:i1 [targets=(critical, latch), counts=(0, 1)]
  ^critical:
    store 0:i32, %p [align=4, volatile=true]
    br 1:i1 [targets=(latch), counts=(1)]
  ^latch(%next: i1):
    br %next [targets=(head), counts=(1)]
  ^after:
    ret
""",
    "a loop inside of a counted loop": f"""
  ^entry:
    br 0:i32 [targets=(outer), counts=(1)]
  ^outer(%i: i32):
    %more: i1 = icmp %i, %n [pred=slt]
    cond_br %more [targets=(spin, after), counts=(0, 0)]
  ^spin:
    %v: i32 = {_LOAD}
    %c: i1 = icmp %v, %i [pred=ne]
    cond_br %c [targets=(spin, latch), counts=(0, 0)]
  ^latch:
    %next: i32 = add %i, 1:i32
    br %next [targets=(outer), counts=(1)]
  ^after:
    ret
""",
    "looking back over flags, one after another": """
  ^entry:
    br %n [targets=(look), counts=(1)]
  ^look(%i: i32):
    %w: i64 = sext %i
    %a: ptr = gep %p, %w [offset=0, strides=(4), inbounds=true]
    %v: i32 = load %a [align=4, volatile=true]
    %empty: i1 = icmp %v, 0:i32 [pred=eq]
    cond_br %empty, %i [targets=(latch, step), counts=(1, 0)]
  ^step:
    %down: i32 = sub %i, 1:i32
    %end: i1 = icmp %v, 2:i32 [pred=eq]
    cond_br %end, %down [targets=(after, latch), counts=(0, 1)]
  ^latch(%next: i32):
    br %next [targets=(look), counts=(1)]
  ^after:
    ret
""",
}

WAITING["an answer to what was stored"] = f"""
  ^entry:
    br [targets=(spin), counts=(0)]
  ^spin:
    store 1:i32, %p [align=4, volatile=true]
    %v: i32 = {_LOAD}
    %c: i1 = icmp %v, 2:i32 [pred=ne]
    cond_br %c [targets=(spin, after), counts=(0, 0)]
  ^after:
    ret
"""
WAITING["a flag that is asked so many times"] = f"""
  ^entry:
    br 0:i32 [targets=(again), counts=(1)]
  ^again(%i: i32):
    %next: i32 = add %i, 1:i32
    %c: i1 = icmp %next, %n [pred=slt]
    cond_br %c [targets=(look, after), counts=(0, 0)]
  ^look:
    %v: i32 = {_LOAD}
    %d: i1 = icmp %v, 0:i32 [pred=eq]
    cond_br %d, %next [targets=(again, after), counts=(1, 0)]
  ^after:
    ret
"""
TAGGED = f"""
  ^entry:
    br [targets=(again), counts=(0)]
  ^again:
    %old: i32 = {_LOAD}
    %more: i32 = add %old, 1:i32
    %new: i32 = or %more, %n
    store %new, %p [align=4, volatile=true]
    %v: i32 = {_LOAD}
    %c: i1 = icmp %v, %new [pred=ne]
    cond_br %c [targets=(again, after), counts=(0, 0)]
  ^after:
    ret
"""

GOING_ON = {
    "a count with the number of the thread that wrote last": TAGGED,
    "an update": """
  ^entry:
    %first: i32 = load %p [align=4]
    br %first [targets=(again), counts=(1)]
  ^again(%old: i32):
    %new: i32 = mul %old, %n
    %r: { i32, i1 } = cmpxchg %p, %old, %new [align=4, ordering=monotonic, failure=monotonic]
    %seen: i32 = extractvalue %r [path=(0)]
    %c: i1 = icmp %seen, %old [pred=eq]
    cond_br %c, %seen [targets=(after, again), counts=(0, 1)]
  ^after:
    ret
""",
    "an update that reads anew": f"""
  ^entry:
    br [targets=(again), counts=(0)]
  ^again:
    %old: i32 = {_LOAD}
    %new: i32 = mul %old, %n
    %r: {{ i32, i1 }} = cmpxchg %p, %old, %new [align=4, ordering=monotonic, failure=monotonic]
    %ok: i1 = extractvalue %r [path=(1)]
    cond_br %ok [targets=(after, again), counts=(0, 0)]
  ^after:
    ret
""",
    "a queue": """
  ^entry:
    br [targets=(again), counts=(0)]
  ^again:
    %i: i32 = atomicrmw %p, 1:i32 [operation=add, ordering=monotonic, align=4]
    %c: i1 = icmp %i, %n [pred=slt]
    cond_br %c [targets=(again, after), counts=(0, 0)]
  ^after:
    ret
""",
    "a counter": f"""
  ^entry:
    br 0:i32 [targets=(again), counts=(1)]
  ^again(%i: i32):
    %v: i32 = {_LOAD}
    %next: i32 = add %i, 1:i32
    %c: i1 = icmp %next, %v [pred=slt]
    cond_br %c, %next [targets=(again, after), counts=(1, 0)]
  ^after:
    ret
""",
    "probing of a hash table": """
  ^entry:
    br %n [targets=(probe), counts=(1)]
  ^probe(%slot: i32):
    %w: i64 = sext %slot
    %a: ptr = gep %p, %w [offset=0, strides=(4), inbounds=true]
    %r: { i32, i1 } = cmpxchg %a, 0:i32, %n [align=4, ordering=monotonic, failure=monotonic]
    %ok: i1 = extractvalue %r [path=(1)]
    %up: i32 = add %slot, 1:i32
    %next: i32 = and %up, 255:i32
    cond_br %ok, %next [targets=(after, probe), counts=(0, 1)]
  ^after:
    ret
""",
    "threads in step": f"""
  ^entry:
    br [targets=(again), counts=(0)]
  ^again:
    barrier [level=block]
    %v: i32 = {_LOAD}
    %c: i1 = icmp %v, 0:i32 [pred=eq]
    cond_br %c [targets=(again, after), counts=(0, 0)]
  ^after:
    ret
""",
    "volatile data": f"""
  ^entry:
    br 0:i32 [targets=(again), counts=(1)]
  ^again(%i: i32):
    %v: i32 = {_LOAD}
    store %v, %q [align=4, volatile=true]
    %next: i32 = add %i, 1:i32
    %c: i1 = icmp %next, %n [pred=slt]
    cond_br %c, %next [targets=(again, after), counts=(1, 0)]
  ^after:
    ret
""",
}


def counted(use: str) -> str:
    """A search that stops early: the counter is used beside counting."""
    return f"""
  ^entry:
    br 0:i32 [targets=(again), counts=(1)]
  ^again(%i: i32):
    %next: i32 = add %i, 1:i32
    %c: i1 = icmp %next, %n [pred=slt]
    cond_br %c [targets=(look, after), counts=(0, 0)]
  ^look:
    {use}
    %v: i32 = {_LOAD}
    %d: i1 = icmp %v, 0:i32 [pred=eq]
    cond_br %d, %next [targets=(again, after), counts=(1, 0)]
  ^after:
    ret
"""


_INDEXED = "%a: ptr = gep %q, %i [offset=0, strides=(4), inbounds=true]"
WAITING["a flag that is asked so many times, and counted"] = counted("store %next, %q [align=4]")
WAITING["a flag that is asked, and a rest between"] = counted("call %i [callee=__warploom_nanosleep, effects=any]")
GOING_ON["a search that stops early"] = counted(f"{_INDEXED}\n    store %n, %a [align=4]")


def waits(body: str) -> bool:
    function = parse_function(f"{_HEAD}{body}}}\n")
    verify(function, "cfg")
    return find_spin_wait(function) is not None


@pytest.mark.parametrize("what", WAITING)
def test_waiting(what: str) -> None:
    assert waits(WAITING[what])


@pytest.mark.parametrize("what", GOING_ON)
def test_going_on(what: str) -> None:
    assert not waits(GOING_ON[what])


def test_the_access_waited_for_is_named() -> None:
    found = find_spin_wait(parse_function(f"{_HEAD}{WAITING['a flag']}}}\n"))
    assert found is not None
    assert found.name == "load"


def test_conditions_of_the_kernel_own_arguments() -> None:
    text = (
        _HEAD.replace("%n: i32)", "%n: i32, %ping: i1)")
        + f"""
  ^entry:
    cond_br %ping [targets=(one, spin), counts=(0, 0)]
  ^one:
    store 1:i32, %q [align=4]
    br [targets=(spin), counts=(0)]
  ^spin:
    %v: i32 = {_LOAD}
    %c: i1 = icmp %v, 0:i32 [pred=eq]
    cond_br %c [targets=(spin, after), counts=(0, 0)]
  ^after:
    cond_br %ping [targets=(end, two), counts=(0, 0)]
  ^two:
    store 2:i32, %q [align=4]
    br [targets=(end), counts=(0)]
  ^end:
    ret
}}
"""
    )
    function = parse_function(text)
    verify(function, "cfg")
    assert find_spin_wait(function) is not None


WITHOUT_STATES = {
    "sums that nobody reads, between barriers": """
  ^entry:
    br 0:i32 [targets=(head), counts=(1)]
  ^head(%i: i32):
    %x: i32 = load %p [align=4]
    %old: i32 = atomicrmw %q, %x [operation=add, ordering=monotonic, align=4]
    barrier [level=block]
    %next: i32 = add %i, 1:i32
    %c: i1 = icmp %next, %n [pred=slt]
    cond_br %c, %next [targets=(head, after), counts=(1, 0)]
  ^after:
    ret
""",
    "a loop of sums that nobody reads": """
  ^entry:
    br 0:i32 [targets=(head), counts=(1)]
  ^head(%i: i32):
    %x: i32 = load %p [align=4]
    %old: i32 = atomicrmw %q, %x [operation=add, ordering=monotonic, align=4]
    %next: i32 = add %i, 1:i32
    %c: i1 = icmp %next, %x [pred=slt]
    cond_br %c, %next [targets=(head, after), counts=(1, 0)]
  ^after:
    ret
""",
}


@pytest.mark.parametrize("name", WITHOUT_STATES)
def test_no_states_are_asked_for_where_no_loop_can_look(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    function = parse_function(_HEAD + WITHOUT_STATES[name] + "}\n")
    verify(function, "cfg")
    monkeypatch.setattr("warploom.analysis.spin_waits.path_states", None)
    assert find_spin_wait(function) is None
