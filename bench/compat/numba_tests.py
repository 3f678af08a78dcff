# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""How many of the tests that numba's CUDA simulator passes does warploom.compat.numba_cuda pass, by module?

    python bench/compat/numba_tests.py FOLDER_WITH_NUMBA [--seconds] [MODULE ...]

FOLDER_WITH_NUMBA holds the packages numba and llvmlite as pip installs them (`pip install --target FOLDER numba`); it
should have no NumPy of its own. The tests are the package's own, `numba.cuda.tests.cudapy`: first the simulator runs
them, then this; a test counts that the simulator passes. The names of those that fail here are printed. Those of
test_print are left out: they start a process of their own, in which it is the simulator again that runs.

`--seconds`: also how long the kernels of each take where the simulator computes for .1 s or more, in seconds of
processors within calls of kernels: in the simulator; here; here without what each kernel's first call does before it
launches (reading the function, loading its code from the cache on disk); and the simulator's over both of these.
"""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
import tempfile
from collections import Counter
from pathlib import Path

_LEAST = 1e-6  # seconds: what the clock tells apart
_COMPUTES = 0.1  # seconds of the simulator from which on a test computes
Seconds = tuple[float, float]  # in calls of kernels, and of that what makes them ready to run
_PASSED = re.compile(r"^PASSED .*?cudapy/(\S+)", re.MULTILINE)


def passed(folder: Path, modules: list[str], *, simulated: bool) -> dict[str, Seconds]:
    """The tests that pass, by file and name, and how long the kernels of each took."""
    here = Path(__file__).resolve().parent
    tests = folder / "numba" / "cuda" / "tests" / "cudapy"
    paths = [str(tests / f"test_{name}.py") for name in modules] or [str(tests)]
    words = [sys.executable, "-m", "pytest", "-q", "-rA", "--tb=no", "-c", os.devnull, "-p", "no:cacheprovider", *paths]
    words.append(f"--ignore={tests / 'test_print.py'}")
    words += [] if simulated else ["-p", "numba_plugin"]
    words += ["-p", "seconds_plugin"]
    environment = os.environ | {"NUMBA_ENABLE_CUDASIM": "1", "PYTHONPATH": f"{folder}{os.pathsep}{here}"}
    with tempfile.NamedTemporaryFile("r") as file:
        environment["TEST_SECONDS"] = file.name
        done = subprocess.run(words, env=environment, capture_output=True, text=True, check=False)
        seconds: dict[str, list[float]] = json.load(file)
    return {name: (seconds[name][0], seconds[name][1]) for name in _PASSED.findall(done.stdout)}


def print_seconds(simulator: dict[str, Seconds], own: dict[str, Seconds]) -> None:
    """The tests in which the simulator computes, those first that gain least."""
    rows: list[tuple[float, float, str]] = []
    for name, (calls, ready) in own.items():
        simulated = simulator[name][0]
        if simulated >= _COMPUTES:
            rows.append((simulated / max(calls, _LEAST), simulated / max(calls - ready, _LEAST), name))
    heads = f"{'simulator':>9} {'here':>8} {'launches':>8} {'ratio':>7} {'ratio':>7}"
    print(f"\n{'seconds in calls of kernels':80} {heads}")
    for ratio, launched, name in sorted(rows):
        calls, ready = own[name]
        print(f"{name:80} {simulator[name][0]:9.2f} {calls:8.4f} {calls - ready:8.4f} {ratio:7.1f} {launched:7.1f}")


def main(arguments: list[str]) -> int:
    """Print the table; 1 where a test fails."""
    wants_seconds = "--seconds" in arguments
    folder, *modules = (each for each in arguments if each != "--seconds")
    place = Path(folder).resolve()
    wanted = passed(place, modules, simulated=True)
    found = {name: took for name, took in passed(place, modules, simulated=False).items() if name in wanted}
    totals = Counter(name.partition("::")[0] for name in wanted)
    right = Counter(name.partition("::")[0] for name in found)
    for name, total in sorted(totals.items()):
        print(f"{name:50} {right[name]:4} of {total:4}")
    print(f"{'all':50} {len(found):4} of {len(wanted):4}")
    for name in sorted(wanted.keys() - found.keys()):
        print(f"fails: {name}")
    if wants_seconds:
        again = passed(place, modules, simulated=False)  # now kernels are in the cache
        print_seconds(wanted, {name: took for name, took in again.items() if name in found})
    return int(found.keys() != wanted.keys())


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
