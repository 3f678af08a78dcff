# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What the reference back end makes of a translation unit, and what it refuses, with the place."""

from __future__ import annotations

import re
import subprocess
from pathlib import Path

import pytest

from warploom.backend import reference
from warploom.backend.compilation import Compilation, DeviceOptions
from warploom.backend.reference import compile_device
from warploom.diagnostics import Diagnostic
from warploom.frontend.passes import SourceOptions, device_command
from warploom.toolchain import find_toolchain, run_tool


def compile_text(folder: Path, text: str, *, separate: bool = False) -> tuple[Path, str]:
    """The object and the final LLVM text of a device pass over `text`."""
    toolchain = find_toolchain()
    source, bitcode, made, ir = folder / "t.cu", folder / "t.bc", folder / "t.o", folder / "t.ll"
    source.write_text(text)
    result = run_tool(device_command(toolchain, source, bitcode, SourceOptions(separate=separate)))
    assert result.returncode == 0, result.stderr
    compile_device(toolchain, bitcode, made, DeviceOptions("test image", separate=separate, keep_text=ir))
    return made, ir.read_text()


def symbols(made: Path) -> dict[str, str]:
    """Symbol -> nm's letter."""
    rows = subprocess.run(["nm", made], capture_output=True, text=True, check=True).stdout.splitlines()
    return {row.split()[-1]: row.split()[-2] for row in rows}


def test_nothing_of_a_whole_program_file_meets_the_symbols_of_another(tmp_path: Path) -> None:
    text = "__device__ int f(int i) { return i + 1; } __device__ int v; __global__ void k(int *p) { *p = f(v); }"
    made, _ = compile_text(tmp_path, text)
    defined = {name: letter for name, letter in symbols(made).items() if letter not in "UwW"}
    assert defined
    assert all(letter.islower() for letter in defined.values()), defined


def test_separate_compilation_shares_device_symbols_under_names_that_no_host_symbol_has(tmp_path: Path) -> None:
    text = "extern __device__ int g(int); __device__ int v; __global__ void k(int *p) { *p = g(v); }"
    made, _ = compile_text(tmp_path, text, separate=True)
    found = symbols(made)
    assert found["_Z1gi.device"] == "U"
    assert found["v.device"] in "BD"
    assert "v" not in found


def test_separate_compilation_registers_what_each_clang_lists(tmp_path: Path) -> None:
    made, _ = compile_text(tmp_path, "__global__ void k() {}", separate=True)
    found = symbols(made)
    assert {"__start_llvm_offload_entries", "__start_cuda_offloading_entries"} <= set(found)
    assert all(found[name] == "w" for name in found if name.startswith(("__start_", "__stop_")))


def test_shared_memory_is_no_global_whose_stores_llvm_could_drop(tmp_path: Path) -> None:
    text = """__global__ void k(int *p) {
      __shared__ int cell[64];
      cell[threadIdx.x] = p[threadIdx.x]; __syncthreads(); p[threadIdx.x] = cell[63 - threadIdx.x];
    }"""
    _, ir = compile_text(tmp_path, text)
    body = ir[ir.index("define internal void @_Z1kPi.device") :].split("\n}")[0]
    assert "@__warploom_shared_memory" in body
    store, barrier = body.index("store i32"), body.index("@__warploom_barrier")
    assert store < barrier < body.rindex("load i32")


