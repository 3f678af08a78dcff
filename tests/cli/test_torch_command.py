# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""`warploom torch` tells of a PyTorch whether it can have the device: none, a GPU's, one without headers, untested."""

from __future__ import annotations

import importlib
import sys
from pathlib import Path

import pytest

from warploom.cli.torch import main
from warploom.diagnostics import Diagnostic
from warploom.torch.install import TESTED, find_torch


@pytest.fixture
def packages(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The only folder of Python's packages."""
    others = [path for path in sys.path if "site-packages" not in path]
    monkeypatch.setattr(sys, "path", [str(tmp_path), *others])
    importlib.invalidate_caches()
    return tmp_path


def install(packages: Path, version: str, cuda: str | None = None, *, headers: bool = True) -> None:
    """A package named torch that says of itself what PyTorch's does."""
    folder = packages / "torch"
    (folder / "lib").mkdir(parents=True)
    (folder / "__init__.py").write_text("")
    lines = [f"__version__ = '{version}'", f"cuda: Optional[str] = {cuda!r}", "git_version = 'abc'", "hip = None"]
    (folder / "version.py").write_text("\n".join(lines))
    if headers:
        (folder / "include" / "c10" / "cuda").mkdir(parents=True)
        (folder / "include" / "c10" / "cuda" / "CUDAStream.h").write_text("")
    importlib.invalidate_caches()


def test_without_pytorch(packages: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert find_torch() is None
    assert main(["status"]) == 0
    assert capsys.readouterr().out == "PyTorch is not installed\n"
    with pytest.raises(Diagnostic, match="PyTorch is not installed in this Python"):
        main(["enable"])
    with pytest.raises(Diagnostic, match="PyTorch is not installed in this Python"):
        main(["build-aten", str(packages)])


def test_a_build_for_a_gpu_is_left_alone(packages: Path) -> None:
    install(packages, "2.13.0+cu130", "13.0")
    with pytest.raises(Diagnostic, match=r"this PyTorch \(2\.13\.0\+cu130\) has a GPU's libraries already"):
        main(["enable"])


def test_a_build_without_cuda_headers(packages: Path) -> None:
    install(packages, "2.13.0+cpu", headers=False)
    with pytest.raises(Diagnostic, match="came without its CUDA headers"):
        main(["enable"])


def test_an_untested_version_is_told(packages: Path, capsys: pytest.CaptureFixture[str]) -> None:
    install(packages, "2.99.1+cpu")
    torch = find_torch()
    assert torch is not None
    assert (torch.release, torch.git_version, torch.refusal()) == ("2.99.1", "abc", None)
    assert main(["status"]) == 0
    assert "PyTorch 2.99.1 was not tested with Warploom" in capsys.readouterr().out


def test_a_tested_version(packages: Path) -> None:
    install(packages, f"{TESTED[0]}+cpu")
    torch = find_torch()
    assert torch is not None
    assert torch.doubt() is None
    assert torch.refusal() is None
