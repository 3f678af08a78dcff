# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Kind `warps`: collectives of lanes that come from different places.

    both sides of a branch     if (lane condition) { shuffle A } else { shuffle B }: A and B meet by their mask
    four sites                 a switch, or branches in branches, each with its collective
    under nested masks         a ballot says who is left, a second one among those
    loops of own lengths       lanes go while the rest of the mask shrinks
    two loops                  lanes that have left the first one meet those in it from the second one
    tiles                      of 1 to 32 lanes, in branches on which each tile agrees
    coalesced_threads          atomics that one lane makes for those that are there

Blocks are whole warps, some of them with rows that are no multiples of 32: then x >> 5 parts a warp.
"""

from __future__ import annotations

from collections.abc import Callable
from itertools import product

from warploom.fuzz.expressions import Level
from warploom.fuzz.judge import Machine, wrapped
from warploom.fuzz.judged import WARPS, Kind
from warploom.fuzz.tree import Expr, Stmt
from warploom.fuzz.weave import Pattern, Weaver, divided, see
from warploom.fuzz.words import constant, named, shift, truth

FULL = "0xffffffffu"
BOARD = "warp_board"  # one word a thread of the block


def part_of_row(weaver: Weaver) -> Expr:
    """What lanes part by: often any number, sometimes which 32 of its row a thread is in."""
    if weaver.scope.rng.random() < 0.75:
        return weaver.word("u32")
    return shift("u32", named("threadIdx.x", "u32"), constant("u32", 5), right=True)


def board(weaver: Weaver) -> list[Stmt]:
    """Shared memory that exchanges go through."""
    weaver.declarations.append(f"__shared__ u32 {BOARD}[128];")
    return []


# -- both sides -------------------------------------------------------------------------------------------------------

# How a lane gets its partner's value at one site: text with {x} the value and {d} the distance, {m} the mask.
SITES: dict[str, str] = {
    "xor": "__shfl_xor_sync({m}, {x}, {d})",
    "index": "__shfl_sync({m}, {x}, lane ^ {d}u)",
    "board": f"({BOARD}[tid] = {{x}}, __syncwarp({{m}}), {BOARD}[tid ^ {{d}}u])",
    "ballot": "__ballot_sync({m}, {x} & 1u)",
    "sum": "__reduce_add_sync({m}, {x})",
}


# The lanes of a thread's group.
GROUPS = (
    "({all}u << (lane & {other}u))",
    "({all}u << (tid & {other}u))",
    "((lane & 16u) ? {all}u << ((lane & {other}u) | 16u) : {all}u << (lane & {other}u & 15u))",
)


def got(site: str, distance: int, values: dict[int, int], thread: int) -> int:
    """What a lane gets at a site; `values`: of the lanes of its mask."""
    if site == "ballot":
        return sum((value & 1) << (other & 31) for other, value in lanes(values).items())
    if site == "sum":
        return sum(values.values()) & 0xFFFFFFFF
    return values[thread ^ distance]


def lanes(values: dict[int, int]) -> dict[int, int]:
    """By number of lane: threads of a grid whose blocks are whole warps."""
    return {thread & 31: value for thread, value in values.items()}


def both_sides(weaver: Weaver, _level: Level) -> Stmt:
    """Lanes of two, or four, sides exchange values: each side at its own call, in the whole warp or in groups."""
    rng = weaver.scope.rng
    size = rng.choice((32, 32, 32, 16, 16, 8, 2))
    mask = FULL if size == 32 else rng.choice(GROUPS).format(all=(1 << size) - 1, other=32 - size)
    distance = rng.choice([each for each in (1, 2, 7, 15, 16, 31) if each < size])
    site, to = rng.choice([*SITES]), weaver.target(Level.THREAD)
    sides, rounds = rng.choice((2, 2, 2, 4)), rng.choice((1, 1, 1, 3))
    which = part_of_row(weaver)
    temporary, counter, end = weaver.name("t"), weaver.name("r"), " __syncwarp();" if site == "board" else ""
    parts: list[str | Expr | list[Stmt]] = [f"{{ u32 {temporary} = 0; switch (", which, f" % {sides}u) {{"]
    if sides == 2:
        parts = [f"{{ u32 {temporary} = 0; if (", which, " % 2u == 0u) {"]
    for side in range(sides):
        value = weaver.word("u32", Level.THREAD, 1)
        text = SITES[site].format(m=mask, x="\0", d=distance).split("\0")
        head = f"for (u32 {counter} = 0; {counter} < {rounds}u; ++{counter}) {{ {temporary} = {temporary} * 3u + "
        if sides == 4:
            head = f" {'default' if side == 3 else f'case {side}'}: {{ {head}"
        if sides == 2 and side == 1:
            head = f"}} else {{ {head}"
        parts += [head, text[0], "u32(", value, f") + {counter}", text[1], f" + {side}u;{end} }}"]
        parts += [" } break;"] if sides == 4 else []
    parts.append(f" }} {to.name} = {to.type}({temporary}); }}")

    def action(machine: Machine, threads: list[int], stmt: Stmt) -> list[int]:
        chosen, *values = [machine.value(each, threads) for each in stmt.operands]
        side_of = {t: c % sides for t, c in zip(threads, chosen, strict=True)}
        mine = {t: values[side_of[t]][at] for at, t in enumerate(threads)}
        result = dict.fromkeys(threads, 0)
        groups = [warp[at : at + size] for warp in machine.by_warp(threads) for at in range(0, 32, size)]
        for group, order in product(groups, range(rounds)):
            given = {t: (mine[t] + order) & 0xFFFFFFFF for t in group}
            result |= {t: result[t] * 3 + got(site, distance, given, t) + side_of[t] for t in group}
        machine.assign(to.name, threads, [wrapped(to.type, wrapped("u32", result[t])) for t in threads])
        return threads

    return Stmt(parts, action)


def two_loops(weaver: Weaver, _level: Level) -> Stmt:
    """Lanes leave the first of two loops in different rounds, and take the rounds that are left in the second one."""
    rng = weaver.scope.rng
    site, distance, rounds = rng.choice([*SITES]), rng.choice((1, 2, 7, 15, 16, 31)), rng.choice((1, 3, 4))
    trips, value, to = part_of_row(weaver), weaver.word("u32", Level.THREAD, 1), weaver.target(Level.THREAD)
    at, top, own, temporary = (weaver.name(each) for each in ("r", "top", "own", "t"))
    before, after = SITES[site].format(m=FULL, x="\0", d=distance).split("\0")
    end = " __syncwarp();" if site == "board" else ""
    loops = (
        f"for (u32 {at} = {low}; {at} < {high}; ++{at}) {{ {temporary} = {temporary} * 3u + "
        f"{before}{own} * {factor}u + {at}{after} + {number}u;{end} }}"
        for number, (low, high, factor) in enumerate(((0, top, 1), (top, f"{rounds}u", 5)))
    )
    parts: list[str | Expr | list[Stmt]] = [
        f"{{ const u32 {top} = ", trips, f" % {rounds + 1}u, {own} = u32(", value, f"); u32 {temporary} = 0; ",
        f"{' '.join(loops)} {to.name} = {to.type}({temporary}); }}",
    ]  # fmt: skip

    def action(machine: Machine, threads: list[int], stmt: Stmt) -> list[int]:
        tops, values = (machine.value(each, threads) for each in stmt.operands)
        facts = {t: (top % (rounds + 1), value) for t, top, value in zip(threads, tops, values, strict=True)}
        result = dict.fromkeys(threads, 0)
        for warp, order in product(machine.by_warp(threads), range(rounds)):
            is_second = {t: order >= facts[t][0] for t in warp}
            given = {t: (facts[t][1] * (5 if is_second[t] else 1) + order) & 0xFFFFFFFF for t in warp}
            result |= {t: result[t] * 3 + got(site, distance, given, t) + is_second[t] for t in warp}
        machine.assign(to.name, threads, [wrapped(to.type, wrapped("u32", result[t])) for t in threads])
        return threads

    return Stmt(parts, action)


# -- masks ------------------------------------------------------------------------------------------------------------


def lowest(values: dict[int, int]) -> int:
    """The value of the first lane."""
    return values[min(values)]


def total(values: dict[int, int]) -> int:
    """The sum."""
    return sum(values.values()) & 0xFFFFFFFF


# Among the lanes of mask {m}, from value {x}.
AMONG: dict[str, tuple[str, Callable[[dict[int, int]], int]]] = {
    "first": ("__shfl_sync({m}, {x}, __ffs(int({m})) - 1)", lowest),
    "sum": ("__reduce_add_sync({m}, {x})", total),
    "most": ("__reduce_max_sync({m}, {x})", lambda values: max(values.values())),
    "any": ("u32(__any_sync({m}, {x} & 4u) != 0)", lambda values: int(any(v & 4 for v in values.values()))),
    "ballot": (
        "__ballot_sync({m}, {x} & 2u)",
        lambda values: sum(1 << lane for lane, value in lanes(values).items() if value & 2),
    ),
}


def nested_masks(weaver: Weaver, _level: Level) -> Stmt:
    """A ballot, a branch, a ballot among those, and a collective on each side."""
    rng, one, two, to = weaver.scope.rng, weaver.name("m"), weaver.name("m"), weaver.target(Level.THREAD, ("u32",))
    names = [rng.choice([*AMONG]) for _ in range(3)]
    outer, inner = truth(weaver.scope, Level.THREAD), truth(weaver.scope, Level.THREAD)
    values = [weaver.word("u32", Level.THREAD, 1) for _ in range(3)]
    texts = [
        AMONG[name][0].format(m=mask, x="\0").split("\0")
        for name, mask in zip(names, (two, f"({one} & ~{two})", f"(~{one})"), strict=True)
    ]
    parts: list[str | Expr | list[Stmt]] = [
        f"{{ const u32 {one} = __ballot_sync({FULL}, ", outer, f"); if ({one} >> lane & 1u) {{ ",
        f"const u32 {two} = __ballot_sync({one}, ", inner, f"); if ({two} >> lane & 1u) {{ {to.name} = ",
        texts[0][0], values[0], texts[0][1], f"; }} else {{ {to.name} = ", texts[1][0], values[1], texts[1][1],
        f"; }} }} else {{ {to.name} = ", texts[2][0], values[2], texts[2][1], "; } }",
    ]  # fmt: skip

    def action(machine: Machine, threads: list[int], stmt: Stmt) -> list[int]:
        outers, inners, *given = [machine.value(each, threads) for each in stmt.operands]
        group = {t: 2 if not o else 0 if i else 1 for t, o, i in zip(threads, outers, inners, strict=True)}
        at = {t: place for place, t in enumerate(threads)}
        for warp in machine.by_warp(threads):
            for which in range(3):
                members = {t: given[which][at[t]] for t in warp if group[t] == which}
                if members:
                    machine.assign(to.name, [*members], [AMONG[names[which]][1](members)] * len(members))
        return threads

    return Stmt(parts, action)


def own_lengths(weaver: Weaver, _level: Level) -> Stmt:
    """A loop that each lane leaves when it likes; those that stay name each other in the mask."""
    rng, mask, at, top = weaver.scope.rng, weaver.name("m"), weaver.name("c"), weaver.name("top")
    name, trips = rng.choice([*AMONG]), part_of_row(weaver)
    text = AMONG[name][0].format(m=mask, x="\0").split("\0")
    value = weaver.word("u32", Level.THREAD, 1)
    parts: list[str | Expr | list[Stmt]] = [
        f"{{ const u32 {top} = ", trips, f" % 6u; u32 {mask} = __ballot_sync({FULL}, {top} > 0u); ",
        f"for (u32 {at} = 0; {at} < {top}; ++{at}) {{ seen = mixed(seen, ", text[0], "u32(", value, f") + {at}",
        text[1], f"); {mask} = __ballot_sync({mask}, {at} + 1u < {top}); }} }}",
    ]  # fmt: skip

    def action(machine: Machine, threads: list[int], stmt: Stmt) -> list[int]:
        tops, given = (machine.value(each, threads) for each in stmt.operands)
        facts = {t: (top % 6, value) for t, top, value in zip(threads, tops, given, strict=True)}
        for warp in machine.by_warp(threads):
            for order in range(6):
                members = {t: (facts[t][1] + order) & 0xFFFFFFFF for t in warp if facts[t][0] > order}
                if members:
                    see(machine, [*members], [AMONG[name][1](members)] * len(members))
        return threads

    return Stmt(parts, action)


# -- groups -----------------------------------------------------------------------------------------------------------

TILE_CALLS: dict[str, Callable[[list[int], int, int], int]] = {
    "tile.shfl({x}, {k} % {size})": lambda values, _rank, k: values[k % len(values)],
    "tile.shfl_xor({x}, {size} / 2)": lambda values, rank, _k: values[rank ^ len(values) // 2],
    "tile.shfl_down({x}, 1u)": lambda values, rank, _k: values[min(rank + 1, len(values) - 1)],
    "tile.shfl_up({x}, 1u)": lambda values, rank, _k: values[max(rank - 1, 0)],
    "tile.ballot({x} & 1u)": lambda values, _rank, _k: sum((v & 1) << at for at, v in enumerate(values)),
    "u32(tile.any({x} & 2u) != 0)": lambda values, _rank, _k: int(any(v & 2 for v in values)),
    "u32(tile.all({x} & 1u) != 0)": lambda values, _rank, _k: int(all(v & 1 for v in values)),
    "tile.match_any({x} & 3u)": lambda values, rank, _k: sum(
        1 << at for at, v in enumerate(values) if v & 3 == values[rank] & 3
    ),
    f"({BOARD}[tid] = {{x}}, tile.sync(), {BOARD}[tid ^ ({{size}} / 2)])": lambda values, rank, _k: values[
        rank ^ len(values) // 2
    ],
    "cooperative_groups::reduce(tile, u32({x}), cooperative_groups::plus<u32>())": lambda values, _rank, _k: (
        sum(values) & 0xFFFFFFFF
    ),
    "cooperative_groups::exclusive_scan(tile, u32({x}), cooperative_groups::plus<u32>())": lambda values, rank, _k: (
        sum(values[:rank]) & 0xFFFFFFFF
    ),
}


def tiles(weaver: Weaver, _level: Level) -> Stmt:
    """Tiles of 1 to 32 lanes; where each tile decides for itself, its two ways end in different calls."""
    rng, size, to = (
        weaver.scope.rng,
        weaver.scope.rng.choice((1, 2, 4, 8, 16, 32)),
        weaver.target(Level.THREAD, ("u32",)),
    )
    calls, k = [rng.choice([*TILE_CALLS]) for _ in range(2)], rng.randrange(32)
    bit = rng.choice((0, 1, 2))
    values = [weaver.word("u32", Level.THREAD, 1) for _ in range(2)]
    texts = [each.replace("{size}", str(size)).replace("{k}", f"{k}u").split("{x}") for each in calls]
    end = "tile.sync(); "
    parts: list[str | Expr | list[Stmt]] = [
        f"{{ const auto tile = cooperative_groups::tiled_partition<{size}>(cooperative_groups::this_thread_block()); ",
        f"if (tile.meta_group_rank() >> {bit} & 1u) {{ {to.name} = ", texts[0][0], values[0], texts[0][1],
        f"; {end}}} else {{ {to.name} = 1u + ", texts[1][0], values[1], texts[1][1], f"; {end}}} }}",
    ]  # fmt: skip

    def action(machine: Machine, threads: list[int], stmt: Stmt) -> list[int]:
        given = [dict(zip(threads, machine.value(each, threads), strict=True)) for each in stmt.operands]
        groups: dict[int, list[int]] = {}
        for thread in threads:
            groups.setdefault(thread // size, []).append(thread)
        for group in groups.values():
            which = 0 if group[0] % machine.threads // size >> bit & 1 else 1
            found = [TILE_CALLS[calls[which]]([given[which][t] for t in group], rank, k) for rank in range(len(group))]
            machine.assign(to.name, group, [wrapped("u32", value + which) for value in found])
        return threads

    return Stmt(parts, action)


def aggregated(weaver: Weaver, _level: Level) -> Stmt:
    """One lane makes the atomic for those that happen to be there, and tells them the old value; who is there together
    may vary, the total and the set of places may not."""
    rng, name = weaver.scope.rng, weaver.name("place")
    slot, when = rng.randrange(16), truth(weaver.scope, Level.THREAD)
    text = rng.choice(
        (
            f"auto g = cooperative_groups::coalesced_threads(); u32 {name}; if (g.thread_rank() == 0) {name} = "
            f"atomicAdd(&counters[{64 + slot}], g.size()); {name} = g.shfl({name}, 0) + g.thread_rank();",
            f"const u32 there = __activemask(); const int first = __ffs(int(there)) - 1; u32 {name}; "
            f"if (int(lane) == first) {name} = atomicAdd(&counters[{64 + slot}], u32(__popc(there))); "
            f"{name} = __shfl_sync(there, {name}, first) + __popc(there & ((1u << lane) - 1u));",
        )
    )
    cell = 80 + slot
    count = f"atomicAdd(&counters[{cell}], {name} * {name});"
    parts: list[str | Expr | list[Stmt]] = [
        "if (",
        when,
        f") {{ {text} {count} }}",
    ]

    def action(machine: Machine, threads: list[int], stmt: Stmt) -> list[int]:
        yes, _ = divided(threads, machine.value(stmt.operands[0], threads))
        for _ in yes:
            place = machine.counters[64 + slot]
            machine.counters[64 + slot] = (place + 1) & 0xFFFFFFFF
            machine.counters[cell] = (machine.counters[cell] + place * place) & 0xFFFFFFFF
        return threads

    return Stmt(parts, action)


WARP_KIND = Kind(
    (
        Pattern(6, Level.WARP, both_sides),
        Pattern(3, Level.WARP, nested_masks),
        Pattern(3, Level.WARP, own_lengths),
        Pattern(2, Level.WARP, two_loops),
        Pattern(4, Level.WARP, tiles),
        Pattern(2, Level.THREAD, aggregated),
    ),
    headers=("cooperative_groups.h", "cooperative_groups/reduce.h", "cooperative_groups/scan.h"),
    blocks=(*WARPS, (48, 2, 1), (24, 4, 1), (12, 8, 1)),
    prepare=board,
)
