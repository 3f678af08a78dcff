# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# feature: Device libraries / cuBLAS: kernels of products for AVX2 and for AVX-512
"""Our kernels of products for each level of x86-64 that this processor has: against NumPy, and with the same bits in
place, packed, and for any cut."""

from __future__ import annotations

import ctypes
import subprocess
from pathlib import Path

import numpy as np
import pytest
from blas import Problem, check

from warploom.runtime_objects import SOURCES
from warploom.toolchain import find_toolchain

pytestmark = pytest.mark.ours("kernels of our own")
FEATURES = {"v3": {"avx2", "fma", "bmi2"}, "v4": {"avx512f", "avx512bw", "avx512dq", "avx512vl"}}
SHAPES = ((1, 1, 1), (33, 15, 7), (70, 31, 520), (64, 84, 64), (97, 45, 1100), (200, 29, 385))


@pytest.fixture(scope="module", params=FEATURES)
def kernels(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> ctypes.CDLL:
    level: str = request.param
    toolchain = find_toolchain()
    flags = next((line for line in Path("/proc/cpuinfo").read_text().splitlines() if line.startswith("flags")), "")
    if not FEATURES[level] <= set(flags.split()):
        pytest.skip(f"this processor lacks x86-64-{level}")
    made = tmp_path_factory.mktemp(level) / "products.so"
    options = [f"-march=x86-64-{level}", f"-DWARPLOOM_LEVEL={level}", "-std=c++20", "-O2", "-ffp-contract=fast"]
    source = Path(__file__).with_name("product_kernels.cpp")
    folder = SOURCES / "libraries" / "blas"
    command = [toolchain.clang, *options, "-fPIC", "-shared", "-I", folder, source, "-o", made, *toolchain.link_flags]
    subprocess.run(command, check=True)
    return ctypes.CDLL(str(made))


@pytest.mark.parametrize("letter", "SD")
@pytest.mark.parametrize("shape", SHAPES)
def test_product(kernels: ctypes.CDLL, letter: str, shape: tuple[int, int, int]) -> None:
    m, n, k = shape
    kind, call = (
        (ctypes.c_float, kernels.product_of_floats) if letter == "S" else (ctypes.c_double, kernels.product_of_doubles)
    )
    call.restype = ctypes.c_bool
    for seed, (ta, tb) in enumerate(((0, 0), (0, 1), (1, 0), (1, 1))):
        problem = Problem(seed, letter)
        a, b, old = (
            problem.numbers(*(m, k)[:: 1 - 2 * ta]),
            problem.numbers(*(k, n)[:: 1 - 2 * tb]),
            problem.numbers(m, n),
        )
        beta = (0.0, 1.0, -0.5, 0.0)[seed]
        left, right = a.T if ta else a, b.T if tb else b
        exact = 1.5 * left.astype(float) @ right + beta * old.astype(float)
        sizes = 1.5 * np.abs(left.astype(float)) @ np.abs(right) + np.abs(beta * old)
        digests: set[bytes] = set()
        for panels, strips in ((0, 0), (100, 100), (1, 1), (2, 3)):
            c = np.asfortranarray(old.copy() if beta else np.full_like(old, np.nan))
            arrays = [ctypes.c_void_p(each.ctypes.data) for each in (a, b, c)]
            steps = [ctypes.c_int64(each) for each in (a.shape[0], b.shape[0], m)]
            shape_of = [ctypes.c_int64(each) for each in (m, n, k)]
            cut = ctypes.c_int64(panels), ctypes.c_int64(strips)
            operands = (kind(1.5), arrays[0], steps[0], arrays[1], steps[1], kind(beta), arrays[2], steps[2])
            if call(*cut, ctypes.c_bool(ta), ctypes.c_bool(tb), *shape_of, *operands):
                check(problem, c, exact, sizes, k)
                digests.add(c.tobytes())
        assert len(digests) == 1
