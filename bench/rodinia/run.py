# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Rodinia's CUDA programs against its OpenMP programs, or against themselves with passes switched off.

    python bench/rodinia/run.py CHECKOUT [--data DIR] [--samples DIR] [--only NAME,...] [--rounds N] [--json FILE]
                                         [--threads N] [--folder DIR]
    python bench/rodinia/run.py CHECKOUT --off PASS,... [the same options]

The computational part is what runs inside of parallel constructs (OpenMP) or of launches (CUDA), see hooks.cpp. The
first form builds both with -O3 for this processor (OpenMP by gcc), runs them in alternation on N threads, and prints
medians and their ratios: time of OpenMP over ours, so above 1 ours is faster. The second form prints processor time of
launches with a pass off over that with all passes on, on one thread: above 1 the pass helps.

Inputs are made up (inputs.py), those of cfd, myocyte and huffman taken from `--data`, laid out as Rodinia's data
folder; cfd needs `--samples`, the folder Common of the CUDA samples. Programs that lack something are left out.
Everything is built and run in a copy of CHECKOUT: in a folder that goes afterwards, or in `--folder`, where a program
that has been built is not built again.
"""

from __future__ import annotations

import argparse
import json
import os
import resource
import shlex
import shutil
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterable, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path

from inputs import make_inputs

HERE = Path(__file__).resolve().parent
OPENMP_FLAGS = "-O3 -march=native -fopenmp -w"
CUDA_FLAGS = "-O3 -march=native -w -Xcompiler -w -DcudaThreadSynchronize=cudaDeviceSynchronize"
RUN_LIMIT = 120  # seconds


@dataclass(frozen=True)
class Program:
    """A line of programs.tsv."""

    name: str
    cuda_folder: str
    cuda_build: str
    cuda_arguments: str
    openmp_folder: str = ""
    openmp_build: str = ""
    openmp_arguments: str = ""


@dataclass(frozen=True)
class Times:
    """Seconds of one run: regions by the clock and by processor time, first to last region, the whole program."""

    clock: float
    processor: float
    span: float
    whole: float
    whole_processor: float


@dataclass(frozen=True)
class Built:
    """A program and how to run it."""

    path: Path
    arguments: Sequence[str]
    folder: Path


class Workspace:
    """A copy of the checkout with inputs, and the measuring library."""

    def __init__(self, folder: Path, checkout: Path, data: Path | None, samples: Path | None) -> None:
        self.folder = folder
        self.samples = samples
        self.inputs = folder / "data"
        self.hooks = folder / "hooks.so"
        if self.hooks.exists():
            return
        for each in ("cuda", "openmp", "common"):
            shutil.copytree(checkout / each, folder / each)
        if data:
            shutil.copytree(data, self.inputs, dirs_exist_ok=True)
        make_inputs(self.inputs)
        shell(f"g++ -O2 -shared -fPIC {HERE / 'hooks.cpp'} -o {self.hooks} -ldl", folder)

    def is_complete(self, program: Program) -> bool:
        """Every file that it needs is there."""
        named = [word for word in self.words(program.cuda_arguments) if word.startswith(str(self.inputs))]
        files = [*map(Path, named)]
        if "%" in program.cuda_build and not self.samples:
            return False
        if program.name == "myocyte":
            files.append(self.inputs / "myocyte/y.txt")
        return all(each.exists() for each in files)

    def words(self, arguments: str) -> list[str]:
        """An argument list, @ replaced."""
        return arguments.replace("@", str(self.inputs)).split()

    def cuda(self, program: Program, label: str = "cuda", off: str = "") -> Built:
        """Build the CUDA program, without the passes `off`."""
        path, folder = self.folder / f"{program.name}.{label}", self.folder / program.cuda_folder
        sources = program.cuda_build.replace("%", str(self.samples))
        command = f"{sys.executable} -m warploom.cli.warpcc {CUDA_FLAGS} {sources} -lm -o {path}"
        if not path.exists():
            shell(command, folder, {"WARPLOOM_OFF_PASS": off})
        return Built(path, self.words(program.cuda_arguments), self.run_folder(program, folder))

    def openmp(self, program: Program, threads: int) -> Built:
        """Build the OpenMP program; it is told the number of threads."""
        path, folder = self.folder / f"{program.name}.openmp", self.folder / program.openmp_folder
        compiler, _, rest = program.openmp_build.partition(" ")
        if not path.exists():
            shell(f"{compiler} {OPENMP_FLAGS} {rest} -lm -o {path}", folder)
        arguments = program.openmp_arguments.replace("#", str(threads))
        return Built(path, self.words(arguments), self.run_folder(program, folder))

    def run_folder(self, program: Program, folder: Path) -> Path:
        """nn takes files of its own folder only."""
        return self.inputs / "nn" if program.name == "nn" else folder

    def run(self, built: Built, threads: int) -> Times:
        """Run once; both engines of parallelism get `threads` threads."""
        report = self.folder / "times"
        report.unlink(missing_ok=True)
        environment = os.environ | {
            "LD_PRELOAD": str(self.hooks),
            "REGION_TIMES": str(report),
            "OMP_NUM_THREADS": str(threads),
            "OMP_WAIT_POLICY": "passive",  # threads that wait leave the processor to others, as ours do
            "WARPLOOM_NUM_THREADS": str(threads),
        }
        before, start = resource.getrusage(resource.RUSAGE_CHILDREN), time.perf_counter()
        subprocess.run(
            [built.path, *built.arguments], cwd=built.folder, env=environment, timeout=RUN_LIMIT, check=False,
            stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
        )  # fmt: skip
        whole, after = time.perf_counter() - start, resource.getrusage(resource.RUSAGE_CHILDREN)
        if not report.exists():
            raise SystemExit(f"{built.path.name}: ended without a launch or a parallel region")
        clock, processor, span, _ = map(float, report.read_text().split())
        used = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
        return Times(clock, processor, span, whole, used)


def shell(command: str, folder: Path, environment: dict[str, str] | None = None) -> None:
    """Run a build line."""
    done = subprocess.run(
        shlex.split(command),
        cwd=folder,
        env=os.environ | (environment or {}),
        capture_output=True,
        text=True,
        check=False,
    )
    if done.returncode:
        raise SystemExit(f"{command}\n{done.stderr[-2000:]}")


def programs(only: Sequence[str]) -> Iterable[Program]:
    """Those of programs.tsv, or of them those named."""
    for line in (HERE / "programs.tsv").read_text().splitlines():
        if not line.startswith("#"):
            program = Program(*line.split("\t"))
            if not only or program.name in only:
                yield program


def alternate(workspace: Workspace, builds: dict[str, Built], rounds: int, threads: int) -> dict[str, list[Times]]:
    """Run each in turn, `rounds` times."""
    found: dict[str, list[Times]] = {label: [] for label in builds}
    for _ in range(rounds):
        for label, built in builds.items():
            found[label].append(workspace.run(built, threads))
    return found


def median(runs: Iterable[Times], field: Callable[[Times], float]) -> float:
    """The median of one of the times."""
    return statistics.median(map(field, runs))


def against_openmp(workspace: Workspace, chosen: Sequence[Program], rounds: int, threads: int) -> list[object]:
    """Print the table of ratios."""
    fields = [Times.__dataclass_fields__[name].name for name in ("clock", "processor", "span", "whole")]
    print("| program | ours, ms | OpenMP, ms | by the clock | processor time | first to last | whole program |")
    print("|---|---:|---:|---:|---:|---:|---:|", flush=True)
    results: list[object] = []
    ratios: dict[str, list[float]] = {name: [] for name in fields}
    for program in chosen:
        builds = {"ours": workspace.cuda(program), "openmp": workspace.openmp(program, threads)}
        found = alternate(workspace, builds, rounds, threads)
        row = [f"{median(found[label], lambda each: each.clock) * 1e3:.1f}" for label in builds]
        for name in fields:
            pairs = zip(found["openmp"], found["ours"], strict=True)
            ratios[name].append(statistics.median(getattr(a, name) / getattr(b, name) for a, b in pairs))
            row.append(f"{ratios[name][-1]:.2f}")
        print(f"| {program.name} | {' | '.join(row)} |", flush=True)
        results.append({"name": program.name, **{k: [asdict(each) for each in v] for k, v in found.items()}})
    means = [f"{statistics.geometric_mean(ratios[name]):.2f}" for name in fields]
    print(f"| **geometric mean** | | | {' | '.join(means)} |")
    return results


def ablation(workspace: Workspace, chosen: Sequence[Program], off: Sequence[str], rounds: int) -> list[object]:
    """Print how much longer launches take with a pass off."""
    print(f"| program | all on, ms | {' | '.join(off)} |\n|---|---:{'|---:' * len(off)}|", flush=True)
    results: list[object] = []
    ratios: dict[str, list[float]] = {name: [] for name in off}
    for program in chosen:
        builds = {"all": workspace.cuda(program), **{name: workspace.cuda(program, name, name) for name in off}}
        found = alternate(workspace, builds, rounds, threads=1)
        base = min(each.processor for each in found["all"])
        for name in off:
            ratios[name].append(min(each.processor for each in found[name]) / base)
        row = [f"{base * 1e3:.1f}", *(f"{ratios[name][-1]:.2f}" for name in off)]
        print(f"| {program.name} | {' | '.join(row)} |", flush=True)
        results.append({"name": program.name, **{k: [asdict(each) for each in v] for k, v in found.items()}})
        for built in builds.values():
            built.path.unlink()
    means = [f"{statistics.geometric_mean(ratios[name]):.2f}" for name in off]
    print(f"| **geometric mean** | | {' | '.join(means)} |")
    return results


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(description="Rodinia: CUDA against OpenMP, or passes off one at a time")
    parser.add_argument("checkout", type=Path)
    parser.add_argument("--data", type=Path)
    parser.add_argument("--samples", type=Path)
    parser.add_argument("--only", default="")
    parser.add_argument("--off", default="")
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--threads", type=int, default=2)
    parser.add_argument("--folder", type=Path)
    parser.add_argument("--json", type=Path)
    options = parser.parse_args()
    split = [each for each in options.only.split(",") if each]
    off = [each for each in options.off.split(",") if each]
    with tempfile.TemporaryDirectory() as name:
        workspace = Workspace(
            (options.folder or Path(name)).resolve(), options.checkout.resolve(), options.data, options.samples
        )
        chosen = [each for each in programs(split) if workspace.is_complete(each) and (off or each.openmp_folder)]
        if off:
            results = ablation(workspace, chosen, off, options.rounds)
        else:
            results = against_openmp(workspace, chosen, options.rounds, options.threads)
    if options.json:
        options.json.write_text(json.dumps(results, indent=1))


if __name__ == "__main__":
    main()
