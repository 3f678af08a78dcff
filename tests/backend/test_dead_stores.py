# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Stores to a block's memory go where nothing reads them, and stay where something may."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from warploom.backend.dead_stores import drop_dead_stores
from warploom.backend.shared_memory import end_blocks
from warploom.llvm.module import Module
from warploom.toolchain import find_toolchain, run_tool

DECLARATIONS = """
target datalayout = "e-m:e-i64:64-n8:16:32:64-S128"
declare ptr @__warploom_enter_block(i32)
declare void @__warploom_leave_block(ptr)
declare <4 x float> @llvm.masked.load.v4f32.p0(ptr, <4 x i1>, <4 x float>)
declare void @llvm.masked.store.v4f32.p0(<4 x float>, ptr, <4 x i1>)
declare void @llvm.masked.scatter.v4p0.v4p0(<4 x ptr>, <4 x ptr>, i32, <4 x i1>)
declare void @elsewhere(ptr)
"""
ENTER = "%s = call ptr @__warploom_enter_block(i32 0)"
LEAVE = "call void @__warploom_leave_block(ptr %s)"
PLACES = "\n".join(f"%s{at} = getelementptr i8, ptr %s, i64 {at}" for at in (4, 16, 20, 32))


def module_of(folder: Path, body: str) -> Module:
    """A function of that body as LLVM reads it; `%s` is the block's memory, `%s16` what lies 16 bytes into it."""
    parameters = "ptr %out, i64 %i, float %x, <4 x float> %v, <4 x i1> %m, i1 %c"
    text, bitcode = folder / "t.ll", folder / "t.bc"
    lines = [f"define void @f({parameters}) {{", ENTER, PLACES, body, LEAVE, "ret void", "}"]
    text.write_text("\n".join([DECLARATIONS, *lines, ""]))
    toolchain = find_toolchain()
    done = run_tool([toolchain.clang, "-emit-llvm", "-c", "-O0", "-x", "ir", text, "-o", bitcode])
    assert done.returncode == 0, done.stderr
    return Module(toolchain.llvm_library, bitcode)


def stored(folder: Path, body: str) -> list[str]:
    """Where the block's memory is still written to."""
    module = module_of(folder, body)
    drop_dead_stores(module)
    module.verify("dropping stores")
    module.write_text(folder / "after.ll")
    written = r"(?:store [^,]*|void @llvm.masked.store[^,]*), ptr (%[sp]\w*)"
    return re.findall(written, (folder / "after.ll").read_text())


DEAD = {
    "nothing follows": "store float %x, ptr %s4",
    "a masked store": "call void @llvm.masked.store.v4f32.p0(<4 x float> %v, ptr %s16, <4 x i1> %m)",
    "an address that is computed": "%p = getelementptr float, ptr %s, i64 %i\n store float %x, ptr %p",
    "the block's own load has the value": "store float %x, ptr %s4\n%y = load float, ptr %s4\nstore float %y, ptr %out",
    "other bytes are read": "store float %x, ptr %s4\n%y = load float, ptr %s16\nstore float %y, ptr %out",
}


@pytest.mark.parametrize("body", DEAD.values(), ids=DEAD.keys())
def test_what_nobody_reads_is_not_stored(tmp_path: Path, body: str) -> None:
    assert stored(tmp_path, body) == []


KEPT = {
    "a load of some of the bytes": "store <4 x float> %v, ptr %s16\n%y = load float, ptr %s20\n"
    "store float %y, ptr %out",
    "a load of another type": "store float %x, ptr %s4\n%y = load i32, ptr %s4\nstore i32 %y, ptr %out",
    "a load from anywhere": "store float %x, ptr %s4\n%q = getelementptr float, ptr %s, i64 %i\n"
    "%y = load float, ptr %q\nstore float %y, ptr %out",
    "a masked load": "store float %x, ptr %s4\n%y = call <4 x float> @llvm.masked.load.v4f32.p0(ptr %s, <4 x i1> %m, "
    "<4 x float> %v)\nstore <4 x float> %y, ptr %out",
    "a volatile store": "store volatile float %x, ptr %s4",
    "a call that gets the address": "store float %x, ptr %s4\ncall void @elsewhere(ptr %s)",
    "the address is stored": "store float %x, ptr %s4\nstore ptr %s, ptr %out",
    "an atomic operation": "store float %x, ptr %s4\n%o = atomicrmw fadd ptr %s4, float %x monotonic",
    "a masked load of just these bytes": "store <4 x float> %v, ptr %s16\n%y = call <4 x float> "
    "@llvm.masked.load.v4f32.p0(ptr %s16, <4 x i1> %m, <4 x float> zeroinitializer)\nstore <4 x float> %y, ptr %out",
    "an atomic store": "store atomic float %x, ptr %s4 monotonic, align 4",
    "the address is exchanged": "%o = atomicrmw xchg ptr %out, ptr %s monotonic\nstore float %x, ptr %s4",
    "addresses are scattered": "store float %x, ptr %s4\n%a = insertelement <4 x ptr> poison, ptr %s, i64 0\n"
    "%o = insertelement <4 x ptr> poison, ptr %out, i64 0\n"
    "call void @llvm.masked.scatter.v4p0.v4p0(<4 x ptr> %a, <4 x ptr> %o, i32 8, <4 x i1> %m)",
    "a volatile load": "store float %x, ptr %s4\n%y = load volatile float, ptr %s4\nstore float %y, ptr %out",
    "a store that may go elsewhere": "%p = select i1 %c, ptr %s4, ptr %out\nstore float %x, ptr %p",
    "a store next to one that may go elsewhere": "%q = select i1 %c, ptr %s4, ptr %out\n"
    "%p = getelementptr i8, ptr %q, i64 4\nstore float %x, ptr %p",
    "an address far behind the memory": "%p = getelementptr i8, ptr %s, i64 35184372088832\n"
    "store float %x, ptr %p\n%q = getelementptr i8, ptr %p, i64 -35184372088828\n%y = load float, ptr %q\n"
    "store float %y, ptr %out",
    "a pointer that may be another": "store float %x, ptr %s4\n%q = select i1 %c, ptr %s4, ptr %out\n"
    "%y = load float, ptr %q\nstore float %y, ptr %out",
}


