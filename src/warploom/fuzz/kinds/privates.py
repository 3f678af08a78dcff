# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Kind `privates`: memory of a thread's own, from 4 bytes to 64 KB, and structures of odd sizes and alignments.

    array              filled, indexed by what differs from thread to thread, read again behind a barrier
    records            assigned whole, passed and returned by value, copied by memcpy, in private and shared arrays
    bytes              memset, memcpy from and to places that are not aligned for what is copied

A record's members are integers; what padding holds is never looked at.
"""

from __future__ import annotations

import random

from warploom.core.records import dataclass
from warploom.fuzz.expressions import Level
from warploom.fuzz.judge import Machine, wrapped
from warploom.fuzz.judged import ANY_BLOCKS, Kind
from warploom.fuzz.tree import Stmt
from warploom.fuzz.weave import Pattern, Weaver, see
from warploom.fuzz.words import Part

ELEMENTS = ("u8", "i16", "u32", "u32", "i32", "u64")
BYTES = (4, 8, 12, 20, 36, 64, 100, 256, 1000, 1024, 2048, 4096, 4100, 8192, 16384, 65536)
BARRIERS = ("", "__syncthreads();", "__syncthreads();", "__syncwarp();")


def array(weaver: Weaver, _level: Level) -> Stmt:
    """A private array: a recurrence fills all or some of it; one element changes; a barrier; some are read."""
    rng, name, at = weaver.scope.rng, weaver.name("p"), weaver.name("i")
    type_ = rng.choice(ELEMENTS)
    width = int(type_[1:]) // 8
    count = max(1, rng.choice(BYTES) // width)
    step, factor = max(1, count // rng.choice((7, 40, 64))), rng.choice((3, 5, 31))
    start, index, other, value = (weaver.word() for _ in range(4))
    barriers = [rng.choice(BARRIERS) for _ in range(2)]
    zero = "= {}" if count * width <= 256 or rng.random() < 0.3 else ""
    places = f"({count - 1}u / {step}u + 1u)"
    reset = "" if zero else f"for (u32 {at} = 0; {at} < {count}u; {at} += {step}u) {name}[{at}] = 0; "
    where = f"(u32({{}}) % {places} * {step}u)".split("{}")
    parts: list[Part | list[Stmt]] = [
        f"{type_} {name}[{count}] {zero}; {{ {reset}u32 s = ", start,
        f"; for (u32 {at} = 0; {at} < {count}u; {at} += {step}u) {name}[{at}] = {type_}(s = s * {factor}u + 1u); }} "
        f"{barriers[0]} {name}[{where[0]}", index, f"{where[1]}] = {type_}(", value,
        f"); {barriers[1]} seen = mixed(seen, u64({name}[{where[0]}", other, f"{where[1]}]) + u64({name}[0]) * 3u);",
    ]  # fmt: skip

    def action(machine: Machine, threads: list[int], stmt: Stmt) -> list[int]:
        starts, indices, values, others = (machine.value(each, threads) for each in stmt.operands)
        found: list[int] = []
        for s, i, v, o in zip(starts, indices, values, others, strict=True):
            cells: list[int] = []
            for _ in range(0, count, step):
                s = (s * factor + 1) & 0xFFFFFFFF
                cells.append(wrapped(type_, s))
            cells[i % len(cells)] = wrapped(type_, v)
            found.append(cells[o % len(cells)] + cells[0] * 3)
        see(machine, threads, found)
        return threads

    return Stmt(parts, action)


# -- records ----------------------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Record:
    """A structure: its C text, and members `m0`, `m1[2]`, ... with their types."""

    text: str
    members: tuple[tuple[str, str], ...]


def record(rng: random.Random, name: str) -> Record:
    """Some members of some types, perhaps with more alignment than they ask for, or packed."""
    members: list[tuple[str, str]] = []
    lines: list[str] = []
    for order in range(rng.choice((1, 1, 2, 3, 4))):
        type_, length = rng.choice(("u8", "i16", "u32", "u32", "i32", "u64")), rng.choice((0, 0, 0, 2, 3, 5, 7))
        lines.append(f"{type_} m{order}{f'[{length}]' if length else ''};")
        members += [(f"m{order}[{at}]", type_) for at in range(length)] if length else [(f"m{order}", type_)]
    align = rng.choice(("", "", "", "alignas(8) ", "alignas(16) ", "alignas(32) "))
    packed = rng.random() < 0.15
    attribute = "" if not packed else "__attribute__((packed)) "
    return Record(f"struct {'' if packed else align}{attribute}{name} {{ {' '.join(lines)} }};", tuple(members))


def records(weaver: Weaver, _level: Level) -> Stmt:
    """A record is made, changed by a function that takes and returns it by value, copied, and read behind barriers."""
    rng = weaver.scope.rng
    name = f"{weaver.name('Record')}_{rng.getrandbits(32):08x}"
    shape, count = record(rng, name), rng.choice((1, 2, 3, 5))
    member, type_ = rng.choice(shape.members)
    inline = rng.choice(("__noinline__", "", "__forceinline__"))
    weaver.helpers += [
        shape.text,
        f"__device__ {inline} {name} changed(const {name} from, u32 by) {{ {name} made = from; "
        f"made.{member} = {type_}(u64(made.{member}) + by); return made; }}",
    ]
    value, by, pick, last = (weaver.word() for _ in range(4))
    one, all_, copy = (weaver.name(stem) for stem in ("one", "all", "copy"))
    fill = " ".join(f"{one}.{each} = {type_}(x + {order}u);" for order, (each, type_) in enumerate(shape.members))
    copying = rng.choice(
        (
            f"{name} {copy} = {all_}[at];",
            f"{name} {copy}; memcpy(&{copy}, &{all_}[at], sizeof {copy});",
            f"{name} {copy}; memset(&{copy}, 0x5a, sizeof {copy}); {copy} = {all_}[at];",
            f"{name} {copy} = changed({all_}[at], 0u);",
        )
    )
    total = " + ".join(f"{2 * order + 1}u * u64({copy}.{each})" for order, (each, _) in enumerate(shape.members))
    barriers = [rng.choice(BARRIERS) for _ in range(3)]
    parts: list[Part | list[Stmt]] = [
        f"{name} {one}, {all_}[{count}]; {{ const u32 x = ", value, f"; {fill} }} {barriers[0]} "
        f"for (u32 i = 0; i < {count}u; ++i) {all_}[i] = changed({one}, i * ", by, f"); {barriers[1]} {{ "
        f"const u32 at = u32(", pick, f") % {count}u; {all_}[at].{member} = {type_}({all_}[at].{member} ^ {type_}(",
        last, f")); {copying} {barriers[2]} seen = mixed(seen, {total}); }}",
    ]  # fmt: skip

    def action(machine: Machine, threads: list[int], stmt: Stmt) -> list[int]:
        found: list[int] = []
        given = [machine.value(each, threads) for each in stmt.operands]
        for x, step, where, change in zip(*given, strict=True):
            at = where % count
            cells = {each: wrapped(t, wrapped("u32", x + order)) for order, (each, t) in enumerate(shape.members)}
            cells[member] = wrapped(type_, cells[member] + wrapped("u32", at * step))
            cells[member] = wrapped(type_, cells[member] ^ change)
            found.append(sum((2 * order + 1) * cells[each] for order, (each, _) in enumerate(shape.members)))
        see(machine, threads, found)
        return threads

    return Stmt(parts, action)


# -- bytes ------------------------------------------------------------------------------------------------------------


def bytes_(weaver: Weaver, _level: Level) -> Stmt:
    """memset and memcpy within private bytes, some lengths known to the compiler and some not, and reads as words."""
    rng, name = weaver.scope.rng, weaver.name("b")
    size = rng.choice((16, 24, 40, 64, 200, 1024))
    byte, value, length, from_ = (weaver.word() for _ in range(4))
    known = rng.random() < 0.5
    most = rng.choice((1, 4, 7, 8, 12))
    where = rng.randrange(size - 8)
    barrier = rng.choice(BARRIERS)
    count = f"{most}u" if known else f"(u32(len) % {most + 1}u)"
    parts: list[Part | list[Stmt]] = [
        f"alignas(16) u8 {name}[{size + 16}]; {{ const u32 len = ", length, f"; memset({name}, int(", byte,
        f" & 255u), {size + 16}); const u64 put = u64(", value,
        f") * 0x9e3779b97f4a7c15u; memcpy({name} + {where}, &put, 8); {barrier} const u32 at = u32(", from_,
        f") % {size}u; u8 moved[16] = {{}}; memcpy(moved, {name} + at, {count}); {barrier} u64 got; "
        f"memcpy(&got, moved, 8); seen = mixed(seen, got + len + moved[8] + ((const u32 *){name})[{where // 4}]); }}",
    ]  # fmt: skip

    def action(machine: Machine, threads: list[int], stmt: Stmt) -> list[int]:
        found: list[int] = []
        given = [machine.value(each, threads) for each in stmt.operands]
        for len_, fill, put, start in zip(*given, strict=True):
            memory = bytearray([fill & 255]) * (size + 16)
            memory[where : where + 8] = (put * 0x9E3779B97F4A7C15 & (1 << 64) - 1).to_bytes(8, "little")
            moved, copied = bytearray(16), most if known else len_ % (most + 1)
            moved[:copied] = memory[start % size : start % size + copied]
            word = int.from_bytes(memory[where // 4 * 4 : where // 4 * 4 + 4], "little")
            found.append(int.from_bytes(moved[:8], "little") + len_ + moved[8] + word)
        see(machine, threads, found)
        return threads

    return Stmt(parts, action)


PRIVATE_KIND = Kind(
    (Pattern(4, Level.BLOCK, array), Pattern(4, Level.BLOCK, records), Pattern(2, Level.BLOCK, bytes_)),
    blocks=ANY_BLOCKS,
    once=True,
)
