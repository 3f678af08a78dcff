# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""torch.compile with inductor: the C++ that it makes for a CPU, over the device's memory."""

from __future__ import annotations

import copy
import subprocess
import sys
from importlib import import_module
from typing import Any

import pytest

import warploom.torch

EXTENSION = r"""
#include <torch/extension.h>
#include <ATen/cuda/CUDAContext.h>

__global__ void axpy_kernel(float a, const float *x, const float *y, float *out, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) out[i] = y[i] + a * x[i];
}
__global__ void late_fours(float *x, int n) {
  float v = 0;
  for (int k = 0; k < 2000000; ++k) v = v * .5f + 1.f;  // 2
  for (int i = threadIdx.x; i < n; i += blockDim.x) x[i] = 2 * v;
}

at::Tensor axpy(const at::Tensor &x, const at::Tensor &y, double a) {
  TORCH_CHECK(x.is_cuda() && y.is_cuda());
  at::Tensor out = at::empty_like(x);
  axpy_kernel<<<(x.numel() + 255) / 256, 256, 0, at::cuda::getCurrentCUDAStream()>>>(
      a, x.data_ptr<float>(), y.data_ptr<float>(), out.data_ptr<float>(), x.numel());
  return out;
}
at::Tensor no_axpy(const at::Tensor &x, const at::Tensor &y, double a) { TORCH_CHECK(false, "the CPU's kernel"); }
void scale_(at::Tensor &x, const at::Tensor &by) {
  TORCH_CHECK(x.is_cuda() && by.is_cpu());
  x.mul_(by.item<int64_t>());
}
void late(at::Tensor x) {
  late_fours<<<1, 256, 0, at::cuda::getCurrentCUDAStream()>>>(x.data_ptr<float>(), x.numel());
}

TORCH_LIBRARY(inductor_test, library) {
  library.def("axpy(Tensor x, Tensor y, float a) -> Tensor");
  library.def("scale_(Tensor(a!) x, Tensor by) -> ()");
}
TORCH_LIBRARY_IMPL(inductor_test, CUDA, library) {
  library.impl("axpy", axpy);
  library.impl("scale_", scale_);
}
TORCH_LIBRARY_IMPL(inductor_test, CPU, library) { library.impl("axpy", no_axpy); }
"""


@pytest.fixture(autouse=True)
def forget(torch: Any) -> None:
    """Nothing is compiled yet."""
    torch._dynamo.reset()


@pytest.fixture(scope="module")
def extension(torch: Any, tmp_path_factory: pytest.TempPathFactory) -> Any:
    """Operators with kernels in CUDA C++, and what queues one."""
    load_inline = import_module("torch.utils.cpp_extension").load_inline
    folder = tmp_path_factory.mktemp("extension")
    made: Any = load_inline(
        "inductor_test", "void late(at::Tensor);", EXTENSION, functions=["late"], build_directory=str(folder)
    )

    def like_x(x: Any, _y: Any, _a: float) -> Any:
        return torch.empty_like(x)

    def nothing(_x: Any, _by: Any) -> None:
        pass

    torch.library.register_fake("inductor_test::axpy", like_x)
    torch.library.register_fake("inductor_test::scale_", nothing)
    return made


def double(x: Any) -> Any:
    return x * 2


def test_results_and_gradients(torch: Any) -> None:
    def function(x: Any, y: Any) -> Any:
        return ((x * 2 + y).sin() @ y.t()).sum(1)

    x, y = (torch.randn(16, 8, device="cuda", requires_grad=True) for _ in range(2))
    warploom.torch.reset_coverage()
    result = torch.compile(function)(x, y)
    result.sum().backward()
    assert result.is_cuda
    counted = warploom.torch.coverage().on_cpu_backend
    assert counted["warploom::compiled_arguments"] == 2  # forward and backward
    assert "aten::sin" not in counted
    got = [x.grad, y.grad]
    x.grad = y.grad = None
    want = function(x, y)
    want.sum().backward()
    torch.testing.assert_close(result, want)
    torch.testing.assert_close(got, [x.grad, y.grad])


def test_a_training(torch: Any) -> None:
    nn = torch.nn
    model = nn.Sequential(
        nn.Conv2d(3, 4, 3, bias=False), nn.BatchNorm2d(4), nn.ReLU(), nn.Flatten(), nn.Linear(4 * 36, 5)
    ).cuda()
    models = [torch.compile(copy.deepcopy(model)), model]
    optimizers = [torch.optim.Adam(each.parameters()) for each in models]
    images = torch.randn(4, 3, 8, 8, device="cuda")
    for _ in range(5):
        losses: list[float] = []
        for each, optimizer in zip(models, optimizers, strict=True):
            optimizer.zero_grad()
            loss = each(images).square().mean()
            loss.backward()
            optimizer.step()
            losses.append(loss.item())
        assert losses[0] == pytest.approx(losses[1], rel=1e-4)


