# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Kernels as LLVM text, compiled with a stand-in for the runtime that runs them block by block."""

from __future__ import annotations

import ctypes
from collections.abc import Sequence

from warploom.backend.loom_text import LoomText
from warploom.frontend.device_module import Kernel, Piece
from warploom.ir.core import Function
from warploom.ir.parser import parse_function

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
