# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Kind `aliases`: memory with several names.

overlapping pointers     each thread's own words of `own`, through two pointers of any distance, some as other types
casts                    shared and global memory written as words and read as bytes, pairs, floats, records
"""

from __future__ import annotations

from collections.abc import Callable

from warploom.fuzz.expressions import Level
from warploom.fuzz.judge import Machine
from warploom.fuzz.judged import ANY_BLOCKS, Kind
from warploom.fuzz.tree import Stmt
from warploom.fuzz.weave import Pattern, Weaver, see
from warploom.fuzz.words import Part

CELLS = 16  # words of `own` a thread
VIEWS: dict[str, tuple[str, Callable[[bytes], int]]] = {
    "u8": ("u64(*(const u8 *){p})", lambda b: b[0]),
    "i16": ("u64(*(const i16 *){p})", lambda b: int.from_bytes(b[:2], "little", signed=True)),
    "i32": ("u64(*(const i32 *){p})", lambda b: int.from_bytes(b[:4], "little", signed=True)),
    "u64": ("*(const u64 *){p}", lambda b: int.from_bytes(b[:8], "little")),
    "i64": ("u64(*(const i64 *){p})", lambda b: int.from_bytes(b[:8], "little", signed=True)),
    "f32": ("u64(__float_as_uint(*(const f32 *){p}))", lambda b: int.from_bytes(b[:4], "little")),
    "f64": ("u64(__double_as_longlong(*(const f64 *){p}))", lambda b: int.from_bytes(b[:8], "little")),
    "uint2": ("u64((*(const uint2 *){p}).y)", lambda b: int.from_bytes(b[4:8], "little")),
    "record": ("u64((*(const Parts *){p}).b) * 3u + (*(const Parts *){p}).a",
               lambda b: int.from_bytes(b[4:6], "little", signed=True) * 3 + int.from_bytes(b[:4], "little")),
}  # fmt: skip
HELPERS = """
#ifndef PARTS
#define PARTS
struct Parts {
  u32 a;
  i16 b, c;
};
template <typename T>
__device__ __noinline__ void put_words(T *to, u32 x) {
  *(u32 *)to = x;
  *((u32 *)to + 1) = x * 2654435761u;
}
#endif"""
SHARED = "alias_words"


def prepare(weaver: Weaver) -> list[Stmt]:
    """Two names for the thread's own words; the judge begins with what `own` holds."""
    weaver.helpers.append(HELPERS)
    weaver.declarations += [
        f"u32 *mine = (u32 *)own + gid * {CELLS}u, *shifted = mine + 1 + a % 3u;",
        f"__shared__ __align__(16) u32 {SHARED}[512];",
    ]
    return []


def own_word(machine: Machine, thread: int, at: int) -> int:
    """Word `at` of the thread's."""
    start = (thread * CELLS + at) * 4
    return int.from_bytes(machine.own[start : start + 4], "little")


def put_word(machine: Machine, thread: int, at: int, value: int) -> None:
    """Store a word of the thread's."""
    start = (thread * CELLS + at) * 4
    machine.own[start : start + 4] = (value & 0xFFFFFFFF).to_bytes(4, "little")


def sliding(weaver: Weaver, _level: Level) -> Stmt:
    """A loop reads through one pointer and writes through the other, up or down: each round may read what one before
    it wrote."""
    rng, at = weaver.scope.rng, weaver.name("i")
    down, count, value = rng.random() < 0.4, rng.choice((3, 7, 11)), weaver.word()
    back = rng.random() < 0.5
    to, from_ = ("mine", "shifted") if back else ("shifted", "mine")
    loop = f"for (u32 {at} = 0; {at} < {count}u; ++{at})"
    if down:
        loop = f"for (u32 {at} = {count}u; {at}-- > 0u;)"
    parts: list[Part | list[Stmt]] = ["{ const u32 x = ", value, f"; {loop} {to}[{at}] = {from_}[{at}] * 5u + x; }}"]

    def action(machine: Machine, threads: list[int], stmt: Stmt) -> list[int]:
        shift = 1 + machine.launch.a % 3
        for thread, x in zip(threads, machine.value(stmt.operands[0], threads), strict=True):
            for order in range(count):
                i = count - 1 - order if down else order
                source, target = (i + shift, i) if back else (i, i + shift)
                put_word(machine, thread, target, own_word(machine, thread, source) * 5 + x)
        return threads

    return Stmt(parts, action)


