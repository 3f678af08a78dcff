# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""For tests: what is left of a thread's code after canonicalise."""

from __future__ import annotations

from thread_code import after, from_thread

from warploom.passes.clean.canonicalise import CANONICALISE


def canonical(ops: str) -> str:
    return after(from_thread(ops), CANONICALISE)


def stored(ops: str, value: str = "%r") -> str:
    """What is left of the computation of `value`."""
    result = canonical(f"{ops}\n store {value}, %p [align=4]")
    lines = result.splitlines()
    return "\n".join(line.strip() for line in lines[:-1]) or lines[-1].removeprefix("store ").partition(",")[0]
