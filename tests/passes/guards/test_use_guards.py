# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Which minima and maxima go because of the conditions around them, and that results stay the same."""

from __future__ import annotations

import pytest
from differential import lowered, results
from fission_kernels import kernel

from warploom.ir.core import Function, int_const, walk
from warploom.ir.parser import parse_function
from warploom.passes.barrier.recompute_conditions import RECOMPUTE_CONDITIONS
from warploom.passes.barrier.split_barriers import SPLIT_BARRIERS
from warploom.passes.base import Context
from warploom.passes.clean.canonicalise import CANONICALISE
from warploom.passes.guards.use_guards import USE_GUARDS
from warploom.pipeline import cleaned

MAX = "callee=llvm.smax.i32, effects=none, speculatable=true"
MIN = "callee=llvm.smin.i32, effects=none, speculatable=true"
GUARDED = """
      CLAMP
      %c: i1 = icmp CONDITION
      if %c {
        store %m, %here [align=4]
        yield
      } {
        OTHERWISE
        yield
      }
"""


def guarded(clamp: str, condition: str, otherwise: str = "") -> Function:
    """A thread stores the number %m that `clamp` computes if `condition`."""
    body = GUARDED.replace("CLAMP", clamp).replace("CONDITION", condition).replace("OTHERWISE", otherwise)
    return parse_function(kernel(body))


def clamps(function: Function) -> int:
    """How many minima and maxima are left."""
    changed, _ = lowered(function, [USE_GUARDS, CANONICALISE])
    return sum("llvm.smax" in str(op.attrs.get("callee")) or "llvm.smin" in str(op.attrs.get("callee"))
               for op in walk(changed.body))  # fmt: skip


LEFT = f"%l: i32 = add %tx, -1:i32\n%m: i32 = call %l, 0:i32 [{MAX}]"
RIGHT = f"%l: i32 = add %tx, 1:i32\n%m: i32 = call %l, %n [{MIN}]"
INNER = [(LEFT, "%tx, 0:i32 [pred=sgt]"), (LEFT, "%tx, 0:i32 [pred=ugt]"), (LEFT, "%tx, 5:i32 [pred=eq]"),
         (LEFT, "3:i32, %tx [pred=sle]"), (RIGHT, "%tx, %n [pred=slt]"), (RIGHT, "%n, %tx [pred=sgt]")]  # fmt: skip
OPEN = [(LEFT, "%tx, 0:i32 [pred=sge]"), (LEFT, "%tx, 5:i32 [pred=ne]"), (LEFT, "%tx, 5:i32 [pred=slt]"),
        (RIGHT, "%tx, %n [pred=sle]"), (RIGHT, "%ty, %n [pred=slt]")]  # fmt: skip


@pytest.mark.parametrize(("clamp", "condition"), INNER)
def test_a_guard_decides_a_clamp(clamp: str, condition: str) -> None:
    assert clamps(guarded(clamp, condition)) == 0


@pytest.mark.parametrize(("clamp", "condition"), OPEN)
def test_other_conditions_leave_it_open(clamp: str, condition: str) -> None:
    assert clamps(guarded(clamp, condition)) == 1


CHOSEN = "%l: i32 = add %tx, -1:i32\n%k: i1 = icmp %tx, 0:i32 [pred=sgt]\n%m: i32 = select %k, %l, 0:i32"


@pytest.mark.parametrize(("condition", "left"), [("%tx, 3:i32 [pred=sgt]", 0), ("%tx, 3:i32 [pred=slt]", 1)])
def test_a_guard_decides_a_choice_in_a_kernel_without_minima(condition: str, left: int) -> None:
    changed, _ = lowered(guarded(CHOSEN, condition), [USE_GUARDS, CANONICALISE])
    assert sum(op.name == "select" for op in walk(changed.body)) == left


def test_the_other_side_of_a_guard_keeps_its_clamp() -> None:
    both = guarded(LEFT, "%tx, 3:i32 [pred=sgt]", otherwise="store %m, %mine [align=4]")
    assert clamps(both) == 1


