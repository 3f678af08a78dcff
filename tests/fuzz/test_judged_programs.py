# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Judged kernels: what the judge makes of a tree, and that every kind compiles and agrees with it."""

from __future__ import annotations

import random
import re
from pathlib import Path

import pytest

from warploom.cli import main
from warploom.fuzz.expressions import BOOL, Level, Scope, Variable
from warploom.fuzz.generate import JUDGED, KINDS, kernel, program
from warploom.fuzz.judge import INPUTS, Machine, checksum, expected_lines, inputs, mixed, sums, wrapped
from warploom.fuzz.kinds.privates import records
from warploom.fuzz.kinds.rounding import HELPERS
from warploom.fuzz.text import program_parts, program_text
from warploom.fuzz.tree import Expr, Kernel, Launch, Stmt
from warploom.fuzz.weave import Weaver, assigning, branching, jumping, looping
from warploom.fuzz.words import constant, division, named, of, shift, truth, word

LAUNCH = Launch((2, 1, 1), (40, 1, 1), True, 5, 0, 0.0)


def machine() -> Machine:
    return Machine(Kernel("k", [], [], [LAUNCH]), LAUNCH)


def value_in(thread: int, expr: Expr) -> int:
    return machine().value(expr, [thread])[0]


def test_numbers_stay_in_the_range_of_their_type() -> None:
    assert [wrapped("u8", 257), wrapped("i16", 40000), wrapped("u64", -1), wrapped("i32", 1 << 31)] == [
        1,
        40000 - 65536,
        (1 << 64) - 1,
        -(1 << 31),
    ]


def test_threads_know_their_numbers() -> None:
    assert [value_in(75, named(name, "u32")) for name in ("gid", "tid", "block", "lane", "warp", "n")] == [
        75,
        35,
        1,
        3,
        1,
        5,
    ]
    shape = Launch((1, 1, 1), (5, 3, 2), True, 0, 0, 0.0)
    names = Machine(Kernel("k", [], [], [shape]), shape).names
    assert [names[name][22] for name in ("threadIdx.x", "threadIdx.y", "threadIdx.z")] == [2, 1, 1]


def test_operators_are_those_of_c() -> None:
    assert value_in(0, division("i32", constant("i32", -7), 2, quotient=True)) == -3
    assert value_in(0, division("i32", constant("i32", -7), 2, quotient=False)) == -1
    assert value_in(0, shift("i32", constant("i32", -8), constant("u32", 33), right=True)) == -4
    assert value_in(0, shift("u8", constant("u8", 255), constant("u32", 9), right=False)) == 254
    assert value_in(3, of("u32", ["(", named("tid", "u32"), " - 5u)"], lambda x: x - 5)) == (1 << 32) - 2


def test_a_condition_divides_threads_and_loops_end_when_each_likes() -> None:
    made = machine()
    lane = named("tid", "u32")
    add = Stmt(["s = s + 1u;"], assigning("s"))
    add.parts.insert(0, of("u32", [named("s", "u32")], lambda s: s + 1))
    made.assign("s", list(range(80)), [0] * 80)
    odd = Expr(BOOL, ["(", lane, " & 1u)"], lambda _machine, _thread, values: values[0] & 1)
    skip = Stmt(["if (", odd, ") continue;"], jumping(stays=True))
    loop = Stmt(["for (u32 c = 0; c < u32(", lane, ") % 5u; ++c) {", [skip, add], "}"], looping("c", 5, down=False))
    assert made.run([loop], list(range(80))) == list(range(80))
    assert made.names["s"][:8] == [0, 0, 2, 0, 4, 0, 1, 0]
    branch = Stmt(["if (", odd, ") {", [add], "}"], branching)
    made.run([branch], [1, 2, 3])
    assert made.names["s"][:4] == [0, 1, 2, 1]


def test_checksums_are_those_of_the_program() -> None:
    # By hand from launches.cuh, for one word.
    total = (0xCBF29CE484222325 ^ 5) * 0x9E3779B97F4A7C15 % 2**64
    assert checksum([5]) == total ^ total >> 31
    assert mixed(1, 2) == 3 * 0x9E3779B97F4A7C15 % 2**64
    assert (len(inputs()), inputs()[0]) == (INPUTS, wrapped("i32", (12345 * 1664525 + 1013904223) % 2**32 >> 3))


