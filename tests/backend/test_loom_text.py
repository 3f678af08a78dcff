# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The LLVM text of split kernels: compiled, loaded, and run block by block by a stand-in for the runtime."""

from __future__ import annotations

import ctypes
import re
import subprocess
from collections.abc import Callable, Sequence
from pathlib import Path

import pytest
from loom_text_harness import (
    BLOCK,
    GRID,
    TARGET,
    NoSymbols,
    emit,
    function,
    launch,
    per_thread,
    simple,
    words,
)

from warploom.backend import loom_blocks
from warploom.backend.loom_text import LoomText
from warploom.core.kernel_facts import KernelFacts
from warploom.frontend.device_module import Kernel, Piece
from warploom.ir.core import Function, walk
from warploom.toolchain import find_toolchain


@pytest.mark.parametrize(("grid", "block"), [((1, 1, 1), (1, 1, 1)), ((5, 3, 2), (4, 3, 2)), ((7, 1, 1), (33, 1, 1))])
def test_every_thread_of_every_block_runs_once(
    load: Callable[..., ctypes.CDLL], grid: Sequence[int], block: Sequence[int]
) -> None:
    library = load(emit(per_thread("%v: i32 = load %at [align=4] %x: i32 = add %v, %g store %x, %at [align=4]")))
    count = grid[0] * grid[1] * grid[2] * block[0] * block[1] * block[2]
    data, pointer = words(count)
    launch(library, grid, block, pointer)
    assert list(data) == list(range(count))


