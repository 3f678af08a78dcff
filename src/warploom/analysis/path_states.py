# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The paths of a function in CFG form, with what is known of truth values on the way.

    ^try:     cond_br %got -> critical, latch(0)          (latch, %done = 0) -> (head, done = 0) -> (try)
    ^latch(%next): br head(%next)                ==>      (latch, %done = 1) -> (head, done = 1) -> (after)
    ^head(%done):  cond_br %done -> after, try

A state is a block and what is known when it is entered: constants and truth values (and numbers that these choose) that
branches passed to parameters, and conditions that were decided before and are asked again. What a compare-exchange saw
and what it expected are known as such, too. Only paths that contradict a known value are left out: every path that a
thread can take is a path of states.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from warploom.core.records import dataclass, field
from warploom.ir.core import Block, Const, Function, Op, Operand, Value, int_const
from warploom.ir.dominance import dominance, successors
from warploom.ir.evaluate import evaluate
from warploom.ir.properties import is_speculatable

SEEN, EXPECTED = "seen", "expected"
CASTS = frozenset(("bitcast", "freeze", "ptrtoint", "inttoptr"))  # that keep the bits
Tag = tuple[str, Op]  # what a compare-exchange saw, or expected, when it ran last
Known = int | Value | frozenset[Tag]  # a number, another value that it is, or tags
Facts = Mapping[Value, Known]

_STATES_PER_BLOCK, _STATES = 8, 256  # with more than that nothing is tracked


@dataclass(frozen=True, slots=True)
class Edge:
    """From state to state, along target `position` of the branch."""

    source: int
    target: int
    position: int


@dataclass
class States:
    """Numbered states and the edges between them."""

    function: Function
    blocks: list[Block] = field(default_factory=list[Block])
    facts: list[dict[Value, Known]] = field(default_factory=list[dict[Value, Known]])
    edges: list[Edge] = field(default_factory=list[Edge])
    makers: dict[Value, Op] = field(default_factory=dict[Value, Op])
    homes: dict[Value, Block] = field(default_factory=dict[Value, Block])  # where a value is made
    _leaving: list[list[Edge]] = field(default_factory=list[list[Edge]])

    def leaving(self, number: int) -> list[Edge]:
        """The edges from a state."""
        if not self._leaving:
            self._leaving = [list[Edge]() for _ in self.blocks]
            for edge in self.edges:
                self._leaving[edge.source].append(edge)
        return self._leaving[number]

    def value_of(self, operand: Operand, facts: Facts) -> int | None:
        """What the integer or truth value `operand` is in a state with `facts`; None when that is not known."""
        return _evaluate(self.makers, operand, facts, {})

    def standing_for(self, operand: Operand, facts: Facts) -> Operand:
        """The value that a parameter is known to be; `operand` itself otherwise."""
        known = facts.get(operand) if isinstance(operand, Value) else None
        return known if isinstance(known, Value) else operand

    def chosen(self, edge: Edge, operand: Operand) -> Operand:
        """What `operand` is where `edge` is taken, if it is one of two values and it is known which."""
        facts = dict(self.facts[edge.source])
        branch = self.blocks[edge.source].ops[-1]
        if branch.name == "cond_br" and isinstance(branch.operands[0], Value):
            facts[branch.operands[0]] = 1 - edge.position
        return _chosen(self.makers, operand, facts, {})

    def without_casts(self, operand: Operand) -> Operand:
        """What `operand` has the bits of."""
        while isinstance(operand, Value) and operand in self.makers and self.makers[operand].name in CASTS:
            operand = self.makers[operand].operands[0]
        return operand

    def tags_of(self, operand: Operand, facts: Facts) -> frozenset[Tag]:
        """The compare-exchanges that saw, or expected, `operand`."""
        operand = self.without_casts(operand)
        known = facts.get(operand) if isinstance(operand, Value) else None
        made = self.makers.get(operand) if isinstance(operand, Value) else None
        if made is not None and made.name == "extractvalue" and made.attrs["path"] == (0,):
            whole = self.standing_for(made.operands[0], facts)
            source = self.makers.get(whole) if isinstance(whole, Value) else None
            if source is not None and source.name == "cmpxchg":
                return frozenset([(SEEN, source)])
        return known if isinstance(known, frozenset) else frozenset()


def passed(source: Block, position: int) -> list[Operand]:
    """What the branch at the end of `source` passes to the parameters of its target number `position`."""
    branch = source.ops[-1]
    counts = branch.attrs["counts"]
    assert isinstance(counts, tuple)
    sizes = [int(str(count)) for count in counts]
    start = len(branch.operands) - sum(sizes) + sum(sizes[:position])
    return branch.operands[start : start + sizes[position]]


