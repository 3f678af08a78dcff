# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Rows of shared memory, and of private arrays, that can be read or written whole, whichever threads are active.

    tile[ty][tx + 1], ty in 0..15, tx in 0..15, of a tile of 16 x 16:      bytes 4 to 1028 of 1024

Around a block's shared memory lie PADDING bytes that all threads may read (backend, runtime). A vector load whose lanes
all lie in there, those of inactive threads too, needs no mask: what inactive threads get does not matter.
The ranges are those of all threads of the block and of whole types, without any promise of LLVM's flags: an inactive
thread keeps none.

A row that lies in the variable itself can be written whole: inactive threads' elements are written back as they were
read. Sound where one OS thread runs the block and none of another block reaches its memory. A private array that the
threads of a vector have together is nobody else's.
"""

from __future__ import annotations

from warploom.analysis.exact_linear import Ranges
from warploom.analysis.integers import Range
from warploom.analysis.lanes import SPREAD
from warploom.ir.core import Const, Operand, Value, globals_in
from warploom.ir.ops import PADDING, private_size


def base_of(pointer: Operand, ranges: Ranges) -> Operand:
    """What `pointer` is computed from."""
    op = ranges.definitions.get(pointer) if isinstance(pointer, Value) else None
    while op is not None and op.name == "gep":
        pointer = op.operands[0]
        op = ranges.definitions.get(pointer) if isinstance(pointer, Value) else None
    return pointer


def offset_range(pointer: Operand, ranges: Ranges) -> Range:
    """The range of the offset of `pointer` from what it is computed from, in bytes."""
    low = high = 0
    while isinstance(pointer, Value):
        op = ranges.definitions.get(pointer)
        if op is None or op.name != "gep":
            break
        pointer, *indices = op.operands
        strides, offset = op.attrs.get("strides", ()), op.attrs.get("offset", 0)
        assert isinstance(strides, tuple), "gep: strides is no tuple"
        assert isinstance(offset, int), "gep: offset is no number"
        low, high = low + offset, high + offset
        for index, stride in zip(indices, strides, strict=True):
            assert isinstance(stride, int), "a stride is a number of bytes"
            ends = sorted(stride * each for each in ranges.of(index, True))
            low, high = low + ends[0], high + ends[1]
    return low, high


def can_read_around(pointer: Operand, size: int, ranges: Ranges) -> bool:
    """Whether the `size` bytes from `pointer` on, an address in any thread of a block, may be read in all of them."""
    return _lies_within(pointer, size, ranges, PADDING)


def can_write_back(pointer: Operand, size: int, ranges: Ranges) -> bool:
    """Whether all threads' `size` bytes from `pointer` on are the block's own, to be read and written."""
    return not ranges.function.facts.reaches_cluster and _lies_within(pointer, size, ranges, 0)


def is_in_spread_array(pointer: Operand, size: int, ranges: Ranges) -> bool:
    """Whether the `size` bytes from `pointer` on, in every thread of a vector, lie in an array of these threads."""
    base = base_of(pointer, ranges)
    array = ranges.definitions.get(base) if isinstance(base, Value) else None
    if array is None or not array.attrs.get(SPREAD):
        return False
    low, high = offset_range(pointer, ranges)
    return low >= 0 and high + size <= private_size(array)


def _lies_within(pointer: Operand, size: int, ranges: Ranges, around: int) -> bool:
    base = base_of(pointer, ranges)
    if not isinstance(base, Const):
        return False
    names = globals_in(base)
    if (
        len(names) != 1
        or base.value not in (f"@{names[0]}", f'@"{names[0]}"')
        or names[0] not in ranges.function.shared
    ):
        return False
    whole = ranges.function.shared[names[0]].size
    low, high = offset_range(pointer, ranges)
    return whole > 0 and low >= -around and high + size <= whole + around
