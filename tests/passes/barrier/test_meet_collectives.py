# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Lanes of a warp that wait on both sides of a condition meet, as they do in the interpreter in every order."""

from __future__ import annotations

import pytest
from differential import lowered, results
from fission_kernels import kernel

from warploom.analysis.warp_groups import Warps
from warploom.core.remarks import Unsupported
from warploom.ir.core import Function, Op, walk
from warploom.ir.parser import parse_function
from warploom.ir.verifier import verify
from warploom.passes.barrier.lock_step import LOCK_STEP
from warploom.passes.barrier.meet_collectives import MEET_COLLECTIVES
from warploom.passes.barrier.split_barriers import SPLIT_BARRIERS
from warploom.passes.barrier.split_warps import SPLIT_WARPS
from warploom.passes.base import Context
from warploom.passes.shape.specialise_launch import specialise

HEAD = """
      %v: i32 = load %here [align=4]
      %l: i32 = and %lin, 31:i32
      %odd: i32 = and %v, 1:i32
      %c: i1 = icmp %odd, 0:i32 [pred=ne]
      %vw: i64 = zext %v
      store %v, %mine [align=4]
      %o: i32 = xor %lin, 1:i32
      %ow: i64 = zext %o
      %other: ptr = gep @s:ptr, %ow [offset=0, strides=(4), inbounds=true]
"""
TAIL = "\n      store %r, %here [align=4]"
STORE_AND_READ = """%{0}x: i32 = add %v, {1}:i32
        store %{0}x, %mine [align=4]
        barrier [level=warp]
        %{0}: i32 = load %other [align=4]
        barrier [level=warp]"""
KERNELS = {
    "barriers": f"""%r: i32 = if %c {{
        {STORE_AND_READ.format("f", 1)}
        yield %f
      }} {{
        {STORE_AND_READ.format("g", 2)}
        %g3: i32 = mul %g, 3:i32
        yield %g3
      }}""",
    "shuffle": """%r: i32 = if %c {
        %a: i64 = shuffle -1:i32, %vw, 1:i32, 32:i32 [kind=xor]
        %a1: i32 = trunc %a
        %a2: i32 = add %a1, %odd
        yield %a2
      } {
        %three: i32 = add %odd, 3:i32
        %twice: i64 = mul %vw, 2:i64
        %b: i64 = shuffle -1:i32, %twice, %three, 16:i32 [kind=xor]
        %b1: i32 = trunc %b
        yield %b1
      }""",
    "vote and match": """%r: i32 = if %c {
        %a: i32 = vote -1:i32, %l [kind=ballot]
        %a1: i32 = match -1:i32, %vw [kind=any]
        %a2: i32 = xor %a, %a1
        yield %a2
      } {
        %b: i32 = vote -1:i32, %odd [kind=ballot]
        %b1: i32 = match -1:i32, %vw [kind=any]
        yield %b1
      }""",
    "nested": f"""%bit: i32 = and %l, 4:i32
      %d: i1 = icmp %bit, 0:i32 [pred=eq]
      %r: i32 = if %c {{
        %i: i32 = if %d {{
          {STORE_AND_READ.format("f", 1)}
          yield %f
        }} {{
          {STORE_AND_READ.format("g", 2)}
          yield %g
        }}
        yield %i
      }} {{
        {STORE_AND_READ.format("h", 3)}
        yield %h
      }}""",
    "others end": """%r: i32 = if %c {
        barrier [level=warp]
        %a: i32 = load %other [align=4]
        yield %a
      } {
        store 5:i32, %mine [align=4]
        yield %v
      }""",
    "array": """%r: i32 = if %c {
        %array: ptr = alloca [size=8, align=4]
        store %v, %array [align=4]
        barrier [level=warp]
        %a: i32 = load %array [align=4]
        yield %a
      } {
        %k: i32 = add %v, 9:i32
        barrier [level=warp]
        yield %k
      }""",
}


def both_sides(name: str) -> Function:
    """The kernel of this name."""
    return parse_function(kernel(HEAD + KERNELS[name] + TAIL))


