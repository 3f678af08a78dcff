# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""A random CUDA program from a seed: kernels whose result does not depend on the order of threads and blocks.

    program(seed, first, count)  ->  Program --text.py--> one .cu file, which prints a line of sums a launch

The same seed and number make the same kernel in whatever file it stands.
"""

from __future__ import annotations

import random
from collections.abc import Sequence
from functools import partial
from math import prod

from warploom.core.records import replace
from warploom.fuzz import arrays, features
from warploom.fuzz.arrays import ATOMICS, Array
from warploom.fuzz.expressions import TYPES, Level, Scope, Variable, converted, expression
from warploom.fuzz.fields import load_field, load_input, load_private_floats, random_fields
from warploom.fuzz.judged import Kind, judged_kernel
from warploom.fuzz.kinds.aliases import ALIAS_KIND
from warploom.fuzz.kinds.calls import CALL_KIND
from warploom.fuzz.kinds.elements import element_kernel
from warploom.fuzz.kinds.idioms import idiom_kernel
from warploom.fuzz.kinds.indices import INDEX_KIND
from warploom.fuzz.kinds.lanes import LANE_KIND
from warploom.fuzz.kinds.privates import PRIVATE_KIND
from warploom.fuzz.kinds.rounding import CONTRACTED_KIND, FAST_KIND
from warploom.fuzz.kinds.sequences import HUGE_KIND, SEQUENCE_KIND
from warploom.fuzz.kinds.tails import TAIL_KIND
from warploom.fuzz.kinds.waits import WAIT_KIND
from warploom.fuzz.kinds.warps import WARP_KIND
from warploom.fuzz.statements import SHUFFLED, Writer
from warploom.fuzz.tree import Expr, Kernel, Launch, Program, Stmt

JUDGED: dict[str, Kind] = {
    "warps": WARP_KIND,
    "waits": WAIT_KIND,
    "privates": PRIVATE_KIND,
    "aliases": ALIAS_KIND,
    "tails": TAIL_KIND,
    "indices": INDEX_KIND,
    "calls": CALL_KIND,
    "sequences": SEQUENCE_KIND,
    "huge": HUGE_KIND,
    "contracted": CONTRACTED_KIND,
    "fast": FAST_KIND,
    "lanes": LANE_KIND,
}
KINDS = ("data", "barriers", "features", *JUDGED, "idioms", "elements")
# Without what takes long, and what CUDA leaves to the GPU: nvcc may load what another lane is still to store.
USUAL_KINDS = tuple(each for each in KINDS if each not in ("huge", "tails"))
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


def program(seed: int, first: int, count: int, kind: str = "both") -> Program:
    """Kernels number `first` and on of `seed`."""
    made = Program([kernel(seed, number, kind) for number in range(first, first + count)])
    if kind in JUDGED:
        made.flags, made.engines = JUDGED[kind].flags, JUDGED[kind].engines
    return made


def kernel(seed: int, number: int, kind: str = "both") -> Kernel:
    """One random kernel: of `data`, what vector code has to deal with; of `barriers`, what threads wait for; of
    `features`, what CUDA has besides (features.py). `both`: one of the first two. The others: see kinds/."""
    if kind == "both":
        kind = "data" if random.Random(f"warploom kind {seed} {number}").random() < 0.85 else "barriers"
    if kind in JUDGED:
        return judged_kernel(JUDGED[kind], kind, seed, number)
    make = {
        "data": data_kernel,
        "barriers": barrier_kernel,
        "features": feature_kernel,
        "idioms": idiom_kernel,
        "elements": element_kernel,
    }
    return make[kind](seed, number)


def barrier_kernel(seed: int, number: int) -> Kernel:
    """A kernel with barriers, collectives and shared arrays."""
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
    wanted = [Level.GRID] * 2 * cooperative + [Level.BLOCK] * 3 + [Level.WARP] * 2 + [Level.THREAD] * 5
    made.body = [*_locals(writer, wanted), *_start(writer)]
    scope.sources = [partial(_load_any, scope, shared), partial(_load_private, scope, writer.private)]
    level = Level.GRID if cooperative else Level.BLOCK
    made.body += writer.phases(level, 0, 4, rng.choice((1, 2, 3)) if shared else rng.choice((0, 0, 1)))
    made.body += _finish(scope)
    return made


# -- kernels of data --------------------------------------------------------------------------------------------------

DATA_TYPES = ("f32", "f32", "f32", "f64", "f64", "i32", "i32", "u32", "u32", "i64", "u64", "i16", "u8")
DATA_LEVELS = (Level.GRID, Level.BLOCK, Level.THREAD, Level.THREAD, Level.THREAD, Level.THREAD)
# How a kernel numbers its threads: block shapes, grids, declarations.
LINES = (
    "const u32 threads = blockDim.x, tid = threadIdx.x, block = blockIdx.x, total = gridDim.x * blockDim.x;",
    "const u32 gid = blockIdx.x * blockDim.x + threadIdx.x, lane = tid & 31u, warp = tid >> 5;",
    "u64 seen = tid;",
)
IMAGE = (
    "const u32 threads = blockDim.x * blockDim.y, tid = threadIdx.x + blockDim.x * threadIdx.y;",
    "const u32 block = blockIdx.x + gridDim.x * blockIdx.y, total = threads * gridDim.x * gridDim.y;",
    "const i32 column = blockIdx.x * blockDim.x + threadIdx.x, row = blockIdx.y * blockDim.y + threadIdx.y;",
    "const u32 gid = row * (gridDim.x * blockDim.x) + column, lane = tid & 31u, warp = tid >> 5;",
    "u64 seen = tid;",
)
Shapes = tuple[tuple[int, int, int], ...]
NUMBERINGS: tuple[tuple[Shapes, Shapes, tuple[str, ...]], ...] = (
    (
        ((1, 1, 1), (7, 1, 1), (32, 1, 1), (33, 1, 1), (64, 1, 1), (100, 1, 1), (128, 1, 1), (257, 1, 1)),
        ((1, 1, 1), (2, 1, 1), (3, 1, 1), (5, 1, 1)),
        LINES,
    ),
    (((16, 16, 1), (32, 8, 1), (8, 4, 1), (5, 3, 1), (4, 9, 1)), ((1, 1, 1), (2, 1, 1), (2, 2, 1)), IMAGE),
    (((5, 3, 2), (4, 4, 4), (1, 1, 1), (32, 2, 2), (1, 40, 1)), ((1, 1, 1), (1, 2, 3)), IDS),
)


def data_kernel(seed: int, number: int) -> Kernel:
    """A kernel of arithmetic on memory in all layouts, with control flow that differs from thread to thread."""
    rng = random.Random(f"warploom data {seed} {number}")
    scope = Scope(rng, loads=rng.choice((0.15, 0.3)), more_math=True)
    waits = rng.random() < 0.3
    shared = [Array(f"s{order}", rng.choice(DATA_TYPES), 1, blocked=True) for order in range(waits * rng.randint(0, 1))]
    shapes, grids, ids = rng.choices(NUMBERINGS, (6, 3, 2))[0]
    writer = Writer(scope, shared, rng.choice(ATOMICS), left=rng.choice((3, 6, 9)), waits=waits)
    writer.may_exit, writer.rounds, writer.depth = rng.random() < 0.3, (3, 5, 9, 23), 2
    writer.fields = random_fields(rng, rng.choice((1, 2, 2, 3)))
    writer.private = ["p0"] * (rng.random() < 0.15)
    writer.floats = ["q0"] * (rng.random() < 0.25)
    declarations = [*ids, *_declarations(shared), *(field.declaration for field in writer.fields)]
    made = Kernel(f"k{number}", declarations, [], _data_launches(rng, shapes, grids), restrict=rng.random() < 0.4)
    made.own = sum(field.size for field in writer.fields)
    made.body = _locals(writer, DATA_LEVELS, DATA_TYPES)
    scope.sources = [partial(load_input, scope), partial(load_field, writer.fields, scope)]
    made.body += _start(writer)
    scope.sources += [partial(_load_any, scope, shared)] * len(shared)
    scope.sources += [partial(_load_private, scope, writer.private)] * len(writer.private)
    scope.sources += [partial(load_private_floats, writer.floats, scope)] * len(writer.floats)
    made.body += _data_body(writer) + _finish(scope)
    return made


# Of whole warps: where one ends early, who is in a tile would depend on the order.
WARP_SHAPES: Shapes = ((32, 1, 1), (64, 1, 1), (96, 1, 1), (128, 1, 1), (256, 1, 1), (8, 4, 1), (16, 8, 1), (4, 4, 4))
WARP_GRIDS: Shapes = ((1, 1, 1), (2, 1, 1), (3, 1, 1), (2, 2, 1))


def feature_kernel(seed: int, number: int) -> Kernel:
    """A kernel of what features.py makes, among the statements of the other kinds."""
    rng = random.Random(f"warploom features {seed} {number}")
    scope = Scope(rng, loads=rng.choice((0.3, 0.5)), more_math=True)
    shared = [Array(f"s{order}", rng.choice(DATA_TYPES), 1, blocked=True) for order in range(rng.randint(0, 1))]
    writer = Writer(scope, shared, rng.choice(ATOMICS), left=rng.choice((4, 8, 12)), features=True, depth=2)
    writer.fields = random_fields(rng, rng.choice((1, 2)))
    declarations = [*IDS, *_declarations(shared), *(field.declaration for field in writer.fields)]
    made = Kernel(f"k{number}", declarations, [], _data_launches(rng, WARP_SHAPES, WARP_GRIDS))
    made.own = sum(field.size for field in writer.fields)
    made.body = _locals(writer, (*DATA_LEVELS, Level.WARP), DATA_TYPES)
    scope.sources = [partial(features.call, scope)] * 3 + [partial(load_field, writer.fields, scope)]
    made.body += _start(writer)
    scope.sources += [partial(_load_any, scope, shared)] * len(shared)
    made.body += writer.phases(Level.BLOCK, 0, 4, rng.randint(0, 2) if shared else 0) + _finish(scope)
    return made


def _data_body(writer: Writer) -> list[Stmt]:
    """Statements; often only threads below `n` run them."""
    rng = writer.scope.rng
    if writer.waits:
        return writer.phases(Level.BLOCK, 0, 3, rng.randint(0, 1) if writer.arrays else 0)
    body = writer.body(rng.choice((Level.BLOCK, Level.THREAD, Level.THREAD)), 0, rng.randint(2, 5))
    kind = rng.random()
    if kind < 0.3:
        return [Stmt(["if (gid < n) {", body, "}"])]
    return [Stmt(["if (gid >= n) return;"]), *body] if kind < 0.5 else body


def _data_launches(rng: random.Random, shapes: Shapes, grids: Shapes) -> list[Launch]:
    """Two launches, at most one of them with sizes that the compiler sees."""
    found: list[Launch] = []
    for order in range(2):
        grid, block = rng.choice(grids), rng.choice(shapes)
        total = prod(grid) * prod(block)
        n = rng.choice((total, total, max(0, total - 3), rng.randint(0, total), 1 << 31))
        a, f = rng.choice((0, 1, 2, 5, 33, 4294967295)), rng.choice((0.0, 1.0, 0.5, 3.25, -17.0, 1e6))
        found.append(Launch(grid, block, order == 0 and rng.random() < 0.3, n, a, f))
    return found


# -- parts ------------------------------------------------------------------------------------------------------------


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


def _locals(writer: Writer, wanted: Sequence[Level], types: Sequence[str] = TYPES) -> list[Stmt]:
    """Local variables, each with a value from the start, and what expressions may name from there on."""
    rng, scope = writer.scope.rng, writer.scope
    found: list[Stmt] = []
    for number, level in enumerate(wanted):
        letter = "guwv"[level]
        # The last variable is one that shuffles take.
        type_ = rng.choice(SHUFFLED if number == len(wanted) - 1 else types)
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
    for name in writer.floats:
        fill = Stmt([f"{name}[i] = f32(i) * ", expression(writer.scope, "f32", Level.THREAD, 1), ";"])
        found += [Stmt([f"f32 {name}[6];"]), Stmt(["for (u32 i = 0; i < 6u; ++i) {", [fill], "}"])]
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


def without_kernels(made: Program, keep: list[str]) -> Program:
    """Only the kernels called `keep`."""
    return replace(made, kernels=[each for each in made.kernels if each.name in keep])
