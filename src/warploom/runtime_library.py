# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The C++ runtime as a library and as a toolkit: taken from the wheel, or built once for each content of its sources.

A toolkit is a folder as CUDA installs it, so that build systems find what they look for:

    lib64/libwarploom.so, libcudart.so -> libwarploom.so, ...    include -> the CUDA headers    bin/nvcc -> warpcc

A wheel brings the library for its platform (`prebuilt/`, made by `prebuild` when the wheel is). Programs then find it
in the package, a place that other users can read and that outlives the cache.
"""

from __future__ import annotations

import os
import re
import shutil
import sys
from collections.abc import Sequence
from functools import cache
from pathlib import Path

from warploom.cache import cached_entry, content_key, entry_path, is_passing, package_key
from warploom.diagnostics import Diagnostic
from warploom.frontend.passes import INCLUDE
from warploom.progress import Progress
from warploom.scratch import temporary_folder
from warploom.target import host_target
from warploom.toolchain import Toolchain, find_toolchain, run_tool

SOURCES = Path(__file__).resolve().parent / "runtime"
PREBUILT = Path(__file__).resolve().parent / "prebuilt"
LIBRARY = "libwarploom.so"
STATIC_LIBRARY = "libwarploom_static.o"
TOOLKIT = "WARPLOOM_TOOLKIT"  # in the environment: the folder of an installed toolkit
_MARK = ".warploom-toolkit"  # in such a folder; holds the key of what it was made of
_NO_UNIQUE = "-Wl,--no-gnu-unique"  # what is unique in a process is seen by every library of it
# Where libc++ of PyPI's clang lies in a virtual environment, from the folder of a prebuilt library.
_LIBCXX = f"$ORIGIN/../../../../../{host_target().triple}"
# Libraries that programs name on the link line and that libwarploom stands in for.
ALIASES = (
    "cudart", "cuda", "cudart_static", "cudadevrt", "cublas", "cublas_static", "cublasLt", "cublasLt_static", "cufft",
    "cufft_static", "curand", "curand_static", "cusparse", "cusparse_static", "cusolver", "cusolver_static", "nvrtc",
    "nvrtc_static", "nvToolsExt", "cufftw", "cufftw_static", "nvidia-ml", "culibos",
)  # fmt: skip
# Programs find the library when they are loaded, or soon: its few thread-local variables have their place by then.
_FLAGS = (
    "-std=c++20", "-O2", "-g1", "-gdwarf-4", "-fPIC", "-fvisibility=hidden", "-ftls-model=initial-exec", "-Wall",
    "-Wextra", "-fno-math-errno",
)  # fmt: skip
_SUFFIXES = (".cpp", ".S")
_WITH_TYPES = frozenset(("debug_variables.cpp",))  # what a debugger prints
# What lies in a toolkit's bin: the module with its `main`, and that one's argument.
_PROGRAMS = {
    **dict.fromkeys(("nvcc", "warpcc"), ("warpcc", "")),
    "nvidia-smi": ("nvidia_smi", ""),
    **{name: ("cuda_tools", repr(name)) for name in ("nvprof", "nsys", "cuda-gdb", "cuobjdump", "nvdisasm")},
}
# Nearly every source includes most of these; reading them once makes the build four times as fast.
_STANDARD_HEADERS = (
    "algorithm", "array", "atomic", "bit", "chrono", "cmath", "condition_variable", "cstdint", "cstdio", "cstdlib",
    "cstring", "functional", "map", "memory", "mutex", "optional", "set", "string", "string_view", "thread",
    "unordered_map", "unordered_set", "utility", "vector",
)  # fmt: skip


def prebuilt(toolchain: Toolchain) -> Path | None:
    """The folder of the wheel with the libraries for this toolchain's programs; None in a source tree.

    What has a standard library inside serves all; what was built where there was none to put inside needs libc++.
    """
    kinds = ("", "-libc++") if toolchain.standard_library == "libc++" else ("",)
    folders = (PREBUILT / f"{toolchain.triple}{kind}" for kind in kinds)
    return next((folder for folder in folders if (folder / LIBRARY).exists()), None)


def toolkit(toolchain: Toolchain) -> Path:
    """The toolkit folder, made when the cache has none for these sources and this toolchain.

    WARPLOOM_TOOLKIT names one that `install_toolkit` has made. Reading every source takes a while: a second, quick
    entry of the cache leads from the files' times to the toolkit.
    """
    chosen = os.environ.get(TOOLKIT)
    if chosen and toolchain.target.is_host:
        return _installed(Path(chosen), toolchain)
    return _toolkit_of_cache(toolchain)


def _toolkit_of_cache(toolchain: Toolchain) -> Path:
    quick = content_key(package_key(), str(toolchain.clang), sys.executable, *toolchain.link_flags)

    def build_and_link(folder: Path) -> None:
        built = cached_entry("toolkit", toolkit_key(toolchain), lambda folder: _make(toolchain, folder))
        (folder / "toolkit").symlink_to(built)

    return (cached_entry("toolkit-link", quick, build_and_link) / "toolkit").resolve()


def toolkit_key(toolchain: Toolchain) -> str:
    """Changes with every source, header and tool that the toolkit is made of."""
    ready = prebuilt(toolchain)
    if ready is not None:
        return content_key("prebuilt", str(ready), str(INCLUDE), sys.executable, Path(__file__).read_text())
    objects = [_object_key(toolchain, source) for source in _sources()]
    objects += [(SOURCES / "exports.map").read_text(), Path(__file__).read_text()]
    return content_key(toolchain.triple, str(INCLUDE), sys.executable, *toolchain.link_flags, *objects)


def _sources() -> list[Path]:
    return sorted(path for path in SOURCES.rglob("*") if path.suffix in _SUFFIXES)


@cache
def _object_key(toolchain: Toolchain, source: Path) -> str:
    """Changes with a source file, what it includes of ours, and how it is compiled."""
    contents = [_content(path) for path in sorted(_included(source))]
    tool = (str(toolchain.clang.resolve()), toolchain.version, *toolchain.cxx_flags)
    return content_key(*tool, *_FLAGS, *contents)


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


def install_toolkit(toolchain: Toolchain, folder: Path) -> None:
    """Copy the toolkit to `folder`, which may have an older one: with its own library and headers, at a place that
    stays. Its compiler is this Warploom's."""
    made = _toolkit_of_cache(toolchain)
    parent = folder.absolute().parent
    parent.mkdir(parents=True, exist_ok=True)
    with temporary_folder(f".{folder.name}-", parent) as scratch:
        copy = scratch / "toolkit"
        shutil.copytree(made, copy, symlinks=True)
        for link in (copy / "include", copy / "lib64" / LIBRARY):
            target = link.resolve()
            if link.is_symlink():
                link.unlink()
                (shutil.copytree if target.is_dir() else shutil.copy2)(target, link)
        _write_compilers(copy / "bin", folder.absolute())
        (copy / _MARK).write_text(made.name)
        if folder.exists():
            folder.rename(scratch / "old")
        copy.rename(folder)


