# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""A user's mistake: what is wrong, where, and what to do about it."""

from __future__ import annotations

from pathlib import Path


class Diagnostic(Exception):
    """A mistake of the user or a lack of the machine: it is shown as one message, never as a traceback.

    `file` and `line` say where (a line counts from 1), `hint` says what to do, `exit_code` is the exit status.
    """

    def __init__(
        self,
        message: str,
        *,
        file: str | Path | None = None,
        line: int | None = None,
        hint: str | None = None,
        exit_code: int = 1,
    ) -> None:
        super().__init__(message)
        self.message = message
        self.file = file
        self.line = line
        self.hint = hint
        self.exit_code = exit_code

    def __str__(self) -> str:
        return format_diagnostic(self)


def format_diagnostic(diagnostic: Diagnostic, *, program: str = "warploom") -> str:
    """`FILE:LINE: error: MESSAGE`, as compilers write it; the hint follows on a line of its own.

    Without a file the name of the program stands in its place.
    """
    place = program
    if diagnostic.file is not None:
        place = str(diagnostic.file) if diagnostic.line is None else f"{diagnostic.file}:{diagnostic.line}"
    text = f"{place}: error: {diagnostic.message}"
    return text if diagnostic.hint is None else f"{text}\n  hint: {diagnostic.hint}"
