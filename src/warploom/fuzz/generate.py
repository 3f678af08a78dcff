# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""A random CUDA program from a seed: kernels whose result does not depend on the order of threads and blocks.

    program(seed, first, count)  ->  Program  --program_text-->  one .cu file, which prints a line of sums a launch

The same seed and number make the same kernel in whatever file it stands.
"""

from __future__ import annotations

import random
from dataclasses import replace
from functools import partial
from math import prod
from pathlib import Path

from warploom.fuzz import arrays
from warploom.fuzz.arrays import ATOMICS, Array
from warploom.fuzz.expressions import TYPES, Level, Scope, Variable, converted, expression
from warploom.fuzz.statements import SHUFFLED, Writer
from warploom.fuzz.tree import Expr, Kernel, Launch, Program, Stmt, render_body

PRELUDE = Path(__file__).with_name("prelude.cuh")
PARAMETERS = "const i32 *in, u64 *out, u32 *counters, i32 *scratch, u32 n, u32 a, f32 f"
BLOCKS = (
    (32, 1, 1), (64, 1, 1), (1, 1, 1), (48, 1, 1), (33, 1, 1), (7, 1, 1), (96, 1, 1), (128, 1, 1), (100, 1, 1),
    (16, 4, 1), (8, 8, 1), (5, 7, 1), (1, 40, 1), (4, 4, 4), (3, 5, 3), (2, 3, 11), (32, 2, 2),
)  # fmt: skip
GRIDS = ((1, 1, 1), (2, 1, 1), (5, 1, 1), (2, 2, 1), (1, 2, 3))
IDS = (
    "const u32 threads = blockDim.x * blockDim.y * blockDim.z;",
    "const u32 tid = threadIdx.x + blockDim.x * (threadIdx.y + blockDim.y * threadIdx.z);",
    "const u32 block = blockIdx.x + gridDim.x * (blockIdx.y + gridDim.y * blockIdx.z);",
    "const u32 total = threads * gridDim.x * gridDim.y * gridDim.z;",
    "u64 seen = threadIdx.x;",
    "const u32 gid = block * threads + tid, lane = tid & 31u, warp = tid >> 5;",
)


def program(seed: int, first: int, count: int) -> Program:
    """Kernels number `first` and on of `seed`."""
    return Program([kernel(seed, number) for number in range(first, first + count)])


def kernel(seed: int, number: int) -> Kernel:
    """One random kernel."""
    rng = random.Random(f"warploom {seed} {number}")
    scope = Scope(rng)
    cooperative = rng.random() < 0.12
    shared = [_array(rng, order) for order in range(rng.choice((0, 1, 1, 1, 1, 2, 2, 3)))]
    if cooperative:
        shared.append(Array("wide", "i32", 1, blocked=True, wide=True))
    writer = Writer(scope, shared, rng.choice(ATOMICS), left=rng.choice((4, 10, 20, 30)))
    writer.may_exit = not cooperative and rng.random() < 0.35
    writer.private = [f"p{order}" for order in range(rng.choice((0, 0, 1, 2)))]
    made = Kernel(f"k{number}", [*IDS, *_declarations(shared)], [], _launches(rng), cooperative=cooperative)
    made.dynamic = sum(8 * array.per_thread for array in shared if array.name == "dynamic")
    made.body = [*_locals(writer, cooperative), *_start(writer)]
    scope.sources = [partial(_load_any, scope, shared), partial(_load_private, scope, writer.private)]
    level = Level.GRID if cooperative else Level.BLOCK
    made.body += writer.phases(level, 0, 4, rng.choice((1, 2, 3)) if shared else rng.choice((0, 0, 1)))
    made.body += _finish(scope)
    return made


def _array(rng: random.Random, order: int) -> Array:
    name = rng.choice(
        (f"s{order}", f"s{order}", "dynamic" if order == 0 else f"s{order}", "mine" if order == 1 else "s9")
    )
    type_ = "i32" if name == "mine" else rng.choice(TYPES)
    return Array(f"s{order}" if name == "s9" else name, type_, rng.choice((1, 1, 2)), rng.random() < 0.5)


def _declarations(shared: list[Array]) -> list[str]:
    found: list[str] = []
    for array in shared:
        if array.name == "dynamic":
            found += [
                "extern __shared__ u64 dynamic_memory[];",
                f"{array.type} *dynamic = ({array.type} *)dynamic_memory;",
            ]
        elif array.wide:
            found.append("i32 *wide = scratch + SCRATCH * BLOCKS;")
        elif array.name == "mine":
            found.append("i32 *mine = scratch + block * SCRATCH;")
        else:
            found.append(f"__shared__ {array.type} {array.name}[{array.per_thread} * THREADS];")
    return found


def _launches(rng: random.Random) -> list[Launch]:
    found: list[Launch] = []
    for _ in range(rng.choice((1, 2, 2, 3))):
        grid, block = rng.choice(GRIDS), rng.choice(BLOCKS)
        total = prod(grid) * prod(block)
        n = rng.choice((0, 1, total, total, max(0, total - 3), rng.randint(0, total), 1 << 31))
        a, f = rng.choice((0, 1, 2, 5, 33, 4294967295)), rng.choice((0.0, 1.0, -1.0, 0.5, 3.25, -17.0, 1e6))
        found.append(Launch(grid, block, rng.random() < 0.7, n, a, f))
    return found


def _locals(writer: Writer, cooperative: bool) -> list[Stmt]:
    """Local variables, each with a value from the start, and what expressions may name from there on."""
    rng, scope = writer.scope.rng, writer.scope
    found: list[Stmt] = []
    wanted = (
        [("g", Level.GRID)] * 2 * cooperative
        + [("u", Level.BLOCK)] * 3
        + [("w", Level.WARP)] * 2
        + [("v", Level.THREAD)] * 5
    )
    for number, (letter, level) in enumerate(wanted):
        # The last variable is one that shuffles take.
        type_ = rng.choice(SHUFFLED if number == len(wanted) - 1 else TYPES)
        value = expression(scope, type_, level, 2)
        found.append(Stmt([f"{type_} {letter}{number} = ", value, ";"]))
        scope.variables.append(Variable(f"{letter}{number}", type_, level))
    scope.variables.append(Variable("f", "f32", Level.GRID, fixed=True))
    return found


def _start(writer: Writer) -> list[Stmt]:
    """Fill the arrays."""
    rng = writer.scope.rng
    found = [stmt for array in writer.arrays for stmt in arrays.initialise(array, rng)]
    for name in writer.private:
        fill = Stmt([f"{name}[i] = i32(i * ", expression(writer.scope, "u32", Level.THREAD, 1), ");"])
        found += [Stmt([f"i32 {name}[8];"]), Stmt(["for (u32 i = 0; i < 8u; ++i) {", [fill], "}"])]
    return found


def _load_any(scope: Scope, shared: list[Array], type_: str, level: Level, depth: int) -> Expr | None:
    return arrays.load(scope.rng.choice(shared), scope, type_, level, depth) if shared else None


def _load_private(scope: Scope, names: list[str], type_: str, level: Level, depth: int) -> Expr | None:
    if not names or level is not Level.THREAD:
        return None
    index = expression(scope, "u32", level, depth - 1)
    return converted(Expr("i32", [f"{scope.rng.choice(names)}[", index, " & 7u]"]), type_)


def _finish(scope: Scope) -> list[Stmt]:
    """Write a sum over all variables."""
    sums = [Stmt([f"sum = mixed(sum, bits({each.name}));"]) for each in scope.variables]
    return [Stmt(["u64 sum = seen;"]), *sums, Stmt(["out[gid] = sum;"])]


# -- text -------------------------------------------------------------------------------------------------------------


def program_text(made: Program, note: str = "") -> str:
    """The program as one file; `note` goes to its first line."""
    head = [f"// {note}"] if note else []
    kernels = [kernel_text(each) for each in made.kernels]
    launches = [launch_text(each, order) for each in made.kernels for order in range(len(each.launches))]
    main = ["int main() {", "  Launches launches;", "  Device d = launches.device;", *launches, "}"]
    return "\n".join([*head, PRELUDE.read_text(), *kernels, *main, ""])


def kernel_text(made: Kernel) -> str:
    """One `__global__` function."""
    head = [f"__global__ void {made.name}({PARAMETERS}) {{", *(f"  {line}" for line in made.declarations)]
    return "\n".join([*head, render_body(made.body) + "}", ""])


def launch_text(made: Kernel, order: int) -> str:
    """One launch of a kernel, between the two calls that clear memory and print sums."""
    launch = made.launches[order]
    dynamic = made.dynamic * launch.threads
    grid, block = (f"dim3({', '.join(map(str, size))})" for size in (launch.grid, launch.block))
    setup = "" if launch.constant else f"volatile u32 x = {launch.block[0]}; "
    if not launch.constant:
        block = f"dim3(x, {launch.block[1]}, {launch.block[2]})"
    if made.cooperative:
        sizes = f"{grid}, {block}, {dynamic}, {launch.n}u, {launch.a}u, {launch.f}f"
        call = f"launches.cooperative({made.name}, {sizes});"
        return f'  {{ launches.begin(); {setup}{call} launches.end("{made.name} {order}"); }}'
    arguments = ", ".join(("d.in", "d.out", "d.counters", "d.scratch", f"{launch.n}u", f"{launch.a}u", f"{launch.f}f"))
    call = f"{made.name}<<<{grid}, {block}, {dynamic}>>>({arguments});"
    return f'  {{ launches.begin(); {setup}{call} launches.end("{made.name} {order}"); }}'


def without_kernels(made: Program, keep: list[str]) -> Program:
    """Only the kernels called `keep`."""
    return replace(made, kernels=[each for each in made.kernels if each.name in keep])
