# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Comparing variants: what counts as a difference, and which differences are one bug."""

from __future__ import annotations

import subprocess
from pathlib import Path
from typing import Any

import pytest

from warploom.fuzz import compare
from warploom.fuzz.compare import REFERENCE, Difference, Outcome, Variant, Workshop

RIGHT = "k0 0 aa bb cc \nk0 1 dd ee ff \nk1 0 11 22 33 \n"
SYMBOL = "_Z2k1PKiPyPjPijjf"


class FakeTools:
    """Stands for the compiler and the programs: text by engine, or a failure."""

    def __init__(self) -> None:
        self.stdout = {"reference": RIGHT, "loom": RIGHT}
        self.compiler: tuple[int, str] = (0, "")
        self.builds: list[list[str]] = []

    def __call__(self, command: list[Any], **options: Any) -> subprocess.CompletedProcess[str]:
        if len(command) > 1:
            self.builds.append(command)
            status, stderr = self.compiler if "--engine=loom" in command else (0, "")
            return subprocess.CompletedProcess(command, status, "", stderr)
        return subprocess.CompletedProcess(command, 0, self.stdout[options["env"]["WARPLOOM_ENGINE"]], "")


@pytest.fixture
def tools(monkeypatch: pytest.MonkeyPatch) -> FakeTools:
    fake = FakeTools()
    monkeypatch.setattr(subprocess, "run", fake)
    return fake


def test_equal_sums_are_no_difference_and_one_build_serves_all_seeds(tools: FakeTools, tmp_path: Path) -> None:
    wanted = [Variant(), Variant(seed=1), Variant(seed=2)]
    assert compare.compare(Workshop(tmp_path, "text"), wanted) == []
    assert (tmp_path / "program.cu").read_text() == "text"
    assert len(tools.builds) == 2


def test_launches_with_other_sums_are_named(tools: FakeTools, tmp_path: Path) -> None:
    tools.stdout["loom"] = RIGHT.replace("dd", "d0").replace("33", "30")
    (found,) = compare.compare(Workshop(tmp_path, "text"), [Variant(off=("unroll",))])
    assert found.launches == ("k0 1", "k1 0")
    assert found.kernels == ["k0", "k1"]
    assert str(found) == "--engine=loom --off-pass=unroll: k0 1, k1 0: other results than the reference engine's"


def test_a_build_that_fails_is_a_difference(tools: FakeTools, tmp_path: Path) -> None:
    tools.compiler = (1, "note\nx.cu:3: error: no\nmore\n")
    (found,) = compare.compare(Workshop(tmp_path, "text"), [Variant()])
    assert found.failure == "the build failed: x.cu:3: error: no"


def test_a_pass_that_broke_is_a_difference_of_its_kernel(tools: FakeTools, tmp_path: Path) -> None:
    tools.compiler = (
        0,
        f"warploom: warning: pass unroll failed on kernel {SYMBOL}: KeyError: 3 (unroll.py:7); the kernel runs on the "
        "reference engine; please report it with x.ir\n",
    )
    (found,) = compare.compare(Workshop(tmp_path, "text"), [Variant()])
    assert (found.kernels, found.failure, found.broken) == (["k1"], "pass unroll: KeyError: 3 (unroll.py:7)", True)


def test_fallbacks_are_counted_and_are_no_difference(tools: FakeTools, tmp_path: Path) -> None:
    tools.compiler = (0, "warploom: a.cu:7: kernel k1(int const*) runs on the reference engine: too hard\n")
    workshop = Workshop(tmp_path, "text")
    assert compare.compare(workshop, [Variant()]) == []
    assert workshop.built(Variant()).fallbacks == {"k1": "too hard"}


def test_bugs_are_told_apart_by_the_message_without_its_numbers() -> None:
    one = Difference(REFERENCE, ("k1 0",), "pass a: %c0.3 at line 17 of k1")
    same = Difference(Variant(), ("k2 1",), "pass a: %c12.7 at line 9 of k22")
    other = Difference(Variant(), ("k2 1",), "pass b: %c12.7 at line 9 of k22")
    assert one.kind == same.kind != other.kind
    groups = compare.grouped([one, same, other])
    assert [len(group) for group in groups.values()] == [2, 1]
    assert compare.summary([one, same]).endswith("(2 kernels, 2 variants)")


def test_each_pass_is_off_in_turn() -> None:
    off = [variant.off for variant in compare.variants("each", ["a", "b"]) if variant.off]
    assert off == [("a",), ("b",)]
    assert [variant.off for variant in compare.variants("a,b", []) if variant.off] == [("a", "b")]
    assert not any(variant.off for variant in compare.variants("none", ["a"]))
    loom = [variant for variant in compare.variants("each", ["a"], quick=True) if variant.engine == "loom"]
    assert all(variant.flags == compare.QUICK for variant in loom)


def test_lines_are_told_by_kernel_and_launch() -> None:
    assert compare.parse_lines("k0 0 aa bb cc \nk0 1 dd ee ff no\nrubbish\n") == {
        "k0 0": "aa bb cc ",
        "k0 1": "dd ee ff no",
    }
    assert Outcome({"k0 0": "aa"}).differences(Outcome({"k0 0": "aa", "k0 1": "bb"})) == ["k0 1"]
