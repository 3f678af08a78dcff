# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""`warploom fuzz` with a fixed seed, for as long as continuous integration can wait; longer runs are by hand."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from warploom.cli import fuzz, main
from warploom.debug import Debug
from warploom.fuzz.build import Built
from warploom.fuzz.compare import REFERENCE, Difference, Variant, Workshop, compare
from warploom.fuzz.generate import program
from warploom.fuzz.interpret import interpret
from warploom.fuzz.judge import expected_lines
from warploom.fuzz.kinds.elements import MAKERS as ELEMENT_MAKERS
from warploom.fuzz.kinds.idioms import MAKERS
from warploom.fuzz.text import program_text
from warploom.passes.runner import PipelineOptions


def test_the_engines_agree(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    words = ["--seed=2026", "--kernels=8", "--quick", "--off-passes=none", "--reduce-time=0", f"--output={tmp_path}"]
    status = main.main(["fuzz", *words])
    out = capsys.readouterr().out
    assert status == 0, out
    assert out.endswith("seed 2026: 8 kernels, no files with a difference\n")


def test_the_engines_agree_on_idioms(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    words = ["--kernels=20", "--seed=5", "--kind=idioms", "--engines", "--quick", "--reduce-time=0"]
    status = main.main(["fuzz", *words, f"--output={tmp_path}"])
    assert status == 0, capsys.readouterr().out


def test_the_engines_agree_on_elements(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    words = ["--kernels=15", "--seed=5", "--kind=elements", "--engines", "--quick", "--reduce-time=0"]
    status = main.main(["fuzz", *words, f"--output={tmp_path}"])
    assert status == 0, capsys.readouterr().out


@pytest.mark.parametrize(("kind", "count"), [("idioms", len(MAKERS)), ("elements", len(ELEMENT_MAKERS))])
def test_no_order_of_threads_shows(kind: str, count: int, tmp_path: Path) -> None:
    made = program(5, 0, count, kind)
    for each in made.kernels:
        each.launches = [replace(launch, grid=(2, 2, 1), n=64) for launch in each.launches]
    workshop = Workshop(tmp_path, program_text(made), len(made.kernels), flags=made.flags)
    assert compare(workshop, [replace(REFERENCE, seed=seed) for seed in range(1, 9)]) == []


def test_the_engines_agree_on_features(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    words = ["--seed=2026", "--kernels=4", "--kind=features", "--quick", "--off-passes=none", "--reduce-time=0"]
    status = main.main(["fuzz", *words, f"--output={tmp_path}"])
    out = capsys.readouterr().out
    assert status == 0, out
    assert out.endswith("seed 2026: 4 kernels, no files with a difference\n")


def test_passes_keep_what_kernels_do_and_kernels_have_no_races(tmp_path: Path) -> None:
    made = program(2026, 12, 6)
    source = tmp_path / "program.cu"
    source.write_text(program_text(made))
    options = PipelineOptions(debug=Debug.FALLBACKS)
    assert [str(finding) for finding in interpret(made, source, options, seed=1)] == []


def test_no_program_is_started_after_the_time_limit(capsys: pytest.CaptureFixture[str]) -> None:
    assert main.main(["fuzz", "--kernels=500", "--time-limit=-1"]) == 0
    assert capsys.readouterr().out == "seed 1: 0 kernels, no files with a difference\n"


def test_a_kernel_that_takes_the_program_down_is_found_by_halves(monkeypatch: pytest.MonkeyPatch) -> None:
    def compare(workshop: Workshop, _wanted: object) -> list[Difference]:
        return [Difference(Variant(), ("k2 0",), "exit status -11")] if "k2<<<" in workshop.source.read_text() else []

    def built(_workshop: Workshop, _variant: Variant) -> Built:
        return Built()

    monkeypatch.setattr(fuzz, "compare", compare)
    monkeypatch.setattr(Workshop, "built", built)
    run = fuzz.Run(5, "none", quick=True, interpret=False, output=Path(), reduce_seconds=0)
    differences, _ = run.examine(program(5, 0, 4))
    assert [each.kernels for each in differences] == [["k2"]]


def test_unknown_passes_are_a_mistake_of_the_user(capsys: pytest.CaptureFixture[str]) -> None:
    assert main.main(["fuzz", "--off-passes=unrool"]) == 2
    assert "did you mean 'unroll'" in capsys.readouterr().err


def test_a_failing_program_is_kept_with_the_command_that_shows_it(tmp_path: Path) -> None:
    run = fuzz.Run(5, "none", quick=False, interpret=False, output=tmp_path / "new" / "folder", reduce_seconds=0)
    difference = Difference(Variant(off=("unroll",)), ("k2 1",))
    command = run.keep(program(5, 0, 4), difference)
    (path,) = (tmp_path / "new" / "folder").iterdir()
    build = "warploom run -fmad=false -w --engine=loom --off-pass=unroll"
    assert command == f"{build} {path}; compare with --engine=reference"
    text = path.read_text()
    assert f"// {command}" in text
    assert "void k2(" in text
    assert "void k1(" not in text


def test_a_kernel_that_reads_what_is_not_declared_fails_in_no_way_alike() -> None:
    """The reducer may take a declaration out: no compiler takes what is left, and the judge has no value for it."""
    made = program(202, 1767, 1, "contracted")
    difference = fuzz.Difference(Variant(), ("k1767 0",), "other results")
    (kernel,) = made.kernels
    kernel.body = kernel.body[len(kernel.body) // 2 :]
    with pytest.raises(KeyError):
        expected_lines(made)
    assert not fuzz.fails_alike(made, difference, fuzz.Machine())
