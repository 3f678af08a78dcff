# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Kind `indices`: addresses and loop counters of 64 bits, strides that are negative or only known at run time.

    strided            own words at base + i * stride, where stride may be negative, in i32, i64, u32 and size_t
    counted            loops whose 64-bit counters go up or down, past 2^32 and below zero
    wrapping           32-bit unsigned indices that wrap around on purpose, where 64-bit ones would not

Each thread owns 16 words of `own`.
"""

from __future__ import annotations

from warploom.fuzz.expressions import Level
from warploom.fuzz.judge import Machine, wrapped
from warploom.fuzz.judged import ANY_BLOCKS, Kind
from warploom.fuzz.kinds.aliases import CELLS, own_word, put_word
from warploom.fuzz.tree import Stmt
from warploom.fuzz.weave import Pattern, Weaver, see
from warploom.fuzz.words import Part


def prepare(weaver: Weaver) -> list[Stmt]:
    """The words of the grid, from both ends, and a stride that is known at run time only."""
    weaver.declarations += [
        "u32 *const words = (u32 *)own;",
        f"const i64 count = i64(total) * {CELLS};",
        "const i64 unknown_one = i64(blockDim.z > 1000u) + 1;",
    ]
    return []


def place(machine: Machine, thread: int, at: int, layout: str) -> tuple[int, int]:
    """The owner's number and the word of it that a layout's word `at` of a thread is."""
    size = machine.launch.size
    number = {
        "near": thread * CELLS + at,
        "apart": at * size + thread,
        "reversed": size * CELLS - 1 - (thread * CELLS + at),
        "apart reversed": size * CELLS - 1 - (at * size + thread),
    }[layout]
    return number // CELLS, number % CELLS


LAYOUTS = ("near", "apart", "reversed", "apart reversed")
# {t} a type, {i} the word's number, {one} a 1 that the compiler may not know.
FORMS = {
    "near": ("words[{t}(gid) * {cells} + {t}({i}) * {t}({one})]", "(words + {t}(gid) * {cells})[{i}]"),
    "apart": ("words[{t}({i}) * {t}(total) + {t}(gid) * {t}({one})]", "(words + gid)[{t}({i}) * {t}(total)]"),
    "reversed": (
        "words[{t}(count) - 1 - ({t}(gid) * {cells} + {t}({i}))]",
        "(words + (count - 1))[-i64(gid) * {cells} - i64({i}) * {one}]",
    ),
    "apart reversed": (
        "words[{t}(count) - 1 - {t}({i}) * {t}(total) - {t}(gid) * {t}({one})]",
        "(words + (count - 1 - i64(gid)))[-i64(total) * i64({i})]",
    ),
}


def element(weaver: Weaver, layout: str, at: str) -> str:
    """The text of a thread's word in the kernel's layout."""
    rng = weaver.scope.rng
    form = rng.choice(FORMS[layout])
    one = rng.choice(("1", "unknown_one"))
    return form.format(t=rng.choice(("i32", "i64", "u32", "u64")), i=at, one=one, cells=CELLS)


def layout_of(weaver: Weaver) -> str:
    """The layout of all accesses of a kernel: each word has one owner."""
    chosen = next((each for each in weaver.helpers if each.startswith("// layout: ")), None)
    if chosen is None:
        chosen = f"// layout: {weaver.scope.rng.choice(LAYOUTS)}"
        weaver.helpers.append(chosen)
    return chosen.removeprefix("// layout: ")


def strided(weaver: Weaver, _level: Level) -> Stmt:
    """A loop over the thread's words, with a step, up or down."""
    rng, at, layout = weaver.scope.rng, weaver.name("i"), layout_of(weaver)
    type_, step, down = rng.choice(("i32", "i64", "u32", "u64")), rng.choice((1, 1, 2, 3)), rng.random() < 0.5
    last, value = rng.choice((5, 9, 15)), weaver.word()
    first = rng.randrange(3)
    loop = f"for ({type_} {at} = {first}; {at} <= {last}; {at} += {step})"
    if down:
        loop = f"for ({type_} {at} = {last}; {at} >= {max(first, step)} && {at} < 1000; {at} -= {step})"
    cell, other = element(weaver, layout, at), element(weaver, layout, f"({at} / 2)")
    parts: list[Part | list[Stmt]] = [
        "{ const u32 x = ", value, f"; {loop} {cell} = {cell} + x * {other} + u32({at}); }}"
    ]  # fmt: skip
    order = [*range(first, last + 1, step)] if not down else [*range(last, max(first, step) - 1, -step)]

    def action(machine: Machine, threads: list[int], stmt: Stmt) -> list[int]:
        for thread, x in zip(threads, machine.value(stmt.operands[0], threads), strict=True):
            for i in order:
                one = place(machine, thread, i, layout)
                two = place(machine, thread, i // 2, layout)
                put_word(machine, *one, own_word(machine, *one) + x * own_word(machine, *two) + i)
        return threads

    return Stmt(parts, action)


def counted(weaver: Weaver, _level: Level) -> Stmt:
    """A loop whose counter of 64 bits begins anywhere: near 2^32, 2^31, below zero."""
    rng, at, value = weaver.scope.rng, weaver.name("i"), weaver.word()
    start = rng.choice((-5, -(1 << 31) - 2, (1 << 31) - 3, (1 << 32) - 2, -1, (1 << 40), -(1 << 33)))
    step, rounds = rng.choice((1, 3, 1 << 30, 1 << 31, -1, -7, -(1 << 31))), rng.choice((3, 5))
    end = start + step * rounds
    sign = "<" if step > 0 else ">"
    text = f"for (i64 {at} = {start}ll * unknown_one; {at} {sign} {end}ll; {at} += {step}ll)"
    parts: list[Part | list[Stmt]] = [
        "{ const u32 x = ", value, f"; {text} seen = mixed(seen, u64({at}) * 3u + u64(i32({at})) + x); }}"
    ]  # fmt: skip

    def action(machine: Machine, threads: list[int], stmt: Stmt) -> list[int]:
        values = machine.value(stmt.operands[0], threads)
        for order in range(rounds):
            i = start + step * order
            see(machine, threads, [i * 3 + wrapped("i32", i) + x for x in values])
        return threads

    return Stmt(parts, action)


def wrapping(weaver: Weaver, _level: Level) -> Stmt:
    """An unsigned index whose sum exceeds 2^32 and comes back: no compiler may compute it in 64 bits."""
    rng, layout, value = weaver.scope.rng, layout_of(weaver), weaver.word()
    far = rng.choice((4294967295, 4294967290, 2147483648, 3000000000))
    mask = rng.choice((7, 15))
    index = f"((u32(w) + {far}u) & {mask}u)"
    cell = element(weaver, layout, index)
    parts: list[Part | list[Stmt]] = ["{ const u32 w = ", value, f"; seen = mixed(seen, {cell}); {cell} += w; }}"]

    def action(machine: Machine, threads: list[int], stmt: Stmt) -> list[int]:
        for thread, w in zip(threads, machine.value(stmt.operands[0], threads), strict=True):
            where = place(machine, thread, w + far & mask, layout)
            see(machine, [thread], [own_word(machine, *where)])
            put_word(machine, *where, own_word(machine, *where) + w)
        return threads

    return Stmt(parts, action)


INDEX_KIND = Kind(
    (Pattern(4, Level.THREAD, strided), Pattern(3, Level.THREAD, counted), Pattern(2, Level.THREAD, wrapping)),
    blocks=ANY_BLOCKS,
    own=CELLS * 4,
    prepare=prepare,
)
