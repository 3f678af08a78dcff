# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The host libraries, loaded into this process: memory of the host is memory of the device, so that NumPy's arrays can
be handed over."""

from __future__ import annotations

import ctypes
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest
from sparse_matrices import Sparse

from warploom.runtime_library import complete_toolkit
from warploom.toolchain import find_toolchain


@pytest.fixture(scope="session")
def libraries() -> Path:
    """The folder with the built libraries."""
    return complete_toolkit(find_toolchain()) / "lib64"


@pytest.fixture(scope="session")
def cublas(libraries: Path) -> ctypes.CDLL:
    return ctypes.CDLL(str(libraries / "libcublas.so"))


@pytest.fixture(scope="module")
def sparse(libraries: Path) -> Iterator[Sparse]:
    made = Sparse(ctypes.CDLL(str(libraries / "libcusparse.so")))
    yield made
    made.close()


@pytest.fixture
def rng() -> np.random.Generator:
    return np.random.default_rng(18)
