# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""A warp as one vector of lanes computes what its threads compute, in every order of threads and under every mask."""

from __future__ import annotations

import pytest
from differential import Dims, lowered, results
from fission_kernels import KERNELS, kernel

from warploom.ir.core import Function, Op, walk
from warploom.ir.parser import parse_function
from warploom.ir.verifier import verify
from warploom.passes.barrier.split_warps import SPLIT_WARPS
from warploom.passes.base import Context
from warploom.passes.clean.canonicalise import CANONICALISE
from warploom.passes.vector.vectorise_warp import narrow_exchanges

# A whole and a partial warp in a row; blocks whose warps lie in several rows; rows of whole warps; one thread.
SHAPES: list[tuple[Dims, Dims]] = [
    ((1, 1, 1), (70, 1, 1)),
    ((1, 1, 1), (6, 4, 2)),
    ((1, 1, 1), (32, 2, 1)),
    ((2, 1, 1), (1, 1, 1)),
]


def with_value(body: str, result: str = "%r") -> str:
    """A kernel whose threads compute `result` from %v, loaded, and %vw, the same as i64; %l is the lane."""
    return kernel(f"""
      %v: i32 = load %here [align=4]
      %vw: i64 = zext %v
      %l: i32 = and %lin, 31:i32
{body}
      store {result}, %here [align=4]
""")


def vector_form(text: str) -> Function:
    """A kernel with its warps as vectors; fails when one is not."""
    split, context = lowered(parse_function(text), [CANONICALISE, SPLIT_WARPS, CANONICALISE])
    assert not any(op.name in ("lane", "scratch") for op in walk(split.body)), [each.text for each in context.remarks]
    verify(split, "split")
    return split


def ops_of(function: Function, *names: str) -> list[Op]:
    """The ops of these names."""
    return [op for op in walk(function.body) if op.name in names]


def for_whole_warps(body: str) -> Function:
    """The vector form in blocks of 64 threads that compute %r from %v and %vw, in shared memory."""
    text = kernel(f"""
      %l: i32 = and %lin, 31:i32
      %v: i32 = load %mine [align=4]
      %vw: i64 = zext %v
{body}
      store %r, %mine [align=4]
""")
    sizes = (("%bdx", "64:i32"), ("%bdy", "1:i32"), ("%bdz", "1:i32"))
    head, body = text.split("block ", 1)
    for name, size in sizes:
        body = body.replace(f"{name},", f"{size},").replace(f"{name} ", f"{size} ").replace(f"{name}\n", f"{size}\n")
    return vector_form(head + "block " + body)


def judge(text: str) -> None:
    """The vector form's results are the threads' own, whatever their order."""
    original, split = parse_function(text), vector_form(text)
    for grid, block in SHAPES:
        n = grid[0] * block[0] * block[1] * block[2] * 2 // 3
        expected = results(original, grid, block, n)
        for seed in (None, 1):
            assert results(split, grid, block, n, seed) == expected, (block, seed)


def shuffled(kind: str, operand: str, width: str = "32:i32", mask: str = "-1:i32") -> str:
    """The 32 bits of %v that a shuffle gives."""
    return f"""
      %s: i64 = shuffle {mask}, %vw, {operand}, {width} [kind={kind}]
      %r: i32 = trunc %s
"""


@pytest.mark.parametrize("width", [32, 16, 4, 1])
@pytest.mark.parametrize("kind", ["idx", "up", "down", "xor"])
def test_shuffle_by_constants(kind: str, width: int) -> None:
    for operand in (0, 1, 5, 31):
        judge(with_value(shuffled(kind, f"{operand}:i32", f"{width}:i32")))


@pytest.mark.parametrize("kind", ["idx", "up", "down", "xor"])
def test_shuffle_by_what_is_known_at_run_time(kind: str) -> None:
    judge(with_value(shuffled(kind, "%n")))
    judge(with_value(shuffled(kind, "%n", "8:i32")))
    judge(with_value(shuffled(kind, "%v")))
    judge(with_value(f"      %w: i32 = shl 2:i32, 2:i32\n{shuffled(kind, '%v', '%w')}"))


