# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Operands of element-wise kernels pass through private arrays of tuples and packs, which become registers."""

from __future__ import annotations

from pathlib import Path

import pytest

from warploom.cli import ir

UNIT = Path(__file__).parents[3] / "bench" / "compile_units" / "elementwise.cu"
USES = """
#define KERNELS_ONLY
#include "{unit}"
template __global__ void aligned_elements<4>(int, Add<float>, Pointers<3>);
template __global__ void dense_elements(int, Add<float>, Pointers<3>, Dense);
"""


@pytest.mark.parametrize("kernel", ["aligned_elements", "dense_elements"])
def test_no_private_memory_is_left(
    kernel: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "a.cu").write_text(USES.format(unit=UNIT))
    monkeypatch.chdir(tmp_path)
    assert ir.main(["a.cu", "--kernel", kernel, "--cpu", "x86-64-v4"]) == 0
    shown = capsys.readouterr().out
    assert "grid" in shown
    for name in ("alloca", "scratch"):
        assert f"{name} " not in shown