def is_toolkit(folder: Path) -> bool:
    """Whether `install_toolkit` has made `folder`."""
    return (folder / _MARK).exists()


def _installed(folder: Path, toolchain: Toolchain) -> Path:
    mend = f"warploom toolkit --install {folder}"
    if not is_toolkit(folder):
        raise Diagnostic(f"{TOOLKIT} names {folder}, which is no toolkit of Warploom's", hint=mend)
    if (folder / _MARK).read_text() != _toolkit_of_cache(toolchain).name:
        raise Diagnostic(f"the toolkit {folder} was made by another Warploom", hint=mend)
    return folder.absolute()


def link_flags(toolchain: Toolchain, *, static: bool = False) -> list[str]:
    """What links a program against the runtime, wherever it is run from; `static` puts the runtime into the program.

    A program with the runtime inside shows it to the shared libraries that it loads: they use the same one.
    """
    if not static and prebuilt(toolchain) is None:
        static = is_passing(toolkit(toolchain))  # nobody would find it later
    if static:
        return [str(_static_library(toolchain)), *(f"-Wl,--export-dynamic-symbol={name}" for name in _exported())]
    lib = toolkit(toolchain) / "lib64"
    stable = lib if is_toolkit(lib.parent) else prebuilt(toolchain) or lib
    return [f"-L{lib}", "-lwarploom", f"-Wl,-rpath,{stable.resolve()}", "-Wl,-rpath,$ORIGIN"]


