# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""PyTorch's CUDA device on the CPU: `torch.rand(3, device="cuda")` in a CPU-only PyTorch.

    warploom torch enable     once: `import torch` of this Python then brings the device

Extensions in CUDA C++ are compiled by warpcc and run by Warploom. PyTorch's own operators run on its CPU backend, over
the same memory: `coverage()` counts them. docs/torch.md tells more.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from warploom.torch.counts import Coverage, coverage, reset_coverage

__all__ = ["Coverage", "coverage", "reset_coverage"]


def __getattr__(name: str) -> Any:
    """Load what is asked for: every start of Python passes here where the device is enabled."""
    if name not in __all__:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return getattr(import_module("warploom.torch.counts"), name)
