# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""An integer beyond the range of half is infinite on the way through half, however few significant bits it has."""

from __future__ import annotations

import ctypes
import math
from pathlib import Path

import pytest

from warploom.backend.half_range import keep_half_range
from warploom.llvm.module import Module
from warploom.toolchain import find_toolchain, run_tool

# Writes the number shifted, made half on the way: directly, or by way of `{between}`.
THROUGH = """
define void @f(ptr %to, ptr %from) {{
  %x = load {type}, ptr %from
  %s = shl {type} %x, {shift}
  {route}
  %e = fpext {half} %h to {float}
  store {float} %e, ptr %to
  ret void
}}
"""
BY_FLOAT = "%w = {op} {type} %s to {float}\n  %h = fptrunc {float} %w to {half}"
DIRECTLY = "%h = {op} {type} %s to {half}"
toolchain = find_toolchain()


def through_half(folder: Path, route: str, op: str, bits: int, shift: int, lanes: int) -> list[float]:
    """`5 << shift`, of integers of so many bits, in each lane, after LLVM's optimisation."""
    words = {"type": f"i{bits}", "half": "half", "float": "float"}
    if lanes > 1:
        words = {key: f"<{lanes} x {word}>" for key, word in words.items()}
    amount = str(shift) if lanes == 1 else f"splat (i{bits} {shift})"
    text = THROUGH.format(route=route.format(op=op, **words), shift=amount, **words)
    source, bitcode, after, library = (folder / name for name in ("t.ll", "t.bc", "after.bc", "f.so"))
    source.write_text(text)
    done = run_tool([toolchain.clang, "-emit-llvm", "-c", "-O0", "-x", "ir", source, "-o", bitcode])
    assert done.returncode == 0, done.stderr
    module = Module(toolchain.llvm_library, bitcode)
    keep_half_range(module, module.by_opcode(module.functions()))
    module.verify("the range of half")
    module.write_bitcode(after)
    done = run_tool([toolchain.clang, *toolchain.link_flags, "-O2", "-shared", "-fPIC", after, "-o", library])
    assert done.returncode == 0, done.stderr
    given = ctypes.create_string_buffer((5).to_bytes(bits // 8, "little") * lanes, 64 * lanes)
    made = (ctypes.c_float * lanes)()
    ctypes.CDLL(str(library)).f(made, given)
    return list(made)


@pytest.mark.parametrize("lanes", [1, 4])
@pytest.mark.parametrize("op", ["sitofp", "uitofp"])
@pytest.mark.parametrize("route", [BY_FLOAT, DIRECTLY])
@pytest.mark.parametrize(("bits", "shift", "expected"), [(32, 12, 20480.0), (32, 24, math.inf), (64, 58, math.inf)])
def test_what_comes_out_of_half(
    tmp_path: Path, route: str, op: str, bits: int, shift: int, expected: float, lanes: int
) -> None:
    assert through_half(tmp_path, route, op, bits, shift, lanes) == [expected] * lanes


def text_after(folder: Path, text: str) -> str:
    """The module's text after the rewrite."""
    source, bitcode, after = folder / "t.ll", folder / "t.bc", folder / "after.ll"
    source.write_text(text)
    assert run_tool([toolchain.clang, "-emit-llvm", "-c", "-O0", "-x", "ir", source, "-o", bitcode]).returncode == 0
    module = Module(toolchain.llvm_library, bitcode)
    keep_half_range(module, module.by_opcode(module.functions()))
    module.write_text(after)
    return after.read_text()


def test_code_without_half_stays(tmp_path: Path) -> None:
    text = "define float @f(i32 %x) {\n  %y = sitofp i32 %x to float\n  ret float %y\n}\n"
    assert "arithmetic.fence" not in text_after(tmp_path, text)


def test_integers_of_16_bits_and_constants_stay(tmp_path: Path) -> None:
    text = """
define half @f(i16 %x) {
  %y = uitofp i16 %x to float
  %h = fptrunc float %y to half
  ret half %h
}
define half @g() {
  %h = sitofp i32 70000 to half
  ret half %h
}
"""
    assert "arithmetic.fence" not in text_after(tmp_path, text)
