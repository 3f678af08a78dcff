# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Turn a control-flow graph into structured control flow: for every graph, without copying code.

    ^entry: ... cond_br %c [targets=(body, exit)]            grid { block {
    ^body: ... br [targets=(head)]                             ...; if %c {
    ^head(%i): ... cond_br %d [targets=(more, exit)]     ==>     ...; while (%i) { ...; condition %d } { ...; yield %n }
    ^more: ... br %n [targets=(head)]                          } {}
    ^exit: ret                                               } }

Sound because each step keeps the sequence of blocks that a thread passes:
 - A cycle with several entries gets one: a block that every entering edge and every edge back leads to, and that goes
   on as a selector says, which those edges set.
 - A loop whose only way out is in a block that every iteration passes becomes `while`: what comes before that way out
   is the first region, the rest the second. Any other loop becomes a `while` with an empty second region, whose first
   region ends with "go on?", set by each edge back or out; if the ways out lead to several blocks, a selector says to
   which.
 - What threads do that leave a loop with barriers in the middle and then end is put into the loop
   (structure_endings.py); and what the side of an `if` with a barrier decides, into that side (structure_decided.py).
 - What is left has no cycles. The blocks that an edge of a branch dominates are that side of an `if`. All edges that
   leave both sides meet at one block after it; if they lead to several, at a new block that goes on as a selector says.
The selectors are assigned constants, so later passes see through them; they exist only where the graph asks for one.

