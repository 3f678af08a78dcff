# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""How many of the tests that numba's CUDA simulator passes does warploom.compat.numba_cuda pass, by module?

    python bench/compat/numba_tests.py FOLDER_WITH_NUMBA [MODULE ...]

FOLDER_WITH_NUMBA holds the packages numba and llvmlite as pip installs them (`pip install --target FOLDER numba`); it
should have no NumPy of its own. The tests are the package's own, `numba.cuda.tests.cudapy`: first the simulator runs
them, then this; a test counts that the simulator passes. The names of those that fail here are printed.
"""

from __future__ import annotations

import os
import re
import subprocess
import sys
from collections import Counter
from pathlib import Path

_PASSED = re.compile(r"^PASSED .*?cudapy/(\S+)", re.MULTILINE)


def passed(folder: Path, modules: list[str], *, simulated: bool) -> set[str]:
    """The tests that pass, by file and name."""
    here = Path(__file__).resolve().parent
    tests = folder / "numba" / "cuda" / "tests" / "cudapy"
    paths = [str(tests / f"test_{name}.py") for name in modules] or [str(tests)]
    words = [sys.executable, "-m", "pytest", "-q", "-rA", "--tb=no", "-c", os.devnull, "-p", "no:cacheprovider", *paths]
    words += [] if simulated else ["-p", "numba_plugin"]
    environment = os.environ | {"NUMBA_ENABLE_CUDASIM": "1", "PYTHONPATH": f"{folder}{os.pathsep}{here}"}
    done = subprocess.run(words, env=environment, capture_output=True, text=True, check=False)
    return set(_PASSED.findall(done.stdout))


def main(arguments: list[str]) -> int:
    """Print the table; 1 where a test fails."""
    folder, modules = Path(arguments[0]).resolve(), arguments[1:]
    wanted = passed(folder, modules, simulated=True)
    found = passed(folder, modules, simulated=False) & wanted
    totals = Counter(name.partition("::")[0] for name in wanted)
    right = Counter(name.partition("::")[0] for name in found)
    for name, total in sorted(totals.items()):
        print(f"{name:50} {right[name]:4} of {total:4}")
    print(f"{'all':50} {len(found):4} of {len(wanted):4}")
    for name in sorted(wanted - found):
        print(f"fails: {name}")
    return int(found != wanted)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
