# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# feature: Cooperative groups / clusters of blocks [refused]
"""Clusters of blocks are refused: ignoring them would give kernels other blocks' shared memory that is their own."""

from __future__ import annotations

from pathlib import Path

import pytest

from warploom.cli.warpcc import main


def test_a_kernel_of_clusters_does_not_compile(tmp_path: Path, capfd: pytest.CaptureFixture[str]) -> None:
    source = tmp_path / "pairs.cu"
    source.write_text("__global__ void __cluster_dims__(2, 1, 1) pairs(int *p) { *p = 1; }\n")
    assert main(["-c", str(source), "-o", str(tmp_path / "pairs.o")]) != 0
    assert "clusters of 2 x 1 x 1 blocks" in capfd.readouterr().err


def test_a_cluster_of_one_block_is_a_block(tmp_path: Path) -> None:
    source = tmp_path / "alone.cu"
    source.write_text("__global__ void __cluster_dims__(1) alone(int *p) { *p = 1; }\n")
    assert main(["-c", str(source), "-o", str(tmp_path / "alone.o")]) == 0
