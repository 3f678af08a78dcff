# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""CUDA's host libraries (cuBLAS and its like): shared libraries beside libwarploom, for the programs that name them.

    runtime/libraries/common/  --.
    runtime/libraries/blas/    --+--> libcublas.so.13 --> libwarploom.so (streams, threads), OpenBLAS (by dlopen)
    runtime/libraries/blas/kernels/  once for each level of the processor

A wheel brings them. A source install builds each when a program first names it; until then the toolkit has a link to
libwarploom under the library's name, so that build systems find the file.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Sequence
from pathlib import Path

from warploom.cache import cached_entry, content_key
from warploom.core.records import dataclass
from warploom.cpu import FAT_CPUS
from warploom.runtime_objects import SOURCES, SUFFIXES, Source, compile_objects, object_key, run_build
from warploom.toolchain import Toolchain

KERNELS = "kernels"  # the folders whose sources are compiled for each level of the processor
_FOLDER = SOURCES / "libraries"
_EXPORTS = SOURCES / "exports.map"
OPENBLAS = "scipy_openblas32"  # the Python package that brings OpenBLAS, in its folder lib
OPENBLAS_FILE = "libscipy_openblas.so"
_FLAGS = ("-O3", "-falign-loops=32", "-fno-math-errno", "-ffp-contract=fast", "-Wno-unused-parameter")


@dataclass(frozen=True)
class HostLibrary:
    """One shared library."""

    name: str
    version: int  # in its file's name, as in CUDA 13.0
    folders: tuple[str, ...]  # of sources, in runtime/libraries
    others: tuple[str, ...] = ()  # further names that programs know it by

    @property
    def file(self) -> str:
        """What programs that were linked with it look for."""
        return f"lib{self.name}.so.{self.version}"

    @property
    def names(self) -> tuple[str, ...]:
        """What stands behind -l for it."""
        return (self.name, *self.others)

    @property
    def links(self) -> tuple[str, ...]:
        """The file's further names."""
        versions = tuple(f"lib{name}.so.{self.version}" for name in self.others)
        return (*versions, *(f"lib{name}{kind}.so" for name in self.names for kind in ("", "_static")))


HOST_LIBRARIES = (
    HostLibrary("cublas", 13, ("common", "blas"), ("cublasLt",)),
    HostLibrary("cudnn", 9, ("common", "dnn"), ("cudnn_adv", "cudnn_cnn", "cudnn_graph", "cudnn_ops")),
    HostLibrary("cufft", 12, ("common", "fft"), ("cufftw",)),
    HostLibrary("cusolver", 12, ("common", "solver")),
    HostLibrary("cusparse", 12, ("common", "sparse")),
    HostLibrary("cusparseLt", 0, ("common", "cusparselt")),
    HostLibrary("cutensor", 2, ("common", "cutensor"), ("cutensorMg",)),
    HostLibrary("nccl", 2, ("common", "nccl")),
    HostLibrary(
        "nppc",
        13,
        ("common", "npp"),
        ("nppial", "nppicc", "nppidei", "nppif", "nppig", "nppim", "nppist", "nppisu", "nppitc", "npps"),
    ),
    HostLibrary("nvjpeg", 13, ("common", "nvjpeg")),
    HostLibrary("nvshmem_host", 3, ("common", "nvshmem"), ("nvshmem", "nvshmem_device")),
)


def named_library(word: str) -> HostLibrary | None:
    """The library that a word of a linker's command line names: -lcublas, .../libcublas.so."""
    name = word.removeprefix("-l") if word.startswith("-l") else _name_of_file(word)
    plain = name.removesuffix("_static")
    return next((library for library in HOST_LIBRARIES if plain in library.names), None)


def _name_of_file(word: str) -> str:
    file = Path(word).name
    return file.removeprefix("lib").partition(".so")[0] if file.startswith("lib") and ".so" in file else ""


def sources(library: HostLibrary, toolchain: Toolchain) -> list[Source]:
    """What the library is compiled from."""
    found: list[Source] = []
    for folder in library.folders:
        paths = sorted(path for path in (_FOLDER / folder).rglob("*") if path.suffix in SUFFIXES)
        for path in paths:
            if KERNELS in path.relative_to(_FOLDER).parts:
                found += [Source(path, flags) for flags in _level_flags(toolchain.target.arch)]
            else:
                found.append(Source(path))
    return found


