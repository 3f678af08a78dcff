# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The keyword `template` where C++ asks for it and nvcc does not.

    convert<T>::apply<4>(x)          ==>    convert<T>::template apply<4>(x)
    fragment.rows<N>()               ==>    fragment.template rows<N>()

Before it is known what T is, `apply<4>(x)` may be two comparisons, and to clang it is; nvcc takes it for a call of a
member template. clang's errors say where: either the parser asks for the keyword, or, later, a template was
instantiated whose comparison cannot be one. The files are left as they are. clang reads copies with the keyword put in,
through an overlay of its file system, under the files' own names and with the same lines.

    kernel << <grid, block >> >(x)   ==>    kernel <<< grid, block >>> (x)

The brackets of a launch are one word each for clang, and some formatters of source text write two. Such pairs mean
nothing else in C++, so that the first error about one joins all of the file.

    kernel<<<grid, {16, 16}>>>(x)    ==>    kernel<<<grid, dim3{16, 16}>>>(x)

What stands between the brackets is a list of expressions for clang, and of arguments for nvcc.

    a + \\ // comment                ==>    a + // comment

A backslash before a comment continues the line for nvcc, which takes comments out first, and is a stray word for clang.

    __host__ __device__ int f();  int f() { ... }
        ==>    __host__ __device__ int f();  int __host__ __device__ f() { ... }

