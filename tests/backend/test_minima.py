# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Minima and maxima take -0 for less than +0, and a number rather than a NaN, by any instructions."""

from __future__ import annotations

import ctypes
import math
import struct
from collections.abc import Callable, Sequence
from itertools import product
from pathlib import Path

import pytest

from warploom.backend.minima import write_minima
from warploom.cpu import cpu_flags
from warploom.llvm.module import Module
from warploom.toolchain import find_toolchain, run_tool

FEATURES = {"sse2": "+sse2", "avx2": "+avx,+avx2", "avx512": "+avx,+avx2,+avx512f,+avx512vl,+avx512bw,+avx512dq"}
HEAD = """
target triple = "{triple}"
attributes #0 = {{ nounwind "target-features"="{features}" }}
"""
FUNCTION = """
define void @{name}(ptr %to, ptr %x, ptr %y) #0 {{
  %a = load {type}, ptr %x, align 4
  %b = load {type}, ptr %y, align 4
  {body}
  store {type} %r, ptr %to, align 4
  ret void
}}
declare {type} @llvm.{which}imumnum.{suffix}({type}, {type})
{declared}
"""
PLAIN = "%r = call {type} @llvm.{which}imumnum.{suffix}({type} %a, {type} %b)"
ZERO = "%r = call {type} @llvm.{which}imumnum.{suffix}({type} %a, {type} {zero})"
COMPUTED = """%c = fmul {type} %a, {two}
  %d = fmul {type} %b, {two}
  %r = call {type} @llvm.{which}imumnum.{suffix}({type} %c, {type} %d)"""
# A loop carries a number: what it begins with is one, and a number wins over NaN.
CARRIED = """br label %loop
loop:
  %m = phi {type} [ {worst}, %0 ], [ %r, %loop ]
  %given = phi {type} [ %b, %0 ], [ %a, %loop ]
  %more = phi i1 [ true, %0 ], [ false, %loop ]
  %r = call {type} @llvm.{which}imumnum.{suffix}({type} %m, {type} %given)
  br i1 %more, label %loop, label %end
end:"""
# %a in the first lane, %b in the last one, and between them what loses against any number.
REDUCED = """%some = shufflevector {type} %a, {type} {worst}, {places}
  %all = shufflevector {type} %some, {type} %b, {last}
  %one = call {element} @llvm.vector.reduce.f{which}.{suffix}({type} %all)
  %r = insertelement {type} %a, {element} %one, i32 0"""
toolchain = find_toolchain()


def numbers(bits: int) -> list[int]:
    """The words of numbers to try: zeros, denormals, ones, infinities, signalling and quiet NaNs, of both signs."""
    infinity, one, quiet = (0x7F800000, 0x3F800000, 1 << 22) if bits == 32 else (0x7FF << 52, 0x3FF << 52, 1 << 51)
    kinds = (0, 1, one, one + 5, infinity, infinity | 1, infinity | quiet)
    return [word | sign << (bits - 1) for word in kinds for sign in (0, 1)]


def best(which: str, a: float, b: float) -> float:
    """PTX's min and max."""
    if math.isnan(a) or math.isnan(b):
        return b if math.isnan(a) else a
    if a == b:
        return a if (math.copysign(1, a) < 0) == (which == "min") else b
    return min(a, b) if which == "min" else max(a, b)


def same(a: float, b: float, *, zeros: bool) -> bool:
    """Whether both are NaN, or the same number; `zeros`: with the same sign."""
    if math.isnan(a) or math.isnan(b):
        return math.isnan(a) and math.isnan(b)
    return a == b and (not zeros or math.copysign(1, a) == math.copysign(1, b))


def function_of(body: str, which: str, bits: int, lanes: int) -> str:
    """LLVM text of the function `{which}{bits}_{lanes}`, of vectors of `lanes` numbers; 0: of scalars."""
    element = "float" if bits == 32 else "double"
    constants = {"zero": "0.0", "two": "2.0", "worst": "0xFFF0000000000000" if which == "max" else "0x7FF0000000000000"}
    words = {"element": element, "which": which, "suffix": f"v{lanes}f{bits}" if lanes else f"f{bits}"}
    words["type"] = f"<{lanes} x {element}>" if lanes else element
    for name, value in constants.items():
        words[name] = f"splat ({element} {value})" if lanes else value
    first, last = [0, *range(lanes, 2 * lanes - 1)], [*range(lanes - 1), lanes]
    for name, places in (("places", first), ("last", last)):
        words[name] = f"<{lanes} x i32> <{', '.join(f'i32 {each}' for each in places)}>"
    declared = "declare {element} @llvm.vector.reduce.f{which}.{suffix}({type})" if body == REDUCED else ""
    name = f"{which}{bits}_{lanes}"
    return FUNCTION.format(name=name, body=body.format(**words), declared=declared.format(**words), **words)