def test_llvm_is_given_lines_and_no_variables(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """2,500 statements on eight numbers in an array took its instruction combiner two minutes with the variables."""
    given = tmp_path / "given.ll"

    def run_llvm(work: Compilation) -> None:
        work.module.write_text(given)

    monkeypatch.setattr(reference, "run_llvm", run_llvm)
    compile_text(tmp_path, "__global__ void k(int *p) { int x = *p; *p = x + 1; }")
    text = given.read_text()
    assert "!DILocation(line: 1" in text
    assert "DILocalVariable" not in text


def test_a_thread_that_spins_can_be_set_aside(tmp_path: Path) -> None:
    _, ir = compile_text(tmp_path, "__global__ void k(volatile int *flag) { while (*flag == 0) {} }")
    assert "call void @__warploom_spin_point()" in ir


def kernels_that_may_spin(ir: str) -> set[str]:
    """By name, of the image's table: the field after the cluster's three numbers."""
    table = ir[ir.index("@warploom.kernels") :].split("\n")[0]
    rows = re.findall(r"ptr @(\w+)\.entry[^{}]*\[3 x i32\] zeroinitializer, i32 ([01]), ", table)
    assert rows, table
    return {name for name, spins in rows if spins == "1"}


def test_kernels_that_may_wait_for_others_are_marked(tmp_path: Path) -> None:
    text = """__device__ void pass(volatile int *p) { while (*p == 0) {} }
      __device__ void (*const table[])(volatile int *) = {pass};
      __global__ void waits(int *p) { pass(p); }
      __global__ void by_pointer(int *p, int i) { table[i](p); }
      __global__ void plain(int *p) { while (*p < 100) *p += threadIdx.x; }"""
    _, ir = compile_text(tmp_path, text)
    assert kernels_that_may_spin(ir) == {"_Z5waitsPi", "_Z10by_pointerPii"}


def test_a_thread_is_not_set_aside_between_a_store_and_the_question_whether_it_stands(tmp_path: Path) -> None:
    count = "unsigned x; do { x = (*p & 7) + 1 | t; *p = x; } while (*p != x);"
    _, ir = compile_text(tmp_path, f"__global__ void k(volatile unsigned *p, unsigned t) {{ {count} }}")
    assert ir.count("call void @__warploom_spin_point()") == 1
    store = ir.index("store volatile")
    assert ir.index("call void @__warploom_spin_point()") < store < ir.rindex("load volatile")


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("__global__ void k(int *p) {\n  __shared__ int a[20000];\n  a[p[0]] = 1; __syncthreads(); p[1] = a[p[2]];\n}",
         "80000 bytes, 49152 at most"),
        ("__device__ int missing(int);\n__global__ void k(int *p) { *p = missing(1); }", r"t\.cu:2.*missing\(int\)"),
        ('__global__ void k(int *p) {\n  asm volatile("wgmma.fence.sync.aligned;");\n}', r"t\.cu:2.*inline PTX"),
    ],
    ids=["too much shared memory", "unresolved", "inline PTX"],
)  # fmt: skip
def test_what_cannot_run_is_named(tmp_path: Path, text: str, message: str) -> None:
    with pytest.raises(Diagnostic) as caught:
        compile_text(tmp_path, text)
    assert re.search(message, str(caught.value), re.DOTALL), str(caught.value)


def test_a_managed_variable_is_reached_through_its_slot(tmp_path: Path) -> None:
    text = "static __managed__ int m = 3;\n__global__ void k() { m += 1; }\nint f() { return m; }"
    _, ir = compile_text(tmp_path, text)
    body = ir[ir.index("define internal void @_Z1kv.device") :].split("\n}")[0]
    assert "load ptr, ptr @_ZL1m.managed.device" in body


@pytest.mark.parametrize(
    ("expression", "wanted"),
    [
        ("1 << n", "select"),
        ("p[1] >> n", "umin"),
        ("(unsigned)p[1] >> n", "select"),
        ("1 << (n & 31)", "and i32"),
        ("(int)x", "fptosi.sat"),
    ],
)
def test_open_arithmetic_is_the_gpus(tmp_path: Path, expression: str, wanted: str) -> None:
    _, ir = compile_text(tmp_path, f"__global__ void k(int *p, int n, float x) {{ *p = {expression}; }}")
    body = ir[ir.index("define internal void @_Z1kPiif.device") :].split("\n}")[0]
    assert wanted in body
    assert ("select" in body) == (wanted == "select"), "an amount known to be small needs no selection"


def test_the_shape_of_the_block_is_asked_for_outside_of_the_loop(tmp_path: Path) -> None:
    text = """__global__ void k(float *p, int n) {
      for (int i = threadIdx.x; i < n; i += blockDim.x) p[i] = expf(p[i]);
    }"""
    _, ir = compile_text(tmp_path, text)
    body = ir[ir.index("define internal void @_Z1kPfi.device") :].split("\n}")[0]
    assert body.count("@__warploom_block_dim_x") == 1
    assert body.index("@__warploom_block_dim_x") < body.index("@llvm.exp.f32")
