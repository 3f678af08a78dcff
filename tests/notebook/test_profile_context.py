# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""profile(): what ran between its beginning and its end, and nothing else."""

from __future__ import annotations

import json
import os
import threading
from contextlib import suppress
from pathlib import Path

import numpy as np
import pytest

import warploom

KERNELS = warploom.RawModule("""
extern "C" __global__ void first(float *x) { x[threadIdx.x] += 1; }
extern "C" __global__ void second(float *x) { x[threadIdx.x] *= 2; }
""")


def test_what_ran_within(tmp_path: Path) -> None:
    x = np.zeros(32, np.float32)
    first, second = KERNELS.get_function("first"), KERNELS.get_function("second")
    first(1, 32, (x,))
    with warploom.profile() as once:
        for _ in range(5000):  # more than the runtime keeps before it writes
            first(1, 32, (x,))
    second(1, 32, (x,))
    with warploom.profile() as again, warploom.Stream() as stream:
        second(1, 32, (x,))
        first(1, 32, (x,), stream=stream)
    first(1, 32, (x,))
    assert [(each.name, each.calls) for each in once.kernels] == [("first", 5000)]
    assert sorted((each.name, each.calls) for each in again.kernels) == [("first", 1), ("second", 1)]
    assert 0 < again.kernels[0].total < again.process.seconds
    assert "profile of python" in str(once)
    assert "<td>5000<td>" in once._repr_html_()  # pyright: ignore[reportPrivateUsage]
    for name in ("p.html", "p.trace", "p.csv", "p.json"):
        again.save(tmp_path / name)
        assert "second" in (tmp_path / name).read_text()
    assert len(json.loads((tmp_path / "p.json").read_text())["kernels"]) == 2
    with pytest.raises(warploom.Diagnostic, match=r"\.html, \.trace"):
        again.save(tmp_path / "p.txt")


def test_threads_and_what_goes_wrong() -> None:
    x = np.zeros((4, 32), np.float32)
    first = KERNELS.get_function("first")
    with suppress(KeyError), warploom.profile() as left:
        threads = [threading.Thread(target=first, args=(1, 32, (row,))) for row in x]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        with pytest.raises(warploom.Diagnostic, match="already"), warploom.profile():
            pass
        with pytest.raises(warploom.Diagnostic, match="ended"):
            _ = left.kernels
        raise KeyError
    assert [(each.name, each.calls) for each in left.kernels] == [("first", 4)]


def test_a_forked_process_has_none() -> None:
    with warploom.profile():
        pass
    child = os.fork()
    if child == 0:
        try:
            with warploom.profile():
                pass
        except warploom.Diagnostic as refused:
            os._exit(7 if "forked" in str(refused) else 8)
        os._exit(9)
    assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 7
