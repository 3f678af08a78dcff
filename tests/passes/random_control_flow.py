# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Random control-flow graphs, with values that cross blocks wherever dominance allows.

Each block mixes what it can see into a hash in memory, so that the hash at the end depends on which blocks ran, in
which order, and with which values. Branches depend on the hash, so that paths differ from thread to thread.
"""

from __future__ import annotations

import random

from warploom.ir.core import Block, Builder, Function, Op, Operand, Value, int_const
from warploom.ir.dominance import Dominance, dominance, reverse_postorder

_PREDICATES = ("eq", "ne", "slt", "sle", "sgt", "sge", "ult", "ule", "ugt", "uge")


class _Generator:
    def __init__(self, seed: int, blocks: int) -> None:
        self.random = random.Random(seed)
        launch = [Value("i32", name) for name in ("gdx", "gdy", "gdz", "bdx", "bdy", "bdz")]
        ids = [Value("i32", name) for name in ("bx", "by", "bz", "tx", "ty", "tz")]
        self.n, self.p = Value("i32", "n"), Value("ptr", "p")
        self.function = Function("random", [*launch, self.n, self.p], ids=ids)
        self.blocks = [Block(f"b{number}") for number in range(blocks)]
        self.function.blocks = self.blocks
        self.address = Value("ptr", "mine")
        self.seen: dict[str, list[Value]] = {}

    def run(self) -> Function:
        chance = self.random
        for number, block in enumerate(self.blocks):
            if number:
                block.params = [Value("i32", f"p{number}_{slot}") for slot in range(chance.choice((0, 0, 1, 2)))]
            block.ops = [self.skeleton(number)]
        tree = dominance(self.function)
        self.function.blocks = self.blocks = reverse_postorder(self.function)
        for block in self.blocks:
            self.fill(block, tree)
        for block in self.blocks:
            self.arguments(block.ops[-1], self.visible(block, tree))
        return self.function

    def skeleton(self, number: int) -> Op:
        """A terminator whose operands are still missing."""
        chance, count = self.random, len(self.blocks)
        if number == count - 1 or chance.random() < 0.08:
            return Op("ret")
        far = chance.random() < 0.3
        near = range(max(1, number - 2), min(count, number + 4))
        targets = [self.blocks[chance.choice(range(1, count) if far else near)].name for _ in range(5)]
        kind = chance.random()
        if kind < 0.3:
            return Op("br", attrs={"targets": (targets[0],)})
        if kind < 0.92:
            return Op("cond_br", attrs={"targets": tuple(targets[:2])})
        width = chance.randint(2, 5)
        return Op("switch", attrs={"targets": tuple(targets[:width]), "cases": tuple(range(width - 1))})

    def visible(self, block: Block, tree: Dominance) -> list[Operand]:
        found: list[Operand] = [self.n, int_const("i32", self.random.randint(0, 9))]
        for above in self.blocks:
            if tree.dominates(above.name, block.name):
                found += above.params
                found += self.seen.get(above.name, [])
        return found

    def fill(self, block: Block, tree: Dominance) -> None:
        last = block.ops.pop()
        build = Builder(block.ops)
        if not self.seen:
            tx = self.function.ids[3]
            index = build.op("zext", [tx], "i64")
            self.address = build.add(
                Op("gep", [self.p, index], [self.address], {"offset": 0, "strides": (4,), "inbounds": True})
            ).result
        state: Operand = build.op("load", [self.address], "i32", "state", align=4)
        state = build.op("mul", [state, int_const("i32", 1664525)], "i32")
        state = build.op("add", [state, int_const("i32", 1013904223 + 97 * int(block.name[1:]))], "i32")
        mixed = build.op("xor", [state, self.random.choice(self.visible(block, tree))], "i32", "mixed")
        build.effect("store", [mixed, self.address], align=4)
        own = [mixed]
        for _ in range(self.random.randint(0, 2)):
            name = self.random.choice(("add", "sub", "mul", "and", "or", "xor"))
            operands = [self.random.choice(self.visible(block, tree) + own) for _ in range(2)]
            own.append(build.op(name, operands, "i32"))
        self.seen[block.name] = own
        if last.name in ("cond_br", "switch"):
            shifted = build.op("lshr", [mixed, int_const("i32", self.random.randint(8, 28))], "i32")
            few = build.op("and", [shifted, int_const("i32", 7)], "i32")
            if last.name == "cond_br":
                other = self.random.choice(
                    [int_const("i32", self.random.randint(1, 6)), *own[: self.random.randint(0, 1)]]
                )
                pred = self.random.choice(_PREDICATES)
                last.operands = [build.op("icmp", [few, other], "i1", "c", pred=pred)]
            else:
                last.operands = [few]
        block.ops.append(last)

    def arguments(self, op: Op, visible: list[Operand]) -> None:
        params = {block.name: len(block.params) for block in self.blocks}
        targets = op.attrs.get("targets", ())
        assert isinstance(targets, tuple)
        if not targets:
            return
        counts = tuple(params[str(target)] for target in targets)
        op.attrs["counts"] = counts
        op.operands += [self.random.choice(visible) for _ in range(sum(counts))]


def random_control_flow(seed: int, blocks: int) -> Function:
    """A kernel (%n: i32, %p: ptr) in CFG form with at most `blocks` blocks; thread x owns %p[x]."""
    return _Generator(seed, blocks).run()
