# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Thread loops side by side become one where threads need not wait for each other."""

from __future__ import annotations

import pytest
from differential import results

from warploom.ir.core import Function, clone_function, walk
from warploom.ir.parser import parse_function
from warploom.ir.verifier import verify
from warploom.passes.barrier.merge_parallel import MERGE_PARALLEL
from warploom.passes.base import Context

LAUNCH = "%gdx: i32, %gdy: i32, %gdz: i32, %bdx: i32, %bdy: i32, %bdz: i32"


def kernel(*parts: str) -> Function:
    """A split kernel. A part that begins with `thread` is a thread loop over %bdx with addresses %here (of the thread's
    number in @p) and %slot (in %s); any other part stands between the loops as it is."""
    ops = ""
    for number, part in enumerate(parts):
        if not part.startswith("thread"):
            ops += part + "\n"
            continue
        ops += f"""
    block %bdx, 1:i32, 1:i32 {{ (%tx: i32, %ty: i32, %tz: i32)
      %i: i32 = add %base, %tx
      %w: i64 = sext %i
      %here: ptr = gep %p, %w [offset=0, strides=(4)]
      %lin: i64 = zext %tx
      %slot: ptr = gep %s, %lin [offset=0, strides=(4)]
      {part.removeprefix("thread")}
      yield
    }}
""".replace("%tx", f"%tx{number}")
    text = f"""kernel @k({LAUNCH}, %n: i32, %p: ptr) [block=(0, 1, 1)] {{
  shared @tile [size=4096, align=4]
  grid %gdx, %gdy, %gdz {{ (%bx: i32, %by: i32, %bz: i32)
    %base: i32 = mul %bx, %bdx
    %s: ptr = scratch [size=4, align=4, level=block]
    {ops}
    yield
  }}
  yield
}}
"""
    function = parse_function(_unique(text))
    verify(function, "split")
    return function


def _unique(text: str) -> str:
    """Names of the loops' own values, told apart."""
    parts = text.split("block %bdx")
    for number in range(1, len(parts)):
        for name in ("ty", "tz", "i", "w", "here", "lin", "slot", "x", "y", "a", "b"):
            for end in (":", ",", " ", "\n"):
                parts[number] = parts[number].replace(f"%{name}{end}", f"%{name}_{number}{end}")
    return "block %bdx".join(parts)


def count(function: Function, name: str) -> int:
    return sum(op.name == name for op in walk(function.body))


def merged(function: Function) -> tuple[Function, bool]:
    """The kernel after the pass, which leaves the same in memory as before under every order of threads."""
    after = clone_function(function)
    changed = MERGE_PARALLEL.run(after, Context())
    verify(after, "split")
    expected = results(function, (3, 1, 1), (5, 1, 1), 4)
    for seed in range(4):
        assert results(after, (3, 1, 1), (5, 1, 1), 4, seed=seed) == expected
    return after, changed


WRITE = "thread %x: i32 = load %here [align=4]\n%y: i32 = add %x, 3:i32\nstore %y, %slot [align=4]"
READ = "thread %a: i32 = load %slot [align=4]\n%b: i32 = mul %a, %a\nstore %b, %here [align=4]"


def test_a_slot_between_two_loops_becomes_a_value() -> None:
    function, changed = merged(kernel(WRITE, READ))
    assert changed
    assert count(function, "block") == 1
    assert count(function, "scratch") == 0
    assert count(function, "load") == 1
    assert count(function, "store") == 1


def test_what_a_neighbour_wrote_must_be_waited_for() -> None:
    read = """thread %x: i32 = sub %bdx, 1:i32
      %y: i32 = sub %x, TX
      %a: i64 = zext %y
      %b: ptr = gep %s, %a [offset=0, strides=(4)]
      %v: i32 = load %b [align=4]
      store %v, %here [align=4]""".replace("TX", "%tx")
    function, changed = merged(kernel(WRITE, read))
    assert not changed
    assert count(function, "block") == 2


def test_pure_ops_between_the_loops_go_in_front() -> None:
    store = "thread store %k, %here [align=4]"
    function, changed = merged(kernel(WRITE, "%k: i32 = add %n, %bx", store))
    assert changed
    assert count(function, "block") == 1


def test_memory_between_the_loops_keeps_them_apart() -> None:
    function, changed = merged(kernel(WRITE, "%k: i32 = load @tile:ptr [align=4]", READ))
    assert not changed
    assert count(function, "block") == 2


