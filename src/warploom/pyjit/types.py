# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The types of kernels in Python, and numba's rules for what becomes of two of them.

Whole numbers are at least 64 bits wide once they are computed with; a whole number beside a float makes a float64, and
float32 stays float32 only among its own kind (and in powers with whole exponents).
"""

from __future__ import annotations

import enum
from typing import Any

from warploom.core.records import dataclass


@dataclass(frozen=True)
class Scalar:
    """A number. `kind`: b, i, u, f or c (complex); `size` in bytes; `unit`: of a date or span of time, NumPy's name."""

    kind: str
    size: int
    unit: str = ""

    @property
    def text(self) -> str:
        """In C++."""
        return _TEXTS[self.kind, self.size]

    stored = text

    @property
    def name(self) -> str:
        """As numba and NumPy call it."""
        if self.unit:
            return self.unit
        return "bool" if self.kind == "b" else f"{_NAMES[self.kind]}{8 * self.size}"

    @property
    def part(self) -> Scalar:
        """Of a complex number: what its parts are."""
        return Scalar("f", self.size // 2)


@dataclass(frozen=True)
class Text:
    """Text or bytes of a fixed length in memory, as NumPy has them: it can be stored only. `kind`: U or S."""

    kind: str
    size: int  # in bytes

    @property
    def text(self) -> str:
        return f"Bytes<{self.size}> &"

    @property
    def stored(self) -> str:
        """As an element of an array."""
        return f"Bytes<{self.size}>"

    @property
    def name(self) -> str:
        return f"text of {self.size} bytes"


@dataclass(frozen=True)
class Field:
    """A member of a record, `offset` bytes from its begin."""

    name: str
    offset: int
    type: Element | Fixed


@dataclass(frozen=True)
class Record:
    """A structured element of NumPy's: a value is a reference to where it lies."""

    fields: tuple[Field, ...]
    size: int
    is_const: bool = False

    @property
    def text(self) -> str:
        return "const char *" if self.is_const else "char *"

    @property
    def stored(self) -> str:
        """As an element of an array."""
        return f"Bytes<{self.size}>"

    @property
    def name(self) -> str:
        return f"record({', '.join(field.name for field in self.fields)})"


@dataclass(frozen=True)
class Vector:
    """Two to four numbers with the names x, y, z, w; one is possible, too."""

    element: Scalar
    count: int

    @property
    def text(self) -> str:
        return f"Vector<{self.element.text}, {self.count}>"

    stored = text

    @property
    def name(self) -> str:
        return f"{self.element.name}x{self.count}"


Element = Scalar | Record | Text | Vector


@dataclass(frozen=True)
class Array:
    """An argument: memory of anybody's. Not contiguous: the strides come along."""

    element: Element
    ndim: int
    is_contiguous: bool  # rows one after the other
    is_const: bool

    @property
    def text(self) -> str:
        """In C++; arrays.cuh has the templates."""
        element = f"const {self.element.stored}" if self.is_const else self.element.stored
        return f"{'Rows' if self.is_contiguous else 'Strided'}<{element}, {self.ndim}>"

    @property
    def name(self) -> str:
        order = "C" if self.is_contiguous else "A"
        return f"array({self.element.name}, {self.ndim}d, {order}{', readonly' if self.is_const else ''})"


@dataclass(frozen=True)
class Fixed:
    """An array of the kernel's own, shared or a thread's: of constant extents. No extents: dynamic shared memory."""

    element: Element
    shape: tuple[int, ...]
    is_const: bool = False

    @property
    def text(self) -> str:
        return f"{'const ' if self.is_const else ''}{self.element.stored} *"

    @property
    def ndim(self) -> int:
        return max(len(self.shape), 1)

    @property
    def name(self) -> str:
        return f"array({self.element.name}, {self.ndim}d, C)"


@dataclass(frozen=True)
class Tuple:
    """Several values; with `names` those of a named tuple."""

    members: tuple[Type, ...]
    names: tuple[str, ...] = ()

    @property
    def text(self) -> str:
        return f"Tuple<{', '.join(member.text for member in self.members)}>"

    @property
    def name(self) -> str:
        return f"({', '.join(member.name for member in self.members)})"


@dataclass(frozen=True, eq=False)
class Enumerated:
    """A member of an enumeration, by its place among the members; of whole numbers: by its value."""

    members: type[enum.Enum]
    text: str = "Int"

    @property
    def name(self) -> str:
        return f"{self.members.__name__}"

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Enumerated) and self.members is other.members

    def __hash__(self) -> int:
        return id(self.members)


