# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What torch.cuda.memory asks of torch._C: the allocator's counts, and memory by hand."""

from __future__ import annotations

import ctypes
from typing import Any

from warploom.torch.calls import Calls

# In the order of warploom_torch_memory_stats.
_GROUPS = (
    "allocation", "segment", "active", "inactive_split", "allocated_bytes", "reserved_bytes", "active_bytes",
    "inactive_split_bytes", "requested_bytes",
)  # fmt: skip
_POOLS = ("all", "small_pool", "large_pool")
_FIGURES = ("current", "peak", "allocated", "freed")
_COUNTS = ("num_alloc_retries", "num_ooms", "num_device_alloc", "num_device_free")


_HOST_GROUPS = ("active_requests", "active_bytes", "allocations", "allocated_bytes")
_HOST_COUNTS = ("num_host_alloc", "num_host_free")


def memory_functions(calls: Calls) -> dict[str, Any]:
    """Functions by their names in torch._C."""

    def stats(device: int) -> dict[str, Any]:
        out = (ctypes.c_int64 * (len(_GROUPS) * len(_POOLS) * len(_FIGURES) + len(_COUNTS)))()
        calls.memory_stats(device, out)
        numbers = iter(out)
        found: dict[str, Any] = {
            group: {pool: {figure: next(numbers) for figure in _FIGURES} for pool in _POOLS} for group in _GROUPS
        }
        found.update({count: next(numbers) for count in _COUNTS})
        none = dict.fromkeys(_FIGURES, 0)
        return found | {"oversize_allocations": none, "oversize_segments": none, "max_split_size": -1, "num_sync_all_streams": 0}

    def host_stats() -> dict[str, Any]:
        out = (ctypes.c_int64 * (len(_HOST_GROUPS) * len(_FIGURES) + len(_HOST_COUNTS)))()
        calls.host_memory_stats(out)
        numbers = iter(out)
        found: dict[str, Any] = {group: {figure: next(numbers) for figure in _FIGURES} for group in _HOST_GROUPS}
        return found | {count: next(numbers) for count in _HOST_COUNTS}

    def snapshot(_pool: Any = None) -> dict[str, Any]:
        segments = [_segment(line.split()) for line in calls.memory_snapshot().splitlines()]
        return {"segments": segments, "device_traces": [], "allocator_settings": {}, "external_annotations": []}

    def raw_alloc(size: int, stream: int) -> int:
        data = ctypes.c_void_p()
        calls.alloc(size, stream, ctypes.byref(data))
        return data.value or 0

    return {
        "_cuda_memoryStats": stats,
        "_cuda_memorySnapshot": snapshot,
        "_cuda_resetPeakMemoryStats": lambda device: _none(calls.reset_stats(device, 1)),
        "_cuda_resetAccumulatedMemoryStats": lambda device: _none(calls.reset_stats(device, 0)),
        "_cuda_hostMemoryStats": host_stats,
        "_cuda_resetPeakHostMemoryStats": lambda: _none(calls.reset_host_stats(1)),
        "_cuda_resetAccumulatedHostMemoryStats": lambda: _none(calls.reset_host_stats(0)),
        "_host_emptyCache": lambda: None,
        "_cuda_emptyCache": lambda *_pool: _none(calls.empty_cache()),
        "_cuda_setMemoryFraction": lambda fraction, device: _none(
            calls.set_memory_fraction(ctypes.c_double(fraction), device)
        ),
        "_cuda_getMemoryFraction": calls.memory_fraction,
        "_cuda_cudaCachingAllocator_raw_alloc": raw_alloc,
        "_cuda_cudaCachingAllocator_raw_delete": lambda pointer: _none(calls.free(ctypes.c_void_p(pointer))),
        "_cuda_cudaCachingAllocator_enable": lambda value: _none(calls.enable_caching(int(value))),
        "_cuda_cudaCachingAllocator_is_enabled": lambda: bool(calls.caching_is_enabled()),
        "_cuda_getAllocatorBackend": lambda: "native",
        "_cuda_isHistoryEnabled": lambda: False,
        "_cuda_ipc_collect": lambda: None,
    }


def _segment(words: list[str]) -> dict[str, Any]:
    device, address, size, is_live, requested, stream = (int(word) for word in words)
    state = "active_allocated" if is_live else "inactive"
    block = {"address": address, "size": size, "requested_size": requested, "state": state, "frames": []}
    used = size if is_live else 0
    return {
        "device": device, "address": address, "total_size": size, "allocated_size": used, "active_size": used,
        "requested_size": requested, "stream": stream, "segment_type": "large" if size >= 1 << 20 else "small",
        "segment_pool_id": (0, 0), "is_expandable": False, "frames": [], "blocks": [block],
    }  # fmt: skip


def _none(_result: object) -> None:
    """PyTorch's functions return nothing."""
