# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The parallel IR: values, ops, regions, functions.

An op has operands, results, attributes and regions; a region has parameters and a list of ops, the last of which is
its terminator. Control flow is structured: `for`, `while`, `if`, and the parallel loops `grid`, `block`, `warp` and
`lane`. What each op means and may do stands in one table, `ops.py`; the text form in `printer.py`.

Ops and values are compared by identity. There are no use lists: a pass that needs uses asks `uses_of`, a pass that
replaces values collects a mapping and applies it once (`replace_uses`).
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence, Set

from warploom.core.kernel_facts import KernelFacts
from warploom.core.patterns import regex
from warploom.core.records import dataclass, field
from warploom.core.remarks import Loc

_GLOBAL = regex(r'@(?:"((?:[^"\\]|\\.)*)"|([-\w.$]+))')

# What an attribute may hold.
Attribute = bool | int | float | str | tuple["Attribute", ...]


@dataclass(frozen=True, slots=True)
class Const:
    """A constant operand.

    `value` is an int for integer types (as unsigned bits), an int of IEEE bits for floating point, and LLVM's own text
    for everything else: `null`, `undef`, `poison`, `zeroinitializer`, `@global`, `<i32 1, i32 2>`.
    """

    type: str
    value: int | str

    def __hash__(self) -> int:
        return hash(self.value)  # the type as well would take twice as long, and every operand is looked up


def globals_in(constant: Const) -> list[str]:
    """The names of the globals that a constant's LLVM text names."""
    if not isinstance(constant.value, str) or "@" not in constant.value:
        return []
    return [quoted or plain for quoted, plain in _GLOBAL.findall(constant.value)]


def rename_globals(text: str, rename: Callable[[str], str]) -> str:
    """LLVM's text of a constant with `rename` of each global's name in place of the name."""
    return _GLOBAL.sub(lambda match: f'@"{rename(match[1] or match[2])}"', text)


@dataclass(eq=False, slots=True)
class Value:
    """The result of an op or the parameter of a region or function. `name` is a hint for printing."""

    type: str
    name: str = ""


Operand = Value | Const


@dataclass(eq=False, slots=True)
class Region:
    """A sequence of ops with parameters; ends in a terminator (`yield`, `condition`)."""

    params: list[Value] = field(default_factory=list[Value])
    ops: list[Op] = field(default_factory=lambda: list[Op]())

    @property
    def terminator(self) -> Op:
        return self.ops[-1]

    @property
    def body(self) -> list[Op]:
        """Every op but the terminator."""
        return self.ops[:-1]


@dataclass(eq=False, slots=True)
class Op:
    """One operation; `name` is a key of ops.OPS."""

    name: str
    operands: list[Operand] = field(default_factory=list[Operand])
    results: list[Value] = field(default_factory=list[Value])
    attrs: dict[str, Attribute] = field(default_factory=dict[str, Attribute])
    regions: list[Region] = field(default_factory=list[Region])
    loc: Loc | None = None

    @property
    def result(self) -> Value:
        """The only result."""
        (value,) = self.results
        return value

    @property
    def region(self) -> Region:
        """The only region."""
        (region,) = self.regions
        return region


@dataclass(eq=False, slots=True)
class Block:
    """A basic block of a function that is not structured yet. Its last op is `br`, `cond_br`, `switch`, `ret` or
    `unreachable`; a branch names its targets in attribute `targets` and how many operands each gets in `counts`."""

    name: str
    params: list[Value] = field(default_factory=list[Value])
    ops: list[Op] = field(default_factory=list[Op])


@dataclass(frozen=True, slots=True)
class Shared:
    """A variable in shared memory. `size` is 0 for `extern __shared__` (dynamic)."""

    name: str
    size: int
    align: int


LAUNCH_PARAMS = ("gdx", "gdy", "gdz", "bdx", "bdy", "bdz")