def test_the_other_side_knows_the_opposite() -> None:
    # Where tx < 1 does not hold.
    body = GUARDED.replace("CLAMP", LEFT).replace("CONDITION", "%tx, 1:i32 [pred=slt]")
    body = body.replace("store %m, %here [align=4]", "").replace("OTHERWISE", "store %m, %here [align=4]")
    assert clamps(parse_function(kernel(body))) == 0


def test_a_sum_that_may_wrap_is_not_ordered() -> None:
    # n - 1 is the largest number where n is the least one.
    assert clamps(guarded(f"%l: i32 = add %n, -1:i32\n%m: i32 = call %l, %n [{MIN}]", "%tx, %n [pred=ne]")) == 1
    assert clamps(guarded(f"%l: i32 = add %n, -1:i32\n%m: i32 = call %l, %n [{MIN}]", "%n, 0:i32 [pred=sge]")) == 0


def test_two_facts_add_up() -> None:
    # tx <= 14 - ty and 16 <= n: tx + 1 is below n.
    function = guarded(
        f"""%o: i32 = sub 14:i32, %ty
      %d: i1 = icmp 16:i32, %n [pred=sle]
      %l: i32 = add %tx, 1:i32
      %m: i32 = call %l, %n [{MIN}]
      %e: i1 = icmp %tx, %o [pred=sle]
      %both: i1 = and %d, %e""",
        "%both, 1:i1 [pred=eq]",
    )
    for op in walk(function.body):
        if op.name == "if":
            op.operands[0] = next(
                each.result for each in walk(function.body) if each.results and each.result.name == "both"
            )
    assert clamps(function) == 0


FROZEN = f"""
      %x: i32 = add %n, %tx [flags=(nsw)]
      %copy: i32 = freeze %x
      %c: i1 = icmp %copy, 3:i32 [pred=sge]
      if %c {{
        %m: i32 = call QUESTION [{MAX}]
        store %m, %here [align=4]
        yield
      }} {{
        yield
      }}
"""


def test_a_frozen_copy_stands_for_its_value() -> None:
    assert clamps(parse_function(kernel(FROZEN.replace("QUESTION", "%x, 2:i32")))) == 0


def test_a_frozen_copy_says_nothing_of_other_values() -> None:
    # %copy <= 7 on top would order 3 and 7 only if %copy were one number, which it is, but of no value asked about.
    body = FROZEN.replace("QUESTION", "%ty, %tx")
    assert clamps(parse_function(kernel(body))) == 1


# Each round threads of a shrinking part of the block add up their neighbours, clamped to the block.
PYRAMID = f"""
      %first: i32 = load %here [align=4]
      store %first, %mine [align=4]
      barrier [level=block]
      %l: i32 = add %tx, -1:i32
      %west: i32 = call %l, 0:i32 [{MAX}]
      %r: i32 = add %tx, 1:i32
      %east: i32 = call %r, 11:i32 [{MIN}]
      %ww: i64 = zext %west
      %we: i64 = sext %east
      %pw: ptr = gep @s:ptr, %ww [offset=0, strides=(4), inbounds=true]
      %pe: ptr = gep @s:ptr, %we [offset=0, strides=(4), inbounds=true]
      %end: i32 = while START {{ (%k: i32)
        %inside: i1 = icmp %k, %n [pred=slt]
        %next: i32 = add %k, 1:i32 [flags=(FLAG)]
        %low: i1 = icmp %tx, %k [pred=sgt]
        %far: i32 = sub 10:i32, %k
        %high: i1 = icmp %tx, %far [pred=sle]
        %on: i1 = and %low, %high
        %more: i1 = if %inside {{
          %sum: i32 = if %on {{
            %a: i32 = load %pw [align=4]
            %b: i32 = load %pe [align=4]
            %s: i32 = add %a, %b
            yield %s
          }} {{
            %same: i32 = load %mine [align=4]
            yield %same
          }}
          barrier [level=block]
          store %sum, %mine [align=4]
          barrier [level=block]
          yield 1:i1
        }} {{
          yield 0:i1
        }}
        condition %more, %next
      }} {{ (%k2: i32)
        yield %k2
      }}
      %last: i32 = load %mine [align=4]
      store %last, %here [align=4]
"""


