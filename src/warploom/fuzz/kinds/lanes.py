# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Kind `lanes`: warp collectives in blocks whose last warp lacks lanes.

    shuffles           of all kinds, widths and types, from lanes that may be missing: those give 0
    sides of a branch  each side exchanges within the lanes that its mask names, there or not
    tiles              of 1 to 32 lanes: shuffles, reductions of 64 bits by shuffles, scans
    counts             votes, matches, reductions: of the lanes that there are
    sums of a block    by shuffles in each warp, then in the first one

What CUDA leaves undefined is what an H200 gives. Blocks have any number of threads, in one to three dimensions.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping

from warploom.fuzz.expressions import Level
from warploom.fuzz.judge import Machine, wrapped
from warploom.fuzz.judged import Kind
from warploom.fuzz.tree import Expr, Stmt
from warploom.fuzz.weave import Pattern, Weaver

FULL = "0xffffffffu"
BOARD = "lane_board"  # one number a warp of the block
TYPES = ("u32", "i32", "u64", "i64")
ARROWS = ("", "up_", "down_", "xor_")
BLOCKS = (
    (1, 1, 1), (4, 1, 1), (16, 1, 1), (20, 1, 1), (5, 5, 1), (31, 1, 1), (36, 1, 1), (48, 1, 1), (7, 3, 2), (40, 2, 1),
    (3, 4, 5), (100, 1, 1), (2, 33, 1), (64, 1, 1),
)  # fmt: skip


def board(weaver: Weaver) -> list[Stmt]:
    """Shared memory that warps leave their sums in."""
    weaver.declarations.append(f"__shared__ u32 {BOARD}[32];")
    return []


def asked(arrow: str, lane: int, operand: int, width: int) -> int:
    """Which lane `lane` reads: itself where that would be in a later segment, or up in an earlier one."""
    first, distance = lane // width * width, operand % 32
    if arrow == "":
        return first + distance % width
    source = {"up_": lane - distance, "down_": lane + distance, "xor_": lane ^ distance}[arrow]
    outside = source < first if arrow == "up_" else source >= first + width
    return lane if outside else source


def given(values: Mapping[int, int], arrow: str, lane: int, operand: int, width: int) -> int:
    """What a lane gets of the `values` of the lanes that come."""
    return values.get(asked(arrow, lane, operand, width), 0)


def butterfly(values: dict[int, int], size: int, type_: str) -> dict[int, int]:
    """What each lane has after a sum by `shfl_xor` in halves of halves of `size` lanes."""
    step = size // 2
    while step:
        values = {
            lane: wrapped(type_, value + given(values, "xor_", lane, step, size)) for lane, value in values.items()
        }
        step //= 2
    return values


def put(machine: Machine, name: str, type_: str, found: Mapping[int, int]) -> None:
    """The threads' variable gets these numbers."""
    machine.assign(name, [*found], [wrapped(type_, value) for value in found.values()])


def of_lanes(machine: Machine, threads: list[int], values: list[int]) -> list[tuple[int, dict[int, int]]]:
    """For each warp of these threads the thread of lane 0 and the lanes' values."""
    value, lane = dict(zip(threads, values, strict=True)), machine.names["lane"]
    return [(warp[0] - lane[warp[0]], {lane[t]: value[t] for t in warp}) for warp in machine.by_warp(threads)]


def shuffle(weaver: Weaver, _level: Level) -> Stmt:
    """The whole warp exchanges: what differs or not, by what differs, by what does not, or by a constant."""
    rng, type_ = weaver.scope.rng, weaver.scope.rng.choice(TYPES)
    arrow, width = rng.choice(ARROWS), rng.choice((32, 32, 32, 16, 8, 4, 2, 1))
    value = weaver.word(type_, rng.choice((Level.THREAD, Level.THREAD, Level.WARP)), 1)
    how = rng.choice((Level.GRID, Level.WARP, Level.THREAD))
    operand = weaver.word("u32", how, 0 if how is Level.GRID else 1)
    one = arrow == "" and width == 32 and how <= Level.WARP  # all lanes get the same
    to = weaver.target(Level.WARP if one else Level.THREAD)
    parts: list[str | Expr | list[Stmt]] = [
        f"{to.name} = {to.type}(__shfl_{arrow}sync({FULL}, {type_}(", value, "), int(", operand, f"), {width}));",
    ]  # fmt: skip

    def action(machine: Machine, threads: list[int], stmt: Stmt) -> list[int]:
        values, operands = (machine.value(each, threads) for each in stmt.operands)
        by = dict(zip(threads, operands, strict=True))
        for first, warp in of_lanes(machine, threads, values):
            found = {first + lane: given(warp, arrow, lane, by[first + lane], width) for lane in warp}
            put(machine, to.name, to.type, found)
        return threads

    return Stmt(parts, action)


