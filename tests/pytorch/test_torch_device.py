# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""torch.cuda: devices, streams, events, memory, generators; tensors made, moved, viewed, saved and loaded."""

from __future__ import annotations

import io
from typing import Any

import pytest


def test_a_device_is_there(torch: Any) -> None:
    assert torch.cuda.is_available()
    assert torch.cuda.device_count() >= 1
    assert torch.version.cuda == "13.0"
    found = torch.cuda.get_device_properties(0)
    assert (found.major, found.minor, found.warp_size) == (8, 0, 32)
    assert found.total_memory == torch.cuda.mem_get_info()[1]
    assert torch.accelerator.current_accelerator().type == "cuda"


def test_streams_and_events(torch: Any) -> None:
    stream = torch.cuda.Stream(priority=-1)
    assert stream != torch.cuda.current_stream()
    assert stream.cuda_stream != 0
    assert stream.priority == -1
    begin, end = (torch.cuda.Event(enable_timing=True) for _ in range(2))
    with torch.cuda.stream(stream):
        assert torch.cuda.current_stream() == stream
        begin.record()
        made = torch.ones(1000, device="cuda").sum()
        end.record()
    torch.cuda.current_stream().wait_event(end)
    stream.synchronize()
    assert stream.query()
    assert end.query()
    assert 0 <= begin.elapsed_time(end) < 60_000
    assert made.item() == 1000
    assert torch.cuda.current_stream() == torch.cuda.default_stream()
    assert torch.cuda.ExternalStream(stream.cuda_stream).cuda_stream == stream.cuda_stream
    with pytest.raises(RuntimeError, match="must be recorded"):
        torch.cuda.Event(enable_timing=True).elapsed_time(end)


def test_memory_is_counted(torch: Any) -> None:
    torch.cuda.empty_cache()
    torch.cuda.reset_peak_memory_stats()
    before = torch.cuda.memory_allocated()
    made = torch.empty(3 << 20, dtype=torch.uint8, device="cuda")
    assert torch.cuda.memory_allocated() - before == 4 << 20  # large blocks are multiples of 2 MiB
    sum_of_bytes = made.zero_() + 1  # what the CPU backend makes is counted, too
    assert torch.cuda.memory_allocated() - before == 8 << 20
    del made, sum_of_bytes
    assert torch.cuda.memory_allocated() == before
    assert torch.cuda.max_memory_allocated() - before >= 8 << 20
    assert torch.cuda.memory_reserved() >= 8 << 20
    torch.cuda.empty_cache()
    assert torch.cuda.memory_reserved() == torch.cuda.memory_allocated()
    assert "Allocated memory" in torch.cuda.memory_summary()
    assert torch.cuda.memory_stats()["num_ooms"] >= 0


def test_memory_waits_for_a_stream_that_uses_it(torch: Any) -> None:
    stream = torch.cuda.Stream()
    made = torch.ones(1 << 20, device="cuda")
    made.record_stream(stream)
    with torch.cuda.stream(stream):
        torch.cuda._sleep(1000)
    del made
    stream.synchronize()
    assert torch.ones(1 << 20, device="cuda").sum().item() == 1 << 20


@pytest.mark.parametrize(
    ("threads", "size", "given"), [(1, 5 << 20, 1), (2, 5 << 20, 0), (16, 5 << 20, 2), (2, 5 << 10, 1)]
)
def test_what_was_freed_last_is_given_first(torch: Any, threads: int, size: int, given: int) -> None:
    """As a C library's heap does: what an operator writes then lies in a cache. Of large blocks the caches of several
    threads may hold the last one; they get the one before where caches hold their parts of it, else the first."""
    torch.cuda.empty_cache()
    blocks = [torch.empty(size, dtype=torch.uint8, device="cuda") for _ in range(3)]
    places = [each.data_ptr() for each in blocks]
    torch.set_num_threads(threads)
    try:
        for number in (0, 2, 1):
            blocks[number] = None
        assert torch.empty(size, dtype=torch.uint8, device="cuda").data_ptr() == places[given]
    finally:
        torch.set_num_threads(1)


def test_pinned_memory(torch: Any) -> None:
    pinned = torch.arange(10.0).pin_memory()
    assert pinned.is_pinned()
    assert not torch.arange(10.0).is_pinned()
    assert torch.equal(pinned.to("cuda", non_blocking=True).cpu(), torch.arange(10.0))
    assert torch.cuda.host_memory_stats()["active_bytes.current"] >= 40


