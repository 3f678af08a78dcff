# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Parameters are found again behind the calling convention, whatever their type; globals are told apart."""

from __future__ import annotations

from pathlib import Path

import pytest

from warploom.backend.shared_memory import lower_shared_memory, static_shared_sizes
from warploom.frontend.device_module import (
    DeviceModule,
    Kernel,
    Piece,
    declared,
    printed_declares,
    read_device_module,
)
from warploom.frontend.passes import SourceOptions, device_command
from warploom.llvm.module import Module
from warploom.toolchain import Toolchain, find_toolchain, run_tool


@pytest.fixture(scope="module")
def toolchain() -> Toolchain:
    return find_toolchain()


def read(toolchain: Toolchain, folder: Path, text: str, *, separate: bool = False) -> DeviceModule:
    source, bitcode = folder / "t.cu", folder / "t.bc"
    source.write_text(text)
    result = run_tool(device_command(toolchain, source, bitcode, SourceOptions(separate=separate)))
    assert result.returncode == 0, result.stderr
    return read_device_module(Module(toolchain.llvm_library, bitcode), separate=separate)


def kernel(toolchain: Toolchain, folder: Path, declarations: str, parameters: str) -> Kernel:
    device = read(toolchain, folder, f"{declarations}\n__global__ void k({parameters}) {{}}\n")
    assert len(device.kernels) == 1
    return device.kernels[0]


@pytest.mark.parametrize(
    ("declarations", "parameters", "sizes", "pieces"),
    [
        ("", "", (), ()),
        ("", "int *p, int n", (8, 4), (Piece(0, 0), Piece(1, 0))),
        ("", "bool b, char c, short s", (1, 1, 2), (Piece(0, 0), Piece(1, 0), Piece(2, 0))),
        ("struct S { float a, b, c; };", "S s, int n", (12, 4), (Piece(0, 0), Piece(0, 8), Piece(1, 0))),
        ("struct S { char a[3]; };", "S s", (3,), (Piece(0, 0),)),
        ("struct S { char a[5]; };", "S s", (5,), (Piece(0, 0),)),
        ("struct S { double a; int b; };", "S s", (16,), (Piece(0, 0), Piece(0, 8))),
        ("struct E {};", "E e, int n", (1, 4), (Piece(1, 0),)),
        ("struct S { float a[25]; };", "int n, S s, int m", (4, 100, 4), (Piece(0, 0), Piece(1, 0, True), Piece(2, 0))),
        ("", "float4 v, double2 d", (16, 16), (Piece(0, 0), Piece(0, 8), Piece(1, 0), Piece(1, 8))),
        ("union U { float f; int i; };", "U u", (4,), (Piece(0, 0),)),
        (
            "struct N { int *p; long n[3]; __host__ __device__ N(const N &o) : p(o.p) {} };",
            "N a, int b",
            (32, 4),
            (Piece(0, 0, True), Piece(1, 0)),
        ),
        (
            "struct N { int *p; long n; __host__ __device__ N(const N &o) : p(o.p) {} }; typedef const N M;",
            "M a",
            (16,),
            (Piece(0, 0, True),),
        ),
    ],
)
def test_parameters(
    toolchain: Toolchain,
    tmp_path: Path,
    declarations: str,
    parameters: str,
    sizes: tuple[int, ...],
    pieces: tuple[Piece, ...],
) -> None:
    found = kernel(toolchain, tmp_path, declarations, parameters)
    assert found.sizes == sizes
    assert found.pieces == pieces


def test_an_llvm_that_only_prints_records_finds_the_same_parameters(toolchain: Toolchain, tmp_path: Path) -> None:
    text = """struct N { int *p; long n[3]; __host__ __device__ N(const N &o) : p(o.p) {} };
    __global__ void k(int n, N, float4 v, N m, char) { int local = n; v.x = local; }"""
    module = read(toolchain, tmp_path, text).module
    function = module.find("_Z1ki1N6float4S_c")
    if not hasattr(module.lib, "LLVMDbgVariableRecordGetValue"):
        pytest.skip("this LLVM only prints them")
    found, printed = declared(module, function), printed_declares(module, function)
    assert len(found) >= 5
    assert [value for value, _ in found] == [value for value, _ in printed]
    assert ["DW_OP_deref" in how for _, how in found] == ["DW_OP_deref" in how for _, how in printed]


def test_launch_bounds(toolchain: Toolchain, tmp_path: Path) -> None:
    device = read(toolchain, tmp_path, "__global__ void __launch_bounds__(192, 2) k(int *p) { *p = 1; }")
    assert device.kernels[0].max_threads == 192


def test_variables_are_told_apart(toolchain: Toolchain, tmp_path: Path) -> None:
    text = """
    __device__ int plain[3];
    __constant__ double table[4];
    __managed__ long both;
    __global__ void k(double *p) {
      __shared__ float fixed[8];
      extern __shared__ int open[];
      fixed[threadIdx.x] = p[1]; open[threadIdx.x] = 2; __syncthreads();
      p[0] = fixed[3] + open[2] + table[plain[1]] + both;
    }
    """
    device = read(toolchain, tmp_path, text)
    found = {variable.name: (variable.size, variable.constant, variable.managed) for variable in device.variables}
    assert found == {"plain": (12, False, False), "table": (32, True, False), "both": (8, False, True)}
    assert device.static_shared == ["_ZZ1kPdE5fixed"]
    assert len(device.dynamic_shared) == 1


def test_a_dynamic_array_in_a_template_is_shared_memory(toolchain: Toolchain, tmp_path: Path) -> None:
    text = """
    template <typename T> __global__ void k(T *p) { extern __shared__ char open[]; p[0] = open[threadIdx.x]; }
    template __global__ void k<int>(int *);
    """
    assert read(toolchain, tmp_path, text).dynamic_shared == ["open"]
    assert read(toolchain, tmp_path, text, separate=True).dynamic_shared == ["open"]


def test_an_extern_device_array_of_another_file_is_not_shared_memory(toolchain: Toolchain, tmp_path: Path) -> None:
    text = "extern __device__ int elsewhere[];\n__global__ void k(int *p) { p[0] = elsewhere[threadIdx.x]; }"
    assert read(toolchain, tmp_path, text, separate=True).dynamic_shared == []


def test_shared_memory_is_counted_through_calls(toolchain: Toolchain, tmp_path: Path) -> None:
    text = """
    __device__ __noinline__ int helper(int i) {
      __shared__ int cells[64];
      cells[i] = i;
      __syncthreads();
      return cells[0];
    }
    __global__ void a(int *p) {
      __shared__ int own[16];
      own[threadIdx.x] = 1;
      __syncthreads();
      p[0] = own[1] + helper(1);
    }
    __global__ void b(int *p) { p[0] = helper(2); }
    __global__ void c(int *p) { p[0] = 3; }
    """
    device = read(toolchain, tmp_path, text)
    assert static_shared_sizes(device) == {"_Z1aPi": 320, "_Z1bPi": 256, "_Z1cPi": 0}
    layout = lower_shared_memory(device, {kernel.name: kernel.name for kernel in device.kernels})
    assert layout.reached == {"_Z1aPi": 320, "_Z1bPi": 256, "_Z1cPi": 0}
    assert layout.image_size == 384
    device.module.verify("lowering shared memory")
