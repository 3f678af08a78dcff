# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Loops: `while`, and `for` over ranges, arrays, tuples, `enumerate` and `zip`."""

from __future__ import annotations

import ast
from collections.abc import Callable, Sequence
from functools import cached_property

from warploom.core.records import dataclass
from warploom.pyjit.assignments import Assignments
from warploom.pyjit.indexing import extents
from warploom.pyjit.types import INT, INT32, UINT, Array, Fixed, Scalar, Tuple
from warploom.pyjit.values import JitError, Value, common, converted, literal, member_of, truth, tuple_of


@dataclass(frozen=True)
class _Turns:
    """What a loop goes over: how often, and what the turn of a number is given."""

    counts: tuple[str, ...]
    at: Callable[[Value], Value]


class Loops(Assignments):
    """Lowers loops."""

    tree: ast.FunctionDef

    def _break_statement(self, _node: ast.Break) -> None:
        if self.flags[-1]:
            self.lines.append(f"{self.flags[-1]} = true;")
        self.lines.append("break;")

    def _continue_statement(self, _node: ast.Continue) -> None:
        self.lines.append("continue;")

    def block(self, statements: Sequence[ast.stmt], *, depth: int | None = None) -> None:
        """Lower statements one after the other."""
        raise NotImplementedError

    @property
    def flags(self) -> list[str]:
        """Of each loop around: the variable that tells that it was left, where it has an `else`."""
        raise NotImplementedError

    @cached_property
    def private_targets(self) -> set[str]:
        """Names that are read only within loops which give them their value: each loop may have one of its own."""
        return _private_targets(self.tree)

    def _body(self, node: ast.While | ast.For) -> None:
        self.loops.append(stored(node))
        self.block(node.body)
        self.loops.pop()

    def _begin(self, node: ast.While | ast.For) -> None:
        self.flags.append(self.fresh("left") if node.orelse else "")
        if node.orelse:
            self.lines.append(f"bool {self.flags[-1]} = false;")

    def _end(self, node: ast.While | ast.For) -> None:
        flag = self.flags.pop()
        if flag:
            self.lines.append(f"if (!{flag}) {{")
            self.block(node.orelse)
            self.lines.append("}")

    def _while_statement(self, node: ast.While) -> None:
        self._begin(node)
        self.loops.append(stored(node))
        before = len(self.lines)
        condition = truth(self.value(node.test))
        needed = self.lines[before:]
        del self.lines[before:]
        self.loops.pop()
        if needed:
            self.lines += ["for (;;) {", *needed, f"if (!{condition}) break;"]
        else:
            self.lines.append(f"while ({condition}) {{")
        self._body(node)
        self.lines.append("}")
        self._end(node)

    def _for_statement(self, node: ast.For) -> None:
        self._begin(node)
        is_range = isinstance(node.iter, ast.Call) and self.callee(node.iter.func) is range
        if is_range and isinstance(node.target, ast.Name):
            self._range_loop(node, node.target.id)
        else:
            self._turn_loop(node)
        self._end(node)

    def _turn_loop(self, node: ast.For) -> None:
        self.lines.append("{")
        turns = self._turns(node.iter)
        if not turns.counts:
            raise JitError("this loop has no end")
        counter, end = self.fresh("k"), self.fresh("end")
        count = turns.counts[0]
        for other in turns.counts[1:]:
            count = f"smaller<Int>({count}, {other})"
        self.lines.append(f"const Int {end} = {count};")
        self.lines.append(f"for (Int {counter} = 0; {counter} < {end}; ++{counter}) {{")
        self.depth += 1  # a loop may have no turn at all
        self.loops.append(stored(node))
        self.begun |= stored(node.target) & self.private_targets
        self.assign(node.target, turns.at(Value(counter, INT, True)))
        self.loops.pop()
        self.depth -= 1
        self._body(node)
        self.lines.append("} }")

    def _turns(self, node: ast.expr) -> _Turns:
        function = self.callee(node.func) if isinstance(node, ast.Call) else None
        if isinstance(node, ast.Call) and function is enumerate and 1 <= len(node.args) <= 2 and not node.keywords:
            start = self.kept(self.value(node.args[1])) if len(node.args) == 2 else literal(0)
            inner = self._turns(node.args[0])
            return _Turns(inner.counts, lambda place: tuple_of([_counted(start, place), inner.at(place)]))
        if isinstance(node, ast.Call) and function is zip and node.args and not node.keywords:
            parts = [self._turns(each) for each in node.args]
            counts = tuple(count for part in parts for count in part.counts)
            return _Turns(counts, lambda place: tuple_of([part.at(place) for part in parts]))
        if isinstance(node, ast.Call) and function is range:
            return self._range_turns(node)
        return self._value_turns(self.value(node))

    def _value_turns(self, value: Value) -> _Turns:
        if isinstance(value.type, Tuple) and value.type.members:
            members = [member_of(value, number) for number in range(len(value.type.members))]
            kind = members[0]
            for member in members[1:]:
                kind = Value("", common(kind, member))
            count, found = len(members), kind.type
            uniform = self.kept(Value(converted(value, Tuple((found,) * count)), Tuple((found,) * count)))
            return _Turns((str(count),), lambda place: Value(f"chosen({uniform.text}, {place.text})", found))
        if not isinstance(value.type, Array | Fixed):
            raise JitError(
                f"a loop over {value.type.name} is not supported",
                hint="range, arrays, tuples, enumerate and zip are there",
            )
        held = self._held(value)
        return _Turns((extents(held)[0].text,), lambda place: self.element(held, [place]))

    def _range_turns(self, node: ast.Call) -> _Turns:
        start, _, step, kind = self._range(node)
        first, by = self.kept(Value(converted(start, kind), kind)), self.kept(Value(converted(step, kind), kind))
        last = self.kept(Value(converted(self._range(node)[1], kind), kind))
        count = f"range_length({first.text}, {last.text}, {by.text})"
        return _Turns((count,), lambda place: Value(f"({kind.text})({first.text} + {place.text} * {by.text})", kind))

    def _range(self, node: ast.Call) -> tuple[Value, Value, Value, Scalar]:
        values = [self.value(each) for each in node.args]
        if not 1 <= len(values) <= 3 or node.keywords:
            raise JitError("range takes one to three numbers")
        start, stop, step = (literal(0), values[0], literal(1)) if len(values) == 1 else (*values, literal(1))[:3]
        if step.constant == 0 and not isinstance(step.constant, bool):
            raise JitError("range() arg 3 must not be zero")
        return start, stop, step, _counter_type(values)

    def _range_loop(self, node: ast.For, target: str) -> None:
        assert isinstance(node.iter, ast.Call)
        start, stop, step, kind = self._range(node.iter)
        name, end, by = (self.fresh(prefix) for prefix in ("i", "end", "step"))
        stop_text, step_text = converted(stop, kind), converted(step, kind)
        self.lines.append(f"{{ const {kind.text} {end} = {stop_text}, {by} = {step_text};")
        if step.constant is None and "gridDim" not in step.text:  # a grid has threads
            self.lines.append(f"if ({by} == 0) __trap();  // where Python raises ValueError")
        up = isinstance(step.constant, int) and step.constant > 0
        down = isinstance(step.constant, int) and step.constant < 0
        is_up = up or step.is_positive
        either = f"({by} > 0 ? {name} < {end} : {name} > {end})"
        test = f"{name} < {end}" if is_up else f"{name} > {end}" if down else either
        self.lines.append(f"for ({kind.text} {name} = {converted(start, kind)}; {test}; {name} += {by}) {{")
        is_positive = (is_up and start.is_positive) or (down and stop.is_positive)
        self.depth += 1  # a loop may have no turn at all
        self.assign_name(target, Value(name, kind, is_positive))
        self.depth -= 1
        self._body(node)
        self.lines.append("} }")


