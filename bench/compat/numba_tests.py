# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""How many of the tests that numba's CUDA simulator passes does warploom.compat.numba_cuda pass, by module?

    python bench/compat/numba_tests.py FOLDER_WITH_NUMBA [--seconds] [MODULE ...]

FOLDER_WITH_NUMBA holds the packages numba and llvmlite as pip installs them (`pip install --target FOLDER numba`); it
should have no NumPy of its own. The tests are the package's own, `numba.cuda.tests.cudapy`: first the simulator runs
them, then this; a test counts that the simulator passes. The names of those that fail here are printed.

`--seconds`: also how long each takes in seconds of processors, where the simulator computes for more than .1: those of
the simulator, here when the kernels come from the cache on disk, and the one over the other.
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

_COMPUTES = 0.1  # seconds of the simulator from which on a test computes
_PASSED = re.compile(r"^PASSED .*?cudapy/(\S+)", re.MULTILINE)


def passed(folder: Path, modules: list[str], *, simulated: bool) -> dict[str, float]:
    """The tests that pass, by file and name, and how long each took."""
    here = Path(__file__).resolve().parent
    tests = folder / "numba" / "cuda" / "tests" / "cudapy"
    paths = [str(tests / f"test_{name}.py") for name in modules] or [str(tests)]
    words = [sys.executable, "-m", "pytest", "-q", "-rA", "--tb=no", "-c", os.devnull, "-p", "no:cacheprovider", *paths]
    words += [] if simulated else ["-p", "numba_plugin"]
    words += ["-p", "seconds_plugin"]
    environment = os.environ | {"NUMBA_ENABLE_CUDASIM": "1", "PYTHONPATH": f"{folder}{os.pathsep}{here}"}
    with tempfile.NamedTemporaryFile("r") as file:
        environment["TEST_SECONDS"] = file.name
        done = subprocess.run(words, env=environment, capture_output=True, text=True, check=False)
        seconds: dict[str, float] = json.load(file)
    return {name: seconds[name] for name in _PASSED.findall(done.stdout)}


def print_seconds(simulator: dict[str, float], own: dict[str, float]) -> None:
    """The tests in which the simulator computes, those first that gain least."""
    longer = [name for name in own if simulator[name] >= _COMPUTES]
    print(f"\n{'seconds of processors':80} {'simulator':>9} {'here':>7} {'ratio':>7}")
    for name in sorted(longer, key=lambda name: simulator[name] / own[name]):
        print(f"{name:80} {simulator[name]:9.2f} {own[name]:7.3f} {simulator[name] / own[name]:7.1f}")


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
