# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""libwarploom_aten.so: ATen's CUDA kernels and their registration, in a folder of the user's Python packages.

    SOURCE/aten/src/ATen/native/cuda/X.cu --warpcc--> object --.
    torchgen --> UfuncCUDA_X.cu ----------warpcc--> object ----+--> warploom_aten/libwarploom_aten.so
    torchgen --> RegisterCUDA.cpp, native/aten/*.cpp --clang---'    warploom_aten/about.json

Each object is kept in the cache by its content, so that a build that was ended goes on where it was. A file that does
not compile is told, and left out: its operators stay on the CPU backend.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
import sysconfig
from collections.abc import Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

from warploom.cache import PACKAGE, cached_entry, content_key, entry_path
from warploom.core.records import dataclass
from warploom.diagnostics import Diagnostic
from warploom.progress import Progress
from warploom.scratch import temporary_folder
from warploom.toolchain import Toolchain, find_toolchain, run_tool
from warploom.torch.aten.units import CUDA_FOLDER, Unit
from warploom.torch.build import FLAGS, NATIVE, Built, build, compile_command, jobs, link, object_versions
from warploom.torch.install import OFF, Installed
from warploom.version import VERSION

LIBRARY = "libwarploom_aten.so"
ABOUT = "about.json"
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
    "-DCUDA_HAS_FP16=1", "-D__CUDA_NO_HALF_OPERATORS__", "-D__CUDA_NO_HALF_CONVERSIONS__",
    "-D__CUDA_NO_BFLOAT16_CONVERSIONS__", "-D__CUDA_NO_HALF2_OPERATORS__", "-D_GLIBCXX_USE_CXX11_ABI=1",
    "--expt-relaxed-constexpr", "--expt-extended-lambda", "-Xcompiler", "-fPIC",
)  # fmt: skip
_UNREAD = ("torch", "runtime", "compat", "fuzz", "measure", "suite", "prebuilt")  # of this package: not the compiler


@dataclass(frozen=True)
class Sources:
    """PyTorch's sources as the user has them."""

    folder: Path
    release: str  # "2.13.0"


@dataclass(frozen=True)
class Wanted:
    """What to compile."""

    units: Sequence[Unit]
    types: Sequence[str]  # of TYPES and ALL_TYPES
    options: Sequence[str]  # of warpcc
    folder: Path  # where the library goes


@dataclass(frozen=True)
class Compiled:
    """What became of a unit."""

    unit: Unit
    made: Path | None
    error: str  # what the compiler said where nothing was made


def find_sources(folder: Path, torch: Installed, *, other_release: bool) -> Sources:
    """The sources in `folder`; a Diagnostic where there are none, or, unless `other_release`, those of another
    release than the PyTorch that is installed: its kernels are compiled against that one's headers."""
    if not (folder / CUDA_FOLDER).is_dir():
        raise Diagnostic(
            f"{folder} has no {CUDA_FOLDER}: it is not a folder of PyTorch's sources",
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
        _generate(wanted.units, scratch)
        compiled = _compile_units(torch, built, sources, wanted, scratch)
        made = [each for each in compiled if each.made is not None]
        if not made:
            raise Diagnostic("none of ATen's files compiles:\n" + "\n".join(each.error for each in compiled[:1]))
        _generate([each.unit for each in made], scratch)
        objects = [each.made for each in made if each.made is not None]
        objects += _host_objects(torch, toolchain, built, scratch)
        about = {
            "torch": torch.version,
            "git_version": torch.git_version,
            "sources": sources.release,
            "warploom": VERSION,
            "device": built.home.name,
            "types": list(wanted.types),
            "files": {each.unit.file: list(each.unit.operators) for each in made},
        }
        _install(torch, toolchain, built, objects, wanted.folder, about)
    return compiled


def _words(torch: Installed, built: Built, sources: Sources, wanted: Wanted) -> list[str]:
    """warpcc's command line, but for the file and the object."""
    api = torch.include / "torch" / "csrc" / "api" / "include"
    folders = [
        *("-I", NATIVE, "-I", built.home / "include"),
        *(word for path in (torch.include, api, sources.folder / "aten" / "src") for word in ("-isystem", path)),
    ]
    types = [f"-DWARPLOOM_ATEN_TYPES={','.join(wanted.types)}", "-include", "aten/types.h"]
    return [*_FLAGS, *types, *map(str, folders), *wanted.options]


def _generate(units: Sequence[Unit], folder: Path) -> None:
    operators = [name for unit in units for name in unit.operators]
    command = [sys.executable, "-m", "warploom.torch.aten.registration", str(folder), *operators]
    ran = subprocess.run(command, env=os.environ | {OFF: "0"}, capture_output=True, text=True, check=False)
    if ran.returncode != 0:
        needs_yaml = "No module named 'yaml'" in ran.stderr
        raise Diagnostic(
            f"PyTorch's torchgen does not run:\n{ran.stderr}",
            hint="pip install pyyaml" if needs_yaml else "is this PyTorch's own torchgen?",
        )


def _compile_units(torch: Installed, built: Built, sources: Sources, wanted: Wanted, scratch: Path) -> list[Compiled]:
    words, units = _words(torch, built, sources, wanted), wanted.units
    headers = [path.read_bytes() for path in sorted(_OWN.glob("*.h"))]
    places = [word.replace(str(built.home), "CUDA_HOME") for word in words]  # it holds the headers of this package
    versions = (torch.version, torch.git_version, sources.release, _compiler_key(), *places, *headers)
    paths = {unit: (scratch if unit.is_generated else sources.folder / CUDA_FOLDER) / unit.file for unit in units}
    absent = [unit for unit in units if not paths[unit].exists()]
    keys = {unit: content_key(*versions, path.read_bytes()) for unit, path in paths.items() if unit not in absent}
    missing = sum(not entry_path("aten-object", key).is_dir() for key in keys.values())
    progress = Progress(f"compiling {missing} files of ATen's CUDA kernels", missing)

    def compile_one(unit: Unit) -> Compiled:
        if unit in absent:
            return Compiled(unit, None, f"{paths[unit]} is not there")

        def compile_into(folder: Path) -> None:
            line = [built.home / "bin" / "nvcc", "-c", paths[unit], *words]
            result = run_tool([*line, "-o", folder / "object.o"])
            if result.returncode != 0:
                raise Diagnostic(result.stderr)
            progress.step()

        try:
            return Compiled(unit, cached_entry("aten-object", keys[unit], compile_into) / "object.o", "")
        except Diagnostic as error:
            return Compiled(unit, None, str(error))

    try:
        with ThreadPoolExecutor(max_workers=jobs()) as pool:
            return list(pool.map(compile_one, units))
    finally:
        progress.end()


def _compiler_key() -> str:
    """Changes with the code of the compiler."""
    files = (path for path in PACKAGE.rglob("*") if path.suffix in (".py", ".h", ".cuh", ".def"))
    read = sorted(path for path in files if path.relative_to(PACKAGE).parts[0] not in _UNREAD)
    return content_key(VERSION, *(part for path in read for part in (str(path), path.read_bytes())))


def _host_objects(torch: Installed, toolchain: Toolchain, built: Built, scratch: Path) -> list[Path]:
    """The objects of the registration and of what it needs."""
    made: list[Path] = []
    own = [path.read_bytes() for path in sorted(NATIVE.rglob("*.h"))]
    for source in (scratch / "RegisterCUDA.cpp", *(_OWN / name for name in _NATIVE_SOURCES)):

        def compile_into(folder: Path, source: Path = source) -> None:
            result = run_tool([*compile_command(torch, toolchain, built.home), "-c", source, "-o", folder / "object.o"])
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
    folder.mkdir(parents=True, exist_ok=True)
    with temporary_folder(".warploom-aten-", folder) as scratch:
        library = scratch / LIBRARY
        needed = ["-Wl,--wrap=cudaLaunchKernel", "-Wl,-z,defs", *built.libraries, "-ltorch_cpu", "-lc10"]
        link(torch, toolchain, built.home / "lib64", objects, library, needed)
        library.replace(folder / LIBRARY)
        (folder / ABOUT).write_text(json.dumps(about, indent=1))


def installed_folder() -> Path:
    """Where the library lies unless told, among this Python's packages."""
    return Path(sysconfig.get_path("purelib"), "warploom_aten")


def installed_library(torch: Installed, built: Built, folder: Path) -> Path | None:
    """The library in `folder`, None where there is none; a Diagnostic where it was made for another PyTorch, or beside
    other libraries of the device than `built`."""
    try:
        about = json.loads((folder / ABOUT).read_text())
    except FileNotFoundError:
        return None
    except (OSError, ValueError) as error:
        raise Diagnostic(f"{folder / ABOUT} cannot be read: {error}", hint=_AGAIN) from error
    if (about.get("torch"), about.get("git_version"), about.get("device")) != (
        torch.version,
        torch.git_version,
        built.home.name,
    ):
        made = f"PyTorch {about.get('torch')} and Warploom {about.get('warploom')}"
        raise Diagnostic(f"ATen's kernels in {folder} were made for {made} as it was then", hint=_AGAIN)
    return folder / LIBRARY
