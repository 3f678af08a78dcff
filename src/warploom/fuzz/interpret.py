# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Runs random kernels in the IR's interpreter: as they were imported and after every pass, in random thread orders.

This finds the pass that is wrong; comparing engines finds only that something is. The interpreter also watches
for races, which the generator must not make.
"""

from __future__ import annotations

import math
import struct
from collections.abc import Callable, Iterator, Sequence
from functools import cache
from itertools import islice
from pathlib import Path

from warploom.cli.kernels import Words, source_kernels
from warploom.core.records import dataclass, replace
from warploom.core.remarks import Unsupported
from warploom.debug import Debug
from warploom.fuzz.judge import INPUTS, inputs, states
from warploom.fuzz.tree import Kernel, Launch, Program
from warploom.ir import interpreter
from warploom.ir.core import Function
from warploom.ir.interpreter import Fault
from warploom.ir.memory import Memory
from warploom.ir.printer import print_function
from warploom.passes.runner import LabelledPass, Lowered, PassFailed, PipelineOptions, run_passes
from warploom.pipeline import labelled

# As in launches.cuh.
FLOATS, THREADS, BLOCKS, COUNTERS = 1 << 15, 272, 16, 128
ALL_SCRATCH = (2 * THREADS + THREADS) * BLOCKS
LARGEST = 200  # threads of a launch; an interpreter is no fast engine


@dataclass(frozen=True)
class Finding:
    """A kernel that does something else after a pass than it did when it was imported."""

    kernel: str
    label: str  # of the pass; "import" for a fault in the generated kernel
    what: str

    def __str__(self) -> str:
        return f"{self.kernel}, after {self.label}: {self.what}"


def interpret(made: Program, source: Path, options: PipelineOptions, seed: int) -> Iterator[Finding]:
    """Check every kernel of the program, whose text `source` holds."""
    kernels = {kernel.name: kernel for kernel in made.kernels}
    for found in source_kernels(Words(str(source), {}, list(made.flags)), None):
        kernel = kernels[found.name.plain]
        yield from check_kernel(kernel, found.load, labelled(), options, seed)


def check_kernel(
    kernel: Kernel, load: Callable[[], Function], passes: Sequence[LabelledPass], options: PipelineOptions, seed: int
) -> Iterator[Finding]:
    """Run the kernel's small launches after each pass; stops at the first pass that makes a difference."""
    launches = [launch for launch in kernel.launches if launch.size <= LARGEST]
    options = replace(
        options, debug=max(options.debug, Debug.FALLBACKS), keep_going=False, verify=True, reproducers=None
    )
    label = "import"
    try:
        lowered = Lowered(load())
        right = [run(lowered.function, kernel, launch) for launch in launches]
        yield from check_races(lowered.function, kernel, launches, seed)
        text = print_function(lowered.function)
        for label, each in passes:
            run_passes(lowered, [(label, each)], options)
            before, text = text, print_function(lowered.function)
            if text == before:
                continue
            for launch, expected in zip(launches, right, strict=True):
                for order in (None, seed):
                    if run(lowered.function, kernel, launch, order) != expected:
                        yield Finding(kernel.name, label, f"other results for {launch}, order {order}")
                        return
    except Unsupported:
        return
    except (Fault, PassFailed) as error:
        yield Finding(kernel.name, label, f"{type(error).__name__}: {error}")


def check_races(function: Function, kernel: Kernel, launches: Sequence[Launch], seed: int) -> Iterator[Finding]:
    """The generated kernel itself has no race."""
    for launch in launches:
        for race in execute(function, kernel, launch, start(kernel, launch), seed, races=True).races[:1]:
            yield Finding(kernel.name, "import", f"a race in {launch}: {race}")


def run(function: Function, kernel: Kernel, launch: Launch, seed: int | None = None) -> list[bytes]:
    """What a launch leaves in memory."""
    ready = start(kernel, launch)
    execute(function, kernel, launch, ready, seed)
    written = (*ready.arguments[1:4], ready.arguments[5])
    return [bytes(ready.memory.buffers[int(address) >> 32]) for address in written]


@dataclass(frozen=True)
class Ready:
    """What a launch starts with."""

    arguments: list[int | float]
    memory: Memory


def execute(
    function: Function, kernel: Kernel, launch: Launch, ready: Ready, seed: int | None, *, races: bool = False
) -> interpreter.Result:
    """One launch."""
    dynamic = kernel.dynamic * launch.threads
    arguments, memory = ready.arguments, ready.memory
    return interpreter.run(
        function, launch.grid, launch.block, arguments, memory, seed, races=races, dynamic_shared=dynamic
    )


def start(kernel: Kernel, launch: Launch) -> Ready:
    """The kernel's arguments and memory as the program of launches.cuh makes them."""
    memory = Memory()
    pointers = [
        memory.array("i32", inputs(), "in"),
        memory.allocate(8 * THREADS * BLOCKS, name="out"),
        memory.allocate(4 * COUNTERS, b"\x11" * 2 * COUNTERS, "counters"),
        memory.allocate(0, b"\x22" * 4 * ALL_SCRATCH, "scratch"),
        memory.allocate(0, floats(), "x"),
        memory.allocate(0, b"\x33" * kernel.own * launch.size, "own"),
    ]
    return Ready([*pointers, launch.n, launch.a, launch.f], memory)


@cache
def floats() -> bytes:
    """The content of `x`."""
    found = islice(states(), INPUTS, INPUTS + FLOATS)
    return struct.pack(f"<{FLOATS}f", *(some_float(number, state) for number, state in enumerate(found)))


def some_float(number: int, bits: int) -> float:
    """As in launches.cuh."""
    special = (0.0, -0.0, math.inf, -math.inf, math.nan, 1e-40, 3e38, -1.0)
    return special[bits >> 13 & 7] if number % 61 == 60 else ((bits >> 16) - 32768) * 0.125
