# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Which products are fused with the sums that use them."""

from __future__ import annotations

import pytest
from differential import lowered, results
from fission_kernels import kernel

from warploom.ir.core import Function, walk
from warploom.ir.parser import parse_function
from warploom.passes.base import Context
from warploom.passes.clean.canonicalise import CANONICALISE
from warploom.passes.clean.contract import CONTRACT
from warploom.passes.clean.dead_code import remove_dead_code

LAUNCH = "%gdx: i32, %gdy: i32, %gdz: i32, %bdx: i32, %bdy: i32, %bdz: i32"


def contracted(factor: str, type_: str = "float") -> Function:
    """x * factor, used by a sum and a difference, after the pass."""
    function = parse_function(f"""kernel @k({LAUNCH}, %p: ptr, %x: {type_}, %y: {type_}) {{
  grid %gdx, %gdy, %gdz {{ (%bx: i32, %by: i32, %bz: i32)
    block %bdx, %bdy, %bdz {{ (%tx: i32, %ty: i32, %tz: i32)
      %m: {type_} = fmul %x, {factor} [flags=(contract)]
      %a: {type_} = fadd %y, %m [flags=(contract)]
      %b: {type_} = fsub %y, %m [flags=(contract)]
      store %a, %p [align=4, volatile=true]
      store %b, %p [align=4, volatile=true]
      yield
    }}
    yield
  }}
  yield
}}
""")
    CONTRACT.run(function, Context())
    remove_dead_code(function.body)
    return function


FUSED = """
      %m: float = fmul %x, %y [flags=(contract)]
      %r: float = {op} {operands} [flags=(contract)]
      %i: i32 = fptosi %r
      store %i, %here [align=4]
"""


@pytest.mark.parametrize(
    ("op", "operands", "expected"), [("fadd", "%m, %z", 42), ("fadd", "%z, %m", 42), ("fsub", "%m, %z", -12),
                                     ("fsub", "%z, %m", 12)]
)  # fmt: skip
def test_what_is_fused_has_the_signs_of_what_it_was(op: str, operands: str, expected: int) -> None:
    numbers = "".join(
        f"%{name}0: i32 = add %n, {more}:i32\n%{name}: float = sitofp %{name}0\n"
        for name, more in (("x", 1), ("y", 3), ("z", 25))
    )
    original = parse_function(kernel(numbers + FUSED.format(op=op, operands=operands)))
    fused, _ = lowered(original, [CONTRACT, CANONICALISE])
    assert products(fused) == 0
    assert results(fused, (1, 1, 1), (1, 1, 1), 2) == results(original, (1, 1, 1), (1, 1, 1), 2) == [expected % 2**32]


def products(function: Function) -> int:
    return sum(op.name == "fmul" for op in walk(function.body))


@pytest.mark.parametrize(
    ("factor", "type_"), [("2.0:float", "float"), ("-4.0:float", "float"), ("2.0:double", "double")]
)
def test_a_product_with_a_power_of_two_is_fused_with_all_its_sums(factor: str, type_: str) -> None:
    assert products(contracted(factor, type_)) == 0


@pytest.mark.parametrize("factor", ["3.0:float", "%y", "0.5:float", "1.0:float"])
def test_another_product_with_two_uses_stays(factor: str) -> None:
    # A half may round among the smallest numbers.
    assert products(contracted(factor)) == 1


ONCE = """
      %m: float = fmul %x, %y [flags=(contract)]
      %r: float = fadd %m, %z [flags=(contract)]
      %i: i32 = fptosi %r
      store %i, %here [align=4]
"""


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("fmul %x, %y [flags=(contract)]", "fmul %x, %y"),  # not allowed to
        ("fadd %m, %z [flags=(contract)]", "fadd %m, %z"),
        ("fmul %x, %y [flags=(contract)]", "fdiv %x, %y [flags=(contract)]"),  # no product
        ("fadd %m, %z [flags=(contract)]", "fmul %m, %z [flags=(contract)]"),  # no sum
        ("%r: float = fadd %m, %z [flags=(contract)]", "INSIDE"),
    ],
)
def test_what_is_not_a_product_and_its_sum_that_may_be_fused_stays(one: str, other: str) -> None:
    inside = """%c: i1 = icmp %n, %tx [pred=sgt]
      %r: float = if %c { %s: float = fadd %m, %z [flags=(contract)] yield %s } { yield %z }"""
    numbers = "".join(f"%{name}0: i32 = add %n, 3:i32\n%{name}: float = sitofp %{name}0\n" for name in "xyz")

    def fused(text: str) -> bool:
        after, _ = lowered(parse_function(kernel(numbers + text)), [CONTRACT, CANONICALISE])
        return any(op.name == "call" for op in walk(after.body))

    assert one in ONCE
    assert fused(ONCE)
    assert not fused(ONCE.replace(one, inside if other == "INSIDE" else other))