@dataclass(eq=False, slots=True)
class Function:
    """A kernel.

    `params` begin with the launch (LAUNCH_PARAMS: grid and block dimensions, i32), then the kernel's own. Before the
    CFG is structured the kernel's code is in `blocks` (entry first) and the thread and block ids are `ids`; after,
    `blocks` and `ids` are empty and `body` holds `grid` > `block`.
    """

    name: str
    params: list[Value]
    body: Region = field(default_factory=Region)
    blocks: list[Block] = field(default_factory=list[Block])
    ids: list[Value] = field(default_factory=list[Value])  # bx by bz tx ty tz, while in CFG form
    shared: dict[str, Shared] = field(default_factory=dict[str, Shared])  # by global name, without @
    facts: KernelFacts = field(default_factory=KernelFacts)
    loc: Loc | None = None

    @property
    def launch(self) -> list[Value]:
        """The six launch parameters."""
        return self.params[: len(LAUNCH_PARAMS)]

    @property
    def arguments(self) -> list[Value]:
        """The kernel's own parameters."""
        return self.params[len(LAUNCH_PARAMS) :]


# -- walking ----------------------------------------------------------------------------------------------------------


def walk(region: Region) -> Iterator[Op]:
    """Every op in `region` and below, outer before inner, in program order."""
    return _walk(region.ops)


def walk_op(op: Op) -> Iterator[Op]:
    """`op` and every op inside it."""
    return _walk((op,)) if op.regions else iter((op,))


def _walk(ops: Iterable[Op]) -> Iterator[Op]:
    # Not by recursion: each op would pass through as many generators as it is deep.
    pending: list[Iterator[Op] | Region] = []
    current = iter(ops)
    while True:
        for op in current:
            yield op
            regions = op.regions
            if regions:
                pending.append(current)
                if len(regions) > 1:
                    pending += regions[:0:-1]
                current = iter(regions[0].ops)
                break
        else:
            if not pending:
                return
            behind = pending.pop()
            current = iter(behind.ops) if isinstance(behind, Region) else behind


def defined_in(op: Op) -> set[Value]:
    """Every value defined by `op` or inside it, region parameters included."""
    found = set(op.results)
    regions = list(op.regions)
    for region in regions:  # which grows
        found.update(region.params)
        for each in region.ops:
            found.update(each.results)
            regions += each.regions
    return found


def used_in(op: Op) -> set[Value]:
    """Every value that `op` or an op inside it uses, wherever defined."""
    return {operand for each in walk_op(op) for operand in each.operands if isinstance(operand, Value)}


def flags_of(op: Op) -> tuple[Attribute, ...]:
    """LLVM's flags of `op`: nsw, contract, ...; empty when it has none."""
    flags = op.attrs.get("flags", ())
    return flags if isinstance(flags, tuple) else (flags,)


def is_undefined(operand: Operand) -> bool:
    """Whether `operand` is LLVM's poison or undef: whoever has it may have anything."""
    return isinstance(operand, Const) and operand.value in ("poison", "undef")


def free_values(op: Op) -> list[Value]:
    """The values from outside that `op` and the ops inside it use, each once, in program order."""
    # A set's order would follow addresses in memory, and differ from run to run.
    used = dict.fromkeys(operand for each in walk_op(op) for operand in each.operands if isinstance(operand, Value))
    inside = defined_in(op)
    return [value for value in used if value not in inside]


def remove_ops(region: Region, gone: Set[Op]) -> None:
    """Take ops out of `region`, however deep they are."""
    region.ops = [op for op in region.ops if op not in gone]
    for op in region.ops:
        for inner in op.regions:
            remove_ops(inner, gone)


def uses_of(region: Region) -> dict[Value, list[tuple[Op, int]]]:
    """For each value used in `region` or below: (user, operand number), in program order."""
    uses: dict[Value, list[tuple[Op, int]]] = {}
    for op in walk(region):
        for number, operand in enumerate(op.operands):
            if isinstance(operand, Value):
                uses.setdefault(operand, []).append((op, number))
    return uses


