# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Accesses that LLVM moves keep the lines that they have in the source; what it makes of two of them has none."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from warploom.backend.access_lines import lines_kept
from warploom.llvm.module import Module
from warploom.target import host_target
from warploom.toolchain import find_toolchain, run_tool

LOOP = """
define void @f(ptr noalias %to, ptr noalias %from, ptr noalias %out, <4 x i1> %m, <4 x i32> %v, i64 %n) !dbg !5 {{
entry:
  br label %loop, !dbg !6
loop:
  %i = phi i64 [ 0, %entry ], [ %next, %loop ], !dbg !6
  {access}
  %place = getelementptr i32, ptr %out, i64 %i, !dbg !8
  store i32 1, ptr %place, !dbg !8
  %next = add nuw i64 %i, 1, !dbg !6
  %more = icmp ult i64 %next, %n, !dbg !6
  br i1 %more, label %loop, label %end, !dbg !6
end:
  ret void, !dbg !6
}}
declare <4 x i32> @llvm.masked.load.v4i32.p0(ptr, <4 x i1>, <4 x i32>)
!llvm.dbg.cu = !{{!0}}
!llvm.module.flags = !{{!3}}
!0 = distinct !DICompileUnit(language: DW_LANG_C_plus_plus_14, file: !1, emissionKind: LineTablesOnly)
!1 = !DIFile(filename: "f.cu", directory: "/")
!2 = !DISubroutineType(types: !4)
!3 = !{{i32 2, !"Debug Info Version", i32 3}}
!4 = !{{null}}
!5 = distinct !DISubprogram(name: "f", file: !1, line: 1, type: !2, unit: !0, spFlags: DISPFlagDefinition)
!6 = !DILocation(line: 6, scope: !5)
!7 = !DILocation(line: 7, scope: !5)
!8 = !DILocation(line: 8, scope: !5)
"""
ACCESSES = {
    "load": "%x = load i32, ptr %from, !dbg !7\n store i32 %x, ptr %to, !dbg !7",
    "store": "store <4 x i32> %v, ptr %to, !dbg !7",
    "masked load": "%x = call <4 x i32> @llvm.masked.load.v4i32.p0(ptr %from, <4 x i1> %m, <4 x i32> %v), !dbg !7\n"
    "store <4 x i32> %x, ptr %to, !dbg !7",
}


def optimised(folder: Path, text: str, *, keeps: bool) -> str:
    """The function `text` after LLVM has taken what does not change out of its loop."""
    source, bitcode, after = (folder / name for name in ("t.ll", "t.bc", "after.ll"))
    source.write_text(text)
    toolchain = find_toolchain()
    done = run_tool([toolchain.clang, "-emit-llvm", "-c", "-O0", "-x", "ir", source, "-o", bitcode])
    assert done.returncode == 0, done.stderr
    module = Module(toolchain.llvm_library, bitcode)
    machine = module.target_machine(host_target(), 2)
    passes = "function(loop-simplify,lcssa,loop-mssa(licm))"
    if keeps:
        with lines_kept(module):
            module.run_passes(passes, machine)
    else:
        module.run_passes(passes, machine)
    module.verify("moving accesses")
    module.write_text(after)
    return after.read_text()


def outside(text: str) -> list[str]:
    """The accesses outside of the loop."""
    found: list[str] = []
    for block in re.split(r"^(?=[\w.]+:)", text.partition("define")[2], flags=re.MULTILINE):
        if not block.startswith("loop:"):
            found += re.findall(r"^ .*(?: load |store |masked[.]load).*", block, re.MULTILINE)
    return found


@pytest.mark.parametrize("access", ACCESSES.values(), ids=ACCESSES.keys())
def test_what_leaves_a_loop_keeps_its_line(access: str, tmp_path: Path) -> None:
    text = LOOP.format(access=access)
    assert any("!dbg" not in line for line in outside(optimised(tmp_path, text, keeps=False))), "LLVM drops lines"
    kept = optimised(tmp_path, text, keeps=True)
    (seven,) = re.findall(r"^(!\d+) = !DILocation\(line: 7", kept, re.MULTILINE)
    moved = outside(kept)
    assert moved
    assert all(f"!dbg {seven}" in line for line in moved), moved
    assert "annotation" not in kept
