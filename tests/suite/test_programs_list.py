# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Reading a list of programs."""

from __future__ import annotations

from pathlib import Path

import pytest

from warploom.diagnostics import Diagnostic
from warploom.suite.programs import Clause, parse_clauses, read_programs, select

HEADING = "id\trepo\tdir\tbuild\trun\texpect\tfeatures\tnote\n"


def write(folder: Path, *lines: str) -> Path:
    path = folder / "list.tsv"
    path.write_text(HEADING + "".join(f"{line}\n" for line in lines))
    return path


def test_fields(tmp_path: Path) -> None:
    path = write(tmp_path, "p\to/r\td/e\tnvcc x\t$EXE\thas=ok\tshfl,vote\tsome note", "", "# a comment")
    (program,) = read_programs(path)
    assert (program.name, program.repository, program.folder, program.build) == ("p", "o/r", "d/e", "nvcc x")
    assert program.clauses == (Clause("rc", "0"), Clause("has", "ok"))
    assert program.features == ("shfl", "vote")
    assert program.note == "some note"


def test_last_fields_may_be_left_out(tmp_path: Path) -> None:
    (program,) = read_programs(write(tmp_path, "p\to/r\td\tb\tr\trc=0"))
    assert program.features == ()


def test_clauses() -> None:
    assert parse_clauses("numbers=g~+1") == (Clause("rc", "0"), Clause("numbers", "g", 1.0, absolute=True))
    assert parse_clauses("rc=2;not=a;b|c") == (Clause("rc", "2"), Clause("not", "a;b|c"))


@pytest.mark.parametrize(
    ("line", "message"),
    [
        ("p\to/r\td", "list.tsv:2: error: no field 'build'"),
        ("p\tr\td\tb\tr\thsa=x", "list.tsv:2: error: no clause 'hsa=x'"),
        ("p\tr\td\tb\tr\thas=(", "list.tsv:2: error: '(' is not a regular expression"),
        ("p\tr\td\tb\tr\tnumbers=g", "list.tsv:2: error: no tolerance"),
        ("p\tr\td\tb\tr\trc=x", "list.tsv:2: error: "),
    ],
)
def test_bad_line_is_named(line: str, message: str, tmp_path: Path) -> None:
    with pytest.raises(Diagnostic) as raised:
        read_programs(write(tmp_path, line))
    assert message in str(raised.value)


def test_id_twice(tmp_path: Path) -> None:
    with pytest.raises(Diagnostic, match="these ids are there twice: p"):
        read_programs(write(tmp_path, "p\tr\td\tb\tr\trc=0", "p\tr\td\tb\tr\trc=0"))


def test_missing_list(tmp_path: Path) -> None:
    with pytest.raises(Diagnostic, match="cannot read the list"):
        read_programs(tmp_path / "none.tsv")


def test_select(tmp_path: Path) -> None:
    programs = read_programs(write(tmp_path, *(f"{name}\tr\td\tb\tr\trc=0" for name in ("a-1", "a-2", "b-1"))))
    assert [program.name for program in select(programs, [])] == ["a-1", "a-2", "b-1"]
    assert [program.name for program in select(programs, ["b-1", "a-1"])] == ["a-1", "b-1"]
    assert [program.name for program in select(programs, ["a-*"])] == ["a-1", "a-2"]
    with pytest.raises(Diagnostic, match="no program is called 'c'"):
        select(programs, ["c"])
