# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Assignments: to names, to several, to elements, to parts of arrays, to members of records."""

from __future__ import annotations

import ast
import math
from typing import Any

from warploom.core.records import replace
from warploom.pyjit.elements import described_element, stored_text
from warploom.pyjit.expressions import Expressions, once
from warploom.pyjit.intrinsics import Intrinsic
from warploom.pyjit.lowering import Scope
from warploom.pyjit.types import Array, Fixed, Known, NoValue, Record, Scalar, Text, Tuple, Type, unified
from warploom.pyjit.values import JitError, Value, converted, literal, member_of, view_of

Version = tuple[str, int]  # a name, and which of the variables of that name


class Assignments(Expressions):
    """Lowers what gives a name or a place its value."""

    def __init__(self, scope: Scope, variables: dict[Version, Value], parameters: list[str]) -> None:
        super().__init__(scope)
        self.variables = dict(variables)
        self.versions: dict[str, int] = dict.fromkeys(parameters, 0)
        self.loops: list[set[str]] = []  # what is assigned in each loop around
        self.depth: int = 0
        self.begun: set[str] = set()  # names whose next assignment begins a variable of its own
        self.arrays: list[str] = []
        self.own: set[str] = set()  # the C++ names of the kernel's own arrays

    def _name(self, node: ast.Name) -> Value:
        name = node.id
        if name in self.scope.assigned and name not in self.versions and not any(name in each for each in self.loops):
            raise JitError(f"'{name}' is read before anything is assigned to it")
        return super()._name(node)

    def _assign_statement(self, node: ast.Assign) -> None:
        if self._own_array(node):
            return
        value = self.argument(node.value)
        if len(node.targets) > 1:
            once(self, node.value)
        for target in node.targets:
            self.assign(target, value)

    def _annassign_statement(self, node: ast.AnnAssign) -> None:
        if node.value is not None:
            self.assign(node.target, self.value(node.value))

    def _augassign_statement(self, node: ast.AugAssign) -> None:
        """The place is found once: its indices, and what they call, are evaluated once."""
        if isinstance(node.target, ast.Name):
            before = self.value(ast.copy_location(ast.Name(node.target.id, ast.Load()), node))
            self.assign(node.target, self.binary(node.op, before, self.value(node.value)))
            return
        place = self.place(node.target)
        value = self.value(node.value)
        if isinstance(place.type, Array | Fixed):
            raise JitError("an operator on part of an array is not supported", hint="write a loop over its elements")
        self.store(place, self.binary(node.op, place, value))

    def place(self, node: ast.expr) -> Value:
        """Where an assignment goes to; indices that are no names or constants get names."""
        if isinstance(node, ast.Attribute):
            return self.attribute(self.value(node.value), node.attr)
        if not isinstance(node, ast.Subscript):
            raise JitError(f"nothing can be assigned to {type(node).__name__} in a kernel")
        array = self.place(node.value) if isinstance(node.value, ast.Subscript) else self.value(node.value)
        indices: list[Any] = [self._index(each) for each in _index_nodes(node)]
        return self.indexed(array, [self._indexed_once(each) for each in indices])

    def _indexed_once(self, index: Any) -> Any:
        if not isinstance(index, Value):
            return index
        return self.kept(index) if "(" in index.text.removeprefix("(") and "atomic" in index.text else index

    def assign(self, target: ast.expr, value: Value) -> None:
        """Give a target its value. Raises JitError."""
        if isinstance(target, ast.Tuple | ast.List):
            self._unpack(target, value)
        elif isinstance(target, ast.Name):
            self.assign_name(target.id, value)
        else:
            self.store(self.place(target), value)

    def store(self, place: Value, value: Value) -> None:
        """Write a value to a place in memory."""
        found = place.type
        if isinstance(found, Array | Fixed):
            self._store_array(place, value)
        elif isinstance(found, Record):
            self._store_record(place, found, value)
        elif isinstance(found, Text):
            if not isinstance(value.type, Known) or not isinstance(value.type.what, str | bytes):
                raise JitError(f"{value.type.name} cannot be stored as text", hint="constants can")
            self.lines.append(f"{place.text} = {stored_text(found, value.type.what)};")
        else:
            self.lines.append(f"{place.text} = {converted(value, found)};")

    def _store_record(self, place: Value, found: Record, value: Value) -> None:
        given = value.type
        if not isinstance(given, Record) or replace(given, is_const=False) != replace(found, is_const=False):
            raise JitError(f"{given.name} cannot become {found.name}")
        self.lines.append(f"__builtin_memmove({place.text}, {value.text}, {found.size});")

    def _store_array(self, place: Value, value: Value) -> None:
        """`x[1:3] = value`: a number everywhere, an array or a tuple element by element."""
        target = self._held(place)
        assert isinstance(target.type, Array)
        if not isinstance(target.type.element, Scalar):
            raise JitError(f"{target.type.name} is no array of numbers")
        element = target.type.element
        wrong = self.scope.raised.number(
            ValueError, ("could not broadcast input array",), self.scope.function, self.line
        )
        if isinstance(value.type, Tuple):
            members = [member_of(value, number) for number in range(len(value.type.members))]
            self.lines.append(f"if ({target.text}.shape[{target.type.ndim - 1}] != {len(members)}) raise({wrong});")
            for number, member in enumerate(members):
                text = f"meeting({target.text}, {number}, {target.text}.shape)"
                self.lines.append(f"{text} = {converted(member, element)};")
        elif isinstance(value.type, Array | Fixed):
            source = view_of(value)
            assert isinstance(source.type, Array)
            if not isinstance(source.type.element, Scalar) or source.type.ndim > target.type.ndim:
                raise JitError(f"{value.type.name} cannot become {place.type.name}")
            converted(Value("x", source.type.element), element)
            self.lines.append(f"copy_elements({target.text}, {source.text}, {wrong});")
        else:
            self.lines.append(f"fill_elements({target.text}, {converted(value, element)});")

    def _unpack(self, target: ast.Tuple | ast.List, value: Value) -> None:
        if isinstance(value.type, Array | Fixed):
            whole = self._held(value)
            members = [self.element(whole, [literal(number)]) for number in range(len(target.elts))]
        elif isinstance(value.type, Tuple) and len(value.type.members) == len(target.elts):
            whole = value if value.parts is not None else self.kept(value)
            members = [member_of(whole, number) for number in range(len(target.elts))]
        else:
            raise JitError(f"{value.type.name} has not {len(target.elts)} members")
        kept = [self.kept(member) for member in members]  # all are read before the first is written
        for each, part in zip(target.elts, kept, strict=True):
            self.assign(each, part)

    def assign_name(self, name: str, value: Value) -> None:
        """Give a variable its value."""
        if isinstance(value.type, NoValue):
            raise JitError("this call gives nothing")
        known = self.variables.get(self._version(name))
        found = value.type if known is None else unified(known.type, value.type)
        if found is None:
            assert known is not None
            raise JitError(f"'{name}' is {known.type.name} and then {value.type.name}")
        if isinstance(found, Known):
            self._define(name, value)
            return
        text = f"{name}_v{self.versions[name]}"
        is_positive = value.is_positive and (known is None or known.is_positive)
        constant = value.constant if known is None or known.constant == value.constant else None
        constant = constant if found == value.type else None
        made = Value(text, found, is_positive, constant, _parts(text, found, value, known))
        self._define(name, made)
        self.lines.append(f"{text} = {converted(value, found)};")

    def _version(self, name: str) -> Version:
        """The variable that an assignment here is to."""
        number = self.versions.get(name, -1)
        self.versions[name] = number + 1 if self.depth == 0 or number < 0 or name in self.begun else number
        self.begun.discard(name)
        return name, self.versions[name]

    def _define(self, name: str, made: Value) -> None:
        version = name, self.versions[name]
        seen = self.variables.get(version, made)
        self.variables[version] = made
        # Until the next round it is read as the last one left it: an assignment below may have changed it.
        self.scope.locals[name] = seen

    # -- arrays of the kernel's own -----------------------------------------------------------------------------------

    def _own_array(self, node: ast.Assign) -> bool:
        """`tile = cuda.shared.array(shape, dtype)`: declared where the function begins."""
        function = self.callee(node.value.func) if isinstance(node.value, ast.Call) else None
        if not isinstance(function, Intrinsic) or function.name not in ("shared.array", "local.array"):
            return False
        assert isinstance(node.value, ast.Call)
        if len(node.targets) != 1 or not isinstance(node.targets[0], ast.Name):
            raise JitError("an array of the kernel's own gets one name")
        given = dict(zip(("shape", "dtype"), node.value.args, strict=False)) | {
            keyword.arg: keyword.value for keyword in node.value.keywords if keyword.arg
        }
        shape = self._shape(given.get("shape"))
        element = described_element(self._dtype(given.get("dtype")))
        if element is None:
            raise JitError("the dtype of an array is one of NumPy's numbers or records")
        if isinstance(element, Text):
            raise JitError("arrays of text are those of arguments")
        name, is_shared = node.targets[0].id, function.name == "shared.array"
        self._version(name)
        text = f"{name}_v{self.versions[name]}"
        self.own.add(text)
        align = "alignas(16) " if isinstance(element, Record) else ""
        if shape or not is_shared:
            kind = "__shared__ " if is_shared else ""
            self.arrays.append(f"{align}{kind}{element.stored} {text}[{max(math.prod(shape), 1)}];")
        else:
            self.arrays.append("extern __shared__ double warploom_dynamic[];")
            self.arrays.append(f"{element.stored} *const {text} = ({element.stored} *)warploom_dynamic;")
        self._define(name, Value(text, Fixed(element, shape)))
        return True

    def _shape(self, node: ast.expr | None) -> tuple[int, ...]:
        if node is None:
            raise JitError("an array wants a shape and a dtype")
        value = self.value(node)
        parts = value.parts or (value,)
        extents = tuple(part.constant for part in parts)
        if not all(isinstance(extent, int) and extent >= 0 for extent in extents):
            raise JitError("the shape of an array of the kernel's own is of constants")
        whole = tuple(int(extent) for extent in extents if isinstance(extent, int))
        return () if whole == (0,) else whole

    def _dtype(self, node: ast.expr | None) -> Any:
        if node is None:
            raise JitError("an array wants a shape and a dtype")
        if isinstance(node, ast.Constant):
            return node.value
        if isinstance(node, ast.Attribute) and node.attr == "dtype":
            return getattr(self.value(node.value).type, "element", None)
        return self.callee(node)


def _parts(text: str, found: Type, value: Value, known: Value | None) -> tuple[Value, ...] | None:
    """What is known of the members of a variable that has several."""
    if not isinstance(found, Tuple):
        return None
    signs = [part.is_positive for part in value.parts] if value.parts is not None else [False] * len(found.members)
    if known is not None and known.parts is not None:
        signs = [sign and part.is_positive for sign, part in zip(signs, known.parts, strict=True)]
    members = zip(found.members, signs, strict=True)
    return tuple(Value(f"member<{n}>({text})", kind, sign) for n, (kind, sign) in enumerate(members))


def _index_nodes(node: ast.Subscript) -> list[ast.expr]:
    return list(node.slice.elts) if isinstance(node.slice, ast.Tuple) else [node.slice]
