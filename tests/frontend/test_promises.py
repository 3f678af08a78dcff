# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What clang promises LLVM: none is left that nvcc does not hold programs to, and none that nobody has looked at."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from warploom.backend.prepare import mean_what_cuda_means
from warploom.frontend import promises
from warploom.frontend.device_module import read_device_module
from warploom.frontend.passes import SourceOptions, device_command
from warploom.llvm.module import Module
from warploom.toolchain import find_toolchain, run_tool

SOURCE = """
#include <cooperative_groups.h>
#include <cuda_fp16.h>
struct Base { int a; __device__ virtual int get() const { return this ? a : 1; } };
struct Derived : Base { bool on; float part[40]; __device__ int get() const override { return on ? a : 2; } };
struct Closed { int v; __device__ ~Closed(); };
__device__ int bound(const int &r, Derived &d) { return &r ? d.get() : r; }
__device__ int falls(int x) { if (x) return 3; }
__device__ Closed closed(int x, int *o) { *o = 1; if (x) return Closed{x}; }
__device__ float *chosen(int x, float *p) { switch (x) { case 1: return p; case 2: __builtin_unreachable(); } }
__device__ bool stored[4];
__device__ Derived whole(Derived d) { d.a++; return d; }
__global__ void kernel(int *__restrict__ p, const float *q, bool *flags, Derived d, Derived *many, __half *h,
                       long long n) {
  stored[threadIdx.x] = flags[0] && flags[1];
  p[0] = bound(p[1], d) + falls(p[2]) + closed(p[3], p).v + (chosen(p[4], nullptr) != nullptr);
  while (p[5] != 1) p[5] /= p[6];
  many[1] = whole(many[0]);
  h[0] = __hadd(h[1], __float2half(*reinterpret_cast<const float *>(p + 7)));
  for (int i = 0; i < n; ++i) p[i] = abs(p[i]) << p[i + 1];
  auto tile = cooperative_groups::tiled_partition<8>(cooperative_groups::this_thread_block());
  p[8] = tile.shfl(static_cast<int>(q[0]), 3);
  h[2] = __float2half(fminf(q[1] + 0.f, fmaxf(q[2], min(q[3], 1.f))) + float(fmax(1. / (q[4] + 0.), q[5])));
}
"""
_NUMBERED = re.compile(r"^attributes #\d+ = \{(.*)\}$", re.MULTILINE)
_WORDS = re.compile(r'"[^"]*"(?:="[^"]*")?|[a-z_]+(?:\([^()]*(?:\([^()]*\))?[^()]*\))?')
_PARAMETER = re.compile(
    r"(?:ptr|i\d+|float|double|half|%[\w.]+|\}|\]|>)((?: [a-z_]+(?:\([^()]*\))?)+) (?:%|@|null|undef|poison|-?\d)"
)


@pytest.fixture(scope="module")
def text(tmp_path_factory: pytest.TempPathFactory) -> str:
    """The module as optimisation finds it."""
    folder = tmp_path_factory.mktemp("promises")
    toolchain = find_toolchain()
    source, bitcode, printed = folder / "t.cu", folder / "t.bc", folder / "t.ll"
    source.write_text(SOURCE)
    result = run_tool(device_command(toolchain, source, bitcode, SourceOptions(unique_id="t")))
    assert result.returncode == 0, result.stderr
    module = Module(toolchain.llvm_library, bitcode)
    mean_what_cuda_means(read_device_module(module, separate=False), toolchain)
    module.verify("what is taken back")
    module.write_text(printed)
    return printed.read_text()


def names_of(table: dict[str, str]) -> set[str]:
    return {name for names in table for name in names.split()}


def test_no_promise_is_left_that_nvcc_does_not_make(text: str) -> None:
    for promise in (
        "nonnull", "dereferenceable", "mustprogress", "!tbaa", "!range", "!noundef", "!nonnull", "trunc i8", " = sdiv ",
        "call void @llvm.ubsantrap", " nsz ", " nnan ", " ninf ", " reassoc ", " arcp ",
    ):  # fmt: skip
        assert promise not in text, promise


def test_what_is_always_a_value_is_said_to_be_one(text: str) -> None:
    (kernel,) = re.findall(r"define .*@_Z6kernel\w+\((.*)\)", text)
    assert all("noundef" in each for each in kernel.split(", ")), kernel
    assert re.search(r"declare (!dbg !\d+ )?noundef i32 @__warploom_thread_idx_x", text)
    others = [line for line in text.splitlines() if line.startswith("define") and "@_Z6kernel" not in line]
    assert others
    assert not any("noundef" in line for line in others)


def test_every_function_takes_null_for_an_address(text: str) -> None:
    groups = dict(re.findall(r"^attributes (#\d+) = \{(.*)\}$", text, re.MULTILINE))
    for group in re.findall(r"^define .*\) (#\d+)", text, re.MULTILINE):
        assert "null_pointer_is_valid" in groups[group]


def test_the_tables_name_every_promise(text: str) -> None:
    known = names_of(promises.KEPT) | names_of(promises.TRANSLATED) | names_of(promises.GIVEN_AT_READING)
    known |= set(promises.ABI_ATTRIBUTES) | set(promises.KEPT_OF_KERNELS)
    found = {
        re.split(r"[=(]", word)[0].strip('"') for group in _NUMBERED.findall(text) for word in _WORDS.findall(group)
    }
    found |= {
        re.sub(r"\(.*", "", word) for line in text.splitlines() if line.startswith(("define", "declare"))
        for words in _PARAMETER.findall(line) for word in words.split()
    }  # fmt: skip
    assert found - known == set()
    metadata = set(re.findall(r", (![a-z_.]+) !", text)) - {"!dbg"}
    assert metadata - known == set()


def test_every_flag_of_the_device_pass_is_one_that_clang_knows(tmp_path: Path) -> None:
    source = tmp_path / "t.cpp"
    source.write_text("int x;\n")
    toolchain = find_toolchain()
    result = run_tool([str(toolchain.clang), "-Werror", *promises.device_flags(), "-c", source, "-o", tmp_path / "t.o"])
    assert result.returncode == 0, result.stderr
