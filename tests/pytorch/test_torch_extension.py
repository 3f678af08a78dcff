# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Extensions in CUDA C++ by PyTorch's own builders, with no variable set: load_inline, and setup.py with ninja."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

CUDA = r"""
#include <ATen/cuda/CUDAContext.h>
#include <ATen/cuda/CUDAGeneratorImpl.h>
#include <ATen/cuda/CUDAGraphsUtils.cuh>
#include <c10/cuda/CUDAGuard.h>
#include <curand_kernel.h>
#include <torch/extension.h>

template <typename T>
using Matrix = torch::PackedTensorAccessor32<T, 2, torch::RestrictPtrTraits>;

template <typename T>
__global__ void scale(Matrix<T> x, Matrix<T> y, T factor) {
  const int row = blockIdx.y, column = blockIdx.x * blockDim.x + threadIdx.x;
  if (column < x.size(1)) y[row][column] = factor * x[row][column];
}

torch::Tensor scale_cuda(torch::Tensor x, double factor) {
  TORCH_CHECK(x.is_cuda(), "x must be a CUDA tensor");
  TORCH_CHECK(x.dim() == 2, "x must be a matrix");
  const c10::cuda::CUDAGuard guard(x.device());
  auto y = torch::empty_like(x);
  const dim3 grid((x.size(1) + 127) / 128, x.size(0));
  AT_DISPATCH_FLOATING_TYPES_AND_HALF(x.scalar_type(), "scale", [&] {
    scale<scalar_t><<<grid, 128, 0, at::cuda::getCurrentCUDAStream()>>>(
        x.packed_accessor32<scalar_t, 2, torch::RestrictPtrTraits>(),
        y.packed_accessor32<scalar_t, 2, torch::RestrictPtrTraits>(), static_cast<scalar_t>(factor));
  });
  C10_CUDA_KERNEL_LAUNCH_CHECK();
  return y;
}

__global__ void draw(float *out, int n, at::PhiloxCudaState state) {
  const auto [seed, offset] = at::cuda::philox::unpack(state);
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  curandStatePhilox4_32_10_t random;
  curand_init(seed, i, offset, &random);
  if (i < n) out[i] = curand_uniform(&random);
}

torch::Tensor draw_cuda(int64_t n) {
  auto out = torch::empty({n}, torch::device(torch::kCUDA));
  auto *generator = at::check_generator<at::CUDAGeneratorImpl>(at::cuda::detail::getDefaultCUDAGenerator());
  at::PhiloxCudaState state;
  {
    std::lock_guard<std::mutex> lock(generator->mutex_);
    state = generator->philox_cuda_state(4);
  }
  draw<<<(n + 127) / 128, 128, 0, at::cuda::getCurrentCUDAStream()>>>(out.data_ptr<float>(), n, state);
  return out;
}

__global__ void fail(int *x) { __trap(); }

void fail_cuda(torch::Tensor x) {
  fail<<<1, 1, 0, at::cuda::getCurrentCUDAStream()>>>(x.data_ptr<int>());
  C10_CUDA_CHECK(cudaStreamSynchronize(at::cuda::getCurrentCUDAStream()));
}
"""
CPP = (
    "torch::Tensor scale_cuda(torch::Tensor, double); torch::Tensor draw_cuda(int64_t); void fail_cuda(torch::Tensor);"
)
SETUP = """
from setuptools import setup
from torch.utils.cpp_extension import BuildExtension, CUDAExtension

setup(name="doubled", ext_modules=[CUDAExtension("doubled", ["doubled.cu"])], cmdclass={"build_ext": BuildExtension})
"""
MODULE = r"""
#include <torch/extension.h>
__global__ void twice(float *x, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) x[i] *= 2;
}
void run(torch::Tensor x) { twice<<<(x.numel() + 63) / 64, 64>>>(x.data_ptr<float>(), x.numel()); }
PYBIND11_MODULE(TORCH_EXTENSION_NAME, m) { m.def("run", &run); }
"""


@pytest.fixture(scope="module")
def extension(torch: Any, tmp_path_factory: pytest.TempPathFactory) -> Any:
    """The module of the source above."""
    from importlib import import_module

    for name in ("CUDA_HOME", "CUDA_PATH", "TORCH_CUDA_ARCH_LIST"):
        os.environ.pop(name, None)
    assert torch.cuda.is_available()
    folder = tmp_path_factory.mktemp("extension")
    return import_module("torch.utils.cpp_extension").load_inline(
        "warploom_test", CPP, CUDA, functions=["scale_cuda", "draw_cuda", "fail_cuda"], build_directory=str(folder)
    )


