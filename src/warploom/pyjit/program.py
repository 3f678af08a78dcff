# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The CUDA C++ of a kernel, with the device functions and constants that it needs."""

from __future__ import annotations

import ast
from collections import ChainMap
from collections.abc import Mapping, Sequence
from functools import cached_property
from typing import Any, Protocol

from warploom.core.records import dataclass, field
from warploom.pyjit.arguments import taken_apart
from warploom.pyjit.elements import constant_text, element_of
from warploom.pyjit.loops import stored
from warploom.pyjit.lowering import Raised, Scope
from warploom.pyjit.signatures import Signature, chosen
from warploom.pyjit.statements import write_body
from warploom.pyjit.types import NONE, Fixed, Known, NoValue, Scalar, Tuple, Type
from warploom.pyjit.values import JitError, NotYetTyped, Value, converted, literal, view_of


class Source(Protocol):
    """What a function is written from."""

    __name__: str
    is_checked: bool

    signatures: tuple[Signature, ...]

    @cached_property
    def file(self) -> str: ...
    @cached_property
    def tree(self) -> ast.FunctionDef: ...
    @cached_property
    def parameters(self) -> tuple[str, ...]: ...
    @cached_property
    def defaults(self) -> Mapping[str, Any]: ...
    @cached_property
    def makes_arrays(self) -> bool: ...
    @property
    def names(self) -> Mapping[str, Any]: ...
    @cached_property
    def assigned(self) -> frozenset[str]: ...


@dataclass
class Program:
    """The device functions that a kernel needs, each before those that call it."""

    is_checked: bool
    as_function: Any  # what a called object of Python's is as a Source; None: it is none
    texts: list[str] = field(default_factory=list[str])
    made: dict[tuple[Any, ...], tuple[str, Type]] = field(default_factory=dict[tuple[Any, ...], tuple[str, Type]])
    open: dict[tuple[Any, ...], tuple[str, Type]] = field(default_factory=dict[tuple[Any, ...], tuple[str, Type]])
    constants: dict[int, Value] = field(default_factory=dict[int, Value])
    raised: Raised = field(default_factory=Raised)

    def scope(self, function: Source, known: Mapping[str, Any] | None = None) -> Scope:
        """What a function's expressions may name; `known`: parameters that are no values."""
        names: Any = ChainMap(dict(known), function.names) if known else function.names  # pyright: ignore[reportArgumentType]
        return Scope(
            function.file,
            names,
            assigned=function.assigned.difference(known or ()),
            call=self.call,
            constant=self.constant,
            raised=self.raised,
            function=function.__name__,
            is_checked=self.is_checked,
        )

    def constant(self, array: Any) -> Value:
        """An array of Python's in constant memory."""
        if id(array) not in self.constants:
            name = f"constant_{len(self.constants)}"
            found = Fixed(element_of(array.dtype), tuple(array.shape), is_const=True)
            self.texts.append(constant_text(name, array))
            self.constants[id(array)] = Value(f"((const {found.element.stored} *){name})", found)
        return self.constants[id(array)]

    def call(self, called: Any, values: Sequence[Value], named: Mapping[str, Value]) -> Value | None:
        """A call of a device function; None for anything else."""
        function: Source | None = self.as_function(called)
        if function is None:
            return None
        given = _in_order(function, values, named)
        given = [view_of(value) if isinstance(value.type, Fixed) and not value.type.shape else value for value in given]
        result: Scalar | None = None
        if function.signatures:
            given, result = _as_signed(function, given)
        types = tuple(_specialised(function, *pair) for pair in zip(function.parameters, given, strict=True))
        name, found = self.function(function, types, result)
        words = [value.text for value, kind in zip(given, types, strict=True) if not isinstance(kind, Known)]
        return Value(f"{name}({', '.join(words)})", found)

    def function(self, called: Source, types: tuple[Type, ...], result: Scalar | None) -> tuple[str, Type]:
        """The name and the result of a device function for arguments of these types; it is written when it is new."""
        key = called, types
        if key in self.made:
            return self.made[key]
        if key in self.open:
            if isinstance(self.open[key][1], NoValue):
                raise NotYetTyped(f"'{called.__name__}'")
            return self.open[key]
        if sum(other[0] is called for other in self.open) > 20:
            raise JitError(f"'{called.__name__}' calls itself with ever other types")
        name = f"{called.__name__}_{len(self.made) + len(self.open)}"
        name = name if name.isidentifier() else f"function_{len(self.made) + len(self.open)}"
        self.open[key] = name, result or NONE
        pairs = list(zip(called.parameters, types, strict=True))
        known = {each: kind.what for each, kind in pairs if isinstance(kind, Known)}
        values = {each: Value(f"{each}_p", kind) for each, kind in pairs if each not in known}

        def tell(found: Type) -> None:
            self.open[key] = name, found

        written = write_body(called.tree, self.scope(called, known), values, result or NONE, tell)
        del self.open[key]
        parameters = ", ".join(f"{value.type.text} {value.text}" for value in values.values())
        head = f"static __device__ {written.result.text} {name}({parameters})"
        self.texts += [f"{head};", f"{head} {{", *written.lines, "}"]
        self.made[key] = name, written.result
        return self.made[key]