def test_three_loops_of_which_two_may_meet() -> None:
    shift = """thread %y: i32 = add %tx, 1:i32
      %x: i32 = urem %y, %bdx
      %a: i64 = zext %x
      %b: ptr = gep @tile:ptr, %a [offset=0, strides=(4)]
      %v: i32 = load %b [align=4]
      store %v, %here [align=4]"""
    fill = """thread %a: i32 = load %slot [align=4]
      %b: ptr = gep @tile:ptr, %lin [offset=0, strides=(4)]
      store %a, %b [align=4]"""
    function, changed = merged(kernel(WRITE, fill, shift, READ))
    assert changed
    # The read of a neighbour's tile waits for the tile; READ after it does not.
    assert count(function, "block") == 2


def test_loops_with_different_bounds_stay() -> None:
    function = kernel(WRITE, READ)
    block = [op for op in walk(function.body) if op.name == "block"][1]
    block.operands[0] = function.params[6]
    assert not MERGE_PARALLEL.run(function, Context())
    verify(function, "split")


def rounds(*parts: str) -> Function:
    """A kernel whose loops over threads stand in a loop of three rounds, %k; each thread has two slots in %two."""
    buffer = "%two: ptr = scratch [size=8, align=4, level=block]\n"
    return kernel(buffer + "for 0:i32, 3:i32, 1:i32 [pred=slt] { (%k: i32)\n", *parts, "yield }\n")


def in_two(number: str, name: str) -> str:
    """The address %`name` of the slot with the parity of `number` in %two."""
    return f"""%even{name}: i32 = and {number}, 1:i32
      %wide{name}: i64 = zext %even{name}
      %{name}: ptr = gep %two, %lin, %wide{name} [offset=0, strides=(8, 4)]
      """


LATER = "%later: i1 = icmp %k, 0:i32 [pred=ne]\n"
FROM = "if %later {{ %v: i32 = load {address} [align=4]\nstore %v, %here [align=4]\nyield }} {{ yield }}"
SOME = "thread %x: i1 = icmp %tx, 2:i32 [pred=slt]\nif %x { OP\nyield } { yield }"
CHANGE = "%c: i32 = load %here [align=4]\n%d: i32 = add %c, 1:i32\nstore %d, %here [align=4]\n"
# The code, loads of slots that are left, why.
SLOTS = [
    (kernel(SOME.replace("OP", "store %n, %slot [align=4]"),
            SOME.replace("OP", "%a: i32 = load %slot [align=4]\nstore %a, %here [align=4]")), 1,
     "the value exists where it is stored only"),
    (kernel(WRITE, SOME.replace("OP", "store %n, %slot [align=4]"), READ), 1, "one of two stores was the last"),
    (kernel(WRITE, "thread %a: float = load %slot [align=4]\nstore %a, %here [align=4]"), 1, "another type"),
    (rounds("thread " + LATER + FROM.format(address="%slot"), WRITE), 1, "the store of the round before"),
    (rounds("thread " + in_two("%k", "this") + "store %k, %this [align=4]",
            "thread %l: i32 = add %k, 1:i32\n" + in_two("%l", "that") + LATER + FROM.format(address="%that")), 1,
     "another slot, which has the value of the round before"),
    (rounds("thread %j: i32 = load %here [align=4]\n" + in_two("%j", "this") + "store %k, %this [align=4]\n" + CHANGE,
            "thread %l: i32 = load %here [align=4]\n" + in_two("%l", "that") + LATER + FROM.format(address="%that")), 1,
     "a number that was loaded before it changed"),
    (kernel(WRITE, "thread %a: i32 = load %slot [align=4]\nstore %a, %here [align=4]",
            "thread memcpy %here, %slot, 4:i64 [align_to=4, align_from=4]"), 1, "copied as well"),
]  # fmt: skip


@pytest.mark.parametrize(("function", "left", "why"), SLOTS, ids=[each[-1] for each in SLOTS])
def test_what_a_slot_holds_is_not_one_value(function: Function, left: int, why: str) -> None:
    after, changed = merged(function)
    assert changed
    names = ("slot", "this", "that")
    loads = [op for op in walk(after.body) if op.name == "load"]
    assert sum(str(getattr(op.operands[0], "name", "")).startswith(names) for op in loads) == left, why


def test_a_slot_whose_address_is_kept_is_memory() -> None:
    store = "thread %b: ptr = load %here [align=4]\nstore %b, %b\n%a: ptr = load %slot\nstore %a, @tile:ptr"
    function = kernel("thread store %slot, %here [align=4]", store)
    MERGE_PARALLEL.run(function, Context())
    assert count(function, "load") == 2
