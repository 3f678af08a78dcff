# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Which conditions are computed from a loop's counter instead of carried, and that they are the same."""

from __future__ import annotations

import pytest
from differential import lowered, results
from fission_kernels import kernel

from warploom.ir.core import Function, Value, walk
from warploom.ir.parser import parse_function
from warploom.passes.barrier.recompute_conditions import RECOMPUTE_CONDITIONS
from warploom.passes.barrier.split_barriers import SPLIT_BARRIERS
from warploom.passes.base import Context, apply
from warploom.passes.clean.canonicalise import CANONICALISE
from warploom.pipeline import cleaned

# In round k thread t is on when t > k; who was on in the round before adds k, and who is on at the end adds 100.
LOOP = """
      %start: i1 = icmp %tx, FIRST [pred=slt]
      %end: i32, %last: i1, %spare: i1 = while START, INITIAL { (%k: i32, %was: i1)
        %inside: i1 = icmp %k, %n [pred=slt]
        %next: i32 = add %k, 1:i32 [flags=(FLAG)]
        CONDITION
        %chosen: i1 = select %inside, %on, %was
        %more: i1 = if %inside {
          if %was {
            %x: i32 = load %here [align=4]
            %y: i32 = add %x, %k
            store %y, %here [align=4]
            yield
          } {
            yield
          }
          barrier [level=block]
          yield 1:i1
        } {
          yield 0:i1
        }
        condition %more, %next, %chosen, %on
      } { (%k2: i32, %c2: i1, %c3: i1)
        yield %k2, %c3
      }
      if %last {
        %x2: i32 = load %here [align=4]
        %y2: i32 = add %x2, 100:i32
        store %y2, %here [align=4]
        yield
      } {
        yield
      }
"""
PLAIN = "%on: i1 = icmp %tx, %k [pred=sgt]"
CHOICE = """%low: i1 = icmp %tx, %k [pred=sgt]
        %on: i1 = if %low {
          %far: i32 = sub 9:i32, %k
          %high: i1 = icmp %tx, %far [pred=sle]
          yield %high
        } {
          yield 0:i1
        }"""
# What is carried is left open in the round that is not begun.
OPEN = """%chosen_now: i1 = icmp %tx, %k [pred=sgt]
        %on: i1 = select %inside, %chosen_now, poison:i1"""
EFFECT = CHOICE.replace("yield %high", "store %far, %mine [align=4]\n          yield %high")
# As many comparisons as tell which threads have a cell of a tile at the edge of the data.
_LIMITS = [
    f"%l{k}: i32 = sub {20 + k}:i32, %k %c{k}: i1 = icmp %tx, %l{k} [pred=slt] %a{k + 1}: i1 = and %a{k}, %c{k}\n"
    for k in range(5)
]
LONG = EFFECT.replace("%high:", "%a0:").replace("store", "".join(_LIMITS) + "store").replace("yield %high", "yield %a5")
LOADED = """%z: i32 = load %here [align=4, volatile=true]
        %on: i1 = icmp %z, %k [pred=sgt]"""
NEVER = "0:i1"


def loop(condition: str, initial: str = NEVER, flag: str = "nsw", start: str = "0:i32") -> Function:
    body = LOOP.replace("%inside, %on", "%inside, %chosen_now") if condition == OPEN else LOOP
    body = body.replace("CONDITION", condition).replace("INITIAL", initial).replace("FLAG", flag)
    return parse_function(kernel(body.replace("START", start).replace("FIRST", "3:i32")))


def carried(function: Function) -> list[str]:
    """The types of what the loop carries after the pass."""
    apply(cleaned(RECOMPUTE_CONDITIONS), function, Context())
    (found,) = [op for op in walk(function.body) if op.name == "while"]
    return [each.type for each in found.operands]


@pytest.mark.parametrize("initial", [NEVER, "1:i1", "%start", "undef:i1"])
@pytest.mark.parametrize("condition", [PLAIN, CHOICE, EFFECT, OPEN, LONG])
def test_only_the_counter_is_carried(condition: str, initial: str) -> None:
    function = loop(condition, initial)
    assert carried(function) == ["i32"]
    assert all(each.type == "i32" for op in walk(function.body) if op.name == "while" for each in op.results)


@pytest.mark.parametrize("condition", [PLAIN, CHOICE, EFFECT, OPEN, LONG])
def test_nothing_is_kept_across_the_barrier(condition: str) -> None:
    def buffers(function: Function) -> int:
        return sum(op.name == "scratch" for op in walk(function.body))

    passes = [CANONICALISE, SPLIT_BARRIERS]
    assert buffers(lowered(loop(condition), passes)[0]) > 0
    assert buffers(lowered(loop(condition), [CANONICALISE, cleaned(RECOMPUTE_CONDITIONS), SPLIT_BARRIERS])[0]) == 0


@pytest.mark.parametrize("start", ["0:i32", "2:i32"])
@pytest.mark.parametrize("initial", [NEVER, "1:i1", "%start"])
@pytest.mark.parametrize("condition", [PLAIN, CHOICE, EFFECT, LOADED, LONG])
def test_every_thread_computes_the_same(condition: str, initial: str, start: str) -> None:
    original = loop(condition, initial, start=start)
    changed, _ = lowered(original, [CANONICALISE, cleaned(RECOMPUTE_CONDITIONS), SPLIT_BARRIERS])
    for n in (-1, 0, 1, 2, 3, 7, 12):
        expected = results(original, (2, 1, 1), (12, 1, 1), n % 2**32)
        assert results(changed, (2, 1, 1), (12, 1, 1), n % 2**32, 1) == expected


def test_a_condition_that_looks_at_memory_is_carried() -> None:
    assert carried(loop(LOADED)) == ["i32", "i1"]


def test_a_counter_that_may_wrap_may_have_its_first_value_again() -> None:
    assert "i1" in carried(loop(PLAIN, flag=""))


def compared_with(function: Function) -> list[str]:
    """What makes the numbers that the condition behind the loop compares %tx with."""
    makers = {value: op for op in walk(function.body) for value in op.results}
    guard = [op for op in walk(function.body) if op.name == "if"][-1].operands[0]
    work, found = [guard], list[str]()
    while work:
        op = next((makers[value] for value in [work.pop()] if isinstance(value, Value) and value in makers), None)
        if op is not None and op.name == "icmp":
            found += [makers[each].name for each in op.operands if isinstance(each, Value) and each in makers]
        elif op is not None and op.name in ("select", "and"):
            work += [each for each in op.operands if isinstance(each, Value)]
    return found


@pytest.mark.parametrize("condition", [PLAIN, CHOICE, EFFECT, OPEN])
def test_a_uniform_choice_of_two_conditions_is_one_of_their_operands(condition: str) -> None:
    # Behind the loop stands `inside ? tx > k : tx > k - 1`, which is tx > (inside ? k : k - 1).
    function = loop(condition, "0:i1")
    apply(cleaned(RECOMPUTE_CONDITIONS), function, Context())
    assert "select" in compared_with(function)
    assert compared_with(function).count("add") == 0


def test_conditions_of_different_forms_stay_a_choice() -> None:
    function = loop(PLAIN, "%start")
    apply(cleaned(RECOMPUTE_CONDITIONS), function, Context())
    guard = [op for op in walk(function.body) if op.name == "if"][-1].operands[0]
    (choice,) = [op for op in walk(function.body) if guard in op.results]
    assert choice.name == "select"