@dataclass(frozen=True)
class NoValue:
    """What a function without `return` gives."""

    text: str = "void"
    name: str = "none"


@dataclass(frozen=True, eq=False)
class Known:
    """Something of Python's that a kernel or function is given (a function, a dtype, an extent, None): no value."""

    what: Any
    text: str = "void"

    @property
    def name(self) -> str:
        return f"the {type(self.what).__name__} {getattr(self.what, '__name__', self.what)}"

    def __eq__(self, other: object) -> bool:
        is_number = isinstance(self.what, int | str | bytes)
        return isinstance(other, Known) and (self.what is other.what or (is_number and self.what == other.what))

    def __hash__(self) -> int:
        return hash(self.what) if isinstance(self.what, int | str | bytes) else id(self.what)


Type = Scalar | Text | Record | Vector | Array | Fixed | Tuple | Enumerated | NoValue | Known

_NAMES = {"i": "int", "u": "uint", "f": "float", "c": "complex"}
_TEXTS = {
    ("b", 1): "bool",
    ("i", 1): "signed char",
    ("i", 2): "short",
    ("i", 4): "int",
    ("i", 8): "long long",
    ("u", 1): "unsigned char",
    ("u", 2): "unsigned short",
    ("u", 4): "unsigned int",
    ("u", 8): "unsigned long long",
    ("f", 2): "__half",
    ("f", 4): "float",
    ("f", 8): "double",
    ("c", 8): "Complex<float>",
    ("c", 16): "Complex<double>",
}
BOOL, INT, UINT, FLOAT, FLOAT32 = Scalar("b", 1), Scalar("i", 8), Scalar("u", 8), Scalar("f", 8), Scalar("f", 4)
INT32, UINT32, HALF = Scalar("i", 4), Scalar("u", 4), Scalar("f", 2)
COMPLEX, COMPLEX64 = Scalar("c", 16), Scalar("c", 8)
NONE = NoValue()
SCALARS = {Scalar(kind, size).name: Scalar(kind, size) for kind, size in _TEXTS}


def widened(found: Scalar) -> Scalar:
    """What one number is computed in: whole numbers in 64 bits."""
    if found.kind in "fc":
        return found
    return UINT if found.kind == "u" else INT


def arithmetic(one: Scalar, other: Scalar) -> Scalar:
    """The type of a sum."""
    if "c" in (one.kind, other.kind):
        parts = [each.part if each.kind == "c" else each for each in (one, other)]
        return COMPLEX64 if _of_floats(*parts).size <= 4 else COMPLEX
    if "f" in (one.kind, other.kind):
        return _of_floats(one, other)
    if one.kind == "u" and other.kind == "u":
        return UINT
    if "u" in (one.kind, other.kind):
        unsigned = one if one.kind == "u" else other
        return FLOAT if unsigned.size == 8 else INT
    return INT


def _of_floats(one: Scalar, other: Scalar) -> Scalar:
    """The smallest float that holds all values of both."""
    sizes = [_float_size(each) for each in (one, other)]
    return Scalar("f", max(sizes))


def _float_size(found: Scalar) -> int:
    if found.kind == "f":
        return found.size
    if found.kind == "b":
        return 2
    return {1: 2, 2: 4}.get(found.size, 8)


def bitwise(one: Scalar, other: Scalar) -> Scalar:
    """The type of `&`, `|`, `^`; of booleans a boolean."""
    if one == other == BOOL:
        return BOOL
    return UINT if one.kind == "u" and other.kind == "u" else INT


def unified(one: Type, other: Type) -> Type | None:
    """The type of a variable that has values of both; None: there is none."""
    if one == other:
        return one
    if isinstance(one, Scalar) and isinstance(other, Scalar):
        if one.unit or other.unit:
            return None
        if one.kind == other.kind:
            return max(one, other, key=lambda each: each.size)
        if "b" in (one.kind, other.kind):
            return other if one.kind == "b" else one
        return arithmetic(one, other)
    if isinstance(one, Tuple) and isinstance(other, Tuple) and len(one.members) == len(other.members):
        members = [unified(*pair) for pair in zip(one.members, other.members, strict=True)]
        names = one.names if one.names == other.names else ()
        return Tuple(tuple(each for each in members if each is not None), names) if None not in members else None
    if isinstance(one, Array | Fixed) and isinstance(other, Array | Fixed):
        is_alike = one.element == other.element and one.ndim == other.ndim
        return Array(one.element, one.ndim, False, one.is_const or other.is_const) if is_alike else None
    return None
