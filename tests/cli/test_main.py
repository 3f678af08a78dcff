# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The `warploom` command: dispatch, help, mistakes."""

from __future__ import annotations

import subprocess
import sys

import pytest

from warploom import __version__
from warploom.cli import main as cli


def test_version(capsys: pytest.CaptureFixture[str]) -> None:
    assert cli.main(["--version"]) == 0
    assert capsys.readouterr().out == f"warploom {__version__}\n"


def test_help_lists_every_command(capsys: pytest.CaptureFixture[str]) -> None:
    assert cli.main(["--help"]) == 0
    out = capsys.readouterr().out
    assert all(f"  {name} " in out for name in cli.COMMANDS)


def test_no_command_is_a_usage_error(capsys: pytest.CaptureFixture[str]) -> None:
    assert cli.main([]) == 2
    assert "usage:" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("word", "hint"),
    [("rnu", "did you mean 'run'?"), ("a.cu", "warploom run a.cu"), ("zzz", "warploom --help lists the commands")],
)
def test_unknown_command(word: str, hint: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert cli.main([word]) == 2
    assert capsys.readouterr().err == f"warploom: error: unknown command '{word}'\n  hint: {hint}\n"


def test_help_imports_no_subcommand() -> None:
    code = (
        "import sys; from warploom.cli.main import main; main(['--version']); "
        "print([m for m in sys.modules if m.startswith('warploom.') and m.count('.') > 1 or m == 'argparse'])"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    core = [f"warploom.core.{name}" for name in ("type_names", "digest", "patterns", "records", "garbage")]
    assert done.stdout.splitlines()[-1] == str([*core, "warploom.cli.status", "warploom.cli.main"])
