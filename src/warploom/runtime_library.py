# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Build the C++ runtime with the found clang, once for each content of its sources, and lay it out as a toolkit.

The result is a folder as CUDA installs it, so that build systems find what they look for:

    lib64/libwarploom.so, libcudart.so -> libwarploom.so, ...    include -> the CUDA headers    bin/nvcc -> warpcc
"""

from __future__ import annotations

import os
import sys
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

from warploom.cache import cached_entry, content_key
from warploom.diagnostics import Diagnostic
from warploom.frontend.passes import INCLUDE
from warploom.toolchain import Toolchain, run_tool

SOURCES = Path(__file__).resolve().parent / "runtime"
LIBRARY = "libwarploom.so"
# Libraries that programs name on the link line and that libwarploom stands in for.
ALIASES = ("cudart", "cuda", "cudart_static", "cudadevrt")
_COMPILE_FLAGS = ("-std=c++20", "-O2", "-g1", "-fPIC", "-fvisibility=hidden", "-Wall", "-Wextra", "-fno-math-errno")
_SUFFIXES = (".cpp", ".S")


def toolkit(toolchain: Toolchain) -> Path:
    """The toolkit folder, built when the cache has none for these sources and this toolchain."""
    return cached_entry("toolkit", toolkit_key(toolchain), lambda folder: _build(toolchain, folder))


def toolkit_key(toolchain: Toolchain) -> str:
    """Changes with every source, header and tool that the toolkit is made of."""
    files = sorted(path for path in SOURCES.rglob("*") if path.is_file())
    headers = sorted(INCLUDE.rglob("*"))
    stamps = [f"{path}:{path.stat().st_mtime_ns}:{path.stat().st_size}" for path in headers if path.is_file()]
    contents = [path.read_bytes() for path in files]
    tools = [
        str(toolchain.clang),
        toolchain.version,
        toolchain.standard_library,
        str(toolchain.tbb_lib),
        sys.executable,
    ]
    return content_key(*tools, *_COMPILE_FLAGS, *stamps, *contents)


def link_flags(toolchain: Toolchain) -> list[str]:
    """What links a program against the runtime, wherever it is run from."""
    lib = toolkit(toolchain) / "lib64"
    return [f"-L{lib}", "-lwarploom", f"-Wl,-rpath,{lib}"]


def _build(toolchain: Toolchain, folder: Path) -> None:
    lib = folder / "lib64"
    objects = folder / "objects"
    lib.mkdir()
    objects.mkdir()
    sources = sorted(path for path in SOURCES.rglob("*") if path.suffix in _SUFFIXES)
    with ThreadPoolExecutor(max_workers=os.cpu_count() or 1) as pool:
        compiled = [pool.submit(_compile, toolchain, source, objects) for source in sources]
        made = [each.result() for each in compiled]
    _run([
        toolchain.clang, *toolchain.link_flags, "-shared", *made, "-o", lib / LIBRARY, f"-Wl,-soname,{LIBRARY}",
        f"-L{toolchain.tbb_lib}", f"-Wl,-rpath,{toolchain.tbb_lib}", "-ltbb", "-lpthread", "-ldl", "-Wl,-z,defs",
    ])  # fmt: skip
    for item in objects.iterdir():
        item.unlink()
    objects.rmdir()
    for alias in ALIASES:
        (lib / f"lib{alias}.so").symlink_to(LIBRARY)
    (folder / "lib").symlink_to("lib64")
    (folder / "include").symlink_to(INCLUDE)
    binaries = folder / "bin"
    binaries.mkdir()
    script = f"#!{sys.executable}\nimport sys\nfrom warploom.cli.warpcc import main\nsys.exit(main(sys.argv[1:]))\n"
    for name in ("nvcc", "warpcc"):
        (binaries / name).write_text(script)
        (binaries / name).chmod(0o755)


def _compile(toolchain: Toolchain, source: Path, objects: Path) -> Path:
    made = objects / (source.relative_to(SOURCES).as_posix().replace("/", "-") + ".o")
    includes = ("-I", SOURCES, "-I", INCLUDE, "-isystem", toolchain.tbb_include)
    _run([toolchain.clang, *toolchain.cxx_flags, *_COMPILE_FLAGS, *includes, "-c", source, "-o", made])
    return made


def _run(command: list[str | Path]) -> None:
    result = run_tool(command)
    if result.returncode != 0:
        raise Diagnostic(
            f"the runtime does not build:\n{result.stderr}",
            hint="run `warploom doctor`: it says what the machine lacks",
        )
