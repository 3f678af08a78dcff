# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""`warploom toolkit`: the folder that build systems take for a CUDA toolkit, or a copy at a place of your own."""

from __future__ import annotations

import argparse
from collections.abc import Sequence
from pathlib import Path

from warploom.diagnostics import Diagnostic
from warploom.runtime_library import complete_toolkit, install_toolkit, is_toolkit
from warploom.toolchain import find_toolchain


def main(argv: Sequence[str]) -> int:
    """Print where the toolkit is, after copying it with --install."""
    options = parser().parse_args(argv)
    if options.install is None:
        print(complete_toolkit(find_toolchain()))
        return 0
    folder: Path = options.install
    if folder.exists() and not is_toolkit(folder) and (not folder.is_dir() or any(folder.iterdir())):
        raise Diagnostic(f"{folder} is there already, and no toolkit of Warploom's", hint="name a new folder")
    try:
        install_toolkit(find_toolchain(), folder)
    except OSError as error:
        raise Diagnostic(
            f"the toolkit cannot be copied: {error}", hint="name a folder that you may write to"
        ) from error
    print(folder.absolute())
    return 0


def parser() -> argparse.ArgumentParser:
    """The command line."""
    made = argparse.ArgumentParser(prog="warploom toolkit", description="Print where the CUDA toolkit folder is.")
    made.add_argument(
        "--install", type=Path, metavar="DIR", help="copy it to DIR first, where it stays and others see it"
    )
    return made
