# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Trainings on device cuda take the steps that they take on the CPU; mixed precision, graphs, torch.compile."""

from __future__ import annotations

import runpy
import subprocess
import sys
import threading
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import pytest

import warploom.torch

TRAININGS = Path(__file__).resolve().parents[2] / "bench" / "torch" / "models.py"


def losses(torch: Any, build: Callable[[], Any], shape: tuple[int, ...], device: str) -> list[float]:
    """Of some steps with Adam from the same start, to outputs of one."""
    torch.manual_seed(1)
    model, data = build().to(device), torch.randn(*shape).to(device)
    optimizer = torch.optim.Adam(model.parameters(), 0.01)
    found: list[float] = []
    for _ in range(5):
        optimizer.zero_grad()
        result = model(data)
        loss = ((result if torch.is_tensor(result) else result[0]) - 1).square().mean()
        loss.backward()
        optimizer.step()
        found.append(loss.item())
    return found


def check_training(torch: Any, build: Callable[[], Any], shape: tuple[int, ...]) -> None:
    """The losses agree with the CPU's, and fall."""
    on_cuda, on_cpu = (losses(torch, build, shape, device) for device in ("cuda", "cpu"))
    assert on_cuda == pytest.approx(on_cpu, rel=1e-3)
    assert on_cuda[-1] < on_cuda[0]


def test_convolutions_and_batch_norm(torch: Any) -> None:
    nn = torch.nn
    check_training(
        torch,
        lambda: nn.Sequential(
            nn.Conv2d(3, 8, 3, padding=1), nn.BatchNorm2d(8), nn.ReLU(), nn.Conv2d(8, 8, 3, groups=8), nn.MaxPool2d(2),
            nn.ConvTranspose2d(8, 4, 2, 2), nn.Flatten(), nn.Linear(400, 4),
        ),
        (4, 3, 12, 12),
    )  # fmt: skip


@pytest.mark.parametrize("name", ["LSTM", "GRU", "RNN"])
def test_recurrent_networks(torch: Any, name: str) -> None:
    check_training(torch, lambda: getattr(torch.nn, name)(6, 5, num_layers=2, bidirectional=True), (7, 3, 6))


def test_a_transformer_layer(torch: Any) -> None:
    check_training(torch, lambda: torch.nn.TransformerEncoderLayer(16, 4, 32, dropout=0, batch_first=True), (2, 5, 16))


@pytest.mark.parametrize("name", ["ResNet-50", "GPT", "UNet", "LSTM"])
def test_losses_are_as_near_as_the_cpu_without_onednn(torch: Any, name: str) -> None:
    """The trainings of bench/torch, fewer steps."""
    build = runpy.run_path(str(TRAININGS))["MODELS"][name]

    def losses_of(device: str) -> list[float]:
        torch.manual_seed(2)
        training = build(True)
        model, inputs, targets = (each.to(device) for each in (training.model, training.inputs, training.targets))
        optimizer = torch.optim.Adam(model.parameters(), 1e-3)
        found: list[float] = []
        for _ in range(10):
            optimizer.zero_grad()
            loss = training.loss(model(inputs), targets)
            loss.backward()
            optimizer.step()
            found.append(loss.item())
        return found

    of_cpu, of_cuda = losses_of("cpu"), losses_of("cuda")
    with torch.backends.mkldnn.flags(enabled=False):
        without = losses_of("cpu")
    spread = max(abs(one - two) for one, two in zip(without, of_cpu, strict=True))
    # Two roundings of a loss, where the CPU's two ways agree to the last digit.
    assert of_cuda == pytest.approx(of_cpu, rel=2.4e-7, abs=spread)
    assert of_cuda[-1] < of_cuda[0]


def test_mixed_precision(torch: Any) -> None:
    model = torch.nn.Linear(8, 8).cuda()
    optimizer = torch.optim.SGD(model.parameters(), 0.1)
    scaler = torch.amp.GradScaler("cuda")
    before = model.weight.clone()
    with torch.autocast("cuda", dtype=torch.float16):
        result = model(torch.randn(4, 8, device="cuda"))
    assert result.dtype == torch.float16
    scaler.scale(result.float().square().mean()).backward()
    scaler.step(optimizer)
    scaler.update()
    assert not torch.equal(model.weight, before)