def test_kernels_take_accessors_of_every_type(torch: Any, extension: Any) -> None:
    for dtype in (torch.float32, torch.float64, torch.float16):
        x = torch.randn(7, 300, device="cuda").to(dtype)
        torch.testing.assert_close(extension.scale_cuda(x, 2.0), 2 * x)
        torch.testing.assert_close(extension.scale_cuda(x.t(), 2.0), 2 * x.t())
    with pytest.raises(RuntimeError, match="must be a CUDA tensor"):
        extension.scale_cuda(torch.ones(2, 2), 1.0)
    with pytest.raises(NotImplementedError, match="not implemented for 'Int'"):
        extension.scale_cuda(torch.ones(2, 2, device="cuda", dtype=torch.int32), 1.0)


def test_kernels_are_ordered_with_operators_and_memory(torch: Any, extension: Any) -> None:
    stream = torch.cuda.Stream()
    with torch.cuda.stream(stream):
        x = torch.ones(50, 2000, device="cuda")
        for _ in range(20):
            # Each input is freed while its kernel may still run, and each sum needs the kernel's result.
            x = extension.scale_cuda(x + 1, 0.5)
        total = x.sum()
    stream.synchronize()
    assert total.item() == 50 * 2000


def test_extensions_work_with_autograd(torch: Any, extension: Any) -> None:
    class Scale(torch.autograd.Function):
        @staticmethod
        def forward(_ctx: Any, x: Any) -> Any:
            return extension.scale_cuda(x, 3.0)

        @staticmethod
        def backward(_ctx: Any, gradient: Any) -> Any:
            return extension.scale_cuda(gradient, 3.0)

    x = torch.randn(4, 5, device="cuda", dtype=torch.float64, requires_grad=True)
    assert torch.autograd.gradcheck(Scale.apply, (x,))


def test_kernels_draw_from_the_devices_generator(torch: Any, extension: Any) -> None:
    torch.cuda.manual_seed(11)
    first, second = extension.draw_cuda(1000), extension.draw_cuda(1000)
    assert not torch.equal(first, second)
    torch.cuda.manual_seed(11)
    assert torch.equal(extension.draw_cuda(1000), first)
    graph = torch.cuda.CUDAGraph()
    with torch.cuda.graph(graph):
        drawn = extension.draw_cuda(1000)
    torch.cuda.manual_seed(11)
    graph.replay()
    assert torch.equal(drawn, first)
    graph.replay()
    assert torch.equal(drawn, second)


@pytest.mark.usefixtures("torch")
def test_a_build_by_setup_py(tmp_path: Path) -> None:
    (tmp_path / "setup.py").write_text(SETUP)
    (tmp_path / "doubled.cu").write_text(MODULE)
    built = subprocess.run(
        [sys.executable, "setup.py", "build_ext", "--inplace"],
        cwd=tmp_path,
        capture_output=True,
        text=True,
        check=False,
    )
    assert built.returncode == 0, built.stdout + built.stderr
    use = "import torch, doubled; x = torch.ones(100, device='cuda'); doubled.run(x); print(x.sum().item())"
    ran = subprocess.run([sys.executable, "-c", use], cwd=tmp_path, capture_output=True, text=True, check=False)
    assert ran.stdout == "200.0\n", ran.stderr


def test_a_kernel_that_fails_raises(extension: Any, tmp_path: Path) -> None:
    """In a process of its own: the device is lost afterwards, as on a GPU."""
    use = (
        f"import sys; sys.path.insert(0, {str(Path(extension.__file__).parent)!r})\n"
        "import torch, warploom_test\n"
        "try: warploom_test.fail_cuda(torch.ones(1, dtype=torch.int32, device='cuda'))\n"
        "except RuntimeError as error: print(type(error).__name__, str(error).splitlines()[0])\n"
    )
    ran = subprocess.run([sys.executable, "-c", use], cwd=tmp_path, capture_output=True, text=True, check=False)
    assert ran.returncode == 0, ran.stderr
    assert "AcceleratorError CUDA error:" in ran.stdout
