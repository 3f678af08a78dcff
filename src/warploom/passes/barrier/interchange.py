# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Move control flow that holds barriers out of the loop over threads.

    block (t) {                                    block (t) { a }
      a                                            for i < n {                    ; n outer
      for i < n {                           ==>      block (t) { b }
        b; barrier; c                                block (t) { c }
      }                                            }
      if p(t) { d; barrier; e }                    block (t) { if p(t) { d } }
    }                                              block (t) { if p(t) { e } }

Control that is the same for all threads (skeleton.py) moves out as it is. Control that differs moves out as far as any
thread needs it, and every loop over threads inside it asks again which threads take part (its mask): a `while` goes on
while a helper variable says that some thread does. A barrier waits for the threads that have not ended; those that
have left the code around it can only have ended, or the program would be undefined, so a mask loses nothing. A
carried value that differs between threads lives in a slot, one for each thread.

Sound because the loops over threads run in the order that the barriers demand, and inside each the threads are
independent. Two sides of one condition that both hold barriers run one after the other, which a barrier of the whole
block does not allow: refused.

Moses et al., High-Performance GPU-to-CPU Transpilation and Optimization via High-Level Parallel Constructs, III-B2.
The result is a plan; split_barriers.py decides what crosses from one loop over threads to another and writes the code.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from warploom.analysis.poison import Poison, poison_in
from warploom.core.records import dataclass, field
from warploom.core.remarks import Unsupported
from warploom.ir.core import TRUE, Builder, Function, Op, Operand, Region, Value, walk
from warploom.ir.ops import Level, leaves_memory
from warploom.ir.properties import is_speculatable
from warploom.passes.barrier.features import FOR, IF, WHILE
from warploom.passes.barrier.skeleton import OUTER, Skeleton, computes_only, find_skeleton, one_sided
from warploom.passes.base import Context


@dataclass(eq=False, slots=True)
class Slot:
    """Storage for one value of each thread."""

    type: str
    name: str


@dataclass(eq=False, slots=True)
class Flag:
    """A variable outside of the threads that says whether any of them raised it."""


@dataclass(frozen=True, slots=True)
class Term:
    """One condition of a mask: `value` (an operand, or what a slot holds), or its opposite."""

    value: Operand | Slot
    negated: bool = False


Mask = tuple[Term, ...]


@dataclass(eq=False, slots=True)
class Store:
    """At the end of a group each thread puts `value` into `slot`."""

    slot: Slot
    value: Operand


@dataclass(eq=False, slots=True)
class Raise:
    """At the end of a group each thread for which `value` holds raises `flag`."""

    flag: Flag
    value: Operand
    negated: bool = False


@dataclass(eq=False, slots=True)
class Group:
    """One loop over threads: the threads in `mask` run `ops`, then `actions`."""

    mask: Mask
    ops: list[Op] = field(default_factory=list[Op])
    actions: list[Store | Raise] = field(default_factory=list[Store | Raise])


@dataclass(eq=False, slots=True)
class Outside:
    """An op that runs once."""

    op: Op


@dataclass(eq=False, slots=True)
class Guard:
    """Run `body` if `flag` was raised. `results`: outer values, each with what it then is."""

    flag: Flag
    body: list[Node]
    results: list[tuple[Value, Operand]] = field(default_factory=list[tuple[Value, Operand]])


@dataclass(eq=False, slots=True)
class Choice:
    """An `if` on an outer condition. `frozen`: it may be poison, where no thread depends on which side is taken."""

    op: Op
    then: list[Node]
    other: list[Node]
    frozen: bool = False


@dataclass(eq=False, slots=True)
class Count:
    """A `for` with outer bounds."""

    op: Op
    body: list[Node]


@dataclass(eq=False, slots=True)
class Repeat:
    """A `while`: on an outer condition, or as long as `flag` is raised by its first part."""

    op: Op
    before: list[Node]
    after: list[Node]
    flag: Flag | None


Node = Group | Outside | Guard | Choice | Count | Repeat


def parts(node: Node) -> list[list[Node]]:
    """The nodes inside of `node`, in order."""
    if isinstance(node, (Guard, Count)):
        return [node.body]
    if isinstance(node, Choice):
        return [node.then, node.other]
    return [node.before, node.after] if isinstance(node, Repeat) else []


def groups_of(nodes: Iterable[Node], loop: Node | None = None) -> Iterator[tuple[Group, Node | None]]:
    """Every loop over threads of a plan, in order, with the innermost sequential loop around it."""
    for node in nodes:
        if isinstance(node, Group):
            yield node, loop
        for inner in parts(node):
            yield from groups_of(inner, node if isinstance(node, (Count, Repeat)) else loop)


@dataclass(eq=False, slots=True)
class Plan:
    """What replaces a parallel loop."""

    skeleton: Skeleton
    nodes: list[Node] = field(default_factory=list[Node])
    slots: dict[Value, Slot] = field(default_factory=dict[Value, Slot])  # values that live in memory


