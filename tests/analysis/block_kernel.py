# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""A structured kernel in text IR around what one thread does, and its values by name."""

from __future__ import annotations

from warploom.ir.core import Function, Op, Value, walk
from warploom.ir.parser import parse_function

HEAD = "%gdx: i32, %gdy: i32, %gdz: i32, %bdx: i32, %bdy: i32, %bdz: i32"


def block_kernel(body: str, attrs: str = "", outside: str = "", first: str = "") -> Function:
    """A kernel of %p, %q: ptr and %n: i32 with shared @s, @t (1024 bytes each) and @d (dynamic). `body` runs in each
    thread, `outside` once a block, `first` once a launch. `attrs`: of the function, such as "block=(16, 16, 1)"."""
    return parse_function(f"""kernel @k({HEAD}, %p: ptr, %q: ptr, %n: i32) {f"[{attrs}]" if attrs else ""} {{
  shared @s [size=1024, align=4]
  shared @t [size=1024, align=4]
  shared @d [size=0, align=4]
  {first}
  grid %gdx, %gdy, %gdz {{ (%bx: i32, %by: i32, %bz: i32)
    {outside}
    block %bdx, %bdy, %bdz {{ (%tx: i32, %ty: i32, %tz: i32)
      {body}
      yield
    }}
    yield
  }}
  yield
}}
""")


def values_of(function: Function) -> dict[str, Value]:
    """Every named value of `function`."""
    found = {value.name: value for value in function.params}
    for op in walk(function.body):
        for value in [*op.results, *(param for region in op.regions for param in region.params)]:
            found[value.name] = value
    return found


def ops_of(function: Function, name: str) -> list[Op]:
    """The ops called `name`, in program order."""
    return [op for op in walk(function.body) if op.name == name]
