# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Modules: kernels that a program loads while it runs, from a file or from NVRTC."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from warploom.toolchain import find_toolchain

HERE = Path(__file__).resolve().parent / "modules"


def build(*words: str | Path) -> None:
    command = [sys.executable, "-m", "warploom.cli.warpcc", *map(str, words)]
    done = subprocess.run(command, capture_output=True, text=True, timeout=300, check=False)
    assert done.returncode == 0, done.stderr


@pytest.fixture(scope="module")
def loader(tmp_path_factory: pytest.TempPathFactory) -> Path:
    program = tmp_path_factory.mktemp("loader") / "loader"
    build(HERE / "loader.cpp", "-o", program, "-lcuda")
    return program


def run(*words: str | Path) -> subprocess.CompletedProcess[str]:
    return subprocess.run([*map(str, words)], capture_output=True, text=True, timeout=100, check=False)


@pytest.mark.parametrize("engine", ["loom", "reference"])
def test_each_load_has_variables_of_its_own(loader: Path, tmp_path: Path, engine: str) -> None:
    binary, text = tmp_path / "kernel.fatbin", tmp_path / "kernel.ptx"
    build(f"--engine={engine}", "-fatbin", HERE / "kernel.cu", "-o", binary)
    build(f"--engine={engine}", "-ptx", HERE / "kernel.cu", "-o", text)
    done = run(loader, binary, text, binary)
    # kernel.cu reverses 0..99 by blocks of 64: thread 0 sees 63 (2 * 63 + 1 + what the loader set: 100 a load).
    assert done.stdout == "227 101 seen 8\n327 201 seen 8\n427 301 seen 8\n", done.stderr


def test_a_name_that_is_not_there(loader: Path, tmp_path: Path) -> None:
    (tmp_path / "empty.cu").write_text("__global__ void other() {}\n")
    build("-cubin", tmp_path / "empty.cu", "-o", tmp_path / "empty.cubin")
    assert run(loader, tmp_path / "empty.cubin").stdout == "cuModuleGetFunction: CUDA_ERROR_NOT_FOUND\n"


# feature: Modules / PTX and GPU code of other compilers [refused]
def test_code_for_a_gpu_is_refused(loader: Path, tmp_path: Path) -> None:
    (tmp_path / "real.ptx").write_text(".version 8.0\n.target sm_80\n")
    done = run(loader, tmp_path / "real.ptx")
    assert done.stdout == "cuModuleLoad: CUDA_ERROR_INVALID_IMAGE\n"
    assert "no module of warpcc's" in done.stderr


def test_the_text_form_holds_no_zero_byte(tmp_path: Path) -> None:
    build("-ptx", HERE / "kernel.cu", "-o", tmp_path / "kernel.ptx")
    assert b"\0" not in (tmp_path / "kernel.ptx").read_bytes()


def test_names_of_nvrtc_are_those_of_the_module(tmp_path: Path) -> None:
    build(HERE / "lowered_names.cpp", "-o", tmp_path / "program", "-lnvrtc", "-lcuda")
    done = run(tmp_path / "program")
    too_early, too_late = "NVRTC_ERROR_NO_LOWERED_NAMES_BEFORE", "NVRTC_ERROR_NO_NAME_EXPRESSIONS_AFTER"
    names = [
        f"{too_early}_COMPILATION, NVRTC_SUCCESS, {too_late}_COMPILATION",
        "31 names right",
        "NVRTC_ERROR_NAME_EXPRESSION_NOT_VALID",
    ]
    wrong = [f"{each}: NVRTC_ERROR_COMPILATION, {too_early}_COMPILATION" for each in ("v", "dfun", "&arr[1]")]
    assert done.stdout.splitlines() == [*names, *names, *wrong], done.stderr


def test_nvrtc_compiles_loads_and_names(tmp_path: Path) -> None:
    build(HERE / "runtime_compilation.cpp", "-o", tmp_path / "program", "-lnvrtc", "-lcuda")
    done = run(tmp_path / "program")
    assert done.stdout.splitlines() == [
        "_Z4fillIxLi7EEvPT_ _ZN1n1vE plain",
        "1017",
        "NVRTC_ERROR_COMPILATION",
        "default_program:1:34: error: use of undeclared identifier 'nothing'",
        "NVRTC_ERROR_INVALID_OPTION",
    ], done.stderr


