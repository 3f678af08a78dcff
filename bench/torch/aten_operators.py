# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Which operators of PyTorch's own database launch ATen's CUDA kernels, and whether they are right:

    python bench/torch/aten_operators.py [forward|gradients] [PROCESSES] [> outcomes.tsv]

In a Python with PyTorch where `warploom torch build-aten` has run (docs/torch.md). Each operator's first samples in
float32 on cuda against the CPU; a line an operator: its name, outcome, launches of CUDA kernels, operators that ran on
the CPU backend. A process that dies names the operator that it died of, and the next one goes on behind it.
"""

from __future__ import annotations

import subprocess
import sys
from collections import Counter
from concurrent.futures import ThreadPoolExecutor
from importlib import import_module
from pathlib import Path
from typing import Any

TESTS = Path(__file__).resolve().parents[2] / "tests" / "pytorch"
SECONDS = 120  # for one operator


def worker(what: str, first: int, step: int) -> None:
    """Every `step`th operator from the `first` on; prints its name before it runs and the outcome behind."""
    sys.path.insert(0, str(TESTS))
    torch: Any = import_module("torch")
    database: Any = import_module("operator_database")
    coverage: Any = import_module("warploom.torch")
    torch.manual_seed(0)
    torch.set_num_threads(1)
    run = {"forward": database.forward, "gradients": database.gradients}[what]
    operators = import_module("torch.testing._internal.common_methods_invocations").op_db
    for place in range(first, len(operators), step):
        op = operators[place]
        if torch.float32 not in op.supported_dtypes("cpu") or (what == "gradients" and not op.supports_autograd):
            continue
        print(f"{place}\t{database.name_of(op)}", end="\t", flush=True)
        coverage.reset_coverage()
        try:
            said = database.outcome(op, run, what == "gradients", torch)
        except Exception as error:  # noqa: BLE001  (all are reported together)
            said = f"differs: {type(error).__name__}: {' '.join(str(error).split())[:200]}"
        seen = coverage.coverage()
        print(f"{said}\t{sum(seen.launches.values())}\t{' '.join(sorted(seen.on_cpu_backend))}", flush=True)


def outcomes(what: str, first: int, step: int) -> list[list[str]]:
    """The lines of one worker, begun again behind each operator that it died of."""
    rows: list[list[str]] = []
    while True:
        command = [sys.executable, __file__, "worker", what, str(first), str(step)]
        ran = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True, errors="replace")
        assert ran.stdout is not None
        last: list[str] = []
        for line in ran.stdout:
            last = line.rstrip("\n").split("\t")
            if len(last) >= 4:
                rows.append(last)
                print(line, end="", flush=True)
        if ran.wait() == 0:
            return rows
        place = int(last[0]) if last else first
        if len(last) < 4:
            rows.append([*last[:2], f"died with status {ran.returncode}", "0", ""])
            print("\t".join(rows[-1]), flush=True)
        first = place + step


def main(what: str, processes: int) -> None:
    """Print the lines, and counts on stderr."""
    with ThreadPoolExecutor(processes) as pool:
        begun = [pool.submit(outcomes, what, first, processes) for first in range(processes)]
        rows = [row for each in begun for row in each.result()]
    counts: Counter[str] = Counter()
    for _, _, said, launches, _ in rows:
        counts[said.split(":")[0] + (", CUDA kernels launched" if int(launches) else ", none launched")] += 1
    for said, count in counts.most_common():
        print(f"{count:5} {said}", file=sys.stderr)


if __name__ == "__main__":
    if sys.argv[1:2] == ["worker"]:
        worker(sys.argv[2], int(sys.argv[3]), int(sys.argv[4]))
    else:
        main(sys.argv[1] if len(sys.argv) > 1 else "forward", int(sys.argv[2]) if len(sys.argv) > 2 else 2)
