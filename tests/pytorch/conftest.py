# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Tests of PyTorch's CUDA device: `make torch` makes a Python with PyTorch for them; elsewhere they are skipped."""

from __future__ import annotations

from typing import Any

import pytest

from warploom.torch.install import find_torch

INSTALLED = find_torch()
if INSTALLED is None or INSTALLED.refusal() is not None:  # none, or a build for a GPU
    collect_ignore_glob = ["test_*.py"]


@pytest.fixture(scope="session")
def torch() -> Any:
    """PyTorch with the device."""
    # Python has done so at its start where `warploom torch enable` was run.
    import warploom.torch.hook

    assert warploom.torch.hook
    found: Any = pytest.importorskip("torch")
    found.set_num_threads(1)  # threads of OpenMP spin where processors are shared
    assert "Warploom" in found.cuda.get_device_name()
    return found


@pytest.fixture(autouse=True)
def seed(torch: Any) -> None:
    """Each test draws the same numbers, whatever ran before."""
    torch.manual_seed(0)
