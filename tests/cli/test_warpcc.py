# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""warpcc as build systems call it, and what it says to a user's mistakes."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from warploom.frontend.cccl import find_cccl
from warploom.runtime_library import toolkit
from warploom.toolchain import find_toolchain

KERNEL = """
#include <cstdio>
__global__ void twice(int *p) { p[threadIdx.x] *= 2; }
extern "C" int doubled(int value) {
  int *p;
  if (cudaMallocManaged(&p, sizeof(int)) != cudaSuccess) return -1;
  *p = value;
  twice<<<1, 1>>>(p);
  cudaDeviceSynchronize();
  int result = *p;
  cudaFree(p);
  return result;
}
"""
MAIN = """
#include <cstdio>
extern "C" int doubled(int);
int main() { std::printf("%d\\n", doubled(21)); }
"""


def warpcc(*words: str, cwd: Path) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-m", "warploom.cli.warpcc", *words]
    return subprocess.run(command, cwd=cwd, capture_output=True, text=True, timeout=300, check=False)


def build(*words: str, cwd: Path) -> None:
    done = warpcc(*words, cwd=cwd)
    assert done.returncode == 0, done.stderr


def run(program: Path, **environment: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [program], capture_output=True, text=True, timeout=60, check=False, env={**os.environ, **environment}
    )


@pytest.fixture
def sources(tmp_path: Path) -> Path:
    (tmp_path / "kernel.cu").write_text(KERNEL)
    (tmp_path / "main.cpp").write_text(MAIN)
    return tmp_path


def test_objects_of_a_cuda_and_a_cpp_file_link(sources: Path) -> None:
    build("-c", "kernel.cu", "main.cpp", cwd=sources)
    build("kernel.o", "main.o", "-o", "program", "-lcudart", cwd=sources)
    assert run(sources / "program").stdout == "42\n"


def test_without_optimisation_and_with_debug_information(sources: Path) -> None:
    build("-G", "-g", "-O0", "kernel.cu", "main.cpp", "-o", "program", cwd=sources)
    assert run(sources / "program").stdout == "42\n"


def test_a_static_library(sources: Path) -> None:
    build("-lib", "kernel.cu", "-o", "libkernel.a", cwd=sources)
    build("main.cpp", "-L.", "-lkernel", "-o", "program", cwd=sources)
    assert run(sources / "program").stdout == "42\n"


def test_a_shared_library(sources: Path) -> None:
    build("-shared", "-Xcompiler", "-fPIC", "kernel.cu", "-o", "libkernel.so", cwd=sources)
    build("main.cpp", "-L.", "-lkernel", "-Xlinker", "-rpath,$ORIGIN", "-o", "program", cwd=sources)
    assert run(sources / "program").stdout == "42\n"


@pytest.mark.skipif(shutil.which("g++") is None, reason="needs g++")
def test_another_compiler_links_the_objects(sources: Path) -> None:
    build("-dc", "kernel.cu", cwd=sources)
    build("-dlink", "kernel.o", "-o", "device.o", cwd=sources)
    shown = warpcc("--dryrun", "kernel.o", "-o", "x", cwd=sources).stderr
    top = next(line.split("TOP=")[1].strip() for line in shown.splitlines() if "TOP=" in line)
    words = ["g++", "main.cpp", "kernel.o", "device.o", "-o", "program", f"-L{top}/lib64", "-lcudart"]
    subprocess.run(words, cwd=sources, check=True)
    assert run(sources / "program", LD_LIBRARY_PATH=f"{top}/lib64").stdout == "42\n"


def test_dependencies(sources: Path) -> None:
    (sources / "part.h").write_text("#define PART 1\n")
    (sources / "kernel.cu").write_text('#include "part.h"\n' + KERNEL)
    build("-c", "kernel.cu", "-o", "k.o", "-MD", "-MF", "k.d", cwd=sources)
    rule = (sources / "k.d").read_text()
    assert rule.startswith("k.o:")
    assert "part.h" in rule
    shown = warpcc("-M", "kernel.cu", cwd=sources).stdout
    assert shown.startswith("kernel.o:")
    assert "part.h" in shown


def test_preprocessed_text_goes_to_stdout(sources: Path) -> None:
    shown = warpcc("-E", "-DNAME=hello", "-x", "cu", "main.cpp", cwd=sources).stdout
    assert "int doubled(int)" in shown


def test_dryrun_shows_commands_and_writes_nothing(sources: Path) -> None:
    done = warpcc("--dryrun", "-c", "kernel.cu", "-o", "k.o", cwd=sources)
    assert done.returncode == 0
    assert "-fcuda-is-device" in done.stderr
    assert not (sources / "k.o").exists()


def test_keep_leaves_the_intermediate_files(sources: Path) -> None:
    build("-keep", "-c", "kernel.cu", "-o", "k.o", cwd=sources)
    assert "@_Z5twicePi.grid.device" in (sources / "k.warploom" / "device.ll").read_text()


