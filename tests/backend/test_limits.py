# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""For which launches the runtime takes a kernel's code of the optimising engine, as the image says it."""

from __future__ import annotations

from dataclasses import replace

from warploom.analysis.warp_groups import Warps, assume_warps
from warploom.backend.image_facts import Limits
from warploom.backend.loom import limits_of
from warploom.core.kernel_facts import KernelFacts
from warploom.core.launch import Dims
from warploom.ir.core import Function


def version(block: Dims | None = None, warps: int = 0) -> Function:
    """A version of a kernel for some blocks."""
    return Function("k", [], facts=KernelFacts(block=block, warps=warps))


SHORT = version(block=(48, 2, 1))


def test_code_for_all_blocks_has_no_limits() -> None:
    assert limits_of([SHORT, version()], None, 1000) is None
    assert limits_of([SHORT, version()], version(), 1000) is None


def test_a_variant_takes_blocks_of_its_size_whatever_the_others_are_for() -> None:
    for_rows = version(warps=1)
    assert limits_of([for_rows], None, 1000) == Limits(Warps.ROWS, [])
    assert limits_of([SHORT, for_rows], None, 1000) == Limits(Warps.ROWS, [(48, 2, 1)])
    assert limits_of([SHORT], for_rows, 1000) == Limits(Warps.ROWS, [(48, 2, 1)])
    assert limits_of([version(block=(0, 2, 1), warps=2), for_rows], None, 1000) == Limits(Warps.WHOLE_ROWS, [])


def test_a_launch_too_large_for_a_variant_is_not_one_of_its_size() -> None:
    for_rows = version(warps=1)
    for facts in (KernelFacts(launch_limit_x=2000), KernelFacts(launch_limit=2000)):
        short = Function("k", [], facts=replace(facts, block=(48, 2, 1)))
        assert limits_of([short, for_rows], for_rows, 1000) == Limits(Warps.ROWS, [(48, 2, 1)], 1000)
        assert limits_of([short, for_rows], for_rows, 3000) == Limits(Warps.ROWS, [(48, 2, 1)], 2000)


def test_the_strongest_assumption_counts() -> None:
    function = version()
    for asked, found in ((Warps.ROWS, 1), (Warps.WHOLE_ROWS, 2), (Warps.ROWS, 2)):
        assume_warps(function, asked)
        assert function.facts.warps == found
