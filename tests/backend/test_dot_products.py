# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Dot products become the instructions that a target has for them, and nothing else.

What they compute: tests/programs/dot_products.cu.
"""

from __future__ import annotations

from pathlib import Path

import pytest

from warploom.backend.dot_products import definitions
from warploom.cli.warpcc import main
from warploom.cpu import CPU_FEATURES, default_cpu, march_flags
from warploom.ir.dot_products import dot_product
from warploom.toolchain import find_toolchain, run_tool

PAIRS = ("ss", "su", "us", "uu")


def assembly(name: str, cpu: str, folder: Path) -> str:
    """The instructions of one function on x86-64."""
    dot = dot_product(name)
    assert dot is not None
    source = folder / "dot.ll"
    attributes = f'"target-features"="{CPU_FEATURES[cpu]}" "prefer-vector-width"="512" "min-legal-vector-width"="512"'
    source.write_text('target triple = "x86_64-unknown-linux-gnu"\n' + definitions({name: dot}, "x86_64", attributes))
    done = run_tool([find_toolchain().clang, "-O2", "-S", *march_flags(cpu), "-x", "ir", source, "-o", "-"])
    assert done.returncode == 0, done.stderr
    return "\n".join(line for line in done.stdout.splitlines() if line.startswith("\t") and "\t." not in line)


@pytest.mark.parametrize("pair", PAIRS)
def test_with_vnni_one_instruction_multiplies(pair: str, tmp_path: Path) -> None:
    text = assembly(f"__warploom_v16_dot4_{pair}", "x86-64-v4+avx512vnni", tmp_path)
    # Factors of one kind need a second sum, of one factor.
    assert text.count("vpdpbusd") == (2 if pair in ("ss", "uu") else 1)
    assert "zmm" in text
    assert "mul" not in text
    assert "pmadd" not in text


def test_avx_vnni_has_registers_of_256_bits(tmp_path: Path) -> None:
    text = assembly("__warploom_v16_dot4_us", "x86-64-v3+avxvnni", tmp_path)
    assert text.count("vpdpbusd") == 2
    assert "zmm" not in text


@pytest.mark.parametrize(("cpu", "count"), [("x86-64-v4", 2), ("x86-64-v3", 4), ("x86-64-v2", 8)])
@pytest.mark.parametrize("pair", PAIRS)
def test_without_vnni_pairs_are_multiplied_in_16_bits(pair: str, cpu: str, count: int, tmp_path: Path) -> None:
    text = assembly(f"__warploom_v16_dot4_{pair}", cpu, tmp_path)
    assert text.count("pmaddwd") == count
    assert "pdpbusd" not in text
    assert "pmaddubsw" not in text  # saturates
    assert "pmul" not in text


def test_halfwords_are_multiplied_in_pairs(tmp_path: Path) -> None:
    text = assembly("__warploom_v8_dot2_ss", "x86-64-v3", tmp_path)
    assert text.count("pmaddwd") == 1


def test_a_single_product_takes_the_smallest_register(tmp_path: Path) -> None:
    text = assembly("__warploom_dot4_us", "x86-64-v4+avx512vnni", tmp_path)
    assert text.count("vpdpbusd") == 1
    assert "ymm" not in text
    assert "zmm" not in text


BF16 = "x86-64-v4+avx512vnni+avx512bf16"


def test_bfloat16_have_an_instruction_for_whole_vectors(tmp_path: Path) -> None:
    text = assembly("__warploom_v32_dot2_bf16", BF16, tmp_path)
    assert text.count("vdpbf16ps") == 2
    assert "zmm" in text
    assert "fmadd" not in text


@pytest.mark.parametrize(("lanes", "cpu"), [("v16_", "x86-64-v4+avx512vnni"), ("v8_", "x86-64-v3"), ("", BF16)])
def test_else_bfloat16_are_multiplied_as_floats(lanes: str, cpu: str, tmp_path: Path) -> None:
    text = assembly(f"__warploom_{lanes}dot2_bf16", cpu, tmp_path)
    assert text.count("fmadd") == 2
    assert "vdpbf16ps" not in text


PRODUCTS = r"""
#include <cstdio>
__global__ void multiply(const unsigned *in, unsigned *out) {
  const unsigned *const r = in + (blockIdx.x * 32 + threadIdx.x) * 10;
  float d[4];
  asm("mma.sync.aligned.m16n8k16.row.col.f32.bf16.bf16.f32 {%0, %1, %2, %3}, {%4, %5, %6, %7}, {%8, %9},"
      " {%10, %11, %12, %13};" : "=f"(d[0]), "=f"(d[1]), "=f"(d[2]), "=f"(d[3])
      : "r"(r[0]), "r"(r[1]), "r"(r[2]), "r"(r[3]), "r"(r[4]), "r"(r[5]), "f"(__uint_as_float(r[6])),
        "f"(__uint_as_float(r[7])), "f"(__uint_as_float(r[8])), "f"(__uint_as_float(r[9])));
  for (int i = 0; i < 4; ++i) out[(blockIdx.x * 32 + threadIdx.x) * 4 + i] = __float_as_uint(d[i]);
}
int main() {
  constexpr int products = 600;
  unsigned *in, *out, random = 1;
  cudaMallocManaged(&in, products * 320 * 4);
  cudaMallocManaged(&out, products * 128 * 4);
  const auto bits = [&] { random = random * 1664525 + 1013904223; return random >> 8; };
  for (int i = 0; i < products * 320; ++i) {
    // Exponents that go from denormals to far above, some zeros. Sums of which nothing larger hides the end.
    const unsigned exponent = i / 320 / 4;
    const auto half = [&] { return bits() % 9 == 0 ? 0 : (bits() & 0x807f) | (exponent + bits() % 3) << 7; };
    in[i] = i % 10 < 6 ? half() << 16 | half() : bits() % 2 ? 0 : (bits() % 250 << 23 | bits() % 0x800000);
  }
  multiply<<<products, 32>>>(in, out);
  cudaDeviceSynchronize();
  for (int i = 0; i < products * 128; ++i) {
    if ((out[i] & 0x7fffffff) > 0x7f800000) out[i] = 0x7fffffff;
    if (i % 128 == 0) printf("\n");
    printf("%08x ", out[i]);
  }
}
"""


@pytest.mark.skipif(default_cpu() != BF16, reason="this processor has no vdpbf16ps")
def test_products_of_bfloat16_are_the_same_with_and_without_the_instruction(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "products.cu").write_text(PRODUCTS)
    printed: list[str] = []
    for cpu in (BF16, "x86-64-v4+avx512vnni"):
        assert main(["--engine=loom", f"--cpu={cpu}", "-arch=sm_80", "products.cu", "-o", "products"]) == 0
        printed.append(run_tool([tmp_path / "products"]).stdout)
    assert len(set(printed[0].split())) > 10000
    assert printed[0] == printed[1]


def test_aarch64_has_sdot_for_signed_bytes() -> None:
    dot = dot_product("__warploom_v4_dot4_ss")
    assert dot is not None
    text = definitions({"f": dot}, "aarch64-linux-gnu", '"target-features"="+neon,+dotprod"')
    assert "llvm.aarch64.neon.sdot" in text
    assert "llvm." not in definitions({"f": dot}, "aarch64-linux-gnu", '"target-features"="+neon"')


KERNEL = """
__global__ void dot(const int *a, const int *b, int *c) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  c[i] = __dp4a(a[i], b[i], c[i]);
}
"""


@pytest.mark.parametrize(
    ("cpu", "intrinsic"),
    [("x86-64-v4+avx512vnni", "llvm.x86.avx512.vpdpbusd.512"), ("x86-64-v3", "llvm.x86.avx2.pmadd.wd")],
)
def test_neighbouring_threads_share_an_instruction(
    cpu: str, intrinsic: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "dot.cu").write_text(KERNEL)
    assert main(["-c", "--engine=loom", "--keep", f"--cpu={cpu}", "dot.cu", "-o", "dot.o"]) == 0
    (text,) = (path.read_text() for path in tmp_path.rglob("*.ll"))
    assert f"@{intrinsic}(" in text
    assert "__warploom_dot" not in text  # inlined, all of them
    assert ("vpdpbusd" in text) == ("vnni" in cpu)
