# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The LLVM text of split kernels: compiled, loaded, and run block by block by a stand-in for the runtime."""

from __future__ import annotations

import ctypes
import re
import subprocess
from collections.abc import Callable, Sequence
from pathlib import Path

import pytest

from warploom.backend import loom_blocks
from warploom.backend.loom_text import LoomText
from warploom.core.kernel_facts import KernelFacts
from warploom.frontend.device_module import Kernel, Piece
from warploom.ir.core import Function, walk
from warploom.ir.parser import parse_function
from warploom.toolchain import find_toolchain

TARGET = 'target triple = "x86_64-unknown-linux-gnu"'
LAUNCH = "%gdx: i32, %gdy: i32, %gdz: i32, %bdx: i32, %bdy: i32, %bdz: i32"

# Runs blocks in pieces of three, and logs what the kernel tells the runtime.
RUNTIME = """
#include <stdlib.h>
typedef unsigned long size;
unsigned log_flags[16], log_thread, log_loops, log_spins;
void __warploom_run_blocks(void *launch, void (*body)(void *, unsigned *, char *, size, size), void *frame, size blocks,
                           size scratch, unsigned flags) {
  unsigned position[3];
  char *memory = aligned_alloc(64, (scratch + 64) & ~63ul);
  log_flags[log_loops++ & 15] = flags;
  for (size first = 0; first < blocks; first += 3)
    body(frame, position, memory, first, first + 3 < blocks ? first + 3 : blocks);
  free(memory);
}
void *__warploom_grid_memory(void *launch, size bytes) { return calloc(bytes, 1); }
void __warploom_set_thread(unsigned x, unsigned y, unsigned z) { log_thread = x; }
void __warploom_set_thread_index(unsigned index) { log_thread = index; }
void __warploom_spin_point(void) { ++log_spins; }
void __warploom_take_turns(void (*body)(void *, unsigned), void *frame, unsigned count) {
  while (count-- > 0) body(frame, count);
}
unsigned log_parts;
void __warploom_share_threads(void (*body)(void *, char *, unsigned, unsigned), void *frame, char *scratch,
                              unsigned count) {
  for (unsigned last = count; last > 0; last -= last < 3 ? last : 3, ++log_parts)
    body(frame, scratch, last < 3 ? 0 : last - 3, last);
}
unsigned watched;
void watch(unsigned x) { watched = watched * 10 + log_thread; }
"""


class NoSymbols:
    """A module that has no globals."""

    def is_function(self, name: str) -> bool:
        return not name.isupper()

    def is_library(self, name: str) -> bool:
        return name.startswith("llvm.")


def function(parameters: str, body: str, attrs: str = "") -> Function:
    """The kernel @k with these parameters after the launch's."""
    return parse_function(f"kernel @k({', '.join(filter(None, [LAUNCH, parameters]))}) {attrs} {{\n{body}\nyield\n}}")


def simple(parameters: Function) -> Kernel:
    """A kernel whose source parameters are its LLVM parameters."""
    count = len(parameters.arguments)
    return Kernel("k", (8,) * count, tuple(Piece(number, 0) for number in range(count)), 0)


def emit(*variants: Function, kernel: Kernel | None = None, debug: bool = False) -> str:
    """The LLVM text of one kernel."""
    text = LoomText(TARGET, NoSymbols(), attributes="nounwind", debug=debug)
    text.add(kernel or simple(variants[-1]), variants)
    return text.text()


@pytest.fixture
def load(tmp_path: Path) -> Callable[..., ctypes.CDLL]:
    """Compiles LLVM text at -O3 with the stand-in runtime and loads it."""

    def compile_and_load(text: str, more: str = "") -> ctypes.CDLL:
        source, runtime, library = tmp_path / "k.ll", tmp_path / "runtime.c", tmp_path / "k.so"
        source.write_text(text)
        runtime.write_text(RUNTIME + more)
        toolchain = find_toolchain()
        command = [
            toolchain.clang,
            *toolchain.link_flags,
            "-O3",
            "-fPIC",
            "-shared",
            "-nostdlib++",
            "-x",
            "ir",
            source,
            "-x",
            "c",
            runtime,
            "-o",
            library,
        ]
        done = subprocess.run([*command, "-Wno-everything"], capture_output=True, text=True, check=False)
        assert done.returncode == 0, done.stderr
        return ctypes.CDLL(str(library))

    return compile_and_load