def sides(weaver: Weaver, _level: Level) -> Stmt:
    """Lanes part by a bit of their number, and each side's mask names all lanes with that bit, there or not."""
    rng, bit, to = weaver.scope.rng, weaver.scope.rng.randrange(5), weaver.target(Level.THREAD)
    masks = [sum(1 << lane for lane in range(32) if lane >> bit & 1 == side) for side in range(2)]
    values = [weaver.word("u32", rng.choice((Level.THREAD, Level.THREAD, Level.WARP)), 1) for _ in range(2)]
    calls: list[tuple[str, int]] = []
    for side in range(2):
        arrow, number = rng.choice(("", "xor_")), rng.randrange(32)
        calls.append((arrow, number & ~(1 << bit) | (0 if arrow else side << bit)))
    texts = [
        (f"{to.name} = {to.type}(__shfl_{arrow}sync({mask:#x}u, u32(", f"), {number}));")
        for mask, (arrow, number) in zip(masks, calls, strict=True)
    ]
    parts: list[str | Expr | list[Stmt]] = [
        f"if (lane >> {bit} & 1u) {{ ", texts[1][0], values[1], texts[1][1],
        " } else { ", texts[0][0], values[0], texts[0][1], " }",
    ]  # fmt: skip

    def action(machine: Machine, threads: list[int], stmt: Stmt) -> list[int]:
        for side, operand in zip((1, 0), stmt.operands, strict=True):
            mine = [t for t in threads if machine.names["lane"][t] >> bit & 1 == side]
            arrow, number = calls[side]
            for first, warp in of_lanes(machine, mine, machine.value(operand, mine)):
                put(machine, to.name, to.type, {first + n: given(warp, arrow, n, number, 32) for n in warp})
        return threads

    return Stmt(parts, action)


