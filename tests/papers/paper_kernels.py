# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The kernels of this folder's programs, from CUDA source through the passes that the driver runs on them."""

from __future__ import annotations

import re
import subprocess
import sys
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cache
from pathlib import Path

from warploom.cli.kernels import SourceKernel, Words, source_kernels
from warploom.core.remarks import Remark
from warploom.frontend.launches import launch_sizes
from warploom.ir.core import Function, Op, walk, walk_op
from warploom.ir.interpreter import run
from warploom.ir.memory import Memory
from warploom.passes.runner import Lowered, PipelineOptions, run_passes
from warploom.pipeline import check_finished, labelled

HERE = Path(__file__).resolve().parent
INCLUDES = f"-I{HERE.parent / 'programs'}"


@cache
def _kernels(program: str) -> dict[str, SourceKernel]:
    """The kernels of a program, by name."""
    words = Words(file=str(HERE / f"{program}.cu"), flags=[INCLUDES])
    return {kernel.name.plain: kernel for kernel in source_kernels(words, None)}


@dataclass(frozen=True)
class Outcome:
    """A kernel after the last pass, and the way there."""

    function: Function
    remarks: list[Remark]
    counts: dict[str, Counter[str]]  # by pass: how many ops of each name there were after it

    def ops(self, name: str) -> list[Op]:
        """Every op of that name."""
        return [op for op in walk(self.function.body) if op.name == name]

    def count(self, label: str, name: str = "barrier") -> int:
        """How many ops of that name there were after a pass (`import`: before the first)."""
        return self.counts[label][name]

    def said(self, source: str, pattern: str) -> list[int]:
        """The lines about which a pass made a remark that starts with `pattern`, each once."""
        texts = [each for each in self.remarks if each.source == source and re.match(pattern, each.text)]
        return sorted({each.loc.line for each in texts if each.loc})

    def kept(self, level: str) -> list[int]:
        """Bytes of each buffer with a place for every thread (`block`) or lane (`warp`)."""
        return [int(str(op.attrs["size"])) for op in self.ops("scratch") if op.attrs["level"] == level]


def lowered(program: str, kernel: str, *off: str, any_size: bool = False) -> Outcome:
    """A kernel for the block size of its launch (or any size), through all passes but those in `off`, each verified.

    The papers' claims are about loops over threads; so the last step, which makes vectors of them, is left out.
    """
    function = _kernels(program)[kernel].load()
    if not any_size:
        function.facts = replace(function.facts, wanted_block=launch_sizes(HERE / f"{program}.cu")[kernel][0])
    found = Lowered(function)
    counts = {"import": _count(function)}
    options = PipelineOptions(off=frozenset((*off, "vectorise")), verify=True, keep_going=False, reproducers=None)
    for step in labelled():
        run_passes(found, [step], options)
        counts[step[0]] = _count(function)
    check_finished(function)
    return Outcome(function, found.remarks, counts)


def _count(function: Function) -> Counter[str]:
    return Counter(op.name for op in _all_ops(function))


def _all_ops(function: Function) -> Iterator[Op]:
    for block in function.blocks:
        yield from block.ops
    yield from walk(function.body)


def interpreted(
    function: Function,
    block: int,
    arguments: Sequence[int],
    memory: Memory,
    grid: int = 1,
    seed: int | None = None,
    dynamic_shared: int = 0,
) -> Counter[str]:
    """Run one launch of `function`, in order or in a random order of threads: how often each op ran."""
    dims = ((grid, 1, 1), (block, 1, 1))
    return run(function, *dims, arguments, memory, seed=seed, dynamic_shared=dynamic_shared).counts


def inside(ops: Iterable[Op], name: str) -> list[Op]:
    """The ops of that name anywhere inside of `ops`."""
    return [each for op in ops for each in walk_op(op) if each is not op and each.name == name]


def line_of(program: str, text: str) -> int:
    """The line of a program that holds `text`."""
    lines = (HERE / f"{program}.cu").read_text().splitlines()
    (found,) = [at for at, line in enumerate(lines, 1) if text in line]
    return found


def output(program: str, engine: str, *flags: str) -> str:
    """What a program prints; it compares each result with the host's own."""
    command = [sys.executable, "-m", "warploom", "run", f"--engine={engine}", *flags, INCLUDES]
    done = subprocess.run(
        [*command, str(HERE / f"{program}.cu")], capture_output=True, text=True, check=False, timeout=60
    )
    assert done.returncode == 0, done.stderr
    assert "MISMATCH" not in done.stdout, done.stdout
    return done.stdout
