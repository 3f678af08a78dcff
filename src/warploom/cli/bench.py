# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""`warploom bench`: CUDA programs on this machine's CPU against hand-written OpenMP, in alternation on pinned cores."""

from __future__ import annotations

import argparse
import sys
import tempfile
from collections.abc import Sequence
from pathlib import Path
from typing import TextIO

from warploom.cli.build import BuildFailed
from warploom.core.records import replace
from warploom.diagnostics import Diagnostic
from warploom.engines import check_engine
from warploom.measure import launch_cost, peers, report, streams
from warploom.measure.builds import NATIVE, Builder, check_march
from warploom.measure.peers import Peer
from warploom.measure.runs import Plan, Programs, Result, RunFailed, available_cores, compare
from warploom.measure.workloads import Workload, select
from warploom.toolchain import find_toolchain

EPILOG = """Flags that are not listed go to warpcc (write a value as --flag=VALUE). The ratio is our time over OpenMP's:
lower is better. With several numbers of cores a table of all ratios comes last. With --quick the problems are small
and the numbers mean nothing. The exit status is 1 when a program gives a wrong result."""


def main(argv: Sequence[str]) -> int:
    """Print the table; 0 when every result is right, else 1."""
    options, more = parser().parse_known_args(argv)
    flags = [word for word in more if word.startswith("-")]
    options.names += [word for word in more if not word.startswith("-")]
    workloads = select(options.names)
    if options.list:
        print("\n".join(workload.name for workload in workloads))
        return 0
    builder = Builder(
        toolchain=find_toolchain(),
        march=check_march(options.march),
        engine=check_engine(options.engine) if options.engine else None,
        flags=tuple(flags),
        openmp_flags=tuple(options.openmp_flags.split()),
    )
    plans = [Plan(options.rounds, options.seconds, available_cores(n), options.quick) for n in options.cores]
    if options.launch_cost or options.streams:
        tables = [launch_cost.table] * options.launch_cost + [streams.table] * options.streams
        print("\n\n".join(table(builder, plan) for table in tables for plan in plans))
        return 0
    out = sys.stderr if options.json == "-" else sys.stdout
    results: list[Result] = []
    failures: list[str] = []
    with tempfile.TemporaryDirectory(prefix="warploom-bench-") as folder:
        for plan in plans:
            found: list[Peer] = []
            if options.peers:
                variables = peers.environment(options.opencl_driver, Path(folder), len(plan.cores))
                plan = replace(plan, environment=variables)
                found, reason = peers.find(builder, variables)
                print(", ".join(map(peers.described, found)) if found else f"no peers: {reason}", file=out)
            measured, failed = measure_all(workloads, builder, plan, found, out)
            results += measured
            failures += failed
    if len(plans) > 1:
        print(f"\n{report.by_cores(results)}", file=out)
    if options.json is not None:
        known = {workload.name: workload for workload in workloads}
        for result in results:
            result.width, result.jam = builder.vectors(known[result.name])
        write_json(options.json, report.as_json(results, with_peers=options.peers))
    for failure in failures:
        print(f"warploom: error: {failure}", file=sys.stderr)
    return 1 if failures else 0


