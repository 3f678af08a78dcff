# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""A plugin of pytest that runs the tests of numba's CUDA simulator on warploom.compat.numba_cuda.

    PYTHONPATH=FOLDER_WITH_NUMBA:WARPLOOM/bench/compat python -m pytest -p numba_plugin -c /dev/null \
        FOLDER_WITH_NUMBA/numba/cuda/tests/cudapy

numba's own helpers for tests decide what is skipped, as for the simulator. `bench/compat/numba_tests.py` runs it all.
"""

from __future__ import annotations

import os
import sys
import types
from collections.abc import Generator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

os.environ["NUMBA_ENABLE_CUDASIM"] = "1"

import numba
import numba.cuda
import numba.cuda.testing as numba_testing

from warploom.compat import numba_cuda


class _Printed:
    """What kernels print, by the file descriptor that the C library writes to."""

    def __init__(self, path: Path) -> None:
        self._path = path

    def getvalue(self) -> str:
        numba_cuda.synchronize()
        return self._path.read_text()


@contextmanager
def _captured_output() -> Generator[_Printed]:
    import tempfile

    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "output"
        kept = os.dup(1)
        with path.open("wb") as file:
            os.dup2(file.fileno(), 1)
        try:
            yield _Printed(path)
        finally:
            numba_cuda.synchronize()
            os.dup2(kept, 1)
            os.close(kept)


def _vector_types() -> dict[str, Any]:
    """What numba's tests of vector types are written over."""
    from warploom.pyjit.intrinsics import VECTORS

    return {
        found.name: types.SimpleNamespace(
            name=found.name,
            base_type=getattr(numba, found.type.element.name),
            num_elements=found.type.count,
            user_facing_object=found,
        )
        for found in VECTORS.values()
    }


def _install() -> None:
    simulated = sys.modules["numba.cuda"]
    numba_cuda.__path__ = simulated.__path__  # pyright: ignore[reportAttributeAccessIssue]
    sys.modules["numba.cuda"] = numba_cuda
    numba.cuda = numba_cuda
    vectors = types.ModuleType("numba.cuda.simulator.vector_types")
    vectors.__dict__["vector_types"] = _vector_types()
    sys.modules["numba.cuda.simulator.vector_types"] = vectors
    sys.modules["numba.cuda.random"] = numba_cuda.random
    numba_testing.captured_cuda_stdout = _captured_output
    numba_cuda.testing = numba_testing  # pyright: ignore[reportAttributeAccessIssue]


def pytest_configure(config: Any) -> None:
    """Put the modules in place before tests are collected."""
    del config
    _install()
