# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Ten workloads in CUDA C++ on NumPy arrays against NumPy, numba, PyTorch and JAX on the same processors.

    python bench/python_peers.py [--threads 1,2] [--peers numpy,numba,...] [--only chain,...] [--seconds S]
                                 [--with PEER=PYTHON] [--json F]

Each peer runs in a process of its own, on as many processors as it has threads. A row: milliseconds of each peer, the
smallest of its rounds, and the time of the best of the others over Warploom's (above 1: Warploom is faster). Every
result is compared with NumPy's in double precision first; one that is wrong has no time. Every function returns new
arrays.
`--with`: the interpreter that has a peer; `torch=` counts for torch.compile, too. What is not installed is left out.
"""

from __future__ import annotations

import argparse
import importlib
import json
import math
import os
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import Any

PEERS = ("warploom", "numpy", "numba", "torch", "torch.compile", "jax")
FEWEST, MOST = 3, 400  # rounds
# What a peer frees stays in its process: else whether glibc hands memory back, and the kernel makes it anew each round,
# depends on what was allocated before.
KEEP_MEMORY = {"MALLOC_TRIM_THRESHOLD_": str(1 << 30), "MALLOC_MMAP_THRESHOLD_": str(1 << 25), "MALLOC_ARENA_MAX": "1"}


def write_exact(folder: Path, names: list[str]) -> None:
    """The exact results, once for all peers."""
    import numpy as np
    from peers.workloads import WORKLOADS

    for workload in WORKLOADS:
        if not names or workload.name in names:
            np.savez(folder / f"{workload.name}.npz", *workload.exact(*workload.inputs()))


def child(peer: str, names: list[str], wanted: argparse.Namespace, folder: Path) -> None:
    """Run the workloads of one peer; print what came of them so far as JSON, a line behind each."""
    import numpy as np
    from peers.workloads import WORKLOADS, is_right

    module: Any = importlib.import_module(f"peers.{peer.partition('.')[0]}_peer")
    finish = getattr(module, "finish", lambda _result: None)
    failures = getattr(module, "FAILURES", (RuntimeError, TypeError))  # of a workload that the library cannot do
    found: dict[str, Any] = {"version": module.version()}
    for workload in WORKLOADS:
        if names and workload.name not in names:
            continue
        given = workload.inputs()
        arguments = [module.prepare(each) for each in given]
        function = getattr(module, workload.name)
        try:
            result = function(*arguments)
            finish(result)
        except failures as error:
            found[workload.name] = f"{type(error).__name__}: {error}".splitlines()[0][:100]
            print(json.dumps(found), flush=True)
            continue
        results = result if isinstance(result, tuple) else (result,)
        with np.load(folder / f"{workload.name}.npz") as kept:
            exact = tuple(kept.values())
        right = is_right(workload, tuple(map(module.to_numpy, results)), exact)
        del result, results
        found[workload.name] = _smallest(function, finish, arguments, wanted) if right else "wrong"
        print(json.dumps(found), flush=True)


def _smallest(function: Any, finish: Any, arguments: list[Any], wanted: argparse.Namespace) -> float:
    times: list[float] = []
    clock = time.process_time if wanted.processor_time else time.perf_counter
    until = time.perf_counter() + wanted.seconds
    while len(times) < FEWEST or (time.perf_counter() < until and len(times) < MOST):
        started = clock()
        finish(function(*arguments))
        times.append(clock() - started)
    return min(times)


def start(peer: str, threads: int, first: int, given: argparse.Namespace, folder: Path) -> subprocess.Popen[str]:
    """A peer's process, on `threads` processors from the number `first` of those that there are."""
    pythons = dict(word.split("=", 1) for word in given.pythons)
    processors = sorted(os.sched_getaffinity(0))[first : first + threads]
    count = str(len(processors))
    environment = {
        **os.environ,
        **KEEP_MEMORY,
        "WARPLOOM_NUM_THREADS": count,
        "OMP_NUM_THREADS": count,
        "MKL_NUM_THREADS": count,
        "OPENBLAS_NUM_THREADS": count,
        "NUMBA_NUM_THREADS": count,
        "JAX_PLATFORMS": "cpu",
        "PEER_COMPILES": "1" if peer == "torch.compile" else "",
    }
    own = [str(Path(__file__).resolve()), "--child", peer, "--exact", str(folder)]
    own += ["--seconds", str(given.seconds), "--only", given.only]
    own += ["--processor-time"] * given.processor_time
    python = pythons.get(peer.partition(".")[0], sys.executable)
    return subprocess.Popen(
        [python, *own],
        env=environment,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        preexec_fn=lambda: os.sched_setaffinity(0, processors),
    )