@pytest.mark.parametrize(
    "source",
    [
        "%q: i32 = add %l, 3:i32",
        "%q: i32 = xor %lin, 9:i32",
        "%h: i32 = lshr %l, 2:i32\n      %q: i32 = shl %h, 2:i32",
        "%h: i32 = sub 31:i32, %lin\n      %q: i32 = and %h, 15:i32",
        "%h: i32 = urem %lin, 8:i32\n      %q: i32 = mul %h, %h",
    ],
)
def test_a_source_that_the_lane_decides_is_a_permutation(source: str) -> None:
    for kind in ("idx", "down"):
        body = f"      {source}\n{shuffled(kind, '%q', '16:i32')}"
        judge(with_value(body))
        made = for_whole_warps(body)
        assert len(ops_of(made, "shufflevector")) == 1
        assert not ops_of(made, "gather", "alloca")


def test_a_source_that_is_one_of_two_results_of_a_choice_by_lanes() -> None:
    body = """
      %c: i1 = icmp %l, 3:i32 [pred=ult]
      %first: i32, %q: i32 = if %c {
        store 7:i32, %here [align=4]
        %again: i32 = load %here [align=4]
        yield %again, %again
      } {
        yield 1:i32, %l
      }
      %vf: i64 = zext %first
      %s: i64 = shuffle -1:i32, %vf, %q, 32:i32 [kind=idx]
      %r: i32 = trunc %s
"""
    judge(with_value(body))


UNDER_IF = """
      %odd: i32 = and %v, 1:i32
      %c: i1 = icmp %odd, 0:i32 [pred=ne]
      %r: i32 = if %c {{
        %here_now: i32 = activemask
{body}
        yield {result}
      }} {{
        yield %v
      }}
"""


@pytest.mark.parametrize("operand", ["0:i32", "3:i32", "%n", "%v", "%l"])
@pytest.mark.parametrize("kind", ["idx", "up", "down", "xor"])
def test_a_lane_that_went_another_way_brings_0(kind: str, operand: str) -> None:
    body = f"""
        %s: i64 = shuffle %here_now, %vw, {operand}, 32:i32 [kind={kind}]
        %t: i32 = trunc %s
        %u: i32 = add %t, %here_now
"""
    judge(with_value(UNDER_IF.format(body=body, result="%u")))


OF_ONE_VALUE = """
      %nw: i64 = zext %n
      %s: i64 = shuffle {mask}, %nw, {operand}, {width}:i32 [kind={kind}]
      %u: i32 = trunc %s
      %r: i32 = add %u, %v
"""


@pytest.mark.parametrize("operand", ["5:i32", "31:i32", "%n", "%v"])
@pytest.mark.parametrize("kind", ["idx", "up", "down", "xor"])
def test_a_value_that_all_lanes_have_comes_from_those_that_are_here(kind: str, operand: str) -> None:
    for width in (32, 8):
        judge(with_value(OF_ONE_VALUE.format(mask="-1:i32", kind=kind, operand=operand, width=width)))
        body = OF_ONE_VALUE.format(mask="%here_now", kind=kind, operand=operand, width=width).replace("%r", "%t")
        judge(with_value(UNDER_IF.format(body=body, result="%t")))


def test_whole_warps_exchange_no_value_that_all_lanes_have() -> None:
    made = for_whole_warps("""
      %w: i64 = zext %n
      %s: i64 = shuffle -1:i32, %w, 5:i32, 32:i32 [kind=xor]
      %t: i32 = trunc %s
      %r: i32 = add %t, %v
""")
    assert not ops_of(made, "shufflevector", "select", "extractelement", "gather")


