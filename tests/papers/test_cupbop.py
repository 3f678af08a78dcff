# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What Han et al., CuPBoP: CUDA for Parallelized and Broad-range Processors, claim, on code from CUDA source."""

from __future__ import annotations

from paper_kernels import interpreted, lowered, output

from warploom.ir.core import Const
from warploom.ir.memory import Memory

PROGRAM = "cupbop"


def test_results() -> None:
    # Unmodified programs run: launches in macros, dynamic shared memory, copies that wait for kernels, atomics.
    expected = output(PROGRAM, "reference", "--seed", "5")
    assert expected.count(" ok\n") == 6
    assert output(PROGRAM, "loom") == expected


def test_a_kernel_without_barriers_is_one_loop_over_the_threads() -> None:
    # Listing 2: the translated kernel is one `for (tid...)`, called once for each block.
    found = lowered(PROGRAM, "vec_add", any_size=True)
    (grid,) = found.ops("grid")
    assert [op.name for op in grid.region.body if op.regions] == ["block"]
    assert found.ops("scratch") == []


def test_one_barrier_makes_two_loops() -> None:
    # Figure 4: "two for-loops (Loop1, Loop2) are generated to wrap codes before/after the barrier", of one level since
    # there are no warp-level functions. Nothing needs a place in memory: the index is computed again.
    found = lowered(PROGRAM, "dynamic_reverse", any_size=True)
    (grid,) = found.ops("grid")
    assert [op.name for op in grid.region.body if op.regions] == ["block", "block"]
    assert found.ops("warp") == []
    assert found.kept("block") == []


def test_dynamic_shared_memory_has_the_size_of_the_launch() -> None:
    # Section III-B: the size of the variable is defined at run time; every slot of it can be used and none behind it.
    function = lowered(PROGRAM, "dynamic_reverse", any_size=True).function
    assert [variable.size for variable in function.shared.values()] == [0]
    memory = Memory()
    data = memory.array("i32", list(range(77)))
    interpreted(function, 77, [data, 77], memory, dynamic_shared=4 * 77)
    assert memory.values("i32", data, 77) == list(reversed(range(77)))


def test_two_of_nine_barriers_remain_in_a_smoother_of_tiles() -> None:
    # SRAD: "nine block synchronizations within the kernels", each a switch of all fibres or the end of a loop. Two
    # order something: the neighbours' pixels and the neighbours' coefficients. The kernel becomes three loops.
    # version_blocks, which writes each of them twice, is off.
    found = lowered(PROGRAM, "smooth", "version_blocks")
    assert (found.count("import"), found.count("eliminate_barriers")) == (9, 2)
    assert len(found.ops("block")) == 3


def test_a_smoother_of_tiles_keeps_private_values_out_of_shared_memory() -> None:
    # A slot that only its own thread touches is a value: two of the eight tiles are not used any more.
    found = lowered(PROGRAM, "smooth")
    told = [each.text for each in found.remarks if each.text.startswith("stores removed")]
    assert told == ["stores removed: nothing reads @edge", "stores removed: nothing reads @result"]
    used = {str(operand.value) for op in found.ops("gep") for operand in op.operands if isinstance(operand, Const)}
    assert sum(f"@{name}" in used for name in found.function.shared) == 6


def test_a_smoother_for_blocks_of_any_size_keeps_more_barriers() -> None:
    # In a block wider than the tile two threads share a slot, so nothing is known of slots: five remain.
    found = lowered(PROGRAM, "smooth", any_size=True)
    assert (found.count("import"), found.count("eliminate_barriers")) == (9, 5)


def test_without_elimination_every_barrier_ends_a_loop() -> None:
    # The fission that the paper describes: nine barriers, the last of which has nothing behind it.
    found = lowered(PROGRAM, "smooth", "eliminate_barriers", "merge_parallel", "version_blocks")
    assert found.count("canonicalise.2") == 9
    assert 8 <= len(found.ops("block")) <= 10
