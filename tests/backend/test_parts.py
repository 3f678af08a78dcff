# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""A module of many kernels is compiled in parts: one object comes of it, which is the same however many work on it."""

from __future__ import annotations

import os
import signal
import subprocess
from collections.abc import Sequence
from pathlib import Path

import pytest

from warploom.backend import loom, parts
from warploom.backend.compilation import Compilation, DeviceOptions
from warploom.backend.loom import compile_device
from warploom.backend.workers import side_by_side
from warploom.cli import warpcc
from warploom.diagnostics import Diagnostic
from warploom.frontend.device_module import Kernel
from warploom.frontend.passes import SourceOptions, device_command
from warploom.pipeline import PipelineOptions
from warploom.toolchain import find_toolchain, run_tool

QUIET = PipelineOptions(reproducers=None)

# Variables of every kind that kernels share, a function that stays a call, shared memory, printf, a kernel that spins.
PROGRAM = """
#include <cstdio>
__device__ float scale = 2.0f;
__constant__ float table[4];
__managed__ int counter;
__device__ const int fixed[4] = {3, 1, 4, 1};
__device__ __noinline__ int helper(int x, int trips) {
  for (int i = 0; i < trips; ++i) x = x * 3 + fixed[i & 3];
  return x;
}
template <int N> __global__ void kernel(float *p, int n) {
  __shared__ float s[N * 16];
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  s[threadIdx.x] = i < n ? p[i] : 0;
  __syncthreads();
  float next = s[(threadIdx.x + N) % blockDim.x], root = sqrtf(s[threadIdx.x]);
  if (i < n) p[i] = next * scale + table[N % 4] + (helper(i, N) & 7) + root;
  if (i == 0) {
    atomicAdd(&counter, N);
    if (N == 5) printf("%s\\n", "five");
  }
}
__global__ void wait(int *flag) {
  if (threadIdx.x == 0) {
    scale += 0.5f;
    atomicExch(flag, 1);
  } else {
    while (atomicAdd(flag, 0) == 0) { }
  }
}
int main() {
  const int n = 1000;
  float *p, constants[4] = {1, 2, 3, 4}, now;
  int *flag;
  cudaMallocManaged(&p, n * sizeof(float));
  cudaMallocManaged(&flag, sizeof(int));
  cudaMemcpyToSymbol(table, constants, sizeof constants);
  for (int i = 0; i < n; ++i) p[i] = i % 7;
  kernel<4><<<16, 64>>>(p, n);
  kernel<5><<<16, 64>>>(p, n);
  wait<<<1, 64>>>(flag);
  kernel<6><<<16, 64>>>(p, n);
  if (cudaDeviceSynchronize() != cudaSuccess) return 1;
  cudaMemcpyFromSymbol(&now, scale, sizeof now);
  double sum = 0;
  for (int i = 0; i < n; ++i) sum += p[i];
  printf("%.9g %d %g\\n", sum, counter, now);
}
"""


def bitcode(folder: Path, text: str) -> Path:
    """The device pass over `text`."""
    source, made = folder / "t.cu", folder / "t.bc"
    source.write_text(text)
    result = run_tool(device_command(find_toolchain(), source, made, SourceOptions()))
    assert result.returncode == 0, result.stderr
    return made


