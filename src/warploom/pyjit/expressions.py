# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Expressions of Python as C++: each gives its text and its type, by numba's rules.

An index counts from the end where it is below zero; where it is known not to be (positions of threads, counters of
loops that count up from zero, sums and products of such) the test is left out, so that what a vector of threads touches
is seen to lie side by side.
"""

from __future__ import annotations

import ast
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from warploom.pyjit.intrinsics import ATOMICS, SPECIAL, Intrinsic, maker_of, scalar_type
from warploom.pyjit.types import (
    BOOL,
    FLOAT,
    FLOAT32,
    INT,
    Array,
    Fixed,
    Known,
    NoValue,
    Scalar,
    Tuple,
    Type,
    arithmetic,
    bitwise,
    unified,
    widened,
)
from warploom.pyjit.values import JitError, NotYetTyped, Value, converted, literal, located

DYNAMIC_SIZE = "dynamic_size"  # the kernel's parameter with the bytes of dynamic shared memory
_COMPARE: dict[type[ast.cmpop], str] = {
    ast.Lt: "<",
    ast.LtE: "<=",
    ast.Gt: ">",
    ast.GtE: ">=",
    ast.Eq: "==",
    ast.NotEq: "!=",
}
_PLAIN = {ast.Add: "+", ast.Sub: "-", ast.Mult: "*"}
_BITS = {ast.BitAnd: "&", ast.BitOr: "|", ast.BitXor: "^"}
_SHIFTS = {ast.LShift: "shift_left", ast.RShift: "shift_right"}


@dataclass
class Scope:
    """What the expressions of one function may name."""

    file: str
    names: Mapping[str, Any]  # globals, what the function closes over, and Python's own
    locals: dict[str, Value] = field(default_factory=dict[str, Value])
    assigned: frozenset[str] = frozenset()
    call: Callable[[Any, Sequence[Value]], Value | None] = lambda _function, _values: None  # of device functions


class Expressions:
    """Lowers expressions within a scope."""

    def __init__(self, scope: Scope) -> None:
        self.scope = scope

    def value(self, node: ast.expr) -> Value:
        """The value of an expression. Raises JitError at its line, NotYetTyped."""
        method = getattr(self, f"_{type(node).__name__.lower()}", None)
        try:
            if method is None:
                raise JitError(f"{type(node).__name__} is not supported in a kernel")
            return method(node)
        except JitError as error:
            raise located(error, node, self.scope.file) from None

    # -- names --------------------------------------------------------------------------------------------------------

    def known(self, node: ast.expr) -> Any:
        """The object of Python's that an expression names, where that is none of the kernel's own; else None."""
        if isinstance(node, ast.Name):
            return None if node.id in self.scope.assigned else self.scope.names.get(node.id)
        if isinstance(node, ast.Attribute):
            home = self.known(node.value)
            return None if home is None else getattr(home, node.attr, None)
        return None

    def _constant(self, node: ast.Constant) -> Value:
        return literal(node.value)  # pyright: ignore[reportArgumentType]

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
        if hasattr(found, "item") and getattr(found, "ndim", 1) == 0:
            kind = scalar_type(found.dtype)
            plain = literal(found.item())
            return plain if kind is None else Value(converted(plain, kind), kind, plain.is_positive, plain.constant)
        if isinstance(found, bool | int | float):
            return literal(found)
        if isinstance(found, tuple):
            members: tuple[Any, ...] = found  # pyright: ignore[reportUnknownVariableType]
            return _tuple([self._global(name, each) for each in members])
        raise JitError(f"'{name}', a {type(found).__name__}, is nothing that a kernel can use; pass it as an argument")

    def _attribute(self, node: ast.Attribute) -> Value:
        known = self.known(node)
        if known is not None:
            return self._global(node.attr, known)
        value = self.value(node.value)
        if not isinstance(value.type, Array | Fixed):
            raise JitError(f"{value.type.name} has no '{node.attr}'")
        if node.attr == "shape":
            return _tuple(_extents(value))
        if node.attr == "size":
            return _product(_extents(value))
        if node.attr == "ndim":
            return literal(value.type.ndim)
        raise JitError(f"an array has no '{node.attr}' in a kernel", hint="shape, size and ndim are there")

    # -- numbers ------------------------------------------------------------------------------------------------------

    def _binop(self, node: ast.BinOp) -> Value:
        return self.binary(node.op, self.value(node.left), self.value(node.right))

    def binary(self, op: ast.operator, left: Value, right: Value) -> Value:
        """Two numbers and an operator between them."""
        kind = type(op)
        if kind in _BITS:
            return _of_bits(_BITS[kind], left, right)
        found = arithmetic(left.scalar, right.scalar)
        both = left.is_positive and right.is_positive
        if kind in _PLAIN:
            is_positive = both and kind is not ast.Sub and found.kind != "f"
            text = f"({converted(left, found)} {_PLAIN[kind]} {converted(right, found)})"
            return Value(text, found, is_positive or found.kind == "u")
        if kind is ast.Div:
            found = FLOAT32 if found == FLOAT32 else FLOAT
            return Value(f"({converted(left, found)} / {converted(right, found)})", found)
        if kind is ast.Pow:
            return _power(left, right)
        if kind in _SHIFTS:
            found = widened(left.scalar)
            if "f" in (left.scalar.kind, right.scalar.kind):
                raise JitError("a float has no bits to shift")
            text = f"{_SHIFTS[kind]}<{found.text}>({converted(left, found)}, {converted(right, found)})"
            return Value(text, found, left.is_positive and kind is ast.RShift)
        if kind in (ast.FloorDiv, ast.Mod):
            return _quotient(kind, found, left, right, both)
        raise JitError(f"the operator {kind.__name__} is not supported in a kernel")

    def _unaryop(self, node: ast.UnaryOp) -> Value:
        value = self.value(node.operand)
        if isinstance(node.op, ast.Not):
            return Value(f"(!{truth(value)})", BOOL, True)
        if value.constant is not None and isinstance(node.op, ast.USub) and not isinstance(value.constant, bool):
            return literal(-value.constant)
        found = widened(value.scalar)
        if isinstance(node.op, ast.UAdd):
            return Value(converted(value, found), found, value.is_positive)
        if isinstance(node.op, ast.Invert) and found.kind == "f":
            raise JitError("a float has no bits to turn")
        return Value(f"({'-' if isinstance(node.op, ast.USub) else '~'}{converted(value, found)})", found)

    def _compare(self, node: ast.Compare) -> Value:
        values = [self.value(each) for each in (node.left, *node.comparators)]
        for between in node.comparators[:-1]:
            once(self, between)
        parts = [self._comparison(op, *pair) for op, *pair in zip(node.ops, values[:-1], values[1:], strict=True)]
        return Value(f"({' && '.join(parts)})", BOOL, True)

    def _comparison(self, op: ast.cmpop, left: Value, right: Value) -> str:
        if type(op) not in _COMPARE:
            raise JitError(f"the comparison {type(op).__name__} is not supported in a kernel")
        found = arithmetic(left.scalar, right.scalar)
        return f"({converted(left, found)} {_COMPARE[type(op)]} {converted(right, found)})"

    def _boolop(self, node: ast.BoolOp) -> Value:
        values = [self.value(each) for each in node.values]
        if all(value.type == BOOL for value in values):
            mark = " && " if isinstance(node.op, ast.And) else " || "
            return Value(f"({mark.join(value.text for value in values)})", BOOL, True)
        for each in node.values[:-1]:
            once(self, each)
        *before, result = values
        for value in reversed(before):
            found = _common(value, result)
            one, other = converted(value, found), converted(result, found)
            chosen = (other, one) if isinstance(node.op, ast.And) else (one, other)
            both = value.is_positive and result.is_positive
            result = Value(f"({truth(value)} ? {chosen[0]} : {chosen[1]})", found, both)
        return result

    def _ifexp(self, node: ast.IfExp) -> Value:
        condition, one, other = self.value(node.test), self.value(node.body), self.value(node.orelse)
        found = _common(one, other)
        text = f"({truth(condition)} ? {converted(one, found)} : {converted(other, found)})"
        return Value(text, found, one.is_positive and other.is_positive)

    # -- several values -----------------------------------------------------------------------------------------------

    def _tuple(self, node: ast.Tuple) -> Value:
        return _tuple([self.value(each) for each in node.elts])

    def _subscript(self, node: ast.Subscript) -> Value:
        value = self.value(node.value)
        indices = [self.value(each) for each in _index_nodes(node)]
        if isinstance(value.type, Tuple):
            return member(value, indices)
        return self.element(value, indices)

    def element(self, array: Value, indices: Sequence[Value]) -> Value:
        """An element of an array, or one of its rows where there are fewer indices than axes."""
        found = array.type
        if not isinstance(found, Array | Fixed):
            raise JitError(f"{found.name} has no elements")
        flat = [part for index in indices for part in (index.parts or (index,))]
        if len(flat) > found.ndim:
            raise JitError(f"{len(flat)} indices for {found.ndim} axes")
        extents = _extents(array)
        places = [_place(index, extent) for index, extent in zip(flat, extents, strict=False)]
        if isinstance(found, Fixed):
            return _fixed_element(array, found, places)
        if len(places) == found.ndim:
            return Value(f"{array.text}({', '.join(places)})", found.element, found.element.kind in "bu")
        text = array.text
        for place in places:
            text += f".row({place})"
        return Value(text, Array(found.element, found.ndim - len(places), found.is_contiguous, found.is_const))

    # -- calls --------------------------------------------------------------------------------------------------------

    def _argument(self, node: ast.expr, function: Any) -> Value:
        """What a call is given; for a device function that may be a function or a type, too."""
        try:
            return self.value(node)
        except JitError:
            known = self.known(node)
            if known is None or not getattr(function, "is_device", False):
                raise
            return Value("", Known(known))

    def _call(self, node: ast.Call) -> Value:
        function = self.known(node.func)
        if function is None:
            raise JitError("what is called here is not known", hint="functions of a kernel are global names")
        if isinstance(function, Intrinsic) and function.name.startswith("atomic."):
            return self._atomic(function.name.removeprefix("atomic."), node)
        if node.keywords:
            raise JitError("arguments are given by position in a kernel")
        if function is len:
            return _extents(self.value(node.args[0]))[0]
        values = [self._argument(each, function) for each in node.args]
        made = self.scope.call(function, values)
        if made is not None:
            return made
        maker = maker_of(function)
        if maker is None:
            name = getattr(function, "name", None) or getattr(function, "__name__", str(function))
            raise JitError(f"'{name}' cannot be called in a kernel", hint="@jit(device=True) makes a function of it")
        return maker(values)

    def _atomic(self, name: str, node: ast.Call) -> Value:
        if name == "compare_and_swap":
            array, *values = (self.value(each) for each in node.args)
            indices = [literal(0)]
            name = "cas"
        else:
            array, index, *values = (self.value(each) for each in node.args)
            indices = [index]
        if name not in ATOMICS or len(values) != (2 if name == "cas" else 1):
            raise JitError(f"cuda.atomic.{name} with {len(node.args)} arguments is not supported")
        place = self.element(array, indices)
        kind = place.scalar
        if kind.size < 4:
            raise JitError(f"atomics are for 4 and 8 bytes, not {kind.name}")
        words = ", ".join([f"&{place.text}", *(converted(value, kind) for value in values)])
        return Value(f"{ATOMICS[name]}<{kind.text}>({words})", kind)


def once(expressions: Expressions, node: ast.expr) -> None:
    """JitError where evaluating `node` twice, as its text will be, is not the same as once."""
    for each in ast.walk(node):
        called = expressions.known(each.func) if isinstance(each, ast.Call) else None
        if called is not None and maker_of(called) is None and called is not len:
            raise JitError("a call here would be made twice", hint="give its result a name before")


def truth(value: Value) -> str:
    """A number as a condition."""
    return value.text if value.scalar == BOOL else f"({value.text} != 0)"


def member(value: Value, indices: Sequence[Value]) -> Value:
    """One of several values, by a constant."""
    assert isinstance(value.type, Tuple)
    number = indices[0].constant if len(indices) == 1 else None
    if not isinstance(number, int) or not -len(value.type.members) <= number < len(value.type.members):
        raise JitError("a tuple is indexed by a constant within its length")
    number %= len(value.type.members)
    if value.parts is not None:
        return value.parts[number]
    return Value(f"{value.text}.f{number}", value.type.members[number])


def _tuple(values: Sequence[Value]) -> Value:
    if not 1 <= len(values) <= 4:
        raise JitError("a tuple has one to four members in a kernel")
    made = Tuple(tuple(value.type for value in values))
    return Value(f"{made.text}{{{', '.join(value.text for value in values)}}}", made, parts=tuple(values))


def _common(one: Value, other: Value) -> Type:
    found = unified(one.type, other.type)
    if found is None or isinstance(found, NoValue):
        raise JitError(f"a value is either {one.type.name} or {other.type.name}")
    return found


def _of_bits(mark: str, left: Value, right: Value) -> Value:
    if "f" in (left.scalar.kind, right.scalar.kind):
        raise JitError("a float has no bits to combine")
    found = bitwise(left.scalar, right.scalar)
    signs = left.is_positive, right.is_positive
    is_positive = any(signs) if mark == "&" else all(signs)
    return Value(f"({converted(left, found)} {mark} {converted(right, found)})", found, is_positive)


def _power(left: Value, right: Value) -> Value:
    found = arithmetic(left.scalar, right.scalar)
    if found.kind != "f":
        return Value(f"power<{found.text}>({converted(left, found)}, {converted(right, INT)})", found)
    if right.constant == 2:
        return Value(f"power<{left.scalar.text}>({left.text}, 2)", left.scalar)
    if right.scalar.kind in "iu" and left.scalar.kind == "f":  # a float32 stays one
        return Value(f"float_power({left.text}, {converted(right, INT)})", left.scalar)
    suffix = "f" if found == FLOAT32 else ""
    return Value(f"pow{suffix}({converted(left, found)}, {converted(right, found)})", found)


def _quotient(kind: type[ast.operator], found: Scalar, left: Value, right: Value, both: bool) -> Value:
    if found.kind != "f" and both:  # as C++ has it
        mark = "/" if kind is ast.FloorDiv else "%"
        return Value(f"({converted(left, found)} {mark} {converted(right, found)})", found, True)
    name = "floor_divide" if kind is ast.FloorDiv else "modulo"
    arguments = f"{converted(left, found)}, {converted(right, found)}"
    call = f"{name}({arguments})" if found.kind == "f" else f"{name}<{found.text}>({arguments})"
    return Value(call, found, found.kind != "f" and kind is ast.Mod and right.is_positive)


def _index_nodes(node: ast.Subscript) -> list[ast.expr]:
    nodes = node.slice.elts if isinstance(node.slice, ast.Tuple) else [node.slice]
    if any(isinstance(each, ast.Slice) for each in nodes):
        raise JitError("slices are not supported in a kernel", hint="index element by element")
    return list(nodes)


def _extents(array: Value) -> list[Value]:
    found = array.type
    if isinstance(found, Array):
        return [Value(f"{array.text}.shape[{axis}]", INT, True) for axis in range(found.ndim)]
    if isinstance(found, Fixed) and found.shape:
        return [literal(extent) for extent in found.shape]
    if isinstance(found, Tuple):
        return [literal(len(found.members))]
    if isinstance(found, Fixed):
        return [Value(f"({DYNAMIC_SIZE} / {found.element.size})", INT, True)]
    raise JitError(f"{found.name} has no extents")


def _product(values: Sequence[Value]) -> Value:
    return Value(f"({' * '.join(value.text for value in values)})", INT, True)


def _place(index: Value, extent: Value) -> str:
    if index.scalar.kind == "f":
        raise JitError("a float is no index", hint="int(x) makes a whole number")
    if index.is_positive:
        return converted(index, INT)
    return f"from_end({converted(index, INT)}, {extent.text})"


def _fixed_element(array: Value, found: Fixed, places: Sequence[str]) -> Value:
    if len(places) != found.ndim:
        rest = found.shape[len(places) :]
        text = _flat(places, found.shape[: len(places)])
        size = 1
        for extent in rest:
            size *= extent
        return Value(f"({array.text} + {text} * {size})", Fixed(found.element, rest))
    return Value(f"{array.text}[{_flat(places, found.shape)}]", found.element, found.element.kind in "bu")


def _flat(places: Sequence[str], shape: Sequence[int]) -> str:
    text = places[0]
    for place, extent in zip(places[1:], shape[1:], strict=False):
        text = f"({text} * {extent} + {place})"
    return text
