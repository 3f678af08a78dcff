# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Compile time: a small CUDA file against the same code as plain C++ with the same clang, and where the time goes.

    python bench/compile_time.py [ROUNDS]
    python bench/compile_time.py --stages FILE.cu [warpcc options] [--rounds N]
    python bench/compile_time.py --kernels FOLDER [warpcc options] [--rounds N]
    python bench/compile_time.py --engines FILE.cu... [warpcc options] [--rounds N]

The first form compiles both in alternation and prints the seconds of each (minimum, median, maximum) and the ratio of
the medians. The second compiles one file and prints the seconds of every stage of the engine loom. Stages are measured
in processor time, which other work on the machine disturbs less than the clock; both passes of clang run beside the
rest, so the parts add up to more than the whole. Compilations that build the precompiled headers are not counted.

The third form takes every kernel of every CUDA file below FOLDER by itself: what the engine needs from clang's device
module to the object when the file has this kernel alone, with its variants for block sizes; median, 90th percentile and
the longest ones. Files that clang does not take without their own build files are named and left out.

The fourth form compiles each file for both engines in alternation, from the source to the object, and prints the least
processor seconds of all processes, and their ratio.

Python compiles its modules anew in every process under PYTHONDONTWRITEBYTECODE: this script takes that out of the
environment, as an installed Warploom has them compiled.
"""

from __future__ import annotations

import os
import resource
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Sequence
from concurrent.futures import ProcessPoolExecutor
from concurrent.futures.process import BrokenProcessPool
from contextlib import ExitStack, suppress
from dataclasses import dataclass
from multiprocessing import get_context
from pathlib import Path
from typing import ParamSpec, TypeVar
from unittest.mock import patch

from warploom.diagnostics import Diagnostic
from warploom.driver.driver import CompilerFailed
from warploom.toolchain import find_toolchain

HEAD = "#include <cstdio>\n#include <cstdlib>\n#include <cstring>\n#include <vector>\n"
CUDA = (
    HEAD
    + """
__global__ void saxpy(int n, float a, const float *x, float *y) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) y[i] = a * x[i] + y[i];
}
int main() {
  int n = 1 << 20;
  std::vector<float> x(n, 1.0f), y(n, 2.0f);
  float *dx, *dy;
  cudaMalloc(&dx, n * sizeof(float));
  cudaMalloc(&dy, n * sizeof(float));
  cudaMemcpy(dx, x.data(), n * sizeof(float), cudaMemcpyHostToDevice);
  cudaMemcpy(dy, y.data(), n * sizeof(float), cudaMemcpyHostToDevice);
  saxpy<<<(n + 255) / 256, 256>>>(n, 2.0f, dx, dy);
  cudaMemcpy(y.data(), dy, n * sizeof(float), cudaMemcpyDeviceToHost);
  std::printf("%f\\n", y[0]);
}
"""
)
PLAIN = (
    HEAD
    + """
