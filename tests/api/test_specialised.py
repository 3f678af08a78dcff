# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Launches that repeat get code of their own; whatever changes then, results are those of the general code."""

from __future__ import annotations

import subprocess
import sys
import threading
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import warploom
from warploom.api import specialise
from warploom.api.kernel import Kernel

SOURCE = """
template <class T> __device__ T twice(T x) { return x + x; }
extern "C" __global__ void sum(const float *x, float *y, int width, short step, bool negate, unsigned char from,
                               unsigned long long n, float factor) {
  extern __shared__ float kept[];
  const unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  kept[threadIdx.x] = 0;
  for (int k = from; k < width; ++k) kept[threadIdx.x] += x[(i + k * step) % n];
  y[i] = (negate ? -kept[threadIdx.x] : kept[threadIdx.x]) * factor + float(blockDim.x) + twice(width);
}
extern "C" __global__ void other(float *y) { y[threadIdx.x] = 7; }
"""
COUNT = 1000


def expected(x: Any, width: int, step: int, negate: bool, start: int, n: int, factor: float, block: int) -> Any:
    i = np.arange(n, dtype=np.uint32)
    total = sum((x[(i + np.uint32(k * step & 0xFFFFFFFF)) % n] for k in range(start, width)), np.zeros(n, np.float32))
    return (-total if negate else total) * np.float32(factor) + block + 2 * width