def test_nvjitlink_makes_one_module_of_several_sources(tmp_path: Path) -> None:
    build("-ltoir", HERE / "offset.cu", "-o", tmp_path / "offset.ltoir")
    build(HERE / "linking.cpp", "-o", tmp_path / "program", "-lnvJitLink", "-lnvrtc", "-lcuda")
    done = run(tmp_path / "program", tmp_path / "offset.ltoir")
    values = ["complete: 0", "load: 0, 0, 0: 27 47 67 87"]
    assert done.stdout.splitlines() == [
        *("add: 0 0 0", *values, ""),
        *("add: 0", *values, "add: 0", "complete: 3", "machine code is not linked"),
        *("complete: 5", "size: 0", "unresolved device symbol"),
        *("complete: 5", "size: 0", "symbol multiply defined"),
        *("add: 18 8 8 8 3 10", "complete: 3", "short is no module of warpcc's"),
        *("create: 2", "-arch=sm_NN is not there", "create: 1", "unknown option '-such'"),
    ], done.stderr


def test_libraries_as_on_a_gpu(tmp_path: Path) -> None:
    build(HERE / "libraries.cu", "-o", tmp_path / "program", "-lnvrtc", "-lcuda")
    done = run(tmp_path / "program")
    assert done.stdout == (HERE / "libraries.out").read_text(), done.stderr


# A GPU's driver takes any bytes when they are given to it, and fails when it looks for a kernel.
@pytest.mark.parametrize("api", ["cuda", "cu"])
def test_a_library_that_is_no_module_is_refused_at_once(tmp_path: Path, api: str) -> None:
    (tmp_path / "program.cu").write_text(
        "#include <cuda.h>\n#include <cstdio>\nint main() { cudaLibrary_t library; cuInit(0);\n"
        f'std::printf("%d", {api}LibraryLoadData(&library, "rubbish", nullptr, nullptr, 0, nullptr, nullptr, 0)); }}\n'
    )
    build(tmp_path / "program.cu", "-o", tmp_path / "program", "-lcuda")
    done = run(tmp_path / "program")
    assert done.stdout == "200"
    assert "no module of warpcc's" in done.stderr


@pytest.mark.parametrize("name", ["libcuda.so.1", "libcuda.so"])
def test_functions_by_name_have_the_parameters_of_their_version(tmp_path: Path, name: str) -> None:
    """Also where another library of the driver's name comes first, as on machines with NVIDIA's."""
    program, other = tmp_path / "program", tmp_path / "other"
    build(HERE / "entry_points.cpp", "-o", program, "-lcuda")
    other.mkdir()
    link = ["-shared", "-nostdlib", "-fuse-ld=lld", f"-Wl,-soname,{name}", "-x", "c", "/dev/null", "-o", other / name]
    subprocess.run([find_toolchain().clang, *link], check=True)
    done = subprocess.run(
        [program, name], env=dict(os.environ, LD_LIBRARY_PATH=str(other)), capture_output=True, text=True, check=False
    )
    assert done.stdout.splitlines() == [
        *("cuMemPrefetchAsync 12010: 0 0", "  0", "  -1", "cuMemPrefetchAsync 12020: 0 0", "  0", "  0"),
        *("cuStreamGetCtx 12000: 0 0", "  1", "cuStreamGetCtx 12050: 0 0", "  1 1"),
        *("cuGraphAddKernelNode 11000: 0 1", "cuGraphAddKernelNode 12000: 0 0", "cuNoSuchFunction 13000: 0 1"),
    ], done.stderr


def test_a_program_compiles_many_times(tmp_path: Path) -> None:
    program = tmp_path / "many"
    build(HERE / "many_compilations.cpp", "-o", program, "-lnvrtc", "-lcuda")
    (tmp_path / "value.h").write_text("#define VALUE 3\n")
    done = run(program, tmp_path)
    expected = (
        "threads: 0 0 0 0\nwrong: 6 at line 1\nfolder: 0\nenvironment: 0\nenvironment: 0\n"
        "forked: 0\nafter: 0\nchildren: 0\n"
    )
    assert done.stdout == expected, done.stderr
