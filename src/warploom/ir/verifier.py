# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Checks that a function is what every pass may rely on.

Everywhere: known ops with operands, results and attributes of their form (`signatures.py`); each value defined once and
before its uses; regions with the parameters and terminators that their op asks for. By stage:

    cfg         basic blocks, branches that fit their targets, definitions that dominate their uses
    structured  `block` in `grid`, `lane` in `warp`; barriers and collectives only within `block` or `lane`
    split       as structured, and no barrier or collective is left

A broken rule is an AssertionError: function, line of the printed form, op, reason. All checks take linear time.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Literal, NoReturn

from warploom.ir.core import LAUNCH_PARAMS, Block, Const, Function, Op, Operand, Region, Value, globals_in
from warploom.ir.dominance import Dominance, dominance
from warploom.ir.ops import LOOPS, OPS, PARALLEL, Effect, Level, collective_level
from warploom.ir.printer import Printer
from warploom.ir.signatures import attribute_error, constant_error, is_type, type_error

Stage = Literal["cfg", "structured", "split"]

_REGION_ENDS = frozenset(("yield", "condition"))
_BLOCK_ENDS = frozenset(name for name, info in OPS.items() if info.effect is Effect.TERMINATOR) - _REGION_ENDS
_COLLECTIVES = frozenset(name for name, info in OPS.items() if info.effect is Effect.COLLECTIVE)
# Where each parallel loop stands: the parallel loops around it, outermost first.
_AROUND = {"grid": (), "block": ("grid",), "warp": ("grid",), "lane": ("grid", "warp")}
# And where buffers for their threads are made.
_AROUND_SCRATCH = {"grid": (), "block": ("grid",), "warp": ("grid", "warp")}


def verify(function: Function, stage: Stage) -> None:
    """Check `function`, which is at `stage`; AssertionError when a rule is broken."""
    if stage == "cfg":
        _CfgVerifier(function).run()
    else:
        _StructuredVerifier(function, is_split=stage == "split").run()


class _Verifier:
    """What both forms share."""

    def __init__(self, function: Function) -> None:
        self.function = function
        self.defined: set[Value] = set()
        self.ops: set[Op] = set()
        self.constants: set[Const] = set()

    def fail(self, reason: str, op: Op | None = None) -> NoReturn:
        """Report a broken rule."""
        if op is None:
            raise AssertionError(f"kernel {self.function.name}: {reason}")
        printer = Printer()
        printer.function(self.function)
        line = printer.line_of.get(op, 0)
        raise AssertionError(f"kernel {self.function.name}, line {line}: `{printer.head(op)}` {reason}")

    def head(self) -> None:
        """The function's parameters and shared variables."""
        types = [each.type for each in self.function.params[: len(LAUNCH_PARAMS)]]
        if types != ["i32"] * len(LAUNCH_PARAMS):
            self.fail(f"begins with parameters {types}, not with the launch: {', '.join(LAUNCH_PARAMS)}, all i32")
        self.define(self.function.params, None)
        for name, shared in self.function.shared.items():
            if name != shared.name or shared.size < 0 or shared.align < 1:
                self.fail(f"has a shared variable {shared} under the name {name}")

    def define(self, values: list[Value], op: Op | None) -> None:
        """Note definitions; `op` is where they stand."""
        for value in values:
            if value in self.defined:
                self.fail(f"defines %{value.name}: {value.type}, which is defined already", op)
            if not is_type(value.type):
                self.fail(f"defines %{value.name} of type `{value.type}`, which is no type", op)
            self.defined.add(value)

    def op_itself(self, op: Op) -> None:
        """Name, operands, results and attributes of `op`."""
        if op.name not in OPS:
            self.fail("is no op of the table", op)
        if op in self.ops:
            self.fail("stands in the function twice", op)
        self.ops.add(op)
        for operand in op.operands:
            if isinstance(operand, Const) and operand not in self.constants:
                self.constant(operand, op)
        operands = tuple([each.type for each in op.operands])
        results = tuple([each.type for each in op.results])
        reason = type_error(op.name, operands, results) or attribute_error(op)
        if reason:
            self.fail(reason, op)

    def constant(self, constant: Const, op: Op) -> None:
        """A constant operand of `op`."""
        self.constants.add(constant)
        reason = constant_error(constant)
        if reason:
            self.fail(f"has a wrong constant: {reason}", op)

    def undefined(self, value: Operand, op: Op) -> NoReturn:
        """Report a use where no definition holds."""
        printer = Printer()
        printer.function(self.function)
        self.fail(f"uses {printer.operand(value)}, which is not defined on every way here", op)

    def same_types(self, what: str, found: list[Operand] | list[Value], wanted: list[str], op: Op) -> None:
        """`found`, called `what`, have the types `wanted`."""
        types = [each.type for each in found]
        if types != wanted:
            self.fail(f"has {what} of types ({', '.join(types)}), wanted are ({', '.join(wanted)})", op)