CHOICES = {
    f"%west: i32 = call %l, 0:i32 [{MAX}]": "%f: i1 = icmp %tx, 0:i32 [pred=sgt]\n%west: i32 = select %f, %l, 0:i32",
    f"%east: i32 = call %r, 11:i32 [{MIN}]": "%g: i1 = icmp %tx, 11:i32 [pred=slt]\n%east: i32 = select %g, %r, 11:i32",
}  # fmt: skip


def pyramid(start: str, flag: str = "nsw", *, choices: bool = False) -> Function:
    # The clamps stand where the addresses are used.
    text = PYRAMID.replace("START", start).replace("FLAG", flag)
    for clamp, choice in CHOICES.items() if choices else ():
        text = text.replace(clamp, choice)
    lines = text.split("\n")
    wanted = ("%l:", "%f:", "%west:", "%r:", "%g:", "%east:", "%ww:", "%we:", "%pw:", "%pe:")
    moved = [line for line in lines if line.strip().startswith(wanted)]
    rest = [line for line in lines if line not in moved]
    at = next(number for number, line in enumerate(rest) if "%a: i32 = load" in line)
    return parse_function(kernel("\n".join([*rest[:at], *moved, *rest[at:]])))


def test_a_counter_that_only_grows_is_at_least_its_first_value() -> None:
    assert clamps(pyramid("0:i32")) == 0
    assert clamps(pyramid("5:i32")) == 0


def test_a_counter_that_starts_below_or_wraps_decides_nothing() -> None:
    assert clamps(pyramid("-3:i32")) == 2
    assert clamps(pyramid("0:i32", flag="")) == 2


@pytest.mark.parametrize("choices", [False, True])
@pytest.mark.parametrize("start", ["0:i32", "2:i32", "-3:i32"])
def test_every_thread_computes_the_same(start: str, choices: bool) -> None:
    original = pyramid(start, choices=choices)
    passes = [CANONICALISE, cleaned(RECOMPUTE_CONDITIONS), USE_GUARDS, CANONICALISE, SPLIT_BARRIERS]
    changed, _ = lowered(original, passes)
    for n in (-1, 0, 1, 3, 7):
        expected = results(original, (2, 1, 1), (12, 1, 1), n % 2**32)
        assert results(original, (2, 1, 1), (12, 1, 1), n % 2**32, seed=n + 5) == expected
        assert results(changed, (2, 1, 1), (12, 1, 1), n % 2**32, seed=n + 9) == expected


def test_what_is_never_negative_is_read_as_a_signed_number() -> None:
    function = pyramid("0:i32")
    USE_GUARDS.run(function, Context())
    west = next(op for op in walk(function.body) if op.results and op.result.name == "ww")
    assert west.name == "sext"


CLAMPED = f"%o: i32 = call %n, 100:i32 [{MIN}]\n"  # without a minimum or maximum the pass does not look
CHOICE = f"{CLAMPED}%l: i32 = add %tx, 1:i32\n%low: i1 = icmp %tx, %n [pred=slt]\n%m: i32 = select %low, %l, %n"


def choices(function: Function) -> int:
    """How many choices between numbers are left."""
    changed, _ = lowered(function, [USE_GUARDS, CANONICALISE])
    return sum(op.name == "select" and op.result.type == "i32" for op in walk(changed.body))


def test_a_guard_decides_a_choice_by_a_comparison() -> None:
    assert choices(guarded(CHOICE, "%n, %tx [pred=sgt]")) == 0
    assert choices(guarded(CHOICE, "%n, %tx [pred=sle]")) == 0
    assert choices(guarded(CHOICE, "%n, %tx [pred=sge]")) == 1