def library(folder: Path, functions: Sequence[str], features: str, *, is_exact: bool) -> Path:
    """A library with `functions` as they are rewritten."""
    source, bitcode, after, made = (folder / name for name in ("t.ll", "t.bc", "after.bc", "f.so"))
    head = HEAD.format(triple=toolchain.target.triple, features=FEATURES[features])
    source.write_text(head + "\n".join(functions))
    done = run_tool([toolchain.clang, "-emit-llvm", "-c", "-O0", "-x", "ir", source, "-o", bitcode])
    assert done.returncode == 0, done.stderr
    module = Module(toolchain.llvm_library, bitcode)
    write_minima(module, module.target_machine(toolchain.target, 2), is_exact=is_exact)
    module.verify("minima")
    module.write_bitcode(after)
    module.write_text(folder / "after.ll")
    done = run_tool([toolchain.clang, *toolchain.link_flags, "-O2", "-shared", "-fPIC", after, "-o", made])
    assert done.returncode == 0, done.stderr
    return made


def results(function: Callable[..., object], bits: int, lanes: int, pairs: Sequence[tuple[int, ...]]) -> list[float]:
    """What the function makes of each pair of words, in the first lane."""
    to = ctypes.create_string_buffer(max(lanes, 1) * bits // 8)
    word, number = ("I", "f") if bits == 32 else ("Q", "d")
    found: list[float] = []
    for pair in pairs:
        function(to, *(struct.pack(f"<{word}", each) * max(lanes, 1) for each in pair))
        found.append(struct.unpack_from(f"<{number}", to.raw)[0])
    return found


@pytest.mark.parametrize("features", FEATURES)
@pytest.mark.parametrize("is_exact", [True, False], ids=["exact", "short"])
@pytest.mark.parametrize(
    "body", [PLAIN, ZERO, COMPUTED, CARRIED, REDUCED], ids="plain zero computed carried all".split()
)
def test_any_two_numbers(tmp_path: Path, body: str, features: str, is_exact: bool) -> None:
    """Exact with AVX-512, and where that is asked for; elsewhere either of two zeros may be the result."""
    if features == "avx512" and "avx512dq" not in cpu_flags():
        pytest.skip("this processor has no AVX-512")
    zeros = is_exact or features == "avx512" or body == ZERO
    shapes = [(32, 0), (32, 2), (32, 8), (32, 32), (64, 0), (64, 4), (64, 16)]
    cases = [
        (which, bits, lanes)
        for bits, lanes in shapes
        for which in (("min",) if body == ZERO else ("min", "max"))
        if lanes or body != REDUCED
    ]
    made = library(tmp_path, [function_of(body, *case) for case in cases], features, is_exact=is_exact)
    functions = ctypes.CDLL(str(made))
    for which, bits, lanes in cases:
        pairs = list(product(numbers(bits), repeat=2))
        word, number = ("I", "f") if bits == 32 else ("Q", "d")
        values = [struct.unpack(f"<2{number}", struct.pack(f"<2{word}", *pair)) for pair in pairs]
        found = results(getattr(functions, f"{which}{bits}_{lanes}"), bits, lanes, pairs)
        worst = -math.inf if which == "max" else math.inf
        for (a, b), result in zip(values, found, strict=True):
            expected = best(which, a, 0.0 if body == ZERO else b)
            if body == COMPUTED:
                expected *= 2
            if body == CARRIED or (body == REDUCED and lanes > 2):
                expected = best(which, expected, worst)
            assert same(result, expected, zeros=zeros), (which, bits, lanes, a, b, result)


@pytest.mark.parametrize(
    ("body", "features", "is_exact", "expected"),
    [
        (PLAIN, "avx512", False, ["range", "range", "range"]),
        (COMPUTED, "avx512", False, ["range"]),
        (CARRIED, "avx512", False, ["range", "range"]),
        (PLAIN, "avx2", False, ["llvm.maxnum"]),
        (CARRIED, "avx2", False, ["fcmp ogt", "select"]),
        (PLAIN, "avx2", True, ["llvm.maximumnum", "fsub", "icmp slt", "select", "fcmp uno", "select"]),
        (CARRIED, "avx2", True, ["llvm.maximumnum", "fsub", "icmp slt", "select"]),
    ],
)
def test_what_is_written(tmp_path: Path, body: str, features: str, is_exact: bool, expected: list[str]) -> None:
    library(tmp_path, [function_of(body, "max", 32, 8)], features, is_exact=is_exact)
    kinds = ("range", "llvm.maxnum", "llvm.maximumnum", "fsub", "fcmp ogt", "fcmp uno", "icmp slt", "select")
    lines = [line for line in (tmp_path / "after.ll").read_text().splitlines() if line.startswith("  %")]
    assert [kind for line in lines for kind in kinds if kind in line] == expected


@pytest.mark.parametrize("flags", ["nsz", "fast"])
def test_what_says_that_zeros_have_no_sign_is_left_to_llvm(tmp_path: Path, flags: str) -> None:
    library(tmp_path, [function_of(PLAIN.replace("call", f"call {flags}"), "max", 32, 8)], "avx512", is_exact=True)
    assert "llvm.maximumnum" in (tmp_path / "after.ll").read_text()
