# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What the optimising back end makes of a translation unit: entries, symbols, facts, and kernels it leaves alone."""

from __future__ import annotations

import re
import subprocess
from pathlib import Path

import pytest

from warploom.backend import loom, loom_text
from warploom.backend.compilation import DeviceOptions
from warploom.backend.loom import compile_device
from warploom.debug import Debug
from warploom.frontend.device_module import Kernel
from warploom.frontend.passes import SourceOptions, device_command
from warploom.pipeline import PipelineOptions
from warploom.toolchain import find_toolchain, run_tool

QUIET = PipelineOptions(reproducers=None)


def compile_text(folder: Path, text: str, options: DeviceOptions, pipeline: PipelineOptions = QUIET) -> str:
    """The final LLVM text of a device pass over `text`; the object is t.o."""
    toolchain = find_toolchain()
    source, bitcode, made, ir = folder / "t.cu", folder / "t.bc", folder / "t.o", folder / "t.ll"
    source.write_text(text)
    separate = options.separate
    result = run_tool(device_command(toolchain, source, bitcode, SourceOptions(separate=separate)))
    assert result.returncode == 0, result.stderr
    compile_device(toolchain, bitcode, made, options, pipeline)
    return ir.read_text()


@pytest.fixture
def options(tmp_path: Path) -> DeviceOptions:
    return DeviceOptions("test image", optimise=3, keep_text=tmp_path / "t.ll")


def rows(ir: str) -> list[list[str]]:
    """The members of each row of the kernel table."""
    (table,) = re.findall(r"^@warploom\.kernels = .*$", ir, re.MULTILINE)
    return [
        [member.split(" ", 1)[1] for member in row.split(", ")]
        for row in re.findall(r"\{ (ptr [^{}]*[@\d][^{}]*) \}", table)
    ]


def body(ir: str, name: str) -> str:
    """A function's text."""
    return ir[ir.index(f"define internal void @{name}.device(") :].split("\n}")[0]


def test_a_kernel_is_its_launch_and_nothing_of_the_thread_function_is_left(
    tmp_path: Path, options: DeviceOptions
) -> None:
    ir = compile_text(tmp_path, "__global__ void k(int *p) { p[threadIdx.x] = 3; }", options)
    ((_, entry, grid_entry, *_),) = rows(ir)
    assert (entry, grid_entry) == ("null", "@_Z1kPi.grid.device")
    assert "@_Z1kPi.device" not in ir
    assert "call void @__warploom_run_blocks(" in body(ir, "_Z1kPi.grid")
    shown = subprocess.run(["nm", tmp_path / "t.o"], capture_output=True, text=True, check=True).stdout
    letters = {row.split()[-1]: row.split()[-2] for row in shown.splitlines()}
    assert letters["_Z1kPi.grid.device"] == letters["_Z1kPi.blocks.0.device"] == "t"


def test_entries_of_templates_stay_in_their_object_under_separate_compilation(
    tmp_path: Path, options: DeviceOptions
) -> None:
    text = "template <class T> __global__ void k(T *p) { *p = 1; } void f(int *p) { k<<<1, 1>>>(p); }"
    separate = DeviceOptions("test image", optimise=3, separate=True, keep_text=options.keep_text)
    ir = compile_text(tmp_path, text, separate)
    assert re.search(r"define internal void @_Z1kIiEvPT_\.grid\.device", ir)


def test_static_shared_memory_counts_what_the_bodies_use(tmp_path: Path, options: DeviceOptions) -> None:
    text = """
    __global__ void uses(int *p) {
      __shared__ int cell[64];
      cell[threadIdx.x] = p[threadIdx.x]; __syncthreads(); p[threadIdx.x] = cell[63 - threadIdx.x];
    }
    __global__ void other(int *p) { *p = 1; }"""
    ir = compile_text(tmp_path, text, options)
    assert [int(row[5]) for row in rows(ir)] == [256, 0]
    assert body(ir, "_Z4usesPi.blocks.0").count("call ptr @__warploom_shared_memory()") == 1
    assert "barrier" not in body(ir, "_Z4usesPi.blocks.0")


def test_a_kernel_that_cannot_be_lowered_runs_on_the_reference_engine_and_says_why(
    tmp_path: Path, options: DeviceOptions, capsys: pytest.CaptureFixture[str]
) -> None:
    text = """
    __global__ void spins(volatile int *p) {\n asm volatile("bar.sync 1, 32;"); while (p[threadIdx.x] == 0) {} }
    __global__ void plain(int *p) { *p = 1; }"""
    loud = PipelineOptions(debug=Debug.FALLBACKS, reproducers=None)
    ir = compile_text(tmp_path, text, options, loud)
    spins, plain = rows(ir)
    assert (spins[1] != "null", spins[2]) == (True, "null")
    assert (plain[1], plain[2]) == ("null", "@_Z5plainPi.grid.device")
    assert "__warploom_spin_point" in body(ir, "_Z5spinsPVi")
    assert re.search(r"t\.cu:\d+: kernel spins\(int volatile\*\) runs on the reference engine", capsys.readouterr().err)


