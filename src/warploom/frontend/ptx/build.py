# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The device pass over the C++ that inline PTX has become; what was compiled once is kept in the cache."""

from __future__ import annotations

from pathlib import Path

from warploom.cache import cached_entry, content_key, package_key
from warploom.frontend import passes
from warploom.frontend.passes import SourceOptions
from warploom.frontend.precompiled import header_flags
from warploom.frontend.ptx.lower import Compile
from warploom.toolchain import Toolchain, run_tool

KIND = "ptx"
_ARCH = 90  # what the headers offer: nothing of what PTX may ask for is left out


def ptx_compiler(toolchain: Toolchain, cpu: str) -> Compile:
    """How C++ made of PTX for processor `cpu` is compiled; failing is a bug of the table of instructions."""
    options = SourceOptions(cpu=cpu, arch=_ARCH, fused_multiply_add=False)
    flags = [*passes.device_flags(toolchain, options), "-w"]

    def compile_source(text: str) -> Path:
        def build(folder: Path) -> None:
            source, bitcode = folder / "asm.cu", folder / "asm.bc"
            source.write_text(text)
            header = header_flags(flags, passes.HEADER)
            result = run_tool([*flags, *header, "-emit-llvm", "-c", str(source), "-o", str(bitcode)])
            assert result.returncode == 0, result.stderr

        return cached_entry(KIND, content_key(package_key(), *flags, text), build) / "asm.bc"

    return compile_source
