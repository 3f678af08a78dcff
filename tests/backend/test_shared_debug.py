# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""-G describes shared variables to debuggers, each in the scope in which its name is meant. What gdb makes of it:
tests/cli/test_debugging.py."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from warploom.backend.compilation import DeviceOptions
from warploom.backend.reference import compile_device
from warploom.cli import warpcc
from warploom.frontend.passes import SourceOptions, device_command
from warploom.toolchain import find_toolchain, run_tool

PROGRAM = """
__shared__ int whole[4];
__device__ int first() { return whole[0]; }
__global__ void k(int *out) {
  __shared__ int tile[8];
  tile[threadIdx.x] = first();
  {
    __shared__ float tile[8];
    tile[threadIdx.x] = 1;
    out[threadIdx.x] = tile[3];
  }
  out[threadIdx.x] += tile[3];
}
"""
LOCAL = re.compile(r'DILocalVariable\(name: "(\w+)", scope: (!\d+), file: !\d+, line: (\d+)')


def test_shared_variables_are_local_ones_of_their_scope(tmp_path: Path) -> None:
    toolchain = find_toolchain()
    source, bitcode, text = tmp_path / "t.cu", tmp_path / "t.bc", tmp_path / "t.ll"
    source.write_text(PROGRAM)
    assert run_tool(device_command(toolchain, source, bitcode, SourceOptions())).returncode == 0
    options = DeviceOptions("test image", optimise=0, debug=True, names_threads=True, keep_text=text)
    compile_device(toolchain, bitcode, tmp_path / "t.o", options)
    made = text.read_text()
    assert "DIGlobalVariable" not in made
    kinds = dict(re.findall(r"^(!\d+) = distinct !DI(\w+)\(", made, re.MULTILINE))
    found = {(name, int(line)): kinds[scope] for name, scope, line in LOCAL.findall(made) if name in ("whole", "tile")}
    assert found == {("whole", 2): "Subprogram", ("tile", 5): "Subprogram", ("tile", 8): "LexicalBlock"}


@pytest.mark.parametrize("flag", ["-G", "--strict"])
def test_optimised_code_describes_types_that_nothing_else_does(flag: str, tmp_path: Path) -> None:
    source = tmp_path / "t.cu"
    source.write_text(
        "__global__ void k(int *out) {\n"
        "  __shared__ int tile[128];\n"
        "  tile[threadIdx.x] = out[threadIdx.x];\n"
        "  __syncthreads();\n"
        "  out[threadIdx.x] = tile[127 - threadIdx.x];\n"
        "}\n"
    )
    assert warpcc.main(["-g", flag, "--engine=loom", "-c", str(source), "-o", str(tmp_path / "t.o")]) == 0
