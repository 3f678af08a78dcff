# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Ranges and sums of random integers: no launch that an answer is for has a number outside, or another sum.

A thread's ops follow each other at random, with widths from 8 to 64 bits and LLVM's flags; launches are the smallest
and the largest that CUDA allows, and some between. Each op is computed for them by itself.
"""

from __future__ import annotations

import random
from collections.abc import Callable
from math import prod

import pytest
from block_kernel import block_kernel

from warploom.analysis.affine import Form, affine_forms
from warploom.analysis.bounded_forms import BoundedForms
from warploom.analysis.definitions import definitions
from warploom.analysis.exact_linear import Exact, Limit, Linear, Ranges, Shared
from warploom.analysis.integers import Range, fits, signed_value, type_range
from warploom.analysis.sums import Sum
from warploom.core.launch import LAUNCH_LIMIT, MAX_BLOCK, MAX_GRID
from warploom.ir.core import Const, Function, Op, Operand, Value, flags_of, walk
from warploom.ir.evaluate import evaluate
from warploom.ir.types import bits, is_int

WIDTHS = (8, 16, 32, 32, 32, 64)
NUMBERS = (0, 1, 2, 3, 4, 7, 8, 16, 31, 32, 100, 127, 128, 255, 256, 1000, 65535, -1, -2, -8, -128, 1 << 20, 1 << 30)
PLAIN = ("add", "add", "add", "sub", "mul", "mul", "and", "or", "xor")
SHIFTS = ("shl", "lshr", "ashr")
DIVISIONS = ("udiv", "urem", "sdiv", "srem")
COMMON = (
    ("mul %bx, %bdx", "add {0}, %tx"),
    ("mul %by, %gdx", "add {0}, %bx", "mul {1}, %bdx", "add {2}, %tx"),
    ("mul %bdx, %bdy", "mul %by, %gdx", "add {1}, %bx", "mul {2}, {0}"),
    ("shl %bx, 9:i32", "add {0}, %tx"),
    ("mul %gdx, %bdx",),
    ("sub %tx, 8:i32",),
    ("sub 100:i32, %tx",),
    ("add %tx, %n",),
    ("mul %bdx, %bdy", "mul %bx, {0}"),
    ("mul %ty, %bdx", "add {0}, %tx"),
)

IDS = ("%bx", "%by", "%gdx", "%bdx", "%bdy", "%n", "%tx")
EXACT: dict[str, Callable[[int, int], int]] = {
    "add": lambda x, y: x + y,
    "sub": lambda x, y: x - y,
    "mul": lambda x, y: x * y,
    "shl": lambda x, y: x << y,
}


def add_common(choose: random.Random, add: Callable[[int, str], str]) -> None:
    """Ops that number threads, or something like it; what they make in 64 bits, too."""
    made: list[str] = []
    for text in choose.choice(COMMON):
        name, _, operands = text.format(*made).partition(" ")
        if choose.random() < 0.15:
            operands = operands.replace(choose.choice(IDS), choose.choice(IDS))
        flags = choose.choice(("", "", " [flags=(nsw)]", " [flags=(nuw, nsw)]"))
        made.append(add(32, f"i32 = {name} {operands}{flags}"))
    if choose.random() < 0.5:
        add(64, f"i64 = {choose.choice(('sext', 'zext'))} {made[-1]}")


def random_body(choose: random.Random) -> str:
    """Ops of one thread."""
    lines: list[str] = []
    values: dict[int, list[str]] = {8: [], 16: [], 32: ["%tx", "%ty", "%bx", "%bdx", "%gdx", "%n"], 64: []}

    def add(width: int, text: str) -> str:
        name = f"%v{len(lines)}"
        lines.append(f"{name}: {text}")
        values[width].append(name)
        return name

    def operand(width: int) -> str:
        if not values[width] or choose.random() < 0.3:
            number = choose.choice(NUMBERS)
            return f"{number}:i{width}" if -(1 << width - 1) <= number < 1 << width - 1 else f"1:i{width}"
        return choose.choice(values[width][-5:] if choose.random() < 0.6 else values[width])

    for _ in range(choose.randint(0, 2)):
        add_common(choose, add)
    for _ in range(choose.randint(3, 9)):
        width, kind = choose.choice(WIDTHS), choose.random()
        flags = choose.choice(("", "", "", " [flags=(nsw)]", " [flags=(nuw)]"))
        if kind < 0.25:
            source = choose.choice([each for each in (8, 16, 32, 64) if each != width])
            name = "trunc" if source > width else choose.choice(("sext", "zext"))
            add(width, f"i{width} = {name} {operand(source)}")
        elif kind < 0.65:
            name = choose.choice(PLAIN)
            add(width, f"i{width} = {name} {operand(width)}, {operand(width)}{flags if name in PLAIN[:6] else ''}")
        elif kind < 0.8:
            name, by = choose.choice(SHIFTS), f"{choose.choice((1, 2, 3, 7, width - 1))}:i{width}"
            by = operand(width) if choose.random() < 0.2 else by
            add(width, f"i{width} = {name} {operand(width)}, {by}{flags if name == 'shl' else ''}")
        elif kind < 0.9:
            add(width, f"i{width} = {choose.choice(DIVISIONS)} {operand(width)}, {operand(width)}")
        else:
            pred = choose.choice(("slt", "ult", "eq"))
            lines.append(f"%c{len(lines)}: i1 = icmp {operand(width)}, {operand(width)} [pred={pred}]")
            add(width, f"i{width} = select %c{len(lines) - 1}, {operand(width)}, {operand(width)}")
    pred = choose.choice(("slt", "sle", "ult", "uge", "eq", "ne", "sgt"))
    lines.append(f"%last: i1 = icmp {operand(32)}, {operand(32)} [pred={pred}]")
    return "\n".join(lines)


def random_launch(choose: random.Random, block: tuple[int, int, int] | None) -> dict[str, int]:
    """The six sizes of a launch, and the ids of a thread in it."""
    while block is None or prod(block) > 1024:
        x, y, z = (choose.choice((1, 1, 2, 7, 32, 128, most)) for most in MAX_BLOCK)
        block = (x, y, z)
    most = LAUNCH_LIMIT // block[0]
    widest = choose.choice((1, 2, 100, most // 16, most // 4, most, most, 1 << 24, MAX_GRID[0]))
    grid = (widest, *(choose.choice((1, 1, 1, 2, most)) for most in MAX_GRID[1:]))
    state: dict[str, int] = dict(zip(("gdx", "gdy", "gdz", "bdx", "bdy", "bdz"), (*grid, *block), strict=True))
    for name, size in zip(("bx", "by", "bz", "tx", "ty", "tz"), (*grid, *block), strict=True):
        state[name] = choose.choice((0, size - 1, size - 1, size // 2, choose.randrange(size)))
    return state | {"n": choose.choice((0, 1, 5, -1, 1000, (1 << 31) - 1, -(1 << 31), 1 << 30))}


def breaks_a_flag(op: Op, operands: list[Operand]) -> bool:
    """Whether the result does not fit, as signed or unsigned number, where a flag says that it does."""
    exact = EXACT.get(op.name)
    if exact is None:
        return False
    for flag, signed in (("nsw", True), ("nuw", False)):
        left, right = (read(each, signed) for each in operands if isinstance(each, Const))
        number = exact(left, right)
        if flag in flags_of(op) and not fits((number, number), type_range(op.result.type, signed)):
            return True
    return False


def computed(function: Function, state: dict[str, int]) -> dict[Value, Const]:
    """The value of each op that has one: not of what is poison, and of what follows from it."""
    found: dict[Value, Const] = {}
    for value in function.params:
        if value.name in state:
            found[value] = Const(value.type, state[value.name] % 2 ** bits(value.type))
    for op in walk(function.body):
        for region in op.regions:
            found.update({each: Const(each.type, state[each.name]) for each in region.params})
        operands = [found.get(each, each) if isinstance(each, Value) else each for each in op.operands]
        if not op.regions and len(op.results) == 1:
            result = evaluate(Op(op.name, operands, [op.result], op.attrs))
            if result is not None and not breaks_a_flag(op, operands):
                found[op.result] = result
    return found


def read(const: Const, signed: bool) -> int:
    number = signed_value(const)
    assert number is not None
    return number if signed else number % 2 ** bits(const.type)


def is_assumed(ranges: Ranges, state: dict[str, int]) -> bool:
    """Whether the launch is one of those that the answers of `ranges` are for."""
    along_x = state["gdx"] * state["bdx"]
    in_all = prod(state[each] for each in ("gdx", "gdy", "gdz", "bdx", "bdy", "bdz"))
    return along_x <= ranges.assumed.get(Limit.ALONG_X, along_x) and in_all <= ranges.assumed.get(Limit.IN_ALL, in_all)


def sum_of(form: Linear, numbers: dict[Value, Const]) -> int | None:
    """What the form says; None where a term is poison."""
    total = form.constant
    for term, factor in form.sum.terms.items():
        value, signed = (term.value, term.signed) if isinstance(term, Shared) else (term, True)
        if value not in numbers:
            return None
        total += factor * read(numbers[value], signed)
    return total


def check_form(form: Form, bounds: Range, result: Const, numbers: dict[Value, Const], why: str) -> None:
    """Affine forms: right modulo 2^width, and over the integers where they say so."""
    number, total = read(result, signed=True), form.affine.constant
    assert bounds[0] <= number <= bounds[1], f"not {bounds}: {why}"
    for product, factor in form.affine.terms.items():
        if any(value not in numbers for value in product):
            return
        total += factor * prod(read(numbers[value], signed=True) for value in product)
    assert (total - number) % 2 ** bits(result.type) == 0, f"{form}: {why}"
    assert not form.exact or total == number, f"{form}: {why}"


def check_under_a_condition(
    function: Function, cases: list[tuple[dict[str, int], dict[Value, Const]]], why: str
) -> None:
    """Sums and their bounds where the last comparison has a result."""
    ops = [op for op in walk(function.body) if op.results and is_int(op.results[0].type)]
    comparison = next((op for op in reversed(ops) if op.name == "icmp"), None)
    for truth in (True, False) if comparison is not None else ():
        assert comparison is not None
        known = BoundedForms(Ranges(function), {})
        known.assume(known.facts_of(comparison, truth))
        for op in ops:
            form = known.of(op.result) if op.result.type != "i1" else Sum[Value](0)
            most = known.most(form)
            for state, numbers in cases:
                condition = numbers.get(comparison.result)
                holds = condition is not None and condition.value == truth and is_assumed(known.ranges, state)
                if not holds or op.result not in numbers or any(each not in numbers for each in form.terms):
                    continue
                total = form.constant + sum(by * read(numbers[each], True) for each, by in form.terms.items())
                told = f"%{op.result.name} is {form}, {truth=} in {state}: {why}"
                assert total <= most, f"not {most}: {told}"
                assert op.result.type == "i1" or total == read(numbers[op.result], True), told


def check(seed: int) -> None:
    choose = random.Random(seed)
    block = choose.choice((None, None, (128, 1, 1), (16, 16, 1)))
    attrs = ", ".join([*([f"block={block}"] if block else []), *(["any_launch=true"] if choose.random() < 0.2 else [])])
    body = random_body(choose)
    function = block_kernel(body, attrs)
    inner = next(op for op in walk(function.body) if op.name == "block").region
    launches = [random_launch(choose, block) for _ in range(24)]
    cases = [(state, computed(function, state)) for state in launches]
    check_under_a_condition(function, cases, f"seed {seed}\n{body}")
    forms = affine_forms(function, definitions(function))
    for op in inner.ops:
        for signed in (True, False) if op.results and is_int(op.result.type) and op.result.type != "i1" else ():
            ranges = Ranges(function)
            low, high = ranges.of(op.result, signed)
            whole = Ranges(function)
            exact = Exact(
                whole, frozenset(inner.params), {each for one in inner.ops for each in one.results} | {*inner.params}
            )
            form = exact.lift(op.result, signed)
            assert not (function.facts.any_launch and (ranges.assumed or whole.assumed)), f"seed {seed}: {body}"
            for state, numbers in cases:
                if op.result not in numbers:
                    continue
                number = read(numbers[op.result], signed)
                why = f"seed {seed}, %{op.result.name} is {number} ({signed=}) in {state}\n{body}"
                if signed:
                    affine, bounds = forms.of(op.result), forms.interval(op.result)
                    check_form(affine, bounds, numbers[op.result], numbers, why)
                if is_assumed(ranges, state):
                    assert low <= number <= high, f"not {low} to {high}: {why}"
                if form is not None and is_assumed(whole, state):
                    assert form.low <= number <= form.high, f"not {form.low} to {form.high}: {why}"
                    assert sum_of(form, numbers) in (number, None), f"{form.sum}: {why}"


@pytest.mark.parametrize("start", range(0, 600, 150))
def test_numbers_are_as_said(start: int) -> None:
    for seed in range(start, start + 150):
        check(seed)
