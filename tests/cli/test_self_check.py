# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""WARPLOOM_COMPARE: kernels run on both engines, on copies of memory; what differs is named, and what explains it."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest

from warploom.backend import twins
from warploom.backend.compilation import DeviceOptions
from warploom.cli.warpcc import main
from warploom.driver.driver import Driver
from warploom.driver.nvcc_options import parse
from warploom.driver.sources import device_bitcode
from warploom.toolchain import Toolchain

HERE = Path(__file__).resolve().parent
SOURCES = HERE / "compare"
Run = Callable[..., subprocess.CompletedProcess[str]]


def run(program: Path, *words: str, compare: str = "1") -> subprocess.CompletedProcess[str]:
    environment = {**os.environ, "WARPLOOM_COMPARE": compare}
    return subprocess.run([program, *words], capture_output=True, text=True, timeout=120, check=False, env=environment)


def told(done: subprocess.CompletedProcess[str]) -> str:
    """The first line on how a kernel compared."""
    return next(line for line in done.stderr.splitlines() if line.startswith("warploom: compare: kernel "))


@pytest.fixture(scope="module")
def planted(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A program whose kernels are miscompiled on purpose: the reference engine gets another source."""
    program, source = tmp_path_factory.mktemp("planted") / "planted", SOURCES / "planted.cu"

    def compile_other(toolchain: Toolchain, bitcode: Path, output: Path, options: DeviceOptions) -> None:
        other = bitcode.with_suffix(".other.bc")
        line = parse([str(source), "-DREFERENCE"])
        device_bitcode(Driver(toolchain, line), source, other)
        compile_twin(toolchain, other, output, replace(options, optimise=1))

    compile_twin = twins.compile_twin
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(twins, "compile_twin", compile_other)
        assert main(["--compare", str(source), "-o", str(program)]) == 0
    return program


def test_kernels_that_give_the_same(planted: Path) -> None:
    done = run(planted, "alike")
    assert (done.returncode, done.stdout) == (0, "printed 2\nprinted 3\nprinted 4\ncudaSuccess\n")
    assert done.stderr == "warploom: compare: compared 3 launches of 1 kernel (3 launches in all): 0 differ\n"


def test_the_first_difference_is_named(planted: Path) -> None:
    done = run(planted, "one_int")
    assert done.returncode == 86
    assert told(done).startswith(
        "warploom: compare: kernel one_int(int*, int), its launch 1 (launch 1 of the program), grid 4 x 1 x 1, "
        "block 256 x 1 x 1: loom and the reference engine DIFFER"
    )
    assert "of 8000 bytes, first at byte 308, in the 4 bytes of index 77: " in done.stderr
    assert "loom 231 (0x000000e7), reference 232 (0x000000e8)\n  1 element in 1 buffer\n" in done.stderr
    assert done.stderr.count("first at byte") == 1
    assert "compared 3 launches of 1 kernel (3 launches in all): 3 differ\n" in done.stderr


def test_the_program_keeps_its_own_status(planted: Path) -> None:
    assert run(planted, "one_int", "status").returncode == 3


@pytest.mark.parametrize(
    ("kernel", "place"),
    [
        ("one_double", "first at byte 4000, in the 8 bytes of index 500: loom 22.360679774997898 ("),
        ("variable", "variable table of 32 bytes, first at byte 20, in the 4 bytes of index 5: loom 1 (0x00000001)"),
        ("only_one_faults", "loom: ends well; reference: warploom: illegal address 0x8 in kernel only_one_faults"),
        (
            "queue_and_sum",
            "variable table of 32 bytes, first at byte 28, in the 4 bytes of index 7: loom 1024 (",
        ),
        ("decided_wrong", "in the 4 bytes of index 3: loom 3 (int 1077936128, 0x40400000), reference 52 ("),
        ("half_as_long", "first at byte 500, in the 4 bytes of index 125: loom -926365496 (0xc8c8c8c8), reference 0 "),
    ],
)
def test_differences_of_other_kinds(planted: Path, kernel: str, place: str) -> None:
    done = run(planted, kernel)
    assert done.returncode == 86
    assert place in done.stderr


def test_the_device_heap(planted: Path) -> None:
    done = run(planted, "nodes")
    assert "makes_nodes" not in done.stderr
    assert "memory of device malloc at " in done.stderr
    assert "  32 elements in 32 buffers\n" in done.stderr


def test_last_digits_are_counted(planted: Path) -> None:
    done = run(planted, "last_digits")
    assert done.returncode == 0
    assert "left out as rounding: 1000 numbers, the largest relative difference 4" in done.stderr
    assert run(planted, "last_digits", compare="exact").returncode == 86
    assert run(planted, "last_digits", compare="close,ulps=2").returncode == 86


@pytest.mark.parametrize("kernel", ["queue", "two_blocks"])
def test_a_kernel_that_depends_on_order(planted: Path, kernel: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("WARPLOOM_NUM_THREADS", "1")  # the program's own order is by index
    done = run(planted, kernel)
    assert done.returncode == 0
    assert "has a race, or depends on the order of threads or on time" in told(done)


@pytest.mark.parametrize("kernel", ["cancelled", "decided"])
def test_cancellation_and_decisions_are_put_down_to_rounding(planted: Path, kernel: str) -> None:
    done = run(planted, kernel)
    assert done.returncode == 0
    assert "depends on rounding: the reference engine itself gives other results" in told(done)


def test_options(planted: Path) -> None:
    done = run(planted, "one_int", compare="launches=1,exactly")
    assert "WARPLOOM_COMPARE: 'exactly' is ignored; known are 1, close, exact," in done.stderr
    assert "compared 1 launch of 1 kernel (3 launches in all): 1 differs\n" in done.stderr
    assert "2 launches of one_int(int*, int) not compared: launches=N leaves out" in done.stderr


def test_a_program_of_one_engine_says_so(tmp_path: Path) -> None:
    source, program = tmp_path / "plain.cu", tmp_path / "plain"
    source.write_text("__global__ void k() {}\nint main() { k<<<1, 1>>>(); }\n")
    assert main([str(source), "-o", str(program)]) == 0
    done = run(program)
    assert done.returncode == 0
    assert "kernel k() is not compared: it was built for one engine only; build it for loom" in done.stderr
    assert "compared 0 launches of 0 kernels (1 launch in all): 0 differ\n" in done.stderr
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("WARPLOOM_COMPARE", "1")
        assert main([str(source), "-o", str(program)]) == 0
    assert "compared 1 launch of 1 kernel " in run(program).stderr


@pytest.fixture(scope="module")
def separate(tmp_path_factory: pytest.TempPathFactory) -> Path:
    program = tmp_path_factory.mktemp("separate") / "separate"
    assert main(["--compare", "-rdc=true", *map(str, sorted(SOURCES.glob("[mo]*.cu"))), "-o", str(program)]) == 0
    return program


def test_several_files_streams_and_host_threads(separate: Path) -> None:
    done = run(separate)
    # chosen(3) + (6 + 100) + 49 + 1; calls: 1 + 11 + 12 + 13
    assert done.stdout == "162 282 37 44 105\n42\n", done.stderr
    assert done.returncode == 0, done.stderr
    assert "compared 5 launches of 3 kernels (6 launches in all): 0 differ\n" in done.stderr
    assert "1 launch of waits(int volatile*) not compared: it waits for the host or another stream\n" in done.stderr


def test_modules(tmp_path: Path) -> None:
    loader, binary = tmp_path / "loader", tmp_path / "kernel.fatbin"
    for words in (
        [HERE / "modules" / "loader.cpp", "-o", loader, "-lcuda"],
        ["--compare", "-fatbin", HERE / "modules" / "kernel.cu", "-o", binary],
    ):
        subprocess.run([sys.executable, "-m", "warploom.cli.warpcc", *map(str, words)], check=True)
    done = run(loader, str(binary), str(binary))
    assert done.stdout == "227 101 seen 8\n327 201 seen 8\n", done.stderr
    assert "0 differ\n" in done.stderr
    assert "not compared" not in done.stderr


def test_versions_for_several_cpus_are_refused(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "x.cu").write_text("__global__ void k() {}\n")
    assert main(["--fat", "--compare", "-c", str(tmp_path / "x.cu"), "-o", str(tmp_path / "x.o")]) == 1
    assert "--fat and --compare do not go together" in capsys.readouterr().err
