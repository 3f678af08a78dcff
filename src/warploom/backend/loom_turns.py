# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Loops over threads whose iterations may wait for each other: each iteration is a call, and the runtime makes them.

    block %bdx, 1, 1 { (%tx) B }     ==>     store what B needs in %frame
                                             call @__warploom_take_turns(@k.blocks.0.turns.0, %frame, %bdx)

                                             define void @k.blocks.0.turns.0(%frame, %number)
                                               load what was stored; B for the thread of that number

Theorem: B runs once for each thread, and the call returns when all have come to its end, as a loop would. Between
barriers CUDA has threads go on independently of each other: whoever waits must not keep others from what they can do.
Here nobody does. At each round of a loop that may wait the runtime has its turn (`__warploom_spin_point`), and lets
another iteration go on that has not begun or waits, of this loop or one around it, and other blocks (runtime/turns.h).
Loops over threads in which nothing waits come to their end whatever other threads do, so their order is free. Whoever
waits for an iteration of such a loop waits for an iteration of one around it, a later loop of the block, which comes
after a barrier that the program has as well, or another block.
"""

from __future__ import annotations

from collections.abc import Sequence

from warploom.analysis.turns import may_wait, takes_turns
from warploom.backend.function_text import Sink
from warploom.backend.loom_code import Code
from warploom.backend.loom_frames import Handed, load_frame, store_frame
from warploom.backend.loom_ops import quoted
from warploom.core.remarks import Loc
from warploom.core.type_names import Protocol
from warploom.ir.core import Function, Op, Operand, Value, free_values, walk

TAKE_TURNS = "__warploom_take_turns"
TURNS_SUFFIX = ".turns"


class Text(Sink, Protocol):
    """The LLVM text that functions go to."""

    def scope(self, name: str, loc: Loc | None) -> str:
        """Debug information of a new function; empty without any."""
        ...

    def finish(self, name: str, parameters: str, linkage: str, code: Code) -> None:
        """Add a function whose body is complete."""
        ...

    def finish_once(self, name: str, parameters: str, code: Code) -> str:
        """Add a function, unless an equal one is there; the name of what there is."""
        ...


class TurnsCode(Code):
    """A function with loops whose iterations may wait for each other."""

    def __init__(self, text: Text, function: Function, stem: str) -> None:
        """`stem`: what names of functions for iterations start with."""
        super().__init__(text)
        self.text, self.function, self.stem = text, function, stem
        self.takes_gathers_apart = function.facts.processor.branches_in_gathers
        self.has_mask_registers = function.facts.processor.has_mask_registers
        self.made: list[str] = []  # functions for iterations, shared by all that belong together

    def waits(self, op: Op) -> bool:
        """Whether a round of the loop `op` lets others have their turn."""
        return super().waits(op) or may_wait(self.function, op)

    def _op_block(self, op: Op) -> None:
        if not takes_turns(self.function, op):
            super()._op_block(op)
            return
        self._take_turns(op, list(zip(op.region.params, op.operands, strict=True)), tuple(op.region.params))

    def _op_warp(self, op: Op) -> None:
        if not takes_turns(self.function, op):
            super()._op_warp(op)
            return
        self._take_turns(op, [(op.region.params[0], op.operands[0])], (), op.region.params[0])

    def _op_lane(self, op: Op) -> None:
        if not takes_turns(self.function, op):
            super()._op_lane(op)
            return
        assert self.warp is not None, "lane outside of warp"
        lane = op.region.params[0]
        self._take_turns(op, [(lane, op.operands[0])], (self.warp, lane), self.warp)

    def _take_turns(
        self, op: Op, axes: list[tuple[Value, Operand]], thread: tuple[Operand, ...], warp: Operand | None = None
    ) -> None:
        """Have the runtime call a function for each iteration. `axes`: ids with their numbers, x first; `thread`,
        `warp`: what they are inside."""
        inside = [each for each in thread if isinstance(each, Value) and each not in op.region.params]
        captured = list(dict.fromkeys([*free_values(op), *inside]))
        body = _Iteration(self, [each for each in captured if each in self.names], thread, warp)
        name = body.write(op, axes)
        frame = store_frame(self, [(each.type, self.names[each]) for each in body.captured])
        count, *others = [self.name(each) for _, each in axes]
        for other in others:
            count = self.value("count", f"mul i32 {count}, {other}")
        self.text.use(TAKE_TURNS)
        self.line(f"call void @{TAKE_TURNS}(ptr @{name}, ptr {frame}, i32 {count})", op.loc, call=True)


class _Iteration(TurnsCode):
    """The function of one iteration."""

    def __init__(
        self, outer: TurnsCode, captured: list[Value], thread: tuple[Operand, ...], warp: Operand | None
    ) -> None:
        super().__init__(outer.text, outer.function, outer.stem)
        self.made, self.unrolls, self.attributes = outer.made, outer.unrolls, outer.attributes
        self.loaded_trip_count = outer.loaded_trip_count
        self.captured, self.thread, self.warp, self.outer = captured, thread, warp, outer

    def write(self, op: Op, axes: Sequence[tuple[Value, Operand]]) -> str:
        """Write the function; its name as LLVM writes it."""
        name = f"{self.stem}{TURNS_SUFFIX}.{len(self.made)}"
        self.made.append(name)
        loc = next((each.loc for each in walk(op.region) if each.loc is not None), None)
        self.scope = self.text.scope(name, loc) if self.outer.scope else ""
        load_frame(self, Handed(self.captured, []))
        rest = "%number"
        for index, size in axes[:-1]:
            self.names[index] = self.value("id", f"urem i32 {rest}, {self.name(size)}")
            rest = self.value("rest", f"udiv i32 {rest}, {self.name(size)}")
        self.names[axes[-1][0]] = rest
        self.region(op.region)
        self.line("ret void")
        return quoted(self.text.finish_once(name, "ptr noalias readonly %frame, i32 %number", self))
