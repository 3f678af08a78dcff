# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""How a user's mistake is shown."""

from pathlib import Path

from warploom.diagnostics import Diagnostic, format_diagnostic


def test_place_and_hint() -> None:
    diagnostic = Diagnostic("bad", file=Path("a.cu"), line=3, hint="do good")
    assert format_diagnostic(diagnostic) == "a.cu:3: error: bad\n  hint: do good"
    assert str(diagnostic) == format_diagnostic(diagnostic)


def test_file_without_line() -> None:
    assert format_diagnostic(Diagnostic("no such file", file="a.cu")) == "a.cu: error: no such file"


def test_without_a_file_the_program_is_named() -> None:
    diagnostic = Diagnostic("bad", exit_code=2)
    assert format_diagnostic(diagnostic) == "warploom: error: bad"
    assert format_diagnostic(diagnostic, program="warpcc") == "warpcc: error: bad"
    assert diagnostic.exit_code == 2
