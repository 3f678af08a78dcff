# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The LLVM text of loops over threads: those that wait, what is shared between grids, and what LLVM is told of each."""

from __future__ import annotations

import ctypes
import re
import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest
from loom_text_harness import (
    BLOCK,
    GRID,
    emit,
    function,
    launch,
    per_thread,
    words,
)

from warploom.backend import loom_blocks
from warploom.backend.llvm_passes import HAS_VECTORS
from warploom.core.kernel_facts import KernelFacts
from warploom.ir.core import walk
from warploom.llvm.codes import UNOPTIMISED
from warploom.toolchain import find_toolchain


def test_who_may_ask_for_the_thread_is_told(load: Callable[..., ctypes.CDLL]) -> None:
    library = load(emit(per_thread('call %g [callee="watch", effects=any]')))
    _, pointer = words(1)
    launch(library, (1, 1, 1), (4, 1, 1), pointer)
    assert ctypes.c_uint.in_dll(library, "watched").value == 123


def test_a_loop_that_waits_gives_others_their_turn(load: Callable[..., ctypes.CDLL]) -> None:
    code = """
    while { ()
      %v: i32 = load %at [align=4, volatile=true]
      %c: i1 = icmp %v, 2:i32 [pred=slt]
      condition %c
    } { ()
      %u: i32 = load %at [align=4]
      %x: i32 = add %u, 1:i32
      store %x, %at [align=4]
      yield
    }
    """
    library = load(emit(per_thread(code)))
    _, pointer = words(4)
    launch(library, (1, 1, 1), (4, 1, 1), pointer)
    assert ctypes.c_uint.in_dll(library, "log_spins").value == 12
    assert ctypes.c_uint.in_dll(library, "log_flags").value == 2, "one block at a time"


WAIT_FOR_NEXT = """
%after: ptr = gep %at [offset=4, strides=(), inbounds=true]
while { ()
  %v: i32 = load %after [align=4, volatile=true]
  %c: i1 = icmp %v, 0:i32 [pred=eq]
  condition %c
} { () yield }
%l: i32 = load %after [align=4]
%x: i32 = add %l, %t
store %x, %at [align=4]
"""


def test_iterations_that_may_wait_are_called_one_by_one(load: Callable[..., ctypes.CDLL]) -> None:
    """The stand-in runs them from the last to the first, so that each finds what the next one has stored."""
    waiting = per_thread(WAIT_FOR_NEXT)
    waiting.facts = KernelFacts(waits=True)
    library = load(emit(waiting, debug=True))
    data, pointer = words(25)
    data[24] = 100
    launch(library, (1, 1, 1), (4, 3, 2), pointer)
    assert list(data) == [100 + sum(range(n, 24)) for n in range(25)]
    assert ctypes.c_uint.in_dll(library, "log_flags").value == 2, "one block at a time"


def test_warps_and_lanes_that_may_wait_are_called_as_well(load: Callable[..., ctypes.CDLL]) -> None:
    code = f"""{GRID}
    %s: ptr = scratch [size=4, align=4, level=block]
    warp 2:i32 {{ (%w: i32)
      %base: i32 = mul %w, 32:i32
      lane 32:i32 {{ (%lane: i32)
        %t: i32 = add %base, %lane
        %i: i64 = sext %t
        %at: ptr = gep %p, %i [offset=0, strides=(4), inbounds=true]
        {WAIT_FOR_NEXT}
        call %x [callee="watch", effects="any"]
        yield
      }}
      yield
    }}
    yield }}"""
    waiting = function("%p: ptr", code, "[waits=true]")
    library = load(emit(waiting))
    data, pointer = words(65)
    data[64] = 7
    launch(library, (1, 1, 1), (64, 1, 1), pointer)
    assert data[0] == 7 + sum(range(64))
    assert ctypes.c_uint.in_dll(library, "log_thread").value == 0


@pytest.mark.parametrize(("grids", "flags"), [(1, 0), (2, 1)])
def test_shared_memory_outlives_a_grid_that_another_follows(
    load: Callable[..., ctypes.CDLL], grids: int, flags: int
) -> None:
    one = f"{GRID} {BLOCK} store %tx, @S:ptr [align=4] yield }} yield }}"
    body = "shared @S [size=4, align=4]\n" + one * grids
    library = load(emit(function("", body)), "unsigned S;")
    launch(library, (1, 1, 1), (4, 1, 1))
    assert ctypes.c_uint.in_dll(library, "log_flags").value == flags


