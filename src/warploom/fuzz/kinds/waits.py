# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Kind `waits`: threads that wait in a loop for what another thread does.

Who: another lane of the warp, another warp, a block, earlier blocks by index or ticket, a kernel of another stream; and
all threads of a block at a barrier in memory. How: loops of every shape of exit,
with second exits that never come to pass (a clock, a count, a stop flag) and would show in the result. What is handed
over is written before the flag; the flag is one of 64 counters that are 0 at the start of a launch.
"""

from __future__ import annotations

from warploom.fuzz.expressions import Level
from warploom.fuzz.judge import Machine
from warploom.fuzz.judged import ANY_BLOCKS, WARPS, Kind
from warploom.fuzz.tree import Stmt
from warploom.fuzz.weave import Pattern, Weaver, see
from warploom.fuzz.words import Part

FLAGS = 64  # the first of the counters that are 0
MOST_FLAGS, MOST_BLOCKS = 60, 4
# {flag}: the address, {k}: what it must be at least; `lost` is set where a loop ends for the wrong reason.
LOOPS: dict[str, str] = {
    "plain": "while (*(volatile u32 *){flag} < {k}) {{}}",
    "atomic": "while (atomicAdd({flag}, 0u) < {k});",
    "exchange": "while (atomicCAS({flag}, {k}, {k}) < {k}) __nanosleep(20);",
    "clock": "const i64 begin{i} = clock64(); while (*(volatile u32 *){flag} < {k}) "
    "if (clock64() - begin{i} > 1ll << 50) {{ lost = 1; break; }}",
    "clock that returns": "const i64 begin{i} = clock64(); while (*(volatile u32 *){flag} < {k}) "
    "if (clock64() - begin{i} > 1ll << 50) {{ out[gid] = 99; return; }}",
    "stop": "while (*(volatile u32 *){flag} < {k}) {{ if (*(volatile u32 *)(counters + 127)) {{ lost = 2; break; }} }}",
    "stop that returns": "while (*(volatile u32 *){flag} < {k}) {{ if (*(volatile u32 *)(counters + 127)) return; }}",
    "count": "u64 spins{i} = 0; while (*(volatile u32 *){flag} < {k} && ++spins{i} < 1ull << 50); "
    "if (spins{i} >= 1ull << 50) lost = 3;",
    "do": "u32 now{i}; do {{ now{i} = *(volatile u32 *){flag}; __threadfence(); }} while (now{i} < {k});",
    "endless": "for (;;) {{ const u32 now{i} = *(volatile u32 *){flag}; if (now{i} >= {k}) break; "
    "if (now{i} > 1000000u) {{ lost = 4; break; }} }}",
    "done": "bool done{i} = false; while (!done{i}) {{ if (*(volatile u32 *){flag} >= {k}) done{i} = true; }}",
    "goto": "again{i}: if (*(volatile u32 *){flag} < {k}) goto again{i};",
    "function": "wait_until({flag}, {k});",
    "function that may fail": "if (!waited({flag}, {k}, counters + 127)) {{ out[gid] = 98; return; }}",
    "two flags": "while (*(volatile u32 *){flag} < {k} && !(*(volatile u32 *)(counters + 126) & 7u)) {{}} "
    "if (*(volatile u32 *)(counters + 126)) lost = 5;",
    "inside": "for (u32 at{i} = 0; at{i} < 2u; ++at{i}) {{ while (*(volatile u32 *){flag} < {k} * at{i}) {{}} }}",
}
HELPERS = """
#ifndef WAITING
#define WAITING
__device__ __noinline__ void wait_until(u32 *flag, u32 k) {
  while (*(volatile u32 *)flag < k) {}
}
__device__ __noinline__ bool waited(u32 *flag, u32 k, u32 *stop) {
  while (*(volatile u32 *)flag < k) {
    if (*(volatile u32 *)stop) return false;
  }
  return true;
}
#endif"""


def prepare(weaver: Weaver) -> list[Stmt]:
    """Functions and memory of waiting threads."""
    weaver.helpers.append(HELPERS)
    weaver.declarations.append("u32 lost = 0;")
    return []


def waiting(weaver: Weaver, flag: str, k: str) -> str:
    """A loop until the flag is at least k."""
    shape = weaver.scope.rng.choice([*LOOPS])
    return LOOPS[shape].format(flag=f"({flag})", k=k, i=weaver.name("w"))


