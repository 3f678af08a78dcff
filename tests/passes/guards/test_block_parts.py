# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Where the threads of a block are cut at barriers, so that range tests are versioned in few parts."""

from __future__ import annotations

import random
from dataclasses import replace

import pytest
from differential import lowered, results

from warploom.ir.core import Function, walk, walk_op
from warploom.ir.ops import levels_in
from warploom.ir.parser import parse_function
from warploom.passes.barrier.split_barriers import SPLIT_BARRIERS
from warploom.passes.base import Context
from warploom.passes.guards.block_parts import SMALLEST
from warploom.passes.guards.version_blocks import VERSION_BLOCKS

KERNEL = """
kernel @k(%gdx: i32, %gdy: i32, %gdz: i32, %bdx: i32, %bdy: i32, %bdz: i32, %n: i32, %p: ptr) {
  grid %gdx, %gdy, %gdz { (%bx: i32, %by: i32, %bz: i32)
    %m: i32 = mul %bx, %bdx
    block %bdx, %bdy, %bdz { (%tx: i32, %ty: i32, %tz: i32)
      %i: i32 = add %m, %tx
      %w: i64 = zext %i
      %a: ptr = gep %p, %w [offset=0, strides=(4)]
      %c: i1 = icmp %i, %n [pred=slt]
      BODY
      yield
    }
    yield
  }
  yield
}
"""
BARRIER = "barrier [level=block]"


def changed(number: int, by: str) -> str:
    """p[i] changes, for all threads."""
    x, y = f"%x{number}", f"%y{number}"
    return f"{x}: i32 = load %a [align=4] {y}: i32 = {by} store {y}, %a [align=4]".replace("VALUE", x)


def guarded(number: int) -> str:
    """p[i] changes where i < n."""
    return f"if %c {{ {changed(number, f'add VALUE, {number}:i32')} yield }} {{ yield }}"


def numbered(number: int) -> str:
    """p[i] changes by the number of the thread."""
    return changed(5000 + number, "xor VALUE, %i")


def long(number: int) -> str:
    """Enough of other code for a part of its own."""
    times = range(100 * number, 100 * number + SMALLEST // 3 + 1)
    return " ".join(changed(each, f"mul VALUE, {2 * each + 3}:i32") for each in times)


def kernel(*parts: str) -> Function:
    function = parse_function(KERNEL.replace("BODY", f" {BARRIER} ".join(parts)))
    function.facts = replace(function.facts, block=(16, 1, 1))
    return function


def shape(function: Function) -> list[str]:
    """The loops over threads: `if` for two versions, with a `b` for each barrier inside."""
    VERSION_BLOCKS.run(function, Context())
    (grid,) = (op for op in walk(function.body) if op.name == "grid")
    ops = [op for op in grid.region.body if op.name in ("block", "if")]
    return [op.name + "b" * sum(each.name == "barrier" for each in walk_op(op)) for op in ops]


def test_only_what_is_about_the_test_is_written_twice() -> None:
    assert shape(kernel(guarded(1), long(1), guarded(2))) == ["if", "block", "if"]
    assert shape(kernel(long(1), long(2), guarded(2), guarded(3))) == ["blockb", "ifbb"]
    assert shape(kernel(guarded(1), long(1))) == ["if", "block"]


def clamped(number: int) -> str:
    """p[i] changes where the thread's number is at most a clamped one."""
    x, clamp = f"%c{number}", "[callee=llvm.smin.i32, effects=none, speculatable=true]"
    last = f"{x}f: i32 = sub %n, %m [flags=(nsw)] {x}l: i32 = call {x}f, 9:i32 {clamp}"
    change = changed(number, f"add VALUE, {number}:i32")
    return f"{last} {x}: i1 = icmp %tx, {x}l [pred=sle] if {x} {{ {change} yield }} {{ yield }}"


def test_parts_about_clamps_to_the_data_are_written_twice_as_well() -> None:
    assert shape(kernel(guarded(1), long(1), clamped(2) + long(2))) == ["if", "block", "if"]


def test_little_code_gets_no_loop_of_its_own() -> None:
    assert shape(kernel(guarded(1), changed(2, "add VALUE, 1:i32"), guarded(3))) == ["ifbbbb"]


@pytest.mark.parametrize(
    "value",
    [
        "%q: i32 = load %a [align=4, volatile=true]",  # may be another one later
        "%f: float = bitcast %i %g: float = fmul %f, %f [flags=(contract)] %q: i32 = bitcast %g",  # or fused
        "%l: ptr = alloca [size=4, align=4] %q: i32 = ptrtoint %l",
        " ".join(f"%q{each}: i32 = xor {f'%q{each - 1}' if each else '%i'}, {each}:i32" for each in range(20))
        + " %q: i32 = xor %q19, 1:i32",  # many ops
    ],
)
def test_no_cut_where_a_value_would_have_to_be_kept(value: str) -> None:
    use = changed(900, "add VALUE, %q")
    assert shape(kernel(guarded(1), f"{value} {long(1)}", f"{long(2)} {use}")) == ["if", "blockb"]
    assert shape(kernel(f"{value} {guarded(1)}", long(1), f"{long(2)} {use}")) == ["ifbbbb"]


def test_barriers_in_loops_and_branches_are_no_place_to_cut() -> None:
    loop = f"for 0:i32, 3:i32, 1:i32 [pred=slt] {{ (%j: i32) {guarded(1)} {BARRIER} {long(1)} {BARRIER} yield }}"
    assert shape(kernel(loop)) == ["ifbbbb"]
    assert shape(kernel(loop, long(2))) == ["ifbbbb", "block"]


@pytest.mark.parametrize("seed", range(12))
def test_every_block_computes_the_same(seed: int) -> None:
    rng = random.Random(seed)
    numbers = iter(range(1, 40))
    kinds = (guarded, long, numbered, clamped)
    parts = [" ".join(rng.choice(kinds)(next(numbers)) for _ in range(2)) for _ in range(rng.randint(2, 6))]
    original = kernel(*parts)
    versioned, _ = lowered(original, [VERSION_BLOCKS, SPLIT_BARRIERS])
    assert not any(levels_in(op) for op in versioned.body.ops)
    launch = (3, 1, 1), (16, 1, 1)
    for n in (-3, 0, 1, 16, 20, 33, 48):
        assert results(versioned, *launch, n % 2**32) == results(original, *launch, n % 2**32)