Lanes = dict[int, int]
# What a tile's lanes get of their values, by lane of the warp; {x} the value, {size} the tile's, {k} a number.
TILE_CALLS: dict[str, Callable[[Lanes, int, int], Lanes]] = {
    "tile.shfl({x}, {k})": lambda tile, size, k: {n: given(tile, "", n, k, size) for n in tile},
    "tile.shfl_xor({x}, {size} / 2)": lambda tile, size, _k: {n: given(tile, "xor_", n, size // 2, size) for n in tile},
    "tile.shfl_down({x}, {k})": lambda tile, size, k: {n: given(tile, "down_", n, k, size) for n in tile},
    "tile.shfl_up({x}, {k})": lambda tile, size, k: {n: given(tile, "up_", n, k, size) for n in tile},
    "cooperative_groups::reduce(tile, u64({x}), cooperative_groups::plus<u64>())": lambda tile, size, _k: butterfly(
        tile, size, "u64"
    ),
    "cooperative_groups::reduce(tile, u32({x}), cooperative_groups::plus<u32>())": lambda tile, _size, _k: (
        dict.fromkeys(tile, sum(tile.values()) & 0xFFFFFFFF)
    ),
    "cooperative_groups::inclusive_scan(tile, u32({x}), cooperative_groups::plus<u32>())": lambda tile, _size, _k: {
        n: sum(value for lane, value in tile.items() if lane <= n) & 0xFFFFFFFF for n in tile
    },
    "tile.ballot({x} & 1u)": lambda tile, size, _k: dict.fromkeys(
        tile, sum((value & 1) << lane % size for lane, value in tile.items())
    ),
    "u32(tile.all({x} & 3u) != 0)": lambda tile, _size, _k: dict.fromkeys(
        tile, int(all(value & 3 for value in tile.values()))
    ),
    "tile.match_any({x} & 3u)": lambda tile, size, _k: {
        n: sum(1 << lane % size for lane, value in tile.items() if value & 3 == own & 3) for n, own in tile.items()
    },
}


def tiles(weaver: Weaver, _level: Level) -> Stmt:
    """Tiles, the last of which may lack lanes, and some may be missing altogether."""
    rng, size = weaver.scope.rng, weaver.scope.rng.choice((1, 2, 4, 8, 16, 32, 32))
    call, k, to = rng.choice([*TILE_CALLS]), rng.randrange(32), weaver.target(Level.THREAD)
    value = weaver.word("u32", rng.choice((Level.THREAD, Level.THREAD, Level.WARP)), 1)
    before, after = call.replace("{size}", str(size)).replace("{k}", str(k)).split("{x}")
    parts: list[str | Expr | list[Stmt]] = [
        f"{{ const auto tile = cooperative_groups::tiled_partition<{size}>(cooperative_groups::this_thread_block()); "
        f"{to.name} = {to.type}({before}", value, f"{after}); }}",
    ]  # fmt: skip

    def action(machine: Machine, threads: list[int], stmt: Stmt) -> list[int]:
        for first, warp in of_lanes(machine, threads, machine.value(stmt.operands[0], threads)):
            for start in range(0, 32, size):
                tile = {lane: value for lane, value in warp.items() if start <= lane < start + size}
                found = TILE_CALLS[call](tile, size, k)
                put(machine, to.name, to.type, {first + lane: value for lane, value in found.items()})
        return threads

    return Stmt(parts, action)


# What the lanes of a warp find together.
COUNTS: dict[str, Callable[[list[int]], int]] = {
    "__reduce_add_sync({m}, {x})": lambda values: sum(values) & 0xFFFFFFFF,
    "__reduce_min_sync({m}, {x})": min,
    "__reduce_max_sync({m}, {x})": max,
    "u32(__popc(__ballot_sync({m}, 1)))": len,
    "u32(__popc(__match_any_sync({m}, 5)) + int({x} & 0u))": len,
    "u32(__all_sync({m}, {x} & 7u) != 0)": lambda values: int(all(value & 7 for value in values)),
    "u32(__any_sync({m}, {x} & 8u) != 0)": lambda values: int(any(value & 8 for value in values)),
}


def count(weaver: Weaver, _level: Level) -> Stmt:
    """A vote, match or reduction of a warp, on whose result it agrees."""
    call, to = weaver.scope.rng.choice([*COUNTS]), weaver.target(Level.WARP)
    value = weaver.word("u32", Level.THREAD, 1)
    before, _, after = call.replace("{m}", FULL).partition("{x}")
    parts: list[str | Expr | list[Stmt]] = [f"{to.name} = {to.type}({before}"]
    parts += [value, f"{after});"] if after else [" + 0u * ", value, ");"]

    def action(machine: Machine, threads: list[int], stmt: Stmt) -> list[int]:
        for first, warp in of_lanes(machine, threads, machine.value(stmt.operands[0], threads)):
            put(machine, to.name, to.type, dict.fromkeys((first + n for n in warp), COUNTS[call]([*warp.values()])))
        return threads

    return Stmt(parts, action)


def block_sum(weaver: Weaver, _level: Level) -> Stmt:
    """The sum of a block, as many programs have it: each warp's first lane has its warp's."""
    rng, to = weaver.scope.rng, weaver.target(Level.BLOCK)
    own, step, value = weaver.name("own"), weaver.name("step"), weaver.word("u32", Level.THREAD, 1)
    call = rng.choice((f"__shfl_down_sync({FULL}, {own}, {step})", f"__shfl_xor_sync({FULL}, {own}, int({step}))"))
    tree = f"for (u32 {step} = 16; {step} > 0; {step} >>= 1) {own} += {call};"
    parts: list[str | Expr | list[Stmt]] = [
        f"{{ u32 {own} = u32(", value, f"); {tree} if (lane == 0) {BOARD}[warp] = {own}; __syncthreads(); "
        f"if (warp == 0) {{ {own} = lane < (threads + 31u) / 32u ? {BOARD}[lane] : 0u; {tree} "
        f"if (lane == 0) {BOARD}[0] = {own}; }} __syncthreads(); {to.name} = {to.type}({BOARD}[0]); "
        "__syncthreads(); }",
    ]  # fmt: skip

    def action(machine: Machine, threads: list[int], stmt: Stmt) -> list[int]:
        value = dict(zip(threads, machine.value(stmt.operands[0], threads), strict=True))
        for block in machine.by_block(threads):
            total = sum(value[t] for t in block) & 0xFFFFFFFF
            put(machine, to.name, to.type, dict.fromkeys(block, total))
        return threads

    return Stmt(parts, action)


LANE_KIND = Kind(
    (
        Pattern(8, Level.WARP, shuffle),
        Pattern(3, Level.WARP, sides),
        Pattern(4, Level.WARP, tiles),
        Pattern(2, Level.WARP, count),
        Pattern(3, Level.BLOCK, block_sum),
    ),
    headers=("cooperative_groups.h", "cooperative_groups/reduce.h", "cooperative_groups/scan.h"),
    blocks=BLOCKS,
    prepare=board,
)
