# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Build the programs of `warploom bench`: CUDA by warpcc, OpenMP and the roofline's probe by the same clang. Cached."""

from __future__ import annotations

import json
import os
import re
import sys
import tempfile
from collections.abc import Sequence
from functools import cached_property
from pathlib import Path

from warploom import cache
from warploom.cli import explain, run
from warploom.core.records import dataclass
from warploom.cpu import CPU_FEATURES, default_cpu, march_flags
from warploom.diagnostics import Diagnostic
from warploom.driver.settings import ENVIRONMENT
from warploom.engines import chosen_engine
from warploom.frontend.launches import launch_sizes
from warploom.measure.workloads import Workload, source_folder
from warploom.toolchain import Toolchain, run_tool

NATIVE = "native"
# What makes the OpenMP program as fast as this clang can: multiply-adds, no errno, no floating-point traps.
OPENMP_FLAGS = ("-std=c++17", "-O3", "-ffp-contract=fast", "-fno-math-errno", "-fno-trapping-math")
# Left to itself clang uses half of the vector on these, which is slower for most of the workloads.
WIDE_VECTORS = ("-mprefer-vector-width=512",)
PYTHON_LIBRARIES = Path(sys.prefix, "lib")
# libomp of the system, or Intel's from PyPI (intel-openmp).
OPENMP_RUNTIMES = (
    ("-fopenmp",),
    ("-fopenmp=libiomp5", f"-L{PYTHON_LIBRARIES}", f"-Wl,-rpath,{PYTHON_LIBRARIES}"),
)
# A dynamic schedule calls what runtimes before LLVM 19 lack.
OPENMP_PROBE = """
int main() {
  int sum = 0;
#pragma omp parallel for schedule(dynamic) reduction(+ : sum)
  for (int i = 0; i < 4; ++i) sum += i;
  return sum - 6;
}
"""


@dataclass(frozen=True)
class Builder:
    """How to build: for which CPU, with which engine and more flags for warpcc."""

    toolchain: Toolchain
    march: str = NATIVE
    engine: str | None = None
    flags: tuple[str, ...] = ()
    openmp_flags: tuple[str, ...] = ()

    @property
    def cpu(self) -> str:
        """The CPU that kernels are compiled for: the best level of this machine for `native`."""
        return default_cpu() if self.march == NATIVE else self.march

    @cached_property
    def openmp_runtimes(self) -> tuple[tuple[str, ...], ...]:
        """For each OpenMP runtime that programs of this clang link and start with: the flags."""
        found: list[tuple[str, ...]] = []
        with tempfile.TemporaryDirectory(prefix="warploom-bench-") as name:
            source, program = Path(name, "openmp.cpp"), Path(name, "openmp")
            source.write_text(OPENMP_PROBE)
            for flags in OPENMP_RUNTIMES:
                words = [self.toolchain.clang, source, *self.toolchain.link_flags, *flags, "-o", program]
                if run_tool(words).returncode == 0 and run_tool([program]).returncode == 0:
                    found.append(flags)
        return tuple(found)

    @property
    def openmp_runtime(self) -> tuple[str, ...]:
        """The flags of the first of these; none when there is none."""
        return self.openmp_runtimes[0] if self.openmp_runtimes else ()

    @property
    def openmp_mode(self) -> tuple[str, ...]:
        """Without a runtime library loops still become vectors: on one core that is the same program."""
        return self.openmp_runtime or ("-fopenmp-simd",)

    def cuda(self, workload: Workload) -> Path:
        """The CUDA program; raises cli.build.BuildFailed."""
        source = source_folder() / f"{workload.cuda}.cu"
        flags = ["-O3", "-std=c++17", "--cpu", self.cpu, *workload.defines, *self.flags]
        return run.cached_program(run.Request(sources=[str(source)], compiler_flags=flags, engine=self.engine))

    def vectors(self, workload: Workload) -> tuple[int | None, int | None]:
        """Threads of a vector and rows of threads that go together, of the workload's main kernel.

        That is the first one in its file; of its loops over threads the one that costs most. (1, 1) where threads run
        one after the other, nothing where another engine runs them.
        """
        if chosen_engine(self.engine) != "loom":
            return None, None
        source = source_folder() / f"{workload.cuda}.cu"
        flags = ["-O3", "-std=c++17", "--cpu", self.cpu, *workload.defines, *self.flags]
        texts = [path.read_bytes() for path in (source, *sorted(source.parent.rglob("*.h")))]
        asked = [os.environ.get(name, "") for name in ENVIRONMENT]
        key = cache.content_key(cache.package_key(), self.toolchain.version, *flags, *asked, *texts)

        def note(entry: Path) -> None:
            (entry / "vectors.json").write_text(json.dumps(_main_vectors(source, flags, workload.defines)))

        width, jam = json.loads((cache.cached_entry("bench-vectors", key, note) / "vectors.json").read_text())
        return width, jam

    def openmp(self, workload: Workload) -> Path:
        """The OpenMP program; a Diagnostic when it does not compile."""
        return self.plain(f"{workload.openmp}.omp.cpp", [*self.openmp_mode, *self.openmp_flags])

    def roofline(self) -> Path:
        """The program that measures what the machine can do."""
        return self.plain("roofline.cpp", ["-pthread"])

    def plain(self, source: str, flags: Sequence[str]) -> Path:
        """A program in plain C++, compiled as the OpenMP programs are."""
        wide = WIDE_VECTORS if "avx512f" in CPU_FEATURES[self.cpu] else ()
        words = [*self.toolchain.cxx_flags, *OPENMP_FLAGS, *march_flags(self.march), *wide, *flags]
        folder = source_folder()
        texts = [path.read_bytes() for path in (folder / source, *sorted(folder.rglob("*.h")))]
        key = cache.content_key(str(self.toolchain.clang), self.toolchain.version, *words, *texts)

        def build(entry: Path) -> None:
            clang = [self.toolchain.clang, folder / source, *words, *self.toolchain.link_flags]
            result = run_tool([*clang, "-o", entry / "program"])
            if result.returncode != 0:
                raise Diagnostic(f"{source} does not compile:\n{result.stderr}")

        return cache.cached_entry("bench", key, build) / "program"


def _main_vectors(source: Path, flags: Sequence[str], defines: Sequence[str]) -> tuple[int | None, int | None]:
    sizes = launch_sizes(source, defines)
    first = re.search(r"__global__\s+(?:__launch_bounds__\s*\([^)]*\)\s*)?void\s+(\w+)", source.read_text())
    if first is None:
        raise AssertionError(f"{source} has no kernel")
    block = [f"--block={','.join(map(str, sizes[first[1]][0]))}"] if sizes.get(first[1]) else []
    (kernel,) = explain.explained([str(source), f"--kernel={first[1]}", *block, *flags])
    if kernel.engine != "loom":
        return None, None
    costly = max(kernel.vectors, key=lambda each: each.cycles, default=None)
    return (costly.width, costly.jam) if costly else (1, 1)


def check_march(march: str) -> str:
    """`march`, when warpcc knows that CPU."""
    if march != NATIVE and march not in CPU_FEATURES:
        raise Diagnostic(f"-march={march} is unknown", hint="one of native, " + ", ".join(CPU_FEATURES), exit_code=2)
    return march
