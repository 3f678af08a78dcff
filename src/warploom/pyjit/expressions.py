# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Expressions of Python as C++: each gives its text and its type, by numba's rules."""

from __future__ import annotations

import ast
import enum
from typing import Any

from warploom.api.dtypes import is_array, is_scalar
from warploom.pyjit.arithmetic import binary, comparison, unary
from warploom.pyjit.calls import Calls
from warploom.pyjit.elements import element_of
from warploom.pyjit.intrinsics import SPECIAL, Intrinsic, maker_of
from warploom.pyjit.lowering import ZeroDivision
from warploom.pyjit.numbers import scalar_type
from warploom.pyjit.types import BOOL, Known, Tuple
from warploom.pyjit.values import (
    JitError,
    NotYetTyped,
    Value,
    common,
    converted,
    known_truth,
    literal,
    truth,
    tuple_of,
)


class Expressions(Calls):
    """Lowers expressions within a scope."""

    # -- names --------------------------------------------------------------------------------------------------------

    def _constant(self, node: ast.Constant) -> Value:
        return Value("", Known(Ellipsis)) if node.value is Ellipsis else literal(node.value)

    def _joinedstr(self, _node: ast.JoinedStr) -> Value:
        raise JitError("a kernel formats no text", hint="print takes several values")

    def _name(self, node: ast.Name) -> Value:
        found = self.scope.locals.get(node.id)
        if found is not None:
            return found
        if node.id in self.scope.assigned:
            raise NotYetTyped(node.id)
        if node.id not in self.scope.names:
            raise JitError(f"there is no '{node.id}'")
        return self._global(node.id, self.scope.names[node.id])

    def _global(self, name: str, found: Any) -> Value:
        if isinstance(found, Intrinsic) and found.name in SPECIAL:
            return SPECIAL[found.name]
        if is_array(found) and found.ndim:
            return self.scope.constant(found)
        if (is_scalar(found) and found.dtype.names is None) or (is_array(found) and not found.ndim):
            if found.dtype.kind in "mM":
                return Value(f"{int(found.view('i8'))}ll", element_of(found.dtype))
            kind = scalar_type(found.dtype)
            plain = literal(found.item())
            return plain if kind is None else Value(converted(plain, kind), kind, plain.is_positive, plain.constant)
        if found is None or isinstance(found, bool | int | float | complex | str | bytes | enum.Enum):
            return literal(found)
        if isinstance(found, tuple):
            members: tuple[Any, ...] = found  # pyright: ignore[reportUnknownVariableType]
            return tuple_of([self._global(name, each) for each in members], tuple(getattr(found, "_fields", ())))  # pyright: ignore[reportUnknownArgumentType]
        raise JitError(f"'{name}', a {type(found).__name__}, is nothing that a kernel can use; pass it as an argument")

    def _attribute(self, node: ast.Attribute) -> Value:
        known = self.known(node)
        if known is not None:
            return self._global(node.attr, known)
        value = self.value(node.value)
        if isinstance(value.type, Known) and hasattr(value.type.what, node.attr):
            return self._global(node.attr, getattr(value.type.what, node.attr))
        return self.attribute(value, node.attr)

    # -- numbers ------------------------------------------------------------------------------------------------------

    def _binop(self, node: ast.BinOp) -> Value:
        left, right = self.value(node.left), self.value(node.right)
        self.line = node.lineno
        return self.binary(node.op, left, right)

    def binary(self, op: ast.operator, left: Value, right: Value) -> Value:
        """Two values and an operator between them."""
        if isinstance(left.type, Tuple) and isinstance(right.type, Tuple) and isinstance(op, ast.Add):
            if left.parts is None or right.parts is None:
                raise JitError("tuples are put together where they are written out")
            return tuple_of((*left.parts, *right.parts))
        return binary(op, left, right, checked=self.error(ZeroDivision, "division by zero"))

    def _unaryop(self, node: ast.UnaryOp) -> Value:
        return unary(node.op, self.value(node.operand))

    def _compare(self, node: ast.Compare) -> Value:
        values = [self.value(each) for each in (node.left, *node.comparators)]
        for between in node.comparators[:-1]:
            once(self, between)
        parts = [comparison(op, *pair) for op, *pair in zip(node.ops, values[:-1], values[1:], strict=True)]
        if len(parts) == 1:
            return parts[0]
        return Value(f"({' && '.join(part.text for part in parts)})", BOOL, True)

    def _boolop(self, node: ast.BoolOp) -> Value:
        values = [self.value(each) for each in node.values]
        is_and = isinstance(node.op, ast.And)
        while len(values) > 1 and known_truth(values[0]) is not None:  # known now: it decides, or it does not matter
            if known_truth(values[0]) != is_and:
                return values[0]
            values = values[1:]
        if all(value.type == BOOL for value in values):
            mark = " && " if is_and else " || "
            return Value(f"({mark.join(value.text for value in values)})", BOOL, True, values[-1].constant
                         if len(values) == 1 else None)  # fmt: skip
        for each in node.values[-len(values) : -1]:
            once(self, each)
        *before, result = values
        for value in reversed(before):
            found = common(value, result)
            one, other = converted(value, found), converted(result, found)
            chosen = (other, one) if is_and else (one, other)
            both = value.is_positive and result.is_positive
            result = Value(f"({truth(value)} ? {chosen[0]} : {chosen[1]})", found, both)
        return result

    def _ifexp(self, node: ast.IfExp) -> Value:
        condition = self.value(node.test)
        decided = known_truth(condition)
        if decided is not None:
            return self.value(node.body if decided else node.orelse)
        one, other = self.value(node.body), self.value(node.orelse)
        found = common(one, other)
        text = f"({truth(condition)} ? {converted(one, found)} : {converted(other, found)})"
        return Value(text, found, one.is_positive and other.is_positive)

    def _tuple(self, node: ast.Tuple) -> Value:
        return tuple_of([self.value(each) for each in node.elts])


def once(expressions: Expressions, node: ast.expr) -> None:
    """JitError where evaluating `node` twice, as its text will be, is not the same as once."""
    for each in ast.walk(node):
        called = expressions.known(each.func) if isinstance(each, ast.Call) else None
        if called is not None and maker_of(called) is None and called is not len:
            raise JitError("a call here would be made twice", hint="give its result a name before")
