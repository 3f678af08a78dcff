# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""LLVM's passes: which functions they look at."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from warploom.backend.llvm_passes import HAS_VECTORS, optimise
from warploom.llvm.codes import UNOPTIMISED
from warploom.llvm.module import Module
from warploom.toolchain import find_toolchain, run_tool

# Four sums that the vectoriser of straight lines makes one of, and a number that is computed twice.
TEXT = """
define void @NAME(ptr noalias %to, ptr noalias %from) ATTRIBUTES {
LINES  ret void
}
"""
LINES = "".join(
    f"""  %p{n} = getelementptr float, ptr %from, i64 {n}
  %q{n} = getelementptr float, ptr %to, i64 {n}
  %v{n} = load float, ptr %p{n}
  %w{n} = fadd float %v{n}, 1.0
  store float %w{n}, ptr %q{n}
"""
    for n in range(4)
)
# A loop that asks the same in each trip.
CHOICE = """
define void @NAME(ptr %to, ptr %other, i1 %choice, i64 %n) ATTRIBUTES {
entry:
  br label %loop
loop:
  %i = phi i64 [ 0, %entry ], [ %next, %latch ]
  br i1 %choice, label %then, label %else
then:
  call void @one(i64 %i)
  br label %latch
else:
  call void @other(i64 %i)
  br label %latch
latch:
  %next = add nuw i64 %i, 1
  %again = icmp ult i64 %next, %n
  br i1 %again, label %loop, label %out
out:
  ret void
}
"""
KINDS = {"plain": "", "once": " ".join(UNOPTIMISED), "vectors": f'"{HAS_VECTORS}"'}


def optimised(tmp_path: Path, level: int, body: str = TEXT, others: str = "") -> dict[str, str]:
    """The code of one function of each kind behind LLVM's passes; `others`: declarations."""
    toolchain = find_toolchain()
    source, bitcode = tmp_path / "m.ll", tmp_path / "m.bc"
    functions = [body.replace("NAME", name).replace("ATTRIBUTES", kind) for name, kind in KINDS.items()]
    text = "".join(functions).replace("LINES", LINES)
    source.write_text(f'target triple = "{toolchain.target.triple}"\n{others}{text}')
    run_tool([toolchain.clang, "-c", "-emit-llvm", "-x", "ir", "-O0", source, "-o", bitcode])
    module = Module(toolchain.llvm_library, bitcode)
    optimise(module, module.target_machine(toolchain.target, level), level)
    module.write_text(source)
    text = source.read_text()
    assert len(re.findall(r"^attributes .*optnone", text, re.MULTILINE)) == 1  # of the one that was given so
    return {name: text[text.index(f"@{name}(") :].split("\n}")[0] for name in KINDS}


def test_straight_lines_become_vectors_but_beside_vectors_of_ours(tmp_path: Path) -> None:
    found = optimised(tmp_path, 3)
    assert {name: "<4 x float>" in code for name, code in found.items()} == {
        "plain": True,
        "once": False,
        "vectors": False,
    }


def test_what_runs_once_a_launch_is_left_as_it_is(tmp_path: Path) -> None:
    found = optimised(tmp_path, 3)
    assert {name: "%p0" in code for name, code in found.items()} == {"plain": False, "once": True, "vectors": False}


def test_loops_are_copied_for_each_side_of_a_choice_but_those_over_vectors(tmp_path: Path) -> None:
    found = optimised(tmp_path, 3, CHOICE, "declare void @one(i64)\ndeclare void @other(i64)\n")
    assert {name: code.count("icmp") for name, code in found.items()} == {"plain": 2, "once": 1, "vectors": 1}


def test_lower_levels_are_llvms_own(tmp_path: Path) -> None:
    assert "%p0" not in optimised(tmp_path, 1)["plain"]


SPLAT = """
define <4 x i32> @f(i32 %at, ptr %to) {
  %part = lshr i32 %at, 6
  store i32 %part, ptr %to
  %base = shl nuw nsw i32 %part, 5
  %one = insertelement <4 x i32> poison, i32 %base, i64 0
  %down = lshr exact <4 x i32> %one, <i32 5, i32 poison, i32 poison, i32 poison>
  %up = shl nuw nsw <4 x i32> %down, <i32 3, i32 poison, i32 poison, i32 poison>
  %all = shufflevector <4 x i32> %up, <4 x i32> poison, <4 x i32> zeroinitializer
  ret <4 x i32> %all
}
"""


@pytest.mark.parametrize("level", [1, 2, 3])
def test_flags_stay_with_their_operation(tmp_path: Path, level: int) -> None:
    """The bits that are shifted out of `at` are not known: LLVM's VectorCombine took the vector's word for them."""
    toolchain = find_toolchain()
    source, bitcode = tmp_path / "m.ll", tmp_path / "m.bc"
    source.write_text(f'target triple = "{toolchain.target.triple}"\n' + SPLAT)
    run_tool([toolchain.clang, "-c", "-emit-llvm", "-x", "ir", "-O0", source, "-o", bitcode])
    module = Module(toolchain.llvm_library, bitcode)
    optimise(module, module.target_machine(toolchain.target, level), level)
    module.write_text(source)
    assert "lshr exact i32 %at" not in source.read_text()