@pytest.mark.parametrize(
    ("op", "wanted"),
    [
        ("%x: float = fadd 1.5:float, 2.5:float [flags=(contract, nnan)]", "fadd contract nnan float 0x3FF8"),
        ("%x: i32 = add %g, 1:i32 [flags=(nuw, nsw)]", "add nuw nsw i32"),
        ("%x: i1 = fcmp 1.0:double, 2.0:double [pred=olt, flags=(fast)]", "fcmp fast olt double 0x3FF0000000000000,"),
        ("%x: i64 = zext %g [flags=(nneg)]", "zext nneg i32"),
        ("%x: float = uitofp %g [flags=(nneg, contract)]", "uitofp contract nneg i32"),
        ("%x: half = fneg 1.0:half", "fneg half 0xH3C00"),
        ("%x: float = fadd 0x7FA00001:float, 0.1:float", "0x7FF4000020000000, 0x3FB99999A0000000"),
        ("%x: <2 x float> = shufflevector undef:<4 x float>, undef:<4 x float> [mask=(1, -1)]",
         "undef, <2 x i32> <i32 1, i32 poison>"),
        ("%x: i32 = extractvalue `{ i32 1, i32 2 }`:{ i32, i32 } [path=(1)]", "{ i32, i32 } { i32 1, i32 2 }, 1"),
        ('%x: i32 = load %at [align=8, ordering="acquire"]', "load atomic i32, ptr %at."),
        ('store %g, %at [align=4, volatile=true]', "store volatile i32 "),
        ('%x: { i32, i1 } = cmpxchg %at, %g, 1:i32 [ordering="seq_cst", failure="monotonic", align=4, weak=true]',
         "cmpxchg weak ptr"),
        ('fence [ordering="seq_cst", scope="singlethread"]', 'fence syncscope("singlethread") seq_cst'),
        ("memcpy %at, %p, 16:i64 [align_to=4, align_from=8]", "@llvm.memcpy.p0.p0.i64(ptr align 4 %at"),
        ('%x: i32 = asm %g [text="nop \\"", constraints="=r,r", effects=none]', 'asm "nop \\22", "=r,r"(i32 '),
        ("%x: ptr = gep %p, %w, 3:i64 [offset=8, strides=(4, 1), inbounds=true]", "inbounds i8, ptr %p."),
    ],
)  # fmt: skip
def test_ops_keep_their_flags_types_and_order(load: Callable[..., ctypes.CDLL], op: str, wanted: str) -> None:
    text = emit(per_thread(op))
    assert wanted in text
    load(text)


def test_the_running_block_is_known_when_something_goes_wrong(tmp_path: Path) -> None:
    """LLVM must not move the note behind the code of the block, although nothing in sight reads it."""
    source, made = tmp_path / "k.ll", tmp_path / "k.O3.ll"
    source.write_text(emit(per_thread('call [callee="fail", effects=any, noreturn=true]')))
    command = [find_toolchain().clang, "-O3", "-S", "-emit-llvm", "-x", "ir", source, "-o", made, "-Wno-everything"]
    subprocess.run(command, check=True)
    text = made.read_text()
    body = text[text.index("@k.blocks.0(") :]
    assert body.count("store volatile i32") == 3
    assert body.index("store volatile i32") < body.index("call void @fail")


def test_lines_of_the_source_survive_on_request(load: Callable[..., ctypes.CDLL]) -> None:
    code = 'store %g, %at [align=4] @ "dir/k.cu":12:7 memset %p, 0:i8, 4:i64 [align_to=4]'
    text = emit(per_thread(code), debug=True)
    load(text)
    assert re.search(r"!DILocation\(line: 12, column: 7, scope: !\d+\)", text)
    assert f'!DIFile(filename: "dir/k.cu", directory: "{Path.cwd()}")' in text
    assert "DILocation" not in emit(per_thread(code))


def test_llvm_unrolls_no_loop_of_a_large_kernel_but_those_over_private_arrays(monkeypatch: pytest.MonkeyPatch) -> None:
    def marks(index: str) -> int:
        loop = f"""for 0:i32, %tx, 1:i32 [pred=slt] {{ (%i: i32)
          %place: ptr = gep %a, {index} [offset=0, strides=(4), inbounds=true] store %i, %place [align=4] yield }}"""
        return emit(per_thread(f"%a: ptr = alloca [size=8, align=4] {loop}")).count("llvm.loop.unroll.disable")

    assert marks("%i") == marks("1:i32") == 1  # the loop over blocks
    monkeypatch.setattr(loom_blocks, "LARGEST_UNROLLED", 0)
    assert marks("%i") == marks("1:i32") - 1 > 1


