# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""`-Xptxas -v` and `-res-usage`: what kernels use, in ptxas' words, so that who reads those can read these.

    ptxas info    : Compiling entry function '_Z3sumPfi' for 'sm_80'
    ptxas info    : Function properties for _Z3sumPfi
        0 bytes stack frame, 8 bytes spill stores, 8 bytes spill loads
    ptxas info    : Used 32 registers, used 1 barriers, 1024 bytes smem, 12 bytes cmem[0], vectors of 16 threads on ...

The stack frame is that of the code that runs a vector of threads, spills are the bytes a thread that are kept in memory
across barriers, registers are what cudaFuncGetAttributes says of every kernel, and cmem[0] holds the parameters.
"""

from __future__ import annotations

import sys
from collections.abc import Iterable, Mapping

from warploom.backend.image_facts import CompiledKernel, Usage
from warploom.frontend.device_module import DeviceModule
from warploom.ir.core import Function, Op, walk
from warploom.ir.ops import Level, collective_level
from warploom.passes.vector.vector_report import VectorLoop

REGISTERS = 32  # as runtime/api/function.cpp tells programs


def usage_of(imported: Function, final: Function, vectors: Iterable[VectorLoop], seconds: float) -> Usage:
    """Of a kernel before and after the passes."""
    in_code: list[Op] = [op for block in imported.blocks for op in block.ops]
    barriers = any(collective_level(op) in (Level.BLOCK, Level.GRID) for op in in_code)
    scratches = (op for op in walk(final.body) if op.name == "scratch")
    kept = sum(int(str(op.attrs["size"])) for op in scratches)
    return Usage(int(barriers), kept, max((loop.width for loop in vectors), default=1), seconds)


def report(device: DeviceModule, kernels: Mapping[str, CompiledKernel], arch: int, cpu: str) -> None:
    """Print the lines of all kernels on stderr; `arch`: __CUDA_ARCH__."""
    gmem = sum(variable.size for variable in device.variables if not variable.constant)
    cmem = sum(variable.size for variable in device.variables if variable.constant)
    constant = f", {cmem} bytes cmem[3]" if cmem else ""
    lines = [f"ptxas info    : {gmem} bytes gmem{constant}"]
    for kernel in device.kernels:
        facts = kernels[kernel.name]
        used = facts.usage or Usage(0, 0, 1, 0)
        shared = f", {facts.static_shared} bytes smem" if facts.static_shared else ""
        code = f"vectors of {used.width} threads on {cpu}" if facts.usage else "one thread after the other"
        lines += [
            f"ptxas info    : Compiling entry function '{kernel.name}' for 'sm_{arch // 10}'",
            f"ptxas info    : Function properties for {kernel.name}",
            f"    {facts.local_size} bytes stack frame, {used.kept} bytes spill stores, {used.kept} bytes spill loads",
            f"ptxas info    : Used {REGISTERS} registers, used {used.barriers} barriers{shared}, "
            f"{sum(kernel.sizes)} bytes cmem[0], {code}",
            f"ptxas info    : Compile time = {used.seconds * 1000:.3f} ms",
        ]
    sys.stderr.write("\n".join(lines) + "\n")