def test_what_a_level_agrees_on_is_equal_in_its_threads() -> None:
    rng = random.Random(4)
    variables = [Variable("u", "u32", Level.BLOCK), Variable("v", "u32", Level.THREAD)]
    scope, made = Scope(rng, variables), machine()
    made.assign("u", list(range(80)), [7] * 40 + [9] * 40)
    made.assign("v", list(range(80)), list(range(80)))
    for _ in range(100):
        for make in (word(scope, "i64", Level.BLOCK, 3), truth(scope, Level.BLOCK)):
            values = made.value(make, list(range(80)))
            assert len(set(values[:40])) == len(set(values[40:])) == 1


def test_members_are_given_words_that_wrap_at_32_bits() -> None:
    rng = random.Random(1)  # with members of 64 bits behind the first one
    names = [Variable("tid", "u32", Level.THREAD)]
    stmt = records(Weaver(Scope(rng, names), [], left=4), Level.BLOCK)
    fill = re.findall(r"one_2\.\S+ = (\w\d+)\(x \+ (\d+)u\);", "".join(map(str, stmt.parts)))
    assert "u64" in [type_ for type_, _ in fill[1:]]
    numbers = iter((2**32 - 1, 0, 0, 0))
    stmt.parts = [constant("u32", next(numbers)) if isinstance(part, Expr) else part for part in stmt.parts]
    made = machine()
    before = made.names["seen"][0]
    assert stmt.action
    assert stmt.action(made, [0], stmt) == [0]
    cells = [wrapped(type_, int(order) - 1 if int(order) else 2**32 - 1) for type_, order in fill]
    total = sum((2 * order + 1) * cell for order, cell in enumerate(cells))
    assert made.names["seen"][0] == mixed(before, wrapped("u64", total))


def test_all_nans_are_one_number_where_bits_are_compared(tmp_path: Path, capfd: pytest.CaptureFixture[str]) -> None:
    checks = ("raw(-f) == raw(f)", "raw(-f64(f)) == raw(f64(f))", "raw(-0.0f) != raw(0.0f)", "raw(1.0) != raw(2.0)")
    source = tmp_path / "nan.cu"
    source.write_text(
        "#include <cmath>\n#include <cstdio>\n"
        "typedef unsigned u32; typedef unsigned long long u64; typedef float f32; typedef double f64;"
        f"{HELPERS}\n__global__ void k(f32 f) {{ const u32 x[] = {{{', '.join(checks)}}}; "
        'printf("%u %u %u %u\\n", x[0], x[1], x[2], x[3]); }\n'
        "int main() { k<<<1, 1>>>(NAN); return cudaDeviceSynchronize(); }\n"
    )
    assert main.main(["run", "--engine=reference", "-Xptxas=-O0", str(source)]) == 0
    assert capfd.readouterr().out == "1 1 1 1\n"


def test_the_reducer_may_put_constants_and_operands_in_place_of_expressions() -> None:
    made = program(3, 0, 1, "warps")
    before = expected_lines(made)
    assert before == expected_lines(program(3, 0, 1, "warps"))
    made.kernels[0].body = made.kernels[0].body[-1:]
    assert expected_lines(made) != before


@pytest.mark.parametrize("kind", [*JUDGED])
def test_a_number_names_a_kernel(kind: str) -> None:
    one, same, other = kernel(5, 3, kind), program(5, 0, 4, kind).kernels[3], kernel(6, 3, kind)
    assert program_text(type(program(5, 0, 0, kind))([one])) == program_text(type(program(5, 0, 0, kind))([same]))
    assert one.judged
    assert [sums(one, each) for each in one.launches] != [sums(other, each) for each in other.launches]


def test_the_text_of_every_pattern_occurs() -> None:
    text = {kind: program_text(program(1, 0, 60, kind)) for kind in JUDGED}
    for kind, needles in FORMS.items():
        assert [needle for needle in needles if needle not in text[kind]] == [], kind