def launch(library: ctypes.CDLL, grid: Sequence[int], block: Sequence[int], *arguments: ctypes._CData) -> None:  # pyright: ignore
    """One launch of @k."""
    pointers = (ctypes.c_void_p * len(arguments))(*(ctypes.addressof(each) for each in arguments))
    shape = (ctypes.c_uint * 6)(*grid, *block)
    getattr(library, "k.grid")(pointers, shape)


def words(count: int) -> tuple[ctypes.Array[ctypes.c_int], ctypes.c_void_p]:
    """Zeroed integers, and the argument that points at them."""
    data = (ctypes.c_int * count)()
    return data, ctypes.c_void_p(ctypes.addressof(data))


# A thread's number in the grid, as %g.
NUMBER = """
%r1: i32 = mul %bdy, %tz
%r2: i32 = add %r1, %ty
%r3: i32 = mul %bdx, %r2
%t: i32 = add %r3, %tx
%b1: i32 = mul %gdy, %bz
%b2: i32 = add %b1, %by
%b3: i32 = mul %gdx, %b2
%b: i32 = add %b3, %bx
%n1: i32 = mul %bdx, %bdy
%n: i32 = mul %n1, %bdz
%g1: i32 = mul %b, %n
%g: i32 = add %g1, %t
%w: i64 = sext %g
%at: ptr = gep %p, %w [offset=0, strides=(4), inbounds=true]
"""
GRID = "grid %gdx, %gdy, %gdz { (%bx: i32, %by: i32, %bz: i32)"
BLOCK = "block %bdx, %bdy, %bdz { (%tx: i32, %ty: i32, %tz: i32)"


def per_thread(code: str, parameters: str = "%p: ptr") -> Function:
    """A kernel that is one thread loop; %g is the thread's number, %at its slot of %p."""
    return function(parameters, f"{GRID} {BLOCK} {NUMBER} {code} yield }} yield }}")


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


