# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What passes may do with an op they ask the table of ops: which pass asks what, and that none has a list of its own.

A pass that moves ops to where they did not run asks `is_speculatable`; one that computes something again, or takes one
op's result for another's, `is_duplicable`; one that drops ops `is_removable`; one that puts control around ops, or
takes it away, `is_convergent`. What may be poison where no thread runs, analysis/poison.py asks for the passes.
"""

from __future__ import annotations

import ast
import re
from pathlib import Path

import pytest

from warploom import passes

FOLDER = Path(str(passes.__path__[0]))
QUESTIONS = frozenset(
    "is_pure is_arithmetic is_speculatable is_duplicable is_convergent is_removable has_no_effect may_make_poison"
    " poison_in is_exchange follows_operands".split()
)
ASKED = {
    "block_parts": "is_duplicable",
    "choices": "is_speculatable",
    "computing_loops": "is_removable is_speculatable",
    "cse": "is_arithmetic is_speculatable is_convergent",
    "dead_code": "is_removable has_no_effect is_exchange",
    "early_stores": "is_speculatable is_duplicable",
    "hoist_parallel": "is_arithmetic is_speculatable is_convergent is_removable",
    "interchange": "is_speculatable poison_in",
    "interleaved": "is_arithmetic is_duplicable",
    "launch_factors": "is_arithmetic",
    "loop_invariants": "is_speculatable",
    "merge_parallel": "is_speculatable is_duplicable",
    "piece_versions": "is_arithmetic",
    "pipeline_loops": "is_speculatable",
    "prefetch_blocks": "is_speculatable",
    "raise_loops": "is_pure is_duplicable is_removable is_speculatable",
    "recompute_conditions": "is_speculatable",
    "row_versions": "is_arithmetic is_removable",
    "rows_of_blocks": "is_arithmetic is_speculatable",
    "simplifier": "is_arithmetic",
    "skeleton": "is_pure is_convergent",
    "structure_decided": "is_duplicable",
    "structure_variance": "follows_operands",
    "thread_guards": "is_removable",
    "unroll_rows": "is_speculatable",
    "unswitch": "is_speculatable is_duplicable",
    "vector_prepare": "is_duplicable",
    "widen": "is_arithmetic",
    "widen_alone": "is_pure is_convergent",
    "widen_arithmetic": "is_speculatable",
    "widen_control": "is_speculatable",
}
# The columns themselves, and the attributes that take some of them away.
PRIVATE = re.compile(
    r"Effect\.(PURE|CHECKED)|\bProperty\b|(info|\]|OPS)\.properties\b|get\(\"(convergent|speculatable)\"|attrs\[\"(convergent|speculatable)\""
)


def asked(path: Path) -> set[str]:
    """The questions that a file asks."""
    tree = ast.parse(path.read_text())
    return {node.id for node in ast.walk(tree) if isinstance(node, ast.Name)} & QUESTIONS


def test_each_pass_asks_what_it_is_known_to_ask() -> None:
    found = {path.stem: " ".join(sorted(asked(path))) for path in sorted(FOLDER.rglob("*.py"))}
    known = {name: " ".join(sorted(words.split())) for name, words in ASKED.items()}
    assert {name: words for name, words in found.items() if words} == known


@pytest.mark.parametrize("path", sorted(FOLDER.rglob("*.py")), ids=lambda path: path.stem)
def test_no_pass_answers_for_itself(path: Path) -> None:
    assert not PRIVATE.search(path.read_text())


def test_what_is_computed_again_is_duplicable() -> None:
    """Every file that copies ops beside what they are copied from."""
    again = {"early_stores", "merge_parallel", "raise_loops", "structure_decided"}
    assert all("is_duplicable" in ASKED[name] for name in again)