For nvcc a function that one declaration is for both sides, is so in all; for clang these are two functions that cannot
be overloads of each other. Here the later declaration was the one without; where it is the earlier one, that gets it.
"""

from __future__ import annotations

import os
import re
from collections.abc import Iterator
from pathlib import Path

from warploom.core.patterns import regex
from warploom.core.records import dataclass, field

MOST_ROUNDS = 16  # each ends at the errors of one phase of clang
_WHERE = r"^(?P<file>[^\n:]+):(?P<line>\d+):(?P<column>\d+): error: "
_ASKED = regex(_WHERE + r"use 'template' keyword to treat '(?P<name>\w+)' as", re.MULTILINE)
_MISSED = regex(_WHERE + r"missing 'template' keyword prior to dependent template name '(?P<name>\w+)'", re.MULTILINE)
_COMPARED = regex(
    _WHERE + r"reference to (?:overloaded function could not be resolved|non-static member function must be called)",
    re.MULTILINE,
)
_BOTH_SIDES = "__host__ __device__"
_ONE_SIDE = "(?:__host__|__device__)"
_NAME = r"function '(?P<name>[^'\n]+)'"
# The declaration for one side: where the error is, or where the note behind it says.
_LATER = regex(_WHERE + rf"{_ONE_SIDE} {_NAME} cannot overload {_BOTH_SIDES} function", re.MULTILINE)
_EARLIER = regex(
    rf"error: {_BOTH_SIDES} {_NAME} cannot overload {_ONE_SIDE} function(?:.*\n(?!.*: error: ))*?"
    r"(?P<file>[^\n:]+):(?P<line>\d+):(?P<column>\d+): note: previous declaration is here"
)
_SCOPES = regex(r"(?:\w+\s*(?:<(?:[^<>]|<[^<>]*>)*>\s*)?::\s*)+$")  # in front of a declared name
_EXPECTED = regex(_WHERE + r"expected expression", re.MULTILINE)
_LOOSE_TEXT = rb"<<(\s+)<|<(\s+)<<|>>(\s+)>|>(\s+)>>"
_LOOSE = regex(_LOOSE_TEXT)
_LOOSE_OR_STRING = regex(rb'"(?:\\.|[^"\\])*"|' + _LOOSE_TEXT)
_CONTINUED = regex(rb"(?P<word>\\)(?=[ \t]*//)")
_BRACED = regex(rb"(?:<<<|,)\s*(?P<word>\{)")
_MEMBER = regex(r"(?:::|\.|->)\s*(?=(?P<name>[A-Za-z_]\w*))")
_CALL = regex(r"(?:::|\.|->)\s*(?=(?P<name>[A-Za-z_]\w*)\s*<[^;<>]*>\s*\()")


@dataclass(slots=True)
class TemplateKeywords:
    """The places where the keyword is put in, and the copies of the files, in `folder`."""

    folder: Path
    # What is put in, by file, line and column
    places: dict[Path, dict[int, dict[int, str]]] = field(default_factory=dict[Path, dict[int, dict[int, str]]])
    loose: set[Path] = field(default_factory=set[Path])  # whose launches have spaces in their brackets
    # Line and column of each backslash before a comment
    continued: dict[Path, set[tuple[int, int]]] = field(default_factory=dict[Path, set[tuple[int, int]]])
    rounds: int = 0

    def flags(self) -> list[str]:
        """What makes clang read the copies."""
        return ["-ivfsoverlay", str(self._overlay())] if self.places else []

    def _loose_launches(self, messages: str) -> Iterator[Path]:
        """The files with errors at brackets of a launch that have spaces in them."""
        for match in _EXPECTED.finditer(messages):
            file = Path(match["file"]).resolve()
            if file not in self.loose and _LOOSE.search(_line_of(file, int(match["line"]))):
                yield file

    def _at(self, messages: str, meant: re.Pattern[bytes]) -> Iterator[tuple[Path, int, int]]:
        """File, line and column of the errors about a word that `meant` finds there, and that is not mended yet."""
        for match in _EXPECTED.finditer(messages):
            file, line = Path(match["file"]).resolve(), int(match["line"])
            column = self._column_before(file, line, int(match["column"]) - 1)
            mended = (line, column) in self.continued.get(file, ()) or column in self.places.get(file, {}).get(line, {})
            if not mended and any(found.start("word") == column for found in meant.finditer(_line_of(file, line))):
                yield file, line, column

    def learn(self, messages: str) -> list[str]:
        """Put the keyword in where the errors of clang ask for it; a line for the user about each, none when they do
        not, or when it would never end."""
        self.rounds += 1
        if self.rounds > MOST_ROUNDS:
            return []
        notes: list[str] = []
        for file, line, column, name in self._wanted(messages):
            columns = self.places.setdefault(file, {}).setdefault(line, {})
            if column not in columns:
                columns[column] = "template "
                notes.append(f"{os.path.relpath(file)}:{line}: 'template' put in before '{name}', as C++ asks for it")
        for file, line, column, name in self._one_sided(messages):
            columns = self.places.setdefault(file, {}).setdefault(line, {})
            if column not in columns:
                columns[column] = f"{_BOTH_SIDES} "
                read = f"'{name}' is read as {_BOTH_SIDES}, as another declaration says"
                notes.append(f"{os.path.relpath(file)}:{line}: {read}")
        for file in self._loose_launches(messages):
            self.loose.add(file)
            self.places.setdefault(file, {})
            notes.append(f"{os.path.relpath(file)}: '<< <' and '>> >' are read as '<<<' and '>>>'")
        for file, line, column in self._at(messages, _BRACED):
            if b"<<<" not in _line_of(file, line)[:column]:
                continue
            self.places.setdefault(file, {}).setdefault(line, {})[column] = "dim3"
            notes.append(f"{os.path.relpath(file)}:{line}: '{{' in a launch is read as 'dim3{{'")
        for file, line, column in self._at(messages, _CONTINUED):
            self.continued.setdefault(file, set()).add((line, column))
            self.places.setdefault(file, {})
            notes.append(f"{os.path.relpath(file)}:{line}: the backslash before a comment is left out, as by nvcc")
        if notes:
            self._write()
        return notes

    def _wanted(self, messages: str) -> Iterator[tuple[Path, int, int, str]]:
        """File, line and column (from 0, in the file as it is) of each place, and the template's name."""
        for pattern in (_ASKED, _MISSED, _COMPARED):
            for match in pattern.finditer(messages):
                file, line = Path(match["file"]).resolve(), int(match["line"])
                text = _line_of(file, line)
                column = self._column_before(file, line, int(match["column"]) - 1)
                place = _place(text, column, match.groupdict().get("name"))
                if place is not None:
                    yield file, line, *place

    def _one_sided(self, messages: str) -> Iterator[tuple[Path, int, int, str]]:
        """File, line and column of each declared name that lacks what another declaration says, and the name."""
        for pattern in (_LATER, _EARLIER):
            for match in pattern.finditer(messages):
                file, line = Path(match["file"]).resolve(), int(match["line"])
                column = self._column_before(file, line, int(match["column"]) - 1)
                text = _line_of(file, line)[:column].decode("latin-1")
                if text or column == 0:
                    scopes = _SCOPES.search(text)
                    yield file, line, scopes.start() if scopes else len(text), match["name"]

    def _column_before(self, file: Path, line: int, column: int) -> int:
        """A column of the copy as one of the file."""
        for place, word in sorted(self.places.get(file, {}).get(line, {}).items()):
            if column > place:
                column = max(place, column - len(word))
        return column

    def _copy(self, file: Path) -> Path:
        return self.folder / f"template.{list(self.places).index(file)}"

    def _overlay(self) -> Path:
        return self.folder / "template.yaml"

    def _write(self) -> None:
        for file, lines in self.places.items():
            text = file.read_bytes().split(b"\n")
            for line, column in self.continued.get(file, ()):
                text[line - 1] = text[line - 1][:column] + b" " + text[line - 1][column + 1 :]
            for line, columns in lines.items():
                for column, word in sorted(columns.items(), reverse=True):
                    text[line - 1] = text[line - 1][:column] + word.encode() + text[line - 1][column:]
            if file in self.loose:
                text = [_LOOSE_OR_STRING.sub(_joined, line) for line in text]
            self._copy(file).write_bytes(b"\n".join(text))
        roots = [
            {"type": "file", "name": str(file), "external-contents": str(self._copy(file))} for file in self.places
        ]
        overlay = {"version": 0, "use-external-names": False, "roots": roots}
        from json import dumps

        self._overlay().write_text(dumps(overlay))


def _joined(loose: re.Match[bytes]) -> bytes:
    """The bracket as one word, and as many spaces behind it as were in it; a string as it is."""
    if loose[0].startswith(b'"'):
        return loose[0]
    return loose[0][:1] * 3 + b"".join(space for space in loose.groups() if space)


def _line_of(file: Path, line: int) -> bytes:
    """A line of a file; nothing where there is no such file, as for text that has none."""
    try:
        return file.read_bytes().split(b"\n")[line - 1]
    except (OSError, IndexError):
        return b""


def _place(text: bytes, column: int, name: str | None) -> tuple[int, str] | None:
    """Where in the line the keyword goes: before `name`, which ends at `column` or comes after it; without a name,
    before the first call of what looks like a member template. Columns of clang are bytes."""
    line = text.decode("latin-1")
    if name is not None and line[:column].rstrip().endswith(name):
        return line[:column].rindex(name), name
    pattern = _CALL if name is None else _MEMBER
    for match in pattern.finditer(line, max(0, column - 2)):  # the column is the name's where there is an object
        if name in (None, match["name"]):
            return match.end(), match["name"]
    return None
