# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Elements, rows, slices and members.

An index counts from the end where it is below zero; where it is known not to be (positions of threads, counters of
loops that count up from zero, sums and products of such) the test is left out, so that what a vector of threads touches
is seen to lie side by side.
"""

from __future__ import annotations

import ast
import math
from collections.abc import Sequence
from typing import Any

from warploom.core.records import replace
from warploom.pyjit.lowering import Lowering
from warploom.pyjit.numbers import scalar_type
from warploom.pyjit.types import INT, Array, Element, Field, Fixed, Known, Record, Scalar, Tuple, Vector, unified
from warploom.pyjit.values import JitError, Value, converted, literal, member_of, tuple_of, view_of

_BITS = ("real", "imag")


class Indexing(Lowering):
    """Lowers what is written with brackets, and attributes of values."""

    def _subscript(self, node: ast.Subscript) -> Value:
        named = self._named(node)
        if named is not None:
            return named
        value = self.value(node.value)
        return self.indexed(value, [self._index(each) for each in _index_nodes(node)])

    def _named(self, node: ast.Subscript) -> Value | None:
        """`Color["red"]`: a member of an enumeration."""
        known = self.known(node.value)
        if isinstance(known, type) and isinstance(node.slice, ast.Constant):
            return literal(known[node.slice.value])  # pyright: ignore[reportIndexIssue, reportUnknownArgumentType]
        return None

    def _index(self, node: ast.expr) -> Value | tuple[Value | None, ...]:
        if not isinstance(node, ast.Slice):
            return self.value(node)
        return tuple(None if part is None else self.value(part) for part in (node.lower, node.upper, node.step))

    def indexed(self, value: Value, indices: Sequence[Any]) -> Value:
        """A value with brackets behind it."""
        if isinstance(value.type, Tuple):
            return self.member(value, indices)
        if isinstance(value.type, Record):
            return _of_record(value, indices)
        return self.element(value, indices)

    def element(self, array: Value, indices: Sequence[Any]) -> Value:
        """An element of an array, or a part of it where there are slices or fewer indices than axes."""
        found = array.type
        if not isinstance(found, Array | Fixed):
            raise JitError(f"{found.name} has no elements")
        names = [each for each in indices if isinstance(each, Value) and _is_name(each)]
        if names:
            return _of_field(array, names, indices)
        flat = _expanded([part for index in indices for part in _flat(index)], found.ndim)
        if len(flat) > found.ndim:
            raise JitError(f"{len(flat)} indices for {found.ndim} axes")
        if any(isinstance(each, tuple) for each in flat):
            return self._sliced(view_of(array), flat)
        places = [self._place(*pair) for pair in zip(flat, extents(array), strict=False)]
        if isinstance(found, Fixed):
            return _fixed_element(array, found, places)
        if len(places) == found.ndim:
            return _element_of(f"{array.text}({', '.join(places)})", found)
        text = array.text + "".join(f".row({place})" for place in places)
        return Value(text, Array(found.element, found.ndim - len(places), found.is_contiguous, found.is_const))

    def _place(self, index: Value, extent: Value) -> str:
        if index.scalar.kind in "fc":
            raise JitError("a float is no index", hint="int(x) makes a whole number")
        text = converted(index, INT)
        if not index.is_positive:
            text = f"from_end({text}, {extent.text})"
        number = self.error(IndexError, "index is out of bounds")
        return f"checked_index({text}, {extent.text}, {number})" if number else text

    def _sliced(self, array: Value, indices: Sequence[Any]) -> Value:
        found = array.type
        assert isinstance(found, Array)
        pairs = list(zip(indices, extents(array), strict=False))
        words = [_slice_text(*pair) if isinstance(pair[0], tuple) else self._place(*pair) for pair in pairs]
        count = found.ndim - sum(not isinstance(each, tuple) for each in indices)
        first: Any = indices[0]
        if found.is_contiguous and len(indices) == 1 and _is_dense(first):
            return Value(f"first_rows({array.text}, {words[0]})", found)
        made = Array(found.element, count, False, found.is_const)
        return Value(f"sliced<{count}>({array.text}, {', '.join(words)})", made)

    def member(self, value: Value, indices: Sequence[Any]) -> Value:
        """One of several values: by a constant, or by a number where all are of one type."""
        assert isinstance(value.type, Tuple)
        members = value.type.members
        index = indices[0] if len(indices) == 1 else None
        if isinstance(index, tuple):
            return _part_of(value, index)  # pyright: ignore[reportUnknownArgumentType]
        if not isinstance(index, Value):
            raise JitError("a tuple has one axis")
        number = index.constant
        if isinstance(number, int):
            if not -len(members) <= number < len(members):
                raise JitError("tuple index out of range")
            return member_of(value, number % len(members))
        kind = members[0] if members else None
        for other in members:
            kind = None if kind is None else unified(kind, other)
        if kind is None:
            raise JitError("a tuple of several types is indexed by a constant")
        uniform = Value(converted(value, Tuple((kind,) * len(members))), value.type)
        extent = str(len(members))
        place = f"from_end({converted(index, INT)}, {extent})"
        error = self.error(IndexError, "tuple index out of range")
        place = f"checked_index({place}, {extent}, {error})" if error else place
        return Value(f"chosen({uniform.text}, {place})", kind)

    # -- attributes ---------------------------------------------------------------------------------------------------

    def attribute(self, value: Value, name: str) -> Value:
        """What a value has by name. Raises JitError."""
        found = value.type
        if isinstance(found, Tuple) and name in found.names:
            return member_of(value, found.names.index(name))
        if isinstance(found, Record):
            return _member(value, found, name)
        if isinstance(found, Vector) and name in "xyzw"[: found.count]:
            return Value(f"{value.text}.{name}", found.element)
        if isinstance(found, Scalar) and name in _BITS:
            return _part_of_number(value, found, name)
        if isinstance(found, Array | Fixed):
            return _of_array(value, found, name)
        raise JitError(f"{found.name} has no '{name}' in a kernel")


def _is_dense(index: tuple[Value | None, ...]) -> bool:
    """Whether a slice takes elements that follow one another."""
    return index[2] is None or index[2].constant == 1


def _part_of_number(value: Value, found: Scalar, name: str) -> Value:
    if found.kind == "c":
        return Value(f"{value.text}.{name}", found.part)
    return value if name == "real" else Value(f"(({found.text})0)", found)


def _of_array(value: Value, found: Array | Fixed, name: str) -> Value:
    if isinstance(found.element, Record) and name in (field.name for field in found.element.fields):
        return _of_field(value, [Value("", Known(name))], [None])
    if name == "shape":
        return tuple_of(extents(value))
    if name == "size":
        return _product(extents(value))
    if name == "ndim":
        return literal(found.ndim)
    if name == "itemsize":
        return Value(f"(Int)sizeof({found.element.stored})", INT, True)
    if name == "nbytes":
        return Value(f"({_product(extents(value)).text} * (Int)sizeof({found.element.stored}))", INT, True)
    view = view_of(value)
    if name == "strides":
        return tuple_of([Value(f"{view.text}.stride({axis})", INT) for axis in range(found.ndim)])
    if name == "T":
        assert isinstance(view.type, Array)
        return view if found.ndim == 1 else Value(f"transposed({view.text})", replace(view.type, is_contiguous=False))
    if name in _BITS and isinstance(found.element, Scalar) and found.element.kind == "c":
        part = found.element.part
        const = "const " if found.is_const else ""
        text = f"part_of<{const}{part.text}>({view.text}, {_BITS.index(name)})"
        return Value(text, Array(part, found.ndim, False, found.is_const))
    if name == "real":
        return value
    raise JitError(f"an array has no '{name}' in a kernel", hint="shape, size, ndim, strides and T are there")


def reinterpreted(value: Value, described: Any) -> Value:
    """`array.view(dtype)`."""
    kind = scalar_type(described)
    view = view_of(value)
    found = view.type
    if kind is None or not isinstance(found, Array):
        raise JitError("view() wants one of NumPy's numbers")
    const = "const " if found.is_const else ""
    return Value(f"reinterpreted<{const}{kind.text}>({view.text})", replace(found, element=kind))


def extents(array: Value) -> list[Value]:
    """The extents of an array, or of a tuple. Raises JitError for what has none."""
    found = array.type
    if isinstance(found, Array):
        return [Value(f"{array.text}.shape[{axis}]", INT, True) for axis in range(found.ndim)]
    if isinstance(found, Fixed) and found.shape:
        return [literal(extent) for extent in found.shape]
    if isinstance(found, Tuple):
        return [literal(len(found.members))]
    if isinstance(found, Fixed):
        return [Value(f"dynamic_extent<{found.element.stored}>()", INT, True)]
    if isinstance(found, Record):
        return [literal(len(found.fields))]
    raise JitError(f"{found.name} has no extents")


def _product(values: Sequence[Value]) -> Value:
    return Value(f"({' * '.join(value.text for value in values)})", INT, True)


def _flat(index: Any) -> list[Any]:
    if isinstance(index, Value) and isinstance(index.type, Tuple):
        return [member_of(index, number) for number in range(len(index.type.members))]
    return [index]


def _expanded(indices: list[Any], ndim: int) -> list[Any]:
    """Without `...`, which stands for as many whole axes as are missing."""
    dots = [place for place, each in enumerate(indices) if isinstance(each, Value) and _is_dots(each)]
    if not dots:
        return indices
    missing = ndim - (len(indices) - 1)
    return [*indices[: dots[0]], *[(None, None, None)] * missing, *indices[dots[0] + 1 :]]


def _is_dots(value: Value) -> bool:
    return isinstance(value.type, Known) and value.type.what is Ellipsis


def _slice_text(index: tuple[Value | None, ...], extent: Value) -> str:
    start, stop, step = index
    if step is not None and step.constant == 0:
        raise JitError("slice step cannot be zero")
    words = ["kNone" if each is None or _is_none(each) else converted(each, INT) for each in (start, stop)]
    by = "1" if step is None or _is_none(step) else converted(step, INT)
    return f"Slice({words[0]}, {words[1]}, {by}, {extent.text})"


def _is_name(value: Value) -> bool:
    return isinstance(value.type, Known) and isinstance(value.type.what, str)


def _is_none(value: Value) -> bool:
    return isinstance(value.type, Known) and value.type.what is None


def _part_of(value: Value, index: tuple[Value | None, ...]) -> Value:
    """A slice of a tuple, by constants."""
    assert isinstance(value.type, Tuple)
    constants = [each.constant for each in index if each is not None]
    bounds = [each.constant if each is not None and isinstance(each.constant, int) else None for each in index]
    if any(not isinstance(constant, int) for constant in constants):
        raise JitError("a tuple is sliced by constants")
    numbers = range(len(value.type.members))[slice(bounds[0], bounds[1], bounds[2])]
    return tuple_of([member_of(value, number) for number in numbers])


def _index_nodes(node: ast.Subscript) -> list[ast.expr]:
    return list(node.slice.elts) if isinstance(node.slice, ast.Tuple) else [node.slice]


# -- records ----------------------------------------------------------------------------------------------------------


def _of_record(value: Value, indices: Sequence[Any]) -> Value:
    """`record["name"]`, or by its number."""
    found, index = value.type, indices[0]
    assert isinstance(found, Record)
    if isinstance(index, Value) and isinstance(index.constant, int) and -1 <= index.constant < len(found.fields):
        return _member(value, found, found.fields[index.constant].name)
    if not isinstance(index, Value) or not isinstance(index.type, Known) or not isinstance(index.type.what, str):
        raise JitError("a member of a record is named by a constant")
    return _member(value, found, index.type.what)


def field_of(found: Record, name: str) -> Field:
    """A member by its name. Raises JitError."""
    for field in found.fields:
        if field.name == name:
            return field
    raise JitError(f"{found.name} has no '{name}'")


def _member(value: Value, found: Record, name: str) -> Value:
    field = field_of(found, name)
    place = f"({value.text} + {field.offset})"
    const = "const " if found.is_const else ""
    if isinstance(field.type, Record):
        return Value(place, replace(field.type, is_const=found.is_const))
    if isinstance(field.type, Fixed):
        return Value(f"(({const}{field.type.text}){place})", replace(field.type, is_const=found.is_const))
    return Value(f"(({const}Loose<{field.type.stored}> *){place})->value", field.type)


def _of_field(array: Value, names: Sequence[Value], indices: Sequence[Any]) -> Value:
    """`array["name"]`: the members of all records, as an array."""
    found = array.type
    assert isinstance(found, Array | Fixed)
    (name,) = [each.type.what for each in names if isinstance(each.type, Known)]
    if len(indices) != 1 or not isinstance(found.element, Record):
        raise JitError(f"{found.name} has no member {name!r}")
    field = field_of(found.element, str(name))
    if isinstance(field.type, Fixed):
        raise JitError("an array of the records' arrays is not supported", hint="index the record first")
    view = view_of(array)
    const = "const " if found.is_const else ""
    text = f"field_of<{const}{field.type.stored}>({view.text}, {field.offset})"
    return Value(text, Array(field.type, found.ndim, False, found.is_const))


def _element_of(text: str, found: Array | Fixed) -> Value:
    """An element by the text of its place."""
    element: Element = found.element
    if isinstance(element, Record):
        cast = "const char *" if found.is_const else "char *"
        return Value(f"(({cast})&{text})", replace(element, is_const=found.is_const))
    return Value(text, element, isinstance(element, Scalar) and element.kind in "bu")


def _fixed_element(array: Value, found: Fixed, places: Sequence[str]) -> Value:
    if len(places) != found.ndim:
        rest = found.shape[len(places) :]
        text = _flattened(places, found.shape[: len(places)])
        return Value(f"({array.text} + {text} * {math.prod(rest)})", replace(found, shape=rest))
    return _element_of(f"{array.text}[{_flattened(places, found.shape)}]", found)


def _flattened(places: Sequence[str], shape: Sequence[int]) -> str:
    text = places[0]
    for place, extent in zip(places[1:], shape[1:], strict=False):
        text = f"({text} * {extent} + {place})"
    return text
