# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Silent stores, of what memory holds already, are left out where all of a grid stores one value to one address.

    store 1, %more          ==>          %held = load %more
                                         if %held != 1 { store 1, %more }

`*changed = true` by every thread that finds something to do: each store invalidates the cache line in all other cores.
A line that is only read stays shared.

Sound because a store of what memory holds changes nothing: it is as if it had been made when the value was loaded. What
may come between is another thread's store of another value, which then comes after ours, as it might have before. For
stores of constants, or of values of the launch, to addresses of the launch; not for volatile and ordered ones.
"""

from __future__ import annotations

from warploom.ir.core import Builder, Const, Function, Op, Operand, Region, globals_in, walk, walk_op
from warploom.ir.ops import is_plain_store
from warploom.passes.base import Context, Pass
from warploom.passes.contracts import FLAT

_MOST_STEPS = 8


class _SilentStores:
    def __init__(self, function: Function) -> None:
        self.shared = set(function.shared)
        self.definitions = {value: op for op in walk(function.body) for value in op.results}
        grids = [op for op in walk(function.body) if op.name == "grid"]
        inside = [inner for grid in grids for inner in walk_op(grid)]
        self.inside = {value for op in inside for value in op.results}
        self.inside |= {value for op in inside for region in op.regions for value in region.params}
        self.changed = False

    def region(self, region: Region, *, in_grid: bool) -> None:
        """Rewrite the stores of a region and of those in it."""
        ops: list[Op] = []
        for op in region.ops:
            for inner in op.regions:
                self.region(inner, in_grid=in_grid or op.name == "grid")
            if in_grid and self.is_same_everywhere(op):
                ops += guarded(op)
                self.changed = True
            else:
                ops.append(op)
        region.ops = ops

    def is_same_everywhere(self, op: Op) -> bool:
        """Whether `op` stores one integer to one address, in whichever block it is."""
        if not is_plain_store(op):
            return False
        value, address = op.operands
        return value.type in ("i8", "i16", "i32", "i64") and self.is_of_launch(value) and self.is_of_launch(address)

    def is_of_launch(self, operand: Operand, steps: int = _MOST_STEPS) -> bool:
        """Whether all blocks have one value for `operand`, and it is not one's own memory."""
        if isinstance(operand, Const):
            return not self.shared.intersection(globals_in(operand))
        op = self.definitions.get(operand)
        if operand not in self.inside:
            return op is None or op.name != "alloca"
        return (
            steps > 0
            and op is not None
            and op.name == "gep"
            and all(self.is_of_launch(each, steps - 1) for each in op.operands)
        )


def guarded(store: Op) -> list[Op]:
    """The store, if memory holds another value."""
    value, address = store.operands
    ops: list[Op] = []
    build = Builder(ops, store.loc)
    align = {name: store.attrs[name] for name in ("align",) if name in store.attrs}
    held = build.op("load", [address], value.type, "held", **align)
    differs = build.op("icmp", [held, value], "i1", "differs", pred="ne")
    then, otherwise = Region(), Region()
    then.ops.append(store)
    for side in (then, otherwise):
        Builder(side.ops, store.loc).terminate()
    build.add(Op("if", [differs], [], {}, [then, otherwise], store.loc))
    return ops


def run(function: Function, context: Context) -> bool:
    """Rewrite all of them."""
    del context
    quieter = _SilentStores(function)
    quieter.region(function.body, in_grid=False)
    return quieter.changed


SILENT_STORES = Pass("silent_stores", run, requires=(FLAT,))