def path_states(function: Function) -> States:
    """The states of `function`, from its entry on."""
    made = States(function)
    for block in function.blocks:
        made.homes |= dict.fromkeys(block.params, block)
        for op in block.ops:
            made.makers |= dict.fromkeys(op.results, op)
            made.homes |= dict.fromkeys(op.results, block)
    if not _Walk(made, _tracked(made)).run():
        _Walk(made, {}).run()
    return made


# -- what to track ----------------------------------------------------------------------------------------------------


def _condition(block: Block) -> Operand | None:
    return block.ops[-1].operands[0] if block.ops[-1].name in ("cond_br", "switch") else None


def _slice(states: States, operand: Operand) -> set[Value]:
    """`operand` and what it is computed from without looking at memory."""
    found, work = set[Value](), [operand]
    while work:
        value = work.pop()
        if isinstance(value, Const) or value in found:
            continue
        found.add(value)
        op = states.makers.get(value)
        if op is not None and is_speculatable(op):
            work += op.operands
    return found


def _tracked(states: States) -> dict[Value, set[str]]:
    """What is worth knowing, and the blocks in which it still is when they are entered."""
    users: dict[Value, set[str]] = {}
    for block in states.function.blocks:
        condition = _condition(block)
        for value in _slice(states, condition) if condition is not None else ():
            users.setdefault(value, set()).add(block.name)
    sources = _passers(states)
    work = [value for value in users if value in sources]
    while work:
        param = work.pop()
        for block, operand in sources[param]:
            if isinstance(operand, Value) and operand in sources:
                is_new = operand not in users
                if is_new or block.name not in users[operand]:
                    users.setdefault(operand, set()).add(block.name)
                    work += [operand] if is_new else []
    wanted = {value: blocks for value, blocks in users.items() if value in sources or len(blocks) > 1}
    before = _predecessors(states.function)
    return {value: _live(before, states.homes.get(value), blocks) for value, blocks in wanted.items()}


def _passers(states: States) -> dict[Value, list[tuple[Block, Operand]]]:
    """For each parameter, who passes what."""
    by_name = {block.name: block for block in states.function.blocks}
    found: dict[Value, list[tuple[Block, Operand]]] = {}
    for block in states.function.blocks:
        for position, target in enumerate(successors(block)):
            for param, operand in zip(by_name[target].params, passed(block, position), strict=True):
                found.setdefault(param, []).append((block, operand))
    return found


def _predecessors(function: Function) -> dict[str, list[str]]:
    """For each block that is branched to, the names of the blocks that branch there."""
    before: dict[str, list[str]] = {}
    for block in function.blocks:
        for target in successors(block):
            before.setdefault(target, []).append(block.name)
    return before


def _live(before: Mapping[str, list[str]], home: Block | None, users: set[str]) -> set[str]:
    """The blocks from whose start one of `users` is reached before the value that is made in `home` is made anew; its
    own with it."""
    found, work = set[str](), list(users)
    while work:
        name = work.pop()
        if name in found:
            continue
        found.add(name)
        if home is None or name != home.name:
            work += before.get(name, [])
    return found


# -- the walk ---------------------------------------------------------------------------------------------------------


