# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What Moses et al., High-Performance GPU-to-CPU Transpilation, claim of their examples, on code from CUDA source."""

from __future__ import annotations

import pytest
from paper_kernels import inside, interpreted, line_of, lowered, output

from warploom.core.remarks import Unsupported
from warploom.ir.core import walk_op
from warploom.ir.memory import Memory

PROGRAM = "polygeist"
LAYER = "layer_forward"


def test_results() -> None:
    # Whatever the passes do, the programs compute what the reference engine computes, in random orders too.
    expected = output(PROGRAM, "reference", "--seed", "5")
    assert expected.count(" ok\n") == 17
    assert output(PROGRAM, "loom") == expected


# -- section I: normalize ---------------------------------------------------------------------------------------------


def loads(kernel: str, n: int, *off: str) -> int:
    """Loads that one launch on n values runs; the values it leaves are right."""
    memory = Memory()
    out, data = memory.array("float", [0.0] * n), memory.array("float", [float(i + 1) for i in range(n)])
    counts = interpreted(lowered(PROGRAM, kernel, *off).function, 32, [out, data, n], memory, grid=n // 32)
    total = n * (n + 1) / 2
    assert memory.values("float", out, n) == pytest.approx([(i + 1) / total for i in range(n)], rel=1e-6)
    return counts["load"]


def test_the_sum_is_computed_once_a_launch() -> None:
    # "completely reduced to O(N) by computing sum once before the kernel": n loads for the sum, n for the quotients.
    assert [loads("normalize", n) for n in (32, 64, 128)] == [64, 128, 256]


def test_without_parallel_code_motion_every_thread_computes_the_sum() -> None:
    # "the call to sum is called in each thread, leading to a total of O(N^2) work"
    found = [loads("normalize", n, "hoist_parallel") for n in (32, 64, 128)]
    assert found == [n * n + n for n in (32, 64, 128)]


def test_shared_memory_by_hand_computes_the_sum_once_a_block() -> None:
    # "can be partially reduced to O(N^2/B) through the use of shared memory"; the shared sum is loaded once a block.
    found = [loads("normalize_by_block", n) for n in (32, 64, 128)]
    assert found == [n * (n // 32) + n + n // 32 for n in (32, 64, 128)]


def test_the_sum_stands_in_front_of_the_blocks() -> None:
    # "LICM out of a parallel loop is always legal": `out` may overlap `in` here, yet no earlier op writes.
    body = lowered(PROGRAM, "normalize").function.body.ops
    assert [op.name for op in body if op.name in ("for", "while", "grid")] in (["for", "grid"], ["while", "grid"])


# -- section III-A: the meaning of a barrier --------------------------------------------------------------------------


def test_a_slot_of_ones_own_needs_no_barrier() -> None:
    # Figure 5: the write to A[threadIdx.x] always happens before the read in the same thread; the value is forwarded.
    found = lowered(PROGRAM, "own_slot")
    assert (found.count("import"), found.count("eliminate_barriers")) == (1, 0)
    assert found.ops("load") == []
    assert len(found.ops("block")) == 1


@pytest.mark.parametrize("kernel", ["next_slot", "own_slot_may_overlap"])
def test_the_barrier_stays(kernel: str) -> None:
    # "if the load and store to A were offset by 1, the barrier would be necessary"; and so it is between two pointers
    # that may overlap: "aliasing guarantees must be checked".
    found = lowered(PROGRAM, kernel)
    assert found.count("eliminate_barriers") == 1
    assert len(found.ops("block")) == 2


# -- section III-B1: splitting ----------------------------------------------------------------------------------------


def test_the_minimum_cut_keeps_two_values() -> None:
    # Figure 6: keeping x and y "would result in 2 values being preserved rather than 3": 8 bytes a thread, not 12.
    assert lowered(PROGRAM, "spread").kept("block") == [4, 4]


def test_without_the_minimum_cut_three_values_are_kept() -> None:
    # The same figure: what the code after the barrier uses are a, b and c.
    assert lowered(PROGRAM, "spread", "minimum_cut").kept("block") == [4, 4, 4]


# -- section III-B2: interchange --------------------------------------------------------------------------------------


def test_a_for_with_a_barrier_is_interchanged_with_the_threads() -> None:
    # Figure 7: the barrier is "directly within the parallel loop by performing an interchange" with the serial loop.
    found = lowered(PROGRAM, LAYER, "unroll")
    (loop,) = found.ops("for")
    assert [op.name for op in loop.region.body if op.regions] == ["block"]
    assert inside(found.ops("block"), "for") == []


def test_a_uniform_while_needs_no_helper() -> None:
    # The trip count is a parameter, so the condition is computed outside of the threads and the loop just turns over.
    found = lowered(PROGRAM, "uniform_rounds")
    (loop,) = found.ops("while")
    assert len(inside([loop], "block")) == 2
    assert found.ops("alloca") == []
    assert found.said("interchange", "interchanged: uniform `while`")


def test_a_flag_in_shared_memory_is_read_once_for_all_threads() -> None:
    # All threads load one place after a barrier, so the load moves out with the loop and no helper is needed.
    found = lowered(PROGRAM, "flag_rounds")
    (loop,) = found.ops("while")
    assert [op.name for op in loop.regions[0].body if op.name == "load"] == ["load"]
    assert found.ops("alloca") == []


@pytest.mark.parametrize("kernel", ["own_rounds", "leaving"])
def test_a_while_on_a_condition_of_each_thread_has_a_helper(kernel: str) -> None:
    # Figure 8: "the interchange is possible thanks to a helper variable which stores the result of the condition".
    found = lowered(PROGRAM, kernel)
    (loop,), (helper,) = found.ops("while"), found.ops("alloca")
    asked = [op for op in loop.regions[0].body if op.name == "load"]
    assert [op.operands[0] for op in asked] == [helper.result]
    stores = [op for op in inside(found.ops("block"), "store") if op.operands[1] is helper.result]
    assert len(stores) == 1  # by any thread that goes on, not by the first one: other threads may have left
    assert inside(found.ops("block"), "while") == []


def test_interchange_of_while_can_be_switched_off() -> None:
    # Without it the kernel is one for the reference engine: the passes say so instead of computing something else.
    with pytest.raises(Unsupported, match="interchange_while is off"):
        lowered(PROGRAM, "own_rounds", "interchange_while")


# -- section IV: backprop's layer -------------------------------------------------------------------------------------


@pytest.mark.parametrize("kernel", [LAYER, f"{LAYER}_by_powers"])
def test_the_loop_of_the_layer_is_fully_unrolled(kernel: str) -> None:
    # "for ... i <= log2(HEIGHT)": four rounds with a barrier each, in integers or in floating point: 4 + 4 barriers.
    found = lowered(PROGRAM, kernel)
    assert (found.count("canonicalise"), found.count("unroll")) == (5, 8)
    assert found.ops("for") == found.ops("while") == []


@pytest.mark.parametrize("kernel", [LAYER, f"{LAYER}_may_overlap", f"{LAYER}_by_powers"])
def test_two_barriers_of_the_layer_are_removed(kernel: str) -> None:
    # "the first and last __syncthreads instructions are unnecessary". The last one and the one before it, of the last
    # round, have only accesses to slots of one's own between them, so either can go. With the block size known the
    # earlier one goes, which asks nothing of the pointers: it works without __restrict__.
    found = lowered(PROGRAM, kernel)
    assert (found.count("unroll"), found.count("eliminate_barriers")) == (8, 6)
    assert len(found.ops("block")) == 7


def test_the_first_and_the_last_barrier_are_removed_for_blocks_of_any_size() -> None:
    # The paper's own choice: nothing is known of the size here, but the pointers do not overlap.
    found = lowered(PROGRAM, LAYER, any_size=True)
    first, last = line_of(PROGRAM, "// between slots that"), line_of(PROGRAM, "// nothing to wait for")
    assert found.said("eliminate_barriers", "barrier removed") == [first, last]


def test_the_last_barrier_stays_when_pointers_may_overlap_and_the_size_is_not_known() -> None:
    # "if, given the calling context, the pointers are known not to alias": else `hidden` may be `output`.
    found = lowered(PROGRAM, f"{LAYER}_may_overlap", any_size=True)
    assert found.said("eliminate_barriers", "barrier removed") == [line_of(PROGRAM, "// between slots that")]
    (reason,) = [each.text for each in found.remarks if each.text.startswith("barrier kept: store to %hidden")]
    assert "another thread's store to %output" in reason


def test_the_unnecessary_store_and_load_of_the_layer_are_removed() -> None:
    # "the only value that can be loaded at that point is the same one which was stored earlier ... the first store can
    # be safely eliminated".
    found = lowered(PROGRAM, LAYER)
    store, load = line_of(PROGRAM, "= hidden[index];  // stored"), line_of(PROGRAM, "* node[ty];  // loaded")
    assert found.said("forward_across_barriers", "store removed") == [store]
    assert load in found.said("forward_across_barriers", "load removed")
    assert not any(op.loc and op.loc.line == store for op in found.ops("store"))
    weights = {op.result for op in found.ops("gep") if "weights" in str(op.operands[0])}
    rows = {op.result for op in found.ops("gep") if op.operands[0] in weights}
    assert not any(op.operands[0] in rows and op.loc and op.loc.line == load for op in found.ops("load"))


def test_memory_across_barriers_can_be_left_alone() -> None:
    # The same layer with the pass switched off loads what it has stored.
    found = lowered(PROGRAM, LAYER, "forward_across_barriers")
    store = line_of(PROGRAM, "= hidden[index];  // stored")
    assert any(op.loc and op.loc.line == store for op in found.ops("store"))
    assert all(op.name != "barrier" for each in found.ops("grid") for op in walk_op(each))
