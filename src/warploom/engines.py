# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The names of the engines that run kernels."""

from __future__ import annotations

import os

from warploom.diagnostics import Diagnostic

# loom: threads are loops, barriers are gone at compile time; what it cannot lower goes to the reference engine.
# reference: one fiber per CUDA thread; slow, obviously right, the oracle for every other engine.
ENGINES = ("loom", "reference")
DEFAULT_ENGINE = "loom"
ENVIRONMENT = "WARPLOOM_ENGINE"
# Set while a program is compiled: its kernels are there for both engines. While it runs: they are compared.
COMPARE = "WARPLOOM_COMPARE"
# Set while a program is compiled: its accesses to memory are checked as a GPU would. While it runs: the host's, too.
STRICT = "WARPLOOM_STRICT"


def check_engine(name: str) -> str:
    """`name`, when this version has such an engine."""
    if name not in ENGINES:
        raise Diagnostic(f"no engine '{name}' in this version", hint=f"engines: {', '.join(ENGINES)}", exit_code=2)
    return name


def chosen_engine(name: str | None = None, *, is_debugged: bool = False) -> str:
    """`name` where a command line gave one, else WARPLOOM_ENGINE, else the default.

    What is to be debugged (-G) runs on the reference engine by default: there a CUDA thread is a stack of its own.
    """
    usual = "reference" if is_debugged else DEFAULT_ENGINE
    return check_engine(name or os.environ.get(ENVIRONMENT) or usual)


def compare_is_wanted() -> bool:
    """Whether the environment asks for kernels to be compared."""
    return os.environ.get(COMPARE, "") not in ("", "0")


def strict_is_wanted() -> bool:
    """Whether the environment asks that what a GPU would refuse fails here, too."""
    return os.environ.get(STRICT, "") not in ("", "0")