def replace_uses(region: Region, mapping: Mapping[Value, Operand]) -> None:
    """Replace operands in `region` and below; chains in `mapping` are followed."""
    if not mapping:
        return
    for op in walk(region):
        for number, operand in enumerate(op.operands):
            while isinstance(operand, Value) and operand in mapping:
                operand = mapping[operand]
            op.operands[number] = operand


# -- copying ----------------------------------------------------------------------------------------------------------


def clone_op(op: Op, mapping: dict[Value, Operand]) -> Op:
    """A copy of `op` and what is inside it, with operands mapped; `mapping` learns every value copied."""
    operands = [mapping.get(each, each) if isinstance(each, Value) else each for each in op.operands]
    results: list[Value] = []
    for each in op.results:  # not by _clone_value: most values are copied here
        mapping[each] = copy = Value(each.type, each.name)
        results.append(copy)
    regions = [clone_region(each, mapping) for each in op.regions] if op.regions else []
    return Op(op.name, operands, results, op.attrs.copy(), regions, op.loc)


def clone_region(region: Region, mapping: dict[Value, Operand]) -> Region:
    """A copy of `region`; `mapping` learns every value copied."""
    params = [_clone_value(each, mapping) for each in region.params]
    return Region(params, [clone_op(each, mapping) for each in region.ops])


def clone_function(function: Function) -> Function:
    """A deep copy of a function."""
    mapping: dict[Value, Operand] = {}
    params = [_clone_value(each, mapping) for each in function.params]
    ids = [_clone_value(each, mapping) for each in function.ids]
    # Blocks may use what a block behind them defines.
    for block in function.blocks:
        for value in (*block.params, *(result for op in block.ops for result in op.results)):
            _clone_value(value, mapping)
    blocks = [_clone_block(each, mapping) for each in function.blocks]
    body = clone_region(function.body, mapping)
    return Function(function.name, params, body, blocks, ids, dict(function.shared), function.facts, function.loc)


def _clone_block(block: Block, mapping: dict[Value, Operand]) -> Block:
    """A copy of a block, whose ops hold no regions; `mapping` knows every value."""
    ops = [
        Op(
            op.name,
            [mapping.get(each, each) if isinstance(each, Value) else each for each in op.operands],
            [_copy_of(each, mapping) for each in op.results],
            op.attrs.copy(),
            [],
            op.loc,
        )
        for op in block.ops
    ]
    return Block(block.name, [_copy_of(each, mapping) for each in block.params], ops)


def _copy_of(value: Value, mapping: Mapping[Value, Operand]) -> Value:
    copy = mapping[value]
    assert isinstance(copy, Value)
    return copy


def _clone_value(value: Value, mapping: dict[Value, Operand]) -> Value:
    copy = Value(value.type, value.name)
    mapping[value] = copy
    return copy


# -- building ---------------------------------------------------------------------------------------------------------


class Builder:
    """Appends ops to a list; the result of `op` is its only result value."""

    def __init__(self, ops: list[Op], loc: Loc | None = None) -> None:
        self.ops = ops
        self.loc = loc

    def add(self, op: Op) -> Op:
        """Append `op`."""
        self.ops.append(op)
        return op

    def op(self, name: str, operands: Sequence[Operand], type_: str, hint: str = "", /, **attrs: Attribute) -> Value:
        """Append an op with one result of type `type_`."""
        result = Value(type_, hint)
        self.add(Op(name, [*operands], [result], attrs, [], self.loc))
        return result

    def effect(self, name: str, operands: list[Operand], **attrs: Attribute) -> Op:
        """Append an op without results."""
        return self.add(Op(name, operands, [], attrs, loc=self.loc))

    def terminate(self, name: str = "yield", operands: list[Operand] | None = None) -> Op:
        """Append the terminator."""
        return self.add(Op(name, operands or [], loc=self.loc))


def int_const(type_: str, value: int) -> Const:
    """An integer constant; negative values wrap."""
    return Const(type_, value & ((1 << int(type_[1:])) - 1))


TRUE, FALSE = Const("i1", 1), Const("i1", 0)
