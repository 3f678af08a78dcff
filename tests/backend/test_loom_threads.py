# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Long loops over threads as functions that the runtime calls for parts of them: three iterations each here."""

from __future__ import annotations

import ctypes
from collections.abc import Callable

import pytest
from loom_text_harness import BLOCK, GRID, emit, function, launch, words

SUM = """%sum: i32 = for 0:i32, %t, 1:i32, %bx [pred=slt] { (%k: i32, %acc: i32)
  %more: i32 = add %acc, %k
  yield %more
}"""


def parts(library: ctypes.CDLL) -> int:
    return ctypes.c_uint.in_dll(library, "log_parts").value


@pytest.mark.parametrize(("body", "number"), [("", 3), ("volatile", 0), ("carried", 0), ("short", 0)])
def test_vectors_of_threads_run_in_parts_where_nothing_is_in_the_way(
    load: Callable[..., ctypes.CDLL], body: str, number: int
) -> None:
    """Rows of threads in steps of two, of which each sums up 0 to its number, kept in scratch memory."""
    head, passed = ("%last: i32 = ", "yield %row") if body == "carried" else ("", "yield")
    start, carried = (", 7:i32", ", %before: i32") if body == "carried" else ("", "")
    volatile = ", volatile=true" if body == "volatile" else ""
    sum_ = (
        SUM
        if body != "short"
        else "%u: i32 = sub %t, 1:i32 %v: i32 = mul %t, %u %w: i32 = lshr %v, 1:i32 %sum: i32 = add %w, %bx"
    )
    k = function(
        "%p: ptr, %n: i32",
        f"""grid %gdx, %gdy, %gdz {{ (%bx: i32, %by: i32, %bz: i32)
      %kept: ptr = scratch [size=4, align=4, level=block]
      {head}for 0:i32, %n, 2:i32{start} [pred=slt, of_threads=true] {{ (%row: i32{carried})
        for 0:i32, 2:i32, 1:i32 [pred=slt, of_threads=true] {{ (%column: i32)
          %t: i32 = add %row, %column
          {sum_}
          %at: ptr = gep %kept, %t [offset=0, strides=(4), inbounds=true]
          store %sum, %at [align=4{volatile}]
          yield
        }}
        {passed}
      }}
      block %n, 1:i32, 1:i32 {{ (%tx: i32, %ty: i32, %tz: i32)
        %from: ptr = gep %kept, %tx [offset=0, strides=(4), inbounds=true]
        %found: i32 = load %from [align=4]
        %i: i32 = mul %bx, %n
        %j: i32 = add %i, %tx
        %to: ptr = gep %p, %j [offset=0, strides=(4), inbounds=true]
        store %found, %to [align=4]
        yield
      }}
      yield
    }}""",
    )
    library = load(emit(k))
    data, pointer = words(28)
    launch(library, (2, 1, 1), (14, 1, 1), pointer, ctypes.c_int(14))
    assert list(data) == [block + t * (t - 1) // 2 for block in range(2) for t in range(14)]
    assert parts(library) == 2 * number


@pytest.mark.parametrize("kind", ["plain", "private"])
def test_threads_one_by_one_go_by_their_numbers(load: Callable[..., ctypes.CDLL], kind: str) -> None:
    """A block of 2 x 3 x 2; an atomic operation that is a plain one needs one OS thread for all of them."""
    private = ", private=true" if kind == "private" else ""
    k = function(
        "%p: ptr",
        f"""{GRID}
      {BLOCK}
        %r1: i32 = mul %bdy, %tz
        %r2: i32 = add %r1, %ty
        %r3: i32 = mul %bdx, %r2
        %t: i32 = add %r3, %tx
        {SUM}
        %at: ptr = gep %p, %t [offset=0, strides=(4), inbounds=true]
        %old: i32 = atomicrmw %at, %sum [operation=add, ordering=monotonic, align=4{private}]
        yield
      }}
      yield
    }}""",
    )
    library = load(emit(k))
    data, pointer = words(12)
    launch(library, (2, 1, 1), (2, 3, 2), pointer)
    assert list(data) == [1 + t * (t - 1) for t in range(12)]
    assert parts(library) == (2 * 4 if kind == "plain" else 0)


def test_warps_run_in_parts(load: Callable[..., ctypes.CDLL]) -> None:
    k = function(
        "%p: ptr, %n: i32",
        f"""{GRID}
      warp %n {{ (%w: i32)
        lane 32:i32 {{ (%l: i32)
          %first: i32 = mul %w, 32:i32
          %t: i32 = add %first, %l
          {SUM}
          %at: ptr = gep %p, %t [offset=0, strides=(4), inbounds=true]
          store %sum, %at [align=4]
          yield
        }}
        yield
      }}
      yield
    }}""",
    )
    library = load(emit(k))
    data, pointer = words(160)
    launch(library, (1, 1, 1), (160, 1, 1), pointer, ctypes.c_int(5))
    assert list(data) == [t * (t - 1) // 2 for t in range(160)]
    assert parts(library) == 2
