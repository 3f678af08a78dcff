# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The edges of a loop that a thread which runs alone takes only finitely often (the theorem is in spin_waits.py)."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping

from warploom.analysis.cycle import Cycle, Place, computes, place_of
from warploom.analysis.path_states import EXPECTED, SEEN, Edge, Facts
from warploom.analysis.variables import (
    Variable,
    direct,
    does_work,
    is_own,
    is_stepping,
    moves_straight,
    variables,
)
from warploom.ir.core import Const, Op, Operand, Value
from warploom.ir.properties import is_speculatable

_STRICT = frozenset("ne slt sgt ult ugt".split())
_LOOSE = frozenset("eq sle sge ule uge".split())


# -- retries ----------------------------------------------------------------------------------------------------------


def retry_edges(cycle: Cycle) -> set[Edge]:
    """Where an update has failed that could fail only because another thread came between."""
    found: set[Edge] = set()
    for op in cycle.ops:
        if op.name == "cmpxchg" and _expects_what_is_there(cycle, op):
            found |= failed_edges(cycle, op)
        elif op.name == "icmp" and _asks_whether_a_store_stands(cycle, op):
            found |= _contradicting(cycle, {op.result: int(op.attrs["pred"] == "eq")})
    return found


def failed_edges(cycle: Cycle, exchange: Op) -> set[Edge]:
    """The edges that are taken only when the compare-exchange has failed."""
    found: set[Edge] = set()
    asking = [op for op in cycle.ops if op.name == "icmp" and op.attrs["pred"] in ("eq", "ne")]
    parts = [op for op in cycle.ops if op.name == "extractvalue" and op.attrs["path"] == (1,)]
    for number in cycle.members:
        facts = cycle.states.facts[number]
        assumed = {
            op.result: int(op.attrs["pred"] == "eq") for op in asking if _compares_success(cycle, op, exchange, facts)
        }
        for op in parts:
            if cycle.states.standing_for(op.operands[0], facts) is exchange.result:
                assumed[op.result] = 1
        found |= _contradicting(cycle, assumed, (number,))
    return found


def _contradicting(cycle: Cycle, assumed: Mapping[Value, int], numbers: Collection[int] | None = None) -> set[Edge]:
    """The edges that are not taken where the values are as `assumed`."""
    found: set[Edge] = set()
    for number in cycle.members if numbers is None and assumed else numbers or ():
        branch, facts = cycle.block(number).ops[-1], cycle.states.facts[number]
        if branch.name != "cond_br" or not assumed:
            continue
        free = {value: known for value, known in facts.items() if value not in assumed}
        decided = cycle.states.value_of(branch.operands[0], {**free, **assumed})
        if decided is not None and cycle.states.value_of(branch.operands[0], free) is None:
            found |= {edge for edge in cycle.outgoing[number] if (edge.position == 0) != bool(decided)}
    return found


def _compares_success(cycle: Cycle, op: Op, exchange: Op, facts: Facts) -> bool:
    """Whether `op` compares what the exchange saw with what it expected."""
    expected = cycle.states.without_casts(exchange.operands[1])
    for one, other in (op.operands, op.operands[::-1]):
        if (SEEN, exchange) not in cycle.states.tags_of(one, facts):
            continue
        is_same = cycle.states.without_casts(other) == expected
        if is_same or (EXPECTED, exchange) in cycle.states.tags_of(other, facts):
            return True
    return False


def _expects_what_is_there(cycle: Cycle, exchange: Op) -> bool:
    """Whether on every way round, what is expected is read anew from the place, and nothing is stored there."""
    pointer, expected = exchange.operands[0], cycle.states.without_casts(exchange.operands[1])
    if any(op.name == "store" and op.operands[1] == pointer for op in cycle.ops):
        return False
    fresh_states = {
        number
        for op in cycle.ops
        if op.results and op.result is expected and _reads(cycle, op, pointer)
        for number in cycle.states_of(cycle.homes[op])
    }
    fresh_edges = _edges_where_found(cycle, pointer, expected) | _edges_with_fresh(cycle, pointer, expected)
    stale = cycle.parts(fresh_edges, fresh_states)
    home = set(cycle.states_of(cycle.homes[exchange]))
    return not any(home.intersection(part) for part in stale)


