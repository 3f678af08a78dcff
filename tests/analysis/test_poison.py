# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What may be poison where no thread runs the code that it is computed for."""

from __future__ import annotations

import pytest

from warploom.analysis.poison import poison_in
from warploom.ir.core import walk
from warploom.ir.parser import parse_function


@pytest.mark.parametrize(
    ("code", "may"),
    [
        ("%x: i32 = add %n, 1:i32", False),
        ("%x: i32 = add %n, 1:i32 [flags=(nsw)]", True),
        ("%y: i32 = add %n, 1:i32 [flags=(nsw)] %x: i1 = icmp %y, 8:i32 [pred=slt]", True),
        ("%y: i32 = add %n, 1:i32 [flags=(nsw)] %x: i32 = freeze %y", False),
        ("%x: i32 = load %p", False),
        ("%x: i32 = if %c { yield %n } { yield 0:i32 }", False),
        ("%x: i32 = if %c { yield %n } { yield poison:i32 }", True),
        ("%x: i32 = if %c { yield %n } { yield undef:i32 }", True),
        ("%y: i1 = icmp undef:i32, %n [pred=eq] %x: i32 = if %y { yield %n } { yield 0:i32 }", True),
        ("for 0:i32, %n, 1:i32 [pred=slt] { (%i: i32) %x: i32 = add %i, 1:i32 yield }", False),
        (
            "for 0:i32, %n, 1:i32, %n [pred=slt] { (%i: i32, %a: i32) %x: i32 = add %a, 1:i32 yield %x }".replace(
                "for", "%r: i32 = for", 1
            ),
            True,
        ),
    ],
)
def test_what_may_be_poison(code: str, may: bool) -> None:
    function = parse_function(f"kernel @k(%n: i32, %p: ptr, %c: i1) {{ {code} yield }}")
    (value,) = (each for op in walk(function.body) for each in op.results if each.name == "x")
    assert poison_in(function, function.body).may_be(value) == may
