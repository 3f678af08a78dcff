# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What a toolchain says of itself."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from warploom import toolchain


@pytest.mark.parametrize(("name", "found"), [("libomp.so.5", False), ("libomptarget.so", False), ("libomp.so", True)])
def test_openmp_takes_a_library_to_link_with(
    name: str, found: bool, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / name).touch()
    monkeypatch.setattr(toolchain, "SYSTEM_LIBRARIES", (tmp_path,))
    elsewhere = replace(toolchain.find_toolchain(), clang=tmp_path / "none" / "bin" / "clang++")
    assert elsewhere.has_openmp() is found
