# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""A fault in LLVM's code generator costs the kernel some speed and the user a warning, and never the build."""

from __future__ import annotations

import os
import signal
import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest

from warploom.backend import emission
from warploom.backend.emission import emit_object, failing_functions, passes_vectors_on, take_vectors_apart
from warploom.backend.workers import BrokeDown, broke_down, side_by_side
from warploom.cli import warpcc
from warploom.llvm.module import Module
from warploom.toolchain import find_toolchain, run_tool

NAMES = {"bad": "bad(int*)", "good": "good(float*)"}
# LLVM 23.1 follows a null pointer here where the target has AVX-512.
BAD = """
define void @bad.blocks.0.device(ptr %p, ptr %q) #0 {
  %v = load i2048, ptr %p, align 8
  %s = lshr i2048 %v, 1056
  %t = trunc i2048 %s to i512
  %w = bitcast i512 %t to <16 x i32>
  %x = shufflevector <16 x i32> %w, <16 x i32> poison, <16 x i32> <
    i32 0, i32 poison, i32 poison, i32 poison, i32 2, i32 poison, i32 poison, i32 poison,
    i32 4, i32 poison, i32 poison, i32 poison, i32 6, i32 poison, i32 poison, i32 poison>
  call void @llvm.masked.store.v16i32.p0(<16 x i32> %x, ptr align 4 %q, <16 x i1> <
    i1 true, i1 false, i1 false, i1 false, i1 true, i1 false, i1 false, i1 false,
    i1 true, i1 false, i1 false, i1 false, i1 true, i1 false, i1 false, i1 false>)
  ret void
}
declare void @llvm.masked.store.v16i32.p0(<16 x i32>, ptr, <16 x i1>)
"""
GOOD = """
define void @good.device(ptr %p) #0 {
  %v = load <16 x float>, ptr %p
  %w = fadd <16 x float> %v, %v
  store <16 x float> %w, ptr %p
  ret void
}
attributes #0 = {
  "min-legal-vector-width"="512" "prefer-vector-width"="512" "target-features"="+avx512f,+avx512bw,+avx512dq,+avx512vl"
}
"""
PROGRAM = """
#include <cstdio>
__global__ void squares(float *p, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) p[i] = sqrtf(p[i]) * expf(0.0f * p[i]) + i;
}
int main() {
  const int n = 1000;
  float *p, sum = 0;
  cudaMallocManaged(&p, n * sizeof(float));
  for (int i = 0; i < n; ++i) p[i] = (i % 7) * (i % 7);
  squares<<<8, 128>>>(p, n);
  if (cudaDeviceSynchronize() != cudaSuccess) return 1;
  for (int i = 0; i < n; ++i) sum += p[i] == i + i % 7;
  printf("%g\\n", sum);
}
"""


def module_of(folder: Path, text: str) -> tuple[Module, int]:
    """A module of x86-64, and its code generator."""
    toolchain = find_toolchain()
    if toolchain.target.arch != "x86_64":
        pytest.skip("the text is for x86-64")
    (folder / "t.ll").write_text(f'target triple = "{toolchain.target.triple}"\n{text}')
    made = run_tool([toolchain.clang, "-x", "ir", "-O0", "-emit-llvm", "-c", folder / "t.ll", "-o", folder / "t.bc"])
    assert made.returncode == 0, made.stderr
    module = Module(toolchain.llvm_library, folder / "t.bc")
    return module, module.target_machine(toolchain.target, 3)


def breaks_down(times: int) -> Callable[[str, Callable[[], object]], object]:
    """As `apart`, but that the first so many attempts at the whole module fail, and those at each function."""
    left, apart = [times], emission.apart

    def attempt(name: str, task: Callable[[], object]) -> object:
        left[0] -= name == "the module"
        if left[0] < 0:
            return apart(name, task)
        raise broke_down(name, "Illegal instruction")

    return attempt