def test_what_all_read_from_one_lane_is_one_number_in_warps_that_are_not_full_too() -> None:
    split = vector_form(
        with_value("""
      %s: i64 = shuffle -1:i32, %vw, 9:i32, 32:i32 [kind=idx]
      %t: i32 = trunc %s
      %r: i32 = mul %t, %t
""")
    )
    assert {op.result.type for op in ops_of(split, "mul") if op.result.name.startswith("r")} == {"i32"}


@pytest.mark.parametrize("type_", ["i8", "i16", "i64"])
def test_other_types(type_: str) -> None:
    cast = {"i64": "mul %vw, 1234567891234:i64"}.get(type_, f"trunc %v\n      %x: i64 = zext %x{type_}")
    name = "%x: i64" if type_ == "i64" else f"%x{type_}: {type_}"
    judge(
        with_value(f"""
      {name} = {cast}
      %s: i64 = shuffle -1:i32, %x, 5:i32, 32:i32 [kind=xor]
      %h: i64 = lshr %s, 20:i64
      %i: i64 = xor %s, %h
      %r: i32 = trunc %i
""")
    )


def test_floats() -> None:
    judge(
        with_value("""
      %f: float = sitofp %v
      %b: i32 = bitcast %f
      %w: i64 = zext %b
      %s: i64 = shuffle -1:i32, %w, 2:i32, 32:i32 [kind=down]
      %t: i32 = trunc %s
      %g: float = bitcast %t
      %h: float = fadd %f, %g
      %r: i32 = fptosi %h
""")
    )


VOTERS = {
    "all lanes": ("", "-1:i32"),
    "some lanes, the same for all": ("", "%n"),
    "lanes of its tile": (
        """
      %tile: i32 = and %l, 24:i32
      %own: i32 = shl 255:i32, %tile
""",
        "%own",
    ),
}
EVERYBODY = {
    "ballot": "vote {mask}, %bit [kind=ballot]",
    "any": "vote {mask}, %rare [kind=any]",
    "all": "vote {mask}, %common [kind=all]",
    "uniform": "vote {mask}, %n [kind=ballot]",
    "match any": "match {mask}, %few [kind=any]",
    "match all": "match {mask}, %half [kind=all]",
    "match uniform": "match {mask}, 7:i64 [kind=any]",
    **{kind: f"warp_reduce {{mask}}, %v [kind={kind}]" for kind in ("add", "umin", "smax", "xor", "and", "or")},
}
PREDICATES = """
      %bit: i32 = and %v, 1:i32
      %rare: i32 = and %l, 16:i32
      %common: i32 = and %v, 1020:i32
      %few: i64 = and %vw, 3:i64
      %eighth: i32 = lshr %l, 3:i32
      %half: i64 = zext %eighth
"""


@pytest.mark.parametrize("who", [each for each in VOTERS if each != "some lanes, the same for all"])
@pytest.mark.parametrize("what", EVERYBODY)
def test_votes_matches_and_reductions(what: str, who: str) -> None:
    setup, mask = VOTERS[who]
    judge(with_value(f"{PREDICATES}{setup}      %r: i32 = {EVERYBODY[what].format(mask=mask)}\n"))


@pytest.mark.parametrize("what", EVERYBODY)
def test_votes_matches_and_reductions_of_the_lanes_that_are_here(what: str) -> None:
    body = f"        %u: i32 = {EVERYBODY[what].format(mask='%here_now')}"
    judge(with_value(PREDICATES + UNDER_IF.format(body=body, result="%u")))


def test_a_loop_that_lanes_leave_one_by_one() -> None:
    # The lanes that are left compute a sum; the leader of each group of equal values leaves with its group.
    judge(
        with_value("""
      %key: i32 = and %v, 3:i32
      %kw: i64 = zext %key
      %r: i32, %k: i32 = while 0:i32, %key { (%sum: i32, %left: i32)
        %c: i1 = icmp %left, 0:i32 [pred=sge]
        condition %c, %sum, %left
      } { (%sum2: i32, %left2: i32)
        %m: i32 = activemask
        %b: i32 = vote %m, %left2 [kind=ballot]
        %s: i64 = shuffle %m, %kw, 1:i32, 32:i32 [kind=xor]
        %t: i32 = trunc %s
        %x: i32 = xor %sum2, %b
        %y: i32 = add %x, %t
        %next: i32 = sub %left2, 1:i32
        yield %y, %next
      }
""")
    )