def test_loops_and_branches_carry_values(load: Callable[..., ctypes.CDLL]) -> None:
    code = """
    %sum: i32 = for 0:i32, %g, 1:i32, 0:i32 [pred=slt] { (%k: i32, %acc: i32)
      %s: i32 = add %acc, %k
      yield %s
    }
    %steps: i32, %last: i32 = while 0:i32, %g { (%n0: i32, %m: i32)
      %c: i1 = icmp %m, 1:i32 [pred=ugt]
      condition %c, %n0, %m
    } { (%n1x: i32, %m1: i32)
      %odd: i32 = and %m1, 1:i32
      %is: i1 = icmp %odd, 0:i32 [pred=eq]
      %next: i32 = if %is {
        %half: i32 = lshr %m1, 1:i32
        yield %half
      } {
        %three: i32 = mul %m1, 3:i32
        %one: i32 = add %three, 1:i32
        yield %one
      }
      %n2: i32 = add %n1x, 1:i32
      yield %n2, %next
    }
    %scaled: i32 = mul %steps, 1000:i32
    %both: i32 = add %scaled, %sum
    store %both, %at [align=4]
    """
    library = load(emit(per_thread(code)))
    data, pointer = words(40)
    launch(library, (4, 1, 1), (10, 1, 1), pointer)

    def steps(number: int) -> int:
        count = 0
        while number > 1:
            number = 3 * number + 1 if number % 2 else number // 2
            count += 1
        return count

    assert list(data) == [1000 * steps(g) + g * (g - 1) // 2 for g in range(40)]


def test_values_live_across_thread_loops_in_scratch_memory(load: Callable[..., ctypes.CDLL]) -> None:
    """Reversal within a block: what a `barrier` is after splitting."""
    body = f"""
    {GRID}
      %keep: ptr = scratch [size=4, align=4, level=block]
      %more: ptr = scratch [size=8, align=8, level=block]
      block %bdx, 1:i32, 1:i32 {{ (%tx: i32, %ty: i32, %tz: i32)
        %w: i64 = sext %tx
        %a: ptr = gep %keep, %w [offset=0, strides=(4), inbounds=true]
        %c: ptr = gep %more, %w [offset=0, strides=(8), inbounds=true]
        %m: i32 = mul %bx, %bdx
        %g: i32 = add %m, %tx
        store %g, %a [align=4]
        store %w, %c [align=8]
        yield
      }}
      block %bdx, 1:i32, 1:i32 {{ (%tx2: i32, %ty2: i32, %tz2: i32)
        %r1: i32 = sub %bdx, %tx2
        %r: i32 = sub %r1, 1:i32
        %w2: i64 = sext %r
        %a2: ptr = gep %keep, %w2 [offset=0, strides=(4), inbounds=true]
        %v: i32 = load %a2 [align=4]
        %m2: i32 = mul %bx, %bdx
        %g2: i32 = add %m2, %tx2
        %w3: i64 = sext %g2
        %o: ptr = gep %p, %w3 [offset=0, strides=(4), inbounds=true]
        store %v, %o [align=4]
        yield
      }}
      yield
    }}
    """
    library = load(emit(function("%p: ptr", body)))
    data, pointer = words(5 * 70)
    launch(library, (5, 1, 1), (70, 1, 1), pointer)
    assert list(data) == [70 * b + 69 - t for b in range(5) for t in range(70)]


def test_scratch_memory_begins_where_it_asks_to() -> None:
    places = ["size=1, align=1", "size=384, align=128", "size=8, align=8", "size=256, align=256"]
    made = "".join(f"%s{number}: ptr = scratch [{each}, level=block]\n" for number, each in enumerate(places))
    parsed = function("%p: ptr", f"{GRID}\n{made}yield\n}}")
    offsets, total = loom_blocks.scratch_layout(next(op for op in walk(parsed.body) if op.name == "grid"))
    assert list(offsets.values()) == [0, 2, 386, 396]
    assert total == 652


def test_warps_have_lanes_and_scratch_memory_of_their_own(load: Callable[..., ctypes.CDLL]) -> None:
    body = f"""
    {GRID}
      warp 2:i32 {{ (%w: i32)
        %keep: ptr = scratch [size=4, align=4, level=warp]
        lane 32:i32 {{ (%l: i32)
          %x: i64 = sext %l
          %a: ptr = gep %keep, %x [offset=0, strides=(4), inbounds=true]
          store %l, %a [align=4]
          yield
        }}
        lane 32:i32 {{ (%l2: i32)
          %y: i32 = xor %l2, 1:i32
          %yw: i64 = sext %y
          %a2: ptr = gep %keep, %yw [offset=0, strides=(4), inbounds=true]
          %v: i32 = load %a2 [align=4]
          %i1: i32 = mul %w, 32:i32
          %i: i32 = add %i1, %l2
          %iw: i64 = sext %i
          %o: ptr = gep %p, %iw [offset=0, strides=(4), inbounds=true]
          store %v, %o [align=4]
          yield
        }}
        yield
      }}
      yield
    }}
    """
    library = load(emit(function("%p: ptr", body)))
    data, pointer = words(64)
    launch(library, (1, 1, 1), (64, 1, 1), pointer)
    assert list(data) == [lane ^ 1 for _ in range(2) for lane in range(32)]


def test_what_runs_once_a_launch_is_handed_to_the_blocks(load: Callable[..., ctypes.CDLL]) -> None:
    """Values, memory for all threads, and a loop around two grids."""
    body = f"""
    %all: ptr = scratch [size=4, align=4, level=grid]
    %start: i32 = load %q [align=4]
    for 0:i32, 3:i32, 1:i32 [pred=slt] {{ (%round: i32)
      {GRID} block %bdx, 1:i32, 1:i32 {{ (%tx: i32, %ty: i32, %tz: i32)
        %m: i32 = mul %bx, %bdx
        %g: i32 = add %m, %tx
        %w: i64 = sext %g
        %a: ptr = gep %all, %w [offset=0, strides=(4), inbounds=true]
        %s: i32 = add %g, %start
        %s2: i32 = add %s, %round
        store %s2, %a [align=4]
        yield }} yield }}
      {GRID.replace("%b", "%c")} block %bdx, 1:i32, 1:i32 {{ (%ux: i32, %uy: i32, %uz: i32)
        %m2: i32 = mul %cx, %bdx
        %h: i32 = add %m2, %ux
        %r: i32 = sub 19:i32, %h
        %w2: i64 = sext %r
        %a2: ptr = gep %all, %w2 [offset=0, strides=(4), inbounds=true]
        %v: i32 = load %a2 [align=4]
        %w3: i64 = sext %h
        %o: ptr = gep %p, %w3 [offset=0, strides=(4), inbounds=true]
        %before: i32 = load %o [align=4]
        %sum: i32 = add %before, %v
        store %sum, %o [align=4]
        yield }} yield }}
      yield
    }}
    """
    library = load(emit(function("%p: ptr, %q: ptr", body)))
    data, pointer = words(20)
    first, source = words(1)
    first[0] = 100
    launch(library, (4, 1, 1), (5, 1, 1), pointer, source)
    assert list(data) == [3 * (100 + 19 - h) + 3 for h in range(20)]


def test_arguments_arrive_in_pieces(load: Callable[..., ctypes.CDLL]) -> None:
    """A struct of a pointer and an int in two registers, a bool, and a struct in memory, which stays where it is."""
    code = """
    %on: i32 = zext %flag
    %big: i32 = load %s [align=4]
    %m1: i32 = mul %on, %add
    %m2: i32 = add %m1, %big
    store %m2, %at [align=4]
    """
    kernel = Kernel("k", (16, 1, 64), (Piece(0, 0), Piece(0, 8), Piece(1, 0), Piece(2, 0, indirect=True)), 0)
    library = load(emit(per_thread(code, "%p: ptr, %add: i32, %flag: i1, %s: ptr"), kernel=kernel))

    class Pair(ctypes.Structure):
        _fields_ = (("pointer", ctypes.c_void_p), ("number", ctypes.c_int))

    data, pointer = words(4)
    many = (ctypes.c_int * 16)(1000)
    for on in (True, False):
        launch(library, (1, 1, 1), (4, 1, 1), Pair(pointer.value, 7), ctypes.c_bool(on), many)
        assert list(data) == [1000 + 7 * on] * 4


def test_a_launch_takes_the_variant_for_its_block_size(load: Callable[..., ctypes.CDLL]) -> None:
    def variant(value: int, attrs: str) -> Function:
        code = f"{GRID} {BLOCK} store {value}:i32, %p [align=4] yield }} yield }}"
        return function("%p: ptr", code, attrs)

    library = load(emit(variant(1, "[block=(64, 1, 1)]"), variant(2, "[block=(0, 2, 0)]"), variant(3, "")))
    data, pointer = words(1)
    for block, expected in (((64, 1, 1), 1), ((64, 2, 1), 2), ((5, 2, 3), 2), ((65, 1, 1), 3), ((64, 1, 2), 3)):
        launch(library, (1, 1, 1), block, pointer)
        assert data[0] == expected, block


def test_a_launch_too_large_for_what_was_assumed_takes_the_version_for_any(load: Callable[..., ctypes.CDLL]) -> None:
    variants = [per_thread(f"store {number}:i32, %at [align=4]") for number in (1, 2, 3)]
    variants[0].facts = KernelFacts(block=(4, 1, 1), launch_limit_x=40)
    variants[1].facts = KernelFacts(launch_limit=30)
    text = LoomText(TARGET, NoSymbols(), launch_limit=24)
    text.add(simple(variants[1]), variants[:2], variants[2])
    library = load(text.text())
    for grid, block, expected in (
        ((6, 1, 1), (4, 1, 1), 1),
        ((7, 1, 1), (4, 1, 1), 3),
        ((6, 9, 1), (4, 1, 1), 1),  # in x alone
        ((4, 3, 1), (2, 1, 1), 2),
        ((4, 3, 1), (3, 1, 1), 3),
    ):
        data, pointer = words(300)
        launch(library, grid, block, pointer)
        count = grid[0] * grid[1] * grid[2] * block[0]
        assert list(data) == [expected] * count + [0] * (300 - count)


def test_launches_of_sizes_that_no_variant_is_for_take_the_version_for_any(load: Callable[..., ctypes.CDLL]) -> None:
    variants = [per_thread(f"store {number}:i32, %at [align=4]") for number in (1, 2, 3)]
    variants[0].facts = KernelFacts(block=(4, 1, 1), launch_limit_x=40)
    variants[1].facts = KernelFacts(block=(2, 1, 1))
    text = LoomText(TARGET, NoSymbols(), launch_limit=24)
    text.add(simple(variants[2]), variants[:2], variants[2])
    library = load(text.text())
    for blocks, threads, expected in ((6, 4, 1), (7, 4, 3), (6, 2, 2), (60, 2, 2), (6, 3, 3), (1, 1, 3)):
        data, pointer = words(300)
        launch(library, (blocks, 1, 1), (threads, 1, 1), pointer)
        assert list(data) == [expected] * (blocks * threads) + [0] * (300 - blocks * threads)


def test_private_arrays_are_fresh_memory_of_one_thread(load: Callable[..., ctypes.CDLL]) -> None:
    code = """
    %local: ptr = alloca [size=16, align=4]
    %l: i64 = and %w, 3:i64
    %a: ptr = gep %local, %l [offset=0, strides=(4), inbounds=true]
    memset %local, 0:i8, 16:i64 [align_to=4]
    store %g, %a [align=4]
    %b0: ptr = gep %local [offset=4, strides=(), inbounds=true]
    %v: i32 = load %b0 [align=4]
    store %v, %at [align=4]
    """
    data, pointer = words(12)
    launch(load(emit(per_thread(code))), (1, 1, 1), (12, 1, 1), pointer)
    assert list(data) == [g if g % 4 == 1 else 0 for g in range(12)]


def test_plain_thread_loops_become_vector_code(tmp_path: Path) -> None:
    """Although the pointers may alias, for all that LLVM can see."""
    body = f"""{GRID} %m: i32 = mul %bx, %bdx %mw: i64 = sext %m
    %pb: ptr = gep %p, %mw [offset=0, strides=(4), inbounds=true]
    %qb: ptr = gep %q, %mw [offset=0, strides=(4), inbounds=true]
    block %bdx, 1:i32, 1:i32 {{ (%tx: i32, %ty: i32, %tz: i32)
      %tw: i64 = sext %tx
      %to: ptr = gep %pb, %tw [offset=0, strides=(4), inbounds=true]
      %from: ptr = gep %qb, %tw [offset=0, strides=(4), inbounds=true]
      %v: float = load %from [align=4]
      %x: float = fmul %v, 2.5:float
      store %x, %to [align=4]
      yield }} yield }}"""
    source, made = tmp_path / "k.ll", tmp_path / "k.s"
    source.write_text(emit(function("%p: ptr, %q: ptr", body)))
    command = [find_toolchain().clang, "-O3", "-S", "-emit-llvm", "-x", "ir", source, "-o", made, "-Wno-everything"]
    subprocess.run(command, check=True)
    assert re.search(r"fmul <\d+ x float>", made.read_text())
