# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The deliberate errors of scripts/mutations.py can still be planted: the code that they change is there, once."""

from __future__ import annotations

import runpy
import subprocess
import sys
from pathlib import Path

import pytest

SCRIPTS = Path(__file__).resolve().parents[2] / "scripts"
SOURCE = SCRIPTS.parent / "src" / "warploom"


def test_there_are_sixty_errors_and_each_can_be_planted(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "path", [str(SCRIPTS), *sys.path])
    check = runpy.run_path(str(SCRIPTS / "mutation_check.py"))
    mutations = check["MUTATIONS"]
    assert len(mutations) == 60
    for each in mutations:
        text = (SOURCE / each.file).read_text()
        made = check["planted"](text, each)
        assert made != text
        compile(made, each.file, "exec")


def test_an_error_is_found_by_what_fails_with_it_and_passes_without(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(sys, "path", [str(SCRIPTS), *sys.path])
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    check = runpy.run_path(str(SCRIPTS / "mutation_check.py"))
    mutation, finder = check["MUTATIONS"][0], check["Finder"]
    options = check["parser"]().parse_args(["--only=0", "--each=60"])
    made = check["Check"](tmp_path / "copies", options)
    made.copies[0] = check["mutant"](tmp_path / "copies" / "0", mutation, made.original)
    made.finders[0] = [
        finder("passes", ("-c", "pass")),
        finder("always fails", ("-c", "raise SystemExit('FAILED as ever')")),
        finder("reads the copy", ("-c", READS.format(file=mutation.file, old=mutation.old))),
    ]
    for each in made.finders[0]:
        assert not made.copies[0].found.is_set()
        made.look(0, each)
    assert made.report() == 0
    said = capsys.readouterr().out
    assert "without an error planted, always fails fails: FAILED as ever" in said
    assert " 0 killed by reads the copy" in said
    assert "1 of 1 errors found" in said


READS = """
import warploom
from pathlib import Path
assert {old!r} in Path(warploom.__file__).with_name("analysis").joinpath(Path({file!r}).name).read_text()
"""


def test_slices_hold_each_test_once() -> None:
    script, number = [sys.executable, str(SCRIPTS / "pytest_slice.py")], 3
    found: list[str] = []
    for part in range(number):
        words = [*script, str(part), str(number), "--collect-only", "-q", "-p", "no:cacheprovider", str(Path(__file__))]
        done = subprocess.run(words, capture_output=True, text=True, cwd=SCRIPTS.parent)
        found += [line for line in done.stdout.splitlines() if "::" in line]
    assert len(found) == len(set(found)) == 3
