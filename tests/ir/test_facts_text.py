# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The facts of a kernel go through its text and come back."""

from __future__ import annotations

from dataclasses import fields

import pytest

from warploom.core.kernel_facts import KernelFacts
from warploom.core.processor import Processor
from warploom.diagnostics import Diagnostic
from warploom.ir.facts_text import attributes_of, facts_from
from warploom.ir.parser import parse_function
from warploom.ir.printer import print_function

# Each fact with a value that is not the one it has by itself.
ALL = KernelFacts(
    source_name="scan<int>",
    processor=Processor(256, branches_in_gathers=True),
    width=8,
    jam=2,
    max_threads=128,
    noalias=(0, 2),
    constants=((0, 24), ("table", 1024)),
    reaches_cluster=True,
    waits=True,
    phases=True,
    needs=("_Z5otheri",),
    needs_still=True,
    wanted_block=(16, 0, 1),
    block=(0, 16, 1),
    any_launch=True,
    seldom_run=True,
    launch_limit_x=40,
    launch_limit=30,
    warps=2,
    collapses="any",
    narrowed=True,
    persistent_shared=True,
)
ARGUMENTS = "%gdx: i32, %gdy: i32, %gdz: i32, %bdx: i32, %bdy: i32, %bdz: i32, %p: ptr"


def test_every_fact_comes_back() -> None:
    plain = KernelFacts()
    assert all(getattr(ALL, each.name) != getattr(plain, each.name) for each in fields(KernelFacts))
    assert facts_from(attributes_of(ALL)) == ALL
    function = parse_function(f"kernel @k({ARGUMENTS}) {{\nyield\n}}")
    assert function.facts == plain
    function.facts = ALL
    assert parse_function(print_function(function)).facts == ALL


def test_what_says_nothing_is_no_text() -> None:
    assert attributes_of(KernelFacts()) == {}


@pytest.mark.parametrize(
    "attribute", ["blocks=(1, 1, 1)", "block=(1, 1)", "block=4", "waits=1", "vector_bits=true", "warps=any"]
)
def test_what_is_no_fact_is_refused_with_its_line(attribute: str) -> None:
    with pytest.raises(Diagnostic, match="no kernel has the attribute") as refused:
        parse_function(f"// a comment\nkernel @k({ARGUMENTS}) [{attribute}] {{\nyield\n}}")
    assert refused.value.line == 2