def _level_flags(arch: str) -> list[tuple[str, ...]]:
    """How the kernels are compiled: for each level, whose code is in a namespace of its own."""
    if arch != "x86_64":
        return [(*_FLAGS, "-DWARPLOOM_LEVEL=base")]
    wide = "-mprefer-vector-width=512"
    return [
        (*_FLAGS, f"-march={cpu}", *([wide] if cpu.endswith("v4") else []), f"-DWARPLOOM_LEVEL={cpu[-2:]}")
        for cpu in FAT_CPUS
    ]


def source_keys(toolchain: Toolchain) -> list[str]:
    """Changes with every source of the libraries."""
    return [object_key(toolchain, source) for library in HOST_LIBRARIES for source in sources(library, toolchain)]


def build(library: HostLibrary, toolchain: Toolchain, runtime: Path, flags: Sequence[str], made: Path) -> None:
    """Link the library as `made`, against the libwarploom.so in the folder `runtime`."""
    objects = compile_objects(toolchain, sources(library, toolchain), f"lib{library.name}")
    run_build([
        toolchain.clang, *flags, "-shared", *objects, "-o", made, f"-Wl,-soname,{library.file}", f"-L{runtime}",
        "-lwarploom", "-lpthread", "-ldl", "-lm", "-Wl,-z,defs", f"-Wl,--version-script={_EXPORTS}",
        "-Wl,-rpath,$ORIGIN",
    ])  # fmt: skip


def place_links(library: HostLibrary, folder: Path, target: str) -> None:
    """The further names of the library in `folder`, as links to `target`, in place of what is there."""
    for name in library.links:
        _replace(folder / name, lambda path: path.symlink_to(target))


def place_stand_ins(folder: Path, runtime: str) -> None:
    """Links under the libraries' names to libwarploom, for libraries that are built when they are wanted."""
    for library in HOST_LIBRARIES:
        place_links(library, folder, runtime)


def provide(names: Iterable[str], toolchain: Toolchain, folder: Path) -> None:
    """See to it that the libraries that `names` (of a linker's command line) mean are in a toolkit's `folder`."""
    for library in HOST_LIBRARIES:
        if any(named_library(name) is library for name in names) and not (folder / library.file).exists():
            _provide(library, toolchain, folder)


def provide_all(toolchain: Toolchain, folder: Path) -> None:
    """The same for all."""
    provide([f"-l{library.name}" for library in HOST_LIBRARIES], toolchain, folder)


def _provide(library: HostLibrary, toolchain: Toolchain, folder: Path) -> None:
    keys = [object_key(toolchain, source) for source in sources(library, toolchain)]
    flags = [*toolchain.link_flags, *(openblas_flags() if toolchain.target.is_host else [])]
    key = content_key(library.file, str(folder.resolve()), *flags, *keys, _EXPORTS.read_text())

    def link(entry: Path) -> None:
        build(library, toolchain, folder, flags, entry / library.file)

    made = cached_entry("host-library", key, link) / library.file
    from shutil import copy2

    _replace(folder / library.file, lambda path: copy2(made, path))
    place_links(library, folder, library.file)


def openblas_flags() -> list[str]:
    """Where the libraries find OpenBLAS: in the Python environment of this Warploom."""
    file = openblas_file()
    return [f"-Wl,-rpath,{file.parent}"] if file is not None else []


def openblas_file() -> Path | None:
    """OpenBLAS's file; None where its package is not installed."""
    from importlib.util import find_spec

    found = find_spec(OPENBLAS)
    places = found.submodule_search_locations if found is not None else None
    files = (Path(place) / "lib" / OPENBLAS_FILE for place in places or ())
    return next((file for file in files if file.exists()), None)


def _replace(path: Path, make: Callable[[Path], object]) -> None:
    """Make `path` anew, so that others see the old one or the new one."""
    scratch = path.with_name(f".{path.name}.{os.getpid()}")
    scratch.unlink(missing_ok=True)
    make(scratch)
    scratch.replace(path)
