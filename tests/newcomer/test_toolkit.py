# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Build systems of others find a CUDA toolkit, with what a new user types and nothing else."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from warploom.cli.main import main
from warploom.frontend.cccl import packaged_cccl

CUDA = r"""
#include <cstdio>
__global__ void k() { printf("%s\n", "kernel"); }
int run() { k<<<1, 1>>>(); return cudaDeviceSynchronize(); }
#ifndef PART
int main() { return run(); }
#endif
"""
CXX = r"""
#include <cstdio>
#include <cuda.h>
#include <cuda_runtime.h>
int main() {
  int count = 0, version = 0;
  cudaGetDeviceCount(&count);
  cuDriverGetVersion(&version);
  std::printf("%d %d\n", count, version);
}
"""
CUDA_PROJECT = """cmake_minimum_required(VERSION 3.18)
project(a LANGUAGES CXX CUDA)
add_executable(a a.cu)
"""
TARGETS = (
    "cudart cudart_static cuda_driver cublas cublasLt cublas_static cufft cufftw curand cusolver cusparse nvrtc nvtx3 "
    "nvml culibos"
)
CXX_PROJECT = f"""cmake_minimum_required(VERSION 3.25)
project(b LANGUAGES CXX)
find_package(CUDAToolkit REQUIRED)
foreach(name {TARGETS})
  if(NOT TARGET CUDA::${{name}})
    message(FATAL_ERROR "there is no CUDA::${{name}}")
  endif()
endforeach()
add_executable(b b.cpp)
target_link_libraries(b CUDA::cudart CUDA::cuda_driver)
"""
MAKEFILE = """CUDA_PATH ?= /usr/local/cuda
c: a.cu
\t$(CUDA_PATH)/bin/nvcc -DPART -c a.cu -o a.o
\techo 'int run(); int main() { return run(); }' > c.cpp
\tg++ -I$(CUDA_PATH)/include c.cpp a.o -L$(CUDA_PATH)/lib64 -lcudart -Wl,-rpath,$(CUDA_PATH)/lib64 -o c
"""
needs_cmake = pytest.mark.skipif(shutil.which("cmake") is None or shutil.which("g++") is None, reason="cmake, g++")


@pytest.fixture(autouse=True)
def project(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    Path("a.cu").write_text(CUDA)
    Path("b.cpp").write_text(CXX)


def _call(*command: str, **variables: str) -> str:
    done = subprocess.run(command, env=dict(os.environ, **variables), capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout


def _exports(text: str) -> dict[str, str]:
    """The variables after a shell has read `text`."""
    printed = _call("sh", "-c", f"{text}\nenv -0")
    return dict(each.split("=", 1) for each in printed.split("\0") if "=" in each)


@needs_cmake
def test_cmake_without_architectures(capsys: pytest.CaptureFixture[str]) -> None:
    Path("CMakeLists.txt").write_text(CUDA_PROJECT)
    assert main(["env"]) == 0
    variables = _exports(capsys.readouterr().out)
    _call("cmake", "-B", "build", ".", **variables)
    _call("cmake", "--build", "build", **variables)
    assert _call("build/a") == "kernel\n"


@needs_cmake
def test_cmake_for_cxx_alone(capsys: pytest.CaptureFixture[str]) -> None:
    Path("CMakeLists.txt").write_text(CXX_PROJECT)
    assert main(["env"]) == 0
    variables = _exports(capsys.readouterr().out)
    _call("cmake", "-B", "build", ".", **variables)
    _call("cmake", "--build", "build", **variables)
    assert _call("build/b") == "1 13000\n"


def test_an_installed_toolkit(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Two installs at one place; its compiler links what lies there, and the program needs no cache."""
    for _ in range(2):
        assert main(["toolkit", "--install", "kit"]) == 0
    assert main(["env", "--toolkit", "kit"]) == 0
    root = tmp_path / "kit"
    assert f"export CUDA_HOME={root}\n" in capsys.readouterr().out
    Path("Makefile").write_text(MAKEFILE)
    if shutil.which("g++") is not None:
        _call("make", CUDA_PATH=str(root))
        assert _call("./c") == "kernel\n"
    _call(str(root / "bin" / "nvcc"), "a.cu", "-o", "a")
    dynamic = Path("a").read_bytes()
    assert f"{root}/lib64:$ORIGIN".encode() in dynamic
    assert not (root / "lib64" / "libwarploom.so").is_symlink()
    assert not (root / "include" / "cuda.h").is_symlink()
    if packaged_cccl() is not None:  # where CUDA 13 has it, and projects look for it
        assert (root / "include" / "cccl" / "thrust" / "version.h").exists()


def test_a_toolkit_of_another_warploom_is_refused(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["toolkit", "--install", "kit"]) == 0
    Path("kit", ".warploom-toolkit").write_text("0")
    done = subprocess.run(
        [sys.executable, "-m", "warploom", "cc", "a.cu", "-o", "a"], env=dict(os.environ, WARPLOOM_TOOLKIT="kit"),
        capture_output=True, text=True, check=False,
    )  # fmt: skip
    assert done.returncode == 1
    assert "the toolkit kit was made by another Warploom" in done.stderr
    Path("mine").mkdir()
    Path("mine", "file").touch()
    assert main(["toolkit", "--install", "mine"]) == 1
    assert Path("mine", "file").exists()
    assert "no toolkit of Warploom's" in capsys.readouterr().err
