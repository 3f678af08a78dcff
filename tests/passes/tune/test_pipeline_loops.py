# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Loops whose trips are chains of ops: which overlap, in which order, and that nothing changes by it."""

from __future__ import annotations

import pytest
from vector_runs import results

from warploom.ir.core import Const, Function, Op, clone_function, walk
from warploom.ir.parser import parse_function
from warploom.ir.verifier import verify
from warploom.passes.base import Context
from warploom.passes.tune.pipeline_loops import COPIES, PIPELINE_LOOPS
from warploom.passes.vector.vector_calls import opened

PARAMS = (
    "%gdx: i32, %gdy: i32, %gdz: i32, %bdx: i32, %bdy: i32, %bdz: i32, "
    "%n: i32, %m: i64, %p: ptr, %in: ptr, %small: ptr, %acc: ptr"
)
LINK = "%y{}: <16 x i32> = mul %y{}, %y{}\n"


def chain(links: int) -> str:
    """A body that loads a vector and multiplies it by itself so many times, 10 cycles each."""
    steps = "".join(LINK.format(i + 1, i, i) for i in range(links))
    return f"""
      %w: i64 = zext %k [flags=(nneg)]
      %i: ptr = gep %in, %w [offset=0, strides=(4)]
      %v: i32 = load %i [align=4]
      %y0: <16 x i32> = splat %v
      {steps}
      %d: <16 x i32> = add %s, %y{links}
      yield %d"""


def loop(bounds: str, body: str, bits: int = 512) -> Function:
    """A kernel with one loop over %k that carries the vector %s."""
    function = parse_function(f"""
kernel @k({PARAMS}) [vector_bits={bits}] {{
  grid %gdx, %gdy, %gdz {{ (%bx: i32, %by: i32, %bz: i32)
    %z: <16 x i32> = splat %n
    %o: <16 x i32> = for {bounds}, %z [pred=slt] {{ (%k: i32, %s: <16 x i32>)
{body}
    }}
    store %o, %p [align=4]
    yield
  }}
  yield
}}
""")
    verify(function, "structured")
    return function


def loop_of_two(body: str) -> Function:
    """A kernel with one loop that carries the vectors %s and %t, whose results are subtracted."""
    function = parse_function(f"""
kernel @k({PARAMS}) [vector_bits=512] {{
  grid %gdx, %gdy, %gdz {{ (%bx: i32, %by: i32, %bz: i32)
    %z: <16 x i32> = splat %n
    %o: <16 x i32>, %u: <16 x i32> = for 0:i32, 64:i32, 1:i32, %z, %z [pred=slt] {{
      (%k: i32, %s: <16 x i32>, %t: <16 x i32>)
{body}
    }}
    %r: <16 x i32> = sub %o, %u
    store %r, %p [align=4]
    yield
  }}
  yield
}}
""")
    verify(function, "structured")
    return function


def pipelined(function: Function) -> tuple[Function, list[Op]]:
    """A copy after the pass, and its loops."""
    copy = clone_function(function)
    PIPELINE_LOOPS.run(copy, Context())
    verify(copy, "structured")
    return copy, [op for op in walk(copy.body) if op.name == "for"]


def has_changed(function: Function) -> bool:
    return PIPELINE_LOOPS.run(clone_function(function), Context())


def test_a_round_passes_on_what_later_stages_need() -> None:
    """Besides the sum the loop carries values of the chain, which began a round or more before they are used."""
    _, (main,) = pipelined(loop("0:i32, 64:i32, 1:i32", chain(6)))
    assert len(main.results) > 1
    assert [op.name for op in main.region.body].count("load") == COPIES


def test_the_loop_ends_before_the_trips_that_have_begun() -> None:
    """What was begun in the last round ends after the loop: no trip is begun beyond the bound."""
    _, (main,) = pipelined(loop("0:i32, 64:i32, 1:i32", chain(6)))
    bound = main.operands[1]
    assert isinstance(bound, Const)
    assert int(bound.value) < 64