def test_a_loop_that_counts_on_from_the_lane() -> None:
    # As in `for (i = lane; i < n; i += 32)`: a part for all lanes together, a rest under a mask, a collective in each.
    judge(
        with_value("""
      %n2: i32 = shl %n, 1:i32
      %r: i32 = for %l, %n2, 32:i32, %v [pred=slt] { (%i: i32, %x: i32)
        %m: i32 = activemask
        %w: i64 = zext %x
        %s: i64 = shuffle %m, %w, 1:i32, 32:i32 [kind=down]
        %t: i32 = trunc %s
        %o: i64 = shuffle %m, %w, 0:i32, 32:i32 [kind=idx]
        %f: i32 = trunc %o
        %y: i32 = add %t, %m
        %z: i32 = xor %y, %f
        %k: i32 = add %z, %i
        yield %k
      }
""")
    )


def test_lanes_exchange_through_shared_memory() -> None:
    judge(
        with_value("""
      store %v, %mine [align=4]
      barrier [level=warp]
      %base: i32 = and %lin, -32:i32
      %flip: i32 = xor %l, 1:i32
      %other: i32 = add %base, %flip
      %there: i1 = icmp %other, %volume [pred=ult]
      %o: i32 = select %there, %other, %lin
      %ow: i64 = zext %o
      %oa: ptr = gep @s:ptr, %ow [offset=0, strides=(4)]
      %r: i32 = load %oa [align=4]
      barrier [level=warp]
      store 0:i32, %mine [align=4]
""")
    )


def test_threads_that_ended_take_no_part() -> None:
    judge(
        kernel("""
      %c: i1 = icmp %tid, %n [pred=slt]
      if %c {
        %v: i32 = load %here [align=4]
        %vw: i64 = zext %v
        %s: i64 = shuffle -1:i32, %vw, 4:i32, 32:i32 [kind=down]
        %t: i32 = trunc %s
        %b: i32 = vote -1:i32, 1:i32 [kind=ballot]
        %r: i32 = xor %t, %b
        store %r, %here [align=4]
        yield
      } {
        yield
      }
""")
    )


TREE = """
      %s1: i64 = shuffle -1:i32, %vw, 16:i32, 32:i32 [kind=down]
      %t1: i32 = trunc %s1
      %a1: i32 = add %v, %t1
      %w1: i64 = zext %a1
      %s2: i64 = shuffle -1:i32, %w1, 8:i32, 32:i32 [kind=down]
      %t2: i32 = trunc %s2
      %r: i32 = add %a1, %t2
"""


def test_a_whole_warp_shuffles_32_bits_by_permutations_alone() -> None:
    made = for_whole_warps(TREE)
    permutations = ops_of(made, "shufflevector")
    assert [op.result.type for op in permutations] == ["<32 x i32>"] * 2
    assert not ops_of(made, "select", "gather", "alloca", "masked_load")


def test_a_ballot_is_a_number_for_the_whole_warp() -> None:
    made = for_whole_warps("""
      %b: i32 = vote -1:i32, %v [kind=ballot]
      %c: i32 = call %b [callee=llvm.ctpop.i32, effects=none, speculatable=true]
      %d: i1 = icmp %c, 7:i32 [pred=ugt]
      %r: i32 = if %d {
        %x: i32 = load %p [align=4]
        yield %x
      } {
        yield %c
      }
""")
    assert [op.result.type for op in ops_of(made, "bitcast", "call")] == ["i32", "i32"]
    assert ops_of(made, "if")[0].results[0].type == "i32"  # one branch, nothing blended


def test_a_broadcast_is_one_element() -> None:
    made = for_whole_warps(shuffled("idx", "%n"))
    assert len(ops_of(made, "extractelement")) == 1
    assert not ops_of(made, "gather", "select")


