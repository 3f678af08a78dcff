# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The engine loom against the reference engine on kernels with barriers and warp collectives, in alternation.

    python bench/barrier_kernels.py [RUNS]

Builds bench/barrier_kernels.cu with both engines, runs each RUNS times in turn (9), checks that all print the same
checksums, and prints the median milliseconds of CPU time of each kernel, the median of the ratios of neighbouring runs,
and their geometric mean.
"""

from __future__ import annotations

import statistics
import subprocess
import sys
import tempfile
from pathlib import Path

SOURCE = Path(__file__).with_name("barrier_kernels.cu")
ENGINES = ("reference", "loom")

Times = dict[str, float]


def build(engine: str, folder: Path) -> Path:
    """Compile the kernels."""
    program = folder / engine
    command = [
        sys.executable,
        "-m",
        "warploom.cli.warpcc",
        f"--engine={engine}",
        "-O2",
        str(SOURCE),
        "-o",
        str(program),
    ]
    subprocess.run(command, check=True)
    return program


def run(program: Path) -> tuple[Times, dict[str, str]]:
    """Milliseconds and checksum of each kernel."""
    lines = subprocess.run([program], check=True, stdout=subprocess.PIPE, text=True).stdout.splitlines()
    rows = [line.split() for line in lines]
    return {name: float(time) for name, time, _ in rows}, {name: sum_ for name, _, sum_ in rows}


def measure(programs: dict[str, Path], runs: int) -> list[dict[str, Times]]:
    """Times of every engine, run by run."""
    found: list[dict[str, Times]] = []
    expected: dict[str, str] = {}
    for _ in range(runs):
        times: dict[str, Times] = {}
        for engine, program in programs.items():
            times[engine], sums = run(program)
            expected = expected or sums
            wrong = [name for name in expected if sums[name] != expected[name]]
            assert not wrong, f"engine {engine}: other results than before of {', '.join(wrong)}"
        found.append(times)
    return found


def main() -> None:
    """Measure and print."""
    runs = int(sys.argv[1]) if len(sys.argv) > 1 else 9
    with tempfile.TemporaryDirectory() as name:
        found = measure({engine: build(engine, Path(name)) for engine in ENGINES}, runs)
    ratios: list[float] = []
    print("| kernel | reference, ms | loom, ms | ratio |\n|---|---:|---:|---:|")
    for kernel in found[0]["loom"]:
        reference, loom = (statistics.median(times[engine][kernel] for times in found) for engine in ENGINES)
        ratios.append(statistics.median(times["reference"][kernel] / times["loom"][kernel] for times in found))
        print(f"| {kernel} | {reference:.3f} | {loom:.4f} | {ratios[-1]:.1f} |")
    print(f"| geometric mean | | | {statistics.geometric_mean(ratios):.1f} |")


if __name__ == "__main__":
    main()
