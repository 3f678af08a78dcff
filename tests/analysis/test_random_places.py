# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Two accesses at random addresses: what the analysis calls apart is apart for every two threads of small blocks.

The addresses are sums, products, shifts and masks of ids, sizes, a parameter and a loop's counter, in 32 bits that
wrap, extended to 64; both accesses may stand under conditions. A function beside each value computes it. Conditions are
also looked at by themselves: the threads that pass are those that the analysis says, or fewer.
"""

from __future__ import annotations

import random
from collections.abc import Callable, Iterator
from itertools import product
from math import prod

import pytest
from block_kernel import block_kernel, ops_of, values_of

from warploom.analysis.guards import all_threads
from warploom.analysis.memory import Access, Memory, memory_of
from warploom.ir.core import Function

State = dict[str, int]
Compute = Callable[[State], int]
BYTES = {1: "i8", 2: "i16", 4: "i32", 8: "i64"}
SHAPES = ((4, 1, 1), (8, 1, 1), (3, 2, 1), (4, 4, 1), (2, 3, 2), (1, 4, 1), (5, 1, 2))
PARAMETERS = (0, 1, 2, 4, 7, -3, 64, 1 << 30, -(1 << 31))
NUMBERS = (
    0,
    1,
    2,
    3,
    4,
    5,
    8,
    16,
    17,
    31,
    64,
    255,
    1000,
    -1,
    -2,
    -8,
    1 << 16,
    1 << 29,
    1 << 30,
    -(1 << 31),
    (1 << 30) + 4,
)
TRIPS = 3
IDS = ("tx", "ty", "tz")
ALWAYS: tuple[str, Compute] = ("true", lambda _: True)
SUMS: dict[str, Callable[[int, int], int]] = {
    "add": lambda x, y: x + y,
    "sub": lambda x, y: x - y,
    "mul": lambda x, y: x * y,
    "xor": lambda x, y: x ^ y,
    "or": lambda x, y: x | y,
}
COMPARISONS: dict[str, Callable[[int, int], bool]] = {
    "eq": lambda x, y: x == y,
    "ne": lambda x, y: x != y,
    "ult": lambda x, y: x % 2**32 < y % 2**32,
    "uge": lambda x, y: x % 2**32 >= y % 2**32,
    "slt": lambda x, y: x < y,
    "sle": lambda x, y: x <= y,
}


def wrapped(value: int, width: int) -> int:
    """`value` as a signed number of `width` bits."""
    return (value + (1 << width - 1)) % (1 << width) - (1 << width - 1)


class Writer:
    """The ops of a kernel, and what each of its values is."""

    def __init__(self, choose: random.Random, loop: bool) -> None:
        self.choose, self.loop = choose, loop
        self.lines: list[str] = []
        self.indices: list[tuple[str, Compute]] = []

    def op(self, text: str) -> str:
        self.lines.append(f"%v{len(self.lines)}: {text}")
        return f"%v{len(self.lines) - 1}"

    def leaf(self) -> tuple[str, Compute]:
        names = ["tx", "tx", "ty", "tz", "bdx", "n", "i" if self.loop else "tx"]
        name, number = self.choose.choice(names), self.choose.choice(NUMBERS)
        if self.choose.random() < 0.7:
            return f"%{name}", lambda state: state[name]
        return f"{number}:i32", lambda _: number

    def number(self, depth: int) -> tuple[str, Compute]:
        """A value of 32 bits."""
        if depth == 0:
            return self.leaf()
        (a, f), kind = self.number(depth - 1), self.choose.random()
        if kind < 0.1:
            row = self.op("i32 = mul %ty, %bdx")
            return self.op(f"i32 = add {row}, %tx"), lambda state: state["ty"] * state["bdx"] + state["tx"]
        if kind < 0.25:
            by = self.choose.choice((1, 2, 3, 8, 28, 31))
            return self.op(f"i32 = shl {a}, {by}:i32"), lambda state: wrapped(f(state) << by, 32)
        if kind < 0.4:
            mask = self.choose.choice((1, 3, 7, 15, 255, -2, -4, 12))
            return self.op(f"i32 = and {a}, {mask}:i32"), lambda state: f(state) & mask
        name = self.choose.choice(("add", "add", "add", "sub", "sub", "mul", "mul", "xor", "or"))
        (b, g), apply = self.number(depth - 1), SUMS[name]
        return self.op(f"i32 = {name} {a}, {b}"), lambda state: wrapped(apply(f(state), g(state)), 32)

    def index(self) -> tuple[str, Compute]:
        """A value of 64 bits, or one of 32 that an address extends."""
        (a, f), kind = self.number(self.choose.choice((1, 2, 2, 3))), self.choose.random()
        if kind < 0.25:
            return a, f
        signed = kind < 0.6
        wide = self.op(f"i64 = {'sext' if signed else 'zext'} {a}")
        h: Compute = f if signed else lambda state: f(state) % 2**32
        if kind > 0.8:
            by = self.choose.choice((2, 8, -1, 1 << 31, 1 << 32))
            return self.op(f"i64 = mul {wide}, {by}:i64"), lambda state: wrapped(h(state) * by, 64)
        return wide, h

    def index_or_earlier(self) -> tuple[str, Compute]:
        if self.indices and self.choose.random() < 0.4:
            return self.choose.choice(self.indices)
        self.indices.append(self.linear() if self.choose.random() < 0.3 else self.index())
        return self.indices[-1]

    def linear(self) -> tuple[str, Compute]:
        """What an id adds to the number of a thread in its block, or something like it, in 64 bits that do not wrap."""
        name, sizes = self.choose.choice((("tx", ()), ("ty", ("bdx",)), ("tz", ("bdx", "bdy")), ("ty", ("n",))))
        value = self.op(f"i64 = zext %{name}")
        for size in sizes:
            wide = self.op(f"i64 = sext %{size}")
            value = self.op(f"i64 = mul {value}, {wide}")
        return value, lambda state: state[name] * prod(state[size] for size in sizes)

    def address(self) -> tuple[str, Compute]:
        parts = [self.index_or_earlier() for _ in range(self.choose.choice((1, 1, 2, 2, 3)))]
        strides = [self.choose.choice((1, 2, 4, 4, 8, 12, 64)) for _ in parts]
        offset = self.choose.choice((0, 0, 1, 3, 4, 8, -4))
        text = ", ".join(name for name, _ in parts)
        value = self.op(f"ptr = gep %p, {text} [offset={offset}, strides=({', '.join(map(str, strides))},)]")
        return value, lambda state: offset + sum(by * f(state) for by, (_, f) in zip(strides, parts, strict=True))

    def condition(self) -> tuple[str, Compute]:
        (a, f), (b, g) = self.number(1), self.number(self.choose.choice((0, 1)))
        pred = self.choose.choice(list(COMPARISONS))
        compare = COMPARISONS[pred]
        return self.op(f"i1 = icmp {a}, {b} [pred={pred}]"), lambda state: compare(f(state), g(state))

    def logic(self, depth: int) -> tuple[str, Compute]:
        """A condition of several."""
        kind = self.choose.random()
        if depth == 0 or kind < 0.2:
            return self.condition()
        a, f = self.logic(depth - 1)
        if kind < 0.35:
            return self.op(f"i1 = xor {a}, 1:i1"), lambda state: not f(state)
        b, g = self.logic(depth - 1)
        if kind < 0.5:
            return self.op(f"i1 = xor {a}, {b}"), lambda state: f(state) != g(state)
        if kind < 0.75:
            text = f"and {a}, {b}" if kind < 0.63 else f"select {a}, {b}, 0:i1"
            return self.op(f"i1 = {text}"), lambda state: f(state) and g(state)
        text = f"or {a}, {b}" if kind < 0.88 else f"select {a}, 1:i1, {b}"
        return self.op(f"i1 = {text}"), lambda state: f(state) or g(state)


def states(shape: tuple[int, int, int], parameter: int, trips: int) -> Iterator[tuple[State, tuple[int, ...]]]:
    for i, z, y, x in product(range(trips), *map(range, reversed(shape))):
        yield {"tx": x, "ty": y, "tz": z, "bdx": shape[0], "bdy": shape[1], "n": parameter, "i": i}, (x, y, z)


def meet(a: int, a_size: int, b: int, b_size: int) -> bool:
    """Whether bytes from `a` and from `b` on, modulo 2^64, have one in common."""
    return (a - b) % 2**64 < b_size or (b - a) % 2**64 < a_size


def store_and_load(function: Function) -> tuple[Memory, Access, Access]:
    """The access of the only store of `function`, and of its only load."""
    memory = memory_of(function)
    (stored,), (loaded,) = (memory.accesses(ops_of(function, name)[0]) for name in ("store", "load"))
    return memory, stored, loaded


def check(seed: int) -> None:
    choose = random.Random(seed)
    loop, known = choose.random() < 0.25, choose.random() < 0.6
    shapes = choose.sample(SHAPES, 1 if known else 3)
    writer = Writer(choose, loop)
    sizes = [choose.choice(list(BYTES)), choose.choice(list(BYTES))]
    places = [writer.address()]
    places.append(writer.address() if choose.random() < 0.5 else places[0])
    guards = [writer.condition() if choose.random() < 0.4 else ALWAYS for _ in places]
    accesses = [
        f"store 0:{BYTES[sizes[0]]}, {places[0][0]} [align=1]",
        f"%l: {BYTES[sizes[1]]} = load {places[1][0]} [align=1]",
    ]
    body = "\n".join(writer.lines)
    for (condition, _), access in zip(guards, accesses, strict=True):
        body += f"\n{access}" if condition == "true" else f"\nif {condition} {{ {access}\n yield }} {{ yield }}"
    if loop:
        body = f"for 0:i32, {TRIPS}:i32, 1:i32 [pred=slt] {{ (%i: i32)\n{body}\nyield }}"
    function = block_kernel(body, f"block={shapes[0]}" if known else "")
    memory, a, b = store_and_load(function)
    across, inside = memory.conflict_across_threads(a, b), memory.conflict_in_thread(a, b)
    anywhere = memory.conflict_anywhere(a, b)
    if across and inside and anywhere:
        return
    for shape, parameter in product(shapes, PARAMETERS):
        points = list(states(shape, parameter, TRIPS if loop else 1))
        first = [(ids, state["i"], places[0][1](state)) for state, ids in points if guards[0][1](state)]
        second = [(ids, state["i"], places[1][1](state)) for state, ids in points if guards[1][1](state)]
        for (ids, i, at), (others, j, there) in product(first, second):
            if meet(at, sizes[0], there, sizes[1]):
                why = f"seed {seed}, block {shape}, n {parameter}: {ids} and {others} at {at}, {there}\n{body}"
                assert anywhere, why
                assert across or ids == others, why
                assert inside or (ids, i) != (others, j), why


def check_guard(seed: int) -> None:
    choose = random.Random(seed)
    writer, known = Writer(choose, loop=False), choose.random() < 0.5
    condition, holds = writer.logic(choose.choice((0, 0, 1, 2)))
    shapes = choose.sample(SHAPES, 1 if known else 2)
    function = block_kernel("\n".join(writer.lines), f"block={shapes[0]}" if known else "")
    memory = memory_of(function)
    value = values_of(function)[condition[1:]]
    for truth in (True, False):
        threads = memory.distances.guards.narrow(all_threads(memory.forms), value, truth)
        for shape, parameter in product(shapes, PARAMETERS):
            for state, ids in states(shape, parameter, 1):
                if bool(holds(state)) != truth:
                    continue
                why = f"seed {seed}, block {shape}, n {parameter}: {ids} where it is {truth}\n" + "\n".join(
                    writer.lines
                )
                for number, (low, high), pin in zip(ids, threads.bounds, threads.pins, strict=True):
                    assert low <= number <= high, f"{threads.bounds}: {why}"
                    terms = pin.terms.items() if pin is not None else ()
                    assert not any(each.name in IDS for factors, _ in terms for each in factors), f"{pin}: {why}"
                    if pin is not None and all(each.name in state for factors, _ in terms for each in factors):
                        total = sum(by * prod(state[each.name] for each in factors) for factors, by in terms)
                        assert total + pin.constant == number, f"{pin}: {why}"


@pytest.mark.parametrize("start", range(0, 3000, 1000))
def test_threads_that_pass_are_as_said(start: int) -> None:
    for seed in range(start, start + 1000):
        check_guard(seed)


@pytest.mark.parametrize("start", range(0, 2000, 500))
def test_what_is_called_apart_is_apart(start: int) -> None:
    for seed in range(start, start + 500):
        check(seed)


ROUND = """%s: i32 = sub 0:i32, %tx
        %r: i64 = zext %s
        %w: i64 = zext %n
