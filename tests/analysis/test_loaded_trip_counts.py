# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Which loops make as many trips as each thread reads from memory."""

from __future__ import annotations

from warploom.analysis.loaded_trip_counts import loops_of_loaded_trip_count
from warploom.ir.core import walk
from warploom.ir.parser import parse_function

TEXT = """kernel @k(%gdx: i32, %gdy: i32, %gdz: i32, %bdx: i32, %bdy: i32, %bdz: i32, %p: ptr, %n: i32) {{
  grid %gdx, %gdy, %gdz {{ (%bx: i32, %by: i32, %bz: i32)
    %block_place: ptr = gep %p, %bx [offset=0, strides=(4)]
    {loop} {{ {params}
      {place}
      %own: i32 = load %mine [align=4]
      {bound}
      for 0:i32, %bound, 1:i32 [pred=slt] {{ (%k: i32)
        yield
      }}
      yield
    }}
    yield
  }}
  yield
}}
"""
OWN = "%mine: ptr = gep %p, %tx [offset=0, strides=(4)]"
SAME = "%mine: ptr = gep %block_place [offset=4, strides=()]"
BLOCK = "block 64:i32, 1:i32, 1:i32"
THREADS = "(%tx: i32, %ty: i32, %tz: i32)"


def is_told(bound: str, place: str = OWN, loop: str = BLOCK, params: str = THREADS) -> bool:
    function = parse_function(TEXT.format(bound=bound, place=place, loop=loop, params=params))
    (counted,) = (op for op in walk(function.body) if op.name == "for" and not op.region.body)
    (grid,) = (op for op in walk(function.body) if op.name == "grid")
    return counted.region in loops_of_loaded_trip_count(grid)


def test_number_that_a_thread_reads() -> None:
    """Its own place in an array: another number for each thread."""
    assert is_told("%bound: i32 = add %own, 1:i32")


def test_number_that_all_threads_read() -> None:
    """One place for the whole block: a processor learns such a number from the thread before."""
    assert not is_told("%bound: i32 = add %own, 1:i32", SAME)


def test_number_that_a_thread_computes() -> None:
    """Neighbours make about the same number of trips."""
    assert not is_told("%bound: i32 = sub %n, %tx")


def test_number_chosen_by_control_flow() -> None:
    """What an `if` yields is as told as either side."""
    choice = "%c: i1 = icmp %tx, %n [pred=slt]\n%bound: i32 = if %c { yield %own } { yield %n }"
    assert is_told(choice)


def test_number_that_a_loop_carries() -> None:
    """A list's length, counted by following it: told through a carried address."""
    chase = """%bound: i32 = for 0:i32, %n, 1:i32, 0:i32 [pred=slt] { (%i: i32, %sum: i32)
        %there: ptr = gep %p, %sum [offset=0, strides=(4)]
        %more: i32 = load %there [align=4]
        %next: i32 = add %more, %tx
        yield %next
      }"""
    assert is_told(chase)


def test_loop_outside_of_threads() -> None:
    """The same loads in a loop that is no thread loop (threads have become a vector) say nothing."""
    loop, params = "for 0:i32, %n, 1:i32 [pred=slt]", "(%tx: i32)"
    assert not is_told("%bound: i32 = add %own, 1:i32", loop=loop, params=params)