def plan_interchange(
    region: Region, level: Level, function: Function, context: Context, shared: frozenset[str] = frozenset()
) -> Plan:
    """The plan for a parallel loop of `function` with body `region`, whose barriers of `level` must go.

    `shared`: the shared variables, if the loop runs over blocks.
    """
    skeleton = find_skeleton(region, level, shared)
    while _rewrite_varying_loops(region, skeleton):
        skeleton = find_skeleton(region, level, shared)
    plan = Plan(skeleton)
    used = {operand for op in walk(region) for operand in op.operands}
    plan.nodes = _Planner(plan, context, used, poison_in(function, region)).sequence(region.body, (), [])
    return plan


def _rewrite_varying_loops(region: Region, skeleton: Skeleton) -> bool:
    changed = [_as_while(inner, skeleton) for inner in list(_regions(region, skeleton))]
    return any(changed)


def _regions(region: Region, skeleton: Skeleton) -> Iterable[Region]:
    yield region
    for op in region.ops:
        if op in skeleton.holding:
            for inner in op.regions:
                yield from _regions(inner, skeleton)


def _as_while(region: Region, skeleton: Skeleton) -> bool:
    """Write each skeleton `for` of `region` whose bounds differ between threads as a `while`."""
    changed = False
    for number, op in enumerate(region.ops):
        if op.name == "for" and op in skeleton.holding and not skeleton.has_outer_control(op):
            region.ops[number] = while_of_for(op)
            changed = True
    return changed


def while_of_for(op: Op) -> Op:
    """The `while` that does what the `for` does; its body moves there."""
    lower, upper, step = op.operands[:3]
    body = op.region
    carried = [Value(each.type, each.name) for each in body.params]
    before = Region(carried)
    build = Builder(before.ops, op.loc)
    condition = build.op("icmp", [carried[0], upper], "i1", pred=op.attrs["pred"])
    build.terminate("condition", [condition, *carried])
    after = Region(body.params, body.body)
    build = Builder(after.ops, op.loc)
    following = build.op("add", [body.params[0], step], body.params[0].type)
    build.terminate("yield", [following, *body.terminator.operands])
    results = [Value(body.params[0].type), *op.results]
    return Op("while", [lower, *op.operands[3:]], results, {}, [before, after], op.loc)


