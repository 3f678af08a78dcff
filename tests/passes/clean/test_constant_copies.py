# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Copies of parameters that are only read: which are read where they come from, and that results stay."""

from __future__ import annotations

import pytest
from differential import lowered

from warploom.ir.core import Function, walk
from warploom.ir.interpreter import run
from warploom.ir.memory import Memory
from warploom.ir.parser import parse_function
from warploom.passes.clean.canonicalise import CANONICALISE
from warploom.passes.clean.constant_copies import CONSTANT_COPIES

# A struct of 6 words behind %where, of which words 1 to 4 are copied; %i is one of two of them.
FILL = "memcpy %copy, %from, 16:i64 [align_to=8, align_from=4]"
READ = "%at: ptr = gep %copy, %i [offset=0, strides=(8,)]\n%x: i32 = load %at [align=8]"


def kernel(fill: str = FILL, read: str = READ, attrs: str = "constants=((0, 24),)", start: int = 4) -> Function:
    return parse_function(f"""kernel @k(%gdx: i32, %gdy: i32, %gdz: i32, %bdx: i32, %bdy: i32, %bdz: i32,
        %where: ptr, %p: ptr) [{attrs}] {{
      grid %gdx, %gdy, %gdz {{ (%bx: i32, %by: i32, %bz: i32)
        block %bdx, %bdy, %bdz {{ (%tx: i32, %ty: i32, %tz: i32)
          %copy: ptr = alloca [size=16, align=8]
          %other: ptr = alloca [size=16, align=8]
          %from: ptr = gep %where [offset={start}, strides=()]
          %i: i32 = and %tx, 1:i32
          %c: i1 = icmp %tx, 2:i32 [pred=sgt]
          %here: ptr = gep %p, %tx [offset=0, strides=(4,)]
          {fill}
          {read}
          store %x, %here [align=4]
          yield
        }}
        yield
      }}
      yield
    }}""")


def results(function: Function) -> list[int]:
    memory = Memory()
    where = memory.array("i32", [100 + 7 * i for i in range(6)], "where")
    address = memory.array("i32", [0] * 8, "p")
    run(function, (1, 1, 1), (8, 1, 1), [where, address], memory, seed=3)
    return memory.values("i32", address, 8)


def copies(function: Function) -> int:
    return sum(op.name == "memcpy" for op in walk(function.body))


def arrays(function: Function) -> int:
    changed, _ = lowered(function, [CONSTANT_COPIES, CANONICALISE])
    return sum(op.name == "alloca" for op in walk(changed.body))


OF_A_COPY = "memcpy %other, %copy, 16:i64 [align_to=8, align_from=8]\n" + READ.replace("gep %copy", "gep %other")
IN_A_BRANCH = f"%x: i32 = if %c {{ {FILL} {READ.replace('%x:', '%y:')} yield %y }} {{ yield 5:i32 }}"


@pytest.mark.parametrize(
    ("fill", "read"), [(FILL, READ), (FILL, OF_A_COPY), ("", IN_A_BRANCH)], ids=["once", "of a copy", "in a branch"]
)
def test_a_copy_of_what_nobody_writes_is_read_where_it_comes_from(fill: str, read: str) -> None:
    function = kernel(fill, read)
    changed, _ = lowered(function, [CONSTANT_COPIES])
    assert copies(changed) == 0
    assert arrays(function) == 0
    assert results(changed) == results(function)
    assert all(int(str(op.attrs["align"])) <= 4 for op in walk(changed.body) if op.name == "load")


WRITTEN = "store 9:i32, %copy [align=4]\n"
TWICE = FILL + "\n" + FILL
ESCAPES = "%q: ptr = gep %copy [offset=0, strides=()]\nstore %q, %here [align=1]\n"
CHOSEN = "%q: ptr = select %c, %copy, %p\n%x: i32 = load %q [align=4]"
INTO_THE_MIDDLE = "%mid: ptr = gep %copy [offset=4, strides=()]\n" + FILL.replace("%copy", "%mid")
VOLATILE = READ.replace("align=8]", "align=8, volatile=true]")


@pytest.mark.parametrize(
    ("fill", "read", "attrs", "start"),
    [
        (FILL, WRITTEN + READ, "constants=((0, 24),)", 4),
        (TWICE, READ, "constants=((0, 24),)", 4),
        (FILL, ESCAPES + READ, "constants=((0, 24),)", 4),
        (FILL, CHOSEN, "constants=((0, 24),)", 4),
        (FILL, VOLATILE, "constants=((0, 24),)", 4),
        (FILL.replace("align_to", "volatile=true, align_to"), READ, "constants=((0, 24),)", 4),
        (FILL.replace("16:i64", "12:i64"), READ, "constants=((0, 24),)", 4),
        (FILL, READ, "constants=((0, 19),)", 4),
        (FILL, READ, "constants=((1, 24),)", 4),
        (FILL, READ, "noalias=(0,)", 4),
        (INTO_THE_MIDDLE, READ, "constants=((0, 24),)", 4),
    ],
    ids=[
        "written", "filled twice", "escapes", "one of two", "volatile load", "volatile copy", "a part",
        "behind the end", "another parameter", "not constant", "from the middle",
    ],
)  # fmt: skip
def test_other_copies_stay(fill: str, read: str, attrs: str, start: int) -> None:
    changed, _ = lowered(kernel(fill, read, attrs, start), [CONSTANT_COPIES])
    assert copies(changed) == fill.count("memcpy")