FORMS = {
    "warps": (
        "__shfl_xor_sync(0xffffffffu", "__syncwarp(0xffffffffu)", "__ballot_sync(m", "tiled_partition<1>",
        "tiled_partition<16>", "coalesced_threads()", "__activemask()", "tile.sync()", "exclusive_scan", "case 2:",
        " * 5u + r_",
    ),
    "waits": (
        "clock64()", "goto again", "wait_until(", "waited(", "atomicCAS(counters", "1ull << 50", "__nanosleep(20)",
        "cudaStreamNonBlocking", "_signal<<<", "counters + 126", "return; }",
        "arrive_and_wait()", "(std::move(", " + block - 1u)", "< block;", "__syncthreads(); if (tid == threads - 1u)",
    ),
    "privates": ("memset(b", "memcpy(&got", "alignas(32)", "__attribute__((packed))", "changed(", "[16384]", "[1] "),
    "aliases": ("put_words((Parts *)", "(*(const uint2 *)", "*(const f64 *)", "shifted[i", "((u64 *)alias_words)"),
    "tails": ("fold<32>(tail_words", "h >>= 1) if (tid < h)", "if (tid < 16u) words[tid]"),
    "indices": ("unknown_one", "-i64(gid)", "4294967290u", "i64 i", "2147483648ll"),
    "calls": ("new Round(size)", "folded(", "even_steps(", "paths(", "steps[", "auto next", "new u32[threads]"),
    "sequences": (
        "cudaStreamBeginCapture", "cudaMemset2DAsync", "cudaMemcpy2DAsync", "cudaMemcpyToSymbolAsync", "__constant__",
        "cudaStreamWaitEvent", "cudaMemcpyDeviceToHost", "turned[",
    ),
    "huge": ("<<<4194304, 1024",),
    "contracted": ("+ unequal(mine[1]", "waiting[tid + 8u]", "sin(", "f64 t"),
    "fast": ("exp(",),
    "lanes": (
        "__shfl_up_sync(0xffffffffu", "__shfl_sync(0xaaaaaaaau", "__shfl_xor_sync(0xffff", "tiled_partition<32>",
        "plus<u64>()", "tile.shfl_down(", "__all_sync(", "+ 31u) / 32u ?",
    ),
}  # fmt: skip


def test_programs_for_nvcc_come_with_what_they_must_print(tmp_path: Path) -> None:
    assert main.main(["fuzz", "--kind=all", f"--kernels={len(KINDS) - 2}", "--per-file=1", f"--nvcc={tmp_path}"]) == 0
    names = {path.name for path in tmp_path.iterdir()}
    assert {"run.sh", "data-1-0.cu", "data-1-0.flags", "warps-1-3.cu", "warps-1-3.expected"} <= names
    assert "data-1-0.expected" not in names
    line = (tmp_path / "warps-1-3.expected").read_text().splitlines()[0]
    assert line.startswith("k3 0 ")
    assert (tmp_path / "fast-1-11.flags").read_text() == "-use_fast_math -w\n"


@pytest.mark.parametrize("kind", ["privates", "aliases", "indices", "calls", "sequences", "contracted", "lanes"])
def test_the_engines_agree_with_the_judge(kind: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    words = ["--kernels=4", "--seed=7", f"--kind={kind}", "--engines", "--quick", "--reduce-time=0"]
    status = main.main(["fuzz", *words, f"--output={tmp_path}"])
    assert status == 0, capsys.readouterr().out


def test_a_program_comes_apart_for_separate_compilation() -> None:
    first, second = program_parts(program(5, 0, 3, "indices"))
    assert "void k0(" in first
    assert "void k1(" not in first
    assert re.search(r"__global__ void k0\([^{]*\);", second)
    assert re.search(r"__global__ void k1\([^;]*\) {", second)
    assert "k0<<<" in second
    assert program_parts(program(5, 0, 3, "data")) == ()


def test_weavers_write_within_their_budget() -> None:
    scope = Scope(random.Random(3), [Variable("v", "u32", Level.THREAD)])
    weaver = Weaver(scope, [], left=4)
    assert len(weaver.body(Level.THREAD, 0, 3)) == 3
