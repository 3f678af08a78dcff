# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Grid-stride loops leave the loop over threads, and every thread makes the trips that it made, with any numbers."""

from __future__ import annotations

import pytest
from vector_runs import IDS, results, threads

from warploom.core.records import replace
from warploom.ir.core import Const, Function, clone_function, walk
from warploom.ir.verifier import verify
from warploom.passes.barrier.split_barriers import SPLIT_BARRIERS
from warploom.passes.base import Context
from warploom.passes.tune import interchange_strides
from warploom.passes.tune.interchange_strides import INTERCHANGE_STRIDES

# Thread %tx of a block adds up every 2 * %bdx-th of the numbers before %n.
LOOP = (
    IDS
    + """
    %threads: i32 = mul %gdx, %bdx
    %sum: i32 = for %id, %n, %threads, %x [pred=slt] { (%i: i32, %s: i32)
      %far: ptr = gep %in, %i [offset=0, strides=(4)]
      %y: i32 = load %far [align=4]
      %w: i32 = add %y, %i
      %u: i32 = add %s, %w
      yield %u
    }
    store %sum, %mine [align=4]"""
)


def interchanged(function: Function, *, at_once: bool = True) -> Function:
    """`at_once`: for any number of trips."""
    copy = clone_function(function)
    with pytest.MonkeyPatch.context() as patch:
        if at_once:
            patch.setattr(interchange_strides, "FEWEST_TRIPS", 0)
            patch.setattr(interchange_strides, "LARGE", 0)
        INTERCHANGE_STRIDES.run(copy, Context())
    verify(copy, "structured")
    return copy


def is_interchanged(function: Function) -> bool:
    return INTERCHANGE_STRIDES.run(clone_function(function), Context())


# Below the size of a block not every thread has the first trip of all.
@pytest.mark.parametrize("n", [-9, 0, 1, 5, 6, 7, 12, 13, 17, 18, 24, 40, 191, 192, 197, 250])
@pytest.mark.parametrize("size", [1, 6, 9])
@pytest.mark.parametrize("at_once", [False, True])
def test_every_thread_makes_its_trips(n: int, size: int, *, at_once: bool) -> None:
    function = threads(LOOP)
    after = interchanged(function, at_once=at_once)
    assert is_interchanged(function)
    split = clone_function(after)
    SPLIT_BARRIERS.run(split, Context())
    verify(split, "structured")
    expected = results(function, (size, 1, 1), n)
    for each in after, split:
        for seed in (None, 3):
            assert results(each, (size, 1, 1), n, seed=seed) == expected


@pytest.mark.parametrize("type_", ["i32", "i64"])
@pytest.mark.parametrize("pred", ["slt", "ult"])
@pytest.mark.parametrize("step", [-1, 0, 1, 7, (1 << 30) + 5, (1 << 31) - 1])
@pytest.mark.parametrize("n", [3, 40, (1 << 31) - 1, -1, -(1 << 31)])
def test_counters_that_wrap_and_steps_of_any_size(type_: str, pred: str, step: int, n: int) -> None:
    """Threads count their trips, and touch memory in none."""
    extend = "sext" if pred == "slt" else "zext"
    values = {"first": "%id", "end": "%n", "blocks": "%gdx"}
    starts = [
        f"%{name}: {type_} = {f'{extend} {value}' if type_ == 'i64' else f'add {value}, 0:i32'}"
        for name, value in values.items()
    ]
    text = (
        "\n".join([IDS, *starts])
        + f"""
    %more: {type_} = mul %blocks, {step % (1 << int(type_[1:]))}:{type_}
    %trips: i32 = for %first, %end, %more, 0:i32 [pred={pred}] {{ (%i: {type_}, %s: i32)
      %far: ptr = gep %p, %i [offset=0, strides=(4)]
      %few: i1 = icmp %s, 0:i32 [pred=slt]
      if %few {{
        store %s, %far [align=4]
        yield
      }} {{
        yield
      }}
      %t: i32 = add %s, 1:i32
      yield %t
    }}
    store %trips, %mine [align=4]"""
    )
    function = threads(text)
    if not ends(type_, pred, 2 * step, n):
        return
    after = interchanged(function)
    n &= 0xFFFFFFFF
    assert results(after, (5, 1, 1), n) == results(function, (5, 1, 1), n)


