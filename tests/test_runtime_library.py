# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""One Python has one toolkit, whichever of its names it was started by."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

from warploom.frontend.passes import INCLUDE
from warploom.runtime_library import interpreter, is_headers


def test_all_names_of_a_python_are_one(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    own = f"python{sys.version_info.major}.{sys.version_info.minor}"
    (tmp_path / "bin").mkdir()
    for name in ("python", "python3", own):
        (tmp_path / "bin" / name).touch()
    monkeypatch.setattr(sys, "prefix", str(tmp_path))
    found = set[str]()
    for name in ("python", "python3"):
        monkeypatch.setattr(sys, "executable", str(tmp_path / "bin" / name))
        found.add(interpreter())
    assert found == {str(tmp_path / "bin" / own)}


def test_a_python_without_the_usual_name_is_itself(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setattr(sys, "prefix", str(tmp_path))
    monkeypatch.setattr(sys, "executable", "/opt/embedded/program")
    assert interpreter() == "/opt/embedded/program"


def test_a_folder_with_headers_of_others_is_not_only_the_cuda_headers(tmp_path: Path) -> None:
    for header in INCLUDE.iterdir():
        (tmp_path / header.name).symlink_to(header)
    (tmp_path / "cccl").mkdir()
    assert is_headers(INCLUDE)
    assert is_headers(tmp_path)
    (tmp_path / "torch").mkdir()
    assert not is_headers(tmp_path)
