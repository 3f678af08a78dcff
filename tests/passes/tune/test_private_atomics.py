# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Which atomic operations need not be atomic, and what the backend makes of them."""

from __future__ import annotations

import sys

import pytest

from warploom.backend.loom_atomics import OPERATIONS, plain_update
from warploom.backend.loom_ops import const_text
from warploom.core.remarks import Loc
from warploom.ir.core import Const, Op, Operand, Value, walk
from warploom.ir.ops import PRIVATE
from warploom.ir.parser import parse_function
from warploom.passes.base import Context
from warploom.passes.tune.private_atomics import PRIVATE_ATOMICS

KERNEL = """
kernel @k(%gdx: i32, %gdy: i32, %gdz: i32, %bdx: i32, %bdy: i32, %bdz: i32, %n: i32, %p: ptr) {
  shared @bins [size=64, align=4]
  grid %gdx, %gdy, %gdz { (%bx: i32, %by: i32, %bz: i32)
    block %bdx, %bdy, %bdz { (%tx: i32, %ty: i32, %tz: i32)
      %own = alloca [size=4, align=4]
      %w: i64 = zext %tx
      %c: i1 = icmp %tx, %n [pred=slt]
      %in: ptr = gep @bins:ptr, %w [offset=0, strides=(4)]
      %out: ptr = gep %p, %w [offset=0, strides=(4)]
      %mine: ptr = select %c, %in, %own
      %either: ptr = select %c, %in, %out
      %read: ptr = load %in [align=8]
      %kept: ptr = select %c, %read, %in
      %old: i32 = atomicrmw ADDRESS, 1:i32 [operation=add, ordering=monotonic MORE]
      yield
    }
    yield
  }
  yield
}
""".replace("%own = alloca", "%own: ptr = alloca")


def is_marked(address: str, more: str = "") -> bool:
    function = parse_function(KERNEL.replace("ADDRESS", address).replace(" MORE", more))
    changed = PRIVATE_ATOMICS.run(function, Context())
    (atomic,) = [op for op in walk(function.body) if op.name == "atomicrmw"]
    assert changed == bool(atomic.attrs.get(PRIVATE))
    return changed


@pytest.mark.parametrize("address", ["@bins:ptr", "%in", "%own", "%mine"])
def test_memory_of_the_block_or_the_thread_is_nobody_elses(address: str) -> None:
    assert is_marked(address)


@pytest.mark.parametrize("address", ["%p", "%out", "%either", "@elsewhere:ptr", "%read", "%kept"])
def test_memory_that_another_block_may_reach_stays_atomic(address: str) -> None:
    assert not is_marked(address)


def test_a_shared_variable_that_blocks_of_the_cluster_reach_stays_atomic(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys.modules[__name__], "KERNEL", KERNEL.replace("ptr) {", "ptr) [reaches_cluster=true] {"))
    assert not is_marked("%in")


def test_a_volatile_access_stays_what_it_is() -> None:
    assert not is_marked("%in", ", volatile=true")


class Written:
    """Collects instructions."""

    def __init__(self) -> None:
        self.lines: list[str] = []

    def name(self, operand: Operand) -> str:
        return const_text(operand) if isinstance(operand, Const) else f"%{operand.name}"

    def value(self, hint: str, text: str, loc: Loc | None = None) -> str:
        del loc
        self.lines.append(text)
        return f"%{hint}"

    def line(self, text: str, loc: Loc | None = None, *, call: bool = False) -> None:
        del loc, call
        self.lines.append(text)

    def slot(self, type_: str) -> str:
        return f"%slot.{type_}"

    def declare(self, name: str, text: str) -> None:
        self.lines.append(f"{text} ; {name}")


EXPECTED = {
    "add": ["add i32 %old, 7"],
    "xchg": [],
    "max": ["icmp sgt i32 %old, 7", "select i1 %keep, i32 %old, i32 7"],
    "umin": ["icmp ult i32 %old, 7", "select i1 %keep, i32 %old, i32 7"],
    "nand": ["and i32 %old, 7", "xor i32 %both, -1"],
    "uinc_wrap": ["icmp uge i32 %old, 7", "add i32 %old, 1", "select i1 %wraps, i32 0, i32 %more"],
    "udec_wrap": [
        "icmp eq i32 %old, 0",
        "icmp ugt i32 %old, 7",
        "or i1 %none, %above",
        "sub i32 %old, 1",
        "select i1 %wraps, i32 7, i32 %less",
    ],
}


@pytest.mark.parametrize("operation", EXPECTED)
def test_an_update_is_a_load_the_operation_and_a_store(operation: str) -> None:
    assert operation in OPERATIONS
    code = Written()
    op = Op("atomicrmw", [Value("ptr", "p"), Const("i32", 7)], [Value("i32")], {"operation": operation, "align": 4})
    old = plain_update(op, code, code.lines.append, code.declare)
    stored = "7" if operation == "xchg" else "%new"
    expected = ["load i32, ptr %p, align 4", *EXPECTED[operation], f"store i32 {stored}, ptr %p, align 4"]
    assert (old, code.lines) == ("%old", expected)