def test_version_names_the_release(tmp_path: Path) -> None:
    assert "release 13.0, V13.0" in warpcc("--version", cwd=tmp_path).stdout


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("int main() { return missing; }", "bad.cu:1:21: error: use of undeclared identifier 'missing'"),
        ("__global__ int k() { return 1; }", "bad.cu:1"),
        ("__global__ void k(int *p) {\n  asm(\"wgmma.fence.sync.aligned;\");\n}", "cu:2: error: inline PTX"),
        ("__device__ int f(int);\n__global__ void k(int *p) {\n  *p = f(1);\n}", "cu:3: error: unresolved device"),
        ("__global__ void k() { __shared__ int a[99999]; a[threadIdx.x] = 1; }", "399996 bytes, 49152 at most"),
    ],
    ids=["undeclared", "kernel that returns", "inline PTX", "unresolved", "shared memory"],
)  # fmt: skip
def test_a_mistake_in_the_source_is_named_with_its_place(tmp_path: Path, text: str, message: str) -> None:
    (tmp_path / "bad.cu").write_text(text)
    done = warpcc("-c", "bad.cu", cwd=tmp_path)
    assert done.returncode == 1
    assert message in done.stderr
    assert "Traceback" not in done.stderr
    assert not (tmp_path / "bad.o").exists()


WRONG_KERNELS = {
    "a name": "__global__ void k(int *p) { p[0] = undeclared; }",
    "a function of the host": "int host(); __global__ void k(int *p) { p[0] = host(); }",
    "a host variable": "int count; __global__ void k(int *p) { p[0] = count; }",
    "a launch": "__global__ void k(int *p) {} void run() { k<<<1>>>(nullptr); }",
    "an argument": '__global__ void k(int *p) {} void run() { k<<<1, 1>>>("a"); }',
    "a template": "template <class T> __global__ void k(T *p) { p->x = 1; } void run(int *p) { k<<<1, 1>>>(p); }",
}


@pytest.mark.parametrize("text", WRONG_KERNELS.values(), ids=WRONG_KERNELS)
def test_a_mistake_in_a_kernel_is_said_of_the_kernel(tmp_path: Path, text: str) -> None:
    """Clang reads a file for host and device; in which of them it finds a mistake first says nothing to the user."""
    (tmp_path / "k.cu").write_text(text)
    done = warpcc("-c", "k.cu", cwd=tmp_path)
    assert done.returncode == 1
    assert re.match(r"k\.cu:1:\d+: error: ", done.stderr)
    assert "compiling for" not in done.stderr


def test_a_missing_file(tmp_path: Path) -> None:
    done = warpcc("-c", "nowhere.cu", cwd=tmp_path)
    assert done.returncode == 1
    assert "nowhere.cu" in done.stderr
    assert "no such file" in done.stderr


DEADLOCK = """
#include <cstdio>
__global__ void stuck(int *p) {
  if (threadIdx.x < 16)
    __syncwarp();
  else
    __syncthreads();
  *p = 1;
}
int main() {
  std::printf("before\\n");
  int *p;
  cudaMalloc(&p, sizeof(int));
  stuck<<<2, 32>>>(p);
  std::printf("%s\\n", cudaGetErrorName(cudaDeviceSynchronize()));
}
"""


@pytest.mark.parametrize("seed", ["", "1", "2", "3"])
def test_a_barrier_that_cannot_complete_is_reported(tmp_path: Path, seed: str) -> None:
    (tmp_path / "stuck.cu").write_text(DEADLOCK)
    build("stuck.cu", "--engine=reference", "-o", "stuck", cwd=tmp_path)
    done = run(tmp_path / "stuck", WARPLOOM_SCHEDULE_SEED=seed)
    assert done.stdout == "before\ncudaErrorLaunchFailure\n"
    for part in ("stuck(int*)", "stuck.cu:5", "stuck.cu:7"):
        assert part in done.stderr


CLASSIC = """
#include <cstdio>
texture<float, 1, cudaReadModeElementType> table;
__global__ void look_up(float *out) { out[threadIdx.x] = tex1Dfetch(table, 31 - threadIdx.x); }
int main() {
  float host[32], *in, *out;
  for (int i = 0; i < 32; ++i) host[i] = i;
  cudaMalloc((void **)&in, sizeof host);
  cudaMalloc((void **)&out, sizeof host);
  cudaMemcpy(in, host, sizeof host, cudaMemcpyHostToDevice);
  cudaBindTexture(0, table, in, sizeof host);
  look_up<<<1, 32>>>(out);
  cudaThreadSynchronize();
  cudaMemcpy(host, out, sizeof host, cudaMemcpyDeviceToHost);
  cudaUnbindTexture(table);
  cudaDeviceProp properties;
  cudaGetDeviceProperties(&properties, 0);
  std::printf("%g %g %d\\n", host[0], host[31], properties.clockRate > 0);
  cudaThreadExit();
}
"""