def _reads(cycle: Cycle, op: Op, pointer: Operand) -> bool:
    return op.name == "load" and place_of(cycle.states, op.operands[0]) == place_of(cycle.states, pointer)


def _edges_where_found(cycle: Cycle, pointer: Operand, expected: Operand) -> set[Edge]:
    """The edges on which a load of the place is known to have given `expected`."""
    found: set[Edge] = set()
    for number in cycle.members:
        for edge in cycle.outgoing[number]:
            for op, is_true in implied(cycle, edge):
                if (op.attrs["pred"] == "eq") == is_true and op.attrs["pred"] in ("eq", "ne"):
                    one, other = map(cycle.states.without_casts, op.operands)
                    for read, value in ((one, other), (other, one)):
                        made = cycle.makers.get(read) if isinstance(read, Value) else None
                        if made is not None and _reads(cycle, made, pointer) and value == expected:
                            found.add(edge)
    return found


def _edges_with_fresh(cycle: Cycle, pointer: Operand, expected: Operand) -> set[Edge]:
    """The edges that pass what was seen at the place, if the loop passes nothing else on to `expected`."""
    if not isinstance(expected, Value) or expected not in cycle.owners or not cycle.is_fixed(pointer):
        return set()
    place = place_of(cycle.states, pointer)
    found, seen, work = set[Edge](), {expected}, [expected]
    while work:
        for edge, operand in cycle.arriving(work.pop()):
            operand = cycle.states.without_casts(operand)
            if isinstance(operand, Value) and operand in cycle.owners:
                work += [operand] if operand not in seen else []
                seen.add(operand)
                continue
            made = cycle.makers.get(operand) if isinstance(operand, Value) else None
            exchanges = [op for kind, op in cycle.states.tags_of(operand, {}) if kind == SEEN]
            is_seen = any(place_of(cycle.states, op.operands[0]) == place for op in exchanges)
            if not is_seen and (made is None or not _reads(cycle, made, pointer)):
                return set()
            found.add(edge)
    return found


def _asks_whether_a_store_stands(cycle: Cycle, op: Op) -> bool:
    """Whether `op` compares what was just stored with what a load of the same place then gives."""
    if op.attrs["pred"] not in ("eq", "ne"):
        return False
    return any(_reads_back(cycle, *pair) for pair in (op.operands, op.operands[::-1]))


def _reads_back(cycle: Cycle, read: Operand, stored: Operand) -> bool:
    load = cycle.makers.get(read) if isinstance(read, Value) else None
    if load is None or load.name != "load":
        return False
    ops = cycle.homes[load].ops
    before = [op for op in ops[: ops.index(load)] if not is_speculatable(op)]
    return bool(before) and before[-1].name == "store" and before[-1].operands == [stored, load.operands[0]]


def implied(cycle: Cycle, edge: Edge) -> Iterator[tuple[Op, bool]]:
    """The comparisons that are known to be true, or false, where `edge` is taken."""
    branch = cycle.block(edge.source).ops[-1]
    if branch.name != "cond_br":
        return
    facts = cycle.states.facts[edge.source]
    work = [(branch.operands[0], edge.position == 0)]
    while work:
        value, is_true = work.pop()
        value = cycle.states.standing_for(value, facts)
        op = cycle.states.makers.get(value) if isinstance(value, Value) else None
        if op is None:
            continue
        if op.name == "icmp":
            yield op, is_true
        elif op.name == ("and" if is_true else "or"):
            work += [(each, is_true) for each in op.operands]
        elif op.name == "xor" and Const("i1", 1) in op.operands:
            work += [(each, not is_true) for each in op.operands if each != Const("i1", 1)]
        elif op.name == "freeze":
            work.append((op.operands[0], is_true))
        elif op.name == "select" and op.operands[2 if is_true else 1] == Const("i1", int(not is_true)):
            work += [(op.operands[0], is_true), (op.operands[1 if is_true else 2], is_true)]


