# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What options of nvcc make warpcc do: reports, times, files that are kept or removed, dependencies, -run."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

PROGRAM = """
#include "part.h"
#include <cstdio>
__device__ float total[4];
__global__ void meet(float *p, int n) {
  __shared__ float s[256];
  s[threadIdx.x] = p[threadIdx.x];
  __syncthreads();
  p[threadIdx.x] = s[n - threadIdx.x] + total[0];
}
int main(int count, char **words) {
  for (int i = 1; i < count; ++i) std::printf("[%s]", words[i]);
  return 7;
}
"""


def warpcc(*words: str, cwd: Path, status: int = 0) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-m", "warploom.cli.warpcc", *words]
    done = subprocess.run(command, cwd=cwd, capture_output=True, text=True, timeout=300, check=False)
    assert done.returncode == status, done.stderr
    return done


@pytest.fixture
def sources(tmp_path: Path) -> Path:
    (tmp_path / "a.cu").write_text(PROGRAM)
    (tmp_path / "part.h").write_text("#define PART 1\n")
    (tmp_path / "out").mkdir()
    return tmp_path


def test_one_call_reports_what_kernels_use_and_times_its_steps_and_keeps_its_files(sources: Path) -> None:
    words = ["-res-usage", "-time", "t.csv", "-keep", "-keep-dir", "kept", "-fdevice-time-trace", "trace.json"]
    host = ["-Xcompiler", "-fno-gnu-unique,-fPIC", "-ftemplate-depth", "64", "-fmad", "false"]
    done = warpcc(*words, *host, "-c", "a.cu", "-odir", "out", cwd=sources)
    report = done.stderr
    assert "ptxas info    : 16 bytes gmem\n" in report
    assert "Compiling entry function '_Z4meetPfi' for 'sm_80'" in report
    used = re.search(
        r"Used 32 registers, used 1 barriers, 1024 bytes smem, 12 bytes cmem\[0\], vectors of (\d+)", report
    )
    assert used is not None
    assert int(used[1]) > 1
    assert re.search(r"^    \d+ bytes stack frame, \d+ bytes spill stores, \d+ bytes spill loads$", report, re.M)
    assert "'-fno-gnu-unique' is left out" in report
    assert "fPIC" not in report
    head, *rows = (sources / "t.csv").read_text().splitlines()
    assert head.startswith("source file name , phase name , phase input files")
    assert [row.split(" , ")[1] for row in rows] == [
        "clang (device pass)",
        "loom",
        "clang (rest of the host pass)",
        "ld -r",
    ]
    assert all(float(row.split(" , ")[6]) >= 0 for row in rows)
    assert (sources / "kept" / "a.warploom" / "device.ll").exists()
    assert (sources / "trace.json").exists()
    assert (sources / "out" / "a.o").exists()
    warpcc("-clean", "-c", "a.cu", "-odir", "out", cwd=sources)
    assert not (sources / "out" / "a.o").exists()


def test_run_builds_and_runs_and_runs_what_is_built(sources: Path) -> None:
    done = warpcc("-run", "-run-args", "x,y z", "-MMD", "a.cu", "-o", "out/prog", cwd=sources, status=7)
    assert done.stdout == "[x][y][z]"
    assert (sources / "out" / "prog.d").read_text().startswith("out/prog: a.cu")
    assert warpcc("--run", "out/prog", "--run-args=q", cwd=sources, status=7).stdout == "[q]"


def test_dependencies_have_nvccs_names(sources: Path) -> None:
    def target(*words: str, file: str | None = None) -> str:
        done = warpcc(*words, "a.cu", cwd=sources)
        text = (sources / file).read_text() if file else done.stdout
        assert "part.h" in text
        return text.partition(":")[0]

    assert target("-M") == "a.o"
    assert target("-MM", "-odir", "out") == "out/a.o"
    assert target("-MM", "-MT", "name") == "name"
    assert target("-M", "-MF", "m.d", file="m.d") == "a.o"
    assert target("-M", "-MF", "n.d", "-o", "o.d", file="o.d") == "a.o"
    assert not (sources / "n.d").exists()


def test_without_code(sources: Path) -> None:
    assert "compute_75\ncompute_80\n" in warpcc("--list-gpu-arch", cwd=sources).stdout
    assert "sm_121\n" in warpcc("-code-ls", cwd=sources).stdout
    assert "arch=compute_90,code=sm_90\n" in warpcc("-code-ls", "-arch-ls", cwd=sources).stdout
    warpcc("-fdevice-syntax-only", "-c", "a.cu", cwd=sources)
    assert not (sources / "a.o").exists()
    (sources / "bad.cu").write_text("__global__ void k() { missing(); }")
    assert "bad.cu:1:23: error" in warpcc("-fdevice-syntax-only", "bad.cu", cwd=sources, status=1).stderr


def test_objects_become_one_object_and_an_archiver_is_the_users(sources: Path) -> None:
    warpcc("-c", "a.cu", cwd=sources)
    warpcc("-r", "a.o", "-o", "both.o", cwd=sources)
    warpcc("both.o", "-o", "prog", cwd=sources)
    assert subprocess.run([sources / "prog", "w"], stdout=subprocess.PIPE, check=False).stdout == b"[w]"
    script = sources / "own-ar"
    script.write_text('#!/bin/sh\necho "$@" > called\nexec ar "$@"\n')
    script.chmod(0o755)
    archived = {**os.environ, "PATH": f"{sources}:{os.environ['PATH']}"}
    command = [sys.executable, "-m", "warploom.cli.warpcc", "-lib", "-arbin", "own-ar", "-Xarchive", "--thin", "a.o"]
    subprocess.run([*command, "-o", "liba.a"], cwd=sources, env=archived, check=True)
    assert (sources / "called").read_text() == "rcs --thin liba.a a.o\n"


def test_messages_do_not_say_which_pass_has_found_a_mistake(sources: Path) -> None:
    """Code of kernels is read twice, by a host pass and a device pass."""
    (sources / "host.cu").write_text("__global__ void k(int *p) { *p = missing; }\n")
    (sources / "device.cu").write_text("void host();\n__global__ void k() { host(); }\n")
    for name in ("host.cu", "device.cu"):
        said = warpcc("-c", name, cwd=sources, status=1).stderr
        assert said.splitlines()[0].startswith(name), "the first line is the mistake"
        assert said.endswith("1 error generated.\n")


def test_warnings_of_the_host_compiler_that_are_errors_are_not_about_kernels(sources: Path) -> None:
    """nvcc shows g++ the host's code alone. `-Werror all-warnings` is nvcc's own."""
    (sources / "warned.cu").write_text("__global__ void k(int *p) { int unused; unused = 1; }\n")
    (sources / "warned.cpp").write_text("void f() { int unused; unused = 1; }\n")
    done = warpcc("-Xcompiler", "-Wall,-Werror", "-c", "warned.cu", cwd=sources)
    assert "'-Xcompiler -Werror' is left out for CUDA files" in done.stderr
    assert "-Wunused-but-set-variable" in done.stderr, "a warning it stays"
    warpcc("-Xcompiler", "-Wall,-Werror", "-c", "warned.cpp", cwd=sources, status=1)
    warpcc("-Xcompiler", "-Wall", "-Werror", "all-warnings", "-c", "warned.cu", cwd=sources, status=1)