def parser() -> argparse.ArgumentParser:
    """The command line."""
    made = argparse.ArgumentParser(
        prog="warploom bench", description=(__doc__ or "").partition(": ")[2], epilog=EPILOG, allow_abbrev=False
    )
    made.add_argument("names", nargs="*", metavar="NAME", help="workloads, or globs of them (default: all)")
    made.add_argument("--list", action="store_true", help="name the workloads and stop")
    made.add_argument("--rounds", type=positive, default=7, metavar="N", help="each runs both programs (default 7)")
    made.add_argument("--seconds", type=seconds, default=0.2, metavar="S", help="of one process (default 0.2)")
    made.add_argument(
        "--cores", type=positives, default=[1], metavar="N,...", help="how many both may use, in turn (default 1)"
    )
    made.add_argument("-march", default=NATIVE, metavar="CPU", help="native (default), x86-64, x86-64-v2, -v3, -v4")
    made.add_argument("--engine", metavar="NAME", help="what runs the kernels")
    made.add_argument("--openmp-flags", default="", metavar="'FLAGS'", help="more flags for the OpenMP programs")
    made.add_argument("--peers", action="store_true", help="also OpenCL implementations for CPUs, where installed")
    made.add_argument(
        "--opencl-driver", type=Path, action="append", default=[], metavar="FILE", help="one more of them"
    )
    made.add_argument("--launch-cost", action="store_true", help="beside OpenMP's and oneTBB's loops")
    made.add_argument("--streams", action="store_true", help="what streams side by side gain")
    made.add_argument("--quick", action="store_true", help="small problems: does everything work?")
    made.add_argument("--json", nargs="?", const="-", metavar="FILE", help="write the results there, or to stdout")
    return made


def positive(text: str) -> int:
    """A whole number above 0."""
    value = int(text)
    if value <= 0:
        raise argparse.ArgumentTypeError(f"{text} is not above 0")
    return value


def positives(text: str) -> list[int]:
    """Whole numbers above 0."""
    return list(map(positive, text.split(",")))


def seconds(text: str) -> float:
    """A time above 0."""
    value = float(text)
    if not 0 < value < 1e3:
        raise argparse.ArgumentTypeError(f"{text} is not between 0 and 1000 seconds")
    return value


def measure_all(
    workloads: Sequence[Workload], builder: Builder, plan: Plan, found: Sequence[Peer], out: TextIO
) -> tuple[list[Result], list[str]]:
    """Measure and print each line of the table as it is known; also what went wrong."""
    print(preamble(builder, plan), file=out, flush=True)
    names = [peer.name for peer in found]
    print(report.heading(names), file=out, flush=True)
    results: list[Result] = []
    failures: list[str] = []
    for workload in workloads:
        try:
            results.append(compare(workload, build(workload, builder, found), plan))
            print(report.row(results[-1], names), file=out, flush=True)
        except BuildFailed:
            failures.append(f"{workload.name}: does not compile")
        except RunFailed as failure:
            failures.append(f"{workload.name}: {failure}")
    print(report.footing(results, names), file=out, flush=True)
    return results, failures


def build(workload: Workload, builder: Builder, found: Sequence[Peer]) -> Programs:
    """All programs of a workload."""
    ours, openmp = builder.cuda(workload), builder.openmp(workload)
    return Programs(
        ours=[ours, *workload.arguments],
        openmp=[openmp, *workload.arguments],
        roofline=builder.roofline(),
        peers={peer.name: peer.command(workload) for peer in found},
    )


def preamble(builder: Builder, plan: Plan) -> str:
    """How this run measures."""
    if len(plan.cores) > 1 and not builder.openmp_runtime:
        raise Diagnostic(
            "no OpenMP runtime for this clang: on several cores there is nothing to compare with",
            hint="install LLVM's libomp, 19 or newer, or intel-openmp from PyPI; or leave --cores at 1",
        )
    cores = f"cores {', '.join(map(str, plan.cores))}, wall-clock time"
    if len(plan.cores) == 1:
        cores = f"core {plan.cores[0]}, CPU time"
    mode = "" if builder.openmp_runtime else " (no libomp found: on one core the same program as -fopenmp)"
    return (
        f"{cores}; -march={builder.march} (kernels: {builder.cpu}); {plan.rounds} rounds; "
        f"OpenMP: clang {builder.toolchain.version} {builder.openmp_mode[0]}{mode}\n"
    )


def write_json(path: str, text: str) -> None:
    """Write the results for machines."""
    if path == "-":
        sys.stdout.write(f"{text}\n")
    else:
        Path(path).write_text(f"{text}\n")