@pytest.mark.parametrize("body", KEPT.values(), ids=KEPT.keys())
def test_what_may_be_read_is_stored(tmp_path: Path, body: str) -> None:
    assert len([place for place in stored(tmp_path, body) if place != "%s"]) == 1


def test_what_is_partly_overwritten_is_loaded_from_memory(tmp_path: Path) -> None:
    part = "%p = getelementptr i8, ptr %s, i64 5\nstore i8 7, ptr %p"
    body = f"store float %x, ptr %s4\n{part}\n%y = load float, ptr %s4\nstore float %y, ptr %out"
    assert stored(tmp_path, body) == ["%s4", "%p"]


def test_a_store_of_all_bytes_makes_the_one_before_it_dead(tmp_path: Path) -> None:
    read = "br label %next\nnext:\n%y = load <4 x float>, ptr %s16\nstore <4 x float> %y, ptr %out"
    assert stored(tmp_path, f"store float %x, ptr %s20\nstore <4 x float> %v, ptr %s16\n{read}") == ["%s16"]
    masked = "call void @llvm.masked.store.v4f32.p0(<4 x float> %v, ptr %s16, <4 x i1> %m)"
    assert stored(tmp_path, f"store float %x, ptr %s20\n{masked}\n{read}") == ["%s20", "%s16"]


def test_a_value_that_stays_in_memory_is_loaded_from_there(tmp_path: Path) -> None:
    again = "%y = load float, ptr %s4\nbr i1 %c, label %more, label %end\nmore:\n%z = load float, ptr %s4"
    module = module_of(tmp_path, f"store float %x, ptr %s4\n{again}\nstore float %z, ptr %out\nbr label %end\nend:")
    drop_dead_stores(module)
    module.write_text(tmp_path / "after.ll")
    assert (tmp_path / "after.ll").read_text().count("load float") == 2


def test_what_a_loop_reads_in_its_next_trip_is_stored(tmp_path: Path) -> None:
    loop = """
    br label %head
    head:
    %y = load float, ptr %s4
    store float %y, ptr %out
    store float %x, ptr %s4
    store float %x, ptr %s16
    br i1 %c, label %head, label %end
    end:
    """
    assert stored(tmp_path, loop) == ["%s4"]


def test_a_block_does_not_read_what_the_one_before_it_left(tmp_path: Path) -> None:
    module = module_of(
        tmp_path,
        """
        br label %head
        head:
        %t = call ptr @__warploom_enter_block(i32 0)
        %y = load float, ptr %t
        store float %y, ptr %out
        store float %x, ptr %t
        call void @__warploom_leave_block(ptr %t)
        br i1 %c, label %head, label %end
        end:
        """,
    )
    drop_dead_stores(module)
    module.write_text(tmp_path / "after.ll")
    assert "ptr %t," not in re.sub("load.*", "", (tmp_path / "after.ll").read_text())


def test_the_marks_become_addresses(tmp_path: Path) -> None:
    module = module_of(tmp_path, "%t = call ptr @__warploom_enter_block(i32 1)\nstore volatile float %x, ptr %t")
    end_blocks(module)
    module.verify("ending blocks")
    module.write_text(tmp_path / "after.ll")
    text = (tmp_path / "after.ll").read_text()
    assert "call ptr @__warploom_enter_block" not in text
    assert "call void @__warploom_leave_block" not in text
    assert text.count("call ptr @__warploom_shared_memory()") == 2
