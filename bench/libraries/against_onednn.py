# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Our cuBLAS beside PyTorch's products (oneDNN; of floats also MKL): ratios of their time to ours.

    WARPLOOM_NUM_THREADS=1 OMP_NUM_THREADS=1 python bench/libraries/against_onednn.py LIBCUBLAS [THREADS [KIND...]]

needs a Python with torch. KIND is float, bfloat16, half or int8; where none is named all of them and batches follow.
Medians of runs in turns: on one thread of the processor's time, on several by the clock.
"""

from __future__ import annotations

import ctypes
import statistics
import sys
import time
from collections.abc import Callable
from typing import Any

import torch

ROUNDS = 15
PAUSE = 0.05  # seconds
R_32F, R_16F, R_8I, R_32I, R_16BF, COMPUTE_32F, COMPUTE_32I = 0, 2, 3, 10, 14, 68, 72
SIZES = (64, 128, 256, 512, 1024, 2048)
KINDS: dict[str, tuple[Any, int, Any, int, int]] = {
    "float": (torch.float32, R_32F, torch.float32, R_32F, COMPUTE_32F),
    "bfloat16": (torch.bfloat16, R_16BF, torch.bfloat16, R_16BF, COMPUTE_32F),
    "half": (torch.float16, R_16F, torch.float16, R_16F, COMPUTE_32F),
    "int8": (torch.int8, R_8I, torch.int32, R_32I, COMPUTE_32I),
}


def medians(calls: list[Callable[[], object]], work: float, clock: Callable[[], float]) -> list[float]:
    """Seconds of a call of each; about `work` operations."""
    repeats = max(1, round(2e9 / work))
    taken: list[list[float]] = [[] for _ in calls]
    for _ in range(ROUNDS):
        for call, times in zip(calls, taken, strict=True):
            if clock is time.perf_counter:
                time.sleep(PAUSE)
                call()
            begin = clock()
            for _ in range(repeats):
                call()
            times.append((clock() - begin) / repeats)
    return [statistics.median(times) for times in taken]


class Blas:
    """cublasGemmEx and a strided batch, on PyTorch's tensors: C = A B, each by rows."""

    def __init__(self, path: str) -> None:
        self.library = ctypes.CDLL(path)
        self.handle = ctypes.c_void_p()
        assert self.library.cublasCreate_v2(ctypes.byref(self.handle)) == 0

    def product(self, kind: str, a: torch.Tensor, b: torch.Tensor, c: torch.Tensor) -> Callable[[], object]:
        _, of_ab, _, of_c, compute = KINDS[kind]
        n = a.shape[0]
        one, zero = ((ctypes.c_int if compute == COMPUTE_32I else ctypes.c_float)(each) for each in (1, 0))
        pa, pb, pc = (ctypes.c_void_p(each.data_ptr()) for each in (a, b, c))
        last = (ctypes.byref(zero), pc, of_c, n, compute, -1)

        def run() -> None:
            operands = (ctypes.byref(one), pb, of_ab, n, pa, of_ab, n)
            assert self.library.cublasGemmEx(self.handle, 0, 0, n, n, n, *operands, *last) == 0
            self.library.cudaDeviceSynchronize()

        return run

    def batch(self, a: torch.Tensor, b: torch.Tensor, c: torch.Tensor) -> Callable[[], object]:
        count, n = a.shape[:2]
        one, zero, step = ctypes.c_float(1), ctypes.c_float(0), ctypes.c_longlong(n * n)
        pa, pb, pc = (ctypes.c_void_p(each.data_ptr()) for each in (a, b, c))

        def run() -> None:
            operands = (ctypes.byref(one), pb, n, step, pa, n, step, ctypes.byref(zero), pc, n, step)
            assert self.library.cublasSgemmStridedBatched(self.handle, 0, 0, n, n, n, *operands, count) == 0
            self.library.cudaDeviceSynchronize()

        return run


def numbers(kind: str, *shape: int) -> torch.Tensor:
    if kind == "int8":
        return torch.randint(-128, 128, shape, dtype=torch.int8)
    return torch.randn(*shape).to(KINDS[kind][0])


def theirs(kind: str, a: torch.Tensor, b: torch.Tensor) -> dict[str, Callable[[], Any]]:
    """The ways in which PyTorch gives the product."""
    if kind == "int8":
        return {"oneDNN": lambda: torch._int_mm(a, b)}
    if kind in ("bfloat16", "half"):
        return {"oneDNN": lambda: torch.mm(a, b)}
    left, right = a.to_mkldnn(), b.t().contiguous()
    return {"MKL": lambda: torch.mm(a, b), "oneDNN": lambda: torch._C._nn.mkldnn_linear(left, right, None)}


def main(path: str, threads: int = 1, *kinds: str) -> None:
    torch.set_num_threads(threads)
    blas, clock = Blas(path), time.process_time if threads == 1 else time.perf_counter
    print("| product | ours, GFLOP/s | others | their time over ours |\n|---|---:|---|---|")
    for kind in kinds or KINDS:
        for n in SIZES:
            a, b = numbers(kind, n, n), numbers(kind, n, n)
            c = torch.zeros(n, n, dtype=KINDS[kind][2])
            ours, others = blas.product(kind, a, b, c), theirs(kind, a, b)
            ours()
            for call in others.values():
                made = call().to_dense() if kind == "float" else call()
                error = (c.double() - made.double()).abs().max().item()
                assert error <= 0.02 * max(1.0, made.double().abs().max().item()), error
            seconds = medians([ours, *others.values()], 2 * n**3, clock)
            show(f"{kind} {n}", 2e-9 * n**3, seconds, list(others))
    for count in () if kinds else (64, 512):
        a, b, c = numbers("float", count, 64, 64), numbers("float", count, 64, 64), torch.zeros(count, 64, 64)
        calls: list[Callable[[], object]] = [blas.batch(a, b, c), lambda a=a, b=b: torch.bmm(a, b)]
        show(f"{count} of 64", 2e-9 * count * 64**3, medians(calls, 2 * count * 64**3, clock), ["MKL"])


def show(name: str, work: float, seconds: list[float], others: list[str]) -> None:
    speeds = ", ".join(f"{other} {work / took:.0f}" for other, took in zip(others, seconds[1:], strict=True))
    ratios = ", ".join(f"{took / seconds[0]:.2f}" for took in seconds[1:])
    print(f"| {name} | {work / seconds[0]:.0f} | {speeds} | {ratios} |", flush=True)


if __name__ == "__main__":
    with torch.no_grad():
        main(sys.argv[1], *map(int, sys.argv[2:3]), *sys.argv[3:])
