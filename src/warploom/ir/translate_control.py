# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Sequential control flow as Python source, for the interpreter: see translate.py.

Python's own `if` and `while` do for structured control flow; basic blocks that are not structured yet become a loop
around a decision tree. Counting is one addition each time a region runs.
"""

from __future__ import annotations

from collections import Counter

from warploom.ir.core import Block, Function, Op, Region
from warploom.ir.scalar import icmp_text
from warploom.ir.translate_base import CannotTranslate
from warploom.ir.translate_ops import OpTranslator
from warploom.ir.types import bits

# Where control goes: the number of a basic block, its parameters, what they get.
Edge = tuple[int, list[str], list[str]]


def is_waiting(op: Op) -> bool:
    """Whether a loop around `op` may be waiting for another thread's store."""
    if op.name in ("atomicrmw", "cmpxchg"):
        return True
    return op.name == "load" and bool(op.attrs.get("volatile") or op.attrs.get("ordering"))


class ControlTranslator(OpTranslator):
    """Emits for, while, if and basic blocks; what else an op may be is for any_op() to know."""

    def __init__(self, function: Function, seeded: bool, races: bool) -> None:
        super().__init__(function, seeded, races)
        self.waits: dict[Op, bool] = {}
        self.region_counts: list[Counter[str]] = []

    def any_op(self, op: Op) -> None:
        """Emit `op`, whatever it is."""
        raise NotImplementedError

    def region(self, region: Region, targets: list[str]) -> None:
        """The ops of a region, then its yield into `targets`."""
        self.count(region.ops[:-1])
        for op in region.ops[:-1]:
            self.any_op(op)
        self.assign(targets, [self.arg(each) for each in region.terminator.operands])

    def count(self, ops: list[Op]) -> None:
        """Note that these ops run once."""
        if ops:
            self.emit(f"COUNTS[{self.counter(ops)}] += 1")

    def counter(self, ops: list[Op]) -> int:
        """A place in COUNTS for a list of ops."""
        self.region_counts.append(Counter(op.name for op in ops))
        return len(self.region_counts) - 1

    def count_iteration(self, times: str) -> None:
        """In a loop: one more, in a local variable."""
        self.emit(f"{times} += 1")
        self.emit(f"if {times} > LIMIT: too_long()")

    def assign(self, targets: list[str], values: list[str]) -> None:
        if targets and targets != values:
            self.emit(f"{', '.join(targets)} = {', '.join(values)}")

    # -- structured --

    def branch(self, op: Op) -> None:
        results = [self.define(value) for value in op.results]
        then, other = op.regions
        self.emit(f"if {self.arg(op.operands[0])}:")
        self.nested(then, results)
        if len(other.ops) > 1 or results:
            self.op = op
            self.emit("else:")
            self.nested(other, results)

    def nested(self, region: Region, targets: list[str]) -> None:
        self.scope.indent += 1
        self.region(region, targets)
        self.emit("pass")
        self.scope.indent -= 1

    def for_loop(self, op: Op) -> None:
        lower, upper, step, *inits = [self.arg(each) for each in op.operands]
        body = op.region
        params = [self.define(value) for value in body.params]
        counter, carried = params[0], params[1:]
        type_ = op.operands[0].type
        times = self.fresh("n")
        self.emit(f"{times} = 0")
        self.assign(params, [lower, *inits])
        self.emit(f"while {self.loop_test(str(op.attrs['pred']), counter, upper, bits(type_))}:")
        self.scope.indent += 1
        self.scope.loops += 1
        self.count_iteration(times)
        for inner in body.body:
            self.any_op(inner)
        self.assign(carried, [self.arg(each) for each in body.terminator.operands])
        self.op = op
        self.emit(f"{counter} = ({counter} + {step}) & {(1 << bits(type_)) - 1}")
        self.scope.indent -= 1
        self.scope.loops -= 1
        self.emit(f"COUNTS[{self.counter(body.body)}] += {times}")
        self.assign([self.define(value) for value in op.results], carried)

    def loop_test(self, pred: str, counter: str, upper: str, width: int) -> str:
        """counter pred upper, with what does not change taken out of the loop."""
        if pred[0] != "s":
            return icmp_text(pred, counter, upper, width)
        sign = 1 << (width - 1)
        flipped = self.fresh("t")
        self.emit(f"{flipped} = {upper} ^ {sign}")
        return icmp_text("u" + pred[1:], f"({counter} ^ {sign})", flipped, width)

    def while_loop(self, op: Op) -> None:
        before, after = op.regions
        carried = [self.define(value) for value in before.params]
        self.assign(carried, [self.arg(each) for each in op.operands])
        patience = self.start_patience(op)
        times = self.fresh("n")
        self.emit(f"{times} = 0")
        self.emit("while True:")
        self.scope.indent += 1
        self.scope.loops += 1
        self.count_iteration(times)
        for inner in before.body:
            self.any_op(inner)
        self.op = op
        goes_on, *passed = [self.arg(each) for each in before.terminator.operands]
        results = [self.define(value) for value in op.results]
        self.emit(f"if not {goes_on}:")
        self.scope.indent += 1
        self.assign(results, passed)
        self.emit("break")
        self.scope.indent -= 1
        self.assign([self.define(value) for value in after.params], passed)
        for inner in after.body:
            self.any_op(inner)
        self.assign(carried, [self.arg(each) for each in after.terminator.operands])
        self.op = op
        self.be_patient(patience)
        self.scope.indent -= 1
        self.scope.loops -= 1
        self.emit(f"COUNTS[{self.counter(before.body)}] += {times}")
        self.emit(f"COUNTS[{self.counter(after.body)}] += {times} - 1")

    def start_patience(self, op: Op) -> str:
        if not self.loop_waits(op):
            return ""
        name = self.fresh("patience")
        self.emit(f"{name} = 0")
        return name

    def be_patient(self, patience: str) -> None:
        """In a loop that may wait for another thread, let others run now and then."""
        if patience:
            self.emit(f"{patience} += 1")
            self.emit(f"if not {patience} & 63:")
            self.scope.indent += 1
            self.spin()
            self.scope.indent -= 1

    def loop_waits(self, op: Op) -> bool:
        """Whether `op` is a loop that may be waiting for another thread."""
        return op.name == "while" and self.has_waiting(op)

    def has_waiting(self, op: Op) -> bool:
        found = self.waits.get(op)
        if found is None:
            found = is_waiting(op) or any(self.has_waiting(inner) for region in op.regions for inner in region.ops)
            self.waits[op] = found
        return found

    # -- basic blocks --

    def basic_blocks(self, blocks: list[Block]) -> None:
        """A function that is not structured yet: a loop around a decision tree on the number of the block."""
        numbers = {block.name: number for number, block in enumerate(blocks)}
        for block in blocks:
            for value in [*block.params, *(result for op in block.ops for result in op.results)]:
                self.define(value)
        waits = any(is_waiting(op) for block in blocks for op in block.ops)
        self.emit("b = patience = n = 0")
        self.emit("while True:")
        self.scope.indent += 1
        self.count_iteration("n")
        if waits:
            self.emit("patience += 1")
            self.emit("if not patience & 255:")
            self.scope.indent += 1
            self.spin()
            self.scope.indent -= 1
        self.decide(blocks, 0, numbers)
        self.scope.indent -= 1

    def decide(self, blocks: list[Block], first: int, numbers: dict[str, int]) -> None:
        if len(blocks) == 1:
            (block,) = blocks
            self.count(block.ops[:-1])
            for op in block.ops[:-1]:
                self.any_op(op)
            self.jump(block.ops[-1], numbers)
            return
        half = len(blocks) // 2
        for text, part, start in (
            (f"if b < {first + half}:", blocks[:half], first),
            ("else:", blocks[half:], first + half),
        ):
            self.emit(text)
            self.scope.indent += 1
            self.decide(part, start, numbers)
            self.scope.indent -= 1

    def jump(self, op: Op, numbers: dict[str, int]) -> None:
        """The terminator of a basic block."""
        self.op = op
        if op.name == "ret":
            self.emit("break")
            return
        if op.name == "unreachable":
            self.emit("reached_unreachable()")
            return
        edges = self.edges(op, numbers)
        if op.name == "br":
            self.follow(edges[0])
        elif op.name == "cond_br":
            self.emit(f"if {self.arg(op.operands[0])}:")
            self.follow(edges[0], nested=True)
            self.emit("else:")
            self.follow(edges[1], nested=True)
        elif op.name == "switch":
            self.switch(op, edges)
        else:
            raise CannotTranslate(op, "not a terminator")

    def switch(self, op: Op, edges: list[Edge]) -> None:
        value, cases = self.arg(op.operands[0]), op.attrs["cases"]
        assert isinstance(cases, tuple)
        mask = (1 << bits(op.operands[0].type)) - 1
        word = "if"
        for case, edge in zip(cases, edges[1:], strict=True):
            self.emit(f"{word} {value} == {int(str(case)) & mask}:")
            self.follow(edge, nested=True)
            word = "elif"
        self.emit("else:" if word == "elif" else "if True:")
        self.follow(edges[0], nested=True)

    def edges(self, op: Op, numbers: dict[str, int]) -> list[Edge]:
        """For each target: its number, its parameters, what they get."""
        targets, counts = op.attrs["targets"], op.attrs["counts"]
        assert isinstance(targets, tuple)
        assert isinstance(counts, tuple)
        found: list[Edge] = []
        place = len(op.operands) - sum(int(str(each)) for each in counts)
        for target, count in zip(targets, counts, strict=True):
            number = numbers[str(target)]
            params = [self.names[value] for value in self.function.blocks[number].params]
            passed = op.operands[place : place + int(str(count))]
            found.append((number, params, [self.arg(each) for each in passed]))
            place += int(str(count))
        return found

    def follow(self, edge: Edge, nested: bool = False) -> None:
        number, params, values = edge
        self.scope.indent += nested
        self.assign(params, values)
        self.emit(f"b = {number}")
        self.scope.indent -= nested
