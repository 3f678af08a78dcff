# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""`python -m warploom.run script.py`: run a program that was written for CuPy, PyCUDA, numba.cuda or cuda.core, where
these packages are not installed."""

from __future__ import annotations

import argparse
import runpy
import sys
from collections.abc import Sequence
from pathlib import Path

from warploom.compat import hook


def main(argv: Sequence[str] | None = None) -> None:
    """Run the program that the arguments name."""
    parser = argparse.ArgumentParser(prog="python -m warploom.run", description=__doc__)
    parser.add_argument("--replace", default="", metavar="NAMES", help="stand in for these packages though they are "
                        "installed: " + ", ".join(hook.STANDS_FOR))  # fmt: skip
    parser.add_argument("--list", action="store_true", help="say which packages are stood in for, and end")
    parser.add_argument("-m", dest="is_module", action="store_true", help="PROGRAM is a module")
    parser.add_argument("program", nargs="?")
    parser.add_argument("arguments", nargs=argparse.REMAINDER)
    given = parser.parse_args(argv)
    try:
        names = hook.install([name for name in given.replace.split(",") if name])
    except ValueError as error:
        parser.error(str(error))
    if given.list:
        print("\n".join(f"{name}: warploom.compat.{hook.STANDS_FOR[name]}" for name in names))
        return
    if given.program is None:
        parser.error("a program is wanted")
    sys.argv = [given.program, *given.arguments]
    if given.is_module:
        sys.path.insert(0, str(Path.cwd()))
        runpy.run_module(given.program, run_name="__main__", alter_sys=True)
        return
    if not Path(given.program).exists():
        parser.error(f"there is no file '{given.program}'")
    sys.path.insert(0, str(Path(given.program).resolve().parent))
    runpy.run_path(given.program, run_name="__main__")


if __name__ == "__main__":
    main()