class _StructuredVerifier(_Verifier):
    def __init__(self, function: Function, is_split: bool) -> None:
        super().__init__(function)
        self.is_split = is_split
        self.visible: set[Value] = set()
        self.around: tuple[str, ...] = ()  # the parallel loops around the current op, outermost first

    def run(self) -> None:
        """Check the whole function."""
        if self.function.blocks or self.function.ids:
            self.fail("is still in CFG form: it has blocks or ids")
        self.head()
        self.visible.update(self.function.params)
        if self.function.body.params:
            self.fail("has a body with parameters")
        self.region(self.function.body, None)
        end = self.function.body.ops[-1]
        if end.name != "yield" or end.operands:
            self.fail("ends a kernel, where a plain yield must stand", end)

    def region(self, region: Region, owner: Op | None) -> None:
        """Everything in `region`; what it defines is out of sight afterwards."""
        if not region.ops:
            self.fail("has an empty region: there is no terminator", owner)
        self.define(region.params, owner)
        self.visible.update(region.params)
        last = region.ops[-1]
        for op in region.ops:
            self.op(op, is_last=op is last)
            self.visible.update(op.results)
        self.visible.difference_update(region.params)
        for op in region.ops:
            self.visible.difference_update(op.results)

    def op(self, op: Op, is_last: bool) -> None:
        """`op` and everything in it."""
        self.op_itself(op)
        self.place(op)
        if (op.name in _REGION_ENDS) != is_last:
            self.fail("is the last op of a region but no terminator" if is_last else "is not the last op", op)
        for operand in op.operands:
            if isinstance(operand, Value) and operand not in self.visible:
                self.undefined(operand, op)
            if isinstance(operand, Const) and not self.around and self.names_shared(operand):
                self.fail(f"names {operand.value} outside of grid: each block has its own", op)
        self.define(op.results, op)
        count = 2 if op.name in ("while", "if") else 1 if op.name in PARALLEL or op.name == "for" else 0
        if len(op.regions) != count:
            self.fail(f"has {len(op.regions)} regions, not {count}", op)
        if not count:
            return
        outside = self.around
        if op.name in PARALLEL:
            self.around = (*outside, op.name)
        for region in op.regions:
            self.region(region, op)
        self.around = outside
        _REGIONS[op.name](self, op)

    def names_shared(self, constant: Const) -> bool:
        """Whether `constant` is the address of a shared variable."""
        return not self.function.shared.keys().isdisjoint(globals_in(constant))

    def place(self, op: Op) -> None:
        """Whether `op` may stand where it stands."""
        if op.name in _BLOCK_ENDS:
            self.fail("belongs to the CFG form", op)
        if op.name in PARALLEL and self.around != _AROUND[op.name]:
            self.fail(f"stands in {_chain(self.around)}; it belongs in {_chain(_AROUND[op.name])}", op)
        if op.name == "scratch":
            wanted = _AROUND_SCRATCH[str(op.attrs["level"])]
            if self.around != wanted:
                self.fail(f"stands in {_chain(self.around)}; a buffer of this level belongs in {_chain(wanted)}", op)
        if op.name in _COLLECTIVES:
            if self.is_split:
                self.fail("is left after barriers were split", op)
            where = self.around[-1:]
            if where != ("block",) and (where != ("lane",) or collective_level(op) is not Level.WARP):
                self.fail(f"stands in {_chain(self.around)}, where the threads that it waits for are not", op)

    # -- regions by op

    def ends(self, op: Op, number: int, name: str, wanted: list[str]) -> None:
        """Region `number` of `op` ends in terminator `name` with operands of these types."""
        end = op.regions[number].terminator
        if end.name != name:
            self.fail(f"ends region {number} of `{op.name}`, where a {name} must stand", end)
        self.same_types("operands", end.operands, wanted, end)

    def parallel(self, op: Op) -> None:
        """`grid`, `block`, `warp`, `lane`: an i32 id for each dimension."""
        self.same_types("region parameters", op.region.params, ["i32"] * len(op.operands), op)
        self.ends(op, 0, "yield", [])

    def for_(self, op: Op) -> None:
        """The counter, then what is carried."""
        carried = [each.type for each in op.operands[3:]]
        self.same_types("region parameters", op.region.params, [op.operands[0].type, *carried], op)
        self.same_types("results", op.results, carried, op)
        self.ends(op, 0, "yield", carried)

    def while_(self, op: Op) -> None:
        """What is carried into the first region, what `condition` passes to the second and to the results."""
        carried = [each.type for each in op.operands]
        passed = [each.type for each in op.results]
        self.same_types("parameters of its first region", op.regions[0].params, carried, op)
        self.same_types("parameters of its second region", op.regions[1].params, passed, op)
        self.ends(op, 0, "condition", ["i1", *passed])
        self.ends(op, 1, "yield", carried)

    def if_(self, op: Op) -> None:
        """Both regions yield the results."""
        results = [each.type for each in op.results]
        for number, region in enumerate(op.regions):
            self.same_types("region parameters", region.params, [], op)
            self.ends(op, number, "yield", results)


