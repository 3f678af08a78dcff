# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The types of kernels in Python, and numba's rules for what becomes of two of them.

Whole numbers are at least 64 bits wide once they are computed with; a whole number beside a float makes a float64, and
float32 stays float32 only among its own kind (and in powers with whole exponents).
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any


@dataclass(frozen=True)
class Scalar:
    """A number. `kind`: b, i, u or f; `size` in bytes."""

    kind: str
    size: int

    @property
    def text(self) -> str:
        """In C++."""
        return _TEXTS[self.kind, self.size]

    @property
    def name(self) -> str:
        """As numba and NumPy call it."""
        return "bool" if self.kind == "b" else f"{_NAMES[self.kind]}{8 * self.size}"


@dataclass(frozen=True)
class Array:
    """An argument: memory of anybody's. Not contiguous: the strides come along."""

    element: Scalar
    ndim: int
    is_contiguous: bool  # rows one after the other
    is_const: bool

    @property
    def text(self) -> str:
        """In C++; prelude.cuh has the templates."""
        element = f"const {self.element.text}" if self.is_const else self.element.text
        return f"{'Rows' if self.is_contiguous else 'Strided'}<{element}, {self.ndim}>"

    @property
    def name(self) -> str:
        order = "C" if self.is_contiguous else "A"
        return f"array({self.element.name}, {self.ndim}d, {order}{', readonly' if self.is_const else ''})"


@dataclass(frozen=True)
class Fixed:
    """An array of the kernel's own, shared or a thread's: of constant extents. No extents: dynamic shared memory."""

    element: Scalar
    shape: tuple[int, ...]

    @property
    def text(self) -> str:
        return f"{self.element.text} *"

    @property
    def ndim(self) -> int:
        return max(len(self.shape), 1)

    @property
    def name(self) -> str:
        return f"array({self.element.name}, {self.ndim}d, C)"


@dataclass(frozen=True)
class Tuple:
    """Several values."""

    members: tuple[Type, ...]

    @property
    def text(self) -> str:
        return f"Tuple<{', '.join(member.text for member in self.members)}>"

    @property
    def name(self) -> str:
        return f"({', '.join(member.name for member in self.members)})"


@dataclass(frozen=True)
class NoValue:
    """What a function without `return` gives."""

    text: str = "void"
    name: str = "none"


@dataclass(frozen=True, eq=False)
class Known:
    """Something of Python's that a device function is given (a function, a dtype, an extent): no value of a kernel."""

    what: Any
    text: str = "void"

    @property
    def name(self) -> str:
        return f"the {type(self.what).__name__} {getattr(self.what, '__name__', self.what)}"

    def __eq__(self, other: object) -> bool:
        is_number = isinstance(self.what, int)
        return isinstance(other, Known) and (self.what is other.what or (is_number and self.what == other.what))

    def __hash__(self) -> int:
        return hash(self.what) if isinstance(self.what, int) else id(self.what)


Type = Scalar | Array | Fixed | Tuple | NoValue | Known

_NAMES = {"i": "int", "u": "uint", "f": "float"}
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
    ("f", 4): "float",
    ("f", 8): "double",
}
BOOL, INT, UINT, FLOAT, FLOAT32 = Scalar("b", 1), Scalar("i", 8), Scalar("u", 8), Scalar("f", 8), Scalar("f", 4)
INT32, UINT32 = Scalar("i", 4), Scalar("u", 4)
NONE = NoValue()
SCALARS = {Scalar(kind, size).name: Scalar(kind, size) for kind, size in _TEXTS}


def widened(found: Scalar) -> Scalar:
    """What one number is computed in: whole numbers in 64 bits."""
    if found.kind == "f":
        return found
    return UINT if found.kind == "u" else INT


def arithmetic(one: Scalar, other: Scalar) -> Scalar:
    """The type of a sum."""
    if "f" in (one.kind, other.kind):
        return FLOAT32 if one == other == FLOAT32 or _is_small(one, other) or _is_small(other, one) else FLOAT
    if one.kind == "u" and other.kind == "u":
        return UINT
    if "u" in (one.kind, other.kind):
        unsigned = one if one.kind == "u" else other
        return FLOAT if unsigned.size == 8 else INT
    return INT


def _is_small(one: Scalar, other: Scalar) -> bool:
    """Whether a float32 holds every value of the other."""
    return one == FLOAT32 and (other.kind == "b" or (other.kind in "iu" and other.size <= 2))


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
        if one.kind == other.kind:
            return max(one, other, key=lambda each: each.size)
        if "b" in (one.kind, other.kind):
            return other if one.kind == "b" else one
        return arithmetic(one, other)
    if isinstance(one, Tuple) and isinstance(other, Tuple) and len(one.members) == len(other.members):
        members = [unified(*pair) for pair in zip(one.members, other.members, strict=True)]
        return Tuple(tuple(each for each in members if each is not None)) if None not in members else None
    return None