@pytest.mark.parametrize("name", ["softmax", "log_softmax"])
def test_softmax_of_halves_in_floats(torch: Any, name: str) -> None:
    function, aten = getattr(torch, name), torch.ops.aten
    halves = torch.randn(4, 9, device="cuda").half().requires_grad_()
    gradient = torch.randn(4, 9, device="cuda")
    result = function(halves, -1, dtype=torch.float32)
    result.backward(gradient)
    exact = halves.detach().cpu().double().requires_grad_()
    expected = function(exact, -1)
    expected.backward(gradient.cpu().double())
    assert (result.dtype, halves.grad.dtype) == (torch.float32, torch.float16)
    torch.testing.assert_close(result.cpu(), expected.float())
    torch.testing.assert_close(halves.grad.cpu(), exact.grad.half(), rtol=1e-3, atol=1e-4)

    with torch.inference_mode():
        assert torch.equal(function(halves, -1, dtype=torch.float32), result)
    out = torch.empty(4, 9, device="cuda")
    getattr(aten, f"_{name}").out(halves.detach(), -1, True, out=out)
    assert torch.equal(out, result)
    backward = getattr(aten, f"_{name}_backward_data")
    place = torch.empty(0, dtype=torch.float16, device="cuda")
    backward.out(gradient, result.detach(), -1, torch.float16, **{"grad_input" if name == "softmax" else "out": place})
    assert torch.equal(place, halves.grad)


def test_softmax_of_halves_in_floats_in_a_graph(torch: Any) -> None:
    halves = torch.randn(4, 9, device="cuda").half()
    graph = torch.cuda.CUDAGraph()
    with torch.cuda.graph(graph):
        result = torch.softmax(halves, -1, dtype=torch.float32)
    halves.copy_(torch.randn(4, 9))
    graph.replay()
    torch.cuda.synchronize()
    torch.testing.assert_close(result, torch.softmax(halves.float(), -1))


def test_a_graph_repeats_what_was_captured(torch: Any) -> None:
    x = torch.zeros(4, device="cuda")
    graph = torch.cuda.CUDAGraph()
    with torch.cuda.graph(graph):
        y = x * 2 + 1
        total = y.sum()
        noise = torch.rand(4, device="cuda")
        copied = torch.empty(4, device="cuda").copy_(y)
    x.fill_(3)
    graph.replay()
    assert (y.tolist(), total.item(), copied.tolist()) == ([7.0] * 4, 28, [7.0] * 4)
    first = noise.clone()
    graph.replay()
    assert not torch.equal(noise, first)


def test_a_graphed_module_trains(torch: Any) -> None:
    model = torch.nn.Sequential(torch.nn.Linear(6, 6), torch.nn.ReLU(), torch.nn.Linear(6, 1)).cuda()
    x = torch.randn(4, 6, device="cuda")
    model(x).sum().backward()
    want = [parameter.grad.clone() for parameter in model.parameters()]
    graphed = torch.cuda.make_graphed_callables(model, (torch.randn(4, 6, device="cuda"),))
    model.zero_grad()
    graphed(x).sum().backward()
    for parameter, gradient in zip(model.parameters(), want, strict=True):
        torch.testing.assert_close(parameter.grad, gradient)


def test_values_cannot_be_read_in_a_capture(torch: Any) -> None:
    x = torch.ones(1, device="cuda")
    with (
        pytest.raises(RuntimeError, match="not permitted when stream is capturing"),
        torch.cuda.graph(torch.cuda.CUDAGraph()),
    ):
        x.item()
    assert (x + 1).item() == 2


@pytest.mark.parametrize("backend", ["eager", "aot_eager"])
def test_compiled_functions(torch: Any, backend: str) -> None:
    def function(x: Any) -> Any:
        return (x * 2).sin().sum()

    x = torch.randn(5, device="cuda", requires_grad=True)
    result = torch.compile(function, backend=backend)(x)
    result.backward()
    torch.testing.assert_close(result, function(x))
    torch.testing.assert_close(x.grad, 2 * (2 * x).cos())


def test_an_lstm_is_one_operator(torch: Any) -> None:
    warploom.torch.reset_coverage()
    on_cpu = torch.nn.LSTM(6, 5, num_layers=2, bidirectional=True)
    on_cuda = torch.nn.LSTM(6, 5, num_layers=2, bidirectional=True).cuda()
    on_cuda.load_state_dict(on_cpu.state_dict())
    x, state = torch.randn(7, 3, 6, requires_grad=True), torch.randn(4, 3, 5)
    y = x.detach().cuda().requires_grad_()
    for model, data, start in ((on_cpu, x, state), (on_cuda, y, state.cuda())):
        output, (hidden, cell) = model(data, (start, start))
        assert output.device == hidden.device == cell.device == data.device
        (output.square().sum() + hidden.sum() + cell.sum()).backward()
    assert warploom.torch.coverage().on_cpu_backend["aten::lstm.input"] == 1
    torch.testing.assert_close(y.grad.cpu(), x.grad)
    for one, two in zip(on_cuda.parameters(), on_cpu.parameters(), strict=True):
        assert one.grad.is_cuda
        torch.testing.assert_close(one.grad.cpu(), two.grad)