_REGIONS: dict[str, Callable[[_StructuredVerifier, Op], None]] = {
    **dict.fromkeys(PARALLEL, _StructuredVerifier.parallel),
    "for": _StructuredVerifier.for_,
    "while": _StructuredVerifier.while_,
    "if": _StructuredVerifier.if_,
}


class _CfgVerifier(_Verifier):
    def __init__(self, function: Function) -> None:
        super().__init__(function)
        self.blocks: dict[str, Block] = {}
        self.home: dict[Value, tuple[str, int]] = {}  # block of a definition, and its position there

    def run(self) -> None:
        """Check the whole function."""
        function = self.function
        if not function.blocks or function.body.ops:
            self.fail("is not in CFG form: it has no blocks, or a body")
        self.head()
        self.same_ids()
        if function.blocks[0].params:
            self.fail("has an entry block with parameters: nothing can supply them")
        for block in function.blocks:
            if block.name in self.blocks:
                self.fail(f"has two blocks ^{block.name}")
            self.blocks[block.name] = block
            self.definitions(block)
        for block in function.blocks:
            self.branch(block.ops[-1])
        tree = dominance(function)
        for block in function.blocks:
            if tree.reaches(block.name):
                self.uses(block, tree)

    def same_ids(self) -> None:
        """Block and thread ids."""
        types = [each.type for each in self.function.ids]
        if types != ["i32"] * 6:
            self.fail(f"has ids {types}, not bx by bz tx ty tz, all i32")
        self.define(self.function.ids, None)

    def definitions(self, block: Block) -> None:
        """Each op of `block` by itself; learns where values are defined."""
        if not block.ops:
            self.fail(f"has an empty block ^{block.name}: there is no terminator")
        self.define(block.params, block.ops[0])
        self.home.update((value, (block.name, -1)) for value in block.params)
        last = block.ops[-1]
        for position, op in enumerate(block.ops):
            self.op_itself(op)
            if op.regions or op.name in PARALLEL or op.name in LOOPS or op.name == "if" or op.name in _REGION_ENDS:
                self.fail("belongs to the structured form", op)
            if (op.name in _BLOCK_ENDS) != (op is last):
                self.fail("is the last op of a block but no terminator" if op is last else "is not the last op", op)
            self.define(op.results, op)
            for value in op.results:
                self.home[value] = (block.name, position)

    def branch(self, op: Op) -> None:
        """Operands of a branch fit the parameters of the blocks it names."""
        if "targets" not in op.attrs:
            return
        targets, counts, cases = op.attrs["targets"], op.attrs["counts"], op.attrs.get("cases", ())
        assert isinstance(targets, tuple)
        assert isinstance(counts, tuple)
        assert isinstance(cases, tuple)
        wanted = len(cases) + 1 if op.name == "switch" else 2 if op.name == "cond_br" else 1
        if len(targets) != wanted or len(counts) != wanted or len(set(cases)) != len(cases):
            self.fail(f"needs {wanted} targets and counts, and no case twice", op)
        start = 0 if op.name == "br" else 1
        for target, count in zip(targets, counts, strict=True):
            if str(target) not in self.blocks:
                self.fail(f"branches to ^{target}, which does not exist", op)
            end = start + int(str(count))
            parameters = [each.type for each in self.blocks[str(target)].params]
            self.same_types(f"operands for ^{target}", op.operands[start:end], parameters, op)
            start = end
        if start != len(op.operands):
            self.fail(f"has operands for no target: {len(op.operands) - start}", op)

    def uses(self, block: Block, tree: Dominance) -> None:
        """Each operand in `block` is defined on every way to its use."""
        for position, op in enumerate(block.ops):
            for operand in op.operands:
                if not isinstance(operand, Value):
                    continue
                home, place = self.home.get(operand, ("", -1))
                if home == block.name:
                    if place >= position:
                        self.undefined(operand, op)
                elif home:
                    if not tree.dominates(home, block.name):
                        self.undefined(operand, op)
                elif operand not in self.defined:
                    self.undefined(operand, op)


def _chain(around: tuple[str, ...]) -> str:
    return " > ".join(around) or "the kernel's body"
