# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Programs that compute, written for numba.cuda (numba_kernels.py), in numba's CUDA simulator and here.

    python bench/compat/numba_programs.py FOLDER_WITH_NUMBA

FOLDER_WITH_NUMBA: see numba_tests.py. A row of Markdown for each program: milliseconds of the simulator (the better of
two runs); of the first call here with nothing in the cache but the runtime library, which compiles; of the first call
of a later process; of later calls (the least of 49); and the simulator's over each of these. By the clock, with one
thread here; the simulator runs one thread at a time, too. A program's NumPy arrays are made within that time. The
results of both must be equal, floating-point numbers to within 1e-5 of them.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import Any

import numpy as np

_TIMES_HERE, _TIMES_SIMULATED = 50, 2


def child(times: int, file: str) -> None:
    """Run all programs `times` times; print their seconds as JSON, keep what they compute in `file`."""
    import numba_kernels

    numba_kernels.nothing()
    seconds: dict[str, list[float]] = {}
    results: dict[str, Any] = {}
    for program in numba_kernels.PROGRAMS:
        took = seconds[program.__name__] = []
        for _ in range(times):
            started = time.perf_counter()
            results[program.__name__] = program()
            took.append(time.perf_counter() - started)
    np.savez(file, **results)
    print(json.dumps(seconds))


def run(times: int, file: Path, environment: dict[str, str]) -> dict[str, list[float]]:
    """The seconds of a process's runs of each program. Raises CalledProcessError."""
    words = [sys.executable, str(Path(__file__).resolve()), "--child", str(times), str(file)]
    done = subprocess.run(words, env=os.environ | environment, stdout=subprocess.PIPE, text=True, check=True)
    return json.loads(done.stdout.splitlines()[-1])


def main(arguments: list[str]) -> int:
    """Print the table; 1 where a result differs."""
    if arguments[0] == "--child":
        child(int(arguments[1]), arguments[2])
        return 0
    numba = str(Path(arguments[0]).resolve())
    simulates = {"NUMBA_ENABLE_CUDASIM": "1", "PYTHONWARNINGS": "ignore", "PYTHONPATH": numba}
    with tempfile.TemporaryDirectory(prefix="numba-programs-") as folder:
        files = [Path(folder) / f"{name}.npz" for name in ("simulator", "here")]
        here = {"WARPLOOM_CACHE_DIR": f"{folder}/cache", "WARPLOOM_NUM_THREADS": "1"}
        words = [sys.executable, "-c", "import numba_kernels; numba_kernels.nothing()"]
        subprocess.run(words, env=os.environ | here, cwd=Path(__file__).parent, check=True)  # the runtime library
        compiled = run(1, files[1], here)
        again = run(_TIMES_HERE, files[1], here)
        simulated = run(_TIMES_SIMULATED, files[0], simulates)
        with np.load(files[0]) as expected, np.load(files[1]) as found:
            wrong = [name for name in simulated if not np.allclose(found[name], expected[name], rtol=1e-5, atol=1e-6)]
    print("| program | simulator, ms | compiled first | first call, cached | later calls | ratios |")
    print("|---" + "|---:" * 5 + "|")
    for name, times in simulated.items():
        own = compiled[name][0], again[name][0], min(again[name][1:])
        cells = [f"{1e3 * each:.3g}" for each in (min(times), *own)]
        print(f"| {name} | {' | '.join(cells)} | {', '.join(f'{min(times) / each:,.0f}' for each in own)} |")
    for name in wrong:
        print(f"wrong: {name}")
    return int(bool(wrong))


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
