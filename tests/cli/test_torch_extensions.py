# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""PyTorch's extension builder gets a toolkit, and the libraries that it lacks when something is built, not before."""

from __future__ import annotations

from pathlib import Path
from types import ModuleType

import pytest

from warploom.torch import device
from warploom.torch.build import Built


def test_libraries_are_built_when_an_extension_is(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    asked: list[str] = []
    monkeypatch.setattr(device, "_built", [Built(tmp_path)])
    monkeypatch.setattr(device, "provide_libraries", lambda: asked.append("libraries"))
    module = ModuleType("torch.utils.cpp_extension")

    def join(*paths: str) -> str:
        return "/".join((str(vars(module)["CUDA_HOME"]), *paths))

    vars(module)["_join_cuda_home"] = join
    device.complete(module)
    assert vars(module)["CUDA_HOME"] == str(tmp_path)
    assert asked == []
    assert vars(module)["_join_cuda_home"]("lib64") == f"{tmp_path}/lib64"
    assert asked == ["libraries"]
