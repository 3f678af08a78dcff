# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Accesses, atomics, copies, private, shared and constant memory become ops that say what they are."""

from __future__ import annotations

from pathlib import Path

from importing import imported, op_of, ops_of, refused

from warploom.ir.core import Const


def test_accesses_say_what_they_are(tmp_path: Path) -> None:
    function = imported(tmp_path, "__global__ void k(volatile short *p, double *q) { *q = *p; }")
    assert op_of(function, "load").attrs == {"align": 2, "volatile": True}
    assert op_of(function, "store").attrs == {"align": 8}


def test_atomics(tmp_path: Path) -> None:
    text = """__global__ void k(int *p, float *f, unsigned *u) {
      p[1] = atomicCAS(p, 1, 2); atomicAdd(f, 2.0f); atomicMax(u, 3u); __threadfence();
      __atomic_store_n(p + 2, 1, __ATOMIC_RELEASE);
    }"""
    function = imported(tmp_path, text)
    exchange = op_of(function, "cmpxchg")
    assert exchange.result.type == "{ i32, i1 }"
    assert exchange.attrs == {"align": 4, "ordering": "monotonic", "failure": "monotonic"}
    updates = [(op.attrs["operation"], op.attrs["ordering"]) for op in ops_of(function, "atomicrmw")]
    assert updates == [("fadd", "monotonic"), ("umax", "monotonic")]
    assert op_of(function, "fence").attrs["ordering"] == "seq_cst"
    assert ops_of(function, "store")[-1].attrs == {"align": 4, "ordering": "release"}


def test_a_compiler_barrier_is_a_fence_of_one_thread(tmp_path: Path) -> None:
    function = imported(tmp_path, '__global__ void k() { asm volatile("" ::: "memory"); }')
    assert op_of(function, "fence").attrs == {"ordering": "seq_cst", "scope": "singlethread"}


def test_inline_assembly_stays(tmp_path: Path) -> None:
    function = imported(tmp_path, '__global__ void k(int *p) { int x = 3; asm volatile("" : "+r"(x)); *p = x; }')
    found = op_of(function, "asm")
    assert found.attrs["text"] == ""
    assert str(found.attrs["constraints"]).startswith("=r,0")
    assert found.attrs["sideeffect"] is True


def test_copies_and_fills(tmp_path: Path) -> None:
    text = """struct B { int a[40]; };
    __global__ void k(B *p, B *q, int n) { p[0] = q[1]; memset(q, 1, n); memmove(p, q, n); }"""
    function = imported(tmp_path, text)
    copy = op_of(function, "memcpy")
    assert copy.operands[2] == Const("i64", 160)
    assert copy.attrs == {"align_to": 4, "align_from": 4}
    assert op_of(function, "memset").operands[1] == Const("i8", 1)
    assert op_of(function, "memmove").operands[2].type == "i64"


def test_private_memory(tmp_path: Path) -> None:
    function = imported(tmp_path, "__global__ void k(int *p, int i) { int a[6]; a[i] = 1; *p = a[i + 1]; }")
    assert op_of(function, "alloca").attrs == {"size": 24, "align": 16}


def test_private_arrays_of_variable_length_are_refused_with_the_line(tmp_path: Path) -> None:
    problem = refused(tmp_path, "__global__ void k(int *p, int i) {\n  int a[i]; a[i - 2] = 1; *p = a[i - 1];\n}")
    assert "variable length" in problem.reason
    assert problem.loc is not None
    assert problem.loc.line == 2


def test_shared_variables_are_listed(tmp_path: Path) -> None:
    text = """__global__ void k(int *p) {
      __shared__ double tile[8][4]; extern __shared__ char open[];
      tile[threadIdx.x][1] = p[0]; open[threadIdx.x] = 1; __syncthreads(); p[1] = tile[3][threadIdx.x] + open[p[4]];
    }"""
    function = imported(tmp_path, text)
    assert [(each.size, each.align >= 8) for each in function.shared.values() if each.size] == [(256, True)]
    assert len([each for each in function.shared.values() if not each.size]) == 1


def test_dynamic_arrays_are_one_memory(tmp_path: Path) -> None:
    """All of them start at the same address: a store through one is a store to the others."""
    text = """__global__ void k(int *p) {
      extern __shared__ int a[]; extern __shared__ float b[];
      a[0] = 1; b[0] = 2.0f; p[0] = a[0];
    }"""
    function = imported(tmp_path, text)
    assert len(function.shared) == 1
    assert ops_of(function, "store")[-1].operands[0] == Const("i32", 0x40000000)
