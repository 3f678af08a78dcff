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

from collections.abc import Iterator, Sequence

from warploom.core.launch import MIN_THREADS, Dims, is_block_size
from warploom.core.records import replace
from warploom.ir.core import LAUNCH_PARAMS, Function, Op, Operand, Value, clone_function, int_const, replace_uses
from warploom.ir.ops import WARP_SIZE
from warploom.passes.base import Context, Pass
from warploom.passes.contracts import STRUCTURED

LARGEST = 2000  # ops of an imported kernel that is worth compiling more than once
FIRST_BLOCK_PARAM = LAUNCH_PARAMS.index("bdx")
_ROW_IDS = slice(4, 6)  # of a function's ids: ty, tz
_THREAD_IDS = slice(3, 6)
_SHORTEST_ROW = 8  # threads


def worthwhile(imported: Function, sizes: Sequence[Dims], *, is_certain: bool = False) -> Sequence[Dims]:
    """The block sizes that get a variant of a kernel as it was imported: none of a large one, unless it has one that
    `is_certain`, beside which the kernel is compiled for all others in little time.

    Where no launch is to be seen (`sizes` is empty), as that of a library's kernel in its header, who bounds a block's
    threads mostly launches that many: in one row, where the kernel never asks for a thread's row; where it asks, and
    not for the number of the thread in its block, in one row or in rows of a warp.
    """
    is_once = is_certain and len(sizes) == 1
    if not is_once and sum(len(block.ops) for block in imported.blocks) > LARGEST:
        return ()
    return sizes or _likely_sizes(imported)


def _likely_sizes(imported: Function) -> Sequence[Dims]:
    most, rows = imported.facts.max_threads, imported.facts.max_threads // WARP_SIZE
    if most < MIN_THREADS or not is_block_size((most, 1, 1)):
        return ()
    if not _asks_for_row(imported):
        return [(most, 1, 1)]
    if not _works_by_rows(imported):
        return ()
    lengths = {each for each in _row_lengths(imported, most) if is_block_size((each, most // each, 1))}
    if len(lengths) == 1:
        return [(each, most // each, 1) for each in lengths]
    return [(most, 1, 1), (WARP_SIZE, rows, 1)] if rows > 1 else ()


def _asks_for_row(imported: Function) -> bool:
    """Whether the kernel looks at where a thread or the block's end is along y or z."""
    rows = {*imported.ids[_ROW_IDS], *imported.params[FIRST_BLOCK_PARAM + 1 : FIRST_BLOCK_PARAM + 3]}
    return any(not rows.isdisjoint(op.operands) for block in imported.blocks for op in block.ops)


def _works_by_rows(imported: Function) -> bool:
    """Whether a thread's row is asked for otherwise than for its number in the block, (z * height + y) * width + x."""
    ops = [op for block in imported.blocks for op in block.ops]
    made = {value: op for op in ops for value in op.results}
    row, slice_ = imported.ids[_ROW_IDS]
    width = imported.params[FIRST_BLOCK_PARAM]

    def counts(op: Op) -> bool:
        other = next((each for each in op.operands if each is not row), row)
        of_slice = made.get(other) if isinstance(other, Value) else None
        is_slice = of_slice is not None and of_slice.name == "mul" and slice_ in of_slice.operands
        return (op.name == "mul" and other is width) or (op.name == "add" and is_slice)

    return any(row in op.operands and not counts(op) for op in ops)


def _row_lengths(imported: Function, most: int) -> Iterator[int]:
    """How long rows of `most` threads are by the arrays whose rows threads in y index, and the elements threads in x:
    `tile[threadIdx.y][threadIdx.x]`, with an element more in each row or without."""
    ops = [op for block in imported.blocks for op in block.ops]
    x, y, _ = imported.ids[_THREAD_IDS]
    columns, rows = _widened(ops, x), _widened(ops, y)
    of_rows: dict[Value, int] = {}
    for op in ops:
        if op.name != "gep":
            continue
        base, *indices = op.operands
        row, element = (_stride(op, indices, each) for each in (rows, columns))
        row = row or (of_rows.get(base, 0) if isinstance(base, Value) else 0)
        of_rows[op.result] = row
        if row and element:
            whole = [each for each in (row // element, row // element - 1) if each > 0 and most % each == 0]
            yield from (each for each in whole[:1] if _SHORTEST_ROW <= each < most)


def _widened(ops: Sequence[Op], id_: Value) -> set[Value]:
    """A thread's number, and what makes it wider."""
    return {id_, *(op.result for op in ops if op.name in ("sext", "zext") and op.operands[0] is id_)}


def _stride(gep: Op, indices: Sequence[Operand], among: set[Value]) -> int:
    """By how many bytes an address grows with an index that is one of `among`; 0 where none is."""
    strides = gep.attrs.get("strides", ())
    assert isinstance(strides, tuple)
    return sum(int(str(stride)) for index, stride in zip(indices, strides, strict=True) if index in among)


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
