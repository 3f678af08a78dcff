# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""profile(): where the time of some lines of a Python program goes.

The runtime records into one file of the process, whenever a profile() is open (runtime/profile.cpp); of that file a
profile takes what began and ended between its own beginning and end.
"""

from __future__ import annotations

import atexit
import json
import os
import shutil
import tempfile
import threading
import time
from functools import cache
from pathlib import Path
from types import TracebackType
from typing import Any

from warploom.api.runtime import runtime, synchronize
from warploom.diagnostics import Diagnostic
from warploom.profiling.records import Process, read_process
from warploom.profiling.report import as_csv, as_json, page, seconds_text, text
from warploom.profiling.summary import KernelTimes, Summary, summarise
from warploom.profiling.trace import chrome_trace

_REFUSED = {
    1: "the process is profiled as a whole: WARPLOOM_PROFILE is set",
    2: "this process was forked from one that was profiled, whose file is not its own",
    3: "the records cannot be written",
}
_one_at_a_time = threading.Lock()


class Profile:
    """What kernels, copies and calls took between `with warploom.profile() as p:` and its end.

    It waits for all that was launched, at its beginning and its end. One at a time in a process.
    """

    def __init__(self) -> None:
        self._began = 0
        self._summary: Summary | None = None

    def __enter__(self) -> Profile:
        if not _one_at_a_time.acquire(blocking=False):
            raise Diagnostic("there is a profile() already", hint="one at a time, of all threads")
        try:
            synchronize()
            code = runtime().function("__warploom_profile_begin")(os.fsencode(_folder()))
            if code != 0:
                raise Diagnostic(f"no profile: {_REFUSED[code]}")
        except BaseException:
            _one_at_a_time.release()
            raise
        self._began = time.monotonic_ns()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        try:
            synchronize()
        finally:
            ended = time.monotonic_ns()
            runtime().function("__warploom_profile_end")()
            _one_at_a_time.release()
            recorded = read_process(_folder() / f"{os.getpid()}.profile")
            self._summary = summarise(recorded.between(self._began, ended))

    @property
    def summary(self) -> Summary:
        """All that was found. Raises Diagnostic while it goes on."""
        if self._summary is None:
            raise Diagnostic("a profile has results when its `with` has ended")
        return self._summary

    @property
    def process(self) -> Process:
        """The records themselves."""
        return self.summary.process

    @property
    def kernels(self) -> list[KernelTimes]:
        """The kernels, those first that took longest; times in seconds."""
        return list(self.summary.kernels)

    @property
    def data(self) -> dict[str, Any]:
        """For programs, as `warploom profile --json` has it."""
        return as_json(self.summary, None)

    def save(self, path: str | Path) -> None:
        """By the name's end: .html a page with a timeline, .trace for ui.perfetto.dev, .csv the kernels, .json all."""
        made = Path(path)
        makers = {
            ".html": lambda: page([self.summary], None),
            ".trace": lambda: json.dumps(chrome_trace([self.process])),
            ".csv": lambda: as_csv([self.summary]),
            ".json": lambda: json.dumps(self.data, indent=1),
        }
        if made.suffix not in makers:
            raise Diagnostic(f"{made.name}: what is to be in it?", hint="its name ends in " + ", ".join(makers))
        made.write_text(makers[made.suffix]())

    def __str__(self) -> str:
        return text(self.summary, None)

    def __repr__(self) -> str:
        return str(self) if self._summary is not None else "<a profile that goes on>"

    def _repr_html_(self) -> str:
        import html

        rows = "".join(
            f"<tr><td>{each.total / max(self.summary.kernel_seconds, 1e-12):.1%}<td>{seconds_text(each.total)}"
            f"<td>{each.calls}<td>{seconds_text(each.mean)}<td>{each.threads:.1f}<td>{html.escape(each.name)}</tr>"
            for each in self.kernels
        )
        head = "".join(f"<th>{name}" for name in ("share", "total", "calls", "mean", "threads", "kernel"))
        whole = html.escape(str(self)) if self._summary is not None else ""
        return f"<table><tr>{head}</tr>{rows}</table><details><summary>everything</summary><pre>{whole}</pre></details>"


def profile() -> Profile:
    """Where the time of the lines within goes.

        with warploom.profile() as p:
            kernel(grid, block, args)
        print(p)

    What was launched before them is not counted.
    """
    return Profile()


@cache
def _folder() -> Path:
    """Of the process's file."""
    made, owner = Path(tempfile.mkdtemp(prefix="warploom-profile-")), os.getpid()

    def remove_with_its_owner() -> None:
        if os.getpid() == owner:
            shutil.rmtree(made, ignore_errors=True)

    atexit.register(remove_with_its_owner)
    return made
