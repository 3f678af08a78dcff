# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The compile service: text in, a module and what is in it out, from any thread, kept on disk."""

from __future__ import annotations

import subprocess
import sys
import threading
from pathlib import Path

import pytest

from warploom import cache
from warploom.compiler.options import Options, parse_options
from warploom.compiler.service import CompileError, Module, Request, compile_module
from warploom.compiler.signature import from_bytes, to_bytes
from warploom.diagnostics import Diagnostic
from warploom.toolchain import find_toolchain, run_tool

SOURCE = """
#if USE_HALF
#include <cuda_fp16.h>
#endif
struct Pair { int first; double second; };
enum Color : unsigned char { RED };
__constant__ Pair pairs[2];
__global__ void __launch_bounds__(128) k(const float *__restrict__ x, Pair *out, Pair by, Color color, void *any,
                                         float4 (*rows)[4], const int (&fixed)[8], bool flag) {}
"""


def test_signatures_are_what_the_source_declares() -> None:
    made = compile_module(Request(SOURCE, parse_options(["-DUSE_HALF"])))
    (kernel,) = made.contents.kernels
    texts = [parameter.text for parameter in kernel.parameters]
    assert texts == [
        "const float *", "Pair *", "Pair", "Color", "void *", "float4[4] *", "int[8] &", "bool",
    ]  # fmt: skip
    assert kernel.max_threads == 128
    assert kernel.source_name.startswith("k(float const*, Pair*, Pair, Color, void*")
    pair = kernel.parameters[2].type
    assert pair is not None
    assert [(name, offset, each.kind, each.size) for name, offset, each in pair.fields] == [
        ("first", 0, "i", 4),
        ("second", 8, "f", 8),
    ]
    (variable,) = made.contents.variables
    assert (variable.name, variable.size, variable.is_constant) == ("pairs", 32, True)
    assert variable.type is not None
    assert variable.type.shape == (2,)
    assert from_bytes(to_bytes(made.contents)) == made.contents


def test_what_the_compiler_says() -> None:
    with pytest.raises(CompileError, match=r"lab/own.cu:2:20: error: .*'y'"):
        compile_module(Request("\n__device__ int x = y;", name="lab/own.cu"))
    log = compile_module(Request("#warning look here\n__global__ void k() {}")).contents.log
    assert "kernel.cu:1:2: warning: look here" in log
    quiet = Request("#warning look here\n__global__ void k() {}", Options(quiet=True))
    assert compile_module(quiet).contents.log == ""
    with pytest.raises(CompileError, match=r'name expression "nothing"|use of undeclared identifier'):
        compile_module(Request("__global__ void k() {}", name_expressions=("nothing",)))
    plain = "__device__ void plain() {}\n__global__ void k() {}"
    with pytest.raises(CompileError, match=r'name expression "&plain" is neither'):
        compile_module(Request(plain, name_expressions=("k", "&plain")))
    with pytest.raises(Diagnostic, match="the CPU 'z80' is unknown"):
        compile_module(Request("__global__ void k() {}", Options(cpu="z80")))
    with pytest.raises(Diagnostic, match="has no place below the others"):
        compile_module(Request("__global__ void k() {}", headers={"../../x.h": ""}))


def test_a_kernel_for_the_reference_engine_has_a_remark() -> None:
    function = "__device__ int f(int n) { __syncthreads(); return n ? f(n - 1) : 0; }\n"
    (remark,) = compile_module(Request(function + "__global__ void k(int *x) { *x = f(*x); }")).contents.remarks
    assert "kernel k(int*) runs on the reference engine" in remark


def test_bitcode_is_compiled_as_well(tmp_path: Path) -> None:
    from warploom.compiler.service import source_options
    from warploom.frontend.passes import device_command

    source, bitcode = tmp_path / "k.cu", tmp_path / "k.bc"
    source.write_text("__global__ void k(int *x) { *x = 1; }")
    toolchain = find_toolchain()
    options = source_options(Request(""), toolchain, "")
    assert run_tool(device_command(toolchain, source, bitcode, options)).returncode == 0
    made = compile_module(Request(bitcode.read_bytes()), toolchain)
    assert [kernel.source_name for kernel in made.contents.kernels] == ["k(int*)"]
    with pytest.raises(Diagnostic):
        compile_module(Request(b"no bitcode"), toolchain)


