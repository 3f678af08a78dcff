# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The workloads of `warploom bench`: twelve kernels, some on several inputs or in several block shapes."""

from __future__ import annotations

from collections.abc import Sequence
from fnmatch import fnmatchcase
from functools import lru_cache
from pathlib import Path

from warploom.core.records import dataclass
from warploom.diagnostics import Diagnostic

GFLOPS, GBYTES = "GFLOP/s", "GB/s"


@dataclass(frozen=True)
class Workload:
    """A CUDA program and the OpenMP program that does the same, with the words that both are run with."""

    name: str
    cuda: str  # stem of a .cu file
    openmp: str  # stem of a .omp.cpp file
    unit: str  # what its rate is told in
    variant: str = ""
    block: tuple[int, int] | None = None  # of kernels whose block shape is chosen when they are compiled

    @property
    def defines(self) -> list[str]:
        """The flags that choose the block shape."""
        return [f"-DBLOCK_X={self.block[0]}", f"-DBLOCK_Y={self.block[1]}"] if self.block else []

    @property
    def arguments(self) -> list[str]:
        """What both programs are given on the command line."""
        return [self.variant] if self.variant else []


WORKLOADS = (
    Workload("saxpy-cache", "saxpy", "saxpy", GBYTES, "cache"),
    Workload("saxpy-memory", "saxpy", "saxpy", GBYTES, "memory"),
    Workload("sgemm-tiled-16x16", "sgemm_tiled", "sgemm", GFLOPS, block=(16, 16)),
    Workload("sgemm-tiled-32x8", "sgemm_tiled", "sgemm", GFLOPS, block=(32, 8)),
    Workload("sgemm-naive-16x16", "sgemm_naive", "sgemm", GFLOPS, block=(16, 16)),
    Workload("sgemm-naive-32x8", "sgemm_naive", "sgemm", GFLOPS, block=(32, 8)),
    Workload("reduction", "reduction", "reduction", GBYTES),
    Workload("hotspot", "hotspot", "hotspot", GFLOPS),
    Workload("mandelbrot", "mandelbrot", "mandelbrot", GFLOPS),
    Workload("nbody", "nbody", "nbody", GFLOPS),
    Workload("histogram", "histogram", "histogram", GBYTES),
    Workload("spmv-regular", "spmv", "spmv", GFLOPS, "regular"),
    Workload("spmv-power", "spmv", "spmv", GFLOPS, "power"),
    Workload("spmv-short", "spmv", "spmv", GFLOPS, "short"),
    Workload("black-scholes", "black_scholes", "black_scholes", GFLOPS),
    Workload("bfs-random", "bfs", "bfs", GBYTES, "random"),
    Workload("bfs-grid", "bfs", "bfs", GBYTES, "grid"),
    Workload("needleman-wunsch", "needleman_wunsch", "needleman_wunsch", GBYTES),
)


def select(patterns: Sequence[str]) -> list[Workload]:
    """The workloads that match one of `patterns` (names or globs), all for none; a Diagnostic for one without match."""
    for pattern in patterns:
        if not any(fnmatchcase(workload.name, pattern) for workload in WORKLOADS):
            raise Diagnostic(f"no workload '{pattern}'", hint="warploom bench --list names them", exit_code=2)
    return [each for each in WORKLOADS if not patterns or any(fnmatchcase(each.name, word) for word in patterns)]


@lru_cache(maxsize=1)
def source_folder() -> Path:
    """Where the programs lie: in the package when it was installed, in `bench` of a checkout."""
    package = Path(__file__).resolve().parent
    places = (package / "programs", package.parents[2] / "bench" / "workloads")
    for folder in places:
        if (folder / "harness.h").is_file():
            return folder
    raise Diagnostic("the benchmark programs are not installed", hint=f"looked in {places[0]} and {places[1]}")