def _static_library(toolchain: Toolchain) -> Path:
    """The whole runtime as one object file."""
    ready = prebuilt(toolchain)
    if ready is not None and (ready / STATIC_LIBRARY).exists():
        return ready / STATIC_LIBRARY

    def join(folder: Path) -> None:
        _run([toolchain.partial_linker(), "-r", *_objects(toolchain), "-o", folder / STATIC_LIBRARY])

    return cached_entry("static-runtime", toolkit_key(toolchain), join) / STATIC_LIBRARY


def _exported() -> list[str]:
    """The names that the runtime shows, with `*` for any ending."""
    named = re.search(r"global:([^}]*?)local:", (SOURCES / "exports.map").read_text())
    assert named is not None
    return [name.strip() for name in named[1].split(";") if name.strip()]


def prebuild(folder: Path) -> str:
    """Build the libraries of a wheel under `folder`; the wheel's platform, as in its file's name.

    With gcc's static libraries the standard library goes inside and stays invisible there, so that one build serves
    every program; without them programs must have libc++.
    """
    toolchain = find_toolchain()
    objects = _objects(toolchain)
    inside = [] if toolchain.standard_library == "libc++" else ["-static-libstdc++", "-static-libgcc", _NO_UNIQUE]
    made = folder / (toolchain.triple if inside else f"{toolchain.triple}-libc++")
    made.mkdir(parents=True)
    general = [flag for flag in toolchain.link_flags if not flag.startswith("-Wl,-rpath")]  # no places of this machine
    _link(toolchain, objects, made / LIBRARY, [*general, *(inside or [f"-Wl,-rpath,{_LIBCXX}"])])
    if inside:
        joined = ["-r", "-nostdlib", "-fuse-ld=bfd", "-Wl,--force-group-allocation"]
        libraries = ["-Wl,--start-group", "-l:libstdc++.a", "-l:libgcc_eh.a", "-lgcc", "-Wl,--end-group"]
        _run([toolchain.clang, *toolchain.target.flags, *joined, *objects, *libraries, "-o", made / STATIC_LIBRARY])
        # Weak first: a unique symbol cannot be made local.
        _run(["objcopy", "--wildcard", "--weaken-symbol=_Z*", made / STATIC_LIBRARY])
        kept = [f"--keep-global-symbol={name}" for name in _exported()]
        _run(["objcopy", "--wildcard", *kept, made / STATIC_LIBRARY])
    return _platform_tag(made / LIBRARY, toolchain)


def _platform_tag(library: Path, toolchain: Toolchain) -> str:
    """`manylinux_2_N_ARCH`: the oldest C library that has all the functions which `library` uses."""
    versions = re.findall(rb"\0GLIBC_2\.(\d+)(?:\.\d+)?(?=\0)", library.read_bytes())
    return f"manylinux_2_{max(map(int, versions))}_{toolchain.target.arch}"


def _make(toolchain: Toolchain, folder: Path) -> None:
    lib = folder / "lib64"
    lib.mkdir()
    ready = prebuilt(toolchain)
    if ready is not None:
        (lib / LIBRARY).symlink_to(ready / LIBRARY)
    else:
        _link(toolchain, _objects(toolchain), lib / LIBRARY, toolchain.link_flags)
    for alias in ALIASES:
        (lib / f"lib{alias}.so").symlink_to(LIBRARY)
    for name in ("libcuda.so.1", "libnvidia-ml.so.1"):  # what programs open to find functions by name
        (lib / name).symlink_to(LIBRARY)
    (folder / "lib").symlink_to("lib64")
    (folder / "include").symlink_to(INCLUDE)
    (folder / "nvvm" / "libdevice").mkdir(parents=True)  # CMake takes a folder for a toolkit when it has this one
    _write_compilers(folder / "bin", None)


