# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""A plugin of pytest that notes how long each test's kernels take, as JSON in the file $TEST_SECONDS.

Seconds of processors within calls of kernels, by test: of all of it, and of that what makes a kernel ready for the
types of its arguments at its first call. numba's simulator makes nothing ready.
"""

from __future__ import annotations

import json
import os
import time
from collections.abc import Generator
from pathlib import Path
from typing import Any

import pytest

_found: dict[str, tuple[float, float]] = {}
_now = {"calls": 0.0, "ready": 0.0}
_depth = {"calls": 0, "ready": 0}


def _measure(owner: Any, method: str, what: str) -> None:
    """Add the seconds of all outermost calls of a method to `_now[what]`."""
    inner = getattr(owner, method)

    def measured(*arguments: Any, **named: Any) -> Any:
        _depth[what] += 1
        started = time.process_time()
        try:
            return inner(*arguments, **named)
        finally:
            _depth[what] -= 1
            if not _depth[what]:
                _now[what] += time.process_time() - started

    setattr(owner, method, measured)


def pytest_configure(config: Any) -> None:
    """Measure the kernels of whichever is there: those of Warploom under its plugin, else the simulator's."""
    if config.pluginmanager.has_plugin("numba_plugin"):
        from warploom.pyjit.function import Configured

        _measure(Configured, "__call__", "calls")
        _measure(Configured, "_ready", "ready")
    else:
        from numba.cuda.simulator.kernel import FakeCUDAKernel

        _measure(FakeCUDAKernel, "__call__", "calls")


@pytest.hookimpl(wrapper=True)
def pytest_runtest_call(item: Any) -> Generator[None, Any, Any]:
    """Measure the kernels of one test, without what comes before and after."""
    _now.update(calls=0.0, ready=0.0)
    try:
        return (yield)
    finally:
        _found[item.nodeid.rpartition("cudapy/")[2]] = _now["calls"], _now["ready"]


def pytest_sessionfinish() -> None:
    """Write them down."""
    Path(os.environ["TEST_SECONDS"]).write_text(json.dumps(_found))
