# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What torch._C has in a build for CUDA and a CPU wheel's lacks, on the functions of libtorch_cuda.so.

PyTorch's Python code decides by these names whether it was compiled with CUDA.
"""

from __future__ import annotations

import ctypes
import os
import time
import uuid
from collections.abc import Callable
from functools import cache, partial
from importlib import import_module
from types import ModuleType
from typing import Any, cast

from warploom.cache import cached_entry, content_key, package_key
from warploom.core.records import dataclass
from warploom.cpu import default_cpu
from warploom.frontend.passes import CUDA_VERSION
from warploom.torch.calls import Calls
from warploom.torch.cudart import cudart_module
from warploom.torch.graphs import graph_base
from warploom.torch.memory import Memory
from warploom.torch.nvtx import nvtx_module
from warploom.torch.streams import CUDA, event_base, stream_base

# Asked for by torch.cuda's Python code, and not here.
_REFUSED = (
    "_cuda_customAllocator", "_cuda_changeCurrentAllocator", "_cuda_getAllocator", "_cuda_record_memory_history",
    "_cuda_record_memory_history_legacy", "_cuda_getCheckpointState",
    "_cuda_setCheckpointPoolState", "_cuda_attach_out_of_memory_observer", "_cuda_beginAllocateToPool",
    "_cuda_beginAllocateCurrentThreadToPool", "_cuda_beginAllocateCurrentStreamToPool", "_cuda_endAllocateToPool",
    "_cuda_releasePool", "_cuda_checkPoolLiveAllocations",
)  # fmt: skip


@dataclass(frozen=True)
class DeviceProperties:
    """torch._C._CudaDeviceProperties; the numbers in the order of warploom_torch_properties."""

    name: str
    uuid: uuid.UUID
    major: int
    minor: int
    total_memory: int
    multi_processor_count: int
    warp_size: int
    regs_per_multiprocessor: int
    shared_memory_per_block: int
    shared_memory_per_block_optin: int
    shared_memory_per_multiprocessor: int
    max_threads_per_multi_processor: int
    max_threads_per_block: int
    L2_cache_size: int
    is_integrated: int
    is_multi_gpu_board: int
    pci_bus_id: int
    pci_device_id: int
    pci_domain_id: int = 0
    gcnArchName: str = ""  # noqa: N815  (PyTorch's name)


def add_to(c_module: ModuleType, library: ctypes.CDLL) -> None:
    """Add all to torch._C."""
    calls = Calls(library, c_module)
    names = vars(c_module)
    names["_has_cuda"] = True
    names["_CudaDeviceProperties"] = DeviceProperties
    names["_CudaStreamBase"] = stream_base(c_module, calls)
    names["_CudaEventBase"] = event_base(c_module, calls)
    names["_CUDAGraph"] = graph_base(calls)
    names["_graph_pool_handle"] = lambda: (0, calls.graph_pool_handle())
    names["_cuda_isCurrentStreamCapturing"] = lambda: bool(calls.is_capturing())
    names["_cudart"] = cudart_module(calls)
    names["_nvtx"] = nvtx_module(calls)
    names["_cuda_jiterator_compile_and_launch_kernel"] = partial(_jiterator, calls)
    for group in (_device_functions(calls), _stream_functions(calls), Memory(calls).names()):
        names.update(group)
    # What torch._inductor imports where there is CUDA, to use it when it manages memory of graphs itself.
    names["_cuda_CUDAAllocator_AllocatorState"] = type("AllocatorState", (), {})
    names["_set_cached_tensors_enabled"] = _set_cached_tensors
    names["_cuda_init"] = lambda: _init(calls)
    names.update({name: _refuser(name) for name in _REFUSED})


def _init(calls: Calls) -> None:
    """The first use: what only then is known goes to torch.cuda."""
    calls.init()
    torch: Any = import_module("torch")
    found = cast(dict[str, Any], vars(torch.cuda))
    found["_get_device_properties"] = partial(device_properties, calls)
    found["default_generators"] = default_generators(torch, calls)


def device_properties(calls: Calls, device: int) -> DeviceProperties:
    """Of one device."""
    name, number = ctypes.create_string_buffer(256), ctypes.create_string_buffer(16)
    out = (ctypes.c_int64 * 16)()
    calls.properties(device, name, number, out)
    return DeviceProperties(name.value.decode(), uuid.UUID(bytes=number.raw), *out)


def default_generators(torch: Any, calls: Calls) -> tuple[Any, ...]:
    """The generator that each device draws from when none is named."""
    calls.next_generator_is_default(1)
    try:
        return tuple(torch.Generator(device=f"cuda:{device}") for device in range(calls.device_count()))
    finally:
        calls.next_generator_is_default(0)


def _device_functions(calls: Calls) -> dict[str, Any]:
    def sleep(cycles: int) -> None:
        calls.synchronize()
        time.sleep(cycles / 1e9)

    def no_result(function: Callable[..., Any]) -> Callable[..., None]:
        def call(*arguments: Any) -> None:
            function(*arguments)

        return call

    def can_access_peer(device: int, peer: int) -> bool:
        return bool(calls.can_access_peer(device, peer))

    def has_context(_device: int) -> bool:
        return True

    return {
        "_cuda_getDeviceCount": calls.device_count,
        "_cuda_getDevice": calls.current_device,
        "_cuda_setDevice": no_result(calls.set_device),
        "_cuda_exchangeDevice": calls.exchange_device,
        "_cuda_maybeExchangeDevice": calls.maybe_exchange_device,
        "_cuda_synchronize": no_result(calls.synchronize),
        "_cuda_hasPrimaryContext": has_context,
        "_cuda_canDeviceAccessPeer": can_access_peer,
        "_cuda_isInBadFork": lambda: bool(calls.in_bad_fork()),
        "_cuda_getCompiledVersion": lambda: CUDA_VERSION[0] * 1000 + CUDA_VERSION[1] * 10,
        "_cuda_getArchFlags": lambda: "sm_80",
        "_cuda_sleep": sleep,
        "_cuda_get_sync_debug_mode": calls.sync_mode,
        "_cuda_set_sync_debug_mode": no_result(calls.set_sync_mode),
        "_cuda_getCurrentBlasHandle": calls.blas_handle,
        "_cuda_getCurrentSolverHandle": calls.solver_handle,
        "_cuda_clearCublasWorkspaces": lambda: None,
    }


def _stream_functions(calls: Calls) -> dict[str, Any]:
    """Streams go to and fro as their id, the index of their device, and the type of that."""

    def place(device: int) -> int:
        return calls.current_device() if device < 0 else device

    def current(device: int) -> tuple[int, int, int]:
        return calls.number("current_stream", place(device)), place(device), CUDA

    def default(device: int) -> tuple[int, int, int]:
        return 0, place(device), CUDA

    def external(handle: int, device: int) -> tuple[int, int, int]:
        return handle, place(device), CUDA

    def set_stream(stream_id: int, device_index: int, **_device_type: int) -> None:
        calls.set_stream(stream_id, device_index)

    def raw(device: int) -> int:
        return calls.number("stream_handle", calls.number("current_stream", place(device)), place(device))

    return {
        "_cuda_getCurrentStream": current,
        "_cuda_getDefaultStream": default,
        "_cuda_getStreamFromExternal": external,
        "_cuda_setStream": set_stream,
        "_cuda_getCurrentRawStream": raw,
    }


def _jiterator(
    calls: Calls, code: str, name: str, by_reference: bool, outputs: int, tensors: Any, extras: dict[str, Any]
) -> Any:
    """Compile and launch a kernel of a function's text (native/jiterator.cpp): its tensor, or a tuple of several."""
    torch: Any = import_module("torch")
    _keep_jiterators_kernels(calls)
    made = torch.ops.warploom.jiterator(code, name, by_reference, outputs, list(tensors), list(extras.values()))
    return made[0] if outputs == 1 else tuple(made)


@cache
def _keep_jiterators_kernels(calls: Calls) -> None:
    """In Warploom's cache, unless PyTorch's variable says that kernels are not kept."""
    if os.environ.get("USE_PYTORCH_KERNEL_CACHE") == "0":
        return
    folder = cached_entry("jiterator", content_key(package_key(), default_cpu()), lambda _: None)
    calls.jiterator_cache(str(folder).encode())


def _set_cached_tensors(is_enabled: bool) -> None:
    if is_enabled:
        raise NotImplementedError("Warploom's CUDA device does not let torch._inductor manage memory of graphs")


def _refuser(name: str) -> Callable[..., None]:
    def refuse(*_arguments: Any, **_named: Any) -> None:
        raise NotImplementedError(f"Warploom's CUDA device has no torch._C.{name}")

    return refuse
