# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""A list of programs: tab-separated lines with a heading, one program a line.

The columns are id, repo, dir, build, run, expect, features, note; `expect` holds clauses joined by `;`:

    rc=N           the exit status; 0 where no clause says otherwise
    has=RE         RE matches somewhere in what the program wrote
    not=RE         it does not
    lines=G        stdout equals golden/G.txt, line by line
    sorted=G       every line of golden/G.txt appears in stdout, as often, in any order
    numbers=G~TOL  the numbers in stdout are those of golden/G.txt, each within TOL: relative, or absolute as ~+TOL
"""

from __future__ import annotations

import fnmatch
import re
from collections.abc import Sequence
from pathlib import Path

from warploom.core.records import dataclass
from warploom.diagnostics import Diagnostic

COLUMNS = ("id", "repo", "dir", "build", "run", "expect", "features", "note")
REQUIRED = ("id", "dir", "build", "run", "expect")
CLAUSE_KINDS = ("rc", "has", "not", "lines", "sorted", "numbers")
# A regular expression may hold a `;` of its own: a clause begins where a known name and `=` follow.
CLAUSE_BOUNDARY = re.compile(rf";(?=(?:{'|'.join(CLAUSE_KINDS)})=)")


@dataclass(frozen=True)
class Clause:
    """One demand on a run."""

    kind: str
    text: str  # a number, a regular expression or the name of a golden file
    tolerance: float = 0.0
    absolute: bool = False


@dataclass(frozen=True)
class Program:
    """One line of the list."""

    name: str
    repository: str
    folder: str
    build: str
    run: str
    clauses: tuple[Clause, ...]
    features: tuple[str, ...] = ()
    note: str = ""
    flags: str = ""  # of warpcc, beside those of the build line

    @property
    def title(self) -> str:
        """The name, and the flags that tell it from other builds of the same program."""
        return title_of(self.name, self.flags)


def title_of(name: str, flags: str) -> str:
    """What a build of a program is called in tables."""
    return f"{name} {flags}".rstrip()


def read_programs(path: Path) -> list[Program]:
    """The programs of a list; a Diagnostic with the line for anything that is not in the format."""
    try:
        lines = path.read_text().splitlines()
    except OSError as error:
        raise Diagnostic(f"cannot read the list: {error.strerror}", file=path) from error
    columns: tuple[str, ...] = COLUMNS
    programs: list[Program] = []
    for number, line in enumerate(lines, 1):
        if not line.strip() or line.startswith("#"):
            continue
        fields = line.split("\t")
        if fields[0] == "id":
            columns = tuple(fields)
            continue
        programs.append(read_program(dict(zip(columns, fields, strict=False)), path, number))
    names = [program.name for program in programs]
    twice = sorted({name for name in names if names.count(name) > 1})
    if twice:
        raise Diagnostic(f"these ids are there twice: {', '.join(twice)}", file=path)
    return programs


def read_program(fields: dict[str, str], path: Path, line: int) -> Program:
    """One line, its fields by column."""
    for column in REQUIRED:
        if column not in fields:
            raise Diagnostic(f"no field '{column}'", file=path, line=line, hint=f"columns: {', '.join(COLUMNS)}")
    try:
        clauses = parse_clauses(fields["expect"])
    except ValueError as error:
        raise Diagnostic(str(error), file=path, line=line) from error
    return Program(
        name=fields["id"],
        repository=fields.get("repo", ""),
        folder=fields["dir"],
        build=fields["build"],
        run=fields["run"],
        clauses=clauses,
        features=tuple(filter(None, fields.get("features", "").split(","))),
        note=fields.get("note", ""),
    )


def parse_clauses(text: str) -> tuple[Clause, ...]:
    """The clauses of an `expect` field, an exit status always among them; ValueError names a bad one."""
    clauses = [parse_clause(part) for part in CLAUSE_BOUNDARY.split(text) if part]
    if not any(clause.kind == "rc" for clause in clauses):
        clauses.insert(0, Clause("rc", "0"))
    return tuple(clauses)


def parse_clause(text: str) -> Clause:
    """One clause."""
    kind, equals, rest = text.partition("=")
    if kind not in CLAUSE_KINDS or not equals:
        raise ValueError(f"no clause '{text}': one of {', '.join(CLAUSE_KINDS)}, then = and a value")
    if kind == "rc":
        int(rest)
    if kind in ("has", "not"):
        check_pattern(rest)
    if kind != "numbers":
        return Clause(kind, rest)
    golden, tilde, tolerance = rest.rpartition("~")
    if not tilde:
        raise ValueError(f"no tolerance in '{text}': numbers=GOLDEN~TOLERANCE")
    return Clause(kind, golden, float(tolerance), absolute=tolerance.startswith("+"))


def check_pattern(pattern: str) -> None:
    """ValueError when `pattern` is not a regular expression."""
    try:
        re.compile(pattern)
    except re.error as error:
        raise ValueError(f"'{pattern}' is not a regular expression: {error}") from error


def select(programs: Sequence[Program], globs: Sequence[str]) -> list[Program]:
    """The programs whose name matches one of `globs`; all when there are none. A glob without a match is a mistake."""
    names = set(match_names([program.name for program in programs], globs))
    return [program for program in programs if program.name in names]


def match_names(names: Sequence[str], globs: Sequence[str]) -> list[str]:
    """The names that match one of `globs`; all when there are none. A glob without a match is a mistake."""
    for glob in globs:
        if not any(fnmatch.fnmatchcase(name, glob) for name in names):
            raise Diagnostic(f"--only: no program is called '{glob}'", exit_code=2)
    return [name for name in names if not globs or any(fnmatch.fnmatchcase(name, glob) for glob in globs)]