class _Planner:
    def __init__(self, plan: Plan, context: Context, used: set[Operand], poison: Poison) -> None:
        self.plan = plan
        self.skeleton = plan.skeleton
        self.context = context
        self.used = used
        self.poison = poison

    def sequence(self, ops: Iterable[Op], mask: Mask, tail: list[Store | Raise]) -> list[Node]:
        """The nodes for `ops`, all run by the threads in `mask`; `tail` is done at their end."""
        nodes: list[Node] = []
        group = Group(mask)
        for op in ops:
            if op in self.skeleton.holding:
                actions, control = self.control(op, mask) if op.regions else ([], [])
                group.actions += actions
                nodes += [group, *control]
                group = Group(mask)
            elif self.skeleton.runs_outside(op):
                # A load comes after what threads wrote or were told before. The rows of collectives are theirs alone.
                if not computes_only(op) and not op.attrs.get(OUTER) and not all(map(leaves_memory, group.ops)):
                    nodes.append(group)
                    group = Group(mask)
                nodes.append(Outside(op))
            else:
                group.ops.append(op)
        group.actions += tail
        nodes.append(group)
        return [each for each in nodes if not isinstance(each, Group) or each.ops or each.actions]

    def control(self, op: Op, mask: Mask) -> tuple[list[Store | Raise], list[Node]]:
        """For control that holds barriers: what to do before it, and its nodes."""
        feature = {"for": FOR, "while": WHILE, "if": IF}[op.name]
        if feature in self.context.off:
            raise Unsupported(f"a barrier stands inside of `{op.name}`, and {feature} is off", op.loc)
        kind = "uniform" if self.skeleton.has_outer_control(op) else "varying"
        self.context.remark(
            "interchange", f"interchanged: {kind} `{op.name}` moved out of the loop over threads", op.loc
        )
        if op.name == "for":
            return self.count(op, mask)
        if op.name == "while":
            return self.repeat(op, mask)
        return self.choice(op, mask) if kind == "uniform" else self.branches(op, mask)

    def slots_for(self, values: list[Value]) -> list[Slot | None]:
        """A slot for each value that is not outer."""
        found = [None if each in self.skeleton.outer else Slot(each.type, each.name) for each in values]
        self.plan.slots.update({value: slot for value, slot in zip(values, found, strict=True) if slot})
        return found

    @staticmethod
    def stores(slots: list[Slot | None], values: list[Operand]) -> list[Store | Raise]:
        return [Store(slot, value) for slot, value in zip(slots, values, strict=True) if slot]

    def choice(self, op: Op, mask: Mask) -> tuple[list[Store | Raise], list[Node]]:
        slots = self.slots_for(op.results)
        then, other = (
            self.sequence(each.body, mask, self.stores(slots, each.terminator.operands)) for each in op.regions
        )
        return [], [Choice(op, then, other)]

    def branches(self, op: Op, mask: Mask) -> tuple[list[Store | Raise], list[Node]]:
        """An `if` on which threads differ: its two sides one after the other, each for its own threads."""
        if self.skeleton.level is not Level.WARP and all(map(self.holds, op.regions)):
            raise Unsupported("barriers stand on both sides of a condition that differs between threads", op.loc)
        condition = op.operands[0]
        slots = self.slots_for(op.results)
        before: list[Store | Raise] = []
        nodes: list[Node] = []
        # A barrier waits until the threads that do not come to it have ended: what they do before that comes first.
        sides = list(zip(op.regions, (False, True), strict=True))
        given = one_sided(op, self.skeleton)
        for region, negated in sorted(sides, key=lambda side: self.holds(side[0])):
            results = [(result, value) for side, result, value in given if bool(side) is negated]
            tail = self.stores(slots, region.terminator.operands)
            body = self.sequence(region.body, (*mask, Term(condition, negated)), tail)
            if results or needs_a_thread(body, self.poison):
                flag = Flag()
                before.append(Raise(flag, condition, negated))
                body = [Guard(flag, body, results)]
            else:
                self.freeze(body)
            nodes += body
        return before, nodes

    def freeze(self, nodes: Iterable[Node]) -> None:
        """Freeze the conditions of choices among `nodes`, which may run without a thread: they may be poison."""
        for node in nodes:
            if isinstance(node, Choice):
                node.frozen |= self.poison.may_be(node.op.operands[0])
            for inner in () if isinstance(node, Guard) else parts(node):
                self.freeze(inner)

    def holds(self, region: Region) -> bool:
        return any(op in self.skeleton.holding for op in region.ops)

    def count(self, op: Op, mask: Mask) -> tuple[list[Store | Raise], list[Node]]:
        region = op.region
        slots = self.slots_for(region.params[1:])
        self.plan.slots.update({result: slot for result, slot in zip(op.results, slots, strict=True) if slot})
        body = self.sequence(region.body, mask, self.stores(slots, region.terminator.operands))
        return self.stores(slots, op.operands[3:]), [Count(op, body)]

    def repeat(self, op: Op, mask: Mask) -> tuple[list[Store | Raise], list[Node]]:
        before, after = op.regions
        uniform = self.skeleton.has_outer_control(op)
        condition, *passed = before.terminator.operands
        carried = self.slots_for(before.params)
        copies = self.hand_over(op, passed)
        setup = self.stores(carried, op.operands)
        if uniform:
            first = self.sequence(before.body, mask, copies)
            second = self.sequence(after.body, mask, self.stores(carried, after.terminator.operands))
            return setup, [Repeat(op, first, second, None)]
        flag, active = Flag(), Slot("i1", "active")
        inner = (*mask, Term(active))
        tail = [*copies, Store(active, condition), Raise(flag, condition)]
        first = self.sequence(before.body, inner, tail)
        second = self.sequence(after.body, inner, self.stores(carried, after.terminator.operands))
        return [*setup, Store(active, TRUE)], [Repeat(op, first, second, flag)]

    def hand_over(self, op: Op, passed: list[Operand]) -> list[Store | Raise]:
        """Give slots to what `condition` passes on: that of the carried value where it is one, else a new one."""
        copies: list[Store | Raise] = []
        for number, value in enumerate(passed):
            parameter, result = op.regions[1].params[number], op.results[number]
            if result in self.skeleton.outer or (parameter in self.skeleton.outer and result not in self.used):
                continue
            slot = self.plan.slots.get(value) if isinstance(value, Value) and value in op.regions[0].params else None
            if slot is None:
                slot = Slot(result.type, result.name)
                copies.append(Store(slot, value))
            if parameter not in self.skeleton.outer:
                self.plan.slots[parameter] = slot
            self.plan.slots[result] = slot
        return copies


def needs_a_thread(nodes: Iterable[Node], poison: Poison) -> bool:
    """Whether running `nodes` when no thread takes part could go wrong: a load or division outside, a loop that is
    endless, or as long as a value says that only threads would have."""
    for node in nodes:
        if isinstance(node, Outside):
            if not _is_harmless(node.op):
                return True
        elif isinstance(node, Repeat):
            if node.flag is None or needs_a_thread([*node.before, *node.after], poison):
                return True
        elif isinstance(node, Count):
            endless = node.op.attrs["pred"] == "ne" or any(map(poison.may_be, node.op.operands[:3]))
            if endless or needs_a_thread(node.body, poison):
                return True
        elif isinstance(node, Choice) and needs_a_thread([*node.then, *node.other], poison):
            return True
    return False


def _is_harmless(op: Op) -> bool:
    return is_speculatable(op) or bool(op.attrs.get(OUTER))