@pytest.mark.parametrize(("asked", "answer"), [("slt", 7), ("sle", 7), ("sgt", 8), ("sge", 8)])
def test_a_guard_decides_comparisons_of_sums(asked: str, answer: int) -> None:
    inner = f"""{CLAMPED}%far: i32 = add %n, 2:i32 [flags=(nsw)]
      %q: i1 = icmp %tx, %far [pred={asked}]
      %m: i32 = select %q, 7:i32, 8:i32"""
    changed, _ = lowered(guarded(inner, "%tx, %n [pred=slt]"), [USE_GUARDS, CANONICALISE])
    (stored,) = [op.operands[0] for op in walk(changed.body) if op.name == "store"]
    assert stored == int_const("i32", answer)


@pytest.mark.parametrize("clamp", [CHOICE, CHOICE.replace("slt", "sgt"), CHOICE.replace("%l, %n", "%n, %l")])
@pytest.mark.parametrize("condition", ["%n, %tx [pred=sgt]", "%n, %tx [pred=sle]", "%n, %tx [pred=sge]"])
def test_threads_choose_the_same(clamp: str, condition: str) -> None:
    original = guarded(clamp, condition)
    changed, _ = lowered(original, [USE_GUARDS, CANONICALISE])
    for n in (-2, 0, 3, 11, 12, 40):
        expected = results(original, (2, 1, 1), (12, 1, 1), n % 2**32)
        assert results(changed, (2, 1, 1), (12, 1, 1), n % 2**32) == expected


STORE = f"%m: i32 = call %k, 0:i32 [{MAX}]\nstore %m, %here [align=4]\n"
WHILE = f"""%v: i32, %w: i32 = while 0:i32, 0:i32 {{ (%k: i32, %u: i32)
        {STORE}
        %go: i1 = icmp %k, %n [pred=slt]
        %next: i32 = NEXT
        %fall: i32 = sub %u, 3:i32 [flags=(nsw)]
        condition %go, %next, %fall
      }} {{ (%k2: i32, %u2: i32)
        yield %k2, %u2
      }}"""
FOR = f"for 0:i32, %n, BOUNDS {{ (%k: i32)\n{STORE} yield }}"
COUNTERS = [
    (WHILE.replace("NEXT", "add %k, 1:i32 [flags=(nsw)]"), 0, "counts up"),
    (WHILE.replace("NEXT", "add %k, -1:i32 [flags=(nsw)]"), 1, "counts down"),
    (WHILE.replace("NEXT", "sub %k, 1:i32 [flags=(nsw)]"), 1, "counts down by a difference"),
    (WHILE.replace("NEXT", "add %k, %n [flags=(nsw)]"), 1, "by a number that may be negative"),
    (WHILE.replace("NEXT", "add %u, 1:i32 [flags=(nsw)]"), 1, "one more than something else"),
    (WHILE.replace("NEXT", "add %k, 1:i32 [flags=(nsw)]").replace("yield %k2, %u2", "yield %u2, %k2"), 1, "in turns"),
    (FOR.replace("BOUNDS", "1:i32 [pred=slt]"), 0, "a counted loop"),
    (FOR.replace("BOUNDS", "1:i32 [pred=ult]"), 1, "a counted loop without signs"),
    (FOR.replace("BOUNDS", "-1:i32 [pred=sgt]"), 1, "a counted loop backwards"),
    (FOR.replace("BOUNDS", "%n [pred=slt]"), 1, "a counted loop in any steps"),
]  # fmt: skip


@pytest.mark.parametrize(("body", "left", "why"), COUNTERS, ids=[each[-1] for each in COUNTERS])
def test_which_counters_are_never_less_than_their_first_value(body: str, left: int, why: str) -> None:
    assert clamps(parse_function(kernel(body))) == left, why