@pytest.mark.parametrize("threads", [32, 64, 70])
@pytest.mark.parametrize("name", KERNELS)
def test_same_results_in_every_order(name: str, threads: int) -> None:
    if name == "others end" and threads == 70:
        pytest.skip("the sixth lane of the last warp asks the seventh, which does not exist")
    original = both_sides(name)
    split, _ = lowered(original, [MEET_COLLECTIVES, SPLIT_BARRIERS, SPLIT_WARPS])
    verify(split, "split")
    expected = results(original, (1, 1, 1), (threads, 1, 1), threads)
    for seed in (1, 2, 3):
        assert results(original, (1, 1, 1), (threads, 1, 1), threads, seed) == expected
    for seed in (None, 1):
        assert results(split, (1, 1, 1), (threads, 1, 1), threads, seed) == expected


def test_what_ends_alike_becomes_one() -> None:
    function, context = lowered(both_sides("barriers"), [MEET_COLLECTIVES])
    (block,) = (op for op in walk(function.body) if op.name == "block")
    assert sum(op.name == "barrier" for op in block.region.ops) == sum(
        op.name == "barrier" for op in walk(block.region)
    )
    assert len(context.remarks) == 4


REFUSED = {
    "another number": KERNELS["barriers"].replace("barrier [level=warp]\n        yield %f", "yield %f"),
    "another kind": "if %c { barrier [level=warp] yield } { %b: i32 = vote -1:i32, %l [kind=any] yield }",
    "other masks": "if %c { barrier 65535:i32 [level=warp] yield } { barrier [level=warp] yield }",
    "a loop": "if %c { for 0:i32, %n, 1:i32 [pred=slt] { (%k: i32) barrier [level=warp] yield } yield } "
    "{ barrier [level=warp] yield }",
    "opposite conditions": "if %c { barrier [level=warp] yield } { yield }\n %no: i1 = xor %c, 1:i1\n"
    "if %no { barrier [level=warp] yield } { yield }",
    "a condition that one side yields": "%d: i1 = icmp %v, 9:i32 [pred=ult]\n%go: i1 = if %d { yield 1:i1 }"
    " { if %c { yield } { barrier [level=warp] yield }\n yield %c }\n if %go { barrier [level=warp] yield } { yield }",
    "one of three ways that sides yield": "%d: i1 = icmp %v, 9:i32 [pred=ult]\n%go: i32 = if %d { yield 0:i32 }"
    " { %in: i32 = if %c { yield 0:i32 } { barrier [level=warp] yield 2:i32 }\n yield %in }\n"
    "%z: i1 = icmp %go, 0:i32 [pred=eq]\n if %z { barrier [level=warp] yield } { yield }",
    "a condition or another": "%d: i1 = icmp %v, 9:i32 [pred=ult]\n%e: i1 = select %d, 1:i1, %c\n"
    "if %e { yield } { barrier [level=warp] yield }\n if %c { barrier [level=warp] yield } { yield }",
    "two numbers": "%d: i1 = icmp %v, 9:i32 [pred=eq]\n%e: i1 = icmp %v, 8:i32 [pred=eq]\n"
    "if %e { barrier [level=warp] yield } { yield }\n if %d { barrier [level=warp] yield } { yield }",
    "passing by": "%h: i1 = icmp %tx, 16:i32 [pred=ult]\n if %h { barrier [level=warp] yield } { yield }\n"
    "barrier [level=warp]",
    "votes, and some pass by": "if %c { %a: i32 = vote -1:i32, %l [kind=any] yield } { yield }\n"
    "%b: i32 = vote -1:i32, %odd [kind=any]",
    "votes in another round": "for 0:i32, %n, 1:i32 [pred=slt] { (%i: i32) %d: i1 = icmp %i, %v [pred=slt]\n"
    "if %d { %a: i32 = vote -1:i32, %l [kind=any] yield } { yield }\n yield }",
    "votes of all in the next round": "for 0:i32, %n, 1:i32 [pred=slt] { (%i: i32) "
    "%b: i32 = vote -1:i32, %odd [kind=any]\n if %c { %a: i32 = vote -1:i32, %l [kind=any] yield } { yield }\n yield }",
    "another number of rounds": "%k: i32 = and %tx, 3:i32\n"
    "for 0:i32, %k, 1:i32 [pred=slt] { (%i: i32) barrier [level=warp] yield }\n barrier [level=warp]",
    "one loop's rounds and another one's": "for 0:i32, %v, 1:i32 [pred=slt] { (%i: i32) barrier [level=warp] yield }\n"
    "for %v, %n, 1:i32 [pred=slt] { (%j: i32) barrier [level=warp] yield }",
}