def test_an_exchange_works_on_the_type_before_it_became_i64() -> None:
    function = parse_function(with_value(TREE))
    narrow_exchanges(ops_of(function, "block")[0])
    assert [op.result.type for op in ops_of(function, "shuffle")] == ["i32", "i32"]


def test_an_exchange_leaves_out_bits_that_nobody_looks_at() -> None:
    function = parse_function(
        with_value("""
      %w: i64 = zext %v
      %s: i64 = shl %w, 16:i64
      %x: i64 = shuffle -1:i32, %s, 3:i32, 32:i32 [kind=idx]
      %r: i32 = trunc %x
""")
    )
    narrow_exchanges(ops_of(function, "block")[0])
    assert [op.result.type for op in ops_of(function, "shuffle")] == ["i32"]


@pytest.mark.parametrize("name", ["warp", "warp_under_if"])
def test_without_vectors_lanes_exchange_values_in_memory(name: str) -> None:
    original = parse_function(KERNELS[name])
    split, _ = lowered(original, [CANONICALISE, SPLIT_WARPS], frozenset(("vectorise",)))
    assert ops_of(split, "lane")
    assert not any(op.result.type.startswith("<32 x i32>") for op in ops_of(split, "shufflevector"))
    for grid, block in SHAPES:
        assert results(split, grid, block, 9, 1) == results(original, grid, block, 9)


@pytest.mark.parametrize("kind", ["idx", "up", "down", "xor"])
def test_without_vectors_lanes_that_are_not_here_bring_0(kind: str) -> None:
    for operand, width in (("5:i32", 32), ("%v", 8), ("31:i32", 32)):
        exchange = f"""
        %s: i64 = shuffle {{mask}}, %vw, {operand}, {width}:i32 [kind={kind}]
        %t: i32 = trunc %s
"""
        whole = with_value(exchange.format(mask="-1:i32").replace("%t", "%r"))
        some = with_value(UNDER_IF.format(body=exchange.format(mask="%here_now"), result="%t"))
        for original in map(parse_function, (whole, some)):
            split, _ = lowered(original, [CANONICALISE, SPLIT_WARPS], frozenset(("vectorise",)))
            assert ops_of(split, "lane")
            for grid, block in SHAPES:
                assert results(split, grid, block, 9, 1) == results(original, grid, block, 9)


def volatile_load(pointer: str) -> str:
    """A kernel with a volatile load."""
    return with_value(f"""
      store %v, %mine [align=4]
      barrier [level=warp]
      %old: i32 = load {pointer} [volatile=true, align=4]
      %b: i32 = vote -1:i32, %old [kind=ballot]
      %r: i32 = add %b, %v
""")


def test_volatile_shared_memory_is_memory_in_lock_step() -> None:
    judge(volatile_load("%mine"))


def test_what_has_no_vector_form_falls_back_with_a_reason() -> None:
    function, context = parse_function(volatile_load("%here")), Context()
    SPLIT_WARPS.run(function, context)
    verify(function, "split")
    assert ops_of(function, "lane")
    assert any("volatile" in each.text for each in context.remarks)


def test_what_is_a_vector_in_each_lane_becomes_scalars() -> None:
    judge(
        with_value(
            f"""
      %pair: <2 x i32> = insertelement poison:<2 x i32>, %v, 0:i64
      %both: <2 x i32> = insertelement %pair, %l, 1:i64
      %twice: <2 x i32> = add %both, %both
      %one: i32 = extractelement %twice, 0:i64
      %two: i32 = extractelement %twice, 1:i64
      %w: i32 = xor %one, %two
{shuffled("xor", "4:i32")}
      %x: i32 = add %r, %w
""",
            "%x",
        )
    )


def test_one_fence_orders_all_lanes() -> None:
    function = vector_form(
        with_value(f"      fence [ordering=seq_cst, scope=singlethread]\n{shuffled('xor', '1:i32')}")
    )
    assert ops_of(function, "fence")
