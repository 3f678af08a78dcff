# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""For tests: kernels for the interpreter, and what they leave."""

from __future__ import annotations

from typing import Any

from warploom.ir.core import Function
from warploom.ir.interpreter import (
    Result,
    run,
)
from warploom.ir.memory import Memory
from warploom.ir.parser import parse_function

LAUNCH = "%gdx: i32, %gdy: i32, %gdz: i32, %bdx: i32, %bdy: i32, %bdz: i32"


SEEDS = range(1, 21)


def kernel(threads: str, before: str = "", shared: str = "", params: str = "%out: ptr") -> Function:
    """A kernel whose threads run `threads`; `before` runs once a block. %p and %s are slots 4 * thread in %out."""
    return parse_function(f"""kernel @k({LAUNCH}, {params}) {{
  {shared}
  grid %gdx, %gdy, %gdz {{ (%bx: i32, %by: i32, %bz: i32)
    {before}
    block %bdx, %bdy, %bdz {{ (%tx: i32, %ty: i32, %tz: i32)
      %base: i32 = mul %bx, %bdx
      %id: i32 = add %base, %tx
      %p: ptr = gep %out, %id [offset=0, strides=(4)]
      {threads}
      yield
    }}
    yield
  }}
  yield
}}""")


def outcome(
    function: Function, threads: int, blocks: int = 1, seed: int | None = None, **options: Any
) -> tuple[list[int], Result]:
    """What the kernel left in %out, one i32 a thread, and the result of the run."""
    memory = Memory()
    out = memory.array("i32", [0] * (threads * blocks), "out")
    result = run(function, (blocks, 1, 1), (threads, 1, 1), [out], memory, seed=seed, **options)
    return memory.values("i32", out, threads * blocks), result


REVERSE = """
      %there: ptr = gep @tile:ptr, %tx [offset=0, strides=(4)]
      store %tx, %there
      {barrier}
      %last: i32 = sub %bdx, 1:i32
      %other: i32 = sub %last, %tx
      %from: ptr = gep @tile:ptr, %other [offset=0, strides=(4)]
      %x: i32 = load %from
      store %x, %p"""


TILE = "shared @tile [size=256, align=4]"
