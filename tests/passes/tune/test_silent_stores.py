# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Which stores are made only where memory holds another value."""

from __future__ import annotations

import pytest

from warploom.ir.core import walk
from warploom.ir.parser import parse_function
from warploom.ir.printer import print_function
from warploom.passes.base import Context
from warploom.passes.tune.silent_stores import SILENT_STORES

KERNEL = """
kernel @k(%gdx: i32, %gdy: i32, %gdz: i32, %bdx: i32, %bdy: i32, %bdz: i32, %n: i32, %f: float, %p: ptr) {
  shared @bins [size=64, align=4]
  %before: ptr = gep %p, 4:i64 [offset=8, strides=(4)]
  grid %gdx, %gdy, %gdz { (%bx: i32, %by: i32, %bz: i32)
    block %bdx, %bdy, %bdz { (%tx: i32, %ty: i32, %tz: i32)
      %own: ptr = alloca [size=4, align=4]
      %w: i64 = zext %tx
      %same: ptr = gep %p, 3:i64 [offset=0, strides=(4)]
      %out: ptr = gep %p, %w [offset=0, strides=(4)]
      %in: ptr = gep @bins:ptr, 1:i64 [offset=0, strides=(4)]
      store VALUE, ADDRESS [align=4MORE]
      yield
    }
    yield
  }
  yield
}
"""


def changes(value: str, address: str, more: str = "") -> bool:
    text = KERNEL.replace("VALUE", value).replace("ADDRESS", address).replace("MORE", more)
    function = parse_function(text)
    changed = SILENT_STORES.run(function, Context())
    assert changed == any(op.name == "if" for op in walk(function.body))
    assert changed or print_function(function) == print_function(parse_function(text))
    return changed


@pytest.mark.parametrize("address", ["%p", "%same", "%before", "@flag:ptr"])
@pytest.mark.parametrize("value", ["1:i32", "%n", "0:i8"])
def test_one_value_to_one_address(value: str, address: str) -> None:
    assert changes(value, address)


@pytest.mark.parametrize("address", ["%out", "%own", "%in", "@bins:ptr"])
def test_not_to_an_address_of_the_thread_or_the_block(address: str) -> None:
    assert not changes("1:i32", address)


@pytest.mark.parametrize("value", ["%tx", "%bx", "%f", "%w"])
def test_not_what_threads_compute_nor_other_kinds(value: str) -> None:
    assert not changes(value, "%p")


@pytest.mark.parametrize("more", [", volatile=true", ", ordering=monotonic"])
def test_not_what_others_wait_for(more: str) -> None:
    assert not changes("1:i32", "%p", more)


def test_the_value_is_loaded_and_compared() -> None:
    function = parse_function(KERNEL.replace("VALUE", "1:i32").replace("ADDRESS", "%p").replace("MORE", ""))
    SILENT_STORES.run(function, Context())
    (choice,) = [op for op in walk(function.body) if op.name == "if"]
    (compared,) = [op for op in walk(function.body) if op.name == "icmp"]
    (held,) = [op for op in walk(function.body) if op.name == "load"]
    assert choice.operands == [compared.result]
    assert compared.operands[0] is held.result
    assert compared.attrs["pred"] == "ne"
    assert held.attrs["align"] == 4
    assert [op.name for op in choice.regions[0].ops] == ["store", "yield"]
