# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What a launch costs, beside the parallel loops of OpenMP and oneTBB: medians of alternating runs."""

from __future__ import annotations

import json
import statistics
import subprocess
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from warploom.cli import run
from warploom.diagnostics import Diagnostic
from warploom.measure.builds import Builder
from warploom.measure.runs import TIME_LIMIT, Plan, pinned, threads_environment
from warploom.measure.workloads import source_folder

SOURCE = "launch_cost"
COLUMNS = {"of_1000_us": "one of 1,000", "each_us": "and wait", "after_idling_us": "after 5 ms idle"}

# Of one program: of each line of its output the threads, and microseconds by column.
Times = dict[int, dict[str, float]]


def table(builder: Builder, plan: Plan) -> str:
    """Markdown: a line for each number of threads and way to launch, a column for each program."""
    programs = contestants(builder)
    rounds: dict[str, list[Times]] = {name: [] for name in programs}
    with pinned(plan.cores):
        for _ in range(plan.rounds):
            for name, program in programs.items():
                rounds[name].append(times(name, program, plan))
    lines = [f"{len(plan.cores)} cores, microseconds a launch, medians of {plan.rounds} rounds", ""]
    lines += [f"| threads | launch | {' | '.join(programs)} |", f"|---:|---|{'---:|' * len(programs)}"]
    for threads in rounds["Warploom"][0]:
        for key, title in COLUMNS.items():
            cells = [statistics.median(each[threads][key] for each in rounds[name]) for name in programs]
            lines.append(f"| {threads:,} | {title} | {' | '.join(f'{cell:.2f}' for cell in cells)} |")
    return "\n".join(lines)


def contestants(builder: Builder) -> Mapping[str, Path]:
    """Programs by the name of what runs their loops."""
    made = {"Warploom": cuda_program(builder, SOURCE)}
    for runtime in builder.openmp_runtimes:
        made[runtime[0].partition("=")[2] or "libomp"] = builder.plain(f"{SOURCE}.omp.cpp", [*runtime])
    tools = builder.toolchain
    if tools.tbb_include is not None:
        words = ["-idirafter", str(tools.tbb_include), f"-L{tools.tbb_lib}", f"-Wl,-rpath,{tools.tbb_lib}", "-ltbb"]
        made["oneTBB"] = builder.plain(f"{SOURCE}.tbb.cpp", words)
    return made


def cuda_program(builder: Builder, name: str) -> Path:
    """The CUDA program of that name."""
    flags = ["-O3", "-std=c++17", "--cpu", builder.cpu, *builder.flags]
    source = str(source_folder() / f"{name}.cu")
    return run.cached_program(run.Request(sources=[source], compiler_flags=flags, engine=builder.engine))


def times(name: str, program: Path, plan: Plan) -> Times:
    """Run a program once."""
    return {each["threads"]: {key: each[key] for key in COLUMNS} for each in lines_of(name, program, plan)}


def lines_of(name: str, program: Path, plan: Plan) -> list[dict[str, Any]]:
    """What a program writes: an object of JSON a line."""
    words: Sequence[str | Path] = [program, *(["--quick"] if plan.quick else [])]
    done = subprocess.run(
        words, capture_output=True, text=True, env=threads_environment(plan), timeout=TIME_LIMIT, check=False
    )
    if done.returncode != 0:
        raise Diagnostic(f"the {name} program ended with status {done.returncode}: {done.stderr.strip()[-500:]}")
    return [json.loads(line) for line in done.stdout.splitlines()]
