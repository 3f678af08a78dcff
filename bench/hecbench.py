# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""CUDA programs of HeCBench against their own OpenMP versions on this processor.

    python bench/hecbench.py CHECKOUT [--every K] [--first J] [--only NAME,...] [--threads N] [--rounds N] [--limit S]
                                      [--cpu NAME] [--folder DIR] [--json FILE]

Takes of the programs that have both versions and may be compared every K-th in alphabetical order from the J-th (or
those named), and builds NAME-cuda by warpcc and NAME-omp by `g++ -O3 -fopenmp` by their own Makefiles; target code
runs on the host. What is compared is the time in target constructs against that in launches (rodinia/hooks.cpp): ours
over OpenMP's, so below 1 ours is faster; the least of N alternating runs, by processor time on one thread, which other
work disturbs less, and by the clock on more. OpenMP gets no more threads than `--threads`, whatever a program asks for.

A program is run by its line in hecbench.tsv, or its Makefile's if OpenMP's version ends within S seconds on one thread,
else by the line with smaller arguments of sweep/notes.tsv, whose sizes are then put in both sources. It is left out,
with a word why, if that takes too long, too, if a version is not for g++, or finds its own result wrong. Not comparable
are programs that call CUDA's host libraries, do not check their results, or have threads of OpenMP that wait for each
other or ask for their number: the host gives as many as it likes.
"""

from __future__ import annotations

import argparse
import json
import os
import re
import shlex
import shutil
import statistics
import subprocess
import sys
import tempfile
from concurrent.futures import ThreadPoolExecutor
from dataclasses import asdict, dataclass, field
from pathlib import Path

from warploom.suite.process import Finished, run_shell
from warploom.suite.sweep import GOOD_WORDS, Note, own_check, read_notes
from warploom.suite.workspace import link_all, write_script

HERE = Path(__file__).resolve().parent
BUILD_LIMIT = 600  # seconds
HOST_LIBRARY = re.compile(r"-lcu(?!da)\w+|-lnccl|-lnpp\w*")
TEAM = re.compile(r"omp_get_thread_num|omp\s+barrier")
SOURCES = (".c", ".cc", ".cpp", ".h", ".hpp", ".cu", ".cuh")
# Words of a command line that g++ does not take: how other compilers are told to offload.
OFFLOADING = (
    "-fiopenmp",
    "-qopenmp",
    "-fopenmp-targets=*",
    "-D__STRICT_ANSI__",
    "-Xopenmp*",
    "-fsycl",
    "-mp=*",
    "-xHost",
)


@dataclass
class Program:
    """One program: what is known of it, and why it is left out, if it is."""

    name: str
    line: str = ""
    why: str = ""
    ours: list[tuple[float, float, float]] = field(
        default_factory=list[tuple[float, float, float]]
    )  # seconds by clock and processor, regions
    theirs: list[tuple[float, float, float]] = field(default_factory=list[tuple[float, float, float]])

    def least(self, threads: int) -> tuple[float, float]:
        """Seconds of ours and OpenMP's."""
        which = 1 if threads == 1 else 0
        return min(each[which] for each in self.ours), min(each[which] for each in self.theirs)


def unfit(sources: Path, name: str) -> str:
    """Why the text of a program says that it cannot be compared; empty if it can."""
    makefile = sources / f"{name}-cuda/Makefile"
    if not makefile.is_file() or not (sources / f"{name}-omp/Makefile").is_file():
        return "no Makefile"
    if HOST_LIBRARY.search(makefile.read_text()):
        return "calls host libraries"
    texts = {version: text_of(sources / f"{name}-{version}") for version in ("cuda", "omp")}
    if TEAM.search(texts["omp"]):
        return "counts on a number of threads"
    if not all(GOOD_WORDS.search(text) for text in texts.values()):
        return "does not check"
    return ""


def text_of(folder: Path) -> str:
    """All sources of a folder."""
    files = [each for each in folder.rglob("*") if each.suffix in SOURCES and each.is_file()]
    return "\n".join(each.read_text(errors="replace") for each in files)