def test_the_cache_gives_what_was_compiled(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    header = tmp_path / "value.h"
    header.write_text("#define VALUE 1\n")
    request = Request('#include "value.h"\n__global__ void k(int *x) { *x = VALUE; }', name=str(tmp_path / "k.cu"))
    first = compile_module(request)
    made = first.library.read_bytes()
    with monkeypatch.context() as patched:
        patched.setattr("warploom.compiler.service._fill", None)  # the compiler is not asked
        assert compile_module(request) == first
    header.write_text("#define VALUE 2\n")
    assert compile_module(request).library.read_bytes() != made
    # A torn entry is no entry.
    kept = first.library.parent / "contents"
    kept.write_bytes(kept.read_bytes()[:-1])
    assert [kernel.name for kernel in compile_module(request).contents.kernels] == ["_Z1kPi"]


def test_threads_compile_at_once() -> None:
    made: dict[int, Module] = {}

    def build(number: int) -> None:
        made[number] = compile_module(Request(f"__global__ void k{number % 3}(int *x) {{ *x = {number % 3}; }}"))

    threads = [threading.Thread(target=build, args=(number,)) for number in range(6)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len({module.library for module in made.values()}) == 3
    assert all(made[number] == made[number + 3] for number in range(3))


def test_words_of_nvrtc_and_nvcc() -> None:
    words = (
        "-I", "a", "--include-path=b", "-DN=3", "-D", "M", "--std=c++20", "-arch=compute_75",
        "--gpu-architecture=sm_90a",
        "-fmad=false", "--use_fast_math", "-lineinfo", "-default-device", "-w", "-isystem", "c", "-U__X",
        "-include", "d.h",
        "--engine=reference", "-off-pass=vectorise,unroll", "-D__FLAG=1",
    )  # fmt: skip
    found = parse_options(words)
    assert found.standard == "c++20"
    assert found.arch == 80  # more than the device has
    assert not found.fused_multiply_add
    assert found.fast_math
    assert found.line_info
    assert found.quiet
    assert found.engine == "reference"
    assert found.off_passes == ("vectorise", "unroll")
    assert found.places == ("-Ia", "-Ib", "-isystem", "c")
    assert found.defines == (("N", "3"), ("M", "1"))
    assert found.before_headers == ("-U__X", "-include", "d.h", "-D__FLAG=1")
    assert parse_options(["-std=c++11"]).standard == "c++14"  # which the CUDA headers need
    for wrong in (["-nonsense"], ["-fmad=maybe"], ["-arch=new"], ["-std"], ["--engine=warp"]):
        with pytest.raises(Diagnostic):
            parse_options(wrong)


def test_the_key_has_all_that_decides() -> None:
    toolchain, plain = find_toolchain(), Request("x")
    keys = {
        cache.content_key(repr(each))
        for each in (
            plain, Request("y"), Request("x", Options(arch=70)), Request("x", name="other.cu"),
            Request("x", headers={"a": "b"}), Request("x", name_expressions=("k",)),
        )
    }  # fmt: skip
    assert len(keys) == 6
    from warploom.compiler.service import request_key

    assert request_key(plain, toolchain) == request_key(Request("x"), toolchain)
    assert request_key(plain, toolchain) != request_key(Request("x", headers={"a": "b"}), toolchain)


def test_a_first_kernel_loads_no_slow_module_of_the_standard_library() -> None:
    """Each takes longer than a pass of the compiler. The first process may have to fill the cache."""
    slow = ("dataclasses", "inspect", "ast", "fractions", "typing", "subprocess")
    for number in range(2):
        code = f"""
import sys, time
from warploom.compiler.service import Request, compile_module
source = 'extern "C" __global__ void scale(float *x, int n) {{ if (threadIdx.x < n) x[threadIdx.x] *= %d; }}'
compile_module(Request(source % (time.time_ns() % 10**9)))
print([name for name in {slow} if name in sys.modules])
"""
        done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
        assert number == 0 or done.stdout.strip() == "[]"
