# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Kind `tails`: reductions whose last steps, within a warp, have no barrier, over memory that is not volatile.

CUDA has not promised since compute capability 7 that they work, and nvcc may load what another lane is still to store:
an H200 gave other sums for nearly all of these. Programs have them all the same, in shared and in global memory,
written out, as a recursive template, as a loop, and mean a warp that goes in step.

Blocks are whole warps.
"""

from __future__ import annotations

from collections.abc import Callable

from warploom.fuzz.expressions import Level
from warploom.fuzz.judge import Machine, wrapped
from warploom.fuzz.judged import WARPS, Kind
from warploom.fuzz.tree import Stmt
from warploom.fuzz.weave import Pattern, Weaver, see
from warploom.fuzz.words import Part

HELPERS = """
#ifndef TAILS
#define TAILS
template <int HALF>
__device__ void fold(u32 *x, u32 t) {
  if (t < HALF) x[t] = x[t] * 3u + x[t + HALF];
  fold<HALF / 2>(x, t);
}
template <>
__device__ void fold<0>(u32 *, u32) {}
#endif"""
SHARED = "tail_words"


def prepare(weaver: Weaver) -> list[Stmt]:
    """Memory of the block."""
    weaver.helpers.append(HELPERS)
    weaver.declarations.append(f"__shared__ u32 {SHARED}[128];")
    return []


def tail(weaver: Weaver, _level: Level) -> Stmt:
    """A reduction of a block's words whose steps within a warp have no barriers."""
    rng, value = weaver.scope.rng, weaver.word()
    place = rng.choice((SHARED, SHARED, "words"))
    step = f"if (tid < {{h}}u) {place}[tid] = {place}[tid] * 3u + {place}[tid + {{h}}u];"
    halves = (32, 16, 8, 4, 2, 1)
    steps = {
        "guards": " ".join(step.format(h=half) for half in halves),
        "template": f"fold<32>({place}, tid);",
        "loop": f"for (u32 h = 32u; h > 0u; h >>= 1) {step.format(h='h').replace('hu', 'h')}",
    }
    head = "u32 *const words = (u32 *)scratch + block * 128u;" if place == "words" else ""
    parts: list[Part | list[Stmt]] = [
        f"{{ {head} __syncthreads(); {place}[tid] = ", value,
        f"; if (tid + threads < 128u) {place}[tid + threads] = tid; ",
        f"for (u32 i = tid + 2u * threads; i < 128u; i += threads) {place}[i] = 1u; __syncthreads(); "
        f"if (tid < 64u) {place}[tid] += {place}[tid + 64u]; __syncthreads(); {steps[rng.choice([*steps])]} ",
        f"__syncthreads(); seen = mixed(seen, {place}[0]); __syncthreads(); }}",
    ]  # fmt: skip
    return Stmt(parts, folding(place == "words"))


def folding(in_scratch: bool) -> Callable[[Machine, list[int], Stmt], list[int]]:
    """The reduction, in shared memory or in that of the block in `scratch`."""

    def action(machine: Machine, threads: list[int], stmt: Stmt) -> list[int]:
        values = dict(zip(threads, machine.value(stmt.operands[0], threads), strict=True))
        for block in machine.by_block(threads):
            size = len(block)
            x = [values[t] for t in block] + [*range(size), *[1] * 128]
            x = x[:128]
            lower = min(size, 64)
            x[:lower] = [x[i] + x[i + 64] & 0xFFFFFFFF for i in range(lower)]
            for half in (32, 16, 8, 4, 2, 1):
                x[: min(half, size)] = [x[i] * 3 + x[i + half] & 0xFFFFFFFF for i in range(min(half, size))]
            if in_scratch:
                first = block[0] // machine.threads * 128
                machine.scratch[first : first + 128] = [wrapped("i32", word) for word in x]
            see(machine, block, [x[0]] * size)
        return threads

    return action


TAIL_KIND = Kind((Pattern(3, Level.BLOCK, tail),), blocks=WARPS, scratch=128 * 4, prepare=prepare)
