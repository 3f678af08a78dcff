# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Precompiled CUDA headers: the second file with the same flags reads them in 30 ms instead of 220.

A precompiled header belongs to one set of flags and to the files it was made of. It is made when a set of flags is seen
for the second time, so that a single compilation never pays for it, and dropped when one of its files has changed.
"""

from __future__ import annotations

import os
from collections.abc import Sequence
from pathlib import Path

from warploom.cache import cached_entry, content_key, entry_path, package_key
from warploom.frontend.dependencies import parse_dependencies
from warploom.scratch import remove_tree
from warploom.toolchain import run_tool

KIND, SEEN = "header", "header-flags"


class PrecompiledHeaderError(Exception):
    """The header does not precompile with these flags: the source will say why."""


def header_flags(command: Sequence[str], header: Path) -> list[str]:
    """What to put before the source so that `header` is included first: precompiled when there is one.

    `command` is the compiler with every flag of the pass but those that name the source and the output.
    """
    plain = ["-include", str(header)]
    key = content_key(package_key(), str(header), *command)
    made = entry_path(KIND, key)
    if made.is_dir() and not _is_current(made):
        remove_tree(made)
    if not made.is_dir():
        if not entry_path(SEEN, key).is_dir():
            cached_entry(SEEN, key, _leave_empty)
            return plain
        try:
            cached_entry(KIND, key, lambda folder: _make(folder, command, header))
        except PrecompiledHeaderError:
            return plain
    return ["-Xclang", "-include-pch", "-Xclang", str(made / "header.pch")]


def _leave_empty(_folder: Path) -> None:
    """The entry says by being there that its flags were seen."""


def _make(folder: Path, command: Sequence[str], header: Path) -> None:
    made, dependencies = folder / "header.pch", folder / "header.d"
    # clang looks for the main file again at each use: it must stay where it is.
    source = header.parent / "warploom" / "precompiled.cu"
    output = ["-c", str(source), "-o", str(made), "-Xclang", "-emit-pch", "-MD", "-MF", str(dependencies)]
    if run_tool([*command, *output]).returncode != 0:
        raise PrecompiledHeaderError
    from warploom.frontend.deferred_checks import drop_deferred_checks  # here alone: few processes make a header

    drop_deferred_checks(made)
    files = parse_dependencies(dependencies.read_text())
    text = "".join(f"{path}\0{_stamp(path)}\0" for path in files)
    (folder / "files").write_text(text, errors="surrogateescape")


def _is_current(made: Path) -> bool:
    """Whether every file that the header was made of is as it was."""
    files = (made / "files").read_text(errors="surrogateescape").split("\0")[:-1]
    return all(_stamp(path) == stamp for path, stamp in zip(files[::2], files[1::2], strict=True))


def _stamp(path: str | Path) -> str:
    """When a file was changed, and its size."""
    try:
        found = os.stat(path)  # noqa: PTH116 - of some hundred files, at every compilation
    except OSError:
        return ""
    return f"{found.st_mtime_ns} {found.st_size}"
