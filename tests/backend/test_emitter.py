# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The code generator that waits: the same objects, nobody's child, and where it ends the object comes the usual way."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import textwrap
import time
from collections.abc import Iterator
from pathlib import Path

import pytest
from other_processes import processes_where, soon

from warploom.backend import emitter
from warploom.compiler.service import Request, compile_module
from warploom.llvm.module import Module
from warploom.toolchain import find_toolchain, run_tool

LEVEL, CPU = 3, "x86-64-v3"
OWNER = f"tests of {os.getpid()}."
SOURCE = 'extern "C" __global__ void k(float *x) {{ x[threadIdx.x] += {}; }}\n'
TEXT = """
define void @add(ptr %p) #0 {
  %v = load <8 x float>, ptr %p
  %w = fadd <8 x float> %v, %v
  store <8 x float> %w, ptr %p
  ret void
}
attributes #0 = { "target-features"="+avx2" }
"""

pytestmark = pytest.mark.skipif(find_toolchain().target.arch != "x86_64", reason="names a processor")


@pytest.fixture(autouse=True)
def none_waits(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """Each test begins and ends without an emitter."""
    monkeypatch.setenv("TEST_WITH_EMITTER", OWNER)
    emitter.end()
    yield
    emitter.end()


def module_of(text: str, folder: Path) -> Module:
    toolchain = find_toolchain()
    source, bitcode = folder / "t.ll", folder / "t.bc"
    source.write_text(text)
    made = run_tool([toolchain.clang, "-c", "-emit-llvm", "-x", "ir", source, "-o", bitcode])
    assert made.returncode == 0, made.stderr
    return Module(toolchain.llvm_library, bitcode)


def processes() -> list[int]:
    """The emitters of these tests."""
    return processes_where(lambda words: words.partition(b"\0")[0].endswith(b"/emitter"), OWNER)


def started() -> int:
    """Start one; its process."""
    before = set(processes())
    emitter.start(find_toolchain(), LEVEL, CPU)
    emitter.started()
    found: list[int] = []

    def is_there() -> bool:
        found[:] = set(processes()) - before
        return bool(found)

    assert soon(is_there)
    return found[0]


def test_objects_are_those_of_this_process(tmp_path: Path) -> None:
    started()
    for number in range(3):
        module = module_of(TEXT.replace("@add", f"@add{number}"), tmp_path)
        assert emitter.emit(module, LEVEL, CPU, tmp_path / "waiting.o")
        module.emit_object(module.target_machine(find_toolchain().target, LEVEL), tmp_path / "own.o")
        assert (tmp_path / "waiting.o").read_bytes() == (tmp_path / "own.o").read_bytes()
    assert not (tmp_path / "waiting.emitted.bc").exists()


def test_another_level_or_processor_is_not_its_business(tmp_path: Path) -> None:
    module = module_of(TEXT, tmp_path)
    assert not emitter.emit(module, LEVEL, CPU, tmp_path / "t.o"), "none waits"
    started()
    assert not emitter.emit(module, LEVEL - 1, CPU, tmp_path / "t.o")
    assert not emitter.emit(module, LEVEL, "x86-64-v4", tmp_path / "t.o")
    assert emitter.emit(module, LEVEL, CPU, tmp_path / "t.o")


@pytest.mark.parametrize("how", ["killed", "error"])
def test_one_that_ends_is_left_aside(how: str, tmp_path: Path) -> None:
    process = started()
    good = module_of(TEXT, tmp_path)
    assert emitter.emit(good, LEVEL, CPU, tmp_path / "t.o")
    if how == "killed":
        os.kill(process, signal.SIGKILL)
        assert soon(lambda: process not in processes())
        assert not emitter.emit(good, LEVEL, CPU, tmp_path / "t.o")
    else:  # no such register: LLVM reports an error, which ends it
        bad = TEXT.replace("ret void", 'call void asm "mov $0, %no", "r"(i64 0)\n  ret void')
        assert not emitter.emit(module_of(bad, tmp_path), LEVEL, CPU, tmp_path / "t.o")
    assert not emitter.emit(good, LEVEL, CPU, tmp_path / "t.o"), "nobody waits any more"
    started()
    assert emitter.emit(good, LEVEL, CPU, tmp_path / "t.o")


def test_where_none_can_be_nobody_tries_again(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    tried: list[int] = []

    def program(_toolchain: object) -> Path:
        tried.append(1)
        if len(tried) == 1:
            return Path("/bin/false")  # ends at once
        raise OSError("it does not link")

    monkeypatch.setattr(emitter, "_program", program)
    emitter.start(find_toolchain(), LEVEL, CPU)
    emitter.started()
    assert not emitter.emit(module_of(TEXT, tmp_path), LEVEL, CPU, tmp_path / "t.o")
    emitter.start(find_toolchain(), LEVEL, CPU)
    assert len(tried) == 1
    emitter.end()
    for _ in range(2):
        emitter.start(find_toolchain(), LEVEL, CPU)
        assert not emitter.emit(module_of(TEXT, tmp_path), LEVEL, CPU, tmp_path / "t.o")
    assert len(tried) == 2


def test_files_that_took_its_descriptors_are_left_alone(tmp_path: Path) -> None:
    started()
    emitted = emitter._waiting.emitter  # pyright: ignore[reportPrivateUsage]
    assert emitted is not None
    other = os.open(tmp_path / "other", os.O_CREAT | os.O_RDWR)
    os.dup2(other, emitted.jobs)
    assert not emitter.emit(module_of(TEXT, tmp_path), LEVEL, CPU, tmp_path / "t.o")
    assert (tmp_path / "other").read_bytes() == b""
    assert os.fstat(emitted.jobs)
    for each in (other, emitted.jobs, emitted.answers):
        os.close(each)


def test_it_ends_with_the_program_and_no_wait_meets_it(tmp_path: Path) -> None:
    program = tmp_path / "program.py"
    program.write_text(
        textwrap.dedent(f"""
        import os
        from warploom.compiler.service import Request, compile_module
        for number in range(2):
            compile_module(Request({SOURCE!r}.format(number + {time.time_ns() % 10**9})))
        try:
            os.wait()
        except ChildProcessError:
            print("no children", flush=True)
        if os.fork() == 0:
            from warploom.backend import emitter
            print(emitter._waiting.emitter, flush=True)
            os._exit(0)
        os.wait()
        """)
    )
    before = set(processes())
    done = subprocess.run([sys.executable, program], capture_output=True, text=True, check=True)
    assert done.stdout == "no children\nNone\n"
    assert soon(lambda: not set(processes()) - before)


def test_a_kernel_is_the_same_either_way(monkeypatch: pytest.MonkeyPatch) -> None:
    equal: list[bool] = []
    emit = emitter.emit

    def compared(module: Module, level: int, cpu: str, output: Path) -> bool:
        assert emit(module, level, cpu, output)
        own = output.with_suffix(".own.o")
        module.emit_object(module.target_machine(find_toolchain().target, level), own)
        equal.append(own.read_bytes() == output.read_bytes())
        return True

    monkeypatch.setattr(emitter, "emit", compared)
    compile_module(Request(SOURCE.format(time.time_ns() % 10**9)))
    assert equal == [True]
