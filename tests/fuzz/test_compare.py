# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Comparing variants: what counts as a difference, and which differences are one bug."""

from __future__ import annotations

import subprocess
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest

from warploom.frontend.launches import LaunchSizes
from warploom.fuzz import compare
from warploom.fuzz.build import Built, Halves
from warploom.fuzz.compare import REFERENCE, Difference, Outcome, Variant, Workshop
from warploom.target import Machine

RIGHT = "k0 0 aa bb cc \nk0 1 dd ee ff \nk1 0 11 22 33 \n"


class FakeTools:
    """Stands for the compiler and the programs: text by engine, or what a build came to."""

    def __init__(self) -> None:
        self.stdout = {"reference": RIGHT, "loom": RIGHT}
        self.made = Built()
        self.builds: list[Sequence[str]] = []
        self.reads = 0
        self.commands: list[list[Any]] = []

    def read(self, source: Path, machine: Machine, _flags: Sequence[str]) -> Halves:
        self.reads += 1
        return Halves(source, machine, source, source, source, LaunchSizes())

    def build(self, _halves: Halves, flags: Sequence[str], _executable: Path, _kernels: int, **_: bool) -> Built:
        self.builds.append(flags)
        return self.made if "--engine=loom" in flags else Built()

    def run(self, command: list[Any], **options: Any) -> subprocess.CompletedProcess[str]:
        self.commands.append(command)
        return subprocess.CompletedProcess(command, 0, self.stdout[options["env"]["WARPLOOM_ENGINE"]], "")


@pytest.fixture
def tools(monkeypatch: pytest.MonkeyPatch) -> FakeTools:
    fake = FakeTools()
    monkeypatch.setattr(subprocess, "run", fake.run)
    monkeypatch.setattr(compare, "read_source", fake.read)
    monkeypatch.setattr(compare, "build", fake.build)
    return fake


def test_equal_sums_are_no_difference_and_one_build_serves_all_seeds(tools: FakeTools, tmp_path: Path) -> None:
    wanted = [Variant(), Variant(seed=1), Variant(seed=2)]
    assert compare.compare(Workshop(tmp_path, "text"), wanted) == []
    assert (tmp_path / "program.cu").read_text() == "text"
    assert (tools.reads, len(tools.builds)) == (1, 2)


def test_another_machines_programs_are_run_by_the_launcher(tools: FakeTools, tmp_path: Path) -> None:
    machine = Machine("aarch64-linux-gnu", ("qemu-aarch64", "-L", "/sysroot"), "/sysroot")
    assert compare.compare(Workshop(tmp_path, "text", machine=machine), [Variant()]) == []
    assert [command[:3] for command in tools.commands] == [["qemu-aarch64", "-L", "/sysroot"]] * 2
    assert machine.flags == ("--target=aarch64-linux-gnu", "--sysroot=/sysroot")


@pytest.mark.usefixtures("tools")
def test_modes_are_built_from_source_and_separate_compilation_from_two(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    built: list[tuple[list[str], list[str]]] = []

    def build_whole(sources: Sequence[Path], flags: Sequence[str], *_: object) -> Built:
        built.append(([path.name for path in sources], list(flags)))
        return Built()

    monkeypatch.setattr(compare, "build_whole", build_whole)
    wanted = [Variant(mode="-O0"), Variant(mode="-rdc=true")]
    assert compare.compare(Workshop(tmp_path, "text", parts=("one", "two")), wanted) == []
    assert built == [
        (["program.cu"], ["-fmad=false", "-w", "--engine=loom", "-O0"]),
        (["part0.cu", "part1.cu"], ["-fmad=false", "-w", "--engine=loom", "-rdc=true"]),
    ]


def test_launches_with_other_sums_are_named(tools: FakeTools, tmp_path: Path) -> None:
    tools.stdout["loom"] = RIGHT.replace("dd", "d0").replace("33", "30")
    (found,) = compare.compare(Workshop(tmp_path, "text"), [Variant(off=("unroll",))])
    assert found.launches == ("k0 1", "k1 0")
    assert found.kernels == ["k0", "k1"]
    assert str(found) == "--engine=loom --off-pass=unroll: k0 1, k1 0: other results than expected"


def test_a_build_that_fails_is_a_difference(tools: FakeTools, tmp_path: Path) -> None:
    tools.made = Built("the build failed: no")
    (found,) = compare.compare(Workshop(tmp_path, "text"), [Variant()])
    assert found.failure == "the build failed: no"


def test_a_pass_that_broke_is_a_difference_of_its_kernel(tools: FakeTools, tmp_path: Path) -> None:
    tools.made = Built(broken={"k1": "pass unroll: KeyError: 3 (unroll.py:7)"})
    (found,) = compare.compare(Workshop(tmp_path, "text"), [Variant()])
    assert (found.kernels, found.failure, found.broken) == (["k1"], "pass unroll: KeyError: 3 (unroll.py:7)", True)


def test_fallbacks_are_counted_and_are_no_difference(tools: FakeTools, tmp_path: Path) -> None:
    tools.made = Built(fallbacks={"k1": "too hard"})
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