void saxpy(int i, int n, float a, const float *x, float *y) {
  if (i < n) y[i] = a * x[i] + y[i];
}
int main() {
  int n = 1 << 20;
  std::vector<float> x(n, 1.0f), y(n, 2.0f);
  float *dx = (float *)std::malloc(n * sizeof(float)), *dy = (float *)std::malloc(n * sizeof(float));
  std::memcpy(dx, x.data(), n * sizeof(float));
  std::memcpy(dy, y.data(), n * sizeof(float));
  for (int i = 0; i < n; ++i) saxpy(i, n, 2.0f, dx, dy);
  std::memcpy(y.data(), dy, n * sizeof(float));
  std::printf("%f\\n", y[0]);
}
"""
)
NOT_COUNTED = 2
LONGEST = 5  # kernels that are named
P = ParamSpec("P")
T = TypeVar("T")

# -- against clang ----------------------------------------------------------------------------------------------------


def seconds(command: list[str], folder: Path) -> tuple[float, float]:
    """Wall time and processor time of one command."""
    start, before = time.perf_counter(), children()
    subprocess.run(command, cwd=folder, check=True)
    return time.perf_counter() - start, children() - before


def children() -> float:
    """Processor time of the processes that ended."""
    usage = resource.getrusage(resource.RUSAGE_CHILDREN)
    return usage.ru_utime + usage.ru_stime


def compare(rounds: int) -> None:
    """A small file against plain C++."""
    toolchain = find_toolchain()
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        (folder / "small.cu").write_text(CUDA)
        (folder / "small.cpp").write_text(PLAIN)
        commands = {
            "warpcc": [sys.executable, "-m", "warploom.cli.warpcc", "-O2", "-c", "small.cu", "-o", "cu.o"],
            "clang++": [str(toolchain.clang), *toolchain.cxx_flags, "-O2", "-c", "small.cpp", "-o", "cpp.o"],
        }
        times: dict[str, list[tuple[float, float]]] = {label: [] for label in commands}
        for number in range(rounds + NOT_COUNTED):
            for label, command in commands.items():
                taken = seconds(command, folder)
                if number >= NOT_COUNTED:
                    times[label].append(taken)
    medians: dict[str, float] = {}
    for label, values in times.items():
        wall, processor = zip(*values, strict=True)
        medians[label] = statistics.median(wall)
        shown = f"{min(wall):.3f} {medians[label]:.3f} {max(wall):.3f} s"
        print(f"{label:8} {shown}, processor {statistics.median(processor):.3f} s")
    ours, clang = medians["warpcc"], medians["clang++"]
    print(f"ratio    {ours / clang:.2f}, above clang {ours - clang:.3f} s")


# -- stages -----------------------------------------------------------------------------------------------------------


class Stages:
    """Processor time by stage, of one compilation in this process."""

    def __init__(self) -> None:
        self.taken: dict[str, float] = {}
        self._inside = 0.0  # of stages within the one that runs

    def timed(self, label: str | Callable[..., str], action: Callable[P, T]) -> Callable[P, T]:
        """`action`, which also adds its own time, less that of stages within it."""

        def run(*arguments: P.args, **keywords: P.kwargs) -> T:
            before, self._inside = self._inside, 0.0
            start = time.process_time()
            try:
                return action(*arguments, **keywords)
            finally:
                whole = time.process_time() - start
                name = label if isinstance(label, str) else label(*arguments, **keywords)
                self.taken[name] = self.taken.get(name, 0.0) + whole - self._inside
                self._inside = before + whole

        return run


def _in_place(_name: str, task: Callable[[], None]) -> None:
    """What would run in a fork runs here, to be measured."""
    task()


def measure(words: Sequence[str]) -> dict[str, float]:
    """Compile once with `warpcc words`; the seconds of each stage."""
    from warploom.backend import emission, finish, loom, prepare
    from warploom.cli import warpcc
    from warploom.driver import sources
    from warploom.llvm.module import Module
    from warploom.passes import runner

    def pass_label(_lowered: object, label: str, *_rest: object) -> str:
        return f"pass {label.partition('.')[0]}"

    optimising = False

    def run_llvm(work: loom.Compilation) -> None:
        nonlocal optimising
        optimising = True
        run_llvm_passes(work)
        optimising = False

    def llvm_label(*_arguments: object) -> str:
        return "LLVM passes" if optimising else "LLVM clean-up"

    run_llvm_passes = loom.run_llvm
    stages = Stages()
    targets: list[tuple[object, str, str | Callable[..., str]]] = [
        (sources, "headers", "look for precompiled headers"),
        (sources, "launch_sizes", "block sizes from the text"),
        (loom, "begin", "read and adapt the module"),
        (loom, "clean", "clean-up around LLVM"),
        (prepare, "lower_ptx", "inline PTX"),
        (loom, "import_kernel", "import"),
        (runner, "_run_one", pass_label),
        (loom.LoomText, "add", "emission"),
        (loom.LoomText, "text", "emission"),
        (Module, "link_text", "LLVM reads the text"),
        (Module, "run_passes", llvm_label),
        (loom, "place_shared_memory", "shared memory and image"),
        (loom, "finish", "shared memory and image"),
        (Module, "emit_object", "LLVM code generation"),
        (finish, "image_text", "shared memory and image"),
    ]
    with ExitStack() as scope:
        scope.enter_context(patch.object(loom, "PART", sys.maxsize))  # all in this process
        scope.enter_context(patch.object(emission, "apart", _in_place))
        scope.enter_context(patch.object(loom, "run_llvm", run_llvm))
        for owner, name, label in targets:
            scope.enter_context(patch.object(owner, name, stages.timed(label, getattr(owner, name))))
        status = stages.timed("everything else", warpcc.main)(words)
    if status:
        raise SystemExit(status)
    return stages.taken


def clang_passes(words: Sequence[str]) -> dict[str, float]:
    """The processor seconds of the device pass and the host pass, each alone."""
    shown = subprocess.run(
        [sys.executable, "-m", "warploom.cli.warpcc", *words],
        env=os.environ | {"WARPLOOM_DEBUG": "1"}, stderr=subprocess.PIPE, text=True, check=True,
    ).stderr  # fmt: skip
    commands = [line[2:] for line in shown.splitlines() if line.startswith("+ ")]
    passes = {"clang device pass": "-emit-llvm", "clang host pass": "-fcuda-include-gpubinary"}
    taken: dict[str, float] = {}
    for label, flag in passes.items():
        command = next(each for each in commands if flag in each)
        # Their folder is gone: both write to nowhere, and the host pass reads an image of our own.
        with tempfile.TemporaryDirectory() as name:
            old = Path(command.split()[-1]).parent
            Path(name, "image.id").write_bytes(b"warploom image\0")
            before = children()
            subprocess.run(command.replace(str(old), name), shell=True, check=True, stderr=subprocess.DEVNULL)
            taken[label] = children() - before
    return taken


def start_up() -> float:
    """Processor seconds of a Python that loads the compiler and ends."""
    before = children()
    subprocess.run([sys.executable, "-c", "import warploom.cli.warpcc, warploom.backend.loom"], check=True)
    return children() - before


def stages_of(words: Sequence[str], rounds: int) -> None:
    """Print the least processor time of every stage, and wall times of the whole."""
    command = [sys.executable, "-m", "warploom.cli.warpcc", *words]
    found: list[dict[str, float]] = []
    whole: list[tuple[float, float]] = []
    for _ in range(NOT_COUNTED):
        seconds(command, Path.cwd())
    for _ in range(rounds):
        whole.append(seconds(command, Path.cwd()))
        found.append({"Python starts": start_up(), **clang_passes(words), **measure(words)})
    labels = list(dict.fromkeys(label for each in found for label in each))
    for label in labels:
        print(f"{min(each.get(label, 0.0) for each in found):8.3f} s  {label}")
    wall, processor = zip(*whole, strict=True)
    print(f"{min(wall):8.3f} s  end to end by the clock (median {statistics.median(wall):.3f} s)")
    print(f"{min(processor):8.3f} s  processor time, all processes")


# -- kernels ----------------------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Alone:
    """A kernel compiled by itself: processor seconds, bytes of its object's code and constants."""

    file: Path
    kernel: str
    seconds: float
    code: int