@pytest.mark.parametrize("flags", [["-O3"], ["-O3", "-Xptxas", "-O0"], ["-G"], ["-O3", "--off-pass", "split_barriers"]])
def test_a_program_in_parts_does_what_the_whole_does(
    flags: list[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "t.cu").write_text(PROGRAM)
    shown: list[str] = []
    for part in (parts.PART, 1):
        monkeypatch.setattr(loom, "PART", part)
        assert warpcc.main([*flags, str(tmp_path / "t.cu"), "-o", str(tmp_path / "t")]) == 0
        shown.append(subprocess.run([tmp_path / "t"], capture_output=True, text=True, check=True).stdout)
    assert shown[0] == shown[1]
    assert shown[0].splitlines()[0] == "five"
    assert shown[0].split()[-2:] == ["15", "2.5"]


def test_the_object_is_the_same_for_any_number_of_workers(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(loom, "PART", 1)
    made, output = bitcode(tmp_path, PROGRAM), tmp_path / "t.o"
    objects: set[bytes] = set()
    for jobs in (1, 3, None):
        compile_device(find_toolchain(), made, output, DeviceOptions("test image", optimise=3, jobs=jobs), QUIET)
        objects.add(output.read_bytes())
    assert len(objects) == 1
    assert not [*tmp_path.glob("t.*.o"), *tmp_path.glob("t.*.bc")], "files of parts are left"


@pytest.mark.parametrize("debug", [False, True])
def test_kernels_that_are_imported_again_are_the_same(
    debug: bool, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    twins = "".join(f"__global__ void twin{number}(int *p) {{ p[threadIdx.x] += 3; }}\n" for number in range(3))
    made, output = bitcode(tmp_path, PROGRAM + twins), tmp_path / "t.o"
    options = DeviceOptions("test image", optimise=3, jobs=1, debug=debug)
    for part in (1, 10**9):
        monkeypatch.setattr(loom, "PART", part)
        objects: set[bytes] = set()
        for kept in (0, 10, 10**9):
            monkeypatch.setattr(loom, "MOST_KEPT", kept)
            compile_device(find_toolchain(), made, output, options, QUIET)
            objects.add(output.read_bytes())
        assert len(objects) == 1


def test_a_part_reads_its_kernels_and_the_process_before_holds_none(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Else each process of a large file has all of its kernels in memory, a gigabyte for some."""
    read = tmp_path / "read"
    become_part = loom.become_part

    def look(work: Compilation, kernels: Sequence[Kernel]) -> None:
        module = work.module
        names = [module.name(each) for each in module.functions() if module.is_defined(each)]
        with read.open("a") as lines:
            lines.write(" ".join(names) + "\n")
        become_part(work, kernels)

    def put_aside(work: Compilation, across: set[str], bitcode: Path) -> None:
        parts.put_aside(work, across, bitcode)
        assert work.module.ref == 0, "the module is there still"
        assert {"scale", "table", "counter"} <= work.across

    monkeypatch.setattr(loom, "PART", 1)
    monkeypatch.setattr(loom, "MOST_KEPT", 0)
    monkeypatch.setattr(loom, "become_part", look)
    monkeypatch.setattr(loom, "put_aside", put_aside)
    options = DeviceOptions("test image", optimise=3, jobs=1)
    compile_device(find_toolchain(), bitcode(tmp_path, PROGRAM), tmp_path / "t.o", options, QUIET)
    kernels = ["_Z4waitPi", *(f"_Z6kernelILi{number}EEvPfi" for number in (4, 5, 6))]
    found = [[name for name in line.split() if name in kernels] for line in read.read_text().splitlines()]
    assert found == [[kernel] for kernel in kernels]


def test_two_files_in_parts_link(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Names of what parts share meet nobody else's: here both files have a variable and kernels of one name."""
    monkeypatch.setattr(loom, "PART", 1)
    for name, value in (("a", 3), ("b", 4)):
        (tmp_path / f"{name}.cu").write_text(f"""
          static __device__ int seen = {value};
          static __global__ void set(int *p) {{ *p = seen; }}
          static __global__ void add(int *p) {{ *p += 10 * seen; }}
          int {name}() {{
            int *p, found;
            cudaMalloc(&p, sizeof(int));
            set<<<1, 1>>>(p);
            add<<<1, 1>>>(p);
            cudaMemcpy(&found, p, sizeof(int), cudaMemcpyDeviceToHost);
            return found;
          }}
        """)
    (tmp_path / "main.cpp").write_text("int a(), b(); int main() { return a() == 33 && b() == 44 ? 0 : 1; }")
    sources = [str(tmp_path / name) for name in ("a.cu", "b.cu", "main.cpp")]
    assert warpcc.main([*sources, "-o", str(tmp_path / "t")]) == 0
    assert subprocess.run([tmp_path / "t"], check=False).returncode == 0


@pytest.mark.parametrize(
    ("text", "whole"),
    [
        ("", False),
        ("__device__ int f(int x) { return x + 1; } __device__ int (*table[])(int) = {f};", True),
        ("__device__ __noinline__ int f(int x) { return x ? x * f(x - 1) : 1; } ", False),
    ],
)
def test_a_module_that_takes_a_functions_address_stays_whole(
    text: str, whole: bool, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(loom, "PART", 1)
    use = "table[*p](*p)" if whole else "f(*p)" if text else "1"
    made = bitcode(
        tmp_path, f"{text} __global__ void a(int *p) {{ *p = {use}; }} __global__ void b(int *p) {{ *p = {use} + 2; }}"
    )
    ir = tmp_path / "t.ll"
    compile_device(find_toolchain(), made, tmp_path / "t.o", DeviceOptions("test image", keep_text=ir), QUIET)
    assert (tmp_path / "t.0.ll").exists() != whole


def test_a_cut_keeps_the_order_and_weighs_about_the_same() -> None:
    assert parts.cut("abcdef", [1, 1, 1, 1, 1, 1], 2) == [["a", "b"], ["c", "d"], ["e", "f"]]
    assert parts.cut("abcd", [8, 1, 1, 8], 6) == [["a"], ["b", "c"], ["d"]]
    assert parts.cut("abc", [1, 0, 0], 100) == [["a", "b", "c"]]
    assert parts.cut("", [], 5) == []
    assert len(parts.cut(list(range(1000)), [7] * 1000, 7)) == parts.MOST_PARTS


def test_tasks_give_their_results_in_order_and_say_things_in_order(capfd: pytest.CaptureFixture[str]) -> None:
    def task(number: int) -> int:
        os.write(2, f"task {number}\n".encode())
        return os.getpid() if number == 3 else number * number

    found = list(side_by_side([(str(each), lambda each=each: task(each)) for each in range(8)], 3))
    assert found[3] != os.getpid()
    assert [*found[:3], *found[4:]] == [0, 1, 4, 16, 25, 36, 49]
    assert capfd.readouterr().err.split() == " ".join(f"task {each}" for each in range(8)).split()


def test_what_a_task_raises_or_dies_of_is_raised_here() -> None:
    def refuses() -> None:
        raise Diagnostic("no such thing", file="a.cu", line=3, hint="leave it")

    def breaks() -> None:
        os.kill(os.getpid(), signal.SIGKILL)

    def ends() -> None:
        os._exit(7)

    with pytest.raises(Diagnostic, match="no such thing") as caught:
        list(side_by_side([("a", refuses)], 2))
    assert (caught.value.file, caught.value.line, caught.value.hint) == ("a.cu", 3, "leave it")
    with pytest.raises(Diagnostic, match="broke down on kernel b"):
        list(side_by_side([("kernel b", breaks)], 2))
    with pytest.raises(SystemExit) as ended:
        list(side_by_side([("c", ends)], 2))
    assert ended.value.code == 7
