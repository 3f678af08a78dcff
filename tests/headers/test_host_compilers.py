# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Headers that host programs include, read by gcc as the older standards that Makefiles ask for."""

from __future__ import annotations

import shutil
import subprocess
from pathlib import Path

import pytest

from warploom.runtime_library import INCLUDE

HEADERS = (
    "cuda_runtime.h cuda.h cuda_fp16.h cuda_bf16.h cuda_fp8.h cublas_v2.h cublasLt.h cufft.h cusparse.h cusolverDn.h "
    "curand.h curand_kernel.h math_constants.h nvrtc.h nvml.h nvToolsExt.h"
).split()


@pytest.mark.skipif(shutil.which("g++") is None, reason="no g++ on this machine")
@pytest.mark.parametrize("standard", ["c++11", "c++14"])
def test_gcc_reads_them_without_a_word(standard: str, tmp_path: Path) -> None:
    source = tmp_path / "headers.cpp"
    source.write_text("".join(f"#include <{name}>\n" for name in HEADERS) + "int main() { return 0; }\n")
    command = ("g++", f"-std={standard}", "-Wall", "-Wextra", f"-I{INCLUDE}", "-fsyntax-only", source)
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert (done.returncode, done.stderr) == (0, "")
