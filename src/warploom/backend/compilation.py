# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""A device module on its way to an object: what is asked for, and what is known so far."""

from __future__ import annotations

from pathlib import Path

from warploom.backend.image import (
    SUFFIX,
)
from warploom.backend.image_facts import Limits, Usage
from warploom.backend.shared_memory import SharedLayout
from warploom.core.fixed_launch import FixedLaunch
from warploom.core.records import dataclass, field
from warploom.frontend.device_module import DeviceModule
from warploom.frontend.function_facts import FunctionFacts, Needs
from warploom.llvm.binding import Handle
from warploom.llvm.module import Module


@dataclass(frozen=True)
class DeviceOptions:
    """How device code of one translation unit is compiled."""

    image_id: str
    arch: int = 800
    cpu_features: str = ""
    cpu: str = "x86-64"  # as clang names it
    optimise: int = 1  # LLVM level, 0..3
    separate: bool = False  # -rdc=true
    rank: int = 0  # of several versions for different CPUs (--fat): 1, 2, ...
    loadable: bool = False  # becomes a module that host code loads
    fixed: FixedLaunch | None = None  # the only launches that it is for: fixed_arguments.py
    flush_denormals: bool = False  # -ftz=true
    debug: bool = False  # keep debug information
    names_threads: bool = False  # -G: `loom` runs thread by thread, and a fault names the one
    keep_text: Path | None = None  # write the final LLVM IR here
    has_twin: bool = False  # the kernels are compiled for the other engine as well, to be compared: twins.py
    twin: bool = False  # this is the second compilation
    strict: bool = False  # WARPLOOM_STRICT: every access is checked, strict_accesses.py
    reports_usage: bool = False  # -Xptxas -v
    by_emitter: bool = False  # the object is written by the process that waits for that, emitter.py
    jobs: int | None = None  # processes at once, for a module of many kernels; None: as many as there are processors


@dataclass
class Compilation:
    """A device module on its way to an object."""

    device: DeviceModule
    machine: Handle
    options: DeviceOptions
    private: set[str]  # symbols that end up internal, whatever they are now
    entries: dict[str, str]  # the function that each kernel starts with: itself, or of the optimising engine
    layout: SharedLayout = field(default_factory=lambda: SharedLayout(0, {}))
    thread_work: dict[str, int] = field(default_factory=dict[str, int])  # by entry, see analysis/thread_work.py
    formulas: dict[str, str] = field(default_factory=dict[str, str])  # by entry, see analysis/work_formulas.py
    flushing: set[str] = field(default_factory=set[str])  # kernels that run in the processor's mode, flush_denormals.py
    without_spin_points: set[str] = field(default_factory=set[str])  # functions that have their own
    across: set[str] = field(default_factory=set[str])  # symbols that several objects of this module share: parts.py
    suffix: str = SUFFIX  # of its symbols
    across_suffix: str = ""  # of those in `across`; empty: the same
    functions: list[FunctionFacts] = field(default_factory=list[FunctionFacts])  # for other translation units
    needs: dict[str, Needs] = field(default_factory=dict[str, Needs])  # of kernels that both engines may run, by name
    limits: dict[str, Limits] = field(default_factory=dict[str, Limits])  # likewise
    usages: dict[str, Usage] = field(default_factory=dict[str, Usage])  # by entry, where they are to be reported

    @property
    def on_both(self) -> set[str]:
        """The kernels that either engine runs, as is found out at run time."""
        return {*self.needs, *self.limits}

    @property
    def module(self) -> Module:
        return self.device.module

    def symbol(self, name: str) -> str:
        """What `name` is called in the object."""
        return name + (self.across_suffix if self.across_suffix and name in self.across else self.suffix)
