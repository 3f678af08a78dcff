# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What a generated kernel leaves in memory, computed from its tree: a judge that shares no code with any compiler.

    for each statement: its action runs it for all threads that reach it, before the next statement

That is one of the orders that CUDA allows, and a generated kernel does the same in all of them. Numbers are integers of
Python, brought into the range of their C type by `wrapped`.
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import cache
from itertools import islice

from warploom.fuzz.tree import Expr, Kernel, Launch, Program, Stmt

# As in launches.cuh.
INPUTS, OUTS, COUNTERS, SCRATCH = 1024, 272 * 16, 128, 3 * 272 * 16
_WORD = (1 << 64) - 1


def wrapped(type_: str, value: int) -> int:
    """The value of integer type `type_` that is equal modulo its range."""
    width = int(type_[1:])
    value &= (1 << width) - 1
    return value - (1 << width) if type_[0] == "i" and value >> (width - 1) else value


def mixed(total: int, x: int) -> int:
    """As in launches.cuh."""
    return (((total ^ x) & _WORD) * 0x9E3779B97F4A7C15 + (total >> 29)) & _WORD


def states() -> Iterator[int]:
    """Random numbers of 32 bits, as in launches.cuh."""
    state = 12345
    while True:
        state = (state * 1664525 + 1013904223) & 0xFFFFFFFF
        yield state


@cache
def inputs() -> list[int]:
    """The content of `in`."""
    return [wrapped("i32", state >> (24 if state >> 28 & 1 else 3)) for state in islice(states(), INPUTS)]


class Machine:
    """The threads of one launch, by their number in the grid, and memory."""

    def __init__(self, kernel: Kernel, launch: Launch) -> None:
        size, threads = launch.size, launch.threads
        wide, high, _ = launch.block
        self.launch, self.threads = launch, threads
        every = range(size)
        tid, block = [g % threads for g in every], [g // threads for g in every]
        across, down, _ = launch.grid
        self.names: dict[str, list[int]] = {
            "gid": list(every),
            "tid": tid,
            "block": block,
            "lane": [t & 31 for t in tid],
            "warp": [t >> 5 for t in tid],
            "threadIdx.x": [t % wide for t in tid],
            "threadIdx.y": [t // wide % high for t in tid],
            "threadIdx.z": [t // (wide * high) for t in tid],
            "blockIdx.x": [b % across for b in block],
            "blockIdx.y": [b // across % down for b in block],
            "seen": [t % wide for t in tid],
        }
        constants = {"n": launch.n, "a": launch.a, "threads": threads, "total": size}
        constants |= {"blockDim.x": wide, "gridDim.x": across}
        self.names |= {name: [value] * size for name, value in constants.items()}
        self.out = [0] * min(size, OUTS)
        self.counters = [0x11111111] * (COUNTERS // 2) + [0] * (COUNTERS // 2)
        self.scratch = [0x22222222] * kernel.scratch
        self.own = bytearray(b"\x33" * kernel.own * size)
        self.shared: dict[tuple[str, int], dict[int, int]] = {}
        # Threads that go to the next round of the loops around, the innermost last.
        self.skipped: list[set[int]] = []
        self.ended: set[int] = set()

    def value(self, expr: Expr, threads: list[int]) -> list[int]:
        """What the expression is worth in each of these threads."""
        assert expr.rule is not None, f"no rule: {expr}"
        rule, operands = expr.rule, [self.value(each, threads) for each in expr.operands]
        if not operands:
            return [rule(self, thread, ()) for thread in threads]
        return [rule(self, thread, values) for thread, *values in zip(threads, *operands, strict=True)]

    def run(self, body: list[Stmt], threads: list[int]) -> list[int]:
        """Run statements; which threads come out at the end."""
        for stmt in body:
            if not threads:
                break
            threads = stmt.action(self, threads, stmt) if stmt.action else threads
        return threads

    def assign(self, name: str, threads: list[int], values: list[int]) -> None:
        """Give each of these threads' variable a value."""
        cells = self.names.setdefault(name, [0] * self.launch.size)
        for thread, value in zip(threads, values, strict=True):
            cells[thread] = value

    def block_memory(self, name: str, thread: int) -> dict[int, int]:
        """The shared array of that name in the thread's block."""
        return self.shared.setdefault((name, thread // self.threads), {})

    def by_warp(self, threads: list[int]) -> Iterator[list[int]]:
        """These threads, those of each warp together, in the order of lanes."""
        found: dict[tuple[int, int], list[int]] = {}
        for thread in threads:
            found.setdefault((thread // self.threads, thread % self.threads // 32), []).append(thread)
        yield from found.values()

    def by_block(self, threads: list[int]) -> Iterator[list[int]]:
        """These threads, those of each block together."""
        found: dict[int, list[int]] = {}
        for thread in threads:
            found.setdefault(thread // self.threads, []).append(thread)
        yield from found.values()


def expected_lines(made: Program) -> dict[str, str]:
    """What each launch of a judged kernel prints, by `KERNEL ORDER`."""
    return {
        f"{kernel.name} {order}": sums(kernel, launch)
        for kernel in made.kernels
        if kernel.judged
        for order, launch in enumerate(kernel.launches)
    }


def sums(kernel: Kernel, launch: Launch) -> str:
    """Run a launch; the checksums of what it leaves in memory."""
    machine = Machine(kernel, launch)
    machine.run(kernel.body, list(range(launch.size)))
    parts = [
        checksum(machine.out),
        checksum(pairs(machine.counters)),
        checksum(pairs(machine.scratch)),
        checksum([int.from_bytes(machine.own[at : at + 8], "little") for at in range(0, len(machine.own), 8)]),
    ]
    return " ".join(f"{each:016x}" for each in parts) + " "


def pairs(words: list[int]) -> list[int]:
    """32-bit words as 64-bit ones."""
    return [low & 0xFFFFFFFF | (high & 0xFFFFFFFF) << 32 for low, high in zip(words[::2], words[1::2], strict=True)]


def checksum(words: list[int]) -> int:
    """As in launches.cuh."""
    total = 0xCBF29CE484222325
    for word in words:
        total = (total ^ word) * 0x9E3779B97F4A7C15 & _WORD
        total ^= total >> 31
    return total
