# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Judged kernels: of which the generator knows what they leave in memory, without any compiler (judge.py)."""

from __future__ import annotations

import random
from collections.abc import Callable
from math import prod

from warploom.core.records import dataclass
from warploom.fuzz.expressions import Level, Scope, Variable
from warploom.fuzz.judge import Machine, mixed, wrapped
from warploom.fuzz.tree import EXACT, Kernel, Launch, Stmt
from warploom.fuzz.weave import Pattern, Weaver, assigning
from warploom.fuzz.words import WORDS, word

IDS = (
    "const u32 threads = blockDim.x * blockDim.y * blockDim.z, total = threads * gridDim.x * gridDim.y;",
    "const u32 tid = threadIdx.x + blockDim.x * (threadIdx.y + blockDim.y * threadIdx.z);",
    "const u32 block = blockIdx.x + gridDim.x * blockIdx.y;",
    "const u32 gid = block * threads + tid, lane = tid & 31u, warp = tid >> 5;",
    "u64 seen = threadIdx.x;",
)
Shapes = tuple[tuple[int, int, int], ...]
ANY_BLOCKS: Shapes = (
    (32, 1, 1), (64, 1, 1), (1, 1, 1), (33, 1, 1), (7, 1, 1), (96, 1, 1), (100, 1, 1), (16, 4, 1), (5, 7, 1), (4, 4, 4),
)  # fmt: skip
WARPS: Shapes = (
    (32, 1, 1),
    (32, 1, 1),
    (64, 1, 1),
    (64, 1, 1),
    (96, 1, 1),
    (128, 1, 1),
    (8, 4, 1),
    (16, 4, 1),
    (4, 4, 4),
)
GRIDS: Shapes = ((1, 1, 1), (1, 1, 1), (2, 1, 1), (3, 1, 1), (2, 2, 1))


@dataclass(frozen=True)
class Kind:
    """What makes kernels of a kind: patterns, sizes, includes, text before each kernel; `length`: the most statements
    of its body; `own`, `scratch`: bytes a thread and numbers of these arrays; `prepare` makes it ready for patterns;
    `once`: each pattern runs once in a launch, not in a loop or a branch; `prelude`: they
    use its functions; `engines`: those that end in time."""

    patterns: tuple[Pattern, ...]
    blocks: Shapes = WARPS
    grids: Shapes = GRIDS
    headers: tuple[str, ...] = ()
    flags: tuple[str, ...] = EXACT
    length: int = 5
    own: int = 0
    scratch: int = 0
    prepare: Callable[[Weaver], list[Stmt]] = lambda _weaver: []
    once: bool = False
    engines: tuple[str, ...] = ("reference", "loom")
    prelude: bool = False


def judged_kernel(kind: Kind, name: str, seed: int, number: int) -> Kernel:
    """Kernel `number` of a kind."""
    rng = random.Random(f"warploom {name} {seed} {number}")
    scope = Scope(rng)
    weaver = Weaver(scope, [] if kind.once else list(kind.patterns), left=rng.choice((4, 8, 12)), stem=f"k{number}")
    body = [*_locals(weaver), *kind.prepare(weaver)]
    body += weaver.body(Level.BLOCK, 0, rng.randint(2, kind.length))
    weights = [each.weight for each in kind.patterns]
    for chosen in rng.choices(kind.patterns, weights, k=rng.choice((1, 1, 2)) if kind.once else 1):
        body += [chosen.make(weaver, Level.BLOCK), *weaver.body(Level.BLOCK, 0, 1)]
    body += _finish(weaver)
    made = Kernel(f"k{number}", [*IDS, *weaver.declarations], body, _launches(rng, kind), judged=True)
    made.own, made.scratch, made.headers, made.prelude = kind.own, kind.scratch, kind.headers, kind.prelude
    made.helpers = "\n".join(weaver.helpers)
    if weaver.before or weaver.after:
        stream = f", {weaver.stream}" if weaver.stream else ""
        launch = f"{{name}}<<<{{grid}}, {{block}}, {{dynamic}}{stream}>>>({{arguments}});"
        made.call = " ".join([escaped(weaver.before), launch, escaped(weaver.after)])
    return made


def escaped(text: str) -> str:
    """Text of the host in which only {size} is to be replaced."""
    return text.replace("{", "{{").replace("}", "}}").replace("{{size}}", "{size}")


def _locals(weaver: Weaver) -> list[Stmt]:
    rng, found = weaver.scope.rng, list[Stmt]()
    for number, level in enumerate((Level.GRID, Level.BLOCK, Level.WARP, *[Level.THREAD] * 3)):
        type_ = "u32" if number == 5 else rng.choice(WORDS)
        variable = Variable(f"{'guwv'[level]}{number}", type_, level)
        value = word(weaver.scope, type_, level)
        found.append(Stmt([f"{type_} {variable.name} = ", value, ";"], assigning(variable.name)))
        weaver.scope.variables.append(variable)
    return found


def _finish(weaver: Weaver) -> list[Stmt]:
    """Write a sum over all variables: not to be reduced away."""
    variables = [each for each in weaver.scope.variables if not each.fixed]
    sums = "".join(f" sum = mixed(sum, bits({each.name}));" for each in variables)

    def action(machine: Machine, threads: list[int], _stmt: Stmt) -> list[int]:
        for thread in threads:
            total = machine.names["seen"][thread]
            for each in variables:
                value = machine.names.get(each.name)
                total = mixed(total, wrapped("u64", value[thread] if value else 0))
            machine.out[thread] = total
        return threads

    return [Stmt([f"u64 sum = seen;{sums} out[gid] = sum;"], action)]


def _launches(rng: random.Random, kind: Kind) -> list[Launch]:
    """One or two launches, at most one of them with sizes that the compiler sees."""
    found: list[Launch] = []
    for order in range(rng.choice((1, 2))):
        grid, block = rng.choice(kind.grids), rng.choice(kind.blocks)
        total = prod(grid) * prod(block)
        n, a = rng.choice((0, 1, total, max(0, total - 3), rng.randint(0, total))), rng.choice((0, 1, 2, 5, 33))
        found.append(Launch(grid, block, order == 0 and rng.random() < 0.4, n, a, 1.0))
    return found