@pytest.mark.parametrize("name", REFUSED)
def test_refused(name: str) -> None:
    body = REFUSED[name] if "%r:" in REFUSED[name] else REFUSED[name] + "\n%r: i32 = add %v, 1:i32\n"
    with pytest.raises(Unsupported, match="warp collective"):
        lowered(parse_function(kernel(HEAD + body + TAIL)), [MEET_COLLECTIVES])


KEPT = {
    "whole warps": "%w: i32 = lshr %tx, 5:i32\n%d: i1 = icmp %w, 1:i32 [pred=eq]\n"
    "if %d { barrier [level=warp] barrier [level=warp] yield } { %b: i32 = vote -1:i32, %l [kind=any] yield }",
    "whole warps by the linear id": "%w: i32 = lshr %lin, 5:i32\n%d: i1 = icmp %w, 1:i32 [pred=eq]\n"
    "if %d { barrier [level=warp] barrier [level=warp] yield } { %b: i32 = vote -1:i32, %l [kind=any] yield }",
    "halves": "%h: i1 = icmp %tx, 16:i32 [pred=ult]\n if %h { barrier 65535:i32 [level=warp] yield } { yield }",
    "the rest of a tail": "%h: i1 = icmp %tx, 16:i32 [pred=ult]\n%e: i1 = icmp %tx, 8:i32 [pred=ult]\n"
    "if %h { barrier [level=warp] yield } { yield }\n if %e { barrier [level=warp] yield } { yield }",
    "barriers, and some pass by": "if %c { barrier [level=warp] yield } { yield }\n barrier [level=warp]",
    "barriers, and some leave a loop": "for 0:i32, %v, 1:i32 [pred=slt] { (%i: i32) barrier [level=warp] yield }\n"
    "barrier [level=warp]",
    "rounds of one loop of barriers": "for 0:i32, %v, 1:i32 [pred=slt] { (%i: i32) barrier [level=warp]\n"
    "barrier [level=warp] yield }",
    "the block waits between two loops": "for 0:i32, %v, 1:i32 [pred=slt] { (%i: i32) barrier [level=warp] yield }\n"
    "barrier [level=block]\n for %v, %n, 1:i32 [pred=slt] { (%j: i32) barrier [level=warp] yield }",
    "votes of the same lanes": "if %c { %a: i32 = vote -1:i32, %l [kind=any] yield } { yield }\n"
    "if %c { %b: i32 = vote -1:i32, %odd [kind=any] yield } { yield }",
    "votes of the same lanes in each round": "for 0:i32, %n, 1:i32 [pred=slt] { (%i: i32) "
    "if %c { %a: i32 = vote -1:i32, %l [kind=any] yield } { yield }\n yield }",
    "votes until a lane leaves": "for 0:i32, %v, 1:i32 [pred=slt] { (%i: i32) "
    "%a: i32 = vote -1:i32, %l [kind=any] yield }",
    "the block waits in each round": "for 0:i32, %n, 1:i32 [pred=slt] { (%i: i32) %d: i1 = icmp %i, %v [pred=slt]\n"
    "if %d { %a: i32 = vote -1:i32, %l [kind=any] yield } { yield }\n barrier [level=block]\n yield }",
    "votes, and others wait for nobody else": "if %c { barrier [level=warp] yield } { yield }\n"
    "barrier [level=warp, lock_step=true]",
    "the block waits on the way": "if %c { barrier [level=warp] barrier [level=block]\n"
    "%h: i1 = icmp %tx, 9:i32 [pred=ult]\n if %h { barrier [level=warp] yield } { yield } yield } { yield }",
    "the block waits": "%h: i1 = icmp %tx, 16:i32 [pred=ult]\n if %h { barrier [level=warp] yield } { yield }\n"
    "barrier [level=block]\n barrier [level=warp]",
}


