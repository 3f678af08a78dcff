# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""`warploom env`: the lines that show build systems this toolkit: `eval "$(warploom env)"`."""

from __future__ import annotations

import argparse
import os
import shlex
from collections.abc import Sequence
from pathlib import Path

from warploom.diagnostics import Diagnostic
from warploom.runtime_library import STATIC_FOLDER, complete_toolkit, is_toolkit
from warploom.toolchain import find_toolchain

# What CMake, PyTorch's extension builder and Makefiles ask for.
ROOTS = ("CUDA_PATH", "CUDA_HOME", "CUDA_ROOT", "CUDAToolkit_ROOT")


def main(argv: Sequence[str]) -> int:
    """Print the lines for a POSIX shell."""
    options = parser().parse_args(argv)
    root: Path | None = options.toolkit
    if root is None:
        root = complete_toolkit(find_toolchain())
    elif not is_toolkit(root):
        raise Diagnostic(f"{root} is no toolkit of Warploom's", hint=f"warploom toolkit --install {root}")
    root = root.absolute()
    for name in ROOTS:
        print(f"export {name}={shlex.quote(str(root))}")
    print(f"export CUDACXX={shlex.quote(str(root / 'bin' / 'nvcc'))}")
    print(f'export PATH={shlex.quote(str(root / "bin"))}{os.pathsep}"$PATH"')
    # For what a host compiler links: it gives programs no place to look for libraries.
    libraries = root / "lib64"
    for name, folder in (("LIBRARY_PATH", libraries / STATIC_FOLDER), ("LD_LIBRARY_PATH", libraries)):
        print(f"export {name}={shlex.quote(str(folder))}" + f'"${{{name}:+:${name}}}"')
    return 0


def parser() -> argparse.ArgumentParser:
    """The command line."""
    made = argparse.ArgumentParser(
        prog="warploom env", description="Print what makes build systems find Warploom as their CUDA toolkit."
    )
    made.add_argument("--toolkit", type=Path, metavar="DIR", help="one that `warploom toolkit --install DIR` has made")
    return made