def each_alone(file: Path, words: Sequence[str], rounds: int) -> list[Alone]:
    """Every kernel of `file`, compiled by itself; the least of `rounds`. SystemExit or a Diagnostic: not compiled."""
    from warploom.backend import loom
    from warploom.backend.compilation import Compilation, DeviceOptions
    from warploom.backend.demangle import demangled
    from warploom.cli import warpcc
    from warploom.frontend.launches import LaunchSizes
    from warploom.passes.runner import PipelineOptions
    from warploom.toolchain import Toolchain

    found: list[Alone] = []
    begin = loom.begin

    def device(
        toolchain: Toolchain, bitcode: Path, output: Path, options: DeviceOptions,
        pipeline: PipelineOptions, sizes: LaunchSizes | None = None,
    ) -> None:  # fmt: skip
        for kernel in [each.name for each in begin(toolchain, bitcode, options).device.kernels]:

            def only(*arguments: object, kernel: str = kernel) -> Compilation:
                work = begin(*arguments)  # pyright: ignore[reportArgumentType]
                others = {each.name for each in work.device.kernels} - {kernel}
                work.device.kernels[:] = [each for each in work.device.kernels if each.name == kernel]
                work.private -= others
                for each in others:
                    del work.entries[each]
                return work

            taken: list[float] = []
            with patch.object(loom, "begin", only):
                for _ in range(rounds):
                    start = time.process_time()
                    compile_device(toolchain, bitcode, output, options, pipeline, sizes)
                    taken.append(time.process_time() - start)
            found.append(Alone(file, demangled(kernel), min(taken), code_bytes(output)))
        raise Measured

    compile_device = loom.compile_device
    with patch.object(loom, "compile_device", device), tempfile.TemporaryDirectory() as name:
        folders = [f"-I{file.parent}", f"-I{file.parent.parent}"]
        with suppress(Measured):
            if warpcc.main(["-c", "-o", f"{name}/out.o", *folders, *words, str(file)]):
                raise SystemExit(1)
    return found


