# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Another interpreter of the process is refused in words, and harms nothing."""

from __future__ import annotations

import subprocess
import sys

PROGRAM = """
import sys, warnings
warnings.simplefilter("ignore")
import numpy as np, warploom
try:
    import _interpreters as interpreters
    make = lambda: interpreters.create("legacy")
except ImportError:
    import _xxsubinterpreters as interpreters
    make = lambda: interpreters.create(**({"isolated": False} if sys.version_info >= (3, 12) else {}))
INNER = '''
import warnings
warnings.simplefilter("ignore")
import warploom
tried = [
    lambda: warploom.RawKernel("", "k"),
    lambda: warploom.cuda,
    lambda: __import__("warploom.api.runtime", fromlist=["runtime"]).runtime(),
]
for each in tried:
    try:
        each()
    except warploom.core.interpreter.Diagnostic as refused:
        print("refused:", refused, flush=True)
'''
add = warploom.RawKernel('extern "C" __global__ void add(int *x) { x[threadIdx.x] += 1; }', "add")
x = np.zeros(8, np.int32)
for _ in range(3):
    add(1, 8, (x,))
    other = make()
    interpreters.run_string(other, INNER)
    interpreters.destroy(other)
add(1, 8, (x,))
print("launched", x.tolist())
"""


def test_other_interpreters_are_refused() -> None:
    done = subprocess.run([sys.executable, "-c", PROGRAM], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    lines = done.stdout.splitlines()
    assert lines[-1] == "launched [4, 4, 4, 4, 4, 4, 4, 4]"
    assert sum("refused: " in line and "main interpreter of a process" in line for line in lines) == 9