@pytest.mark.parametrize("name", KEPT)
def test_kept(name: str) -> None:
    text = kernel(HEAD + KEPT[name] + "\n%r: i32 = add %v, 1:i32\n" + TAIL)
    function, context = lowered(parse_function(text), [MEET_COLLECTIVES])
    assert [each.text for each in context.remarks if "the reference engine runs" not in each.text] == []
    assert sum(op.name == "if" for op in walk(function.body)) == text.count("if %")
    assert not any(op.name == "barrier" and op.operands for op in walk(function.body))


ROWS_PART = """%q: i32 = and %ty, 1:i32
      %d: i1 = icmp %q, 0:i32 [pred=eq]
      %r: i32 = if %d {
        %a: i64 = shuffle -1:i32, %vw, 8:i32, 32:i32 [kind=xor]
        %a1: i32 = trunc %a
        yield %a1
      } {
        %twice: i64 = mul %vw, 2:i64
        %b: i64 = shuffle -1:i32, %twice, 8:i32, 32:i32 [kind=xor]
        %b1: i32 = trunc %b
        yield %b1
      }"""


@pytest.mark.parametrize("block", [(8, 8, 1), (4, 4, 4), (16, 2, 1)])
def test_rows_of_a_warp_meet_in_blocks_of_known_shape(block: tuple[int, int, int]) -> None:
    original = specialise(parse_function(kernel(HEAD + ROWS_PART + TAIL)), block)
    split, context = lowered(original, [MEET_COLLECTIVES, SPLIT_BARRIERS, SPLIT_WARPS])
    assert any("merged with" in each.text for each in context.remarks)
    assert split.facts.warps == Warps.ANY
    threads = block[0] * block[1] * block[2]
    assert results(split, (1, 1, 1), block, threads) == results(original, (1, 1, 1), block, threads)


@pytest.mark.parametrize("more", ["", "barrier [level=warp]\n"])
@pytest.mark.parametrize("block", [(32, 2, 1), (64, 1, 1)])
def test_of_blocks_of_any_shape_those_in_rows_are_for_this_engine(block: tuple[int, int, int], more: str) -> None:
    original = parse_function(kernel(HEAD + ROWS_PART.replace("%b: i64", f"{more}%b: i64") + TAIL))
    split, context = lowered(original, [MEET_COLLECTIVES, SPLIT_BARRIERS, SPLIT_WARPS])
    assert [each.text for each in context.remarks if each.source == "meet_collectives"] == [
        "the reference engine runs blocks whose width is no multiple of 32 and that have several rows: "
        "not all lanes of a warp may come here then"
    ]
    assert split.facts.warps == Warps.ROWS
    assert results(split, (1, 1, 1), block, 64) == results(original, (1, 1, 1), block, 64)


# One fact a line: what decides who votes first, of which blocks the code is then right.
CONDITIONS = {
    "%d: i1 = icmp %tx, 32:i32 [pred=ult]": Warps.ROWS,
    "%d: i1 = icmp %ty, 3:i32 [pred=ult]": Warps.ROWS,
    "%w: i32 = lshr %tx, 5:i32\n%d: i1 = icmp %w, %n [pred=ult]": Warps.ROWS,
    "%d: i1 = icmp %lin, 32:i32 [pred=ult]": Warps.ANY,
    "%w: i32 = lshr %lin, 5:i32\n%d: i1 = icmp %w, %n [pred=ult]": Warps.ANY,
    "%g: i32 = mul %bx, %bdx\n%i: i32 = add %g, %tx\n%w: i32 = lshr %i, 5:i32\n"
    "%d: i1 = icmp %w, 3:i32 [pred=ult]": Warps.WHOLE_ROWS,
    "%g: i32 = mul %ty, %bdx\n%i: i32 = add %g, %tx\n%w: i32 = lshr %i, 5:i32\n"
    "%d: i1 = icmp %w, 3:i32 [pred=ult]": Warps.ROWS,
}


