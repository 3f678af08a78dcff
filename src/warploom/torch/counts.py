# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Which of PyTorch's operators ran on its CPU backend because the CUDA device has no kernel for them.

WARPLOOM_TORCH_TRACE=1 in the environment prints each as it runs.
"""

from __future__ import annotations

import ctypes
from dataclasses import dataclass

from warploom.torch.device import library


@dataclass(frozen=True)
class Coverage:
    """Counts since the start or since `reset_coverage`."""

    on_cpu_backend: dict[str, int]  # calls by operator, as "aten::add.Tensor"

    def __str__(self) -> str:
        rows = sorted(self.on_cpu_backend.items(), key=lambda row: -row[1])
        total = sum(self.on_cpu_backend.values())
        head = f"{len(rows)} operators ran on the CPU backend, {total} calls"
        return "\n".join([head, *(f"{calls:8} {name}" for name, calls in rows)])


def coverage() -> Coverage:
    """What ran on the CPU backend so far; a Diagnostic when torch was imported without the device."""
    lines = library().warploom_torch_coverage
    lines.restype = ctypes.c_char_p
    rows = (line.rsplit(" ", 1) for line in lines().decode().splitlines())
    return Coverage({name: int(calls) for name, calls in rows})


def reset_coverage() -> None:
    """Begin to count anew."""
    library().warploom_torch_reset_coverage()
