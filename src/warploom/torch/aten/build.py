# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""libwarploom_aten.so: ATen's CUDA kernels and their registration, in a folder of the user's Python packages.

    SOURCE/aten/src/ATen/native/cuda/X.cu --warpcc--> object --.
    torchgen --> UfuncCUDA_X.cu ----------warpcc--> object ----+--> warploom_aten/libwarploom_aten.so
    torchgen --> RegisterCUDA.cpp, native/aten/*.cpp --clang---'    warploom_aten/about.json, files.tsv, LICENSE

Each object is kept in the cache by its content, so that a build that was ended goes on where it was. A file that does
not compile, or that needs what no library has, is told, and left out. Registered are the operators whose kernel is in
an object, or in libtorch_cpu behind a dispatch stub that an object gives a kernel; others stay on the CPU backend.

Nothing in the folder depends on where it lies, or on where PyTorch and Warploom do: wheel.py takes it elsewhere.
"""

from __future__ import annotations

import json
import os
import shutil
import site
import subprocess
import sys
import sysconfig
import tempfile
from collections.abc import Callable, Collection, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from functools import cache as once
from pathlib import Path

from warploom.cache import PACKAGE, cached_entry, content_key, entry_path
from warploom.core.records import dataclass, replace
from warploom.cpu import missing_features
from warploom.diagnostics import Diagnostic
from warploom.progress import Progress
from warploom.runtime_library import platform_tag
from warploom.scratch import temporary_folder
from warploom.toolchain import Toolchain, find_toolchain, run_tool
from warploom.torch.aten.stubs import kernels_behind, registered_stubs
from warploom.torch.aten.symbols import kernels_among, linkable, symbols_of
from warploom.torch.aten.units import ATEN_FOLDER, CUDA_FOLDER, Unit
from warploom.torch.build import (
    FLAGS,
    NATIVE,
    Built,
    build,
    compile_command,
    device_key,
    jobs,
    link,
    object_versions,
)
from warploom.torch.install import OFF, Installed
from warploom.version import VERSION

FOLDER = "warploom_aten"  # among the packages of a Python
LIBRARY = "libwarploom_aten.so"
ABOUT = "about.json"
FILES = "files.tsv"
LICENSE = "LICENSE"  # PyTorch's, which goes with what is compiled of it
TYPES = (
    "Float",
    "Double",
    "Half",
    "BFloat16",
    "Int",
    "Long",
    "Bool",
)  # that kernels are compiled for, as c10 names them
ALL_TYPES = (
    *TYPES, "Byte", "Char", "Short", "UInt16", "UInt32", "UInt64", "ComplexHalf", "ComplexFloat", "ComplexDouble",
    "Float8_e5m2", "Float8_e4m3fn", "Float8_e5m2fnuz", "Float8_e4m3fnuz", "Float8_e8m0fnu",
)  # fmt: skip
_OWN = NATIVE / "aten"
_AGAIN = "`warploom torch build-aten` makes them again; until then these operators run on the CPU backend"
_NATIVE_SOURCES = ("launches.cpp",)
# As PyTorch's own build has them, without its kernels that are compiled when they run.
_FLAGS = (
    "-std=c++20", "-O2", "-w", "-DNDEBUG", "-DUSE_CUDA", "-DTORCH_CUDA_BUILD_MAIN_LIB", "-DAT_DISABLE_JITERATOR",
    "-DCUDA_HAS_FP16=1", "-DCUB_WRAPPED_NAMESPACE=at_cuda_detail",
    "-D__CUDA_NO_HALF_OPERATORS__", "-D__CUDA_NO_HALF_CONVERSIONS__",
    "-D__CUDA_NO_BFLOAT16_CONVERSIONS__", "-D__CUDA_NO_HALF2_OPERATORS__", "-D_GLIBCXX_USE_CXX11_ABI=1",
    "--expt-relaxed-constexpr", "--expt-extended-lambda", "-Xcompiler", "-fPIC",
)  # fmt: skip
_NEEDED = ("libwarploom.so",)  # of the toolkit
# What the linker, --wrap and the C library's static part define.
_IMPLIED = frozenset({
    "_GLOBAL_OFFSET_TABLE_", "__dso_handle", "__tls_get_addr", "__real_cudaLaunchKernel", "__real_cudaLaunch",
    "atexit", "pthread_atfork",
})  # fmt: skip
_symbols_of = once(symbols_of)  # of libraries and of the cache's objects, which stay as they are while this runs
_TORCHGENS = "_ZN2at4cuda"  # the namespace of what torchgen writes
_UNREAD = ("torch", "runtime", "compat", "fuzz", "measure", "suite", "prebuilt")  # of this package: not the compiler


@dataclass(frozen=True)
class Sources:
    """PyTorch's sources as the user has them."""

    folder: Path
    release: str  # "2.13.0"


@dataclass(frozen=True)
class Compiled:
    """What became of a unit."""

    unit: Unit
    made: Path | None
    error: str  # what the compiler or the linker lacks where there is no object, or none that links
    seconds: float = 0.0  # of a processor
    memory: int = 0  # bytes, of its largest process


@dataclass(frozen=True)
class Wanted:
    """What to compile."""

    units: Sequence[Unit]
    types: Sequence[str]  # of TYPES and ALL_TYPES
    cpu: str  # that warpcc compiles for
    folder: Path  # where the library goes
    tell: Callable[[Compiled], None] = lambda _: None  # of each file, when it is done


def find_sources(folder: Path, torch: Installed, *, other_release: bool) -> Sources:
    """The sources in `folder`; a Diagnostic where there are none, or, unless `other_release`, those of another
    release than the PyTorch that is installed: its kernels are compiled against that one's headers."""
    if not (folder / ATEN_FOLDER / CUDA_FOLDER).is_dir():
        raise Diagnostic(
            f"{folder} has no {ATEN_FOLDER}/{CUDA_FOLDER}: it is not a folder of PyTorch's sources",
            hint=f"git clone --depth 1 --branch v{torch.release} of PyTorch's repository",
        )
    try:
        release = (folder / "version.txt").read_text().strip()
    except OSError:
        release = "unknown"
    plain = release.partition("a0")[0].partition("+")[0]
    if plain != torch.release and not other_release:
        raise Diagnostic(
            f"{folder} has the sources of PyTorch {release}, but {torch.release} is installed",
            hint=f"take the sources of v{torch.release}; --other-release compiles these all the same, for trials",
        )
    return Sources(folder.resolve(), plain)


def build_kernels(torch: Installed, sources: Sources, wanted: Wanted) -> list[Compiled]:
    """Compile the units and install the library; a Diagnostic when none compiles."""
    toolchain = find_toolchain()
    built = build(torch)
    with temporary_folder("warploom-aten-") as scratch:
        _run_torchgen(scratch)
        compiled = _compile_units(torch, built, sources, wanted, scratch)
        wanted.folder.mkdir(parents=True, exist_ok=True)
        _write_table(wanted.folder, compiled)
        _refuse_none(compiled)
        provided = _provided(torch, toolchain, built)
        host = _host_objects(torch, toolchain, built, [_OWN / name for name in _NATIVE_SOURCES])
        provided = provided.union(*(_symbols_of(path).defined for path in host))
        # What the operators' registration defines is known when it is there, and that needs the kernels.
        compiled = _without_lacking(compiled, provided, tentative=True)
        while True:
            _refuse_none(compiled)
            made = [each for each in compiled if each.made is not None]
            registration, operators = _register(torch, toolchain, built, sources, made, provided, scratch)
            compiled = _without_lacking(compiled, provided | _symbols_of(registration).defined)
            if sum(each.made is not None for each in compiled) == len(made):
                break
        _write_table(wanted.folder, compiled)
        objects = [each.made for each in made if each.made is not None]
        about = {
            "torch": torch.version,
            "git_version": torch.git_version,
            "sources": sources.release,
            "warploom": VERSION,
            "device": device_key(torch),
            "cpu": wanted.cpu,
            "platform": "",  # known when it is linked
            "types": list(wanted.types),
            "files": [each.unit.file for each in made],
            "operators": operators,
        }
        _install(torch, toolchain, built, [*objects, *host, registration], wanted.folder, about)
        _copy_license(sources, wanted.folder)
    return compiled


def _refuse_none(compiled: Sequence[Compiled]) -> None:
    if all(each.made is None for each in compiled):
        raise Diagnostic("none of ATen's files is compiled:\n" + "\n".join(each.error for each in compiled[:1]))


def _write_table(folder: Path, compiled: Sequence[Compiled]) -> None:
    """What became of each file, one a line: its name, seconds of a processor, MiB, what it lacks."""
    rows = (
        f"{each.unit.file}\t{each.seconds:.1f}\t{each.memory >> 20}\t{first_error(each.error)}" for each in compiled
    )
    (folder / FILES).write_text("".join(f"{row}\n" for row in rows))


def first_error(text: str) -> str:
    """The line of a compiler's output that says what is wrong."""
    lines = text.splitlines()
    return next((line for line in lines if "error" in line), lines[0] if lines else "").replace("\t", " ")


def _without_lacking(
    compiled: Sequence[Compiled], provided: frozenset[str], *, tentative: bool = False
) -> list[Compiled]:
    """Those that need what nobody defines without their object; `tentative`: torchgen may define all at::cuda::NAME."""
    objects = {each.made: _symbols_of(each.made) for each in compiled if each.made is not None}
    if tentative:
        provided = provided.union(
            *((name for name in each.needed if name.startswith(_TORCHGENS)) for each in objects.values())
        )
    lacking = linkable(objects, provided)

    def judged(each: Compiled) -> Compiled:
        missing = lacking[each.made] if each.made is not None else frozenset[str]()
        if not missing:
            return each
        return replace(each, made=None, error="needs " + ", ".join(sorted(missing)[:3]))

    return [judged(each) for each in compiled]


def _provided(torch: Installed, toolchain: Toolchain, built: Built) -> frozenset[str]:
    """The symbols of the libraries that the kernels are linked with."""
    own = [*built.libraries, *(built.home / "lib64" / name for name in _NEEDED)]
    theirs = [torch.libraries / name for name in ("libtorch_cpu.so", "libc10.so")]
    found = [_loaded(toolchain, name) for name in ("libstdc++.so.6", "libm.so.6", "libc.so.6", "libgcc_s.so.1")]
    return _IMPLIED.union(*(_symbols_of(path.resolve()).defined for path in (*own, *theirs, *found)))


def _loaded(toolchain: Toolchain, name: str) -> Path:
    """A system's library, where the compiler finds it."""
    result = run_tool([toolchain.clang, f"-print-file-name={name}"])
    return Path(result.stdout.strip())


def _register(
    torch: Installed,
    toolchain: Toolchain,
    built: Built,
    sources: Sources,
    made: Sequence[Compiled],
    provided: frozenset[str],
    scratch: Path,
) -> tuple[Path, list[str]]:
    """The object that registers the operators whose kernels are there, and their names."""
    symbols = [_symbols_of(each.made) for each in made if each.made is not None]
    defined = frozenset[str]().union(*(each.defined for each in symbols))
    texts = [_path_of(each.unit, sources, scratch).read_text(errors="replace") for each in made]
    stubs = {stub for text in texts for stub in registered_stubs(text)}
    kernels = set(kernels_among(defined).values())
    kernels |= kernels_behind(sources.folder / ATEN_FOLDER / "native", stubs)
    source = scratch / "RegisterCUDA.cpp"
    while True:
        operators = _run_torchgen(scratch, kernels)
        (registration,) = _host_objects(torch, toolchain, built, [source])
        # A function of that name which takes other arguments, or which libtorch_cpu keeps to itself.
        absent = kernels_among(_symbols_of(registration).needed - defined - provided)
        if not absent:
            return registration, operators
        kernels -= set(absent.values())


def _words(torch: Installed, built: Built, sources: Sources, wanted: Wanted) -> list[str]:
    """warpcc's command line, but for the file and the object."""
    api = torch.include / "torch" / "csrc" / "api" / "include"
    folders = [
        *("-I", NATIVE, "-I", built.home / "include"),
        *(word for path in (torch.include, api, sources.folder / "aten" / "src") for word in ("-isystem", path)),
    ]
    types = [f"-DWARPLOOM_ATEN_TYPES={'+'.join(wanted.types)}", "-include", "aten/types.h"]
    return [*_FLAGS, *types, *map(str, folders), "--cpu", wanted.cpu]


def _run_torchgen(folder: Path, kernels: Collection[str] = ()) -> list[str]:
    """Have PyTorch's torchgen write the registration of what has one of `kernels`; the names of these operators."""
    (folder / "kernels.txt").write_text("".join(f"{name}\n" for name in sorted(kernels)))
    command = [sys.executable, "-P", "-m", "warploom.torch.aten.registration", str(folder), str(folder / "kernels.txt")]
    ran = subprocess.run(command, env=os.environ | {OFF: "0"}, capture_output=True, text=True, check=False)
    if ran.returncode != 0:
        needs_yaml = "No module named 'yaml'" in ran.stderr
        raise Diagnostic(
            f"PyTorch's torchgen does not run:\n{ran.stderr}",
            hint="pip install pyyaml" if needs_yaml else "is this PyTorch's own torchgen?",
        )
    return (folder / "operators.txt").read_text().split()


def _path_of(unit: Unit, sources: Sources, scratch: Path) -> Path:
    return scratch / unit.file if unit.is_generated else sources.folder / ATEN_FOLDER / unit.file


def _compile_units(torch: Installed, built: Built, sources: Sources, wanted: Wanted, scratch: Path) -> list[Compiled]:
    words, units = _words(torch, built, sources, wanted), wanted.units
    headers = [path.read_bytes() for path in sorted(_OWN.glob("*.h"))]
    places = [word.replace(str(built.home), "CUDA_HOME") for word in words]  # it holds the headers of this package
    versions = (torch.version, torch.git_version, sources.release, _compiler_key(), *places, *headers)
    paths = {unit: _path_of(unit, sources, scratch) for unit in units}
    absent = [unit for unit in units if not paths[unit].exists()]
    keys = {unit: content_key(*versions, path.read_bytes()) for unit, path in paths.items() if unit not in absent}
    missing = sum(not entry_path("aten-object", key).is_dir() for key in keys.values())
    progress = Progress(f"compiling {missing} files of ATen's CUDA kernels", missing)

    def compile_one(unit: Unit) -> Compiled:
        if unit in absent:
            return Compiled(unit, None, f"{paths[unit]} is not there")

        def compile_into(folder: Path) -> None:
            line = [built.home / "bin" / "nvcc", "-c", paths[unit], *words]
            cost = _measured([*map(str, line), "-o", str(folder / "object.o")])
            (folder / "cost").write_text(json.dumps(cost))
            progress.step()

        try:
            entry = cached_entry("aten-object", keys[unit], compile_into)
            seconds, memory = json.loads((entry / "cost").read_text())
            made = Compiled(unit, entry / "object.o", "", seconds, memory)
        except _Failed as error:
            made = Compiled(unit, None, error.text, error.seconds, error.memory)
        wanted.tell(made)
        return made

    try:
        with ThreadPoolExecutor(max_workers=jobs()) as pool:
            return list(pool.map(compile_one, units))
    finally:
        progress.end()


class _Failed(Exception):
    """A compiler that ended with an error."""

    def __init__(self, text: str, seconds: float, memory: int) -> None:
        super().__init__(text)
        self.text, self.seconds, self.memory = text, seconds, memory


def _measured(command: Sequence[str]) -> tuple[float, int]:
    """Run a compiler: its processor seconds, and the bytes of the largest of its processes; _Failed when it fails."""
    with tempfile.TemporaryFile("w+", errors="replace") as said:
        process = subprocess.Popen(command, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=said)
        _, status, used = os.wait4(process.pid, 0)
        process.returncode = os.waitstatus_to_exitcode(status)
        said.seek(0)
        seconds, memory = used.ru_utime + used.ru_stime, used.ru_maxrss << 10
        if process.returncode != 0:
            raise _Failed(said.read() or f"ended with status {process.returncode}", seconds, memory)
    return seconds, memory


def _compiler_key() -> str:
    """Changes with the code of the compiler."""
    files = (path for path in PACKAGE.rglob("*") if path.suffix in (".py", ".h", ".cuh", ".def"))
    read = sorted(path for path in files if path.relative_to(PACKAGE).parts[0] not in _UNREAD)
    return content_key(VERSION, *(part for path in read for part in (str(path), path.read_bytes())))


def _host_objects(torch: Installed, toolchain: Toolchain, built: Built, sources: Sequence[Path]) -> list[Path]:
    """The objects of C++ for the host: the registration, and what it needs."""
    made: list[Path] = []
    own = [path.read_bytes() for path in sorted(NATIVE.rglob("*.h"))]
    for source in sources:

        def compile_into(folder: Path, source: Path = source) -> None:
            words = [f"-ffile-prefix-map={source.parent}=.", "-c", source, "-o", folder / "object.o"]  # in its messages
            result = run_tool([*compile_command(torch, toolchain, built.home), *words])
            if result.returncode != 0:
                raise Diagnostic(f"the registration of ATen's kernels does not compile:\n{result.stderr}")

        key = content_key(*object_versions(torch, toolchain), *FLAGS, *own, source.read_bytes())
        made.append(cached_entry("torch-object", key, compile_into) / "object.o")
    return made


def _install(
    torch: Installed,
    toolchain: Toolchain,
    built: Built,
    objects: Sequence[Path],
    folder: Path,
    about: Mapping[str, object],
) -> None:
    with temporary_folder(".warploom-aten-", folder) as scratch:
        library = scratch / LIBRARY
        needed = [
            "-Wl,--wrap=cudaLaunchKernel",
            "-Wl,--wrap=cudaLaunch",
            "-Wl,-z,defs",
            *built.libraries,
            "-ltorch_cpu",
            "-lc10",
        ]
        link(torch, toolchain, built.home / "lib64", objects, library, needed, finds=False)  # all are loaded before
        about = {**about, "platform": platform_tag(library, toolchain)}
        library.replace(folder / LIBRARY)
        (folder / ABOUT).write_text(json.dumps(about, indent=1))


def _copy_license(sources: Sources, folder: Path) -> None:
    (folder / LICENSE).unlink(missing_ok=True)
    if (sources.folder / LICENSE).is_file():
        shutil.copyfile(sources.folder / LICENSE, folder / LICENSE)


def installed_folder() -> Path:
    """Where the library goes unless told, among this Python's packages."""
    return Path(sysconfig.get_path("platlib"), FOLDER)


def found_folder() -> Path:
    """Where the library lies unless told: among this Python's packages, or among the user's own."""
    users = [site.getusersitepackages()] if site.ENABLE_USER_SITE else []
    places = [installed_folder(), *(Path(place, FOLDER) for place in (*site.getsitepackages(), *users))]
    return next((place for place in places if (place / ABOUT).exists()), places[0])


def installed_library(torch: Installed, folder: Path) -> Path | None:
    """The library in `folder`, None where there is none; a Diagnostic where it was made for another PyTorch, beside
    other libraries of the device than this Warploom's, or for a processor that has what this one lacks."""
    try:
        about = json.loads((folder / ABOUT).read_text())
    except FileNotFoundError:
        return None
    except (OSError, ValueError) as error:
        raise Diagnostic(f"{folder / ABOUT} cannot be read: {error}", hint=_AGAIN) from error
    made_with = tuple(about.get(name) for name in ("torch", "git_version", "device"))
    if made_with != (torch.version, torch.git_version, device_key(torch)):
        made = f"PyTorch {about.get('torch')} and Warploom {about.get('warploom')}"
        raise Diagnostic(f"ATen's kernels in {folder} were made for {made} as it was then", hint=_AGAIN)
    missing = missing_features(about.get("cpu", ""))
    if missing:
        raise Diagnostic(
            f"ATen's kernels in {folder} were compiled for {about['cpu']}; this processor has no {', '.join(missing)}",
            hint=f"{_AGAIN}; --cpu names lesser processors",
        )
    return folder / LIBRARY
