# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Dot products of bytes become the instructions that a target has for them, and nothing else.

What they compute: tests/programs/dot_products.cu.
"""

from __future__ import annotations

from pathlib import Path

import pytest

from warploom.backend.dot_products import definitions
from warploom.cli.warpcc import main
from warploom.cpu import CPU_FEATURES, march_flags
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