def test_a_fault_of_the_code_generator_costs_the_module_its_wide_vectors(
    tmp_path: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    module, machine = module_of(tmp_path, BAD + GOOD)
    emit_object(module, machine, tmp_path / "t.o", NAMES)
    symbols = subprocess.run(["nm", tmp_path / "t.o"], capture_output=True, text=True, check=True).stdout
    assert {line.split()[-1] for line in symbols.splitlines()} >= {"bad.blocks.0.device", "good.device"}
    said = capfd.readouterr().err
    assert said in (  # nothing where LLVM has been mended
        "",
        "warploom: warning: LLVM broke down on kernel bad(int*) (Segmentation fault): its vectors have 256 bits at "
        "most; please report it\n",
    )


def test_code_that_works_is_left_as_it_is(tmp_path: Path, capfd: pytest.CaptureFixture[str]) -> None:
    module, machine = module_of(tmp_path, GOOD)
    emit_object(module, machine, tmp_path / "a.o", NAMES)
    module.emit_object(machine, tmp_path / "b.o")
    assert (tmp_path / "a.o").read_bytes() == (tmp_path / "b.o").read_bytes()
    assert capfd.readouterr().err == ""


def test_functions_that_fail_alone_are_found(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    module, machine = module_of(
        tmp_path, GOOD + GOOD.replace("@good", "@odd").replace("attributes #0", "attributes #1")
    )
    emit = Module.emit_object

    def fails_on_odd(self: Module, machine: int, path: Path) -> None:
        if self.lib.LLVMGetLinkage(self.find("odd.device")) == 0:
            os.kill(os.getpid(), signal.SIGSEGV)
        emit(self, machine, path)

    monkeypatch.setattr(Module, "emit_object", fails_on_odd)
    assert [module.name(each) for each in failing_functions(module, machine)] == ["odd.device"]


def test_vectors_are_not_cut_where_somebody_else_takes_them(tmp_path: Path) -> None:
    calls = "define void @f(ptr %p) {\n%v = load <16 x float>, ptr %p\n call void @g(<16 x float> %v)\n ret void\n}\n"
    assert not passes_vectors_on(module_of(tmp_path, GOOD)[0])
    assert passes_vectors_on(module_of(tmp_path, f"{calls}declare void @g(<16 x float>)")[0])


@pytest.mark.parametrize(
    ("times", "how"),
    [
        (1, "its vectors have 256 bits at most"),
        (3, "it has no vectors"),
        (4, "it is not optimised further"),
    ],
)
def test_simpler_forms_compute_the_same(
    times: int, how: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "t.cu").write_text(PROGRAM)
    monkeypatch.setattr(emission, "apart", breaks_down(times))
    assert warpcc.main([str(tmp_path / "t.cu"), "-o", str(tmp_path / "t")]) == 0
    (said,) = (line for line in capfd.readouterr().err.splitlines() if "warning" in line)
    assert said.startswith("warploom: warning: LLVM broke down on kernel squares(float*, int) (Illegal instruction): ")
    assert how in said
    assert subprocess.run([tmp_path / "t"], capture_output=True, text=True, check=True).stdout == "1000\n"


def test_an_llvm_says_which_passes_it_has(tmp_path: Path) -> None:
    module, _ = module_of(tmp_path, GOOD)
    assert module.knows("function(scalarizer,scalarize-masked-mem-intrin)")
    assert not module.knows("function(scalarizer<no-such-parameter>)")


def test_loads_and_stores_stay_vectors_where_llvm_cannot_take_them_apart(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    knows = Module.knows

    def knows_as_llvm_19(self: Module, pipeline: str) -> bool:
        return "load-store" not in pipeline and knows(self, pipeline)

    monkeypatch.setattr(Module, "knows", knows_as_llvm_19)
    module, machine = module_of(tmp_path, GOOD)
    function = module.find("good.device")
    take_vectors_apart(module, machine, [function])
    text = module.text(function)
    assert [text.count(each) for each in ("load <16", "fadd float", "store <16", "fadd <")] == [1, 16, 1, 0]


def test_what_no_form_helps_is_told_from_a_worker_too(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(emission, "apart", breaks_down(9))

    def part() -> None:
        module, machine = module_of(tmp_path, GOOD)
        emit_object(module, machine, tmp_path / "t.o", NAMES)

    with pytest.raises(BrokeDown, match=r"broke down on kernel good\(float\*\): Illegal instruction") as caught:
        list(side_by_side([("a part", part)], 1))
    assert caught.value.how == "Illegal instruction"
