# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Read constant memory where it is, and not a thread's copy of it.

    %copy = alloca [size=292]
    memcpy %copy, %where, 292          ; a parameter that is only read
    %at = gep %copy, %i                                     ==>     %at = gep %where, %i
    %x = load %at                                                   %x = load %at

A function that takes a struct by value is called with a copy of it, which stays when it is inlined: an array of each
thread's own, filled once a call. LLVM sees through copies of constant variables, and not of parameters.

Sound because nothing writes the memory behind a pointer of `constants` while the kernel runs, and nothing but that one
copy, of all of the array, writes the array: a load of it finds what is in the constant memory, or, in front of the
copy, what may be anything. No address of the array goes anywhere but into plain loads and copies from it. These promise
no more than the alignment that the copy was told of.
"""

from __future__ import annotations

from warploom.analysis.definitions import constant_memory
from warploom.core.records import dataclass
from warploom.ir.core import Const, Function, Op, Value, remove_ops, uses_of, walk
from warploom.ir.ops import is_plain_load
from warploom.passes.base import Context, Pass
from warploom.passes.clean.constant_loads import constant_places
from warploom.passes.contracts import STRUCTURED

NAME = "constant_copies"

_Uses = dict[Value, list[tuple[Op, int]]]


@dataclass
class _Copy:
    """An array is written by `fill` alone, and read by `loads` and copied from by `copies`."""

    fill: Op
    loads: list[Op]
    copies: list[Op]


def run(function: Function, context: Context) -> bool:
    """Read constant memory in place of copies of it; true if anything changed."""
    changed = False
    while constant_memory(function):  # once more: a copy of a copy
        arrays = [op for op in walk(function.body) if op.name == "alloca"]
        if not arrays or not _replace(function, arrays, context):
            break
        changed = True
    return changed


def _replace(function: Function, arrays: list[Op], context: Context) -> bool:
    sizes, places, uses = constant_memory(function), constant_places(function), uses_of(function.body)
    gone: set[Op] = set()
    for array in arrays:
        copy = _copy_in(array, uses)
        if copy is None or copy.fill.operands[1] not in places:
            continue
        key, start = places[copy.fill.operands[1]]
        if not 0 <= start <= sizes[key] - _size(array):
            continue
        context.remark(NAME, f"a copy of {_size(array)} bytes is read where it comes from", copy.fill.loc)
        _promise_less(copy)
        root = key if isinstance(key, Value) else Const("ptr", f"@{key}")
        array.name, array.operands, array.attrs = "gep", [root], {"offset": start, "strides": ()}
        gone.add(copy.fill)
    remove_ops(function.body, gone)
    return bool(gone)


def _copy_in(array: Op, uses: _Uses) -> _Copy | None:
    """What is known of an array that one copy fills and that is only read otherwise."""
    fills: list[Op] = []
    loads: list[Op] = []
    copies: list[Op] = []
    work = [array.result]
    while work:
        address = work.pop()
        for user, number in uses.get(address, ()):
            if user.name == "gep" and number == 0:
                work.append(user.result)
            elif is_plain_load(user):
                loads.append(user)
            elif user.name == "memcpy" and not user.attrs.get("volatile"):
                (fills if number == 0 else copies).append(user)
            else:
                return None
    if len(fills) != 1:
        return None
    (fill,) = fills
    is_whole = fill.operands[0] is array.result and fill.operands[2] == Const("i64", _size(array))
    return _Copy(fill, loads, copies) if is_whole and fill not in copies else None


def _promise_less(copy: _Copy) -> None:
    most = int(str(copy.fill.attrs.get("align_from", 1)))
    for op, name in (*((op, "align") for op in copy.loads), *((op, "align_from") for op in copy.copies)):
        op.attrs[name] = min(most, int(str(op.attrs.get(name, 1))))


def _size(array: Op) -> int:
    return int(str(array.attrs["size"]))


CONSTANT_COPIES = Pass(NAME, run, requires=(STRUCTURED,))
