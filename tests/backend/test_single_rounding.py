# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Conversions of 64-bit integers to float by way of double round once; all others stay as they are."""

from __future__ import annotations

import ctypes
from pathlib import Path

import numpy as np
import pytest

from warploom.backend.single_rounding import round_once
from warploom.llvm.module import Module
from warploom.toolchain import find_toolchain, run_tool

CONVERSION = """
define void @f(ptr %to, ptr %from) {{
  %x = load {type}, ptr %from
  %y = {op} {type} %x to {result}
  store {result} %y, ptr %to
  ret void
}}
"""
OPS = {"i": "sitofp", "u": "uitofp"}
toolchain = find_toolchain()


def rewritten(folder: Path, text: str) -> tuple[Module, str]:
    """The module after the rewrite, and its text."""
    source, bitcode, after = folder / "t.ll", folder / "t.bc", folder / "after.ll"
    source.write_text(text)
    done = run_tool([toolchain.clang, "-emit-llvm", "-c", "-O0", "-x", "ir", source, "-o", bitcode])
    assert done.returncode == 0, done.stderr
    module = Module(toolchain.llvm_library, bitcode)
    round_once(module)
    module.verify("rounding once")
    module.write_text(after)
    return module, after.read_text()


def numbers() -> list[int]:
    """What a double holds, what lies between two floats or beside it, and the ends."""
    rng = np.random.default_rng(11)
    found = [0, 1, 2047, 2048, (1 << 53) - 1, 1 << 53, (1 << 53) + 1, (1 << 63) - 1, 1 << 63, (1 << 64) - 1]
    for bit in range(24, 64):
        half = 1 << bit - 24
        found += [(1 << bit) + half * odd + near for odd in (1, 3) for near in (-2, -1, 0, 1, 2)]
    found += map(int, rng.integers(0, 1 << 64, 2000, dtype=np.uint64, endpoint=False))
    return found


@pytest.mark.parametrize("sign", OPS)
def test_the_nearest_float(sign: str, tmp_path: Path) -> None:
    module, text = rewritten(tmp_path, CONVERSION.format(type="i64", op=OPS[sign], result="float"))
    assert "to float" not in text.partition("define void @f")[2].partition("}")[0]
    bitcode, library = tmp_path / "after.bc", tmp_path / "f.so"
    module.write_bitcode(bitcode)
    done = run_tool([toolchain.clang, *toolchain.link_flags, "-O2", "-shared", "-fPIC", bitcode, "-o", library])
    assert done.returncode == 0, done.stderr
    values = np.array(numbers(), dtype=np.uint64).astype(f"{sign}8")
    floats = np.empty(len(values), np.float32)
    convert = ctypes.CDLL(str(library)).f
    for at in range(len(values)):
        convert(ctypes.c_void_p(floats.ctypes.data + 4 * at), ctypes.c_void_p(values.ctypes.data + 8 * at))
    exact = values.astype(np.longdouble)  # of 64 bits, or more
    assert np.array_equal(floats, exact.astype(np.float32))
    assert not np.array_equal(floats, values.astype(np.float64).astype(np.float32))


@pytest.mark.parametrize(("type_", "result"), [("i32", "float"), ("i64", "double"), ("<2 x i64>", "<2 x float>")])
def test_other_conversions_stay(type_: str, result: str, tmp_path: Path) -> None:
    _, text = rewritten(tmp_path, CONVERSION.format(type=type_, op="uitofp", result=result))
    assert f"uitofp {type_} %x to {result}" in text
    assert "warploom.float" not in text
