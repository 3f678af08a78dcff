# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The same input gives the same code, wherever in memory the compiler keeps what it thinks about."""

from __future__ import annotations

import random
from pathlib import Path

from warploom.backend.compilation import DeviceOptions
from warploom.backend.loom import compile_device
from warploom.frontend.passes import SourceOptions, device_command
from warploom.pipeline import PipelineOptions
from warploom.toolchain import find_toolchain, run_tool

# Barriers in loops: many values cross them, and which of two equal ones is kept is a matter of order.
TEXT = """
__global__ void relax(int rows, int cols, float *in, float *out, const float *power, float rate) {
  __shared__ float here[16][16], there[16][16];
  int x = threadIdx.x, y = threadIdx.y, column = blockIdx.x * 14 + x - 1, row = blockIdx.y * 14 + y - 1;
  bool inside = row >= 0 && row < rows && column >= 0 && column < cols;
  if (inside) { here[y][x] = in[row * cols + column]; there[y][x] = power[row * cols + column]; }
  __syncthreads();
  int north = max(y - 1, 0), south = min(y + 1, 15), west = max(x - 1, 0), east = min(x + 1, 15);
  float made = 0;
  for (int trip = 0; trip < 3; ++trip) {
    float around = here[north][x] + here[south][x] + here[y][west] + here[y][east];
    if (inside) made = here[y][x] + rate * (there[y][x] + around);
    __syncthreads();
    if (inside) here[y][x] = made;
    __syncthreads();
  }
  if (inside) out[row * cols + column] = made;
}
"""


def test_code_does_not_depend_on_addresses_in_the_compilers_memory(tmp_path: Path) -> None:
    toolchain = find_toolchain()
    source, bitcode, ir = tmp_path / "t.cu", tmp_path / "t.bc", tmp_path / "t.ll"
    source.write_text(TEXT)
    result = run_tool(device_command(toolchain, source, bitcode, SourceOptions()))
    assert result.returncode == 0, result.stderr
    options = DeviceOptions("test image", optimise=0, keep_text=ir)
    texts: list[str] = []
    held: list[list[int]] = []
    for _ in range(6):
        # Holes in the heap, so that objects made one after the other do not lie one behind the other.
        scattered = [[0] * random.randrange(1, 12) for _ in range(40_000)]
        random.shuffle(scattered)
        held += scattered[::2]
        del scattered
        compile_device(toolchain, bitcode, tmp_path / "t.o", options, PipelineOptions(reproducers=None))
        texts.append(ir.read_text())
    assert texts.count(texts[0]) == len(texts)