# -- counts -----------------------------------------------------------------------------------------------------------


def counted_edges(cycle: Cycle, looks: Collection[Op]) -> set[Edge]:
    """Where a variable moves on that only the thread's own steps change, towards a test."""

    def is_needed(members: set[Value]) -> bool:
        return does_work(cycle, members) or _is_limited_by(cycle, looks, members)

    found: set[Edge] = set()
    for variable in variables(cycle):
        if is_own(cycle, variable) and _is_tested(cycle, variable) and is_needed(variable.members):
            found |= variable.edges
    for op in cycle.ops:
        if op.name == "atomicrmw" and cycle.counts_in_memory(op) and cycle.is_fixed(op.operands[0]):
            edges = {edge for number in cycle.states_of(cycle.homes[op]) for edge in cycle.outgoing[number]}
            counter = Variable({op.result}, [(edge, op.result) for edge in edges])
            if _is_tested(cycle, counter) and is_needed(counter.members):
                found |= edges
    return found


def _is_limited_by(cycle: Cycle, looks: Collection[Op], members: set[Value]) -> bool:
    """Whether what is looked at is only how far the variable may go."""
    compares = [
        op for op in cycle.ops if op.name == "icmp" and not set(looks).isdisjoint(direct(cycle, op.operands).looks)
    ]
    return bool(compares) and all(any(_comes_from(cycle, each, members) for each in op.operands) for op in compares)


def _is_tested(cycle: Cycle, variable: Variable) -> bool:
    """Whether each way round on which it moves passes a test of it that leads out of the loop."""
    tests = [
        number
        for number in cycle.decisions()
        if any(_can_force(cycle, number, edge.position == 0, variable.members) for edge in cycle.exits(number))
    ]
    return bool(tests) and not cycle.on_cycles(variable.edges, cycle.parts(avoid=tests))


def _can_force(cycle: Cycle, number: int, wanted: bool, members: set[Value]) -> bool:
    """Whether the variable alone makes the branch at the end of a state go the wanted way, in the end."""
    branch = cycle.block(number).ops[-1]
    if branch.name == "switch":
        return _is_about(cycle, branch.operands, members)
    return branch.name == "cond_br" and _forces(cycle, branch.operands[0], wanted, members, set())


def _forces(cycle: Cycle, value: Operand, wanted: bool, members: set[Value], seen: set[Value]) -> bool:
    if isinstance(value, Const):
        return value.value == int(wanted)
    if value in seen:
        return True  # a way round that decides nothing
    op = cycle.makers.get(value)
    if value in cycle.owners:
        arriving = [operand for _, operand in cycle.arriving(value)]
        return all(_forces(cycle, each, wanted, members, seen | {value}) for each in arriving)
    if op is None:
        return False
    if op.name == "icmp":
        return _is_about(cycle, op.operands, members)
    if op.name in ("and", "or"):
        parts = [_forces(cycle, each, wanted, members, seen) for each in op.operands]
        return all(parts) if (op.name == "and") == wanted else any(parts)
    if op.name == "xor" and Const("i1", 1) in op.operands:
        rest = next(each for each in op.operands if each != Const("i1", 1))
        return _forces(cycle, rest, not wanted, members, seen)
    if op.name == "select":
        condition, one, other = op.operands
        either = [_forces(cycle, each, wanted, members, seen) for each in (one, other)]
        ways = [_forces(cycle, condition, way, members, seen) for way in (True, False)]
        return all(either) or any(way and value for way, value in zip(ways, either, strict=True))
    return op.name == "freeze" and _forces(cycle, op.operands[0], wanted, members, seen)


