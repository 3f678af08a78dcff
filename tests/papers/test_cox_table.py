# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# feature: Algorithms / the 31 SDK kernels of COX's coverage table
"""Table 1 of Han et al., COX: CUDA on x86 by Exposing Warp-Level Functions to CPUs: COX runs 28 of the 31 kernels."""

from __future__ import annotations

import pytest
from paper_kernels import output

from warploom.engines import ENGINES

# As the table names them, each with the feature that the table lists for it.
KERNELS = {
    "initVectors": "", "gpuDotProduct": "warp cooperative group", "gpuSpMV": "", "r1_div_x": "", "a_minus": "",
    "gpuConjugateGradient": "grid sync", "multigpuConjugateGradient": "multi grid sync", "MatrixMulCUDA": "",
    "matrixMul": "", "copyp2p": "", "reduce0": "block cooperative group", "reduce1": "block cooperative group",
    "reduce2": "block cooperative group", "reduce3": "block cooperative group", "reduce4": "warp cooperative group",
    "reduce5": "warp cooperative group", "reduce6": "warp cooperative group", "shfl_intimage_rows": "warp shuffle",
    "shfl_vertical_shfl": "warp shuffle", "shfl_scan_test": "warp shuffle", "uniform_add": "",
    "reduce": "warp cooperative group", "reduceFinal": "warp cooperative group", "simpleKernel": "",
    "VoteAnyKernel1": "warp vote", "VoteAllKernel2": "warp vote", "VoteAnyKernel3": "warp vote",
    "spinWhileLessThanone": "", "matrixMultiplyKernel": "", "vectorAdd": "", "filter_arr": "activated thread sync",
}  # fmt: skip


@pytest.mark.parametrize("engine", ENGINES)
def test_all_31_kernels_are_right(engine: str) -> None:
    assert len(KERNELS) == 31
    lines = dict(line.split(": ") for line in output("cox_table", engine, "--seed", "3").splitlines())
    assert lines == dict.fromkeys(KERNELS, "right")
