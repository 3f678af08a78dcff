# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Build the programs of `warploom bench`: CUDA by warpcc, OpenMP and the roofline's probe by the same clang. Cached."""

from __future__ import annotations

import tempfile
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path

from warploom import cache
from warploom.cli import run
from warploom.cli.build import BuildFailed
from warploom.cpu import CPU_FEATURES, best_cpu
from warploom.diagnostics import Diagnostic
from warploom.measure.workloads import Workload, source_folder
from warploom.toolchain import Toolchain, run_tool

NATIVE = "native"
# What makes the OpenMP program as fast as this clang can: multiply-adds, no errno, no floating-point traps.
OPENMP_FLAGS = ("-std=c++17", "-O3", "-ffp-contract=fast", "-fno-math-errno", "-fno-trapping-math")
# Left to itself clang uses half of the vector on these, which is slower for most of the workloads.
WIDE_VECTORS = ("-mprefer-vector-width=512",)


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
        return best_cpu() if self.march == NATIVE else self.march

    @cached_property
    def has_openmp(self) -> bool:
        """Whether this clang compiles, links and starts a program with -fopenmp."""
        with tempfile.TemporaryDirectory(prefix="warploom-bench-") as name:
            source, program = Path(name, "openmp.cpp"), Path(name, "openmp")
            source.write_text("int main() {\n#pragma omp parallel\n  {}\n}\n")
            words = [self.toolchain.clang, *self.toolchain.link_flags, "-fopenmp", source, "-o", program]
            return run_tool(words).returncode == 0 and run_tool([program]).returncode == 0

    @property
    def openmp_mode(self) -> str:
        """Without a runtime library loops still become vectors: on one core that is the same program."""
        return "-fopenmp" if self.has_openmp else "-fopenmp-simd"

    def cuda(self, workload: Workload) -> Path:
        """The CUDA program; raises BuildFailed."""
        source = source_folder() / f"{workload.cuda}.cu"
        flags = ["-O3", "-std=c++17", "--cpu", self.cpu, *workload.defines, *self.flags]
        return run.cached_program(run.Request(sources=[str(source)], compiler_flags=flags, engine=self.engine))

    def openmp(self, workload: Workload) -> Path:
        """The OpenMP program; raises BuildFailed."""
        return self.plain(f"{workload.openmp}.omp.cpp", [self.openmp_mode, *self.openmp_flags])

    def roofline(self) -> Path:
        """The program that measures what the machine can do."""
        return self.plain("roofline.cpp", ["-pthread"])

    def plain(self, source: str, flags: Sequence[str]) -> Path:
        """A program in plain C++, compiled as the OpenMP programs are."""
        wide = WIDE_VECTORS if "avx512f" in CPU_FEATURES[self.cpu] else ()
        words = [*self.toolchain.cxx_flags, *OPENMP_FLAGS, f"-march={self.march}", *wide, *flags]
        folder = source_folder()
        texts = [path.read_bytes() for path in (folder / source, *sorted(folder.rglob("*.h")))]
        key = cache.content_key(str(self.toolchain.clang), self.toolchain.version, *words, *texts)

        def build(entry: Path) -> None:
            clang = [self.toolchain.clang, folder / source, *words, *self.toolchain.link_flags]
            result = run_tool([*clang, "-o", entry / "program"])
            if result.returncode != 0:
                raise Diagnostic(f"{source} does not compile:\n{result.stderr}")

        return cache.cached_entry("bench", key, build) / "program"


__all__ = ["NATIVE", "BuildFailed", "Builder", "check_march"]


def check_march(march: str) -> str:
    """`march`, when warpcc knows that CPU."""
    if march != NATIVE and march not in CPU_FEATURES:
        raise Diagnostic(f"-march={march} is unknown", hint="one of native, " + ", ".join(CPU_FEATURES), exit_code=2)
    return march
