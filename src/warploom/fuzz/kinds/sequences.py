# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Kind `sequences`: several kernels and copies over the same memory, before the kernel whose results are looked at.

    kernels          of other grids, in the default stream or in several that wait for each other by events
    copies           memset, 2D copies on the device, through the host and back, to a symbol
    huge grids       of more than 2^31 threads, a few
    graphs           what is captured and launched once or twice

Each thread of the last kernel owns 16 words of `own`; a stage writes one column of them from other columns.
"""

from __future__ import annotations

import random
from collections.abc import Callable, Sequence

from warploom.core.records import dataclass, replace
from warploom.fuzz.expressions import Level
from warploom.fuzz.judge import Machine, inputs
from warploom.fuzz.judged import ANY_BLOCKS, Kind
from warploom.fuzz.kinds.aliases import CELLS, own_word, put_word
from warploom.fuzz.tree import Stmt
from warploom.fuzz.weave import Pattern, Weaver, seeing
from warploom.fuzz.words import Expr, Part, of

PITCH = CELLS * 4
EACH = "for (u32 g = blockIdx.x * blockDim.x + threadIdx.x; g < cells; g += gridDim.x * blockDim.x)"


@dataclass(frozen=True)
class Stage:
    """Text before the kernel, text of the host ({s}: a stream, {size}: cells), and what it does to all cells."""

    helper: str
    host: str
    effect: Callable[[Machine, int], None]


def kernel_stage(rng: random.Random, name: str) -> Stage:
    """A kernel that makes a column from another of the same or of another cell."""
    to = rng.randrange(CELLS)
    from_ = rng.choice([column for column in range(CELLS) if column != to])
    shift, factor, add = rng.choice((0, 0, 1, 7, 32)), rng.choice((3, 5, 2654435761)), rng.randrange(1000)
    input_ = rng.random() < 0.4
    more = f" + u32(in[g % {1024}u])" if input_ else ""
    grid, block = rng.choice((1, 2, 5)), rng.choice((32, 33, 128, 200))
    helper = (
        f"__global__ void {name}(const i32 *in, u32 *words, u32 cells) {{ {EACH} words[g * {CELLS}u + {to}u] = "
        f"words[(g + {shift}u) % cells * {CELLS}u + {from_}u] * {factor}u + {add}u{more}; }}"
    )

    def effect(machine: Machine, size: int) -> None:
        values = [own_word(machine, (g + shift) % size, from_) * factor + add for g in range(size)]
        for g, value in enumerate(values):
            put_word(machine, g, to, value + (inputs()[g % 1024] if input_ else 0))

    return Stage(helper, f"{name}<<<{grid}, {block}, 0, {{s}}>>>(d.in, (u32 *)d.own, {{size}});", effect)


def shared_stage(rng: random.Random, name: str) -> Stage:
    """A kernel whose blocks reverse 64 cells of a column through shared memory."""
    to = rng.randrange(CELLS)
    from_ = rng.choice([column for column in range(CELLS) if column != to])
    helper = (
        f"__global__ void {name}(u32 *words, u32 cells) {{ __shared__ u32 turned[64]; "
        f"const u32 first = blockIdx.x * 64u, here = min(64u, cells - first); "
        f"if (threadIdx.x < here) turned[here - 1u - threadIdx.x] = "
        f"words[(first + threadIdx.x) * {CELLS}u + {from_}u]; __syncthreads(); if (threadIdx.x < here) "
        f"words[(first + threadIdx.x) * {CELLS}u + {to}u] = turned[threadIdx.x]; }}"
    )

    def effect(machine: Machine, size: int) -> None:
        for first in range(0, size, 64):
            cells = range(first, min(first + 64, size))
            values = [own_word(machine, g, from_) for g in cells]
            for g, value in zip(cells, reversed(values), strict=True):
                put_word(machine, g, to, value)

    return Stage(helper, f"{name}<<<({{size}} + 63) / 64, 64, 0, {{s}}>>>((u32 *)d.own, {{size}});", effect)


def count_stage(rng: random.Random, name: str) -> Stage:
    """A kernel that adds a column to counters by atomics."""
    column, many = rng.randrange(CELLS), rng.choice((1, 7, 32))
    helper = (
        f"__global__ void {name}(u32 *counters, const u32 *words, u32 cells) {{ {EACH} "
        f"atomicAdd(&counters[64u + g % {many}u], words[g * {CELLS}u + {column}u]); }}"
    )

    def effect(machine: Machine, size: int) -> None:
        for g in range(size):
            machine.counters[64 + g % many] += own_word(machine, g, column)

    grid, block = rng.choice((1, 3)), rng.choice((32, 100))
    return Stage(helper, f"{name}<<<{grid}, {block}, 0, {{s}}>>>(d.counters, (u32 *)d.own, {{size}});", effect)


def memset_stage(rng: random.Random, _name: str) -> Stage:
    """cudaMemset2DAsync of some columns."""
    first = rng.randrange(CELLS - 2)
    many, byte = rng.choice((1, 2)), rng.randrange(256)

    def effect(machine: Machine, size: int) -> None:
        for g in range(size):
            for column in range(first, first + many):
                put_word(machine, g, column, byte * 0x01010101)

    host = f"cudaMemset2DAsync(d.own + {4 * first}, {PITCH}, {byte}, {4 * many}, {{size}}, {{s}});"
    return Stage("", host, effect)


def copy_stage(rng: random.Random, _name: str) -> Stage:
    """cudaMemcpy2DAsync of a column to another."""
    from_, to = rng.sample(range(CELLS), 2)

    def effect(machine: Machine, size: int) -> None:
        for g in range(size):
            put_word(machine, g, to, own_word(machine, g, from_))

    host = (
        f"cudaMemcpy2DAsync(d.own + {4 * to}, {PITCH}, d.own + {4 * from_}, {PITCH}, 4, {{size}}, "
        "cudaMemcpyDeviceToDevice, {s});"
    )
    return Stage("", host, effect)


def symbol_stage(rng: random.Random, name: str) -> Stage:
    """A symbol is set from the host, and a kernel adds it to a column."""
    column, value, constant = rng.randrange(CELLS), rng.getrandbits(32), rng.random() < 0.5
    space = "__constant__" if constant else "__device__"
    helper = (
        f"{space} u32 {name}_word; __global__ void {name}(u32 *words, u32 cells) {{ {EACH} "
        f"words[g * {CELLS}u + {column}u] += {name}_word; }}"
    )

    def effect(machine: Machine, size: int) -> None:
        for g in range(size):
            put_word(machine, g, column, own_word(machine, g, column) + value)

    host = (
        f"static const u32 {name}_value = {value}u; cudaMemcpyToSymbolAsync({name}_word, &{name}_value, 4, 0, "
        f"cudaMemcpyHostToDevice, {{s}}); {name}<<<2, 64, 0, {{s}}>>>((u32 *)d.own, {{size}});"
    )
    return Stage(helper, host, effect)


def huge_stage(rng: random.Random, name: str) -> Stage:
    """A grid of more than 2^31 threads, of which few blocks stay."""
    blocks, threads = rng.choice(((1 << 22, 1024), ((1 << 21) + 5, 1024), ((1 << 23) + 1, 512)))
    apart, chosen = rng.choice((524287, 1048573)), rng.randrange(5)
    helper = (
        f"__global__ void {name}(u32 *counters) {{ const u64 g = u64(blockIdx.x) * blockDim.x + threadIdx.x; "
        f"if (blockIdx.x % {apart}u != {chosen}u) return; atomicAdd(&counters[64u + g % 32u], u32(g >> 7)); }}"
    )

    def effect(machine: Machine, _size: int) -> None:
        for block in range(chosen, blocks, apart):
            for g in range(block * threads, (block + 1) * threads):
                machine.counters[64 + g % 32] += g >> 7 & 0xFFFFFFFF

    return Stage(helper, f"{name}<<<{blocks}, {threads}, 0, {{s}}>>>(d.counters);", effect)


STAGES = (kernel_stage, kernel_stage, kernel_stage, shared_stage, count_stage, memset_stage, copy_stage, symbol_stage)


def prepare(weaver: Weaver) -> list[Stmt]:
    """Some stages: on the host before the kernel, and for the judge as its first statement."""
    rng = weaver.scope.rng
    return prepare_stages(weaver, [rng.choice(STAGES) for _ in range(rng.randint(1, 5))])


def prepare_huge(weaver: Weaver) -> list[Stmt]:
    """One huge stage."""
    return prepare_stages(weaver, [huge_stage])


def prepare_stages(weaver: Weaver, chosen: Sequence[Callable[[random.Random, str], Stage]]) -> list[Stmt]:
    """These stages, one after the other in one of several ways."""
    rng = weaver.scope.rng
    weaver.declarations.append(f"u32 *const words = (u32 *)own + gid * {CELLS}u;")
    stages = [each(rng, f"{weaver.stem}_stage{order}") for order, each in enumerate(chosen)]
    weaver.helpers += [each.helper for each in stages if each.helper]
    repeats = rng.choice((1, 2, 3)) if rng.random() < 0.25 else 0
    way = in_graph if repeats else rng.choice((in_order, in_streams, through_host))
    weaver.before = " ".join(way([each.host for each in stages], repeats))

    def action(machine: Machine, threads: list[int], _stmt: Stmt) -> list[int]:
        for _ in range(repeats or 1):
            for each in stages:
                each.effect(machine, machine.launch.size)
        return threads

    return [Stmt([""], action)]


# -- how stages follow each other -----------------------------------------------------------------------------------


def in_order(stages: list[str], _repeats: int) -> list[str]:
    """In the default stream."""
    return [each.replace("{s}", "0") for each in stages]


def in_streams(stages: list[str], _repeats: int) -> list[str]:
    """In two streams, which wait for each other."""
    found = ["cudaStream_t s[2]; for (cudaStream_t &each : s) cudaStreamCreate(&each); cudaEvent_t e;"]
    found += ["cudaEventCreateWithFlags(&e, cudaEventDisableTiming);"]
    for number, each in enumerate(stages):
        mine, other = number % 2, 1 - number % 2
        found += [each.replace("{s}", f"s[{mine}]"), f"cudaEventRecord(e, s[{mine}]);"]
        found += [f"cudaStreamWaitEvent(s[{other}], e, 0);"]
    found += ["for (cudaStream_t each : s) { cudaStreamSynchronize(each); cudaStreamDestroy(each); }"]
    return [*found, "cudaEventDestroy(e);"]


def in_graph(stages: list[str], repeats: int) -> list[str]:
    """Captured, then launched."""
    found = ["cudaStream_t s; cudaStreamCreate(&s); cudaStreamBeginCapture(s, cudaStreamCaptureModeGlobal);"]
    found += [each.replace("{s}", "s") for each in stages]
    found += ["cudaGraph_t graph; cudaStreamEndCapture(s, &graph); cudaGraphExec_t ready;"]
    found += ["cudaGraphInstantiate(&ready, graph, 0);", *["cudaGraphLaunch(ready, s);"] * repeats]
    found += ["cudaStreamSynchronize(s); cudaGraphExecDestroy(ready); cudaGraphDestroy(graph);"]
    return [*found, "cudaStreamDestroy(s);"]


def through_host(stages: list[str], _repeats: int) -> list[str]:
    """With everything copied to the host and back after each."""
    found = ["u8 *back = (u8 *)malloc({size} * 64);"]
    for each in stages:
        found += [each.replace("{s}", "0"), "cudaMemcpy(back, d.own, {size} * 64, cudaMemcpyDeviceToHost);"]
        found += ["cudaMemset(d.own, 0, {size} * 64);"]
        found += ["cudaMemcpy(d.own, back, {size} * 64, cudaMemcpyHostToDevice);"]
    return [*found, "free(back);"]


# -- the last kernel --------------------------------------------------------------------------------------------------


def look(weaver: Weaver, _level: Level) -> Stmt:
    """The last kernel sees one of its words."""
    return Stmt(["seen = mixed(seen, ", word_of_own(weaver), ");"], seeing)


def word_of_own(weaver: Weaver) -> Expr:
    """One of the thread's words."""

    def rule(machine: Machine, thread: int, values: Sequence[int]) -> int:
        return own_word(machine, thread, values[0] % CELLS)

    return Expr("u32", ["words[", weaver.word(), f" % {CELLS}u]"], rule)


def change(weaver: Weaver, _level: Level) -> Stmt:
    """The last kernel changes one of its words."""
    column, value = weaver.scope.rng.randrange(CELLS), of("u32", [word_of_own(weaver), " * 3u"], lambda x: x * 3)
    parts: list[Part | list[Stmt]] = [f"words[{column}] = ", value, ";"]

    def action(machine: Machine, threads: list[int], stmt: Stmt) -> list[int]:
        for thread, x in zip(threads, machine.value(stmt.operands[0], threads), strict=True):
            put_word(machine, thread, column, x)
        return threads

    return Stmt(parts, action)


SEQUENCE_KIND = Kind(
    (Pattern(3, Level.THREAD, look), Pattern(2, Level.THREAD, change)),
    blocks=ANY_BLOCKS,
    own=PITCH,
    prepare=prepare,
)
HUGE_KIND = replace(SEQUENCE_KIND, prepare=prepare_huge, engines=("loom",))