class Workspace:
    """A copy of the programs' folders beside links to all others, and the tools that their Makefiles call."""

    def __init__(self, checkout: Path, folder: Path, cpu: str, limit: float) -> None:
        self.checkout, self.folder, self.limit = checkout, folder, limit
        self.notes = read_notes(HERE / "sweep/notes.tsv")
        rows = [each for each in (HERE / "hecbench.tsv").read_text().splitlines() if not each.startswith("#")]
        self.lines = dict(each.split("\t") for each in rows)
        self.hooks = folder / "hooks.so"
        self.tools = folder / "tools"
        if self.tools.exists():
            return
        self.tools.mkdir(parents=True)
        drop = "|".join(OFFLOADING)
        (self.tools / "omp").write_text(
            "#!/bin/bash\nwords=()\n"
            f'for word in "$@"; do case $word in {drop}) ;; *) words+=("$word") ;; esac; done\n'
            f'exec g++ -O3 -march={cpu} -w -fpermissive "${{words[@]}}" -fopenmp -foffload=disable\n'
        )
        (self.tools / "omp").chmod(0o755)
        write_script(self.tools / "nvcc", f"{shlex.quote(sys.executable)} -P -m warploom.cli.warpcc -march={cpu} -w")
        build = ["g++", "-O2", "-shared", "-fPIC", "-DTARGET_REGIONS", HERE / "rodinia/hooks.cpp", "-o", self.hooks]
        subprocess.run([*build, "-ldl"], check=True)

    def place(self, name: str, version: str) -> Path:
        """Where a version lies in the copy."""
        return self.folder / name / "src" / f"{name}-{version}"

    def lay_out(self, name: str, *, afresh: bool = False) -> None:
        """Copy both versions."""
        root = self.folder / name
        if afresh:
            shutil.rmtree(root, ignore_errors=True)
        if root.exists():
            return
        (root / "src").mkdir(parents=True)
        link_all(self.checkout / "src", root / "src", but="")
        for version in ("cuda", "omp"):
            place = self.place(name, version)
            place.unlink()
            shutil.copytree(self.checkout / "src" / place.name, place)

    def shell(self, name: str, version: str, line: str, limit: float, **environment: str) -> Finished:
        """Run a line in a version's folder."""
        path = f"{self.tools}{os.pathsep}{os.environ['PATH']}"
        return run_shell(
            line,
            folder=self.place(name, version),
            environment=os.environ | {"PATH": path, "SUPPORT": str(HERE / "sweep")} | environment,
            limit=limit,
            log=self.folder / name / version,
        )

    def build(self, name: str, version: str) -> str:
        """Build a version; what went wrong."""
        compiler = "CC=omp" if version == "omp" else "ARCH=sm_80"
        line = f"make {compiler}"
        done = self.shell(name, version, line, BUILD_LIMIT)
        if done.returncode == 0:
            return ""
        errors = [each for each in done.stderr.splitlines() if "rror" in each] or ["no reason"]
        return f"{version}: not built: {errors[0][:150]}"

    def run(self, program: Program, version: str, threads: int, limit: float) -> tuple[float, float, float] | str:
        """Seconds in regions by the clock and by processor time, and their number; or what went wrong."""
        report = self.folder / program.name / "times"
        report.unlink(missing_ok=True)
        environment = {
            "LD_PRELOAD": str(self.hooks),
            "REGION_TIMES": str(report),
            "OMP_NUM_THREADS": str(threads),
            "OMP_THREAD_LIMIT": str(threads),
            "OMP_WAIT_POLICY": "passive",  # threads that wait leave the processor to others, as ours do
            "WARPLOOM_NUM_THREADS": str(threads),
        }
        settings = "; ".join(f"export {name}={shlex.quote(value)}" for name, value in environment.items())
        done = self.shell(program.name, version, f"{settings}; {program.line}", limit)
        if done.timed_out:
            return f"{version}: over {limit:g} s"
        check = own_check(f"{done.stdout}\n{done.stderr}")
        if done.returncode != 0 or check == "fail":
            return f"{version}: wrong, exit status {done.returncode}: {done.stderr[-150:]!r}"
        if check == "none":
            return f"{version}: does not check"
        if not report.exists():
            return f"{version}: no region"
        processes = [tuple(map(float, each.split())) for each in report.read_text().splitlines()]
        clock, processor, _, regions = map(sum, zip(*processes, strict=True))
        return clock, processor, regions

    def own_line(self, name: str) -> str:
        """The line that the Makefile of the CUDA version would run."""
        done = self.shell(name, "cuda", "make -n --no-print-directory -o main run", self.limit)
        lines = [each.strip() for each in done.stdout.splitlines() if re.match(r"\s*\.?/", each)]
        return " && ".join(lines)

    def ready(self, program: Program) -> None:
        """Build both versions and choose the line to run; `why` tells why not."""
        name = program.name
        note = self.notes.get(f"hecbench/src/{name}-cuda", Note())
        own = (self.folder / name / "line").read_text() if (self.folder / name / "line").exists() else ""
        if own:
            program.line = own
            return
        self.lay_out(name)
        program.why = self.build(name, "omp")
        if program.why:
            return
        program.line = self.lines.get(name) or self.own_line(name)
        found = self.run(program, "omp", 1, self.limit) if program.line else "no line"
        if isinstance(found, str) and (note.run or note.prepare):
            self.lay_out(name, afresh=True)
            if note.prepare:
                self.shell(name, "cuda", note.prepare, self.limit)
                self.shell(name, "omp", note.prepare.replace("*.cu", "*.cpp").replace(".cu", ".cpp"), self.limit)
            program.why = self.build(name, "omp")
            program.line = note.run or program.line
            found = self.run(program, "omp", 1, self.limit)
        if isinstance(found, str):
            program.why = program.why or found
            return
        program.why = self.build(name, "cuda")
        if not program.why:
            found = self.run(program, "cuda", 1, 4 * self.limit)
            program.why = found if isinstance(found, str) else ""
        if not program.why:
            (self.folder / name / "line").write_text(program.line)