class Measured(Exception):
    """All was measured: nothing has to be written."""


def code_bytes(objects: Path) -> int:
    """Bytes of code and constants in an object."""
    shown = subprocess.run(["size", str(objects)], stdout=subprocess.PIPE, text=True, check=True).stdout
    return int(shown.splitlines()[1].split()[0])


def kernels_of(folder: Path, words: Sequence[str], rounds: int) -> None:
    """Print how long the kernels below `folder` take, each by itself."""
    found: list[Alone] = []
    left_out: list[str] = []
    files = sorted(folder.rglob("*.cu"))
    for file in files:
        try:  # in a process of its own: LLVM may end it
            with ProcessPoolExecutor(1, get_context("spawn")) as process:
                compiled = process.submit(each_alone, file, words, rounds).result()
        except (SystemExit, CompilerFailed, Diagnostic, BrokenProcessPool):
            left_out.append(str(file.relative_to(folder)))
            print(f"left out: {left_out[-1]}", flush=True)
            continue
        found += compiled
        for each in compiled:
            print(line_of(each, folder), flush=True)
    if not found:
        raise SystemExit("no kernel was compiled")
    found.sort(key=lambda each: each.seconds)
    times = [each.seconds for each in found]
    code = sum(each.code for each in found)
    print(f"{len(found)} kernels of {len(files) - len(left_out)} files, {sum(times):.1f} s, {code} bytes")
    print(f"median {statistics.median(times):.3f} s, 90th percentile {times[len(times) * 9 // 10]:.3f} s")
    for each in found[: -LONGEST - 1 : -1]:
        print(line_of(each, folder))


def line_of(kernel: Alone, folder: Path) -> str:
    """A line of the table."""
    return f"{kernel.seconds:8.3f} s {kernel.code:9} bytes  {kernel.kernel} ({kernel.file.relative_to(folder)})"


# -- engines ----------------------------------------------------------------------------------------------------------


def engines_of(words: Sequence[str], rounds: int) -> None:
    """Print what the compilation of each file costs on both engines."""
    files = [word for word in words if word.endswith(".cu")]
    flags = [word for word in words if word not in files]
    print(f"{'loom':>8} {'reference':>10} {'ratio':>6}")
    with tempfile.TemporaryDirectory() as name:
        for file in files:
            least = dict.fromkeys(("loom", "reference"), float("inf"))
            for number in range(rounds + 1):  # the first one may build precompiled headers
                for engine in least:
                    command = [sys.executable, "-m", "warploom.cli.warpcc", "-c", f"--engine={engine}", *flags]
                    taken = seconds([*command, file, "-o", f"{name}/out.o"], Path.cwd())[1]
                    least[engine] = min(least[engine], taken) if number else least[engine]
            loom, reference = least.values()
            print(f"{loom:6.2f} s {reference:8.2f} s {loom / reference:6.2f}  {file}", flush=True)


def main() -> None:
    """Measure and print."""
    os.environ.pop("PYTHONDONTWRITEBYTECODE", None)
    words = sys.argv[1:]
    if not {"-h", "--help"}.isdisjoint(words):
        print(__doc__)
        return
    if words[:1] not in (["--stages"], ["--kernels"], ["--engines"]):
        compare(int(words[0]) if words else 11)
        return
    rounds = 1 if words[0] == "--kernels" else 3
    if "--rounds" in words:
        place = words.index("--rounds")
        rounds = int(words[place + 1])
        del words[place : place + 2]
    if words[0] == "--kernels":
        kernels_of(Path(words[1]), words[2:], rounds)
        return
    if words[0] == "--engines":
        engines_of(words[1:], rounds)
        return
    with tempfile.TemporaryDirectory() as name:
        stages_of(["-c", "-o", f"{name}/out.o", *words[1:]], rounds)


if __name__ == "__main__":
    main()
