# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What an average thread does, as a formula of the launch."""

from __future__ import annotations

import pytest
from block_kernel import block_kernel

from warploom.analysis.expressions import evaluate
from warploom.analysis.work_formulas import work_formulas

LOAD = "%v: float = load %p [align=4]"
SUM = f"{LOAD} %w: float = fadd %v, %v store %w, %q [align=4]"
LAUNCH = {"g0": 10.0, "g1": 1.0, "g2": 1.0, "b0": 32.0, "b1": 1.0, "b2": 1.0}
GLOBAL_ID = "%m: i32 = mul %bx, %bdx %i: i32 = add %m, %tx "


def work(body: str, n: float = 0, **launch: float) -> tuple[float, float] | None:
    """Operations and bytes of a thread of `body`, in a launch where %n, parameter 2, is `n`; None: not known."""
    formulas = work_formulas(block_kernel(body))
    if formulas.work is None:
        return None
    values = LAUNCH | launch | {"s4_2": n}
    return evaluate(formulas.work.flops.text, values), evaluate(formulas.work.bytes.text, values)


def test_operations_and_bytes_of_straight_code() -> None:
    assert work(SUM) == (1, 8)


def test_fused_operations_count_twice_and_vectors_each_element() -> None:
    assert work(LOAD + " %w: float = call %v, %v, %v [callee=llvm.fma.f32, effects=none]") == (2, 4)
    assert work("%v: <4 x float> = load %p [align=16] %w: <4 x float> = fadd %v, %v") == (4, 16)


def test_shared_and_private_memory_does_not_count() -> None:
    assert work("%v: float = load @s:ptr [align=4]") == (0, 0)
    assert work("%a: ptr = alloca [size=4, align=4] store 1.0:float, %a [align=4]") == (0, 0)


@pytest.mark.parametrize(
    ("head", "n", "trips"),
    [
        ("0:i32, %n, 1:i32 [pred=slt]", 100, 100),
        ("0:i32, %n, 16:i32 [pred=slt]", 100, 7),
        ("0:i32, %n, 1:i32 [pred=sle]", 100, 101),
        ("%n, 0:i32, -1:i32 [pred=sgt]", 100, 100),
        ("0:i32, 8:i32, 1:i32 [pred=ult]", 0, 8),
        ("5:i32, %n, 1:i32 [pred=slt]", 3, 0),
        ("%tx, %n, 32:i32 [pred=slt]", 320, 10),  # a thread in 32 steps
        ("%tx, %n, 1:i32 [pred=slt]", 100, 100 - 31 / 2),  # a triangle
        ("0:i32, %tx, 1:i32 [pred=slt]", 0, 31 / 2),
    ],
)
def test_trips_of_loops(head: str, n: float, trips: float) -> None:
    operands, attributes = head.split(" [")
    body = f"for {operands} [{attributes} {{ (%i: i32) {SUM} yield }}"
    assert work(body, n) == pytest.approx((trips, 8 * trips))


def test_copies_of_a_known_size_count_where_they_meet_global_memory() -> None:
    assert work("memcpy @s:ptr, %p, 16:i64 [align_to=4, align_from=4]") == (0, 16)
    assert work("memcpy %q, %p, 16:i64 [align_to=4, align_from=4]") == (0, 32)
    assert work("memset %p, 0:i8, 8:i64 [align_to=4]") == (0, 8)


def test_loops_in_loops_multiply() -> None:
    inner = f"for 0:i32, %n, 1:i32 [pred=slt] {{ (%j: i32) {SUM} yield }}"
    assert work(f"for 0:i32, 3:i32, 1:i32 [pred=slt] {{ (%i: i32) {inner} yield }}", 5) == (15, 120)


@pytest.mark.parametrize(
    ("pred", "n", "part"),
    [("slt", 160, 0.5), ("slt", 320, 1), ("slt", 1000, 1), ("slt", -5, 0), ("sge", 80, 0.75), ("eq", 7, 1 / 320)],
)
def test_a_guard_by_the_threads_number_counts_by_its_part(pred: str, n: float, part: float) -> None:
    body = f"{GLOBAL_ID} %c: i1 = icmp %i, %n [pred={pred}] if %c {{ {SUM} yield }} {{ yield }}"
    assert work(body, n) == pytest.approx((part, 8 * part))


def test_both_sides_of_another_choice_count_and_make_it_a_bound() -> None:
    body = f"{LOAD} %c: i1 = fcmp %v, %v [pred=uno] if %c {{ store %v, %q [align=4] yield }} {{ yield }}"
    assert work(body) == (0, 8)
    assert work_formulas(block_kernel(body)).at_most
    assert not work_formulas(block_kernel(SUM)).at_most


def test_a_loop_until_what_is_loaded_says_so_is_not_known() -> None:
    loop = "%r: i32 = while 0:i32 {{ (%i: i32) %l: i32 = load %p [align=4] %c: i1 = icmp %i, %l [pred=slt] condition %c, %i }} {{ (%j: i32) {0} %k: i32 = add %j, 1:i32 yield %k }}"  # noqa: E501
    assert work(loop.format(SUM)) is None


def test_a_loop_that_does_nothing_that_counts_is_fine() -> None:
    bound = "%l: i32 = load @s:ptr [align=4]"
    assert work(f"{bound} for 0:i32, %l, 1:i32 [pred=slt] {{ (%i: i32) %k: i32 = add %i, 1:i32 yield }}") == (0, 0)


def test_what_a_function_elsewhere_does_is_not_known() -> None:
    assert work("call [callee=_Zother, effects=any]") is None
    assert work("call [callee=__warploom_trap, effects=any, noreturn=true]") == (0, 0)
