# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The environment variables that make the compiler talk about itself.

WARPLOOM_DEBUG=N      the table below; each level adds to the ones before it
WARPLOOM_VERIFY=1     check the IR after every pass, whatever the level; 0: never
WARPLOOM_OFF_PASS=..  passes to switch off, names with commas between them
WARPLOOM_WIDTH=N      threads of a vector, WARPLOOM_JAM=N rows of threads that go together; a power of two
WARPLOOM_LAUNCH_LIMIT=N  threads from which on a launch takes code for launches of any size; a power of two
"""

from __future__ import annotations

import os
from enum import IntEnum

from warploom.diagnostics import Diagnostic

# The most threads of a vector, and the most rows of threads that go together, that anyone may ask for.
MOST_WIDTH, MOST_JAM = 64, 16
# Thread numbers of 32 bits may wrap in larger launches.
MOST_THREADS = 1 << 30


class Debug(IntEnum):
    """The levels of WARPLOOM_DEBUG; what each prints goes to stderr."""

    QUIET = 0
    FALLBACKS = 1  # why a kernel goes to the reference engine; check the IR after every pass; a crash is not caught
    TIMINGS = 2  # how long each pass took
    DUMPS = 3  # the IR after each pass


def debug_level() -> Debug:
    """WARPLOOM_DEBUG; QUIET when it is not set."""
    text = os.environ.get("WARPLOOM_DEBUG", "") or "0"
    if not text.isdecimal():
        raise Diagnostic(
            f"WARPLOOM_DEBUG={text} is not a number", hint=f"0 (quiet) to {max(Debug)} (the IR after every pass)"
        )
    return Debug(min(int(text), max(Debug)))


def wants_verification() -> bool:
    """Whether the IR is checked after every pass."""
    return _is_set("WARPLOOM_VERIFY") if os.environ.get("WARPLOOM_VERIFY") else debug_level() >= Debug.FALLBACKS


def keeps_going() -> bool:
    """Whether a pass that breaks is a warning at every level."""
    return _is_set("WARPLOOM_KEEP_GOING")


def power_of_two(name: str, text: str, most: int) -> int:
    """The value `text` of the option `name`, from 1 to `most`."""
    number = int(text) if text.isdecimal() else 0
    if not 1 <= number <= most or number & (number - 1):
        raise Diagnostic(
            f"{name}={text} is no power of two up to {most}", hint="without it the compiler chooses", exit_code=2
        )
    return number


def power_from_environment(name: str, most: int) -> int | None:
    """A power of two from the environment; None when it is not set."""
    text = os.environ.get(name, "")
    return power_of_two(name, text, most) if text else None


def _is_set(name: str) -> bool:
    return os.environ.get(name, "0") not in ("", "0")


def passes_off() -> str:
    """WARPLOOM_OFF_PASS."""
    return os.environ.get("WARPLOOM_OFF_PASS", "")