def _write_compilers(folder: Path, home: Path | None) -> None:
    """The programs of bin; `home`: the toolkit that they belong to, if it is not the cache's."""
    folder.mkdir(exist_ok=True)
    belongs = f"import os\nos.environ.setdefault({TOOLKIT!r}, {str(home)!r})\n" if home is not None else ""
    for name, (module, argument) in _PROGRAMS.items():
        call = f"from warploom.cli.{module} import main\nsys.exit(main({argument}))\n"
        (folder / name).write_text(f"#!{sys.executable}\nimport sys\n{belongs}{call}")
        (folder / name).chmod(0o755)


def _link(toolchain: Toolchain, objects: Sequence[Path], library: Path, flags: Sequence[str]) -> None:
    _run([
        toolchain.clang, *flags, "-shared", *objects, "-o", library, f"-Wl,-soname,{LIBRARY}", "-lpthread", "-ldl",
        "-Wl,-z,defs", f"-Wl,--version-script={SOURCES / 'exports.map'}",
    ])  # fmt: skip


def _objects(toolchain: Toolchain) -> list[Path]:
    """The objects of all sources, compiled side by side; says on stderr that this takes a while, and how far it is."""
    from concurrent.futures import ThreadPoolExecutor  # seldom needed, slow to load

    sources = _sources()
    missing = sum(not entry_path("object", _object_key(toolchain, source)).is_dir() for source in sources)
    progress = Progress("building the runtime, once", missing)
    pool = ThreadPoolExecutor(max_workers=len(os.sched_getaffinity(0)))
    try:
        headers = _standard_headers(toolchain)
        compiled = [pool.submit(_object, toolchain, source, headers, progress) for source in sources]
        return [each.result() for each in compiled]
    finally:  # an interrupt waits for the compilations that run, and starts no other
        pool.shutdown(cancel_futures=True)
        progress.end()


def _object(toolchain: Toolchain, source: Path, headers: Path, progress: Progress) -> Path:
    """The object of one source file, compiled when the cache has none; `headers`: the standard ones, precompiled."""
    includes = ["-I", SOURCES, "-I", INCLUDE]

    def compile_into(folder: Path) -> None:
        made = folder / "object.o"
        read_before = ["-include-pch", headers] if source.suffix == ".cpp" else []
        if source.name in _WITH_TYPES:
            read_before = ["-g"]
        _run([toolchain.clang, *toolchain.cxx_flags, *_FLAGS, *read_before, *includes, "-c", source, "-o", made])
        progress.step()

    return cached_entry("object", _object_key(toolchain, source), compile_into) / "object.o"


def _standard_headers(toolchain: Toolchain) -> Path:
    """The standard library's headers, precompiled when the cache has none."""
    named = [word for name in _STANDARD_HEADERS for word in ("-include", name)]

    def compile_into(folder: Path) -> None:
        header = ["-x", "c++-header", os.devnull, "-o", folder / "standard.pch"]
        _run([toolchain.clang, *toolchain.cxx_flags, *_FLAGS, *named, *header])

    key = content_key(str(toolchain.clang.resolve()), toolchain.version, *toolchain.cxx_flags, *_FLAGS, *named)
    return cached_entry("runtime-headers", key, compile_into) / "standard.pch"


def _run(command: list[str | Path]) -> None:
    result = run_tool(command)
    if result.returncode != 0:
        raise Diagnostic(
            f"the runtime does not build:\n{result.stderr}",
            hint="run `warploom doctor`: it says what the machine lacks",
        )