def slots(weaver: Weaver, count: int) -> int:
    """The first of `count` flags that nothing else uses."""
    weaver.flags += count
    assert weaver.flags <= MOST_FLAGS, "flags run out"
    return FLAGS + weaver.flags - count


def another_thread(weaver: Weaver, _level: Level) -> Stmt:
    """Each block has a thread that all its others wait for: of their own warp for some, of another for the rest."""
    rng, cell = weaver.scope.rng, weaver.name("cell")
    who, value = rng.choice((0, 0, 1, 31, 32, 63)), weaver.word("u32")
    flag = f"counters + {slots(weaver, 4)} + block % 4u"
    fence = rng.choice(("__threadfence();", "__threadfence_block();"))
    store = rng.choice((f"*(volatile u32 *)({flag}) = 2u;", f"atomicExch({flag}, 2u);", f"atomicAdd({flag}, 2u);"))
    weaver.declarations.append(f"__shared__ u32 {cell};")
    consumer = f"{waiting(weaver, flag, '2u')} {fence} seen = mixed(seen, *(volatile u32 *)&{cell} + lost);"
    parts: list[Part | list[Stmt]] = [
        f"if (tid == {who}u % threads) {{ *(volatile u32 *)&{cell} = ", value,
        f"; {fence} {store} }} else {{ {consumer} }}",
    ]  # fmt: skip
    if rng.random() < 0.5:
        parts = [
            f"if (tid != {who}u % threads) {{ {consumer} }} else {{ *(volatile u32 *)&{cell} = ", value,
            f"; {fence} {store} }}",
        ]  # fmt: skip

    def action(machine: Machine, threads: list[int], stmt: Stmt) -> list[int]:
        values = dict(zip(threads, machine.value(stmt.operands[0], threads), strict=True))
        for block in machine.by_block(threads):
            producer = block[who % machine.threads]
            flag_of = stmt_flag + producer // machine.threads % 4
            machine.counters[flag_of] = 2
            others = [t for t in block if t != producer]
            see(machine, others, [values[producer]] * len(others))
        return threads

    stmt_flag = FLAGS + weaver.flags - 4
    return Stmt(parts, action)


