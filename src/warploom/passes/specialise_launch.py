# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""A kernel for one block size.

    kernel @k(..., %bdx: i32, ...) {              kernel @k(..., %bdx: i32, ...) [block=(256, 1, 1)] {
      ... block %bdx, %bdy, %bdz {          ==>     ... block 256, 1, 1 {
        ... mul %bx, %bdx                             ... mul %bx, 256

The variant is right for launches with that block size only: who calls it compares the launch's block size with the
attribute `block` first (0 there: any size) and runs the generic kernel otherwise. So it does not matter how a size was
guessed (frontend/launches.py): a wrong guess costs code, never a result. With the size known the thread loops have
constant bounds, loops over `blockDim / 2` unroll, and divisions by the size are shifts (Moses et al., High-Performance
GPU-to-CPU Transpilation, section III; CuPBoP, section III, "block size as a constant").
"""

from __future__ import annotations

from collections.abc import Sequence

from warploom.ir.core import LAUNCH_PARAMS, Function, Operand, Value, clone_function, int_const, replace_uses
from warploom.passes.base import Context, Pass

WANTED = "wanted_block"  # attribute: the size to specialise for, 0 for any
LARGEST = 1000  # ops of an imported kernel that is worth compiling more than once
MAX_THREADS = 1024
MAX_DIMS = (1024, 1024, 64)
FIRST_BLOCK_PARAM = LAUNCH_PARAMS.index("bdx")


def is_block_size(dims: Sequence[int | None]) -> bool:
    """Whether CUDA allows a launch with blocks of `dims` (None: any)."""
    known = [size or 1 for size in dims]
    fits = all(1 <= size <= most for size, most in zip(known, MAX_DIMS, strict=True))
    return fits and known[0] * known[1] * known[2] <= MAX_THREADS


def worthwhile(imported: Function, sizes: Sequence[tuple[int, int, int]]) -> Sequence[tuple[int, int, int]]:
    """The block sizes that get a variant of a kernel as it was imported: none of a large one."""
    return sizes if sum(len(block.ops) for block in imported.blocks) <= LARGEST else ()


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
    function.attrs["block"] = tuple(size or 0 for size in dims)


def run(function: Function, _context: Context) -> bool:
    """Specialise the function for the block size that attribute `wanted_block` names, when there is one."""
    wanted = function.attrs.pop(WANTED, None)
    if not isinstance(wanted, tuple):
        return False
    _fix(function, [size if isinstance(size, int) and size else None for size in wanted])
    return True


SPECIALISE_LAUNCH = Pass("specialise-launch", run)