def _is_about(cycle: Cycle, operands: list[Operand], members: set[Value]) -> bool:
    """Whether what is compared moves with the variable, and with nothing that others change but at one place."""
    if any(isinstance(each, Value) and each in members for each in operands):
        sources = direct(cycle, [each for each in operands if each not in members])
    else:
        sources = direct(cycle, operands)
        if not sources.params & members and not any(_comes_from(cycle, each, members) for each in operands):
            return False
    return all(look.name == "load" and cycle.is_fixed(look.operands[0]) for look in sources.looks)


def _comes_from(cycle: Cycle, operand: Operand, members: set[Value]) -> bool:
    """Whether arithmetic makes `operand` of a member."""
    seen, work = set[Value](), [operand]
    while work:
        value = work.pop()
        if isinstance(value, Const) or value in seen:
            continue
        if value in members:
            return True
        seen.add(value)
        op = cycle.makers.get(value)
        work += op.operands if op is not None and computes(op) else []
    return False


# -- walks and chains -------------------------------------------------------------------------------------------------


def walked_edges(cycle: Cycle, looks: Collection[Op]) -> set[Edge]:
    """Where a variable steps on that moves every address that is looked at."""
    found: set[Edge] = set()
    for variable in variables(cycle):
        moves = (bool(op.operands) and moves_straight(cycle, op.operands[0], variable.members) for op in looks)
        if is_stepping(cycle, variable) and all(moves):
            found |= variable.edges
    return found


def chased_edges(cycle: Cycle) -> set[Edge]:
    """Where a chain of links is followed to another place."""
    found: set[Edge] = set()
    for variable in variables(cycle):
        links: list[Op] = []
        following: set[Edge] = set()
        for edge, operand in variable.advances:
            place = direct(cycle, [operand], past_choices=False)
            if place.looks and not place.params & variable.members:
                links += _links(cycle, operand)
                following.add(edge)
        if not links:
            continue
        other = {edge for edge in cycle.edges if _is_elsewhere(cycle, edge, variable, links)}
        for op in links:
            other |= failed_edges(cycle, op) if op.name == "cmpxchg" and _is_place(cycle, op, variable) else set()
        if not cycle.on_cycles(following, cycle.parts(other)):
            found |= following
    return found


def _links(cycle: Cycle, operand: Operand) -> list[Op]:
    """The looks that `operand` is found by, the last first."""
    found: list[Op] = []
    work = direct(cycle, [operand], past_choices=False).looks
    while work:
        op = work.pop()
        if op not in found:
            found.append(op)
            work += direct(cycle, op.operands[:1]).looks
    return found


def _is_place(cycle: Cycle, exchange: Op, variable: Variable) -> bool:
    """Whether a compare-exchange expects where it looks, or the constant that ends the chain."""
    expected = exchange.operands[1]
    return isinstance(expected, Const) or bool(direct(cycle, [expected]).params & variable.members)


def _is_elsewhere(cycle: Cycle, edge: Edge, variable: Variable, links: list[Op]) -> bool:
    """Whether a link is known to differ from where it was found, or from a constant, where `edge` is taken."""
    places = [place_of(cycle.states, link.operands[0]) for link in links if link.operands]
    for op, is_true in implied(cycle, edge):
        if op.attrs["pred"] not in (_STRICT if is_true else _LOOSE):
            continue
        for one, other in (op.operands, op.operands[::-1]):
            found = direct(cycle, [one]).looks
            if not found or not all(_looks_at(cycle, look, places) for look in found):
                continue
            against = direct(cycle, [other])
            if isinstance(other, Const) or against.params & variable.members:
                return True
            if any(_looks_at(cycle, look, places) for look in against.looks):
                return True
    return False


def _looks_at(cycle: Cycle, look: Op, places: Collection[Place]) -> bool:
    return bool(look.operands) and place_of(cycle.states, look.operands[0]) in places