def test_fallbacks_are_silent_unless_asked_for(
    tmp_path: Path, options: DeviceOptions, capsys: pytest.CaptureFixture[str]
) -> None:
    compile_text(tmp_path, '__global__ void k() { asm volatile("bar.sync 1, 32;"); }', options)
    assert capsys.readouterr().err == ""


def test_atomics_in_straight_code_are_no_place_to_wait(tmp_path: Path, options: DeviceOptions) -> None:
    ir = compile_text(tmp_path, "__global__ void k(int *p) { atomicAdd(p + threadIdx.x, 1); }", options)
    assert "__warploom_spin_point" not in ir


def test_atomics_in_counted_loops_are_no_place_to_wait(tmp_path: Path, options: DeviceOptions) -> None:
    text = "__global__ void k(int *p, int n) { for (int i = threadIdx.x; i < n; i += 7) atomicXor(p + i % 31, i); }"
    assert "__warploom_spin_point" not in compile_text(tmp_path, text, options)


def test_private_globals_keep_their_linkage(tmp_path: Path, options: DeviceOptions) -> None:
    text = """
    static __device__ int counter;
    __global__ void k(int *p) { const char *s = "text"; p[0] = s[p[1]] + counter++; }"""
    ir = compile_text(tmp_path, text, options)
    assert re.search(r"^@_ZL7counter\.device = internal ", ir, re.MULTILINE)
    assert re.search(r"^@\.str\S* = (internal|private) ", ir, re.MULTILINE)


def test_code_for_the_cpu_at_hand_is_vector_code(tmp_path: Path, options: DeviceOptions) -> None:
    text = "__global__ void k(const float *a, float *b) { b[threadIdx.x] = a[threadIdx.x] * 2; }"
    ir = compile_text(tmp_path, text, options)
    assert re.search(r"fmul (contract )?<\d+ x float>", body(ir, "_Z1kPKfPf.blocks.0"))


def test_lines_survive_when_asked_for(tmp_path: Path, options: DeviceOptions) -> None:
    text = "__global__ void k(int *p) {\n\n  p[threadIdx.x] = 3; }"
    debug = DeviceOptions("test image", optimise=3, debug=True, keep_text=options.keep_text)
    ir = compile_text(tmp_path, text, debug)
    assert re.search(r"!DILocation\(line: 3, ", ir)
    assert "DILocation" not in compile_text(tmp_path, text, options)


@pytest.mark.parametrize("broken", ["import_kernel", "LoomText.add"])
def test_a_crash_outside_of_the_passes_sends_the_kernel_to_the_reference_engine(
    broken: str,
    tmp_path: Path,
    options: DeviceOptions,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    owner, name = (loom.LoomText, "add") if "." in broken else (loom, "import_kernel")
    whole = getattr(owner, name)

    def fragile(*arguments: object, **keywords: object) -> object:
        if any(isinstance(each, Kernel) and each.name == "_Z1bPi" for each in arguments):
            raise IndexError("odd")
        return whole(*arguments, **keywords)

    monkeypatch.setattr(owner, name, fragile)
    text = "__global__ void a(int *p) { *p = 1; } __global__ void b(int *p) { *p = 2; }"
    kept = PipelineOptions(reproducers=tmp_path)
    a, b = rows(compile_text(tmp_path, text, options, kept))
    assert (a[1], a[2]) == ("null", "@_Z1aPi.grid.device")
    assert (b[1], b[2]) == ("@_Z1bPi.entry.device", "null")
    step = "emission" if "." in broken else "import"
    assert f"pass {step} failed on kernel _Z1bPi: IndexError: odd" in capsys.readouterr().err
    assert bool(list(tmp_path.glob("warploom-crash-_Z1bPi-emission.ir"))) == (step == "emission")


def test_what_a_kernel_wrote_before_its_emission_broke_is_gone(
    tmp_path: Path, options: DeviceOptions, monkeypatch: pytest.MonkeyPatch
) -> None:
    def fails(*_: object, **__: object) -> None:
        raise IndexError("odd")

    monkeypatch.setattr(loom_text, "spins", fails)  # after the function for blocks was written
    ir = compile_text(tmp_path, "__global__ void k(int *p) { p[threadIdx.x] = 2; }", options)
    assert "blocks.0" not in ir


def test_instances_of_a_template_that_are_the_same_code_are_written_once(
    tmp_path: Path, options: DeviceOptions
) -> None:
    text = """template <int N> __global__ void k(int *p) { p[threadIdx.x] = N / 2; }
    template __global__ void k<2>(int *); template __global__ void k<3>(int *); template __global__ void k<4>(int *);"""
    found = [row[2] for row in rows(compile_text(tmp_path, text, options))]
    assert len(found) == 3
    assert len(set(found)) == 2
