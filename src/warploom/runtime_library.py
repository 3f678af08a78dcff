# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Build the C++ runtime with the found clang, once for each content of its sources, and lay it out as a toolkit.

The result is a folder as CUDA installs it, so that build systems find what they look for:

    lib64/libwarploom.so, libcudart.so -> libwarploom.so, ...    include -> the CUDA headers    bin/nvcc -> warpcc
"""

from __future__ import annotations

import os
import re
import sys
from functools import cache
from pathlib import Path

from warploom.cache import cached_entry, content_key, package_key
from warploom.diagnostics import Diagnostic
from warploom.frontend.passes import INCLUDE
from warploom.toolchain import Toolchain, run_tool

SOURCES = Path(__file__).resolve().parent / "runtime"
LIBRARY = "libwarploom.so"
# Libraries that programs name on the link line and that libwarploom stands in for.
ALIASES = (
    "cudart", "cuda", "cudart_static", "cudadevrt", "cublas", "cublas_static", "cublasLt", "cublasLt_static", "cufft",
    "cufft_static", "curand", "curand_static", "cusparse", "cusparse_static", "cusolver", "cusolver_static", "nvrtc",
    "nvrtc_static", "nvToolsExt",
)  # fmt: skip
_FLAGS = ("-std=c++20", "-O2", "-g1", "-fPIC", "-fvisibility=hidden", "-Wall", "-Wextra", "-fno-math-errno")
_SUFFIXES = (".cpp", ".S")


def toolkit(toolchain: Toolchain) -> Path:
    """The toolkit folder, built when the cache has none for these sources and this toolchain.

    Reading every source takes a while: a second, quick entry of the cache leads from the files' times to the toolkit.
    """
    quick = content_key(package_key(), str(toolchain.clang), sys.executable, *toolchain.link_flags)

    def build_and_link(folder: Path) -> None:
        built = cached_entry("toolkit", toolkit_key(toolchain), lambda folder: _build(toolchain, folder))
        (folder / "toolkit").symlink_to(built)

    return (cached_entry("toolkit-link", quick, build_and_link) / "toolkit").resolve()


def toolkit_key(toolchain: Toolchain) -> str:
    """Changes with every source, header and tool that the toolkit is made of."""
    objects = [_object_key(toolchain, source) for source in _sources()]
    objects += [(SOURCES / "exports.map").read_text(), Path(__file__).read_text()]
    return content_key(toolchain.triple, str(INCLUDE), sys.executable, *toolchain.link_flags, *objects)


def _sources() -> list[Path]:
    return sorted(path for path in SOURCES.rglob("*") if path.suffix in _SUFFIXES)


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


def link_flags(toolchain: Toolchain) -> list[str]:
    """What links a program against the runtime, wherever it is run from."""
    lib = toolkit(toolchain) / "lib64"
    return [f"-L{lib}", "-lwarploom", f"-Wl,-rpath,{lib}"]


def _build(toolchain: Toolchain, folder: Path) -> None:
    from concurrent.futures import ThreadPoolExecutor  # seldom needed, slow to load

    lib = folder / "lib64"
    lib.mkdir()
    with ThreadPoolExecutor(max_workers=os.cpu_count() or 1) as pool:
        compiled = [pool.submit(_object, toolchain, source) for source in _sources()]
        made = [each.result() for each in compiled]
    _run([
        toolchain.clang, *toolchain.link_flags, "-shared", *made, "-o", lib / LIBRARY, f"-Wl,-soname,{LIBRARY}",
        "-lpthread", "-ldl", "-Wl,-z,defs",
        f"-Wl,--version-script={SOURCES / 'exports.map'}",
    ])  # fmt: skip
    for alias in ALIASES:
        (lib / f"lib{alias}.so").symlink_to(LIBRARY)
    (lib / "libcuda.so.1").symlink_to(LIBRARY)  # what programs open to find functions of the driver by name
    (folder / "lib").symlink_to("lib64")
    (folder / "include").symlink_to(INCLUDE)
    (folder / "nvvm" / "libdevice").mkdir(parents=True)  # CMake takes a folder for a toolkit when it has this one
    binaries = folder / "bin"
    binaries.mkdir()
    script = f"#!{sys.executable}\nimport sys\nfrom warploom.cli.warpcc import main\nsys.exit(main(sys.argv[1:]))\n"
    for name in ("nvcc", "warpcc"):
        (binaries / name).write_text(script)
        (binaries / name).chmod(0o755)


def _object(toolchain: Toolchain, source: Path) -> Path:
    """The object of one source file, compiled when the cache has none."""
    includes = ["-I", SOURCES, "-I", INCLUDE]

    def compile_into(folder: Path) -> None:
        made = folder / "object.o"
        _run([toolchain.clang, *toolchain.cxx_flags, *_FLAGS, *includes, "-c", source, "-o", made])

    return cached_entry("object", _object_key(toolchain, source), compile_into) / "object.o"


def _run(command: list[str | Path]) -> None:
    result = run_tool(command)
    if result.returncode != 0:
        raise Diagnostic(
            f"the runtime does not build:\n{result.stderr}",
            hint="run `warploom doctor`: it says what the machine lacks",
        )