def ends(type_: str, pred: str, step: int, n: int) -> bool:
    """Whether ten threads come to an end within a thousand trips each."""
    bits = int(type_[1:])
    mask = (1 << bits) - 1

    def read(value: int) -> int:
        value &= mask
        return value - (1 << bits) if pred == "slt" and value >> (bits - 1) else value

    end = n if type_ == "i32" or pred == "slt" else n & 0xFFFFFFFF
    for start in range(10):
        value, trips = start, 0
        while read(value) < read(end):
            value, trips = value + step, trips + 1
            if trips > 1000:
                return False
    return True


def test_a_loop_within_the_block_stays() -> None:
    assert not is_interchanged(threads(LOOP.replace("mul %gdx, %bdx", "mul %bdx, 2:i32")))


def test_a_known_step_longer_than_a_block_goes_out() -> None:
    loop = LOOP.replace("%threads: i32 = mul %gdx, %bdx", "")
    assert is_interchanged(threads(loop.replace("%threads", "4096:i32")))
    assert not is_interchanged(threads(loop.replace("%threads", "64:i32")))


def test_a_step_of_the_thread_stays() -> None:
    assert not is_interchanged(threads(LOOP.replace("mul %gdx, %bdx", "mul %gdx, %tx")))


def test_threads_that_do_not_begin_side_by_side_stay() -> None:
    assert not is_interchanged(threads(LOOP.replace("for %id", "for %x")))


def test_what_is_under_a_condition_of_the_thread_stays() -> None:
    head, loop = LOOP.split("    %sum")
    loop = "%sum" + loop.split("    store %sum")[0]
    under = f"{head} %got: i32 = if %c {{ {loop} yield %sum }} {{ yield %x }}\nstore %got, %mine [align=4]"
    assert not is_interchanged(threads(under))
    alike = under.replace("%c {", "%all {").replace("%got:", "%all: i1 = icmp %n, 5:i32 [pred=sgt]\n%got:")
    assert is_interchanged(threads(alike))


def test_what_touches_nothing_far_stays() -> None:
    assert not is_interchanged(threads(LOOP.replace("gep %in, %i", "gep %in, %some")))


def test_a_kernel_whose_threads_wait_for_others_stays() -> None:
    function = threads(LOOP)
    function.facts = replace(function.facts, waits=True)
    assert not is_interchanged(function)


def test_a_loop_with_a_collective_or_a_private_array_stays() -> None:
    assert not is_interchanged(threads(LOOP.replace("%far: ptr", "barrier [level=block]\n%far: ptr")))
    array = LOOP.replace("%threads:", "%own: ptr = alloca [size=4, align=4]\n%threads:")
    assert not is_interchanged(threads(array.replace("%u: i32", "store %w, %own [align=4]\n%u: i32")))


def constants(function: Function, name: str) -> set[int | float | str]:
    """Of ops of a name."""
    operands = [each for op in walk(function.body) if op.name == name for each in op.operands]
    return {each.value for each in operands if isinstance(each, Const)}


# %s alone is as much as is loaded in a trip, three of them more than twice that.
THREE = (
    LOOP.replace("%sum: i32 = for", "%sum: i32, %b: i32, %c2: i32 = for")
    .replace("%threads, %x [", "%threads, %x, %x, %x [")
    .replace("%s: i32)", "%s: i32, %k: i32, %l: i32)")
    .replace("yield %u", "yield %u, %s, %k")
    .replace("store %sum,", "%all: i32 = add %sum, %c2\nstore %all,")
)


@pytest.mark.parametrize("n", [-9, 0, 11, 12, 24, 40, 191, 250])
def test_a_loop_that_carries_much_goes_out_where_its_data_is_large(n: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(interchange_strides, "FEWEST_TRIPS", 0)
    monkeypatch.setattr(interchange_strides, "LARGE", 4 * 37)
    function, plain = threads(THREE), threads(LOOP)
    after, plain_after = clone_function(function), clone_function(plain)
    for each in after, plain_after:
        INTERCHANGE_STRIDES.run(each, Context())
        verify(each, "structured")
    assert 37 in constants(after, "icmp") - constants(plain_after, "icmp")
    assert results(after, (6, 1, 1), n) == results(function, (6, 1, 1), n)


@pytest.mark.parametrize(("text", "trips"), [(LOOP, 16), (THREE, 64)])
def test_what_is_carried_through_memory_wants_trips_in_proportion(text: str, trips: int) -> None:
    after = clone_function(threads(text))
    INTERCHANGE_STRIDES.run(after, Context())
    assert constants(after, "lshr") == {trips.bit_length() - 1}
