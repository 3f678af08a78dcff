# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The names of the engines that run kernels."""

from __future__ import annotations

from warploom.diagnostics import Diagnostic

# reference: one fiber per CUDA thread; slow, obviously right, the oracle for every other engine.
ENGINES = ("reference",)
DEFAULT_ENGINE = "reference"


def check_engine(name: str) -> str:
    """`name`, when this version has such an engine."""
    if name not in ENGINES:
        raise Diagnostic(f"no engine '{name}' in this version", hint=f"engines: {', '.join(ENGINES)}", exit_code=2)
    return name
