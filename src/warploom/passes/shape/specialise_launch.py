# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""A kernel for one block size.

    kernel @k(..., %bdx: i32, ...) {              kernel @k(..., %bdx: i32, ...) [block=(256, 1, 1)] {
      ... block %bdx, %bdy, %bdz {          ==>     ... block 256, 1, 1 {
        ... mul %bx, %bdx                             ... mul %bx, 256

The variant is right for launches with that block size only: who calls it compares the launch's block size with the
fact `block` first (0 there: any size) and runs the generic kernel otherwise. So it does not matter how a size was
guessed (frontend/launches.py): a wrong guess costs code, never a result. With the size known the thread loops have
constant bounds, loops over `blockDim / 2` unroll, and divisions by the size are shifts (Moses et al., High-Performance
GPU-to-CPU Transpilation, section III; CuPBoP, section III, "block size as a constant").
"""

from __future__ import annotations

from collections.abc import Sequence

from warploom.core.launch import MIN_THREADS, Dims, is_block_size
from warploom.core.records import replace
from warploom.ir.core import LAUNCH_PARAMS, Function, Operand, Value, clone_function, int_const, replace_uses
from warploom.ir.ops import WARP_SIZE
from warploom.passes.base import Context, Pass
from warploom.passes.contracts import STRUCTURED

LARGEST = 2000  # ops of an imported kernel that is worth compiling more than once
FIRST_BLOCK_PARAM = LAUNCH_PARAMS.index("bdx")
_ROW_IDS = slice(4, 6)  # of a function's ids: ty, tz


def worthwhile(imported: Function, sizes: Sequence[Dims]) -> Sequence[Dims]:
    """The block sizes that get a variant of a kernel as it was imported: none of a large one.

    Where no launch is to be seen (`sizes` is empty), as that of a library's kernel in its header, who bounds a block's
    threads mostly launches that many: in one row; or, where the kernel asks for a thread's row, in rows of a warp.
    """
    if sum(len(block.ops) for block in imported.blocks) > LARGEST:
        return ()
    return sizes or _likely_sizes(imported)


def _likely_sizes(imported: Function) -> Sequence[Dims]:
    most = imported.facts.max_threads
    if most < MIN_THREADS or not is_block_size((most, 1, 1)):
        return ()
    one_row: Dims = (most, 1, 1)
    rows = most // WARP_SIZE
    return [one_row, (WARP_SIZE, rows, 1)] if rows > 1 and _asks_for_row(imported) else [one_row]


def _asks_for_row(imported: Function) -> bool:
    """Whether the kernel looks at where a thread or the block's end is along y or z."""
    rows = {*imported.ids[_ROW_IDS], *imported.params[FIRST_BLOCK_PARAM + 1 : FIRST_BLOCK_PARAM + 3]}
    return any(not rows.isdisjoint(op.operands) for block in imported.blocks for op in block.ops)


def specialise(function: Function, dims: Sequence[int | None]) -> Function:
    """A copy of the structured `function` for blocks of `dims` (x, y, z; None: not known)."""
    assert not function.blocks, "specialise wants a structured function"
    copy = clone_function(function)
    _fix(copy, dims)
    return copy


def _fix(function: Function, dims: Sequence[int | None]) -> None:
    assert is_block_size(dims), f"no block has the size {tuple(dims)}"
    mapping: dict[Value, Operand] = {}
    for number, size in enumerate(dims):
        if size is not None:
            mapping[function.params[FIRST_BLOCK_PARAM + number]] = int_const("i32", size)
    replace_uses(function.body, mapping)
    x, y, z = (size or 0 for size in dims)
    function.facts = replace(function.facts, block=(x, y, z))


def run(function: Function, _context: Context) -> bool:
    """Specialise the function for the block size that is wanted, when there is one."""
    wanted = function.facts.wanted_block
    if wanted is None:
        return False
    function.facts = replace(function.facts, wanted_block=None)
    _fix(function, [size or None for size in wanted])
    return True


SPECIALISE_LAUNCH = Pass("specialise-launch", run, requires=(STRUCTURED,))