def test_llvm_unrolls_no_loop_with_many_branches_in_a_trip(monkeypatch: pytest.MonkeyPatch) -> None:
    def marks(branches: int) -> int:
        ifs = "if %c { store %g, %at [align=4] yield } { yield }\n" * branches
        loop = f"for 0:i32, %tx, 1:i32 [pred=slt] {{ (%i: i32) %c: i1 = icmp %i, %g [pred=slt] {ifs} yield }}"
        return emit(per_thread(loop)).count("llvm.loop.unroll.disable")

    monkeypatch.setattr(loom_blocks, "MOST_BRANCHES", 2)
    assert marks(2) == 1  # the loop over blocks
    assert marks(3) > 1


def test_llvm_takes_trips_together_unless_each_thread_reads_how_many_there_are() -> None:
    def marks(bound: str) -> int:
        loop = f"""{bound} for 0:i32, %bound, 1:i32 [pred=slt] {{ (%i: i32) store %i, %at [align=4] yield }}"""
        return emit(per_thread(loop)).count("llvm.loop.unroll.runtime.disable")

    assert marks("%bound: i32 = add %tx, 1:i32") == 0
    assert marks("%bound: i32 = load %at [align=4]") == 1


def test_llvm_is_told_what_runs_once_a_launch_and_where_vectors_are() -> None:
    def marks(op: str) -> list[tuple[str, bool, bool]]:
        heads = re.findall(r"^define .*$", emit(per_thread(op)), re.MULTILINE)
        names = [re.search(r"@(\S+)\(", head) for head in heads]
        return [
            (name[1], " ".join(UNOPTIMISED) in head, HAS_VECTORS in head)
            for name, head in zip(names, heads, strict=True)
            if name
        ]

    assert marks("store %g, %at [align=4]") == [("k.blocks.0", False, False), ("k.grid", True, False)]
    vectors = "%v: <4 x i32> = load %at [align=4] store %v, %at [align=4]"
    assert marks(vectors) == [("k.blocks.0", False, True), ("k.grid", True, False)]


def test_sums_over_trips_that_memory_tells_are_written_out_with_an_end_after_each() -> None:
    def tests(bound: str, sum_: str = "%more: float = fadd %sum, %value") -> int:
        loop = f"""{bound} %all: float = for 0:i32, %bound, 1:i32, 0x0:float [pred=slt] {{ (%i: i32, %sum: float)
          %place: ptr = gep %at, %i [offset=0, strides=(4)] %value: float = load %place [align=4]
          {sum_} yield %more }} store %all, %at [align=4]"""
        return emit(per_thread(loop)).count("icmp slt i32 %i.") + emit(per_thread(loop)).count("icmp slt i32 %next.")

    told = "%bound: i32 = load %at [align=4]"
    assert tests(told) == 4 * tests("%bound: i32 = add %tx, 1:i32")
    call = "%more: float = call %sum, %value [callee=f]"
    assert tests(told, call) == 1


@pytest.mark.parametrize("lanes", [16, 6])
def test_short_turns_of_a_vectors_threads_stand_in_a_row(load: Callable[..., ctypes.CDLL], lanes: int) -> None:
    function = per_thread(f"""for 0:i32, {lanes}:i32, 1:i32 [pred=slt, of_lanes=true] {{ (%lane: i32)
      %there: ptr = gep %at, %lane [offset=0, strides=(4)] %before: i32 = load %there [align=4]
      %after: i32 = add %before, %lane store %after, %there [align=4] yield }}""")
    assert len(re.findall(r"%before\S* = load", emit(function))) == (4 if lanes % 4 == 0 else 1)
    out = (ctypes.c_int * 64)()
    launch(load(emit(function)), (1, 1, 1), (1, 1, 1), ctypes.c_void_p(ctypes.addressof(out)))
    assert list(out) == [*range(lanes), *[0] * (64 - lanes)]


def test_llvm_makes_no_vectors_of_threads_that_run_one_by_one() -> None:
    function = per_thread("store %g, %at [align=4]")
    mark = "llvm.loop.vectorize.enable"
    assert mark not in emit(function)
    (loop,) = [op for op in walk(function.body) if op.name == "block"]
    loop.attrs["one_by_one"] = True
    assert mark in emit(function)
