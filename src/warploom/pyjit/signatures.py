# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Signatures: `"void(float32[:], int32)"`, `(int64, float64)`, or objects with `args` and `return_type` as numba's."""

from __future__ import annotations

import ast
from collections.abc import Sequence
from typing import Any

from warploom.core.records import dataclass
from warploom.pyjit.elements import described_element
from warploom.pyjit.numbers import scalar_type
from warploom.pyjit.types import Array, Element, Fixed, Scalar, Type, arithmetic
from warploom.pyjit.values import JitError


@dataclass(frozen=True)
class ArrayPattern:
    """Arrays of an element (None: of any) and a number of axes."""

    element: Element | None
    ndim: int


Pattern = Scalar | ArrayPattern | None  # None: whatever is given


@dataclass(frozen=True)
class Signature:
    """What a function takes, and what it returns (None: not said)."""

    arguments: tuple[Pattern, ...]
    result: Scalar | None = None


def signatures_of(described: Any) -> tuple[Signature, ...]:
    """The signatures that `jit` was given: one, or a list. Raises JitError for what is none."""
    if described is None:
        return ()
    if isinstance(described, list):
        return tuple(_signature(each) for each in described)  # pyright: ignore[reportUnknownVariableType]
    return (_signature(described),)


def _signature(described: Any) -> Signature:
    if isinstance(described, str):
        return _parsed(described)
    if isinstance(described, Signature):
        return described
    if hasattr(described, "args") and hasattr(described, "return_type"):
        return Signature(tuple(_pattern(each) for each in described.args), scalar_type(described.return_type))
    if isinstance(described, tuple):
        return Signature(tuple(_pattern(each) for each in described))  # pyright: ignore[reportUnknownVariableType]
    raise JitError(f"{described!r} is no signature", hint='"void(float32[:], int32)" is one')


def _pattern(described: Any) -> Pattern:
    if isinstance(described, Scalar | ArrayPattern):
        return described
    if hasattr(described, "ndim") and hasattr(described, "dtype") and not isinstance(described, type):
        return ArrayPattern(described_element(described.dtype), described.ndim)
    return scalar_type(described)


def _parsed(text: str) -> Signature:
    try:
        tree = ast.parse(text.strip(), mode="eval").body
    except SyntaxError:
        raise JitError(f"{text!r} is no signature", hint='"void(float32[:], int32)" is one') from None
    if isinstance(tree, ast.Call):
        return Signature(tuple(_parsed_pattern(each) for each in tree.args), scalar_type(ast.unparse(tree.func)))
    parts = tree.elts if isinstance(tree, ast.Tuple) else [tree]
    return Signature(tuple(_parsed_pattern(each) for each in parts))


def _parsed_pattern(node: ast.expr) -> Pattern:
    if isinstance(node, ast.Subscript):
        axes = len(node.slice.elts) if isinstance(node.slice, ast.Tuple) else 1
        return ArrayPattern(scalar_type(ast.unparse(node.value)), axes)
    return scalar_type(ast.unparse(node).rpartition(".")[2])


def chosen(signatures: Sequence[Signature], types: Sequence[Type]) -> Signature | None:
    """The first signature that takes these types as they are, else the first to which they convert without a loss."""
    for is_wanted in (_is_same, _is_safe, _is_near):
        for signature in signatures:
            pairs = list(zip(signature.arguments, types, strict=False))
            if len(signature.arguments) == len(types) and all(is_wanted(*pair) for pair in pairs):
                return signature
    return None


def _is_same(pattern: Pattern, found: Type) -> bool:
    if isinstance(pattern, ArrayPattern):
        if not isinstance(found, Array | Fixed) or found.ndim != pattern.ndim:
            return False
        return pattern.element is None or found.element == pattern.element
    return pattern is None or found == pattern


def _is_safe(pattern: Pattern, found: Type) -> bool:
    """Whether no number is lost; whole numbers of Python's are as small as is wanted."""
    if not isinstance(pattern, Scalar) or not isinstance(found, Scalar):
        return _is_same(pattern, found)
    if "biufc".index(pattern.kind) < "biufc".index(found.kind) and (pattern.kind, found.kind) != ("i", "u"):
        return False
    return arithmetic(pattern, found).size <= max(pattern.size, 8 if pattern.kind in "iu" else 0)


def _is_near(pattern: Pattern, found: Type) -> bool:
    """Whether a conversion is at least possible."""
    if not isinstance(pattern, Scalar) or not isinstance(found, Scalar):
        return _is_same(pattern, found)
    return pattern.unit == found.unit and not (found.kind == "c" and pattern.kind != "c")