def test_generators_are_reproducible(torch: Any) -> None:
    def draw(generator: Any = None) -> Any:
        return torch.rand(50, device="cuda", generator=generator)

    torch.manual_seed(7)
    first, second = draw(), draw()
    assert not torch.equal(first, second)
    assert 0 <= first.min() < first.max() < 1
    torch.cuda.manual_seed(7)
    assert torch.equal(draw(), first)
    state = torch.cuda.get_rng_state()
    third = draw()
    torch.cuda.set_rng_state(state)
    assert torch.equal(draw(), third)
    own = torch.Generator(device="cuda").manual_seed(7)
    assert torch.equal(draw(own), first)
    assert own.device.type == "cuda"
    assert own.initial_seed() == 7
    # The CPU's generator is another one.
    torch.manual_seed(7)
    cpu = torch.rand(5)
    torch.manual_seed(7)
    draw()
    torch.nn.functional.dropout(torch.ones(100, device="cuda"))
    assert torch.equal(torch.rand(5), cpu)


def test_dropout_follows_the_devices_seed(torch: Any) -> None:
    def drop() -> Any:
        torch.cuda.manual_seed(3)
        return torch.nn.functional.dropout(torch.ones(1000, device="cuda"), 0.25)

    first = drop()
    assert 600 < (first != 0).sum().item() < 900
    assert torch.equal(drop(), first)


def test_views_share_memory(torch: Any) -> None:
    base = torch.zeros(4, 6, device="cuda")
    views = (base.t(), base[1:, ::2], base.view(-1), base.unfold(1, 2, 2), base.reshape(2, 12), base.diagonal())
    for view in views:
        before = base.sum().item()
        view.add_(1)
        assert base.sum().item() == before + view.numel()
    assert torch.view_as_complex(base.view(4, 3, 2)).data_ptr() == base.data_ptr()


def test_results_go_where_they_are_asked_for(torch: Any) -> None:
    out = torch.empty(0, device="cuda")
    torch.add(torch.ones(5, device="cuda"), 2, out=out)
    assert out.tolist() == [3.0] * 5
    assert out.is_cuda
    resized = torch.ones(2, device="cuda").resize_(6)
    assert resized.shape == (6,)
    assert resized[:2].tolist() == [1, 1]
    shared = torch.empty(0, device="cuda").set_(out)
    shared[0] = 9
    assert out[0].item() == 9


def test_storages_become_smaller_and_larger(torch: Any) -> None:
    x = torch.arange(6.0, device="cuda")
    storage = x.untyped_storage()
    assert storage.resize_(40) is storage
    assert storage.nbytes() == 40
    assert x.tolist() == [0, 1, 2, 3, 4, 5]
    before = torch.cuda.memory_allocated()
    storage.resize_(0)  # gives the memory back; the tensor keeps its shape
    assert storage.nbytes() == 0
    assert torch.cuda.memory_allocated() < before
    storage.resize_(24)
    assert x.copy_(torch.ones(6)).sum().item() == 6
    with pytest.raises(RuntimeError, match="non-negative"):
        storage.resize_(-1)
    assert torch.ones(2).untyped_storage().resize_(4).nbytes() == 4


def test_tensors_are_saved_and_loaded(torch: Any) -> None:
    whole = torch.randn(10, device="cuda")
    buffer = io.BytesIO()
    torch.save({"whole": whole, "part": whole[2:4], "half": whole.half()}, buffer)
    buffer.seek(0)
    loaded = torch.load(buffer)
    assert loaded["whole"].is_cuda
    assert torch.equal(loaded["whole"], whole)
    assert torch.equal(loaded["half"], whole.half())
    assert loaded["part"].untyped_storage().data_ptr() == loaded["whole"].untyped_storage().data_ptr()
    buffer.seek(0)
    assert torch.load(buffer, map_location="cpu")["whole"].device.type == "cpu"
    buffer = io.BytesIO()
    torch.save(whole.cpu(), buffer)
    buffer.seek(0)
    assert torch.load(buffer, map_location="cuda").is_cuda


def test_coverage_counts_what_ran_on_the_cpu_backend(torch: Any) -> None:
    import warploom.torch

    x = torch.ones(3, device="cuda")
    warploom.torch.reset_coverage()
    for _ in range(3):
        x.mul_(2)
    counts = warploom.torch.coverage().on_cpu_backend
    assert counts["aten::mul_.Tensor"] == 3 if "aten::mul_.Tensor" in counts else counts["aten::mul.out"] == 3
    assert "aten::view" not in counts
    assert "3 " in str(warploom.torch.coverage())