def _in_order(function: Source, values: Sequence[Value], named: Mapping[str, Value]) -> list[Value]:
    """The arguments of a call in the order of the parameters."""
    names = function.parameters
    found = dict(zip(names, values, strict=False))
    for name, value in named.items():
        if name not in names or name in found:
            raise JitError(f"'{function.__name__}' has no free parameter '{name}'")
        found[name] = value
    for name, default in function.defaults.items():
        if name not in found:
            found[name] = literal(default)
    if len(values) > len(names) or len(found) != len(names):
        raise JitError(f"'{function.__name__}' takes {len(names)} arguments, not {len(values) + len(named)}")
    return [found[name] for name in names]


def _as_signed(function: Source, values: Sequence[Value]) -> tuple[list[Value], Scalar | None]:
    """The arguments as a signature has them, and its result."""
    signature = chosen(function.signatures, [value.type for value in values])
    if signature is None:
        given = ", ".join(value.type.name for value in values)
        raise JitError(f"no signature of '{function.__name__}' takes ({given})")
    made: list[Value] = []
    for pattern, value in zip(signature.arguments, values, strict=True):
        if isinstance(pattern, Scalar) and pattern != value.type:
            made.append(Value(converted(value, pattern), pattern, value.is_positive))
        else:
            made.append(value)
    return made, signature.result


def _specialised(called: Source, name: str, value: Value) -> Type:
    """What decides how a device function is written: a type, or what its parameter is known to be.

    A number stays one, but where the function makes arrays, whose extents are to be known; True and False choose
    between branches.
    """
    is_extent = type(value.constant) is bool or (called.makes_arrays and _is_extent(value))
    if not isinstance(value.type, Known) and not is_extent:
        return value.type
    if name in stored(called.tree):
        if is_extent:
            return value.type
        raise JitError(f"'{name}' of '{called.__name__}' is {value.type.name}, and is assigned to")
    if isinstance(value.type, Known):
        return value.type
    return Known(tuple(part.constant for part in value.parts) if value.parts is not None else value.constant)


def _is_extent(value: Value) -> bool:
    if isinstance(value.type, Tuple):
        return value.parts is not None and all(type(part.constant) is int for part in value.parts)
    return type(value.constant) is int


def symbol_of(function: Source) -> str:
    """What its kernel is called: no name of C++'s or CUDA's."""
    name = function.__name__
    return f"{name}_kernel" if name.isidentifier() and name.isascii() else "lambda_kernel"


@dataclass(frozen=True)
class WrittenKernel:
    """The text of a kernel, and what it raises."""

    text: str
    raised: Raised
    is_cooperative: bool


def write_kernel(function: Source, types: tuple[Type, ...], as_function: Any) -> WrittenKernel:
    """The CUDA C++ of a kernel for arguments of these types. Raises JitError."""
    program = Program(function.is_checked, as_function)
    values, parameters, unpacked = dict[str, Value](), list[str](), list[str]()
    known: dict[str, Any] = {}
    for name, kind in zip(function.parameters, types, strict=True):
        if isinstance(kind, Known):
            known[name] = kind.what
            continue
        words, text = taken_apart(f"{name}_p", kind)
        parameters += words
        if text != f"{name}_p":
            unpacked.append(f"const auto {name}_q = {text};")
            text = f"{name}_q"
        values[name] = Value(text, kind, isinstance(kind, Scalar) and kind.kind in "bu", parts=_members(text, kind))
    written = write_body(function.tree, program.scope(function, known), values)
    if not isinstance(written.result, NoValue):
        raise JitError("a kernel returns nothing", file=function.file, line=function.tree.lineno)
    head = f'extern "C" __global__ void {symbol_of(function)}({", ".join(parameters)}) {{'
    body = "\n".join([*program.texts, head, *unpacked, *written.lines, "}", ""])
    text = f'{_includes(body)}#include "prelude.cuh"\n{body}'
    return WrittenKernel(text, program.raised, "this_grid()" in body)


def _members(text: str, kind: Type) -> tuple[Value, ...] | None:
    """The members of an argument that is a tuple: None among them is known."""
    if not isinstance(kind, Tuple):
        return None
    return tuple(
        Value(f"member<{number}>({text})", member, parts=_members(f"member<{number}>({text})", member))
        for number, member in enumerate(kind.members)
    )


def _includes(body: str) -> str:
    """Headers that only some kernels need."""
    wanted = {
        "__half": "<cuda_fp16.h>",
        "Complex<": '"complex.cuh"',
        "z_": '"complex.cuh"',
        "cooperative_groups": "<cooperative_groups.h>",
    }
    return "".join(
        f"#include {name}\n" for name in dict.fromkeys(name for word, name in wanted.items() if word in body)
    )
