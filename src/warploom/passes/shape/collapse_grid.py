# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Mark kernels whose grid and block may be collapsed in x: whose threads may be cut into other blocks.

    grid %gdx, %gdy, %gdz { (%bx, ...)                     kernel @k(...) [collapses="any"]
      block %bdx, %bdy, %bdz { (%tx, ...)
        %i = add (mul %bx, %bdx), %tx              ==>     and the same code
        ... %i ...

Sound because threads that share no barrier, no collective and no shared variable cannot tell which others are in their
block, except by their ids. When those of x occur only as `bx * bdx + tx`, the code computes the same for a launch of
gdx / k blocks of bdx * k threads: thread number bx * bdx + tx of the one is that number of the other. `gdx * bdx`, the
step of a loop over the whole grid, is the same too when k divides gdx (collapses="evenly"). Likewise gdx * k blocks of
bdx / k threads, where k divides bdx. And so in y: where its ids occur only as `by * bdy + ty`, each row of threads may
be a block of its own (collapses="rows"). That is said where it pays: threads without loops, which access what lies near
in x. Rows of many blocks then go through memory one after the other, and not each block through all of its rows.

The runtime chooses k where blocks have fewer threads than fill vectors (LoomGrid::merge_blocks), and runs what k
leaves over as it was launched; where blocks are fewer than processors and have much to do it cuts them. It does so
below 2^31 threads in x, where no width in which the number is computed wraps. (Moses et al., High-Performance
GPU-to-CPU Transpilation, collapse both loops of such kernels into one.)

Marked as well: kernels that compute nothing from the grid's ids in 32 bits (any_launch). Their numbers of threads never
wrap, so that no pass has to assume anything of how large a launch is (analysis/exact_linear.py).
"""

from __future__ import annotations

from collections.abc import Sequence
from math import prod

from warploom.analysis.exact_linear import Ranges
from warploom.analysis.lanes import Shapes
from warploom.core.records import replace
from warploom.ir import types
from warploom.ir.core import LAUNCH_PARAMS, Function, Op, Operand, Value, used_in, walk, walk_op
from warploom.ir.ops import OPS, WARP_SIZE, Effect
from warploom.passes.base import Context, Pass
from warploom.passes.contracts import ONE_LOOP_A_GRID, STRUCTURED

NAME = "collapse_grid"
ANY, EVENLY, ROWS = "any", "evenly", "rows"
NEAR = 8  # elements from one thread's to the next one's, at most
MERGED_THREADS = 256  # blocks of fewer get no code for their size, but are made larger: kMergedThreads of loom_grid.cpp
BLOCK_ID, THREAD_ID, BLOCK_SIZE, GRID_SIZE, FIRST_THREAD = "bx", "tx", "bdx", "gdx", "bx * bdx"
PRODUCTS: dict[frozenset[str], str] = {
    frozenset((BLOCK_ID, BLOCK_SIZE)): FIRST_THREAD,
    frozenset((GRID_SIZE, BLOCK_SIZE)): EVENLY,
}


def goes_by_rows(function: Function, block: Sequence[int]) -> bool:
    """Whether the runtime makes blocks of the rows of a marked kernel's blocks of a size, but for very narrow grids."""
    return function.facts.collapses == ROWS and block[1] > 1


def runs_merged(function: Function, block: Sequence[int]) -> bool:
    """Whether the runtime rather makes larger blocks of those of a size, which a marked kernel is launched with."""
    return bool(function.facts.collapses) and prod(block) < MERGED_THREADS


def may_wait(loop: Op) -> bool:
    """Whether something in `loop` reads what other threads write meanwhile."""
    return any(op.attrs.get("ordering") for op in walk_op(loop))


def has_independent_threads(function: Function) -> bool:
    """Whether no thread can meet another one of its block, or ask which block it is in, but by its ids."""
    if function.shared:
        return False
    for op in walk(function.body):
        kind = OPS[op.name].effect
        if kind in (Effect.COLLECTIVE, Effect.ORDER) or op.attrs.get("volatile"):
            return False
        if kind is Effect.CALL and op.attrs.get("effects", "any") == "any":
            return False
        if op.name == "while" and not op.attrs.get("bounded") and may_wait(op):
            return False
    return True


def only_loops(function: Function) -> tuple[Op, Op] | None:
    """The grid and the block of a kernel that is nothing else."""
    grids = [op for op in function.body.body if op.name == "grid"]
    if len(function.body.body) != 1 or not grids:
        return None
    blocks = grids[0].region.body
    return (grids[0], blocks[0]) if len(blocks) == 1 and blocks[0].name == "block" else None


def how(function: Function) -> str:
    """How the threads of `function` may be cut into other blocks: `any`, `evenly`, `rows`; empty: not at all."""
    loops = only_loops(function)
    if loops is None or not has_independent_threads(function):
        return ""
    found = along(function, *loops, 0)
    by_rows = found == ANY == along(function, *loops, 1) and is_better_by_rows(function, loops[1])
    return ROWS if by_rows else found


def along(function: Function, grid: Op, block: Op, axis: int) -> str:
    """How threads may be cut into other blocks along an axis."""
    kinds: dict[Operand, str] = {
        grid.region.params[axis]: BLOCK_ID,
        block.region.params[axis]: THREAD_ID,
        function.params[LAUNCH_PARAMS.index(("bdx", "bdy")[axis])]: BLOCK_SIZE,
        function.params[LAUNCH_PARAMS.index(("gdx", "gdy")[axis])]: GRID_SIZE,
    }
    found = ANY
    for op in walk(function.body):
        if op is grid or op is block:
            continue
        used = [kinds[each] for each in op.operands if isinstance(each, Value) and each in kinds]
        if not used:
            continue
        if op.name in ("zext", "sext"):
            kinds[op.result] = used[0]
        elif op.name == "mul" and frozenset(used) in PRODUCTS:
            product = PRODUCTS[frozenset(used)]
            if product == EVENLY:
                found = EVENLY
            else:
                kinds[op.result] = product
        elif op.name != "add" or sorted(used) != sorted((FIRST_THREAD, THREAD_ID)):
            return ""
    return found


def is_better_by_rows(function: Function, block: Op) -> bool:
    """Whether there are rows, of threads without loops, and what they access lies near for neighbours in x."""
    ops = list(walk_op(block))
    if block.region.params[1] not in used_in(block) or any(op.name in ("for", "while") for op in ops):
        return False
    shapes = Shapes(Ranges(function), WARP_SIZE)
    shapes.solve(block, Value("i32", "lane"))
    accesses = [op for op in ops if op.name in ("load", "store")]
    return bool(accesses) and all(is_near(op, shapes) for op in accesses)


def is_near(op: Op, shapes: Shapes) -> bool:
    """Whether neighbours in x load or store what lies at one place or near."""
    stride = shapes.of(op.operands[-1]).stride
    value = op.results[0] if op.results else op.operands[0]
    return stride is not None and abs(stride) <= NEAR * types.size_of(value.type)


def counts_in_64_bits(function: Function) -> bool:
    """Whether no sum or product of 32 bits holds blockIdx.x or gridDim.x, nor anything that was cut to 32 bits."""
    narrow: set[Operand] = {function.params[LAUNCH_PARAMS.index("gdx")]}
    wide: set[Operand] = set()
    for op in walk(function.body):
        if op.name == "grid":
            narrow.add(op.region.params[0])
            continue
        is_narrow, is_wide = (not kinds.isdisjoint(op.operands) for kinds in (narrow, wide))
        if is_narrow and (op.regions or op.name in ("add", "sub", "mul", "shl", "or")):
            return False
        if is_wide and op.name == "trunc":
            return False
        if is_narrow or is_wide:
            made = [*op.results, *(each for region in op.regions for each in region.params)]
            known = wide if is_wide or op.name in ("zext", "sext") else narrow
            known.update(each for each in made if each.type != "i1")
    return True


def run(function: Function, context: Context) -> bool:
    """Mark the kernel."""
    if counts_in_64_bits(function):
        function.facts = replace(function.facts, any_launch=True)
    found = how(function)
    if found:
        function.facts = replace(function.facts, collapses=found)
        context.remark(NAME, "small blocks are merged: indices occur only as the number of a thread in the grid")
    if found == ROWS:
        context.remark(NAME, "rows of blocks side by side go together: threads access what lies side by side in x")
    return bool(found) or function.facts.any_launch


COLLAPSE_GRID = Pass(NAME, run, requires=(STRUCTURED, ONE_LOOP_A_GRID))
