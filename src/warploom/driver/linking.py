# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""From objects to programs, libraries and archives."""

from __future__ import annotations

import shutil
import sys
from collections.abc import Sequence
from pathlib import Path

from warploom.core.patterns import regex
from warploom.diagnostics import Diagnostic
from warploom.driver.driver import Driver
from warploom.host_libraries import named_library, provide
from warploom.runtime_library import ALIASES, STATIC_FOLDER, link_flags, toolkit

# What a program links for on a machine with a GPU, and libwarploom provides.
PROVIDED_LIBRARIES = frozenset(f"-l{alias}" for alias in ALIASES)
# CUDA libraries that do not exist here: a program may name one and use only its headers. What it calls of one is then
# an undefined symbol, which the linker names.
ABSENT_LIBRARIES = frozenset(
    f"-l{name}{kind}"
    for name in (
        "cufftw", "cusolverMg", "nvperf_host", "nvperf_target",
    )
    for kind in ("", "_static")
)  # fmt: skip

# LLVM's OpenMP library under its two names, and gcc's, whose functions LLVM's has, too: a process gets one of them.
OPENMP_LIBRARIES = frozenset(("-lomp", "-liomp5", "-lgomp"))
_ONLY_COMPILING = regex(r"-(?:[DIUO]|std|W(?!l,))")


def link(driver: Driver, files: dict[str, str], output: Path) -> None:
    """Link objects and libraries; `files` maps inputs to the objects compiled from them."""
    words: list[str] = []
    for word in driver.line.linker_flags:
        if word in ABSENT_LIBRARIES:
            driver.note(f"{word} is left out: Warploom has no such library yet")
        elif word not in PROVIDED_LIBRARIES and word not in OPENMP_LIBRARIES:
            library = None if word in files else named_library(word)
            words.append(f"-l{library.name}" if library is not None else files.get(word, word))
    words += openmp_libraries(driver, words)
    words += driver.flags.host_compiler[1]
    host_flags = [flag for flag in driver.flags.host() if not _ONLY_COMPILING.match(flag)]
    kind = ["-shared"] if driver.line.shared else ["-r", "-nostdlib"] if driver.line.relocatable_link else []
    debug = ["-g"] if driver.line.debug else []
    if "-ltbb" in words and driver.toolchain.tbb_lib is not None:  # for Thrust's TBB system
        words += [f"-L{driver.toolchain.tbb_lib}", f"-Wl,-rpath,{driver.toolchain.tbb_lib}"]
    is_whole = not driver.line.relocatable_link
    libraries = any(named_library(word) is not None for word in words)
    static = driver.line.cudart == "static"
    runtime = link_flags(driver.toolchain, static=static, libraries=libraries) if is_whole else []
    system = ["-lpthread", "-ldl", "-lm"] if is_whole else []
    arguments = [
        *driver.toolchain.link_flags, *kind, *debug, *host_flags, *words, *runtime, *system, "-o", str(output),
    ]  # fmt: skip
    lib = toolkit(driver.toolchain) / "lib64"
    if not driver.line.dry_run:
        provide(words, driver.toolchain, lib)
    # Shown under warpcc's own name: CMake reads from this line what links CUDA programs, and calls that. It has
    # the host compiler link what is C++, too, with the runtime that is named here.
    named = ["-lcudart_static" if word == "-lwarploom" else word for word in arguments]
    driver.show([str(lib.parent / "bin" / "nvcc"), *named])
    if driver.line.verbose:
        # As a linker's line: where CMake then has C++ compilers find the libraries that programs of C++ and CUDA get.
        print(f' ld "-L{lib / STATIC_FOLDER}" {output}', file=sys.stderr)
    if not driver.line.dry_run:
        with driver.times.step("", "ld", words, output):
            driver.call([str(driver.toolchain.clang), *arguments])


def openmp_libraries(driver: Driver, words: Sequence[str]) -> Sequence[str]:
    """What OpenMP's functions come from, for `-fopenmp` where it is ignored and for a library named by hand."""
    named = [word for word in driver.line.linker_flags if word in OPENMP_LIBRARIES]
    if not named and "-fopenmp" not in driver.line.host_flags:
        return ()
    flags = driver.toolchain.openmp_flags
    if flags is None:
        folders = [*driver.toolchain.library_folders, *(Path(word[2:]) for word in words if word.startswith("-L"))]
        found = [word for word in named if any((folder / f"lib{word[2:]}.so").exists() for folder in folders)]
        return found[:1] or driver.toolchain.openmp_functions
    return () if "-fopenmp" in driver.line.host_flags else flags


def archive(driver: Driver, objects: Sequence[str], output: Path) -> None:
    """-lib: a static library."""
    archiver = (
        driver.line.archiver
        or driver.toolchain.cross_tool("ar")
        or shutil.which(f"llvm-ar-{driver.toolchain.major}")
        or shutil.which("llvm-ar")
    )
    if archiver is None:
        raise Diagnostic("no archiver found", hint="install binutils (apt-get install binutils)")
    output.unlink(missing_ok=True)
    with driver.times.step("", "ar", objects, output):
        driver.tool([archiver, "rcs", *driver.line.archive_flags, str(output), *objects])


def device_link(driver: Driver, output: Path) -> None:
    """-dlink: device symbols are ordinary symbols here, which the final link resolves; the object holds nothing."""
    with driver.scratch(output) as folder:
        empty = folder / "empty.c"
        empty.write_text("")
        clang = str(driver.toolchain.clang)
        driver.tool([clang, *driver.toolchain.target.flags, "-x", "c", "-fPIC", "-c", str(empty), "-o", str(output)])
