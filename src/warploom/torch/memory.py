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


class Memory:
    """The functions."""

    def __init__(self, calls: Calls) -> None:
        self.calls = calls

    def names(self) -> dict[str, Any]:
        """By their names in torch._C."""
        return {
            "_cuda_memoryStats": self.stats,
            "_cuda_memorySnapshot": self.snapshot,
            "_cuda_resetPeakMemoryStats": self.reset_peaks,
            "_cuda_resetAccumulatedMemoryStats": self.reset_sums,
            "_cuda_hostMemoryStats": self.host_stats,
            "_cuda_resetPeakHostMemoryStats": self.reset_host_peaks,
            "_cuda_resetAccumulatedHostMemoryStats": self.reset_host_sums,
            "_cuda_emptyCache": self.empty_cache,
            "_cuda_setMemoryFraction": self.set_fraction,
            "_cuda_getMemoryFraction": self.calls.memory_fraction,
            "_cuda_cudaCachingAllocator_raw_alloc": self.allocate,
            "_cuda_cudaCachingAllocator_raw_delete": self.free,
            "_cuda_cudaCachingAllocator_enable": self.enable_caching,
            "_cuda_cudaCachingAllocator_is_enabled": lambda: bool(self.calls.caching_is_enabled()),
            "_cuda_getAllocatorBackend": lambda: "native",
            "_cuda_isHistoryEnabled": lambda: False,
            "_cuda_ipc_collect": lambda: None,
            "_host_emptyCache": lambda: None,
        }

    def stats(self, device: int) -> dict[str, Any]:
        """What `torch.cuda.memory_stats` shows."""
        out = (ctypes.c_int64 * (len(_GROUPS) * len(_POOLS) * len(_FIGURES) + len(_COUNTS)))()
        self.calls.memory_stats(device, out)
        numbers = iter(out)
        found: dict[str, Any] = {
            group: {pool: {figure: next(numbers) for figure in _FIGURES} for pool in _POOLS} for group in _GROUPS
        }
        found.update({count: next(numbers) for count in _COUNTS})
        none = dict.fromkeys(_FIGURES, 0)
        fixed = {"max_split_size": -1, "num_sync_all_streams": 0}
        return found | {"oversize_allocations": none, "oversize_segments": none} | fixed

    def host_stats(self) -> dict[str, Any]:
        """What `torch.cuda.host_memory_stats` shows."""
        out = (ctypes.c_int64 * (len(_HOST_GROUPS) * len(_FIGURES) + len(_HOST_COUNTS)))()
        self.calls.host_memory_stats(out)
        numbers = iter(out)
        found: dict[str, Any] = {group: {figure: next(numbers) for figure in _FIGURES} for group in _HOST_GROUPS}
        return found | {count: next(numbers) for count in _HOST_COUNTS}

    def snapshot(self, _pool: object = None) -> dict[str, Any]:
        """What `torch.cuda.memory_snapshot` shows."""
        lines: str = self.calls.memory_snapshot()
        segments = [_segment(line.split()) for line in lines.splitlines()]
        return {"segments": segments, "device_traces": [], "allocator_settings": {}, "external_annotations": []}

    def reset_peaks(self, device: int) -> None:
        self.calls.reset_stats(device, 1)

    def reset_sums(self, device: int) -> None:
        self.calls.reset_stats(device, 0)

    def reset_host_peaks(self) -> None:
        self.calls.reset_host_stats(1)

    def reset_host_sums(self) -> None:
        self.calls.reset_host_stats(0)

    def empty_cache(self, *_pool: object) -> None:
        self.calls.empty_cache()

    def set_fraction(self, fraction: float, device: int) -> None:
        self.calls.set_memory_fraction(ctypes.c_double(fraction), device)

    def allocate(self, size: int, stream: int) -> int:
        data = ctypes.c_void_p()
        self.calls.alloc(size, stream, ctypes.byref(data))
        return data.value or 0

    def free(self, pointer: int) -> None:
        self.calls.free(ctypes.c_void_p(pointer))

    def enable_caching(self, value: bool) -> None:
        self.calls.enable_caching(int(value))


def _segment(words: list[str]) -> dict[str, Any]:
    device, address, size, is_live, requested, stream = (int(word) for word in words)
    state = "active_allocated" if is_live else "inactive"
    block: dict[str, Any] = {
        "address": address,
        "size": size,
        "requested_size": requested,
        "state": state,
        "frames": [],
    }
    used = size if is_live else 0
    return {
        "device": device, "address": address, "total_size": size, "allocated_size": used, "active_size": used,
        "requested_size": requested, "stream": stream, "segment_type": "large" if size >= 1 << 20 else "small",
        "segment_pool_id": (0, 0), "is_expandable": False, "frames": [], "blocks": [block],
    }  # fmt: skip
