# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# feature: Device libraries / A library's work on memory that is not there: one line, and an error of the device
"""Addresses where nothing is, handed to a library: the call is accepted, as on a GPU, and the device has the error."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

PROGRAM = """
import ctypes, sys
library, call, n = ctypes.CDLL(sys.argv[1]), sys.argv[2], int(sys.argv[3])
handle, one, data, result = ctypes.c_void_p(), ctypes.c_float(1), ctypes.c_void_p(), ctypes.c_float()
assert library.cublasCreate_v2(ctypes.byref(handle)) == 0
assert library.cudaMalloc(ctypes.byref(data), ctypes.c_size_t(4 * n * n)) == 0
factor, nowhere = ctypes.byref(one), ctypes.c_void_p(4096)
if call == "cublasSgemm":
    operands = (factor, nowhere, n, data, n, factor, data, n)
    print(library.cublasSgemm_v2(handle, 0, 0, n, n, n, *operands))
elif call == "cublasSaxpy":
    print(library.cublasSaxpy_v2(handle, n * n, factor, data, 1, nowhere, 1))
else:
    print(library.cublasSasum_v2(handle, n, nowhere, 1, ctypes.byref(result)))
print(library.cudaDeviceSynchronize(), library.cudaMalloc(ctypes.byref(data), ctypes.c_size_t(4)))
print(library.cublasSasum_v2(handle, n, data, 1, ctypes.byref(result)))
"""
EXECUTION_FAILED, ILLEGAL_ADDRESS = 13, 700


@pytest.mark.ours("what is said on stderr, and by whom")
@pytest.mark.parametrize("threads", [1, 4])
@pytest.mark.parametrize("n", [16, 700])
@pytest.mark.parametrize("call", ["cublasSgemm", "cublasSaxpy", "cublasSasum"])
def test_memory_that_is_not_there(libraries: Path, call: str, n: int, threads: int) -> None:
    command = [sys.executable, "-c", PROGRAM, str(libraries / "libcublas.so"), call, str(n)]
    environment = dict(os.environ, WARPLOOM_NUM_THREADS=str(threads))
    done = subprocess.run(command, env=environment, capture_output=True, text=True, check=False)
    # A sum's result is asked for by the call itself.
    first = EXECUTION_FAILED if call == "cublasSasum" else 0
    assert done.stdout.split() == list(map(str, (first, ILLEGAL_ADDRESS, ILLEGAL_ADDRESS, EXECUTION_FAILED)))
    assert done.stderr.count("warploom:") == 1
    assert f"in {call}\n" in done.stderr
    assert "memory that is not there" in done.stderr
