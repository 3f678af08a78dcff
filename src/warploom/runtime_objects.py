# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Objects of the C++ sources of the runtime and of the libraries beside it: each is compiled once for its content."""

from __future__ import annotations

import os
import re
from collections import Counter
from collections.abc import Sequence
from functools import cache
from pathlib import Path

from warploom.cache import MAKE_ROOM, cached_entry, content_key, entry_path
from warploom.core.records import dataclass
from warploom.diagnostics import Diagnostic
from warploom.frontend.passes import INCLUDE
from warploom.progress import Progress
from warploom.toolchain import Toolchain, run_tool

SOURCES = Path(__file__).resolve().parent / "runtime"
SUFFIXES = (".cpp", ".S")
# Programs find the library when they are loaded, or soon: its few thread-local variables have their place by then.
_FLAGS = (
    "-std=c++20", "-O2", "-g1", "-gdwarf-4", "-fPIC", "-fvisibility=hidden", "-ftls-model=initial-exec", "-Wall",
    "-Wextra", "-fno-math-errno", "-ffunction-sections", "-fdata-sections",
)  # fmt: skip
# A header is what it says: a compiler that was installed again has the same ones at other times.
_BY_CONTENT = "-fpch-validate-input-files-content"
# Nearly every source includes most of these; reading them once makes the build four times as fast.
_STANDARD_HEADERS = (
    "algorithm", "array", "atomic", "bit", "chrono", "cmath", "condition_variable", "cstdint", "cstdio", "cstdlib",
    "cstring", "functional", "map", "memory", "mutex", "optional", "set", "string", "string_view", "thread",
    "unordered_map", "unordered_set", "utility", "vector",
)  # fmt: skip

_FULL = "No space left on device"


@dataclass(frozen=True)
class Source:
    """A source file, and what else the compiler is told of it."""

    path: Path
    flags: tuple[str, ...] = ()


def object_key(toolchain: Toolchain, source: Source) -> str:
    """Changes with a source file, what it includes of ours, and how it is compiled."""
    return _object_key(toolchain, source)


@cache
def _object_key(toolchain: Toolchain, source: Source) -> str:
    contents = [_content(path) for path in sorted(_included(source.path))]
    tool = (str(toolchain.clang.resolve()), toolchain.version, *toolchain.cxx_flags)
    return content_key(*tool, *_FLAGS, *source.flags, *contents)


def _included(source: Path) -> set[Path]:
    """`source` and every file of this package that it includes, directly or not."""
    seen: set[Path] = set()
    work = [source]
    while work:
        path = work.pop()
        if path in seen:
            continue
        seen.add(path)
        for name in _includes(path):
            candidates = (path.parent / name, SOURCES / name, INCLUDE / name)
            work += [found.resolve() for found in candidates if found.is_file()]
    return seen


@cache
def _content(path: Path) -> bytes:
    return path.read_bytes()


@cache
def _includes(path: Path) -> list[str]:
    return [
        name.decode()
        for name in re.findall(rb'^[ \t]*(?:#[ \t]*include|\.incbin)[ \t]*[<"]([^">]+)[">]', _content(path), re.M)
    ]


def compile_objects(toolchain: Toolchain, sources: Sequence[Source], what: str) -> list[Path]:
    """The objects of all sources, compiled side by side; says on stderr that `what` is being built, and how far."""
    from concurrent.futures import ThreadPoolExecutor  # seldom needed, slow to load

    missing = sum(not entry_path("object", object_key(toolchain, source)).is_dir() for source in sources)
    progress = Progress(f"building {what}, once", missing)
    pool = ThreadPoolExecutor(max_workers=len(os.sched_getaffinity(0)))
    try:
        flags = Counter(source.flags for source in sources if source.path.suffix == ".cpp")
        headers = {each: _standard_headers(toolchain, each) for each, count in flags.items() if count > 1}
        compiled = [pool.submit(_object, toolchain, source, headers.get(source.flags), progress) for source in sources]
        return [each.result() for each in compiled]
    finally:  # an interrupt waits for the compilations that run, and starts no other
        pool.shutdown(cancel_futures=True)
        progress.end()


def _object(toolchain: Toolchain, source: Source, headers: Path | None, progress: Progress) -> Path:
    """The object of one source file, compiled when the cache has none; `headers`: the standard ones, precompiled."""
    includes = ["-I", SOURCES, "-I", INCLUDE]

    def compile_into(folder: Path) -> None:
        command: list[str | Path] = [toolchain.clang, *toolchain.cxx_flags, *_FLAGS, *source.flags, *includes]
        command += ["-c", source.path, "-o", folder / "object.o"]
        standard = headers if source.path.suffix == ".cpp" else None
        # Headers that were changed since, as by an upgrade of the system, are read anew.
        if standard is None or run_tool([*command, _BY_CONTENT, "-include-pch", standard]).returncode != 0:
            run_build(command)
        progress.step()

    return cached_entry("object", object_key(toolchain, source), compile_into) / "object.o"


def _standard_headers(toolchain: Toolchain, flags: tuple[str, ...]) -> Path:
    """The standard library's headers for sources with these flags, precompiled when the cache has none."""
    named = [word for name in _STANDARD_HEADERS for word in ("-include", name)]

    def compile_into(folder: Path) -> None:
        header = [_BY_CONTENT, "-x", "c++-header", os.devnull, "-o", folder / "standard.pch"]
        run_build([toolchain.clang, *toolchain.cxx_flags, *_FLAGS, *flags, *named, *header])

    given = (*toolchain.cxx_flags, *_FLAGS, *flags, _BY_CONTENT)
    key = content_key(str(toolchain.clang.resolve()), toolchain.version, *given, *named)
    return cached_entry("runtime-headers", key, compile_into) / "standard.pch"


def run_build(command: list[str | Path]) -> None:
    """Run one tool of the build."""
    result = run_tool(command)
    if result.returncode != 0:
        raise Diagnostic(
            f"the runtime does not build:\n{result.stderr}",
            hint=MAKE_ROOM if _FULL in result.stderr else "run `warploom doctor`: it says what the machine lacks",
        )
