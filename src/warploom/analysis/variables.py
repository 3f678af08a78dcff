# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Variables of a loop in CFG form that move on: how, and what is done with them.

^head(%i):  ...  br latch(%next)             {%i, %j} is one variable; the edge that passes %next moves it on,
^latch(%j): br head(%j)                      the others hand it on as it is
"""

from __future__ import annotations

from warploom.analysis.cycle import WRITES, Cycle, computes
from warploom.analysis.path_states import Edge, passed
from warploom.core.records import dataclass, field
from warploom.ir.core import Const, Op, Operand, Value
from warploom.ir.dominance import successors
from warploom.ir.properties import SLEEPS

_STEPS = {"add": 1, "sub": -1, "gep": 1}
_KEEP_ORDER = frozenset("add sub mul shl gep zext sext trunc bitcast freeze ptrtoint inttoptr".split())
# What keeping time needs of a counter.
_TIMING = _KEEP_ORDER | frozenset("lshr ashr udiv sdiv urem srem and icmp".split())


@dataclass
class Direct:
    """What a value is computed from in one iteration: parameters of the loop's blocks, and looks."""

    params: set[Value] = field(default_factory=set[Value])
    looks: list[Op] = field(default_factory=list[Op])
    other: bool = False  # anything else that differs from one iteration to the next


@dataclass
class Variable:
    """Parameters that hold one variable, and the edges that move it on, each with what it becomes."""

    members: set[Value]
    advances: list[tuple[Edge, Operand]] = field(default_factory=list[tuple[Edge, Operand]])
    is_reset: bool = False  # it also becomes what does not come from it

    @property
    def edges(self) -> set[Edge]:
        """The edges that move it on."""
        return {edge for edge, _ in self.advances}


def direct(cycle: Cycle, operands: list[Operand], *, past_looks: bool = False, past_choices: bool = True) -> Direct:
    """What `operands` are computed from. `past_looks`: the addresses that are looked at count, too; `past_choices`: so
    does what chooses between two values."""
    found, seen, work = Direct(), set[Value](), list(operands)
    while work:
        value = work.pop()
        if isinstance(value, Const) or value in seen:
            continue
        seen.add(value)
        op = cycle.makers.get(value)
        if value in cycle.owners:
            found.params.add(value)
        elif op is None:
            continue
        elif cycle.is_look(op):
            found.looks.append(op)
            work += op.operands[:1] if past_looks else []
        elif computes(op) or op.name == "load":
            work += op.operands if past_choices or op.name != "select" else op.operands[1:]
        else:
            found.other = True
    return found


def variables(cycle: Cycle) -> list[Variable]:
    """The variables of the loop that move on and are never set anew within it."""
    found: list[Variable] = []
    seen = set[Value]()
    for param in cycle.owners:
        if param not in seen:
            made = _variable(cycle, param)
            seen |= made.members
            if made.advances and not made.is_reset:
                found.append(made)
    return found


def _variable(cycle: Cycle, param: Value) -> Variable:
    made, work = Variable({param}), [param]
    while work:
        for edge, operand in cycle.arriving(work.pop()):
            operand = cycle.states.without_casts(cycle.states.chosen(edge, operand))
            if isinstance(operand, Value) and operand in cycle.owners:
                work += [operand] if operand not in made.members else []
                made.members.add(operand)
            else:
                made.advances.append((edge, operand))
    for _, operand in made.advances:
        sources = direct(cycle, [operand], past_looks=True)
        made.is_reset = made.is_reset or sources.other or not sources.params & made.members
    return made


def is_own(cycle: Cycle, variable: Variable) -> bool:
    """Whether only the thread's own steps change the variable, always forwards: by one rule, or by steps that do not
    turn back."""
    if any(direct(cycle, [operand]).looks for _, operand in variable.advances):
        return False
    rules = {operand for _, operand in variable.advances}
    return len(rules) == 1 or is_stepping(cycle, variable)


def is_stepping(cycle: Cycle, variable: Variable) -> bool:
    """Whether it moves by steps that the loop does not change, all in one direction."""
    directions = {_direction(cycle, operand, variable.members) for _, operand in variable.advances}
    return len(directions) == 1 and 0 not in directions


