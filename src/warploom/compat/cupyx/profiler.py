# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""cupyx.profiler: how long calls take."""

from __future__ import annotations

from collections.abc import Callable
from time import perf_counter
from typing import Any

from warploom.compat import cupy


class _Times:
    """What `benchmark` gives: seconds of each call."""

    def __init__(self, name: str, times: list[float]) -> None:
        import numpy as np

        self.name = name
        self.cpu_times = np.array(times)
        self.gpu_times = self.cpu_times.reshape(1, -1)

    def __repr__(self) -> str:
        return f"{self.name}: {1e6 * self.cpu_times.mean():.3f} us (+/- {1e6 * self.cpu_times.std():.3f})"


def benchmark(
    func: Callable[..., Any],
    args: tuple[Any, ...] = (),
    kwargs: dict[str, Any] | None = None,
    n_repeat: int = 100,
    *,
    name: str | None = None,
    n_warmup: int = 10,
    **_options: Any,
) -> _Times:
    """Call a function often, and take the time of each call."""
    times: list[float] = []
    for turn in range(n_warmup + n_repeat):
        cupy.cuda.Device().synchronize()
        start = perf_counter()
        func(*args, **(kwargs or {}))
        cupy.cuda.Device().synchronize()
        if turn >= n_warmup:
            times.append(perf_counter() - start)
    return _Times(name or getattr(func, "__name__", "function"), times)