def punned(weaver: Weaver, _level: Level) -> Stmt:
    """A word is read as another type right after it was written, through the other pointer or another type."""
    rng, view, value = weaver.scope.rng, weaver.scope.rng.choice([*VIEWS]), weaver.word()
    place = 2 * rng.randrange(CELLS // 2)
    put = rng.choice(
        ("put_words((Parts *)(mine + {at}), {x})", "put_words((u64 *)(mine + {at}), {x})",
         "put_words((f32 *)(mine + {at}), {x})",
         "*(mine + {at}) = {x}; *(shifted + {at} - a % 3u) = {x} * 2654435761u")
    ).replace("{at}", str(place)).replace("{x}", "x")  # fmt: skip
    read = VIEWS[view][0].format(p=f"(mine + {place})")
    before = rng.random() < 0.5
    head = f"const u64 old = {read}; " if before else ""
    parts: list[Part | list[Stmt]] = [
        "{ const u32 x = ", value, f"; {head}{put}; seen = mixed(seen, {read}{' + old * 7u' * before}); }}"
    ]  # fmt: skip

    def action(machine: Machine, threads: list[int], stmt: Stmt) -> list[int]:
        def look(thread: int) -> int:
            start = (thread * CELLS + place) * 4
            return VIEWS[view][1](bytes(machine.own[start : start + 8]))

        for thread, x in zip(threads, machine.value(stmt.operands[0], threads), strict=True):
            old = look(thread)
            put_word(machine, thread, place, x)
            put_word(machine, thread, place + 1, x * 2654435761)
            see(machine, [thread], [look(thread) + (old * 7 if before else 0)])
        return threads

    return Stmt(parts, action)


def cast_shared(weaver: Weaver, _level: Level) -> Stmt:
    """Shared memory, written as words, is read behind a barrier as another type, and the other way round."""
    rng, view, value = weaver.scope.rng, weaver.scope.rng.choice([*VIEWS]), weaver.word()
    distance, wide = rng.choice((0, 1, 5, 32)), rng.random() < 0.3
    read = VIEWS[view][0].format(p=f"({SHARED} + 2u * ((tid + {distance}u) % threads))")
    put = f"{SHARED}[2u * tid] = x; {SHARED}[2u * tid + 1u] = x ^ 0x5a5a5a5au;"
    if wide:
        put = f"((u64 *){SHARED})[tid] = u64(x) | u64(x ^ 0x5a5a5a5au) << 32;"
    parts: list[Part | list[Stmt]] = [
        "{ const u32 x = ", value, f"; __syncthreads(); {put} __syncthreads(); seen = mixed(seen, {read}); "
        "__syncthreads(); }",
    ]  # fmt: skip

    def action(machine: Machine, threads: list[int], stmt: Stmt) -> list[int]:
        values = dict(zip(threads, machine.value(stmt.operands[0], threads), strict=True))
        for block in machine.by_block(threads):
            for order, thread in enumerate(block):
                x = values[block[(order + distance) % len(block)]]
                word = x | (x ^ 0x5A5A5A5A) << 32
                see(machine, [thread], [VIEWS[view][1](word.to_bytes(8, "little"))])
        return threads

    return Stmt(parts, action)


ALIAS_KIND = Kind(
    (
        Pattern(3, Level.THREAD, sliding),
        Pattern(4, Level.THREAD, punned),
        Pattern(3, Level.BLOCK, cast_shared),
    ),
    blocks=ANY_BLOCKS,
    own=CELLS * 4,
    prepare=prepare,
)
