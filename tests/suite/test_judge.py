# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The clauses that say when a run is right."""

from __future__ import annotations

from pathlib import Path

import pytest

from warploom.suite.judge import Result, judge, numbers_in
from warploom.suite.programs import parse_clauses


@pytest.fixture
def golden(tmp_path: Path) -> Path:
    (tmp_path / "g.txt").write_text("one 1.0\ntwo 2.0\n")
    (tmp_path / "twice.txt").write_text("a\na\nb\n")
    return tmp_path


RIGHT = [
    ("", 0, ""),
    ("rc=3", 3, ""),
    ("has=Percent: 0\\s*$", 0, "x\nPercent: 0\ny\n"),
    ("not=\\bnan\\b", 0, "nano\n"),
    ("lines=g", 0, "one 1.0\ntwo 2.0\n"),
    ("lines=g", 0, "one 1.0\ntwo 2.0"),
    ("sorted=twice", 0, "b\nx\na\na\n"),
    ("numbers=g~0", 0, "1 2"),
    ("numbers=g~1e-3", 0, "1.0005 2"),
    ("numbers=g~+0.5", 0, "1.4 2.5"),
    ("rc=1;has=a;b", 1, "a;b"),
]
WRONG = [
    ("", 1, "", "exit status 1, not 0"),
    ("rc=3", 0, "", "exit status 0, not 3"),
    ("has=yes", 0, "no", "nothing matches 'yes'"),
    ("has=Percent: 0\\s*$", 0, "Percent: 05\n", "nothing matches"),
    ("not=\\bnan\\b", 0, "1 nan 2", "'nan' in the output"),
    ("lines=g", 0, "one 1.0\ntwo 2.1\n", "line 2 is 'two 2.1', not 'two 2.0'"),
    ("lines=g", 0, "one 1.0\n", "1 lines, not 2"),
    ("sorted=twice", 0, "a\nb\n", "1 lines missing, the first 'a'"),
    ("numbers=g~0", 0, "1", "1 numbers, not 2"),
    ("numbers=g~1e-3", 0, "1 2.1", "1 of 2 numbers off, the first (number 2) is 2.1, not 2"),
    ("numbers=g~1", 0, "1 nan", "number 2"),
    ("numbers=g~+0.5", 0, "1.6 2", "number 1"),
]


@pytest.mark.parametrize(("clauses", "status", "stdout"), RIGHT)
def test_right(clauses: str, status: int, stdout: str, golden: Path) -> None:
    assert judge(parse_clauses(clauses), Result(status, stdout, ""), golden) == []


@pytest.mark.parametrize(("clauses", "status", "stdout", "fault"), WRONG)
def test_wrong(clauses: str, status: int, stdout: str, fault: str, golden: Path) -> None:
    faults = judge(parse_clauses(clauses), Result(status, stdout, ""), golden)
    assert len(faults) == 1
    assert fault in faults[0]


def test_stderr_counts_for_patterns_but_not_for_numbers(golden: Path) -> None:
    assert judge(parse_clauses("has=said"), Result(0, "", "said"), golden) == []
    assert judge(parse_clauses("numbers=g~0"), Result(0, "1 2", "3"), golden) == []


@pytest.mark.parametrize(
    ("text", "numbers"),
    [
        ("a=1,b=-2.5e3;.5 7.", [1.0, -2500.0, 0.5, 7.0]),
        ("info nano finance", []),
        ("inf -inf", [float("inf"), float("-inf")]),
    ],
)
def test_numbers(text: str, numbers: list[float]) -> None:
    assert numbers_in(text) == numbers