class _Walk:
    """Makes the states, starting from the entry."""

    def __init__(self, states: States, tracked: Mapping[Value, set[str]]) -> None:
        self.states, self.tracked = states, tracked
        self.by_name = {block.name: block for block in states.function.blocks}
        self.numbers: dict[tuple[str, frozenset[tuple[Value, Known]]], int] = {}
        self.tree = dominance(states.function)
        self.expected: dict[Value, list[tuple[Block, Op]]] = {}
        for block in filter(lambda block: self.tree.reaches(block.name), states.function.blocks):
            for op in block.ops:
                if op.name == "cmpxchg" and isinstance(op.operands[1], Value):
                    self.expected.setdefault(op.operands[1], []).append((block, op))

    def run(self) -> bool:
        """False when there are too many."""
        states = self.states
        states.blocks, states.facts, states.edges = [], [], []
        limit = _STATES_PER_BLOCK * len(states.function.blocks) + _STATES if self.tracked else None
        self._number(states.function.blocks[0], {})
        done = 0
        while done < len(states.blocks):
            for position, facts in self._next(done):
                block = self.by_name[successors(states.blocks[done])[position]]
                target = self._number(block, self._entering(done, position, facts, block))
                states.edges.append(Edge(done, target, position))
            done += 1
            if limit is not None and len(states.blocks) > limit:
                return False
        return True

    def _number(self, block: Block, facts: dict[Value, Known]) -> int:
        key = (block.name, frozenset(facts.items()))
        if key not in self.numbers:
            self.numbers[key] = len(self.states.blocks)
            self.states.blocks.append(block)
            self.states.facts.append(facts)
        return self.numbers[key]

    def _next(self, number: int) -> Iterator[tuple[int, dict[Value, Known]]]:
        """The targets that can follow, each with what is known then."""
        block, facts = self.states.blocks[number], self.states.facts[number]
        condition = _condition(block)
        decided = self.states.value_of(condition, facts) if condition is not None else None
        for position in range(len(successors(block))):
            if block.ops[-1].name != "cond_br" or not isinstance(condition, Value):
                yield position, facts
            elif decided is None:
                yield position, {**facts, condition: 1 - position}
            elif bool(decided) == (position == 0):
                yield position, facts

    def _entering(self, number: int, position: int, facts: dict[Value, Known], target: Block) -> dict[Value, Known]:
        source = self.states.blocks[number]
        bound: dict[Value, Known] = {}
        for param, operand in zip(target.params, passed(source, position), strict=True):
            known = self._known(operand, facts, source)
            if param in self.tracked and target.name in self.tracked[param] and known is not None:
                bound[param] = known
        kept = {
            value: known
            for value, known in facts.items()
            if target.name in self.tracked.get(value, ()) and self.states.homes.get(value) is not target
        }
        return {value: known for value, known in (kept | bound).items() if not self._is_stale(known, target)}

    def _is_stale(self, known: Known, target: Block) -> bool:
        """Whether `known` speaks of what is made anew in `target`."""
        if isinstance(known, Value):
            return self.states.homes.get(known) is target
        return isinstance(known, frozenset) and any(op in target.ops for _, op in known)

    def _follows_truth(self, value: Value) -> bool:
        """Whether `value` is a truth value, a number that one chooses, or holds one."""
        op = self.states.makers.get(value)
        if value.type == "i1" or op is None:
            return value.type == "i1"
        return op.name == "cmpxchg" or (op.name in ("select", "zext") and value.type.startswith("i"))

    def _known(self, operand: Operand, facts: Facts, source: Block) -> Known | None:
        value = self.states.value_of(operand, facts)
        if value is not None:
            return value
        operand = self.states.standing_for(operand, facts)
        if isinstance(operand, Value) and self._follows_truth(operand):
            return operand
        tags = self.states.tags_of(operand, facts)
        if isinstance(operand, Value):
            # It was expected since it was made only where the compare-exchange lies on every way here.
            tags |= {
                (EXPECTED, op)
                for block, op in self.expected.get(operand, ())
                if self.tree.dominates(block.name, source.name)
            }
        return tags or None


def _evaluate(makers: Mapping[Value, Op], operand: Operand, facts: Facts, done: dict[Value, int | None]) -> int | None:
    if isinstance(operand, Const):
        return operand.value if isinstance(operand.value, int) and operand.type.startswith("i") else None
    if operand in done:
        return done[operand]
    done[operand] = None
    if operand in facts:
        known = facts[operand]
        if isinstance(known, Value):
            known = _evaluate(makers, known, facts, done)
        done[operand] = known if isinstance(known, int) else None
        return done[operand]
    op = makers.get(operand)
    if op is None or not is_speculatable(op) or len(op.results) != 1 or not op.operands:
        return None
    values = [_evaluate(makers, each, facts, done) for each in op.operands]
    done[operand] = _combine(op, values)
    if done[operand] is None and op.name == "icmp" and op.attrs["pred"] in ("eq", "ne"):
        one, other = (_chosen(makers, each, facts, done) for each in op.operands)
        if one == other:
            done[operand] = int(op.attrs["pred"] == "eq")
    return done[operand]


def _chosen(makers: Mapping[Value, Op], operand: Operand, facts: Facts, done: dict[Value, int | None]) -> Operand:
    """What `operand` stands for, where it is one of two values and it is known which."""
    while isinstance(operand, Value):
        known = facts.get(operand)
        op = makers.get(operand)
        if isinstance(known, Value):
            operand = known
        elif op is not None and op.name == "select":
            condition = _evaluate(makers, op.operands[0], facts, done)
            if condition is None:
                break
            operand = op.operands[1 if condition else 2]
        else:
            break
    return operand


def _combine(op: Op, values: list[int | None]) -> int | None:
    """The result of `op` for operands of which some are known."""
    if op.name == "and" and 0 in values:
        return 0
    if op.name == "or" and op.result.type == "i1" and 1 in values:
        return 1
    if op.name == "select" and values[0] is not None:
        return values[1] if values[0] else values[2]
    if op.name == "freeze":
        return values[0]
    if any(value is None for value in values):
        return None
    constants: list[Operand] = [
        int_const(operand.type, value or 0) for operand, value in zip(op.operands, values, strict=True)
    ]
    made = evaluate(Op(op.name, constants, op.results, op.attrs))
    return made.value if made is not None and isinstance(made.value, int) and made.type.startswith("i") else None
