# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What threads do that leave a loop with barriers while others stay is put into the loop.

    loop { if mine { break }; barrier; A }; B           loop { if mine { B'; end }; barrier; A }; B

Sound because a barrier waits until the threads that left have ended: B of theirs comes before what other threads do
behind that barrier. Behind the loop it would come after all of it. So each edge that some threads take while others
stay gets B up to the thread's end, or to the next iteration of a loop around this one: the blocks that only that edge
leads to, and copies of the others, which are the same code. Nothing is done for B that writes nothing, as nobody sees
when it runs. Where B waits at some place, the threads that left have not ended: of that only those blocks are put into
the loop that lead to no barrier, and that nothing but the edges to one block leads to.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from warploom.ir.core import Op, Operand, Value
from warploom.ir.ops import leaves_memory
from warploom.passes.shape.control_flow_graph import Edge, Graph, Node, dominated_by, waits
from warploom.passes.shape.structure_variance import Variance


def last_words(graph: Graph, variance: Variance, component: Sequence[Node]) -> list[Node]:
    """The nodes that belong into the loop `component`, which waits; those that are copies are made."""
    inside = set(component)
    exits: dict[Node, list[Edge]] = {}
    for edge in [edge for node in component for edge in node.edges if edge.target not in inside]:
        exits.setdefault(edge.target, []).append(edge)
    found: list[Node] = []
    for edges in exits.values():
        apart = [edge for edge in edges if not _is_left_together(variance, edge.source, inside)]
        if apart and not any(map(waits, _reached(edges[0].target))):
            found += [node for edge in apart for node in _ending(graph, edge)]
        elif apart and len(exits) > 1:
            tail = [node for node in dominated_by(edges, graph.end) if node.edges]
            if not any(map(waits, tail)):
                found += tail
    return found


def _is_left_together(variance: Variance, source: Node, inside: set[Node]) -> bool:
    """Whether all threads in the loop leave it by the branch of `source`, or none: all come there, and agree."""
    if variance.differs(source.condition, source):
        return False
    headers = {node for node in inside if any(edge.source not in inside for edge in node.entering)}
    seen = headers | {source}
    work = [node for node in headers if node is not source]
    while work:
        for edge in work.pop().edges:
            if edge.target in headers:
                return False  # an iteration that does not pass `source`
            if edge.target in inside and edge.target not in seen:
                seen.add(edge.target)
                work.append(edge.target)
    return True


def _ending(graph: Graph, edge: Edge) -> list[Node]:
    """What threads do behind `edge` until they end or go on in a loop around, for this edge alone."""
    tail = _reached(edge.target)
    if all(leaves_memory(op) for node in tail for op in node.ops if op.name != "assign"):
        return []
    known = set(tail)
    entered = [node for node in tail if any(each is not edge and each.source not in known for each in node.entering)]
    copies = _copies(graph, _reached(*entered))
    own = [node for node in tail if node not in copies]
    for each in [edge, *(each for node in own for each in node.edges)]:
        each.retarget(copies.get(each.target, each.target))
    return [*own, *copies.values()]


def _reached(*starts: Node) -> list[Node]:
    """All that `starts` lead to but the end of the thread and stubs, which stand for where a loop around goes on."""
    found = {each: None for each in starts if each.edges}
    for node in (work := list(found)):
        for edge in node.edges:
            if edge.target.edges and edge.target not in found:
                found[edge.target] = None
                work.append(edge.target)
    return work


def _copies(graph: Graph, nodes: Sequence[Node]) -> dict[Node, Node]:
    """Each node with its copy. Variables are the same: what has set them for the one is not in the way of the other."""
    values = {each: each for each in graph.variables}
    for node in nodes:
        for op in node.ops:
            values.update((each, Value(each.type, each.name)) for each in op.results if each not in values)
    made = {node: Node(node.order, incoming=node.incoming, selector=node.selector) for node in nodes}
    for node, copy in made.items():
        copy.ops = [_copy(op, values) for op in node.ops]
        copy.condition = node.condition and _renamed(node.condition, values)
        for edge in node.edges:
            target = made.get(edge.target, edge.target)
            copy.link(target, [(variable, _renamed(value, values)) for variable, value in edge.copies])
        copy.routes = {made.get(target, target): code for target, code in node.routes.items()}
    return made


def _copy(op: Op, values: Mapping[Value, Value]) -> Op:
    assert not op.regions, "loops behind a loop are graphs as long as it is one"
    operands = [_renamed(each, values) for each in op.operands]
    return Op(op.name, operands, [values[each] for each in op.results], dict(op.attrs), loc=op.loc)


def _renamed(operand: Operand, values: Mapping[Value, Value]) -> Operand:
    return values.get(operand, operand) if isinstance(operand, Value) else operand
