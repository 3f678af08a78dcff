# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""A plugin of pytest that runs the tests of numba's CUDA simulator on warploom.compat.numba_cuda.

    NUMBA_ENABLE_CUDASIM=1 PYTHONPATH=FOLDER_WITH_NUMBA:WARPLOOM/bench/compat python -m pytest -p numba_plugin \
        -c /dev/null FOLDER_WITH_NUMBA/numba/cuda/tests/cudapy

Tests that the simulator skips are skipped.
"""

from __future__ import annotations

import os
import sys
import types
import unittest
from contextlib import contextmanager
from typing import Any

os.environ["NUMBA_ENABLE_CUDASIM"] = "1"

import numba

from warploom.compat import numba_cuda

_FOLDER = os.path.join(os.path.dirname(numba.__file__), "cuda")  # noqa: PTH118, PTH120
sys.modules.pop("numba.cuda", None)
numba_cuda.__path__ = [_FOLDER]  # pyright: ignore[reportAttributeAccessIssue]
sys.modules["numba.cuda"] = numba_cuda
numba.cuda = numba_cuda


def _skip(reason: Any) -> Any:
    return unittest.skip("a GPU's")(reason) if callable(reason) else unittest.skip(str(reason))


def _keep(reason: Any = None) -> Any:
    return reason if callable(reason) else lambda test: test


@contextmanager
def _no_output() -> Any:
    import io

    yield io.StringIO()


def _testing() -> types.ModuleType:
    from numba.tests.support import TestCase

    made = types.ModuleType("numba.cuda.testing")
    kept = """skip_unless_cudasim skip_under_cuda_memcheck skip_if_external_memmgr skip_with_nvprof skip_unless_cc_60
    skip_unless_cc_53 skip_unless_cc_75 xfail_unless_cudasim skip_without_nvdisasm skip_if_cuda_includes_missing
    skip_if_mvc_enabled skip_if_cudadevrt_missing""".split()
    left = """skip_on_cudasim skip_with_nvdisasm skip_on_arm skip_if_mvc_libraries_unavailable
    skip_unless_conda_cudatoolkit skip_unless_cuda_python skip_if_nvjitlink_missing""".split()
    made.__dict__.update(dict.fromkeys(kept, _keep) | dict.fromkeys(left, _skip))
    made.__dict__["cc_X_or_above"] = lambda _major, _minor: True
    made.__dict__.update(CUDATestCase=TestCase, ContextResettingTestCase=TestCase, unittest=unittest)
    made.__dict__["captured_cuda_stdout"] = _no_output
    made.__dict__["test_data_dir"] = None
    made.__dict__["ensure_supported_ccs_initialized"] = lambda: None
    return made


def pytest_configure(config: Any) -> None:
    """Put the modules in place before tests are collected."""
    del config
    sys.modules["numba.cuda.testing"] = _testing()
    numba_cuda.testing = sys.modules["numba.cuda.testing"]  # pyright: ignore[reportAttributeAccessIssue]