def stored(tree: ast.AST) -> set[str]:
    """The names that are assigned somewhere below."""
    names = (node for node in ast.walk(tree) if isinstance(node, ast.Name))
    return {node.id for node in names if not isinstance(node.ctx, ast.Load)}


def _private_targets(tree: ast.AST) -> set[str]:
    loops = [node for node in ast.walk(tree) if isinstance(node, ast.For)]
    names = {name for loop in loops for name in stored(loop.target)}
    covered: set[int] = set()
    for loop in loops:
        inner = [node for each in loop.body for node in ast.walk(each)]
        for name in stored(loop.target):
            if any(isinstance(node, ast.For) and name in stored(node.target) for node in inner):
                names.discard(name)
        own = stored(loop.target)
        covered |= {id(node) for node in inner if isinstance(node, ast.Name) and node.id in own}
    return {name for name in names if all(id(node) in covered for node in _names(tree) if _reads(node, name))}


def _names(tree: ast.AST) -> list[ast.Name]:
    return [node for node in ast.walk(tree) if isinstance(node, ast.Name)]


def _reads(node: ast.Name, name: str) -> bool:
    return node.id == name and isinstance(node.ctx, ast.Load)


def _counted(start: Value, place: Value) -> Value:
    if start.constant == 0:
        return place
    return Value(f"({converted(start, INT)} + {place.text})", INT, start.is_positive)


def _counter_type(values: Sequence[Value]) -> Scalar:
    """As numba has it: 32 bits where all are, no sign where none has one."""
    kinds = [value.scalar for value in values]
    if any(kind.kind in "fc" for kind in kinds):
        raise JitError("a float is no bound of range(...)")
    if all(kind == INT32 for kind in kinds):
        return INT32
    return UINT if all(kind == UINT for kind in kinds) else INT
