# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""`-ccbin mpicxx`: the flags that a wrapper of MPI adds, for clang in its compiler's place."""

from __future__ import annotations

import shlex
import shutil
from pathlib import Path

from warploom.core.patterns import regex
from warploom.diagnostics import Diagnostic
from warploom.toolchain import run_tool

_WRAPPER = regex(r"mpi(?:c\+\+|cxx|CC|cc|icpc|icpx|icc|gcc|gxx)\b.*")
_COMPILER = regex(r"(?:.*-)?(?:g\+\+|gcc|c\+\+|cc|clang|clang\+\+|icpx|icpc|icx|nvc\+\+)(?:-[\d.]+)?")
_COMPILING, _LINKING = regex(r"-[ID].*|-isystem.*|-pthread"), regex(r"-[Ll].*|-Wl,.*|-pthread|/.*\.(?:so|a)")


def flags_of(compiler: str) -> tuple[list[str], list[str]]:
    """The flags for compiling and for linking that the host compiler `compiler` adds; none, where it is no wrapper.

    MPICH and Intel's MPI tell them by -show, Open MPI by --showme. A Diagnostic where a wrapper tells nothing.
    """
    if not _WRAPPER.fullmatch(Path(compiler).name):
        return [], []
    program = shutil.which(compiler)
    if program is None:
        raise Diagnostic(f"'-ccbin {compiler}' is not found", hint="install MPI, or name the wrapper with its folder")
    for question in ("-show", "--showme"):
        told = run_tool([program, question])
        words = shlex.split(told.stdout) if told.returncode == 0 else []
        if len(words) > 1:
            compiling = [word for word in words[1:] if _COMPILING.fullmatch(word)]
            return compiling, [word for word in words[1:] if _LINKING.fullmatch(word)]
    raise Diagnostic(f"'-ccbin {compiler}' does not tell its flags", hint="give them by -I, -L and -l, without -ccbin")


def is_ordinary(compiler: str) -> bool:
    """Whether `compiler` adds nothing that would be missed: a compiler under its usual name, or a folder with one."""
    return bool(_COMPILER.fullmatch(Path(compiler).name)) or Path(compiler).is_dir()
