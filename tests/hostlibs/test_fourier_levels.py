# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# feature: Device libraries / cuFFT: its engine as it is made for older processors (AVX2; SSE2 or NEON)
"""The forms of cuFFT's engine that this processor would not choose, against NumPy in double precision."""

from __future__ import annotations

import ctypes
import platform
import subprocess
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from fft import bound

from warploom.runtime_objects import SOURCES
from warploom.toolchain import find_toolchain

pytestmark = pytest.mark.ours("an engine of our own")
Array = Any
COMPLEX, FROM_REAL, TO_REAL = range(3)
SHORT, LONG = (
    range(1, 65),
    (81, 96, 100, 121, 128, 169, 210, 243, 256, 257, 512, 720, 1000, 1009, 1024, 2048, 4096, 24000),
)
LEVELS = {"v3": "level_v3.cpp", "basic": "basic.cpp"} if platform.machine() == "x86_64" else {"basic": "basic.cpp"}


@pytest.fixture(scope="module", params=LEVELS)
def engine(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> ctypes.CDLL:
    flags = next((line for line in Path("/proc/cpuinfo").read_text().splitlines() if line.startswith("flags")), "")
    if request.param == "v3" and not set(flags.split()) >= {"avx2", "fma"}:
        pytest.skip("this processor lacks x86-64-v3")
    toolchain, folder = find_toolchain(), SOURCES / "libraries" / "fft"
    made = tmp_path_factory.mktemp("fourier") / "engine.so"
    sources = [Path(__file__).with_name("fourier_levels.cpp"), folder / LEVELS[request.param], folder / "roots.cpp"]
    options = ["-std=c++20", "-O1", f"-DFOURIER_LEVEL={request.param}", "-fPIC", "-shared", "-I", folder]
    subprocess.run([toolchain.clang, *options, *sources, "-o", made, *toolchain.link_flags, "-lstdc++"], check=True)
    return ctypes.CDLL(str(made))


def transform(
    engine: ctypes.CDLL, data: Array, kind: int, n: int, inverse: bool = False, stride: int = 1, pieces: int = 1
) -> Array:
    """Of each line of `data`, or of each column where values are `stride` apart."""
    batch = data.shape[0] if stride == 1 else data.shape[1]
    is_double = data.dtype in (np.float64, np.complex128)
    types = (np.complex128, np.float64) if is_double else (np.complex64, np.float32)
    width = n // 2 + 1 if kind == FROM_REAL else n
    out = np.zeros((batch, width) if stride == 1 else data.shape, types[kind == TO_REAL])
    sizes = [ctypes.c_int64(each) for each in (n, batch, stride)]
    places = [ctypes.c_void_p(each.ctypes.data) for each in (data, out)]
    engine.transform(ctypes.c_bool(is_double), kind, *sizes, ctypes.c_bool(inverse), ctypes.c_int64(pieces), *places)
    return out


def error(result: Array, expected: Array) -> float:
    return float(np.linalg.norm(result - expected) / max(np.linalg.norm(expected), 1e-30))


def random_data(shape: tuple[int, ...], dtype: Any) -> Array:
    rng = np.random.default_rng(shape[-1])
    real = rng.standard_normal(shape)
    return (real + 1j * rng.standard_normal(shape) if np.issubdtype(dtype, np.complexfloating) else real).astype(dtype)


@pytest.mark.parametrize("dtype", [np.complex64, np.complex128])
@pytest.mark.parametrize("inverse", [False, True])
def test_complex_lines(engine: ctypes.CDLL, dtype: Any, inverse: bool) -> None:
    """Whole groups of lanes and what is left of them; one line alone."""
    for n in (*SHORT, *LONG):
        for batch in (1, 21) if n <= 256 else (1, 2):
            data = random_data((batch, n), dtype)
            wide = data.astype(np.complex128)
            expected = np.fft.ifft(wide) * n if inverse else np.fft.fft(wide)
            assert error(transform(engine, data, COMPLEX, n, inverse), expected) < bound([n], dtype), (n, batch)


@pytest.mark.parametrize("dtype", [np.complex64, np.complex128])
def test_complex_columns(engine: ctypes.CDLL, dtype: Any) -> None:
    for n in (*SHORT, 81, 128, 257, 720):
        data = random_data((n, 19), dtype)
        expected = np.fft.fft(data.astype(np.complex128), axis=0)
        assert error(transform(engine, data, COMPLEX, n, stride=19), expected) < bound([n], dtype), n


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_real_lines(engine: ctypes.CDLL, dtype: Any) -> None:
    for n in (*SHORT, *LONG):
        data = random_data((9, n), dtype)
        spectrum = transform(engine, data, FROM_REAL, n)
        assert error(spectrum, np.fft.rfft(data.astype(np.float64))) < bound([n], dtype), n
        assert error(transform(engine, spectrum, TO_REAL, n) / n, data) < 2 * bound([n], dtype), n


@pytest.mark.parametrize("dtype", [np.complex64, np.complex128])
def test_cuts_of_the_work_do_not_change_bits(engine: ctypes.CDLL, dtype: Any) -> None:
    for n, batch in ((6, 40), (16, 40), (60, 40), (1024, 9), (4096, 1), (10000, 2), (1009, 3)):
        data = random_data((batch, n), dtype)
        whole = transform(engine, data, COMPLEX, n)
        for pieces in (2, 3, 8, 64):
            assert transform(engine, data, COMPLEX, n, pieces=pieces).tobytes() == whole.tobytes(), (n, pieces)


@pytest.mark.parametrize("dtype", [np.complex64, np.complex128])
def test_in_place(engine: ctypes.CDLL, dtype: Any) -> None:
    for n in (*SHORT, 128, 256, 1000, 4096):
        data = random_data((21 if n <= 256 else 2, n), dtype)
        expected = transform(engine, data.copy(), COMPLEX, n)
        place = ctypes.c_void_p(data.ctypes.data)
        sizes = [ctypes.c_int64(each) for each in (n, data.shape[0], 1)]
        is_double = ctypes.c_bool(dtype == np.complex128)
        engine.transform(is_double, COMPLEX, *sizes, ctypes.c_bool(False), ctypes.c_int64(1), place, place)
        assert data.tobytes() == expected.tobytes(), n
