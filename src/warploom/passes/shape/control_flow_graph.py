# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""A graph of basic blocks that is easy to rewire, for the structuring of control flow.

    ^a: ... cond_br %c, %x [targets=(b, c), counts=(1, 0)]      node a, condition %c
    ^b(%p): ...                                           ==>     edge to b: in_p := %x      node b: p := in_p; ...
                                                                  edge to c

Every node has no edge (the one end of the function), one edge, or two: taken when its condition holds, and when not. A
switch is a tree of such nodes. A block parameter is two variables: edges assign the incoming one, and the block begins
by copying it to the parameter proper. So each parameter keeps its single definition, and incoming variables live only
from an edge to the block at its end, however edges are rerouted.

Threads that return, and threads that reach a call that does not return, go to the end of the function.
"""

from __future__ import annotations

from collections.abc import Sequence

from warploom.core.records import dataclass, field
from warploom.ir.core import FALSE, TRUE, Block, Const, Function, Op, Operand, Value, int_const, walk_op
from warploom.ir.ops import collective_level

Copies = list[tuple[Value, Operand]]
Destination = tuple[str, Copies]  # the name of a block, and what its parameters become

# From this many cases on, a switch is a search tree over the values, not a chain of comparisons.
SEARCH_TREE_CASES = 9
EXIT_THREAD = "__warploom_exit_thread"


@dataclass(eq=False, slots=True)
class Edge:
    """A transfer of control, with the variables that it assigns, all at once."""

    source: Node
    target: Node
    copies: Copies = field(default_factory=Copies)

    def retarget(self, target: Node) -> None:
        """Lead elsewhere."""
        del self.target.entering[self]
        self.target = target
        target.entering[self] = None


@dataclass(eq=False, slots=True)
class Node:
    """Straight-line code, then a choice of at most two edges. `order` is the node's place in reverse postorder.

    `incoming` are the variables that edges to this node assign. A node with a `selector` only chooses among several
    continuations: `routes` says which value of the selector leads where.
    """

    order: int = 0
    ops: list[Op] = field(default_factory=list[Op])
    condition: Operand | None = None
    edges: list[Edge] = field(default_factory=list[Edge])
    entering: dict[Edge, None] = field(default_factory=dict[Edge, None])
    incoming: list[Value] = field(default_factory=list[Value])
    selector: Value | None = None
    routes: dict[Node, Const] = field(default_factory=lambda: dict[Node, Const]())

    def link(self, target: Node, copies: Copies | None = None) -> Edge:
        """Append an edge to `target`."""
        edge = Edge(self, target, copies or [])
        self.edges.append(edge)
        target.entering[edge] = None
        return edge


@dataclass(eq=False, slots=True)
class Graph:
    """The nodes that the entry reaches."""

    entry: Node
    end: Node
    variables: set[Value] = field(default_factory=set[Value])  # assigned in more than one place

    def variable(self, type_: str, name: str) -> Value:
        """A new variable."""
        value = Value(type_, name)
        self.variables.add(value)
        return value


def assign(copies: Copies) -> list[Op]:
    """The op that stands for `copies` until values are threaded through regions; none if there is nothing to copy."""
    if not copies:
        return []
    return [Op("assign", [operand for _, operand in copies], [variable for variable, _ in copies])]


def dispatch(graph: Graph, targets: list[Node], name: str) -> Node:
    """A node that goes to one of `targets`, at least two, as a new selector says; a chain of nodes if they are many."""
    order = min(each.order for each in targets)
    if len(targets) == 2:
        head = Node(order, selector=graph.variable("i1", name))
        head.condition = head.selector
        head.routes = {targets[0]: TRUE, targets[1]: FALSE}
        head.incoming = [head.condition] if isinstance(head.condition, Value) else []
        for target in targets:
            head.link(target)
        return head
    selector = graph.variable("i32", name)
    codes = [int_const("i32", number) for number in range(len(targets))]
    last = targets[-1]
    for number in range(len(targets) - 2, -1, -1):
        test = Op("icmp", [selector, codes[number]], [Value("i1", name)], {"pred": "eq"})
        node = Node(order, [test], test.result, incoming=[selector], selector=selector)
        node.routes = dict(zip(targets[number:], codes[number:], strict=True))
        node.link(targets[number])
        node.link(last)
        last = node
    return last


# -- construction -----------------------------------------------------------------------------------------------------


def build_graph(function: Function) -> Graph:
    """The graph of a function in CFG form. Its ops are taken over, not copied."""
    return _Construction(function).graph


class _Construction:
    def __init__(self, function: Function) -> None:
        self.graph = Graph(Node(), Node())
        self.blocks = {block.name: block for block in function.blocks}
        self.nodes = {block.name: Node() for block in function.blocks}
        self.impossible = {block.name for block in function.blocks if block.ops[0].name == "unreachable"}
        for block in function.blocks:
            self._begin(block)
        for block in function.blocks:
            self._finish(block)
        self.graph.entry.link(self.nodes[function.blocks[0].name])
        _clean(self.graph)

    def _begin(self, block: Block) -> None:
        node = self.nodes[block.name]
        node.incoming = [self.graph.variable(each.type, each.name) for each in block.params]
        node.ops = assign(list(zip(block.params, node.incoming, strict=True)))

    def _finish(self, block: Block) -> None:
        node = self.nodes[block.name]
        for op in block.ops[:-1]:
            if op.attrs.get("callee") == EXIT_THREAD:
                node.link(self.graph.end)
                return
            node.ops.append(op)
            if op.attrs.get("noreturn"):
                node.link(self.graph.end)
                return
        last = block.ops[-1]
        if last.name in ("ret", "unreachable"):
            node.link(self.graph.end)
        elif last.name == "br":
            ((target, copies),) = self._destinations(last, 0)
            node.link(self.nodes[target], copies)
        elif last.name == "cond_br":
            self._branch(node, last)
        else:
            self._switch(node, last)

    def _destinations(self, op: Op, skip: int) -> list[Destination]:
        found: list[Destination] = []
        targets, counts = op.attrs["targets"], op.attrs["counts"]
        assert isinstance(targets, tuple)
        assert isinstance(counts, tuple)
        position = skip
        for target, count in zip(targets, counts, strict=True):
            assert isinstance(target, str)
            assert isinstance(count, int)
            arguments = op.operands[position : position + count]
            position += count
            found.append((target, list(zip(self.nodes[target].incoming, arguments, strict=True))))
        return found

    def _branch(self, node: Node, op: Op) -> None:
        condition = op.operands[0]
        destinations = self._destinations(op, 1)
        if isinstance(condition, Const) and isinstance(condition.value, int):
            destinations = [destinations[0 if condition.value else 1]]
        possible = [each for each in destinations if each[0] not in self.impossible] or destinations[:1]
        if len(possible) == 1:
            node.link(self.nodes[possible[0][0]], possible[0][1])
            return
        node.condition = condition
        for target, copies in possible:
            node.link(self.nodes[target], copies)

    def _switch(self, node: Node, op: Op) -> None:
        subject = op.operands[0]
        default, *rest = self._destinations(op, 1)
        values = op.attrs["cases"]
        assert isinstance(values, tuple)
        numbers = [each for each in values if isinstance(each, int)]
        cases = [case for case in zip(numbers, rest, strict=True) if case[1][0] not in self.impossible]
        if default[0] in self.impossible and cases:
            default = cases[-1][1]
        cases = [case for case in cases if case[1] != default]
        mask = (1 << int(subject.type[1:])) - 1
        self._decide(node, subject, sorted((number & mask, to) for number, to in cases), default, op)

    def _decide(
        self,
        node: Node,
        subject: Operand,
        cases: list[tuple[int, Destination]],
        default: Destination,
        op: Op,
    ) -> None:
        """End `node` with the choice among `cases`, sorted by number."""
        if not cases:
            node.link(self.nodes[default[0]], list(default[1]))
            return
        if len(cases) >= SEARCH_TREE_CASES:
            middle = len(cases) // 2
            self._test(node, op, subject, cases[middle][0], "ult")
            for part in (cases[:middle], cases[middle:]):
                below = Node()
                node.link(below)
                self._decide(below, subject, part, default, op)
            return
        target = cases[0][1]
        same = [number for number, to in cases if to == target]
        others = [case for case in cases if case[1] != target]
        for number in same:
            before = node.condition
            self._test(node, op, subject, number, "eq")
            if before is not None and node.condition is not None:
                either = Op("or", [before, node.condition], [Value("i1")], loc=op.loc)
                node.ops.append(either)
                node.condition = either.result
        node.link(self.nodes[target[0]], list(target[1]))
        below = Node()
        node.link(below)
        self._decide(below, subject, others, default, op)

    def _test(self, node: Node, op: Op, subject: Operand, number: int, predicate: str) -> None:
        test = Op("icmp", [subject, int_const(subject.type, number)], [Value("i1")], {"pred": predicate}, loc=op.loc)
        node.ops.append(test)
        node.condition = test.result


def _clean(graph: Graph) -> None:
    """Number the nodes, drop those that are not reached, skip empty ones, and join straight lines."""
    for node in reverse_postorder(graph.entry):
        _skip_if_empty(graph, node)
    order = reverse_postorder(graph.entry)
    reached = set(order)
    for number, node in enumerate(order):
        node.order = number
        node.entering = {edge: None for edge in node.entering if edge.source in reached}
    graph.end.order = len(order)
    for node in order:
        while len(node.edges) == 1 and _continues(graph, node):
            _absorb(node, node.edges[0])


def _skip_if_empty(graph: Graph, node: Node) -> None:
    """Lead the edges into an empty node on to its target."""
    if node.ops or len(node.edges) != 1 or node is graph.entry or node.edges[0].target is node:
        return
    onward = node.edges[0]
    for edge in list(node.entering):
        edge.copies = edge.copies + onward.copies
        edge.retarget(onward.target)


def _continues(graph: Graph, node: Node) -> bool:
    target = node.edges[0].target
    return len(target.entering) == 1 and target is not graph.end and target is not node


def _absorb(node: Node, edge: Edge) -> None:
    """Append the code of the only successor, which has no other predecessor."""
    successor = edge.target
    node.ops += assign(edge.copies) + successor.ops
    node.condition, node.edges = successor.condition, successor.edges
    for each in node.edges:
        each.source = node
    successor.entering, successor.edges, successor.ops = {}, [], []


# -- order and cycles -------------------------------------------------------------------------------------------------


def reverse_postorder(entry: Node) -> list[Node]:
    """The nodes that `entry` reaches, each before its successors but for back edges."""
    seen = {entry}
    stack = [(entry, iter(entry.edges))]
    finished: list[Node] = []
    while stack:
        node, edges = stack[-1]
        following = next((edge.target for edge in edges if edge.target not in seen), None)
        if following is None:
            finished.append(node)
            stack.pop()
        else:
            seen.add(following)
            stack.append((following, iter(following.edges)))
    return finished[::-1]


def cycles(nodes: Sequence[Node]) -> list[list[Node]]:
    """The strongly connected components among `nodes` that hold a cycle, edges to elsewhere left aside."""
    return _Components(nodes).found


class _Components:
    """Tarjan's algorithm, without recursion."""

    def __init__(self, nodes: Sequence[Node]) -> None:
        self.inside = set(nodes)
        self.index: dict[Node, int] = {}
        self.low: dict[Node, int] = {}
        self.open: list[Node] = []
        self.is_open: set[Node] = set()
        self.found: list[list[Node]] = []
        for node in nodes:
            if node not in self.index:
                self._search(node)

    def _enter(self, node: Node) -> None:
        self.index[node] = self.low[node] = len(self.index)
        self.open.append(node)
        self.is_open.add(node)

    def _search(self, root: Node) -> None:
        self._enter(root)
        stack = [(root, iter(root.edges))]
        while stack:
            node, edges = stack[-1]
            edge = next(edges, None)
            if edge is None:
                stack.pop()
                self._leave(node)
                if stack:
                    above = stack[-1][0]
                    self.low[above] = min(self.low[above], self.low[node])
            elif edge.target in self.is_open:
                self.low[node] = min(self.low[node], self.index[edge.target])
            elif edge.target in self.inside and edge.target not in self.index:
                self._enter(edge.target)
                stack.append((edge.target, iter(edge.target.edges)))

    def _leave(self, node: Node) -> None:
        if self.low[node] != self.index[node]:
            return
        position = len(self.open) - 1
        while self.open[position] is not node:
            position -= 1
        component = self.open[position:]
        del self.open[position:]
        self.is_open.difference_update(component)
        if len(component) > 1 or any(edge.target is node for edge in node.edges):
            self.found.append(component)


# -- questions ---------------------------------------------------------------------------------------------------------


def waits(node: Node) -> bool:
    """Whether a barrier or collective is in the node, or in a loop that it stands for."""
    return any(op.name != "assign" and collective_level(op) for each in node.ops for op in walk_op(each))


def dominated_by(edges: Sequence[Edge], end: Node) -> dict[Node, None]:
    """The nodes that are reached only through `edges`; of a cycle none."""
    inside: dict[Node, None] = {}
    missing: dict[Node, int] = {}
    work = list(edges)
    while work:
        target = work.pop().target
        missing[target] = missing.get(target, len(target.entering)) - 1
        if missing[target] == 0 and target is not end:
            inside[target] = None
            work.extend(target.edges)
    return inside
