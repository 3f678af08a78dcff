# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""libc10_cuda.so and libtorch_cuda.so of Warploom, compiled against the user's PyTorch once for its version, and the
folder that PyTorch's extension builder takes for CUDA's.

    CUDA_HOME/lib64    the toolkit's libraries, libc10_cuda.so, libtorch_cuda.so
    CUDA_HOME/include  the toolkit's headers
    CUDA_HOME/bin      nvcc -> warpcc
    CUDA_HOME/share/cmake  what find_package(Torch) reads, in place of PyTorch's own
"""

from __future__ import annotations

import os
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

from warploom import host_libraries
from warploom.cache import cached_entry, content_key, entry_path
from warploom.core.records import dataclass
from warploom.diagnostics import Diagnostic
from warploom.frontend.passes import INCLUDE
from warploom.progress import Progress
from warploom.runtime_library import complete_toolkit, toolkit
from warploom.runtime_objects import SOURCES
from warploom.scratch import temporary_folder
from warploom.toolchain import Toolchain, find_toolchain, run_tool
from warploom.torch.install import Installed
from warploom.version import VERSION

NATIVE = Path(__file__).resolve().parent / "native"
C10 = "libc10_cuda.so"
ATEN = "libtorch_cuda.so"
_C10_SOURCES = ("allocator.cpp", "allocator_report.cpp", "device.cpp", "streams.cpp")
_ATEN_LIBRARIES = ("-lcublas", "-lcusolver", "-lcusparse")
FLAGS = ("-std=c++20", "-O2", "-fPIC", "-w", "-D_GLIBCXX_USE_CXX11_ABI=1", "-DUSE_C10D_GLOO")
_JOB_MEMORY = 3 << 29  # bytes that one compilation may take
# Nearly every source reads these; reading them once makes the build several times as fast.
_HEADERS = (
    "ATen/core/Tensor.h", "ATen/core/dispatch/Dispatcher.h", "c10/cuda/CUDACachingAllocator.h",
    "c10/cuda/CUDAException.h", "c10/cuda/CUDAFunctions.h", "c10/cuda/CUDAGuard.h", "c10/cuda/CUDAStream.h",
)  # fmt: skip
_CMAKE = Path("share", "cmake")  # in a PyTorch and in a home: what find_package reads
_CMAKE_CONFIG = "TorchConfig.cmake"
_START = "start.cpp"  # runs when all operators are registered: linked last
_CCCL_FOLDERS = ("cuda", "nv")  # of our headers; warpcc looks for them after CCCL's


@dataclass(frozen=True)
class Built:
    """What was built for a PyTorch."""

    home: Path  # in place of CUDA_HOME

    @property
    def libraries(self) -> tuple[Path, Path]:
        """In the order in which they are loaded."""
        return self.home / "lib64" / C10, self.home / "lib64" / ATEN

    @property
    def cmake(self) -> Path:
        """In place of PyTorch's folder of packages for CMake."""
        return self.home / _CMAKE


def build(torch: Installed) -> Built:
    """The libraries for `torch`, compiled when the cache has none; a Diagnostic when they cannot be."""
    toolchain = find_toolchain()
    if toolchain.standard_library != "libstdc++":
        raise Diagnostic(
            "PyTorch's libraries are linked with libstdc++, whose headers are not installed",
            hint="apt-get install g++",
        )
    folder = toolkit(toolchain)
    host_libraries.provide(_ATEN_LIBRARIES, toolchain, folder / "lib64")
    key = _key(torch, toolchain, folder)
    home = cached_entry("torch-home", key, lambda home: _make(torch, toolchain, folder, home))
    return Built(home)


def is_built(torch: Installed) -> bool:
    """Whether `build` has nothing to do."""
    toolchain = find_toolchain()
    return entry_path("torch-home", _key(torch, toolchain, toolkit(toolchain))).is_dir()


def provide_libraries() -> None:
    """Build the libraries of the toolkit that the device does without, as cuDNN: extensions may name any."""
    complete_toolkit(find_toolchain())


def _key(torch: Installed, toolchain: Toolchain, toolkit: Path) -> str:
    contents = [path.read_bytes() for path in sorted(NATIVE.iterdir()) if path.is_file()]
    return content_key(*object_versions(torch, toolchain), str(toolkit), Path(__file__).read_text(), *contents)


def object_versions(torch: Installed, toolchain: Toolchain) -> tuple[str, ...]:
    """Whose headers and compiler an object depends on."""
    return torch.version, torch.git_version, str(torch.folder), str(toolchain.clang), toolchain.version, *FLAGS


def device_key(torch: Installed) -> str:
    """Changes with what the kernels of a library beside the device's depend on, but not with where anything lies."""
    files = sorted(path for folder in (NATIVE, SOURCES) for path in folder.rglob("*") if path.is_file())
    return content_key(torch.version, torch.git_version, VERSION, *(path.read_bytes() for path in files))


def _make(torch: Installed, toolchain: Toolchain, toolkit: Path, home: Path) -> None:
    _make_home(torch, toolkit, home)
    compiled = _objects(torch, toolchain, home)
    lib = home / "lib64"
    c10 = [made for name, made in compiled.items() if name in _C10_SOURCES]
    aten = [made for name, made in compiled.items() if name not in (*_C10_SOURCES, _START)] + [compiled[_START]]
    link(torch, toolchain, toolkit / "lib64", c10, lib / C10, ["-lc10"])
    link(torch, toolchain, toolkit / "lib64", aten, lib / ATEN, [lib / C10, "-ltorch_cpu", "-lc10", *_ATEN_LIBRARIES])


