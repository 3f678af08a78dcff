# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""`warploom torch build-aten`: kernels behind PyTorch's own operators, compiled, registered, launched, counted.

The sources here are a tree of our own with one kernel, so that no copy of PyTorch's is needed.
"""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from warploom.diagnostics import Diagnostic
from warploom.torch.aten.build import find_sources
from warploom.torch.aten.registration import through_backend
from warploom.torch.aten.units import ATEN_FOLDER, CUDA_FOLDER
from warploom.torch.install import find_torch

FILL = r"""
#include <ATen/Dispatch.h>
#include <ATen/native/DispatchStub.h>
#include <ATen/native/Fill.h>
#include <ATen/native/TensorIterator.h>
#include <ATen/native/cuda/Loops.cuh>
#include <c10/core/Scalar.h>

namespace at::native {

template <typename T>
struct Value {
  T value;
  __device__ T operator()() const { return value; }
};

void fill_here(TensorIterator &iterator, const Scalar &value) {
  AT_DISPATCH_ALL_TYPES_AND(kHalf, iterator.dtype(), "fill_here", [&] {
    gpu_kernel(iterator, Value<scalar_t>{value.to<scalar_t>()});
  });
}

REGISTER_DISPATCH(fill_stub, &fill_here)

}  // namespace at::native
"""
# What libtorch_cpu has for all devices: read, not compiled. Products are said to ask the stub of fill_, and do not.
OPERATOR = """
Tensor &fill_out(Tensor &self) { fill_stub(x, y); }
Tensor &fill_(Tensor &self) { return fill_out(self); }
TORCH_IMPL_FUNC(mul_out)(const Tensor &self) { fill_stub(x, y); }
"""
USE = """
import torch, warploom.torch
warploom.torch.reset_coverage()
x = torch.empty(5, 1000, device="cuda")
x.fill_(3)
x[:, ::2].fill_(4)
y = torch.empty(10, dtype=torch.int64, device="cuda").fill_(7)
z = torch.empty(10, dtype=torch.float64, device="cuda").fill_(7)
product = torch.arange(4, device="cuda") * 2
torch.cuda.synchronize()
seen = warploom.torch.coverage()
print(x.cpu().sum().item(), y.tolist() == z.tolist() == [7] * 10)
print(sum(seen.launches.values()), all("elementwise" in name for name in seen.launches))
print(seen.on_cpu_backend.get("aten::fill_.Scalar"))
print(product.tolist(), [name for name in seen.on_cpu_backend if "mul" in name])
"""


@pytest.fixture(scope="module")
def sources(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with the one file."""
    torch = find_torch()
    assert torch is not None
    folder = tmp_path_factory.mktemp("sources")
    cuda = folder / ATEN_FOLDER / CUDA_FOLDER
    cuda.mkdir(parents=True)
    (folder / "version.txt").write_text(f"{torch.release}\n")
    (cuda / "FillKernel.cu").write_text(FILL)
    (cuda.parent / "Fill.cpp").write_text(OPERATOR)
    return folder


@pytest.mark.usefixtures("torch")
def test_a_kernel_is_compiled_registered_launched_and_counted(sources: Path, tmp_path: Path) -> None:
    pytest.importorskip("yaml")
    command = [sys.executable, "-m", "warploom.torch", "build-aten", str(sources), "--folder", str(tmp_path)]
    built = subprocess.run(
        [*command, "--files", "FillKernel", "--types", "Float", "Double"], capture_output=True, text=True, check=False
    )
    assert built.returncode == 0, built.stderr
    assert built.stdout == f"1 of 1 files of ATen's CUDA kernels are in {tmp_path}\n"
    environment = os.environ | {"WARPLOOM_TORCH_ATEN": str(tmp_path)}
    ran = subprocess.run([sys.executable, "-c", USE], env=environment, capture_output=True, text=True, check=False)
    # Three launches for float and double; int64 was not compiled, and ran on the CPU backend.
    assert ran.stdout.splitlines() == ["17500.0 True", "3 True", "1", "[0, 2, 4, 6] ['aten::mul.Tensor']"], ran.stderr


@pytest.mark.usefixtures("torch")
def test_a_wheel_brings_the_kernels_without_a_compiler(sources: Path, tmp_path: Path) -> None:
    pytest.importorskip("yaml")
    command = [sys.executable, "-m", "warploom.torch", "build-aten", str(sources), "--wheel", str(tmp_path)]
    built = subprocess.run(
        [*command, "--files", "FillKernel", "--types", "Float", "Double"], capture_output=True, text=True, check=False
    )
    assert built.returncode == 0, built.stderr
    (wheel,) = tmp_path.glob("warploom_aten-*.whl")
    assert built.stdout == f"1 of 1 files of ATen's CUDA kernels are in {wheel}\n"
    site = tmp_path / "site"
    installed = [sys.executable, "-m", "pip", "install", "-q", "--no-deps", "--target", str(site), str(wheel)]
    subprocess.run(installed, check=True)
    environment = os.environ | {"WARPLOOM_TORCH_ATEN": str(site / "warploom_aten")}
    ran = subprocess.run([sys.executable, "-c", USE], env=environment, capture_output=True, text=True, check=False)
    assert ran.stdout.splitlines()[:3] == ["17500.0 True", "3 True", "1"], ran.stderr


def test_what_cannot_be_built_is_said(sources: Path, tmp_path: Path) -> None:
    torch = find_torch()
    assert torch is not None
    with pytest.raises(Diagnostic, match="not a folder of PyTorch's sources"):
        find_sources(tmp_path, torch, other_release=False)
    (sources / "version.txt").write_text("1.0.0a0\n")
    with pytest.raises(Diagnostic, match=rf"of PyTorch 1\.0\.0a0, but {torch.release} is installed"):
        find_sources(sources, torch, other_release=False)
    assert find_sources(sources, torch, other_release=True).release == "1.0.0"
    command = [sys.executable, "-m", "warploom.torch", "build-aten", str(sources), "--other-release"]
    ran = subprocess.run([*command, "--files", "Nothing"], capture_output=True, text=True, check=False)
    assert ran.returncode != 0
    assert "no file 'Nothing' of ATen is compiled" in ran.stderr
    ran = subprocess.run([*command, "--files", "Copy"], capture_output=True, text=True, check=False)
    assert "no file 'Copy' of ATen is compiled: copies are those of libtorch_cuda.so" in ran.stderr


@pytest.mark.usefixtures("torch")
def test_kernels_for_another_pytorch_are_not_loaded(tmp_path: Path) -> None:
    environment = os.environ | {"WARPLOOM_TORCH_ATEN": str(tmp_path)}
    use = "import torch; print((torch.ones(3, device='cuda') + 1).tolist())"
    ran = subprocess.run([sys.executable, "-c", use], env=environment, capture_output=True, text=True, check=False)
    assert ran.stdout == "[2.0, 2.0, 2.0]\n"
    assert "where there are no kernels" in ran.stderr
    (tmp_path / "about.json").write_text('{"torch": "1.0"}')
    ran = subprocess.run([sys.executable, "-c", use], env=environment, capture_output=True, text=True, check=False)
    assert ran.stdout == "[2.0, 2.0, 2.0]\n"
    assert "were made for PyTorch 1.0" in ran.stderr


def test_registrations_go_through_the_cpu_backend() -> None:
    text = 'm.impl("mul.out",\nTORCH_FN(wrapper_CUDA_mul_out_out));'
    assert (
        through_backend(text)
        == 'm.impl("mul.out", warploom::torch::or_cpu_backend(TORCH_FN(wrapper_CUDA_mul_out_out)));'
    )
