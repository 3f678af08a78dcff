# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The syntax tree of a function: from its source, or from its bytecode where there is none (`exec`, lambda)."""

from __future__ import annotations

import ast
import inspect
import textwrap
from collections.abc import Callable
from typing import Any

from warploom.pyjit.bytecode import tree_from_code
from warploom.pyjit.values import JitError


def tree_of(function: Callable[..., Any], file: str) -> ast.FunctionDef:
    """The definition of a function, with the lines of its file. Raises JitError where neither way leads to one."""
    name = function.__name__
    try:
        lines, first = inspect.getsourcelines(function)
        tree = ast.parse(textwrap.dedent("".join(lines)))
    except (OSError, TypeError, SyntaxError):
        return tree_from_code(function.__code__, name, file)
    ast.increment_lineno(tree, max(first, 1) - 1)
    found = tree.body[0]
    if isinstance(found, ast.FunctionDef) and found.name == function.__code__.co_name:
        return found
    return tree_from_code(function.__code__, name, file)


def parameters_of(function: Callable[..., Any], file: str) -> tuple[str, ...]:
    """The names of a function's parameters, as its code has them. Raises JitError for any but plain ones."""
    code = function.__code__
    if code.co_kwonlyargcount or code.co_flags & (inspect.CO_VARARGS | inspect.CO_VARKEYWORDS):
        raise JitError("parameters are plain names", file=file, line=tree_of(function, file).lineno)
    return code.co_varnames[: code.co_argcount]
