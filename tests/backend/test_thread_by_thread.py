# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Which kernels run thread by thread where a launch is too large for what passes assumed, and that they are right."""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest
from built_program import built

from warploom.backend.thread_by_thread import SUFFIX

OPTIONS = ("--engine=loom", "-std=c++17", "-O3")
FIRST = "(int n, int *out, int *in) { int i = blockIdx.x * blockDim.x + threadIdx.x; "
MAIN = """
#include <cstdio>
int main() {
  const int n = 1000;
  int *out, *in;
  cudaMallocManaged(&out, 4 * n);
  cudaMallocManaged(&in, 4 * n);
  for (int i = 0; i < n; i++) in[i] = 3 * i % 101, out[i] = 0;
  k<<<4, 256>>>(ARGUMENTS);
  cudaError_t error = cudaDeviceSynchronize();
  unsigned sum = 0;
  for (int i = 0; i < n; i++) sum = sum * 31 + out[i];
  printf("%s %u\\n", cudaGetErrorName(error), sum);
}
"""
ALONE = {
    "ids": "if (i < n) out[i] = in[i] + gridDim.x * blockIdx.x + threadIdx.x; }",
    "private array": "int a[8]; if (i >= n) return; for (int k = 0; k < 8; k++) a[k] = in[(i + k) % n]; "
    "out[i] = a[in[i] % 8]; }",
    "atomic": "if (i < n) atomicAdd(&out[in[i]], i); }",
    "atomics in a counted loop": "for (; i < n; i += 300) atomicAdd(&out[in[i]], i); }",
    "fused product": "float f = in[i % n] * 1.1f + 0.3f; if (i < n) out[i] = __float_as_int(f * f - in[i % n]); }",
    "product less and from": "float f = in[i % n] * 1.1f, g = f * 1.3f; if (i < n) out[i] = __float_as_int(f * f - g) "
    "^ __float_as_int(g - f * in[i] + f * g); }",
    "products used twice": "float f = in[i % n] * 1.1f, g = f * f; "
    "if (i < n) out[i] = __float_as_int((g - 0.3f) * (g + f)); }",
    "printf": 'if (i == 77) printf("%d of %d\\n", threadIdx.x, blockDim.x); if (i < n) out[i] = i; }',
    "early exit": "if (i >= n) return; while (in[i] > 50) { if (in[i] == 77) return; i = (i + 1) % n; } out[i] = i; }",
}
TOGETHER = {
    "barrier": "__shared__ int s[256]; int t = threadIdx.x; s[t] = in[i % n]; __syncthreads(); "
    "if (i < n) out[i] = s[255 - t]; }",
    "shuffle": "int v = __shfl_xor_sync(~0u, in[i % n], 1); if (i < n) out[i] = v; }",
    "lock step": "int t = threadIdx.x; if (i < n) { out[i] = in[i]; if (t < 16) out[i] += out[i + 16]; } }",
    "exit": 'if (i >= n) asm volatile("exit;"); out[i] = i; }',
}


def run(
    kernel: str, folder: Path, *, arguments: str = "n, out, in", monkeypatch: pytest.MonkeyPatch
) -> tuple[str, Path]:
    """What a program with one kernel prints, and the program. Every launch is too large for an assumption."""
    monkeypatch.setenv("WARPLOOM_LAUNCH_LIMIT", "1")
    monkeypatch.setenv("WARPLOOM_VERIFY", "1")
    source = folder / "program.cu"
    source.write_text(kernel + MAIN.replace("ARGUMENTS", arguments))
    program = built(source, folder / "program", *OPTIONS)
    done = subprocess.run([program], capture_output=True, text=True, check=False, timeout=60)
    assert done.returncode == 0, done.stderr
    return done.stdout, program


def right(kernel: str, folder: Path, *, arguments: str = "n, out, in") -> str:
    """What the reference engine prints."""
    source = folder / "right.cu"
    source.write_text(kernel + MAIN.replace("ARGUMENTS", arguments))
    program = built(source, folder / "right", "--engine=reference", "-std=c++17", "-O3")
    return subprocess.run([program], capture_output=True, text=True, check=True, timeout=60).stdout


def runs_by_thread(program: Path) -> bool:
    return SUFFIX.encode() in program.read_bytes()


@pytest.mark.parametrize("name", ALONE)
def test_threads_that_do_not_meet_run_one_by_one(name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    kernel = "#include <cstdio>\n__global__ void k" + FIRST + ALONE[name]
    printed, program = run(kernel, tmp_path, monkeypatch=monkeypatch)
    assert runs_by_thread(program)
    assert printed == right(kernel, tmp_path)


@pytest.mark.parametrize("name", TOGETHER)
def test_threads_that_meet_do_not(name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    kernel = "__global__ void k" + FIRST + TOGETHER[name]
    printed, program = run(kernel, tmp_path, monkeypatch=monkeypatch)
    assert not runs_by_thread(program)
    assert printed == right(kernel, tmp_path)


def test_each_thread_has_a_struct_of_its_own_that_it_changes(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    kernel = """
struct S { int v[20]; };
__global__ void k(int n, int *out, int *in, S s) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  s.v[in[i % n] % 20] += i;
  if (i < n) out[i] = s.v[i % 20] + s.v[in[i] % 20];
}
"""
    printed, _ = run(kernel, tmp_path, arguments="n, out, in, S{}", monkeypatch=monkeypatch)
    assert printed == right(kernel, tmp_path, arguments="n, out, in, S{}")


def test_a_struct_that_is_only_read_is_shared(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    kernel = """
struct S { int v[20]; };
__global__ void k(int n, int *out, int *in, S s) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) out[i] = s.v[i % 20] + s.v[in[i] % 20];
}
"""
    printed, program = run(kernel, tmp_path, arguments="n, out, in, S{1, 2, 3, 4, 5}", monkeypatch=monkeypatch)
    assert runs_by_thread(program)
    assert printed == right(kernel, tmp_path, arguments="n, out, in, S{1, 2, 3, 4, 5}")


def test_lines_of_faults_are_known(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("WARPLOOM_LAUNCH_LIMIT", "1")
    source = tmp_path / "fault.cu"
    source.write_text(
        "#include <cstdio>\n__global__ void k(int *out, long far) {\n"
        "  if (threadIdx.x == 3)\n    out[far] = 1;\n}\n"
        "int main() { int *d; cudaMalloc(&d, 4); k<<<1, 32>>>(d, 1L << 40);\n"
        '  printf("%s\\n", cudaGetErrorName(cudaDeviceSynchronize())); }\n'
    )
    program = built(source, tmp_path / "fault", *OPTIONS, "-lineinfo")
    done = subprocess.run([program], capture_output=True, text=True, check=False, timeout=60)
    assert done.stdout == "cudaErrorIllegalAddress\n"
    assert "fault.cu:4" in done.stderr