def test_copies_between_devices_are_copies(torch: Any) -> None:
    def function(x: Any) -> Any:
        on_cpu = x.cpu()
        x.add_(1)
        return on_cpu, on_cpu.cuda(), x

    x = torch.zeros(4, device="cuda")
    on_cpu, on_cuda, same = torch.compile(function)(x)
    assert (on_cpu.device.type, on_cuda.device.type) == ("cpu", "cuda")
    assert (on_cpu.sum().item(), on_cuda.sum().item(), x.sum().item(), same.sum().item()) == (0, 0, 4, 4)
    on_cpu.add_(5)
    assert (on_cuda.sum().item(), x.sum().item()) == (0, 4)


def test_random_numbers_follow_the_devices_generator(torch: Any) -> None:
    def function(x: Any) -> Any:
        return torch.nn.functional.dropout(x, 0.5), torch.rand_like(x)

    draw = torch.compile(function)
    x = torch.ones(64, device="cuda")
    draw(x)
    torch.cuda.manual_seed(7)
    of_cpu = torch.get_rng_state()
    first, other = draw(x), draw(x)
    assert torch.equal(torch.get_rng_state(), of_cpu)
    torch.cuda.manual_seed(7)
    again = draw(x)
    assert torch.equal(first[0], again[0])
    assert torch.equal(first[1], again[1])
    assert not torch.equal(first[1], other[1])


def test_operators_that_inductor_leaves_alone_draw_the_same_numbers(torch: Any) -> None:
    def function(x: Any) -> Any:
        return torch.randn_like(x) + x, torch.multinomial(x, 5), torch.rand(3, device="cuda"), torch.rand(2)

    x = torch.arange(1.0, 9.0, device="cuda")
    with torch._inductor.config.patch(fallback_random=True):
        compiled = torch.compile(function)
        compiled(x)
        torch.manual_seed(3)
        got = compiled(x)
    torch.manual_seed(3)
    torch.testing.assert_close(got, function(x))


def test_arguments_and_views_as_results(torch: Any) -> None:
    def function(x: Any) -> Any:
        y = x * 2
        return x, x.t(), y, y.t(), y[1:]

    x = torch.randn(3, 4, device="cuda")
    same, transposed, y, y_transposed, rows = torch.compile(function)(x)
    x.fill_(3)
    assert same.sum().item() == transposed.sum().item() == 36
    y.zero_()
    assert y_transposed.abs().sum().item() == rows.abs().sum().item() == 0


def test_what_gradients_need_may_not_be_written_to(torch: Any) -> None:
    def function(weight: Any, x: Any) -> Any:
        return weight * x * x

    weight, x = torch.ones(3, device="cuda", requires_grad=True), torch.ones(3, device="cuda")
    result = torch.compile(function)(weight, x)
    x.add_(1)
    with pytest.raises(RuntimeError, match="modified by an inplace operation"):
        result.sum().backward()


def test_sizes_that_change(torch: Any) -> None:
    def function(x: Any) -> Any:
        return (x * 3).relu().mean(), x.shape[0]

    compiled = torch.compile(function, dynamic=True)
    for rows in (3, 7, 11):
        x = torch.randn(rows, 5, device="cuda")
        assert compiled(x)[1] == rows
        torch.testing.assert_close(compiled(x), function(x))


@pytest.mark.parametrize("mode", ["reduce-overhead", "max-autotune"])
def test_modes(torch: Any, mode: str) -> None:
    def function(x: Any) -> Any:
        return (x @ x).relu() + 1

    compiled = torch.compile(function, mode=mode)
    for _ in range(3):
        x = torch.randn(16, 16, device="cuda")
        torch.testing.assert_close(compiled(x), function(x))


def test_memory_is_the_devices(torch: Any) -> None:
    function = torch.compile(double)
    x = torch.ones(1 << 20, device="cuda")
    function(x)
    before = torch.cuda.memory_allocated()
    result = function(x)
    assert torch.cuda.memory_allocated() - before == 4 << 20
    assert result.sum().item() == 2 << 20


