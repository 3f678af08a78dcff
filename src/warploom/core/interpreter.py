# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Which of a process's Python interpreters this is: kernels are launched by the main one.

The runtime is one for the process, NumPy and ctypes are no modules that several interpreters can share, and objects of
one must not be let go of by another.
"""

from __future__ import annotations

import sys
from functools import cache

from warploom.diagnostics import Diagnostic


@cache
def check_interpreter() -> None:
    """Raises Diagnostic in an interpreter that is not the main one."""
    if sys.implementation.name == "cpython" and not _is_main():
        raise Diagnostic(
            "kernels are launched by the main interpreter of a process, and this is another one",
            hint="threads of the main one run side by side: a call lets others go on; or start a process",
        )


def _is_main() -> bool:
    try:
        import ctypes
    except ImportError:  # interpreters with a lock of their own refuse it
        return False
    current = ctypes.pythonapi.PyInterpreterState_Get
    number = ctypes.pythonapi.PyInterpreterState_GetID
    current.restype, number.argtypes, number.restype = ctypes.c_void_p, (ctypes.c_void_p,), ctypes.c_int64
    return number(current()) == 0