@pytest.fixture(name="quickly")
def _quickly(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(specialise, "CALLS", 3)
    monkeypatch.setattr(specialise, "SECONDS", 0.0)


def repeat(kernel: Kernel, launch: Callable[[], Any]) -> None:
    """Launch until the kernel has code of its own for that."""
    until = time.monotonic() + 120
    while kernel.specialised is None:
        assert time.monotonic() < until, "no code was made"
        launch()
        time.sleep(0.01)


@pytest.mark.usefixtures("quickly")
def test_what_changes_is_computed_by_the_general_code() -> None:
    kernel = warploom.RawModule(code=SOURCE).get_function("sum")
    x, y = np.random.default_rng(1).integers(0, 9, COUNT).astype(np.float32), np.zeros(COUNT, np.float32)
    first: dict[str, Any] = {"width": 5, "step": -1, "negate": True, "start": 2, "n": COUNT, "factor": 2.0, "block": 64}

    def right(given: dict[str, Any]) -> Any:
        return expected(x, *(given[name] for name in first))

    def check(convert: Callable[[Any], Any] = lambda value: value, /, **other: Any) -> None:
        given = first | other
        numbers = [given[name] for name in ("width", "step", "negate", "start", "n", "factor")]
        y[:] = 0
        blocks = -(-COUNT // given["block"])
        args = (x, y, *map(convert, numbers))
        kernel(blocks, given["block"], args, shared_mem=4 * given["block"])
        assert np.array_equal(y[: given["n"]], right(given)), other

    repeat(kernel, check)
    found = kernel.specialised
    assert found is not None
    assert found.block == (64, 1, 1)
    assert dict(found.numbers) == {2: 5, 3: -1, 4: 1, 5: 2, 6: COUNT}
    for other in (
        {}, {"width": 4}, {"width": 6}, {"width": -5}, {"step": 1}, {"step": 255}, {"negate": False}, {"start": 0},
        {"start": 3}, {"n": 999}, {"n": 1}, {"factor": -0.0}, {"factor": 3.5}, {"block": 65}, {"block": 32},
        {"block": 1000},
    ):  # fmt: skip
        check(**other)
        check(np.asarray, **other)  # not by the quick way
        check()
    # Shared memory that is allowed later is allowed to both; threads that differ in what they give do not meet.
    kernel(1, 64, (x, y, 5, -1, True, 2, COUNT, 2.0), shared_mem=100_000)
    wrong: list[int] = []

    def many(width: int) -> None:
        own = np.zeros(COUNT, np.float32)
        for _ in range(50):
            kernel(16, 64, (x, own, width, -1, True, 2, COUNT, 2.0), shared_mem=256)
            wrong.extend([width] * (not np.array_equal(own, expected(x, width, -1, True, 2, COUNT, 2.0, 64))))

    threads = [threading.Thread(target=many, args=(5 + number % 2,)) for number in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert not wrong


@pytest.mark.usefixtures("quickly")
def test_what_is_left_alone(monkeypatch: pytest.MonkeyPatch) -> None:
    x = np.zeros(32, np.int32)

    def is_watched(source: str, *options: str) -> bool:
        kernel = warploom.RawModule(code=source, options=options).get_function("count")
        for _ in range(8):
            kernel(1, 32, (x, 32))
        return kernel._watch is not None or kernel.specialised is not None  # pyright: ignore[reportPrivateUsage]

    plain = 'extern "C" __global__ void count(int *x, int n) { if (threadIdx.x < n) ++x[threadIdx.x]; }'
    for source in (
        "__device__ int total;" + plain.replace("++x", "++total, ++x"),
        plain.replace("{ if", "{ static int calls; ++calls; if"),
    ):
        assert not is_watched(source)
    assert not is_watched(plain, "--engine=reference")
    monkeypatch.setenv(specialise.SWITCH, "0")
    assert not is_watched(plain)
    assert (x == 32).all()


def test_a_watch_waits_for_what_repeats(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(specialise, "SECONDS", 0.0)
    module = warploom.RawModule(code='extern "C" __global__ void k(int n, int m, unsigned long long p) {}')
    watch = specialise.Watch(module.get_function("k").signature)
    for number in range(1000):  # sizes that alternate, as of a reduction
        assert watch.saw((32 << number % 2, 1, 1), (1, 2, 3)) is None
    found = None
    for number in range(1000):
        is_first = number < 3
        found = watch.saw((96 if is_first else 64, 1, 1), (np.int32(7 + is_first), number, 1 << 40))
        if found is not None:
            break
    assert found == {0: 7}
    assert watch.is_over


# A process of its own: this one has children of other tests at times.
UNSEEN = """
import os, signal, sys, time
from concurrent.futures import ThreadPoolExecutor
from warploom.api import specialise
specialise.runtime()
signal.signal(signal.SIGCHLD, lambda *_: os._exit(3))
words = ["/bin/sh", "-c", f"cat > {sys.argv[1]}; echo $NAME >> {sys.argv[1]}; sleep .2; exit 7"]
looks = 0
with ThreadPoolExecutor() as pool:
    status = pool.submit(specialise.run_unseen, words, {"NAME": "\\udcff"}, b"given ")
    while not status.done():
        try:
            sys.exit(f"a child was there: {os.waitpid(-1, os.WNOHANG)}")
        except ChildProcessError:
            looks += 1
            time.sleep(0.01)
assert looks > 5
signal.signal(signal.SIGCHLD, signal.SIG_IGN)
ignored = specialise.run_unseen(["/bin/sh", "-c", "exit 5"], {}, b"")
print(status.result(), ignored, specialise.run_unseen(["/none"], {}, b""))
"""

# Ends while the other program still runs.
LEAVES = """
import os, sys, threading, time
from warploom.api import specialise
specialise.runtime()
words = ["/bin/sh", "-c", f"echo > {sys.argv[1]}; sleep 1; echo all >> {sys.argv[1]}"]
threading.Thread(target=specialise.run_unseen, args=(words, {"PATH": os.environ["PATH"]}, b""), daemon=True).start()
while not os.path.exists(sys.argv[1]):
    time.sleep(0.001)
print(time.time())
sys.stdout.flush()
os._exit(0)
"""


def test_the_compiler_is_no_child_that_a_program_waits_for(tmp_path: Path) -> None:
    got = tmp_path / "got"
    done = subprocess.run([sys.executable, "-c", UNSEEN, got], capture_output=True, text=True, check=False)
    assert done.stdout == "7 5 127\n", done.stderr
    assert got.read_bytes() == b"given \xff\n"


def test_a_program_that_ends_leaves_nothing_open(tmp_path: Path) -> None:
    got = tmp_path / "got"
    done = subprocess.run([sys.executable, "-c", LEAVES, got], capture_output=True, text=True, check=True)
    assert time.time() - float(done.stdout) < 0.8  # its end of the pipe was closed before the other program's end
    for _ in range(400):
        if got.read_text() == "\nall\n":
            break
        time.sleep(0.01)
    assert got.read_text() == "\nall\n"


def test_modules_are_made_one_after_the_other(monkeypatch: pytest.MonkeyPatch) -> None:
    running, most, made = [0], [0], threading.Semaphore(0)

    def nothing(_given: Any) -> None:
        """No module, and no use for one."""

    def compile_slowly(_request: Any) -> None:
        running[0] += 1
        most[0] = max(most[0], running[0])
        time.sleep(0.05)
        running[0] -= 1
        made.release()

    monkeypatch.setattr(specialise, "_compile_elsewhere", compile_slowly)
    monkeypatch.setattr(specialise, "find_module", nothing)
    for number in range(3):
        request = warploom.RawModule(f"__global__ void nothing{number}() {{}}").request
        specialise.make_beside(request, nothing)
    for _ in range(3):
        assert made.acquire(timeout=60)
    assert most == [1]
