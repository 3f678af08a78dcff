# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Which of PyTorch's operators ran on its CPU backend because the CUDA device has no kernel for them, and which of its
own CUDA kernels were launched.

WARPLOOM_TORCH_TRACE=1 in the environment prints each operator that runs on the CPU backend.
"""

from __future__ import annotations

import ctypes

from warploom.core.records import dataclass
from warploom.torch.device import kernel_library, library


@dataclass(frozen=True)
class Coverage:
    """Counts since the start or since `reset_coverage`."""

    on_cpu_backend: dict[str, int]  # calls by operator, as "aten::add.Tensor"
    launches: dict[str, int]  # of ATen's own CUDA kernels, by mangled name

    def __str__(self) -> str:
        called, launched = _rows(self.on_cpu_backend), _rows(self.launches)
        lines = [f"{len(called)} operators ran on the CPU backend, {sum(self.on_cpu_backend.values())} calls", *called]
        if launched:
            lines += [f"{len(launched)} of ATen's CUDA kernels, {sum(self.launches.values())} launches", *launched]
        return "\n".join(lines)


def _rows(counts: dict[str, int]) -> list[str]:
    return [f"{count:8} {name}" for name, count in sorted(counts.items(), key=lambda row: -row[1])]


def coverage() -> Coverage:
    """What ran so far; a Diagnostic when torch was imported without the device."""
    lines = library().warploom_torch_coverage
    lines.restype = ctypes.c_char_p
    rows = (line.rsplit(" ", 1) for line in lines().decode().splitlines())
    return Coverage({name: int(calls) for name, calls in rows}, _launches())


def _launches() -> dict[str, int]:
    kernels = kernel_library()
    if kernels is None:
        return {}
    lines = kernels.warploom_aten_launches
    lines.restype = ctypes.c_char_p
    rows = (line.split(" ", 1) for line in lines().decode().splitlines())
    return {name: int(count) for count, name in rows}


def reset_coverage() -> None:
    """Begin to count anew."""
    library().warploom_torch_reset_coverage()
    kernels = kernel_library()
    if kernels is not None:
        kernels.warploom_aten_reset_launches()
