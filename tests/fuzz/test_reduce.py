# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Reducing a failing program; the question whether it fails is answered here by looking at its text."""

from __future__ import annotations

from warploom.fuzz.expressions import BOOL
from warploom.fuzz.generate import program
from warploom.fuzz.reduce import Reducer, simpler
from warploom.fuzz.text import kernel_text
from warploom.fuzz.tree import Expr, Kernel, Launch, Program, Stmt, render_body

LAUNCH = Launch((1, 1, 1), (32, 1, 1), True, 0, 0, 0.0)


def reduced(body: list[Stmt], needle: str) -> str:
    made = Program([Kernel("k0", [], body, [LAUNCH])])
    Reducer(made, lambda tried: needle in render_body(tried.kernels[0].body)).run()
    return render_body(made.kernels[0].body)


def test_statements_that_are_not_needed_go() -> None:
    body = [Stmt([f"a{number};"]) for number in range(9)]
    assert reduced(body, "a5;") == "  a5;\n"


def test_what_stands_around_the_culprit_goes() -> None:
    inner = Stmt(["for (;;) {", [Stmt(["x;"]), Stmt(["culprit;"])], "}"])
    body = [Stmt(["if (", Expr(BOOL, ["y"]), ") {", [inner], "} else {", [Stmt(["z;"])], "}"])]
    assert reduced(body, "culprit;") == "  culprit;\n"


def test_expressions_become_constants_or_their_operands() -> None:
    culprit = Expr("u32", ["culprit(", Expr("u32", ["x", Expr("i8", ["y + 1234"])]), ")"])
    body = [Stmt(["v = ", Expr("u32", ["u32(", culprit, " + ", Expr("u32", ["w[k]"]), ")"]), ";"])]
    assert reduced(body, "culprit(") == "  v = culprit(u32(1));\n"


def test_what_is_simple_stays() -> None:
    for type_, text in (("u32", "u32(1)"), ("f64", "f64(0.0)"), (BOOL, "false")):
        assert simpler(Expr(type_, [text])) == []
    both = Expr(BOOL, ["(", Expr(BOOL, ["a"]), " && ", Expr("i8", ["b"]), ")"])
    assert [str(each) for each in simpler(both)] == ["true", "false", "a"]


def test_one_kernel_and_one_launch_are_always_left() -> None:
    made = program(1, 0, 4)
    Reducer(made, lambda _: True).run()
    assert [len(each.launches) for each in made.kernels] == [1]
    assert made.kernels[0].body == []


def test_a_generated_kernel_becomes_a_few_lines() -> None:
    made = program(2, 0, 12, "barriers")
    Reducer(made, lambda tried: any("from_lane" in kernel_text(each) for each in tried.kernels)).run()
    assert len(made.kernels) == 1
    assert len(render_body(made.kernels[0].body).splitlines()) <= 2


def test_no_time_means_no_change() -> None:
    body = [Stmt(["a;"]), Stmt(["b;"])]
    made = Program([Kernel("k0", [], body, [LAUNCH])])
    Reducer(made, lambda _: True, seconds=0).run()
    assert len(body) == 2