@pytest.mark.parametrize("condition", CONDITIONS)
def test_what_the_code_takes_for_granted_of_a_block(condition: str) -> None:
    vote = "if %d { %a: i32 = vote -1:i32, %l [kind=any] yield } { yield }\n %b: i32 = vote -1:i32, %odd [kind=any]"
    text = kernel(HEAD + condition + "\n" + vote + "\n%r: i32 = add %v, 1:i32\n" + TAIL)
    function, context = lowered(parse_function(text), [MEET_COLLECTIVES])
    assert function.facts.warps == CONDITIONS[condition]
    assert bool(context.remarks) == (CONDITIONS[condition] is not Warps.ANY)
    in_a_row = parse_function(text.replace("block %bdx, %bdy, %bdz", "block %bdx, 1:i32, 1:i32"))
    expected = CONDITIONS[condition] if CONDITIONS[condition] is Warps.WHOLE_ROWS else Warps.ANY
    assert lowered(in_a_row, [MEET_COLLECTIVES])[0].facts.warps == expected
    known = specialise(parse_function(text), (64, 2, 1))
    assert lowered(known, [MEET_COLLECTIVES])[0].facts.warps == Warps.ANY


# -- statement by statement -------------------------------------------------------------------------------------------

TREE = """
      %v: i32 = load %here [align=4]
      store %v, %mine [align=4]
""" + "".join(
    f"""
      %c{n}: i1 = icmp %tx, {n}:i32 [pred=ult]
      %next{n}: ptr = gep @s:ptr, %narrow [offset={4 * n}, strides=(4), inbounds=true]
      if %c{n} {{
        %a{n}: i32 = load %mine [align=4]
        %b{n}: i32 = load %next{n} [align=4]
        %s{n}: i32 = call %a{n}, %b{n} [callee=llvm.umax.i32, effects=none]
        %t{n}: i32 = add %s{n}, %b{n}
        store %t{n}, %mine [align=4]
        yield
      }} {{ yield }}"""
    for n in (16, 8, 4, 2, 1)
)


def barriers_of(function: Function) -> list[Op]:
    """The barriers that are left."""
    return [op for op in walk(function.body) if op.name == "barrier"]


def test_a_tail_goes_statement_by_statement() -> None:
    original = parse_function(kernel(TREE + "      %r: i32 = load %mine [align=4]" + TAIL))
    stepped, context = lowered(original, [LOCK_STEP])
    assert len(barriers_of(stepped)) == 5
    assert all("race" in each.text and "__syncwarp" in each.text for each in context.remarks)
    split, _ = lowered(stepped, [SPLIT_BARRIERS, SPLIT_WARPS])
    expected = results(split, (1, 1, 1), (32, 1, 1), 32)
    values = [(31 * i + 7919 * i * i) % 1013 for i in range(32)]
    for n in (16, 8, 4, 2, 1):
        values[:n] = [max(a, b) + b for a, b in zip(values[:n], values[n : 2 * n], strict=True)]
    assert expected == values
    for seed in (1, 2, 3):
        assert results(stepped, (1, 1, 1), (32, 1, 1), 32, seed) == expected
        assert results(split, (1, 1, 1), (32, 1, 1), 32, seed) == expected


def test_without_a_race_nothing_is_added() -> None:
    text = kernel(TREE.replace("{ yield }", "{ yield }\n barrier [level=block]"))
    text = text.replace("store %v, %mine [align=4]", "store %v, %mine [align=4]\n barrier [level=block]", 1)
    function = parse_function(text)
    before = len(barriers_of(function))
    context = Context()
    assert not LOCK_STEP.run(function, context)
    assert len(barriers_of(function)) == before
    assert not context.remarks