@pytest.mark.parametrize("bounds", ["0:i32, 64:i32, 1:i32", "0:i32, 61:i32, 1:i32", "3:i32, 64:i32, 1:i32"])
@pytest.mark.parametrize("links", [5, 6, 8, 12])
def test_the_results_stay(bounds: str, links: int) -> None:
    function = loop(bounds, chain(links))
    changed, _ = pipelined(function)
    assert has_changed(function)
    assert results(changed, (1, 1, 1), 7) == results(function, (1, 1, 1), 7)


@pytest.mark.parametrize("n", [-3, 0, 1, 2, 7, 23, 24, 25, 31, 32, 33, 60])
def test_any_number_of_trips(n: int) -> None:
    """A bound that is not known: few trips go through the loop as it was, and so do those that are left."""
    function = loop("0:i32, %n, 1:i32", chain(6))
    changed, _ = pipelined(function)
    assert results(changed, (1, 1, 1), n % 2**32) == results(function, (1, 1, 1), n % 2**32)


@pytest.mark.parametrize("links", [6, 12])
def test_a_result_of_the_first_stage_that_no_trip_reads(links: int) -> None:
    """The last trip's value is what the loop gives, also where the trips behind it have no use for it."""
    function = loop_of_two(chain(links).replace("yield %d", "yield %d, %y0"))
    changed, _ = pipelined(function)
    assert has_changed(function)
    assert results(changed, (1, 1, 1), 7) == results(function, (1, 1, 1), 7)


def test_two_sums_of_one_chain() -> None:
    """Each carried value ends where its own op stands."""
    function = loop_of_two(chain(6).replace("yield %d", "%e: <16 x i32> = xor %t, %y3" + chr(10) + "yield %d, %e"))
    changed, _ = pipelined(function)
    assert has_changed(function)
    assert results(changed, (1, 1, 1), 5) == results(function, (1, 1, 1), 5)


def test_a_short_chain_stays() -> None:
    """The processor finds the next trips by itself."""
    assert not has_changed(loop("0:i32, 64:i32, 1:i32", chain(1)))


def test_few_trips_stay() -> None:
    assert not has_changed(loop("0:i32, 8:i32, 1:i32", chain(6)))


def test_a_chain_through_what_is_carried_stays() -> None:
    """A trip that begins with what the one before ends with cannot overlap it."""
    body = chain(6).replace("= splat %v", "= splat %v\n%x: <16 x i32> = add %y0, %s").replace("%y0, %y0", "%x, %x")
    assert not has_changed(loop("0:i32, 64:i32, 1:i32", body))


def test_a_store_keeps_the_order() -> None:
    """A later trip might load what it writes."""
    body = chain(6).replace("yield", "store %y6, %p [align=4]\nyield")
    assert not has_changed(loop("0:i32, 64:i32, 1:i32", body))


@pytest.mark.parametrize(
    ("bits", "parts"),
    [(512, {"__warploom_v16_rsqrt_estimate_f32", "llvm.fma.v16f32"}), (256, {"llvm.sqrt.v16f32"})],
)
def test_an_inverse_root_is_taken_apart(bits: int, parts: set[str]) -> None:
    """An estimate and a step, or a root and a division, are ops of their own, so that others stand between."""
    body = """
      %w: i64 = zext %k [flags=(nneg)]
      %i: ptr = gep %in, %w [offset=0, strides=(4)]
      %v: float = load %i [align=4]
      %x: <16 x float> = splat %v
      %a: <16 x float> = fmul %x, %x
      %b: <16 x float> = fmul %a, %x
      %r: <16 x float> = call %b [callee=__warploom_v16_rsqrt_f32, effects=none, speculatable=true]
      %e: <16 x float> = fmul %r, %r
      %f: <16 x float> = fmul %e, %r
      %j: <16 x i32> = bitcast %f
      %d: <16 x i32> = add %s, %j
      yield %d"""
    function = loop("0:i32, 64:i32, 1:i32", body, bits)
    changed, _ = pipelined(function)
    callees = {str(op.attrs.get("callee")) for op in walk(changed.body) if op.name == "call"}
    assert callees == parts
    expected = clone_function(function)
    (whole,) = (op for op in walk(expected.body) if op.name == "for")
    whole.region.ops = opened(whole.region.ops, bits)
    assert results(changed, (1, 1, 1), 5) == results(expected, (1, 1, 1), 5)
