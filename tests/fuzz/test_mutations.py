# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The deliberate errors of scripts/mutations.py can still be planted: the code that they change is there, once."""

from __future__ import annotations

import runpy
import sys
from pathlib import Path

import pytest

SCRIPTS = Path(__file__).resolve().parents[2] / "scripts"
SOURCE = SCRIPTS.parent / "src" / "warploom"


def test_there_are_forty_errors_and_each_can_be_planted(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "path", [str(SCRIPTS), *sys.path])
    check = runpy.run_path(str(SCRIPTS / "mutation_check.py"))
    mutations = check["MUTATIONS"]
    assert len(mutations) == 40
    for each in mutations:
        text = (SOURCE / each.file).read_text()
        made = check["planted"](text, each)
        assert made != text
        compile(made, each.file, "exec")


def test_an_error_counts_as_found_by_the_first_that_fails(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setattr(sys, "path", [str(SCRIPTS), *sys.path])
    check = runpy.run_path(str(SCRIPTS / "mutation_check.py"))
    finder = check["Finder"]
    finders = [finder("one", ("-c", "pass")), finder("two", ("-c", "raise SystemExit('FAILED it')"))]
    assert check["found_by"](tmp_path, check["MUTATIONS"][0], finders) == ("two", "FAILED it")