def finished(peer: str, process: subprocess.Popen[str], limit: float) -> dict[str, Any] | None:
    """What a peer's process has said within `limit` seconds; with its last words, where it did not end well."""
    try:
        output, errors = process.communicate(timeout=limit)
    except subprocess.TimeoutExpired:
        process.kill()
        output, errors = process.communicate()[0], f"not done after {limit:.0f} s"
    if process.returncode != 0 or not output.strip():
        print(f"{peer}: {(errors.strip().splitlines() or ['nothing'])[-1][:120]}", file=sys.stderr)
    whole = [line for line in output.splitlines(keepends=True) if line.endswith("}\n")]
    return json.loads(whole[-1]) if whole else None


def table(threads: int, found: dict[str, dict[str, Any]]) -> list[str]:
    """The rows of one number of threads, as Markdown."""
    if not found:
        return []
    names = list(dict.fromkeys(name for each in found.values() for name in each if name != "version"))
    others = [peer for peer in found if peer != "warploom"]
    heads = [f"{peer} {each['version'].partition('+')[0]}" for peer, each in found.items()]
    rows = [
        f"| {threads} threads, ms | {' | '.join(heads)} | best of the others / Warploom |",
        "|---" * (len(heads) + 2) + "|",
    ]
    ratios: list[float] = []
    for name in names:
        cells = [_cell(each.get(name)) for each in found.values()]
        times = [found[peer][name] for peer in others if isinstance(found[peer].get(name), float)]
        own = found.get("warploom", {}).get(name)
        ratio = min(times) / own if times and isinstance(own, float) else None
        if ratio is not None:
            ratios.append(ratio)
        rows.append(f"| {name} | {' | '.join(cells)} | {f'{ratio:.2f}' if ratio else ''} |")
    if ratios:
        mean = math.exp(sum(map(math.log, ratios)) / len(ratios))
        rows.append(f"| geometric mean |{' |' * len(heads)} {mean:.2f} |")
    return rows


def _cell(value: Any) -> str:
    return f"{1e3 * value:.3g}" if isinstance(value, float) else str(value or "")


def main() -> int:
    """Print a table for each number of threads."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--threads", default="1,2", help="`1+2,16`: those joined by + at the same time")
    parser.add_argument("--peers", default=",".join(PEERS))
    parser.add_argument("--only", default="", help="workloads, by commas")
    parser.add_argument("--seconds", type=float, default=0.5, help="for each workload of each peer")
    parser.add_argument(
        "--processor-time",
        action="store_true",
        help="that processors spent, of all threads: for 1 thread on a busy machine",
    )
    parser.add_argument("--with", dest="pythons", action="append", default=[], metavar="PEER=PYTHON")
    parser.add_argument("--json", default="")
    parser.add_argument("--limit", type=float, default=300, help="seconds that a peer may take in all")
    parser.add_argument("--child", default="", help=argparse.SUPPRESS)
    parser.add_argument("--exact", type=Path, default=Path(), help=argparse.SUPPRESS)
    given = parser.parse_args()
    names = [name for name in given.only.split(",") if name]
    if given.child:
        child(given.child, names, given, given.exact)
        return 0
    with tempfile.TemporaryDirectory(prefix="python-peers-") as folder:
        write_exact(Path(folder), names)
        measure(given, Path(folder))
    return 0


def measure(given: argparse.Namespace, folder: Path) -> None:
    """Run all peers, and print a table behind those of each number of threads."""
    found: dict[int, dict[str, dict[str, Any]]] = {}
    for group in given.threads.split(","):
        counts = list(map(int, group.split("+")))
        for peer in given.peers.split(","):
            firsts = [sum(counts[:i]) for i in range(len(counts))]
            running = [start(peer, count, first, given, folder) for count, first in zip(counts, firsts, strict=True)]
            for count, process in zip(counts, running, strict=True):
                said = finished(peer, process, given.limit)
                if said is not None:
                    found.setdefault(count, {})[peer] = said
                    print(f"{count} threads, {peer}: {said}", file=sys.stderr, flush=True)
        for count in counts:
            print("\n".join(table(count, found.get(count, {}))), end="\n\n", flush=True)
        if given.json:
            Path(given.json).write_text(json.dumps(found, indent=1))


if __name__ == "__main__":
    sys.exit(main())
