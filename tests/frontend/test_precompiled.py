# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The CUDA headers are precompiled for flags that come again, and made anew when a file of theirs changes."""

from __future__ import annotations

from pathlib import Path

import pytest

from warploom.frontend.deferred_checks import drop_deferred_checks
from warploom.frontend.passes import INCLUDE, PLAIN_HEADER, SourceOptions, device_command, device_flags
from warploom.frontend.precompiled import header_flags
from warploom.toolchain import find_toolchain, run_tool


@pytest.fixture
def header(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A header of our own in the place of cuda_runtime.h."""
    monkeypatch.setenv("WARPLOOM_CACHE_DIR", str(tmp_path / "cache"))
    include = tmp_path / "include"
    (include / "warploom").mkdir(parents=True)
    (include / "warploom" / "precompiled.cu").write_text('#include "../cuda_runtime.h"\n')
    made = include / "cuda_runtime.h"
    made.write_text(f'#pragma once\n#include "{INCLUDE / "cuda_runtime.h"}"\n__device__ int from_header;\n')
    return made


def compiles(folder: Path, words: list[str], name: str) -> bool:
    source = folder / "t.cu"
    source.write_text(f"__global__ void k(int *p) {{ *p = {name}; }}\n")
    command = device_command(find_toolchain(), source, folder / "t.bc", SourceOptions(), words)
    return run_tool(command).returncode == 0


def test_the_second_time_the_header_is_precompiled(tmp_path: Path, header: Path) -> None:
    flags = device_flags(find_toolchain(), SourceOptions())
    first, second = header_flags(flags, header), header_flags(flags, header)
    assert first == ["-include", str(header)]
    assert second[1] == "-include-pch"
    assert compiles(tmp_path, first, "from_header")
    assert compiles(tmp_path, second, "from_header")


def test_other_flags_are_another_header(header: Path) -> None:
    flags = device_flags(find_toolchain(), SourceOptions())
    header_flags(flags, header)
    assert header_flags([*flags, "-DOTHER"], header)[0] == "-include"


def test_a_changed_file_makes_the_header_anew(tmp_path: Path, header: Path) -> None:
    flags = device_flags(find_toolchain(), SourceOptions())
    header_flags(flags, header)
    stale = header_flags(flags, header)
    header.write_text(header.read_text().replace("from_header", "renamed_variable"))
    words = header_flags(flags, header)
    assert words == stale, "the same place, filled again"
    assert compiles(tmp_path, words, "renamed_variable")
    assert not compiles(tmp_path, words, "from_header")


@pytest.mark.parametrize("words", [PLAIN_HEADER, None], ids=["plain", "precompiled"])
def test_what_is_included_before_the_source_knows_cuda(
    tmp_path: Path, header: Path, words: tuple[str, ...] | None
) -> None:
    (tmp_path / "before.h").write_text("__device__ inline int twice(int x) { return 2 * x; }\n")
    options = SourceOptions(preprocessor=("-include", str(tmp_path / "before.h")))
    if words is None:
        flags = device_flags(find_toolchain(), options)
        header_flags(flags, header)
        words = tuple(header_flags(flags, header))
        assert words[1] == "-include-pch"
    source = tmp_path / "t.cu"
    source.write_text("__global__ void k(int *p) { *p = twice(*p); }\n")
    result = run_tool(device_command(find_toolchain(), source, tmp_path / "t.bc", options, words))
    assert result.returncode == 0, result.stderr


CALLS_HOST = """
void on_host(int);
template <class T> __host__ __device__ void either(T x) { on_host(x); }
template <class T> __host__ __device__ T fine(T x) { return x + 1; }
__global__ void k(int *p) { p[0] = fine(p[0]); }
#ifdef WRONG
__global__ void wrong(int *p) { either(p[0]); }
#endif
"""


def test_the_header_has_no_list_of_functions_to_look_at_and_the_code_is_the_same(tmp_path: Path) -> None:
    toolchain, options = find_toolchain(), SourceOptions()
    flags = device_flags(toolchain, options)
    made = tmp_path / "header.pch"
    source = INCLUDE / "warploom" / "precompiled.cu"
    assert run_tool([*flags, "-c", source, "-o", made, "-Xclang", "-emit-pch"]).returncode == 0
    kernel, bitcode = tmp_path / "t.cu", tmp_path / "t.bc"
    kernel.write_text(CALLS_HOST)
    words = ["-Xclang", "-include-pch", "-Xclang", str(made)]
    found: list[bytes] = []
    for _ in range(2):
        assert run_tool(device_command(toolchain, kernel, bitcode, options, words)).returncode == 0
        found.append(bitcode.read_bytes())
        wrong = run_tool([*device_command(toolchain, kernel, bitcode, options, words), "-DWRONG"])
        assert "reference to __host__ function 'on_host' in __host__ __device__ function" in wrong.stderr
        assert "called by 'wrong'" in wrong.stderr
        drop_deferred_checks(made)
    assert found[0] == found[1]
    size = made.stat().st_size
    assert not drop_deferred_checks(made), "it is gone"
    assert made.stat().st_size == size


@pytest.mark.parametrize("kept", [0, 3, 100, 20_000, -1])
def test_a_torn_header_is_left_as_it_is(tmp_path: Path, kept: int) -> None:
    made, flags = tmp_path / "header.pch", device_flags(find_toolchain(), SourceOptions())
    source = tmp_path / "small.cu"
    source.write_text("inline int f(int x) { return x; }\n")
    assert run_tool([*flags, "-c", source, "-o", made, "-Xclang", "-emit-pch"]).returncode == 0
    torn = made.read_bytes()[:kept] if kept >= 0 else b"CPCH" + bytes(range(256)) * 40
    made.write_bytes(torn)
    assert not drop_deferred_checks(made)
    assert made.read_bytes() == torn