def test_an_lstm_does_not_ask_for_cudnn(torch: Any, recwarn: pytest.WarningsRecorder) -> None:
    torch.nn.LSTM(6, 5).cuda().flatten_parameters()
    assert not torch.backends.cudnn.is_acceptable(torch.ones(2, device="cuda"))
    assert not [str(each.message) for each in recwarn if "cuDNN" in str(each.message)]


def test_what_an_lstm_still_needs_may_not_be_written_to(torch: Any) -> None:
    model, x = torch.nn.LSTM(6, 5).cuda(), torch.randn(7, 3, 6, device="cuda")
    output, _ = model(x)
    with torch.no_grad():
        model.weight_hh_l0.add_(1)
    with pytest.raises(RuntimeError, match="modified by an inplace operation"):
        output.sum().backward()


def test_an_lstm_that_drops_draws_from_the_device(torch: Any) -> None:
    model, x = torch.nn.LSTM(6, 5, num_layers=2, dropout=0.5).cuda(), torch.randn(7, 3, 6, device="cuda")
    found: list[Any] = []
    for _ in range(2):
        torch.cuda.manual_seed(3)
        found.append(model(x)[0])
    torch.testing.assert_close(*found)
    assert not torch.equal(model(x)[0], found[0])


class OfThread:
    """The thread that computed a gradient."""

    def __init__(self, torch: Any) -> None:
        seen: list[int] = []

        class Note(torch.autograd.Function):
            @staticmethod
            def forward(_context: Any, tensor: Any) -> Any:
                return tensor * 1

            @staticmethod
            def backward(_context: Any, gradient: Any) -> Any:
                seen.append(threading.get_native_id())
                return gradient * 1

        self.seen, self.note, self.x = seen, Note, torch.ones(3, device="cuda", requires_grad=True)

    def __call__(self) -> int:
        self.note.apply(self.x * 2).sum().backward()
        return self.seen[-1]


def test_gradients_are_computed_by_the_thread_that_asks(torch: Any) -> None:
    """Two threads would have a team of OpenMP each, on the same processors."""
    thread_of = OfThread(torch)
    assert thread_of() == threading.get_native_id()
    with ThreadPoolExecutor(1) as other:
        assert other.submit(thread_of).result() == other.submit(threading.get_native_id).result()


def test_the_devices_threads_compute_gradients_where_that_is_asked(torch: Any) -> None:
    with torch.autograd.set_multithreading_enabled(True):
        assert OfThread(torch)() != threading.get_native_id()
    assert not torch.autograd.is_multithreading_enabled()


@pytest.mark.parametrize("name", ["Adam", "AdamW", "SGD", "RMSprop"])
def test_optimizers_go_from_tensor_to_tensor_as_on_the_cpu(torch: Any, name: str) -> None:
    found: list[Any] = []
    for device, choice in (("cpu", {}), ("cuda", {}), ("cuda", {"foreach": True})):
        torch.manual_seed(0)
        model = torch.nn.Sequential(torch.nn.Linear(9, 7), torch.nn.Linear(7, 1)).to(device)
        optimizer = getattr(torch.optim, name)(model.parameters(), 1e-2, **choice)
        for _ in range(3):
            optimizer.zero_grad()
            model(torch.ones(4, 9, device=device)).square().sum().backward()
            with torch.autograd.profiler.profile() as seen:
                optimizer.step()
            assert any("_foreach" in each.key for each in seen.key_averages()) == bool(choice)
        found.append([each.detach().cpu() for each in model.parameters()])
    assert all(map(torch.equal, found[1], found[0]))
    torch.testing.assert_close(found[2], found[0])


ENDS = """
import os
os.sched_setaffinity(0, {min(os.sched_getaffinity(0))})  # the thread of autograd runs when this one sleeps or ends
import torch
torch.autograd.set_multithreading_enabled(True)
model = torch.nn.Sequential(torch.nn.Linear(64, 64), torch.nn.ReLU(), torch.nn.Linear(64, 1)).cuda()
for _ in range(20):
    model(torch.rand(32, 64, device="cuda")).sum().backward()
"""


def test_a_process_may_end_right_behind_backward() -> None:
    """One in eight was aborted."""
    for _ in range(10):
        ended = subprocess.run([sys.executable, "-c", ENDS], capture_output=True, text=True, check=False)
        assert ended.returncode == 0, ended.stderr