def chain(weaver: Weaver, _level: Level) -> Stmt:
    """Four threads of a block, or one of each warp, take turns: each waits for the one before."""
    rng, sum_ = weaver.scope.rng, weaver.name("sum")
    by_warp, down = rng.random() < 0.6, rng.random() < 0.3
    first = slots(weaver, 4)
    flag = f"counters + {first} + block % 4u"
    turns = "((threads + 31u) / 32u)" if by_warp else "min(threads, 4u)"
    turn = "warp" if by_warp else "tid"
    turn = f"({turns} - 1u - {turn})" if down else turn
    weaver.declarations.append(f"__shared__ u32 {sum_};")
    value = weaver.word("u32", Level.WARP if by_warp else Level.THREAD)
    who = "lane == 0u" if by_warp else "tid < 4u"
    parts: list[Part | list[Stmt]] = [
        f"if (tid == 0u) *(volatile u32 *)&{sum_} = 7u; __syncthreads(); if ({who}) {{ ",
        waiting(weaver, flag, turn),
        f" __threadfence(); *(volatile u32 *)&{sum_} = *(volatile u32 *)&{sum_} * 31u + lost + ", value,
        f"; __threadfence(); atomicAdd({flag}, 1u); }} __syncthreads(); seen = mixed(seen, {sum_});",
    ]  # fmt: skip

    def action(machine: Machine, threads: list[int], stmt: Stmt) -> list[int]:
        values = dict(zip(threads, machine.value(stmt.operands[0], threads), strict=True))
        for block in machine.by_block(threads):
            total, order = 7, block[::32] if by_warp else block[:4]
            for thread in reversed(order) if down else order:
                total = (total * 31 + values[thread]) & 0xFFFFFFFF
            machine.counters[first + block[0] // machine.threads % 4] += len(order)
            see(machine, block, [total] * len(block))
        return threads

    return Stmt(parts, action)


def another_block(weaver: Weaver, _level: Level) -> Stmt:
    """All blocks wait for one, which may be the last."""
    rng, first = weaver.scope.rng, slots(weaver, 2)
    last, value = rng.random() < 0.5, weaver.word("u32", Level.BLOCK)
    producer = "total / threads - 1u" if last else "0u"
    one, flag = rng.random() < 0.5, f"counters + {first + 1}"
    loop = waiting(weaver, flag, "1u")
    consumer = f"if (tid == 0u) {{ {loop} }} __syncthreads();" if one else loop
    parts: list[Part | list[Stmt]] = [
        f"if (block == {producer}) {{ if (tid == threads / 2u) {{ *(volatile u32 *)(counters + {first}) = ", value,
        f"; __threadfence(); atomicExch({flag}, 1u); }} }} else {{ {consumer} __threadfence(); ",
        f"seen = mixed(seen, *(volatile u32 *)(counters + {first}) + lost); }}",
    ]  # fmt: skip

    def action(machine: Machine, threads: list[int], stmt: Stmt) -> list[int]:
        chosen = machine.launch.size // machine.threads - 1 if last else 0
        values = dict(zip(threads, machine.value(stmt.operands[0], threads), strict=True))
        machine.counters[first] = values[chosen * machine.threads]
        machine.counters[first + 1] = 1
        others = [t for t in threads if t // machine.threads != chosen]
        see(machine, others, [machine.counters[first]] * len(others))
        return threads

    return Stmt(parts, action)


def lock(weaver: Weaver, _level: Level) -> Stmt:
    """A lock that every thread takes once: the order is open, the sum is not."""
    rng, first, done = weaver.scope.rng, slots(weaver, 2), weaver.name("done")
    taken, value = f"counters + {first}", weaver.word("u32")
    work = f"*(volatile u32 *)(counters + {first + 1}) = *(volatile u32 *)(counters + {first + 1}) + "
    free = rng.choice((f"atomicExch({taken}, 0u);", f"*(volatile u32 *)({taken}) = 0u;"))
    forms = (
        (f"for (bool {done} = false; !{done};) {{ if (atomicCAS({taken}, 0u, 1u) == 0u) {{ __threadfence(); {work}",
         f"; __threadfence(); {free} {done} = true; }} }}"),
        (f"bool {done} = false; do {{ if (atomicExch({taken}, 1u) == 0u) {{ __threadfence(); {work}",
         f"; {done} = true; __threadfence(); {free} }} }} while (!{done});"),
        (f"for (u32 {done} = 0; {done} < 32u; ++{done}) if (lane == {done}) {{ "
         f"while (atomicCAS({taken}, 0u, 1u) != 0u); __threadfence(); {work}", f"; __threadfence(); {free} }}"),
    )  # fmt: skip
    head, tail = rng.choice(forms)

    def action(machine: Machine, threads: list[int], stmt: Stmt) -> list[int]:
        machine.counters[first + 1] += sum(machine.value(stmt.operands[0], threads))
        return threads

    return Stmt(["{ ", head, value, tail, " }"], action)


def tickets(weaver: Weaver, _level: Level) -> Stmt:
    """One thread of each block draws a ticket and is served in that order: which is open, the number served is not."""
    first = slots(weaver, 2)
    ticket = weaver.name("ticket")
    loop = waiting(weaver, f"counters + {first + 1}", ticket)
    text = (
        f"if (tid == 0u) {{ const u32 {ticket} = atomicAdd(counters + {first}, 1u); {loop} __threadfence(); "
        f"atomicAdd(counters + {first + 1}, 1u); seen = mixed(seen, lost); }}"
    )

    def action(machine: Machine, threads: list[int], _stmt: Stmt) -> list[int]:
        leaders = [t for t in threads if t % machine.threads == 0]
        machine.counters[first] += len(leaders)
        machine.counters[first + 1] += len(leaders)
        see(machine, leaders, [0] * len(leaders))
        return threads

    return Stmt([text], action)


def earlier_blocks(weaver: Weaver, level: Level) -> Stmt:
    """A scan over blocks: one thread waits for the block before, or several look at all before."""
    if weaver.flags > MOST_FLAGS - 2 * MOST_BLOCKS:
        return lock(weaver, level)
    first, cell = slots(weaver, 2 * MOST_BLOCKS), weaver.name("cell")
    flag, sums = f"counters + {first}", f"counters + {first + MOST_BLOCKS}"
    by_one, value = weaver.scope.rng.random() < 0.5, weaver.word("u32", Level.BLOCK)
    weaver.declarations.append(f"__shared__ u32 {cell};")
    publish = f"__threadfence(); atomicExch({flag} + block, 1u);"
    if by_one:
        look = f"{waiting(weaver, f'{flag} + block - 1u', '1u')} __threadfence();"
        parts: list[Part | list[Stmt]] = [
            f"if (tid == 0u) {{ {cell} = 0; "
            f"if (block > 0u) {{ {look} {cell} = *(volatile u32 *)({sums} + block - 1u); }} "
            f"*(volatile u32 *)({sums} + block) = {cell} + lost + ", value, f"; {publish} }} __syncthreads(); ",
        ]  # fmt: skip
    else:
        at = weaver.name("at")
        look = f"{waiting(weaver, f'{flag} + {at}', '1u')} __threadfence();"
        parts = [
            f"if (tid == 0u) {{ {cell} = 0; *(volatile u32 *)({sums} + block) = ", value, f"; {publish} }} "
            f"__syncthreads(); for (u32 {at} = tid; {at} < block; {at} += threads) {{ {look} "
            f"atomicAdd(&{cell}, *(volatile u32 *)({sums} + {at}) + lost); }} __syncthreads(); ",
        ]  # fmt: skip
    parts.append(f"seen = mixed(seen, {cell}); __syncthreads();")

    def action(machine: Machine, threads: list[int], stmt: Stmt) -> list[int]:
        values = dict(zip(threads, machine.value(stmt.operands[0], threads), strict=True))
        before = 0
        for number, block in enumerate(machine.by_block(threads)):
            see(machine, block, [before] * len(block))
            before = (before + values[block[0]]) & 0xFFFFFFFF
            machine.counters[first + number] = 1
            machine.counters[first + MOST_BLOCKS + number] = before if by_one else values[block[0]]
        return threads

    return Stmt(parts, action)


def shared_tickets(weaver: Weaver, _level: Level) -> Stmt:
    """Each block draws a ticket, all its threads learn of it, and its last one is served in that order."""
    first, ticket = slots(weaver, 3), weaver.name("ticket")
    weaver.declarations.append(f"__shared__ u32 {ticket};")
    value = weaver.word("u32", Level.BLOCK)
    loop = waiting(weaver, f"counters + {first + 1}", ticket)
    sum_ = f"*(volatile u32 *)(counters + {first + 2})"
    parts: list[Part | list[Stmt]] = [
        f"if (tid == 0u) {ticket} = atomicAdd(counters + {first}, 1u); __syncthreads(); "
        f"if (tid == threads - 1u) {{ {loop} __threadfence(); {sum_} = {sum_} + lost + ", value,
        f"; __threadfence(); atomicAdd(counters + {first + 1}, 1u); }} __syncthreads();",
    ]  # fmt: skip

    def action(machine: Machine, threads: list[int], stmt: Stmt) -> list[int]:
        values = dict(zip(threads, machine.value(stmt.operands[0], threads), strict=True))
        for block in machine.by_block(threads):
            machine.counters[first] += 1
            machine.counters[first + 1] += 1
            machine.counters[first + 2] = (machine.counters[first + 2] + values[block[-1]]) & 0xFFFFFFFF
        return threads

    return Stmt(parts, action)


def past_control(weaver: Weaver, level: Level) -> Stmt:
    """A thread waits for what another does in the next round of a loop around a barrier, or behind a branch around one:
    without a barrier in between."""
    if weaver.flags > MOST_FLAGS - MOST_BLOCKS:
        return lock(weaver, level)
    first, at = slots(weaver, MOST_BLOCKS), weaver.name("round")
    flag, rounds = f"counters + {first} + block % {MOST_BLOCKS}u", 3
    tell, waits = f"if (tid == threads - 1u) atomicExch({flag}, ", "if (tid == 0u && threads > 1u"
    if weaver.scope.rng.random() < 0.5:
        loop = f"{waits} && {at} < {rounds - 1}u) {{ {waiting(weaver, flag, f'{at} + 2u')} __threadfence(); }}"
        text = f"for (u32 {at} = 0; {at} < {rounds}u; ++{at}) {{ {tell}{at} + 1u); __syncthreads(); {loop} }}"
    else:
        rounds = 1
        text = f"if (total > 0u) {{ __syncthreads(); {waits}) {{ {waiting(weaver, flag, '1u')} }} }} {tell}1u);"

    def action(machine: Machine, threads: list[int], _stmt: Stmt) -> list[int]:
        for number, _ in enumerate(machine.by_block(threads)):
            machine.counters[first + number % MOST_BLOCKS] = rounds
        see(machine, threads, [0] * len(threads))
        return threads

    return Stmt([f"{text} __syncthreads(); seen = mixed(seen, lost);"], action)


def tokens(weaver: Weaver, _level: Level) -> Stmt:
    """The threads of a block meet at a barrier in memory, perhaps with something else between arrival and wait."""
    barrier, cells, token = (weaver.name(stem) for stem in ("barrier", "cells", "token"))
    weaver.helpers.append("#include <cuda/barrier>\n#include <utility>")
    weaver.declarations.append(f"__shared__ cuda::barrier<cuda::thread_scope_block> {barrier};")
    weaver.declarations.append(f"__shared__ u32 {cells}[1024];")
    value, split = weaver.word("u32"), weaver.scope.rng.random() < 0.5
    wait = f"{barrier}.arrive_and_wait();"
    if split:
        wait = f"auto {token} = {barrier}.arrive(); seen = mixed(seen, 5u); {barrier}.wait(std::move({token}));"
    parts: list[Part | list[Stmt]] = [
        f"if (tid == 0u) init(&{barrier}, threads); __syncthreads(); {{ {cells}[tid] = ", value,
        f"; {wait} seen = mixed(seen, {cells}[threads - 1u - tid]); }} {barrier}.arrive_and_wait();",
    ]  # fmt: skip

    def action(machine: Machine, threads: list[int], stmt: Stmt) -> list[int]:
        values = dict(zip(threads, machine.value(stmt.operands[0], threads), strict=True))
        if split:
            see(machine, threads, [5] * len(threads))
        for block in machine.by_block(threads):
            see(machine, block, [values[t] for t in reversed(block)])
        return threads

    return Stmt(parts, action)


def another_stream(weaver: Weaver, level: Level) -> Stmt:
    """All threads, or one of each block, wait for a kernel that another stream runs: launched before or after."""
    if weaver.stream:
        return tickets(weaver, level)
    rng, first, name = weaver.scope.rng, slots(weaver, 2), f"{weaver.stem}_signal"
    value, one = rng.getrandbits(32), rng.random() < 0.5
    weaver.helpers.append(
        f"__global__ void {name}(u32 *counters) {{ *(volatile u32 *)(counters + {first}) = {value}u; __threadfence(); "
        f"atomicExch(counters + {first + 1}, 1u); }}"
    )
    signal, weaver.stream = f"{name}<<<1, 1, 0, s[1]>>>(d.counters);", "s[0]"
    weaver.before = "cudaStream_t s[2]; for (auto &each : s) cudaStreamCreateWithFlags(&each, cudaStreamNonBlocking);"
    weaver.after = "for (auto each : s) { cudaStreamSynchronize(each); cudaStreamDestroy(each); }"
    if rng.random() < 0.5:
        weaver.before += f" {signal}"
    else:
        weaver.after = f"{signal} {weaver.after}"
    loop = waiting(weaver, f"counters + {first + 1}", "1u")
    loop = f"if (tid == threads - 1u) {{ {loop} }} __syncthreads();" if one else loop
    text = f"{{ {loop} __threadfence(); seen = mixed(seen, *(volatile u32 *)(counters + {first}) + lost); }}"

    def action(machine: Machine, threads: list[int], _stmt: Stmt) -> list[int]:
        machine.counters[first], machine.counters[first + 1] = value, 1
        see(machine, threads, [value] * len(threads))
        return threads

    return Stmt([text], action)


WAIT_KIND = Kind(
    (
        Pattern(3, Level.GRID, another_thread),
        Pattern(2, Level.GRID, chain),
        Pattern(3, Level.GRID, another_block),
        Pattern(2, Level.GRID, lock),
        Pattern(2, Level.GRID, tickets),
        Pattern(3, Level.GRID, earlier_blocks),
        Pattern(2, Level.GRID, shared_tickets),
        Pattern(2, Level.GRID, tokens),
        Pattern(2, Level.GRID, past_control),
        Pattern(2, Level.GRID, another_stream),
    ),
    blocks=(*ANY_BLOCKS, *WARPS),
    grids=((1, 1, 1), (1, 1, 1), (2, 1, 1), (4, 1, 1), (2, 2, 1)),
    length=3,
    prepare=prepare,
    once=True,
)