def _direction(cycle: Cycle, operand: Operand, members: set[Value]) -> int:
    """1 forwards, -1 backwards, 0 unknown, of the step that makes `operand` of a member."""
    direction = 1
    steps = 0
    while not (isinstance(operand, Value) and operand in members):
        op = cycle.makers.get(operand) if isinstance(operand, Value) else None
        if op is None or op.name not in _KEEP_ORDER:
            return 0
        moving = [each for each in op.operands if not cycle.is_fixed(each)]
        if len(moving) != 1 or (op.name == "sub" and moving[0] is not op.operands[0]):
            return 0
        if op.name in _STEPS:
            amount = _amount(op, moving[0])
            steps += 1
            direction = direction * amount * _STEPS[op.name] if amount else 0
        operand = moving[0]
    return direction if steps == 1 else 0


def _amount(op: Op, moving: Operand) -> int:
    """The sign of the step of `op`; 1 for one that is not known, 0 for none."""
    if op.name == "gep":
        offset = int(str(op.attrs["offset"]))
        return (offset > 0) - (offset < 0) if len(op.operands) == 1 else int(moving is op.operands[0])
    step = next((each for each in op.operands if each is not moving), moving)
    if not isinstance(step, Const) or not isinstance(step.value, int):
        return 1
    bits = int(step.type[1:]) if step.type.startswith("i") else 0
    return 0 if not step.value else (-1 if bits and step.value >> (bits - 1) else 1)


def moves_straight(cycle: Cycle, pointer: Operand, members: set[Value]) -> bool:
    """Whether the address `pointer` moves with the variable, and never comes back when that does not."""
    while not (isinstance(pointer, Value) and pointer in members):
        op = cycle.makers.get(pointer) if isinstance(pointer, Value) else None
        if op is None or op.name not in _KEEP_ORDER:
            return False
        moving = [each for each in op.operands if not cycle.is_fixed(each)]
        if len(moving) != 1:
            return False
        pointer = moving[0]
    return True


def does_work(cycle: Cycle, members: set[Value]) -> bool:
    """Whether the loop does more with the values `members` than to count, to compare the count and to sleep."""
    derived: dict[Value, bool] = dict.fromkeys(members, False)  # and whether more than a count is computed
    changed = True
    while changed:
        changed = False
        for op in cycle.ops:
            used = [derived[each] for each in op.operands if isinstance(each, Value) and each in derived]
            if not used:
                continue
            if _is_work(op, derived):
                return True
            beyond = any(used) or not _is_timing(cycle, op)
            for value in _made_of(cycle, op, derived):
                if derived.get(value) is None or (beyond and not derived[value]):
                    derived[value] = beyond
                    changed = True
    return False


def _is_work(op: Op, derived: dict[Value, bool]) -> bool:
    """Whether `op`, which uses `derived` values, is more than arithmetic."""
    if op.name in ("cond_br", "switch"):
        condition = op.operands[0]
        return isinstance(condition, Value) and derived.get(condition, False)
    if computes(op) or op.name == "br":
        return False
    if op.name == "call" and op.attrs["callee"] in SLEEPS:
        return False
    return op.name not in WRITES or op.operands[WRITES[op.name]] in derived


def _is_timing(cycle: Cycle, op: Op) -> bool:
    if op.name in ("br", "cond_br", "switch"):
        return True
    if op.name == "icmp" or (computes(op) and op.result.type == "i1"):
        return True
    return op.name in _TIMING and sum(not cycle.is_fixed(each) for each in op.operands) == 1


def _made_of(cycle: Cycle, op: Op, derived: dict[Value, bool]) -> list[Value]:
    """The values of the loop that get something of `derived` by `op`."""
    if op.name not in ("br", "cond_br", "switch"):
        return op.results if computes(op) else []
    block = cycle.homes[op]
    by_name = {each.name: each for each in cycle.blocks}
    found: list[Value] = []
    for position, name in enumerate(successors(block)):
        if name in by_name:
            pairs = zip(by_name[name].params, passed(block, position), strict=True)
            found += [param for param, operand in pairs if isinstance(operand, Value) and operand in derived]
    return found
