# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Compile each C++ test of the CUDA API against libwarploom and run it; the headers must compile as C and C++ too."""

from __future__ import annotations

import os
import subprocess
from pathlib import Path

import pytest

from warploom.frontend.passes import INCLUDE
from warploom.runtime_library import link_flags
from warploom.toolchain import find_toolchain

HERE = Path(__file__).parent
TESTS = sorted(HERE.glob("*.cpp"))
ENVIRONMENT = {
    "memory": {"WARPLOOM_DEVICE_MEMORY": "64M"},
    "devices": {"WARPLOOM_DEVICE_COUNT": "2"},
}
# Run again with guard pages: allocations begin anywhere then, and nothing may mind.
GUARDED = ("arrays", "interprocess", "virtual_memory")
# Run again on one thread: each grid keeps all processors at work then, and up to 100 us run in the launching call.
ALONE = ("stream_dags", "stream_queue", "streams")
HOST_HEADERS = ("cuda_runtime_api.h", "driver_types.h", "cuda.h", "cuda_profiler_api.h", "library_types.h")


@pytest.mark.parametrize("source", TESTS, ids=lambda path: path.stem)
def test_api(source: Path, tmp_path: Path) -> None:
    """Every line the program prints reports a passing test; it ends with success and in time."""
    toolchain = find_toolchain()
    program = tmp_path / source.stem
    command = [toolchain.clang, *toolchain.cxx_flags, "-std=c++20", "-O1", "-Wall", "-Wextra", "-Werror"]
    command += ["-I", INCLUDE, source, *toolchain.link_flags, *link_flags(toolchain), "-lpthread", "-o", program]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    environment = os.environ | ENVIRONMENT.get(source.stem, {})
    runs: list[dict[str, str]] = [{}]
    runs += [{"WARPLOOM_GUARD": "1"}] if source.stem in GUARDED else []
    runs += [{"WARPLOOM_NUM_THREADS": "1"}] if source.stem in ALONE else []
    for each in runs:
        more = environment | each
        done = subprocess.run([program], capture_output=True, text=True, timeout=60, check=False, env=more)
        assert done.returncode == 0, done.stdout + done.stderr
        assert done.stdout
        assert all(line.startswith("ok ") for line in done.stdout.splitlines()), done.stdout


@pytest.mark.parametrize("language", ["c", "c++"])
@pytest.mark.parametrize("header", HOST_HEADERS)
def test_host_header(header: str, language: str, tmp_path: Path) -> None:
    """Host files in plain C and C++ may include the API."""
    source = tmp_path / "host.txt"
    source.write_text(f"#include <{header}>\nint main(void) {{ return 0; }}\n")
    command = [find_toolchain().clang, "-x", language, "-Wall", "-Wextra", "-Werror", "-I", INCLUDE, "-fsyntax-only"]
    done = subprocess.run([*command, source], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr


@pytest.mark.parametrize(("text", "total"), [("96M", 96 << 20), ("1g", 1 << 30), ("131072", 1 << 17)])
def test_device_memory_has_units(tmp_path: Path, text: str, total: int) -> None:
    done = total_memory(tmp_path, text)
    assert (done.stdout, done.stderr) == (f"{total}\n", "")


@pytest.mark.parametrize("text", ["lots", "8Gi", "-1", "0", "99999999999T"])
def test_device_memory_that_is_no_size(tmp_path: Path, text: str) -> None:
    done = total_memory(tmp_path, text)
    assert int(done.stdout) > 1 << 20
    assert done.stderr == (
        f"warploom: WARPLOOM_DEVICE_MEMORY={text} ignored: expected bytes, 64K at least, as 8589934592 or 8G\n"
    )


def total_memory(folder: Path, text: str) -> subprocess.CompletedProcess[str]:
    """What cudaMemGetInfo says under WARPLOOM_DEVICE_MEMORY=text."""
    toolchain = find_toolchain()
    source, program = folder / "total.cpp", folder / "total"
    source.write_text(
        "#include <cuda_runtime_api.h>\n#include <cstdio>\nint main() {\n"
        '  size_t free_, total;\n  cudaMemGetInfo(&free_, &total);\n  std::printf("%zu\\n", total);\n}\n'
    )
    command: list[str | Path] = [toolchain.clang, *toolchain.cxx_flags, "-I", INCLUDE, source, *toolchain.link_flags]
    done = subprocess.run(
        [*command, *link_flags(toolchain), "-o", program], capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stderr
    environment = {**os.environ, "WARPLOOM_DEVICE_MEMORY": text}
    return subprocess.run([program], capture_output=True, text=True, timeout=60, check=False, env=environment)