def test_constants_and_branches(torch: Any) -> None:
    table = torch.arange(3.0, device="cuda")

    def function(x: Any) -> Any:
        return torch.cond(x.sum() > 0, torch.sin, torch.cos, (x,)) + table, torch.ones_like(x).cpu()

    compiled = torch.compile(function)
    for sign in (1, -1):
        x = sign * torch.ones(3, device="cuda")
        for got, want in zip(compiled(x), function(x), strict=True):
            torch.testing.assert_close(got, want)


def test_an_extensions_operator_runs_its_cuda_kernel(torch: Any, extension: Any) -> None:
    assert extension

    def function(x: Any, y: Any) -> Any:
        return torch.ops.inductor_test.axpy(x * 2, y.sin(), 3.0).relu() + 1

    x, y = (torch.randn(1000, device="cuda") for _ in range(2))
    torch.testing.assert_close(torch.compile(function, fullgraph=True)(x, y), (y.sin() + 6 * x).relu() + 1)


def test_an_operator_that_writes_and_takes_a_cpu_tensor(torch: Any, extension: Any) -> None:
    assert extension

    def function(x: Any, by: Any) -> Any:
        y = x + 1
        torch.ops.inductor_test.scale_(y, by)
        return y * 3

    assert torch.compile(function, fullgraph=True)(torch.ones(2, device="cuda"), torch.tensor(4)).tolist() == [24, 24]


def test_an_operator_in_python_sees_the_device(torch: Any) -> None:
    seen: list[str] = []

    def note(x: Any) -> Any:
        seen.append(x.device.type)
        return x + 1

    with torch.library._scoped_library("inductor_test_python", "DEF") as library:
        library.define("note(Tensor x) -> Tensor")
        library.impl("note", note, "CompositeExplicitAutograd")
        library._register_fake("note", torch.empty_like)

        def function(x: Any) -> Any:
            return torch.ops.inductor_test_python.note(x) * 2

        compiled = torch.compile(function, fullgraph=True)
        assert compiled(torch.ones(2, device="cuda")).tolist() == [4, 4]
        assert compiled(torch.ones(2)).tolist() == [4, 4]
    assert seen == ["cuda", "cpu"]


def test_it_waits_for_the_stream(torch: Any, extension: Any) -> None:
    function = torch.compile(double)
    x = torch.zeros(1000, device="cuda")
    function(x)
    for stream in (torch.cuda.current_stream(), torch.cuda.Stream()):
        x.zero_()
        torch.cuda.synchronize()
        with torch.cuda.stream(stream):
            extension.late(x)
            assert function(x).tolist() == [8] * 1000


def test_streams_within(torch: Any, extension: Any) -> None:
    side = torch.cuda.Stream()

    def function(x: Any) -> Any:
        y = x + 1
        with torch.cuda.stream(side):
            z = y * 2
        torch.cuda.current_stream().wait_stream(side)
        return z

    compiled = torch.compile(function)
    x = torch.zeros(1000, device="cuda")
    compiled(x)
    torch.cuda.synchronize()
    with torch.cuda.stream(side):
        extension.late(x)
    assert compiled(x).tolist() == [10] * 1000


def test_a_graph_cannot_record_it(torch: Any) -> None:
    function = torch.compile(double)
    x = torch.ones(4, device="cuda")
    function(x)
    with (
        pytest.raises(RuntimeError, match=r"not permitted when stream is capturing.*torch\.compile"),
        torch.cuda.graph(torch.cuda.CUDAGraph()),
    ):
        function(x)
    assert function(x).tolist() == [2] * 4


def test_ahead_of_time_is_refused(torch: Any) -> None:
    program = torch.export.export(torch.nn.Linear(4, 4).cuda(), (torch.ones(2, 4, device="cuda"),))
    with pytest.raises(NotImplementedError, match="AOTInductor"):
        torch._inductor.aoti_compile_and_package(program)


def test_an_index_out_of_range(torch: Any) -> None:
    def take(x: Any, i: Any) -> Any:
        return x[i]

    with pytest.raises(RuntimeError, match="index out of bounds"):
        torch.compile(take)(torch.ones(4, device="cuda"), torch.tensor([9], device="cuda"))


PROGRAM = """
import torch
function = torch.compile(lambda x: (x * 2).sin().sum())
x = torch.arange(6.0, device="cuda", requires_grad=True)
function(x).backward()
torch.testing.assert_close(x.grad, 2 * (2 * x.detach()).cos())
print("right", x.grad.is_cuda)
"""


def test_another_process_takes_it_from_the_cache(tmp_path: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TORCHINDUCTOR_CACHE_DIR", str(tmp_path))
    for _ in range(2):
        done = subprocess.run([sys.executable, "-c", PROGRAM], capture_output=True, text=True, check=False)
        assert done.stdout == "right True\n", done.stderr