def test_the_cpus_kernel_comes_before_code_for_all_devices(torch: Any) -> None:
    """Which makes a layer norm of a batch norm: seven times as long."""
    import warploom.torch

    x, weight = torch.randn(4, 8, device="cuda", requires_grad=True), torch.randn(8, device="cuda")
    warploom.torch.reset_coverage()
    y = torch.nn.functional.layer_norm(x, (8,), weight, weight)
    z = torch.nn.functional.group_norm(x, 2, weight, weight)
    seen = warploom.torch.coverage()
    assert seen.launches or seen.on_cpu_backend["aten::native_layer_norm"] == 1
    assert seen.on_cpu_backend["aten::native_group_norm"] == 1
    assert "aten::native_batch_norm" not in seen.on_cpu_backend
    (y.square() + z).sum().backward()
    on_cpu = x.detach().cpu().requires_grad_()
    one = torch.nn.functional.layer_norm(on_cpu, (8,), weight.cpu(), weight.cpu())
    two = torch.nn.functional.group_norm(on_cpu, 2, weight.cpu(), weight.cpu())
    (one.square() + two).sum().backward()
    torch.testing.assert_close(x.grad.cpu(), on_cpu.grad)


def test_a_loader_pins_in_a_thread_and_works_in_processes(torch: Any) -> None:
    data = torch.utils.data.TensorDataset(torch.arange(8.0))
    loader = torch.utils.data.DataLoader(data, batch_size=4, num_workers=1, pin_memory=True)
    assert [batch.cuda().sum().item() for (batch,) in loader] == [6, 22]


def test_sparse_tensors(torch: Any) -> None:
    dense = torch.tensor([[0.0, 2.0, 0.0], [3.0, 0.0, 4.0]])
    other = torch.arange(6.0).reshape(3, 2)
    for layout in (torch.sparse_coo, torch.sparse_csr):
        on_cpu = dense.to_sparse(layout=layout)
        on_cuda = dense.cuda().to_sparse(layout=layout)
        assert on_cuda.is_cuda
        assert on_cuda.layout == layout
        torch.testing.assert_close((on_cuda @ other.cuda()).cpu(), on_cpu @ other)
        torch.testing.assert_close((on_cuda * 2).to_dense().cpu(), dense * 2)
        torch.testing.assert_close(on_cuda.cpu().to_dense(), dense)
        # The parts are the tensor's own memory.
        on_cuda.values().fill_(1)
        assert on_cuda.to_dense().sum().item() == 3
    with pytest.raises(RuntimeError, match="same device"):
        torch.mm(dense.to_sparse_csr().cuda(), other)


def test_quantized_tensors(torch: Any) -> None:
    numbers = torch.tensor([[-0.2, 1.4, -0.3], [0.5, 7.0, 0.1]])
    scales, zeros = torch.tensor([0.1, 0.2]), torch.tensor([0, 3])
    for host in (
        torch.quantize_per_tensor(numbers, 0.1, 2, torch.qint8),
        torch.quantize_per_channel(numbers, scales, zeros, 0, torch.quint8),
    ):
        there = host.cuda()
        assert there.device.type == "cuda"
        assert there.is_quantized
        assert "device='cuda:0'" in str(there)
        assert torch.equal(there.int_repr().cpu(), host.int_repr())
        assert torch.equal(there.dequantize().cpu(), host.dequantize())
        assert there.cpu().device.type == "cpu"
        assert torch.equal(there.cpu().int_repr(), host.int_repr())
        assert torch.equal(there.clone()[1:].cpu().int_repr(), host[1:].int_repr())
    made = torch.quantize_per_tensor(numbers.cuda(), 0.1, 2, torch.qint8)
    assert (made.q_scale(), made.q_zero_point()) == (0.1, 2)
    assert torch.equal(made.cpu().int_repr(), torch.quantize_per_tensor(numbers, 0.1, 2, torch.qint8).int_repr())


def test_the_profiler_has_times_of_the_device(torch: Any, capfd: pytest.CaptureFixture[str]) -> None:
    x = torch.randn(64, 64, device="cuda")
    kinds = torch.profiler.ProfilerActivity
    with torch.profiler.profile(activities=[kinds.CPU, kinds.CUDA]) as profile:
        (x @ x).sum().item()
    times = {each.key: (each.count, each.device_time_total) for each in profile.key_averages()}
    assert times["aten::mm"][0] == 1
    assert times["aten::mm"][1] > 0
    assert "Failed to record" not in capfd.readouterr().err


def test_ranges_of_nvtx(torch: Any) -> None:
    nvtx = torch.cuda.nvtx
    depths = [nvtx.range_push("outer"), nvtx.range_push("inner"), nvtx.range_pop(), nvtx.range_pop()]
    assert depths == [0, 1, 1, 0]
    first, second = nvtx.range_start("first"), nvtx.range_start("second")
    assert first != second
    nvtx.range_end(first)
    nvtx.range_end(second)
    nvtx.mark("here")
    stream = torch.cuda.Stream()
    handle = nvtx._device_range_start("on the stream", stream.cuda_stream)
    nvtx._device_range_end(handle, stream.cuda_stream)
    stream.synchronize()
    with torch.autograd.profiler.emit_nvtx(), nvtx.range("step {}", 3):
        assert (torch.ones(2, device="cuda") + 1).sum().item() == 4