def measure(workspace: Workspace, program: Program, threads: int, rounds: int) -> None:
    """Run both in turn."""
    for _ in range(rounds):
        for version, found in (("cuda", program.ours), ("omp", program.theirs)):
            times = workspace.run(program, version, threads, 8 * workspace.limit)
            if isinstance(times, str):
                program.why = times
                return
            found.append(times)


def table(programs: list[Program], threads: int) -> None:
    """Print it, the slowest first."""
    compared = {each.name: each.least(threads) for each in programs if not each.why}
    print("| program | ours, ms | OpenMP, ms | ratio | launches, target constructs |\n|---|---:|---:|---:|---:|")
    regions = {each.name: f"{each.ours[0][2]:g}, {each.theirs[0][2]:g}" for each in programs if not each.why}
    for name, (ours, theirs) in sorted(compared.items(), key=lambda each: -each[1][0] / each[1][1]):
        print(f"| {name} | {1e3 * ours:.2f} | {1e3 * theirs:.2f} | {ours / theirs:.2f} | {regions[name]} |")
    if compared:
        mean = statistics.geometric_mean(ours / theirs for ours, theirs in compared.values())
        print(f"| **geometric mean of {len(compared)}** | | | {mean:.3f} | |")
    for each in programs:
        if each.why:
            print(f"left out: {each.name}: {each.why}")


def main() -> None:
    """Build, measure and print."""
    parser = argparse.ArgumentParser(description="HeCBench: CUDA against OpenMP on the host")
    parser.add_argument("checkout", type=Path)
    parser.add_argument("--every", type=int, default=4)
    parser.add_argument("--first", type=int, default=0)
    parser.add_argument("--only", default="")
    parser.add_argument("--threads", type=int, default=1)
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--limit", type=float, default=10)
    parser.add_argument("--jobs", type=int, default=1)
    parser.add_argument("--cpu", default="native")
    parser.add_argument("--folder", type=Path)
    parser.add_argument("--json", type=Path)
    options = parser.parse_args()
    sources = options.checkout.resolve() / "src"
    both = sorted(each.name[:-4] for each in sources.glob("*-omp") if (sources / f"{each.name[:-4]}-cuda").is_dir())
    fit = [each for each in both if not unfit(sources, each)]
    names = [each for each in options.only.split(",") if each] or fit[options.first :: options.every]
    print(f"{len(both)} programs have both versions, {len(fit)} can be compared, {len(names)} are")
    with tempfile.TemporaryDirectory() as temporary:
        folder = (options.folder or Path(temporary)).resolve()
        workspace = Workspace(options.checkout.resolve(), folder, options.cpu, options.limit)
        programs = [Program(name) for name in names]

        def ready(program: Program) -> None:
            workspace.ready(program)
            print(f"{program.name}: {program.why or program.line}", file=sys.stderr, flush=True)

        with ThreadPoolExecutor(options.jobs) as pool:
            list(pool.map(ready, programs))
        for program in programs:
            if not program.why:
                measure(workspace, program, options.threads, options.rounds)
    table(programs, options.threads)
    if options.json:
        options.json.write_text(json.dumps([asdict(each) for each in programs], indent=1))


if __name__ == "__main__":
    main()