"""
LINEAR = """%m: i64 = mul %z, %dy
        %o: i64 = add %m, %y
        %u: i64 = mul %o, %dx
        %e: i64 = add %u, %x"""


@pytest.mark.parametrize(
    ("number", "factor", "meets", "why"),
    [
        ("%r: i32 = mul %tx, 1073741824:i32\n%e: i64 = zext %r", 32, True, "2^62 times 16 bytes is a multiple of 2^64"),
        ("%e: i64 = add %x, 0:i64", 60, True, "2^60 times 16 bytes is 2^64"),
        (LINEAR, 60, True, "likewise the number of a thread in a block of any size"),
        (LINEAR, 20, False, "nothing goes round here"),
        (ROUND + "%e: i64 = add %r, %x", 0, True, "what wraps and the thread's number add up to 2^32 but for thread 0"),
        (ROUND + "%l: i64 = mul %w, %x\n%e: i64 = add %r, %l", 0, True, "likewise if n is 1"),
    ],
)
def test_addresses_that_go_round_meet(number: str, factor: int, meets: bool, why: str) -> None:
    ids = "\n".join(
        f"%{to}: i64 = zext %{of}" for to, of in zip("x y z dx dy".split(), "tx ty tz bdx bdy".split(), strict=True)
    )
    function = block_kernel(
        f"""{ids}
        {number}
        %i: i64 = shl %e, {factor}:i64
        %a: ptr = gep %p, %i [offset=0, strides=(16,)]
        store 0:i32, %a [align=1]""",
        "" if number == LINEAR else "block=(4, 1, 1)",
    )
    memory = memory_of(function)
    (access,) = memory.accesses(ops_of(function, "store")[0])
    assert memory.conflict_across_threads(access, access) == meets, why


@pytest.mark.parametrize("factor", [1, -1])
def test_a_distance_of_2_64_is_none(factor: int) -> None:
    function = block_kernel(
        f"""%x: i64 = zext %tx
        %e: i64 = add %x, 4:i64
        %i: i64 = mul %e, {factor << 62}:i64
        %a: ptr = gep %p, %i [offset=0, strides=(1,)]
        store 0:i32, %a [align=1]
        %v: i32 = load %p [align=1]""",
        "block=(4, 1, 1)",
    )
    memory, a, b = store_and_load(function)
    assert memory.conflict_in_thread(a, b)
    assert memory.conflict_across_threads(a, b)
    assert memory.conflict_anywhere(a, b)


WRAPPED = """%r: i32 = sub %tx, %n
      %e: i64 = zext %r
      %w: i64 = sext %n"""
MIXED = """%m: i32 = mul %tx, %ty
      %m2: i32 = mul %m, -2:i32
      %y2: i32 = mul %ty, 2:i32
      %o: i32 = add %tx, %y2
      %o2: i32 = add %o, %m2
      %r: i32 = sub %o2, %n
      %e: i64 = zext %r"""
LINEAR_ID = """%xs: i64 = zext %tx
      %ys: i64 = zext %ty
      %zs: i64 = zext %tz
      %dx: i64 = zext %bdx
      %dy: i64 = zext %bdy
      %w: i64 = sext %n
      %row: i64 = mul %ys, %dx
      %plane: i64 = mul %dx, %dy
      %slab: i64 = mul %zs, %plane
      %xw: i64 = mul %xs, %w"""


@pytest.mark.parametrize(
    ("numbers", "first", "second", "block", "why"),
    [
        (WRAPPED, ("%e", (8,)), ("%e", (4,)), "(4, 1, 1)", "n is 0: 8 times 1 is 4 times 2"),
        (WRAPPED + "\n%ew: i64 = mul %e, %w", ("%ew", (4,)), ("%ew", (4,)), "(4, 1, 1)", "n is 0: all are 0"),
        (MIXED, ("%e", (4,)), ("%e", (4,)), "(2, 2, 1)", "x + 2 y - 2 x y is 1 for (1, 0) and for (1, 1)"),
        (LINEAR_ID, ("%xs, %row, %slab, %xw", (4, 4, 4, 4)), None, "", "n is -1: x does not count"),
        (LINEAR_ID, ("%xs, %row, %slab", (8, 4, 4)), None, "", "blocks of two in x: (1, 0) and (0, 1)"),
    ],
)
def test_places_that_meet(
    numbers: str, first: tuple[str, tuple[int, ...]], second: tuple[str, tuple[int, ...]] | None, block: str, why: str
) -> None:
    (a, a_strides), (b, b_strides) = first, second or first
    function = block_kernel(
        f"""{numbers}
      %a: ptr = gep %p, {a} [offset=0, strides={a_strides}]
      %b: ptr = gep %p, {b} [offset=0, strides={b_strides}]
      store 0:i32, %a [align=4]
      %v: i32 = load %b [align=4]""",
        f"block={block}" if block else "",
    )
    memory, one, other = store_and_load(function)
    assert memory.conflict_across_threads(one, other), why


def test_an_index_of_32_bits_wraps_before_it_is_extended() -> None:
    # n is 2^31 - 1: thread 1 has -2^31 as an index, and 2^31 in 64 bits, which is 2^34 bytes more.
    function = block_kernel(
        """%i: i32 = add %tx, %n
      %x: i64 = sext %tx
      %w: i64 = sext %n
      %a: ptr = gep %p, %i [offset=0, strides=(4,)]
      %b: ptr = gep %p, %x, %w [offset=-17179869184, strides=(4, 4)]
      store 0:i32, %a [align=4]
      %v: i32 = load %b [align=4]""",
        "block=(64, 1, 1)",
    )
    memory, a, b = store_and_load(function)
    assert memory.conflict_in_thread(a, b)
    assert memory.conflict_across_threads(a, b)


@pytest.mark.parametrize(
    ("condition", "pinned", "why"),
    [
        ("%o: i32 = mul %tx, %bdx\n%c: i1 = icmp %o, 6:i32 [pred=eq]", False, "6 blocks' sizes, not thread 6"),
        ("%o: i32 = add %tx, %ty\n%c: i1 = icmp %o, 6:i32 [pred=eq]", False, "each row has another thread"),
        ("%o: i32 = add %tx, %bdx\n%c: i1 = icmp %o, 600:i32 [pred=eq]", True, "one thread of each row"),
    ],
)
def test_a_pin_is_one_id_for_all_threads(condition: str, pinned: bool, why: str) -> None:
    function = block_kernel(condition)
    memory = memory_of(function)
    threads = memory.distances.guards.narrow(all_threads(memory.forms), values_of(function)["c"], truth=True)
    assert (threads.pins[0] is not None) == pinned, why
    assert threads.pins[1] is None