Bahmann et al., Perfect Reconstructability of Control Flow from Demand Dependence Graphs (2015), sections 4.1 and 4.2;
the thread ends by running to the end of the body.
"""

from __future__ import annotations

from warploom.core.deferred import deferred
from warploom.core.records import dataclass, field
from warploom.core.type_names import TYPE_CHECKING
from warploom.ir.core import FALSE, TRUE, Function, Op, Operand, Region, Value
from warploom.passes.base import Context, Pass
from warploom.passes.clean.fold import INVERSE
from warploom.passes.contracts import ONE_LOOP_A_GRID, SCALAR, STRUCTURED
from warploom.passes.shape.control_flow_graph import (
    Edge,
    Graph,
    Node,
    assign,
    build_graph,
    cycles,
    dispatch,
    dominated_by,
    reverse_postorder,
    waits,
)
from warploom.passes.shape.structure_decided import follow_decisions
from warploom.passes.shape.structure_values import Carried, thread_values

if TYPE_CHECKING:
    from warploom.passes.shape import structure_endings, structure_variance
else:
    structure_endings = deferred("warploom.passes.shape.structure_endings")
    structure_variance = deferred("warploom.passes.shape.structure_variance")

# How deep tests that guard all that follows may nest.
NESTING = 40


@dataclass(eq=False, slots=True)
class _Loop:
    """A cycle on its way to `while`: acyclic from `header` to `latch` and to `exits`, stubs for where it leads."""

    header: Node
    latch: Node
    exits: dict[Node, Node]  # by stub: the real target

    @property
    def leaving(self) -> list[Edge]:
        return [edge for stub in self.exits for edge in stub.entering]


@dataclass(eq=False, slots=True)
class _Structure:
    graph: Graph
    carried: Carried = field(default_factory=Carried)
    variance: structure_variance.Variance | None = None  # where it is asked for
    level: int = 0  # how many branches are open

    def run(self, ids: list[Value]) -> list[Op]:
        nodes = reverse_postorder(self.graph.entry)
        if any(map(waits, nodes)):
            self.variance = structure_variance.Variance(nodes, ids)
        self.collapse_loops(nodes)
        return self.sequence(self.graph.entry, self.graph.end)

    # -- loops --------------------------------------------------------------------------------------------------------

    def collapse_loops(self, nodes: list[Node]) -> None:
        """Put one node in place of each outermost cycle among `nodes`, before those that come behind it."""
        components = [sorted(component, key=lambda node: node.order) for component in cycles(nodes)]
        collapsed: set[Node] = set()
        for component in sorted(components, key=lambda component: component[0].order):
            if collapsed.isdisjoint(component):
                self.collapse(component)  # with what it takes in
                collapsed.update(component)

    def collapse(self, component: list[Node]) -> None:
        loop = self.isolate(component)
        self.collapse_loops(component)
        split = self.only_way_out(loop)
        if not loop.exits:
            self.replace(loop, self.endless(loop)).link(self.graph.end)
        elif split is not None:
            self.leave_once(loop, split)
        else:
            self.leave_by_flag(loop)

    def isolate(self, component: list[Node]) -> _Loop:
        """Make the component acyclic: give it one header, lead edges back to a latch and edges out to stubs."""
        if any(map(waits, component)):
            assert self.variance is not None, "only where threads wait"
            component += structure_endings.last_words(self.graph, self.variance, component)
        inside = set(component)
        entries = [node for node in component if any(edge.source not in inside for edge in node.entering)]
        header = entries[0]
        if len(entries) > 1:
            header = self.multiplex(entries)
            component.insert(0, header)
            inside.add(header)
            for node in _chain(header):
                inside.add(node)
                component.append(node)
        loop = _Loop(header, Node(), {})
        for edge in [edge for edge in header.entering if edge.source in inside]:
            edge.retarget(loop.latch)
        stubs: dict[Node, Node] = {}
        for edge in [edge for node in component for edge in node.edges]:
            if edge.target in inside or edge.target is loop.latch:
                continue
            stub = stubs.setdefault(edge.target, Node(edge.target.order))
            edge.retarget(stub)
        loop.exits = {stub: target for target, stub in sorted(stubs.items(), key=lambda item: item[0].order)}
        return loop

    def multiplex(self, entries: list[Node]) -> Node:
        """One header for a cycle with several entries."""
        arriving = {node: list(node.entering) for node in entries}
        header = dispatch(self.graph, entries, "entry")
        assert header.selector is not None
        header.incoming = [header.selector, *(each for node in entries for each in node.incoming)]
        for node, edges in arriving.items():
            for edge in edges:
                edge.copies = [*edge.copies, (header.selector, header.routes[node])]
                edge.retarget(header)
        return header

    def only_way_out(self, loop: _Loop) -> Edge | None:
        """The one edge that leaves the loop, if every iteration passes its source."""
        if len(loop.leaving) != 1:
            return None
        (edge,) = loop.leaving
        passed = {loop.header, edge.source}
        work = [] if loop.header is edge.source else [loop.header]
        while work:
            for each in work.pop().edges:
                if each.target is loop.latch:
                    return None
                if each.target not in passed:
                    passed.add(each.target)
                    work.append(each.target)
        return edge

    def leave_once(self, loop: _Loop, edge: Edge) -> None:
        """before: to the branch that leaves; after: the rest."""
        source = edge.source
        (stay,) = [each for each in source.edges if each is not edge]
        before = self.sequence(loop.header, source) + source.ops
        assert source.condition is not None
        condition = source.condition if source.edges[0] is stay else negate(before, source.condition)
        after = assign(stay.copies) + self.sequence(stay.target, loop.latch)
        node = self.replace(loop, self.loop_op(loop, before, condition, after))
        node.link(loop.exits[edge.target], edge.copies)

    def leave_by_flag(self, loop: _Loop) -> None:
        """before: the whole body, which computes whether to go on."""
        bottom = Node()
        go_on = self.graph.variable("i1", "continue")
        targets = list(loop.exits.values())
        onward = dispatch(self.graph, targets, "leave") if len(targets) > 1 else targets[0]
        for edge in list(loop.latch.entering):
            edge.copies = [*edge.copies, (go_on, TRUE)]
            edge.retarget(bottom)
        for stub, target in loop.exits.items():
            for edge in list(stub.entering):
                edge.copies = [*edge.copies, (go_on, FALSE)]
                if onward.selector is not None and onward is not target:
                    edge.copies.append((onward.selector, onward.routes[target]))
                edge.retarget(bottom)
        before = self.sequence(loop.header, bottom)
        self.replace(loop, self.loop_op(loop, before, go_on, [])).link(onward)

    def endless(self, loop: _Loop) -> Op:
        """A loop without a way out."""
        return self.loop_op(loop, self.sequence(loop.header, loop.latch), TRUE, [])

    def loop_op(self, loop: _Loop, before: list[Op], condition: Operand, after: list[Op]) -> Op:
        """The `while`, whose carried variables are those that edges to the header assign."""
        loc = next((op.loc for op in before if op.loc), None)
        before.append(Op("condition", [condition], loc=loc))
        op = Op("while", regions=[Region([], before), Region([], after)], loc=loc)
        self.carried[op] = loop.header.incoming
        return op

    def replace(self, loop: _Loop, op: Op) -> Node:
        """Put a node with just `op` in place of the loop."""
        node = Node(loop.header.order, [op], incoming=loop.header.incoming)
        for edge in list(loop.header.entering):
            edge.retarget(node)
        return node

    # -- branches -----------------------------------------------------------------------------------------------------

    def sequence(self, node: Node, end: Node) -> list[Op]:
        """The code from `node`, which dominates what follows, up to `end`, which all of it reaches."""
        ops: list[Op] = []
        while node is not end:
            ops += node.ops
            if len(node.edges) == 1:
                ops += assign(node.edges[0].copies)
                node = node.edges[0].target
            else:
                node = self.branch(node, end, ops)
        return ops

    def branch(self, node: Node, end: Node, ops: list[Op]) -> Node:
        """Append the `if` for the branch at the end of `node`; returns where both sides go on."""
        assert node.condition is not None
        sides = [dominated(edge, end) for edge in node.edges]
        if self.level >= NESTING:
            sides = [cut_chain(edge, side, end) for edge, side in zip(node.edges, sides, strict=True)]
        leaving = [leaving_edges(edge, side) for edge, side in zip(node.edges, sides, strict=True)]
        goals = list(dict.fromkeys(edge.target for side in leaving for edge in side))
        meeting = goals[0] if len(goals) == 1 else self.meet(node, leaving, goals, end)
        self.level += 1
        then, other = (assign(edge.copies) + self.sequence(edge.target, meeting) for edge in node.edges)
        self.level -= 1
        if then or other:
            condition = node.condition
            if not then:
                condition, then, other = negate(ops, condition), other, then
            loc = next((op.loc for op in reversed(node.ops) if op.loc), None)
            ops.append(Op("if", [condition], regions=[Region([], then), Region([], other)], loc=loc))
        return meeting

    def meet(self, node: Node, leaving: list[list[Edge]], goals: list[Node], end: Node) -> Node:
        """Lead the edges that leave both sides of a branch to one node that goes on to the right goal."""
        meeting = self.waiting_dispatch(node, leaving)
        if meeting is None:
            goals.sort(key=lambda goal: (goal is end, goal.order))
            meeting = dispatch(self.graph, goals, "goto")
        assert meeting.selector is not None
        for edge in [edge for side in leaving for edge in side]:
            if edge.target in meeting.routes:
                edge.copies = [*edge.copies, (meeting.selector, meeting.routes[edge.target])]
                edge.retarget(meeting)
        return meeting

    def waiting_dispatch(self, node: Node, leaving: list[list[Edge]]) -> Node | None:
        """In a chain of selector tests: the next test, if it knows every goal of the code that this one selects."""
        if node.selector is None:
            return None
        following = node.edges[1].target
        if following.selector is not node.selector or len(following.entering) != 1:
            return None
        if any(edge.target not in following.routes for edge in leaving[0]):
            return None
        leaving[1] = []
        return following


def dominated(edge: Edge, end: Node) -> dict[Node, None]:
    """The nodes that are reached only through `edge`, in a graph without cycles; never `end`."""
    return dominated_by([edge], end)


def leaving_edges(edge: Edge, side: dict[Node, None]) -> list[Edge]:
    """The edges that leave the nodes `side` reached by `edge`: `edge` itself if there are none."""
    return [out for inner in side for out in inner.edges if out.target not in side] if side else [edge]


def cut_chain(edge: Edge, side: dict[Node, None], end: Node) -> dict[Node, None]:
    """The part of `side` before what its next branch guards, if all else goes to `end`.

    Of a long chain of tests that each guard what follows, all would nest in each other. Where that gets too deep, what
    follows is cut off: it comes after, guarded by a selector that says whether it is reached.
    """
    node = edge.target
    while node in side:
        inner = [dominated(each, end) for each in node.edges]
        goals = {
            out.target for each, nodes in zip(node.edges, inner, strict=True) for out in leaving_edges(each, nodes)
        }
        if len(goals) > 1:
            return side
        if len(node.edges) > 1 and end in goals:
            rest = max(inner, key=len)
            return {each: None for each in side if each not in rest}
        (node,) = goals
    return side


def negate(ops: list[Op], condition: Operand) -> Operand:
    """Append to `ops` what is true where `condition` is false."""
    compare = next((op for op in reversed(ops[-4:]) if condition in op.results and op.name == "icmp"), None)
    if compare is None:
        opposite = Op("xor", [condition, TRUE], [Value("i1")])
    else:
        predicate = INVERSE[str(compare.attrs["pred"])]
        opposite = Op("icmp", list(compare.operands), [Value("i1")], {"pred": predicate}, loc=compare.loc)
    ops.append(opposite)
    return opposite.result


def _chain(head: Node) -> list[Node]:
    """The nodes of a dispatch after the first."""
    found: list[Node] = []
    node = head.edges[1].target
    while node.selector is head.selector:
        found.append(node)
        node = node.edges[1].target
    return found


def for_each_thread(function: Function, ids: list[Value], ops: list[Op]) -> Region:
    """`ops` in loops over the blocks and threads of a launch of `function`; `ids`: bx by bz tx ty tz in them."""
    launch = function.launch
    block = Op("block", list(launch[3:]), regions=[Region(ids[3:], [*ops, Op("yield")])], loc=function.loc)
    grid = Op("grid", list(launch[:3]), regions=[Region(ids[:3], [block, Op("yield")])], loc=function.loc)
    return Region([], [grid, Op("yield")])


def run(function: Function, _: Context) -> bool:
    """Replace `blocks` by a structured `body`: grid, in it block, in it what one thread does."""
    if not function.blocks:
        return False
    structure = _Structure(build_graph(function))
    ops = structure.run(function.ids[3:])
    known = [*function.params, *function.ids]
    ops = thread_values(ops, structure.carried, structure.graph.variables, known)
    follow_decisions(ops)
    function.body = for_each_thread(function, function.ids, ops)
    function.blocks, function.ids = [], []
    return True


STRUCTURE = Pass("structure", run, needed=True, ensures=(STRUCTURED, ONE_LOOP_A_GRID, SCALAR))