@pytest.mark.parametrize("macro", [[], ["-DcudaThreadSynchronize=cudaDeviceSynchronize"]], ids=["as it is", "macro"])
def test_api_that_cuda_13_removed(tmp_path: Path, macro: list[str]) -> None:
    (tmp_path / "classic.cu").write_text(CLASSIC)
    build(*macro, "classic.cu", "-o", "classic", cwd=tmp_path)
    assert run(tmp_path / "classic").stdout == "31 0 1\n"


OPENMP = """
#include <omp.h>
#include <cstdio>
int main() {
  int sum = 0;
  omp_set_num_threads(2);
#ifdef PARALLEL
#pragma omp parallel reduction(+ : sum)
#endif
  sum += omp_get_thread_num() + 10 / omp_get_num_threads();
  std::printf("%d\\n", sum);
}
"""


def test_a_loop_of_openmp_runs_in_parallel_or_the_compiler_says_what_is_missing(tmp_path: Path) -> None:
    toolchain = find_toolchain()
    if toolchain.openmp_flags is None and not toolchain.openmp_functions:
        pytest.skip("neither clang's nor gcc's OpenMP library is installed")
    (tmp_path / "threads.cu").write_text(OPENMP)
    for flags in (["-Xcompiler", "-fopenmp"], ["-lomp"], ["-lgomp"]):
        build(*flags, "threads.cu", "-o", "program", cwd=tmp_path)
        assert run(tmp_path / "program").stdout == "10\n", "functions of OpenMP alone need no parallel loop"
    if toolchain.openmp_flags is None:
        done = warpcc("-Xcompiler", "-fopenmp", "-DPARALLEL", "threads.cu", "-o", "parallel", cwd=tmp_path)
        assert done.returncode == 1
        assert "pip install 'warploom[openmp]'" in done.stderr
        return
    # A library of gcc's beside it would be a second runtime.
    build("-Xcompiler", "-fopenmp", "-DPARALLEL", "threads.cu", "-lgomp", "-o", "parallel", cwd=tmp_path)
    assert run(tmp_path / "parallel").stdout == "11\n"
    needed = subprocess.run(["ldd", tmp_path / "parallel"], capture_output=True, text=True, check=True).stdout
    assert len(set(re.findall(r"lib[gi]?omp5?\.so", needed))) == 1


def test_the_flags_of_an_mpi_wrapper_are_taken(tmp_path: Path) -> None:
    (tmp_path / "mpi").mkdir()
    (tmp_path / "mpi" / "mpi.h").write_text("int rank();\n")
    (tmp_path / "mpi" / "mpi.cpp").write_text("int rank() { return 3; }\n")
    build("-c", "mpi/mpi.cpp", "-o", "mpi/mpi.o", cwd=tmp_path)
    build("-lib", "mpi/mpi.o", "-o", "mpi/libmympi.a", cwd=tmp_path)
    wrapper = tmp_path / "mpicxx"
    wrapper.write_text(f"#!/bin/sh\necho g++ -Wl,-z,relro -I{tmp_path}/mpi -L{tmp_path}/mpi -lmympi\n")
    wrapper.chmod(0o755)
    (tmp_path / "a.cu").write_text("#include <mpi.h>\n__global__ void k() {}\nint main() { return rank(); }\n")
    build("-ccbin", str(wrapper), "a.cu", "-o", "a", cwd=tmp_path)
    assert run(tmp_path / "a").returncode == 3
    assert "is left out" in warpcc("-ccbin", "odd++", "-c", "mpi/mpi.cpp", cwd=tmp_path).stderr
    assert warpcc("-ccbin=g++-12", "-c", "mpi/mpi.cpp", cwd=tmp_path).stderr == ""


def test_the_toolkits_headers_named_again_keep_their_place(tmp_path: Path) -> None:
    top = toolkit(find_toolchain())
    (tmp_path / "a.cu").write_text(
        "#include <thrust/device_vector.h>\nint main() { return thrust::device_vector<int>(3).size(); }\n"
        if find_cccl()
        else "#include <cuda/std/type_traits>\nint main() { return 3; }\n"
    )
    build("-isystem", f"{top}/include", "-I", f"{top}/include", "a.cu", "-o", "a", cwd=tmp_path)
    assert run(tmp_path / "a").returncode == 3


def test_options_from_the_environment(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "a.cu").write_text("#include <cstdio>\nint main() { std::printf(VALUE); }\n")
    monkeypatch.setenv("NVCC_PREPEND_FLAGS", "-DVALUE=WRONG")
    monkeypatch.setenv("NVCC_APPEND_FLAGS", "-UVALUE '-DVALUE=\"two words\"'")
    build("a.cu", "-o", "a", cwd=tmp_path)
    assert run(tmp_path / "a").stdout == "two words"
