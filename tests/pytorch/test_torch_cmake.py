# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""CMake projects of others with PyTorch's headers, unmodified: find_package(Torch), and plain include folders."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

pytestmark = [
    pytest.mark.usefixtures("torch"),
    pytest.mark.skipif(shutil.which("cmake") is None, reason="no cmake"),
]
TORCH_PROJECT = """
cmake_minimum_required(VERSION 3.18)
project(axpy LANGUAGES CXX)
find_package(Torch REQUIRED)
enable_language(CUDA)
set(CMAKE_CXX_STANDARD 20)
set(CMAKE_CUDA_STANDARD 20)
add_library(axpy SHARED axpy.cu)
target_link_libraries(axpy "${TORCH_LIBRARIES}")
add_executable(main main.cpp)
target_link_libraries(main axpy)
"""
PLAIN_PROJECT = """
cmake_minimum_required(VERSION 3.18)
project(axpy LANGUAGES CXX CUDA)
add_library(axpy SHARED axpy.cu)
target_include_directories(axpy PRIVATE ${TORCH}/include ${TORCH}/include/torch/csrc/api/include)
target_link_libraries(axpy ${TORCH}/lib/libtorch_cpu.so ${TORCH}/lib/libc10.so)
set_target_properties(axpy PROPERTIES CUDA_STANDARD 20)
"""
LIBRARY = r"""
#include <ATen/cuda/CUDAContext.h>
#include <c10/cuda/CUDAGuard.h>
#include <torch/library.h>
__global__ void add(float a, const float *x, float *y, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) y[i] += a * x[i];
}
void axpy(double a, const at::Tensor &x, at::Tensor y) {
  const c10::cuda::CUDAGuard guard(x.device());
  add<<<(x.numel() + 255) / 256, 256, 0, at::cuda::getCurrentCUDAStream()>>>(
      a, x.const_data_ptr<float>(), y.mutable_data_ptr<float>(), x.numel());
  C10_CUDA_KERNEL_LAUNCH_CHECK();
}
TORCH_LIBRARY(mine, library) { library.def("axpy(float a, Tensor x, Tensor(a!) y) -> ()"); }
TORCH_LIBRARY_IMPL(mine, CUDA, library) { library.impl("axpy", &axpy); }
"""
PROGRAM = r"""
#include <ATen/ATen.h>
#include <ATen/cuda/CUDAContext.h>
#include <iostream>
void axpy(double a, const at::Tensor &x, at::Tensor y);
int main() {
  const auto options = at::device(at::kCUDA).dtype(at::kFloat);
  at::Tensor x = at::ones({1000}, options), y = at::zeros({1000}, options);
  axpy(2, x, y);
  y = at::layer_norm(y.view({2, 500}), {500}) + y.view({2, 500});
  std::cout << y.sum().item<float>() << " " << at::cuda::getCurrentDeviceProperties()->multiProcessorCount << std::endl;
}
"""
USE = """
import sys, torch
torch.ops.load_library(sys.argv[1])
x, y = torch.ones(1000, device="cuda"), torch.zeros(1000, device="cuda")
torch.ops.mine.axpy(2.0, x, y)
print(y.sum().item())
"""


def call(command: list[str | Path], folder: Path) -> str:
    """What a command writes; a failure shows it."""
    done = subprocess.run(command, cwd=folder, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout


def build(folder: Path, project: str, *options: str) -> None:
    """Configure and build, with CMake's own choice of the host's compiler."""
    (folder / "CMakeLists.txt").write_text(project)
    (folder / "axpy.cu").write_text(LIBRARY)
    (folder / "main.cpp").write_text(PROGRAM)
    call(["cmake", "-S", ".", "-B", "build", *options], folder)
    call(["cmake", "--build", "build"], folder)


def test_find_package_has_the_device(torch: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("CUDACXX", "CUDA_HOME", "CUDA_PATH"):
        monkeypatch.delenv(name, raising=False)
    build(tmp_path, TORCH_PROJECT, f"-DCMAKE_PREFIX_PATH={torch.utils.cmake_prefix_path}")
    processors = torch.cuda.get_device_properties(0).multi_processor_count
    assert call([tmp_path / "build" / "main"], tmp_path) == f"2000 {processors}\n"
    assert call([sys.executable, "-c", USE, tmp_path / "build" / "libaxpy.so"], tmp_path) == "2000.0\n"


def test_plain_folders_lack_no_header(torch: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("CUDACXX", os.fspath(Path(sys.executable).with_name("warpcc")))
    build(tmp_path, PLAIN_PROJECT, f"-DTORCH={Path(torch.__file__).parent}")
    assert call([sys.executable, "-c", USE, tmp_path / "build" / "libaxpy.so"], tmp_path) == "2000.0\n"


def test_other_packages_are_pytorchs_own(torch: Any, tmp_path: Path) -> None:
    (tmp_path / "CMakeLists.txt").write_text(
        "cmake_minimum_required(VERSION 3.18)\nproject(parts LANGUAGES CXX)\nfind_package(Caffe2 REQUIRED)\n"
        'find_package(Torch 2.0 REQUIRED)\nmessage(STATUS "found ${Torch_VERSION} ${Caffe2_MAIN_LIBS}")\n'
    )
    out = call(["cmake", "-S", ".", "-B", "build", f"-DCMAKE_PREFIX_PATH={torch.utils.cmake_prefix_path}"], tmp_path)
    assert f"found {torch.__version__.partition('+')[0]} torch_library" in out