@pytest.mark.parametrize(("body", "parts"), [("", 3), ("volatile", 0), ("carried", 0)])
def test_a_long_loop_over_threads_runs_in_parts_where_nothing_is_in_the_way(
    load: Callable[..., ctypes.CDLL], body: str, parts: int
) -> None:
    """Rows of threads in steps of two, of which each sums up 0 to its number, kept in scratch memory."""
    head, results = ("%last: i32 = ", " yield %row ") if body == "carried" else ("", " yield ")
    start, carried = (", 7:i32", ", %before: i32") if body == "carried" else ("", "")
    volatile = ", volatile=true" if body == "volatile" else ""
    k = function(
        "%p: ptr, %n: i32",
        f"""grid %gdx, %gdy, %gdz {{ (%bx: i32, %by: i32, %bz: i32)
      %kept: ptr = scratch [size=4, align=4, level=block]
      {head}for 0:i32, %n, 2:i32{start} [pred=slt, of_threads=true] {{ (%row: i32{carried})
        for 0:i32, 2:i32, 1:i32 [pred=slt, of_threads=true] {{ (%column: i32)
          %t: i32 = add %row, %column
          %sum: i32 = for 0:i32, %t, 1:i32, %bx [pred=slt] {{ (%k: i32, %acc: i32)
            %more: i32 = add %acc, %k
            yield %more
          }}
          %at: ptr = gep %kept, %t [offset=0, strides=(4), inbounds=true]
          store %sum, %at [align=4{volatile}]
          yield
        }}{results}
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
    assert ctypes.c_uint.in_dll(library, "log_parts").value == 2 * parts


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


def test_who_may_ask_for_the_thread_is_told(load: Callable[..., ctypes.CDLL]) -> None:
    library = load(emit(per_thread('call %g [callee="watch", effects=any]')))
    _, pointer = words(1)
    launch(library, (1, 1, 1), (4, 1, 1), pointer)
    assert ctypes.c_uint.in_dll(library, "watched").value == 123


def test_a_loop_that_waits_gives_others_their_turn(load: Callable[..., ctypes.CDLL]) -> None:
    code = """
    while { ()
      %v: i32 = load %at [align=4, volatile=true]
      %c: i1 = icmp %v, 2:i32 [pred=slt]
      condition %c
    } { ()
      %u: i32 = load %at [align=4]
      %x: i32 = add %u, 1:i32
      store %x, %at [align=4]
      yield
    }
    """
    library = load(emit(per_thread(code)))
    _, pointer = words(4)
    launch(library, (1, 1, 1), (4, 1, 1), pointer)
    assert ctypes.c_uint.in_dll(library, "log_spins").value == 12
    assert ctypes.c_uint.in_dll(library, "log_flags").value == 2, "one block at a time"


WAIT_FOR_NEXT = """
%after: ptr = gep %at [offset=4, strides=(), inbounds=true]
while { ()
  %v: i32 = load %after [align=4, volatile=true]
  %c: i1 = icmp %v, 0:i32 [pred=eq]
  condition %c
} { () yield }
%l: i32 = load %after [align=4]
%x: i32 = add %l, %t
store %x, %at [align=4]
"""


def test_iterations_that_may_wait_are_called_one_by_one(load: Callable[..., ctypes.CDLL]) -> None:
    """The stand-in runs them from the last to the first, so that each finds what the next one has stored."""
    waiting = per_thread(WAIT_FOR_NEXT)
    waiting.facts = KernelFacts(waits=True)
    library = load(emit(waiting, debug=True))
    data, pointer = words(25)
    data[24] = 100
    launch(library, (1, 1, 1), (4, 3, 2), pointer)
    assert list(data) == [100 + sum(range(n, 24)) for n in range(25)]
    assert ctypes.c_uint.in_dll(library, "log_flags").value == 2, "one block at a time"


def test_warps_and_lanes_that_may_wait_are_called_as_well(load: Callable[..., ctypes.CDLL]) -> None:
    code = f"""{GRID}
    %s: ptr = scratch [size=4, align=4, level=block]
    warp 2:i32 {{ (%w: i32)
      %base: i32 = mul %w, 32:i32
      lane 32:i32 {{ (%lane: i32)
        %t: i32 = add %base, %lane
        %i: i64 = sext %t
        %at: ptr = gep %p, %i [offset=0, strides=(4), inbounds=true]
        {WAIT_FOR_NEXT}
        call %x [callee="watch", effects="any"]
        yield
      }}
      yield
    }}
    yield }}"""
    waiting = function("%p: ptr", code, "[waits=true]")
    library = load(emit(waiting))
    data, pointer = words(65)
    data[64] = 7
    launch(library, (1, 1, 1), (64, 1, 1), pointer)
    assert data[0] == 7 + sum(range(64))
    assert ctypes.c_uint.in_dll(library, "log_thread").value == 0


@pytest.mark.parametrize(("grids", "flags"), [(1, 0), (2, 1)])
def test_shared_memory_outlives_a_grid_that_another_follows(
    load: Callable[..., ctypes.CDLL], grids: int, flags: int
) -> None:
    one = f"{GRID} {BLOCK} store %tx, @S:ptr [align=4] yield }} yield }}"
    body = "shared @S [size=4, align=4]\n" + one * grids
    library = load(emit(function("", body)), "unsigned S;")
    launch(library, (1, 1, 1), (4, 1, 1))
    assert ctypes.c_uint.in_dll(library, "log_flags").value == flags


@pytest.mark.parametrize(
    ("op", "wanted"),
    [
        ("%x: float = fadd 1.5:float, 2.5:float [flags=(contract, nnan)]", "fadd contract nnan float 0x3FF8"),
        ("%x: i32 = add %g, 1:i32 [flags=(nuw, nsw)]", "add nuw nsw i32"),
        ("%x: i1 = fcmp 1.0:double, 2.0:double [pred=olt, flags=(fast)]", "fcmp fast olt double 0x3FF0000000000000,"),
        ("%x: i64 = zext %g [flags=(nneg)]", "zext nneg i32"),
        ("%x: float = uitofp %g [flags=(nneg, contract)]", "uitofp contract nneg i32"),
        ("%x: half = fneg 1.0:half", "fneg half 0xH3C00"),
        ("%x: float = fadd 0x7FA00001:float, 0.1:float", "0x7FF4000020000000, 0x3FB99999A0000000"),
        ("%x: <2 x float> = shufflevector undef:<4 x float>, undef:<4 x float> [mask=(1, -1)]",
         "undef, <2 x i32> <i32 1, i32 poison>"),
        ("%x: i32 = extractvalue `{ i32 1, i32 2 }`:{ i32, i32 } [path=(1)]", "{ i32, i32 } { i32 1, i32 2 }, 1"),
        ('%x: i32 = load %at [align=8, ordering="acquire"]', "load atomic i32, ptr %at."),
        ('store %g, %at [align=4, volatile=true]', "store volatile i32 "),
        ('%x: { i32, i1 } = cmpxchg %at, %g, 1:i32 [ordering="seq_cst", failure="monotonic", align=4, weak=true]',
         "cmpxchg weak ptr"),
        ('fence [ordering="seq_cst", scope="singlethread"]', 'fence syncscope("singlethread") seq_cst'),
        ("memcpy %at, %p, 16:i64 [align_to=4, align_from=8]", "@llvm.memcpy.p0.p0.i64(ptr align 4 %at"),
        ('%x: i32 = asm %g [text="nop \\"", constraints="=r,r", effects=none]', 'asm "nop \\22", "=r,r"(i32 '),
        ("%x: ptr = gep %p, %w, 3:i64 [offset=8, strides=(4, 1), inbounds=true]", "inbounds i8, ptr %p."),
    ],
)  # fmt: skip
def test_ops_keep_their_flags_types_and_order(load: Callable[..., ctypes.CDLL], op: str, wanted: str) -> None:
    text = emit(per_thread(op))
    assert wanted in text
    load(text)


def test_the_running_block_is_known_when_something_goes_wrong(tmp_path: Path) -> None:
    """LLVM must not move the note behind the code of the block, although nothing in sight reads it."""
    source, made = tmp_path / "k.ll", tmp_path / "k.O3.ll"
    source.write_text(emit(per_thread('call [callee="fail", effects=any, noreturn=true]')))
    command = [find_toolchain().clang, "-O3", "-S", "-emit-llvm", "-x", "ir", source, "-o", made, "-Wno-everything"]
    subprocess.run(command, check=True)
    text = made.read_text()
    body = text[text.index("@k.blocks.0(") :]
    assert body.count("store volatile i32") == 3
    assert body.index("store volatile i32") < body.index("call void @fail")


def test_lines_of_the_source_survive_on_request(load: Callable[..., ctypes.CDLL]) -> None:
    code = 'store %g, %at [align=4] @ "dir/k.cu":12:7 memset %p, 0:i8, 4:i64 [align_to=4]'
    text = emit(per_thread(code), debug=True)
    load(text)
    assert re.search(r"!DILocation\(line: 12, column: 7, scope: !\d+\)", text)
    assert f'!DIFile(filename: "dir/k.cu", directory: "{Path.cwd()}")' in text
    assert "DILocation" not in emit(per_thread(code))


def test_llvm_unrolls_no_loop_of_a_large_kernel_but_those_over_private_arrays(monkeypatch: pytest.MonkeyPatch) -> None:
    def marks(index: str) -> int:
        loop = f"""for 0:i32, %tx, 1:i32 [pred=slt] {{ (%i: i32)
          %place: ptr = gep %a, {index} [offset=0, strides=(4), inbounds=true] store %i, %place [align=4] yield }}"""
        return emit(per_thread(f"%a: ptr = alloca [size=8, align=4] {loop}")).count("llvm.loop.unroll.disable")

    assert marks("%i") == marks("1:i32") == 0
    monkeypatch.setattr(loom_blocks, "LARGEST_UNROLLED", 0)
    assert marks("%i") == marks("1:i32") - 1 > 0


def test_llvm_takes_trips_together_unless_each_thread_reads_how_many_there_are() -> None:
    def marks(bound: str) -> int:
        loop = f"""{bound} for 0:i32, %bound, 1:i32 [pred=slt] {{ (%i: i32) store %i, %at [align=4] yield }}"""
        return emit(per_thread(loop)).count("llvm.loop.unroll.runtime.disable")

    assert marks("%bound: i32 = add %tx, 1:i32") == 0
    assert marks("%bound: i32 = load %at [align=4]") == 1


def test_sums_over_trips_that_memory_tells_are_written_out_with_an_end_after_each() -> None:
    def tests(bound: str, sum_: str = "%more: float = fadd %sum, %value") -> int:
        loop = f"""{bound} %all: float = for 0:i32, %bound, 1:i32, 0x0:float [pred=slt] {{ (%i: i32, %sum: float)
          %place: ptr = gep %at, %i [offset=0, strides=(4)] %value: float = load %place [align=4]
          {sum_} yield %more }} store %all, %at [align=4]"""
        return emit(per_thread(loop)).count("icmp slt i32 %i.") + emit(per_thread(loop)).count("icmp slt i32 %next.")

    told = "%bound: i32 = load %at [align=4]"
    assert tests(told) == 4 * tests("%bound: i32 = add %tx, 1:i32")
    call = "%more: float = call %sum, %value [callee=f]"
    assert tests(told, call) == 1


def test_llvm_makes_no_vectors_of_threads_that_run_one_by_one() -> None:
    function = per_thread("store %g, %at [align=4]")
    mark = "llvm.loop.vectorize.enable"
    assert mark not in emit(function)
    (loop,) = [op for op in walk(function.body) if op.name == "block"]
    loop.attrs["one_by_one"] = True
    assert mark in emit(function)
