# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Kernels from the text of what one thread does, and back."""

from __future__ import annotations

import textwrap

from warploom.ir.core import Function, Region
from warploom.ir.parser import parse_function
from warploom.ir.printer import print_function
from warploom.ir.verifier import verify
from warploom.passes.base import Context, Pass

_LAUNCH = "%gdx: i32, %gdy: i32, %gdz: i32, %bdx: i32, %bdy: i32, %bdz: i32"
_PARAMS = f"kernel @k({_LAUNCH}, %n: i32, %m: i64, %p: ptr, %f: float) {{\n"


def from_blocks(blocks: str) -> Function:
    """A kernel (%n: i32, %m: i64, %p: ptr, %f: float) in CFG form."""
    function = parse_function(
        f"{_PARAMS}  ids (%bx: i32, %by: i32, %bz: i32, %tx: i32, %ty: i32, %tz: i32)\n{blocks}\n}}\n"
    )
    verify(function, "cfg")
    return function


def from_thread(ops: str) -> Function:
    """A structured kernel (%n: i32, %m: i64, %p: ptr, %f: float) whose threads run `ops`."""
    function = parse_function(
        _PARAMS + "  grid %gdx, %gdy, %gdz { (%bx: i32, %by: i32, %bz: i32)\n"
        "    block %bdx, %bdy, %bdz { (%tx: i32, %ty: i32, %tz: i32)\n"
        f"{ops}\n      yield\n    }}\n    yield\n  }}\n  yield\n}}\n"
    )
    verify(function, "structured")
    return function


def thread_text(function: Function) -> str:
    """What one thread of a structured kernel does."""
    lines = print_function(function).splitlines()
    start = next(number for number, line in enumerate(lines) if line.startswith("    block"))
    end = next(number for number, line in enumerate(lines) if line == "    }")
    return textwrap.dedent("\n".join(lines[start + 1 : end - 1])).strip()


def after(function: Function, *passes: Pass) -> str:
    """What one thread does after `passes`, which leave a valid kernel."""
    for each in passes:
        each.run(function, Context())
        verify(function, "structured")
    return thread_text(function)


def text(ops: str) -> str:
    """An expected text without its indentation."""
    return textwrap.dedent(ops).strip()


def place(function: Function, name: str) -> str:
    """Inside of which op the first value called `name` is computed: launch, grid, block, or the op around it there."""

    def search(region: Region, where: str) -> str | None:
        for op in region.ops:
            if any(value.name == name for value in op.results):
                return where
            for inner in op.regions:
                found = search(inner, op.name)
                if found is not None:
                    return found
        return None

    found = search(function.body, "launch")
    assert found is not None, name
    return found