def _objects(torch: Installed, toolchain: Toolchain, home: Path) -> dict[str, Path]:
    """The object of each source by its name; those that the cache lacks are compiled side by side."""
    sources = sorted(NATIVE.glob("*.cpp"))
    own = [path.read_bytes() for path in sorted(NATIVE.glob("*.h"))]
    versions = object_versions(torch, toolchain)
    keys = {path: content_key(*versions, *own, path.read_bytes()) for path in sources}
    missing = sum(not entry_path("torch-object", key).is_dir() for key in keys.values())
    progress = Progress(f"building the CUDA device for PyTorch {torch.release}, once", missing)
    command = compile_command(torch, toolchain, home)

    def compile_one(source: Path) -> Path:
        def compile_into(folder: Path) -> None:
            _run([*command, "-include-pch", headers, "-c", source, "-o", folder / "object.o"])
            progress.step()

        return cached_entry("torch-object", keys[source], compile_into) / "object.o"

    try:
        with temporary_folder("warploom-torch-") as folder:
            headers = _precompile(command, folder) if missing else folder
            with ThreadPoolExecutor(max_workers=jobs()) as pool:
                made = pool.map(compile_one, sources)
                return dict(zip((source.name for source in sources), made, strict=True))
    finally:
        progress.end()


def jobs() -> int:
    """How many compilations may run side by side: MAX_JOBS, else by processors, and by the memory that is free."""
    asked = int(os.environ.get("MAX_JOBS", "0") or 0)
    free = os.sysconf("SC_AVPHYS_PAGES") * os.sysconf("SC_PAGE_SIZE")
    return asked or max(1, min(len(os.sched_getaffinity(0)), free // _JOB_MEMORY))


def _make_home(torch: Installed, toolkit: Path, home: Path) -> None:
    """The folder as CUDA's is, without the libraries of PyTorch."""
    for name in ("bin", "nvvm"):
        (home / name).symlink_to(toolkit / name)
    (home / "lib64").mkdir()
    later = {library.file for library in host_libraries.HOST_LIBRARIES}  # those that are built when they are wanted
    for name in later | {library.name for library in (toolkit / "lib64").iterdir()}:
        (home / "lib64" / name).symlink_to(toolkit / "lib64" / name)
    (home / "include").mkdir()
    for header in INCLUDE.iterdir():
        if header.name not in _CCCL_FOLDERS:
            (home / "include" / header.name).symlink_to(header)
    _make_packages(torch.folder / _CMAKE, home / _CMAKE)


def _make_packages(original: Path, made: Path) -> None:
    """PyTorch's packages for CMake: Torch with the CUDA device, the others as they are."""
    for config in original.glob("*/*.cmake"):
        if not config.name.endswith(("Config.cmake", "ConfigVersion.cmake")):
            continue
        path = made / config.parent.name / config.name
        path.parent.mkdir(parents=True, exist_ok=True)
        if config.name == _CMAKE_CONFIG:
            path.write_text((NATIVE / _CMAKE_CONFIG).read_text().replace("@PYTORCH@", str(original)))
        else:
            path.write_text(f'include("{config}")\n')


def compile_command(torch: Installed, toolchain: Toolchain, home: Path) -> list[str | Path]:
    """The compiler and its flags for C++ against PyTorch's headers and those in `home`."""
    api = torch.include / "torch" / "csrc" / "api" / "include"
    includes = ["-I", NATIVE, "-I", home / "include", "-isystem", torch.include, "-isystem", api]
    return [toolchain.clang, *toolchain.cxx_flags, *FLAGS, *includes]


def _precompile(command: Sequence[str | Path], folder: Path) -> Path:
    made = folder / "torch.pch"
    named = [word for name in _HEADERS for word in ("-include", name)]
    _run([*command, *named, "-x", "c++-header", os.devnull, "-o", made])
    return made


def link(
    torch: Installed,
    toolchain: Toolchain,
    toolkit: Path,
    objects: Sequence[Path],
    made: Path,
    needed: Sequence[str | Path],
    *,
    finds: bool = True,
) -> None:
    """Link `made` from objects and what they need: PyTorch's libraries and those in the folder `toolkit`. It finds
    these when it is loaded, unless told that they are loaded before."""
    places = [torch.libraries, toolkit]
    flags = [*toolchain.link_flags, *(f"-L{place}" for place in places)]
    run_paths = [*(f"-Wl,-rpath,{place}" for place in places), "-Wl,-rpath,$ORIGIN"]
    if not finds:
        flags, run_paths = [flag for flag in flags if not flag.startswith("-Wl,-rpath")], []
    _run([
        toolchain.clang, *flags, *run_paths, "-shared", *objects, "-o", made, f"-Wl,-soname,{made.name}", *needed,
        "-lwarploom", "-lpthread", "-ldl",
    ])  # fmt: skip


def _run(command: Sequence[str | Path]) -> None:
    result = run_tool(command)
    if result.returncode != 0:
        raise Diagnostic(
            f"the CUDA device for PyTorch does not build:\n{result.stderr}",
            hint="WARPLOOM_TORCH=0 leaves PyTorch without it",
        )
