# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Headers of C libraries that this system does not have."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

# As glibc 2.41 has them: a macro of each name says whether there is a function for vectors.
VECTOR_NAMES = """
#include_next <math.h>
#define JOINED(first, second) first##second
#define JOINED_NAMES(first, second) JOINED(first, second)
#define DECLARE(type, name, suffix) \\
  JOINED_NAMES(__DECL_SIMD_, JOINED_NAMES(name, suffix)) extern "C" type JOINED_NAMES(name, suffix)(type)
DECLARE(double, sinpi, );
DECLARE(float, sinpi, f);
DECLARE(long double, cospi, l);
DECLARE(double, cospi, f64x);
"""


def test_vectors_of_functions_that_are_cudas(tmp_path: Path) -> None:
    (tmp_path / "math.h").write_text(VECTOR_NAMES)
    (tmp_path / "a.cu").write_text("__global__ void k(double *x) { *x = sinpi(*x) + cospi(*x); }\n")
    command = [sys.executable, "-m", "warploom.cli.warpcc", "-c", "a.cu", "-o", "a.o"]
    done = subprocess.run(
        command,
        cwd=tmp_path,
        env=os.environ | {"CPLUS_INCLUDE_PATH": str(tmp_path)},
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr
