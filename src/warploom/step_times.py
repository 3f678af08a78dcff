# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""`-time FILE`: how long each step of a compilation took, in the form of nvcc's table."""

from __future__ import annotations

import sys
import time
from collections.abc import Generator, Sequence
from contextlib import contextmanager
from pathlib import Path

from warploom.core.records import dataclass, field

HEADER = "source file name , phase name , phase input files , phase output file , arch , tool, metric , unit"


@dataclass
class StepTimes:
    """The steps so far; times are by the clock, and steps that run side by side overlap."""

    arch: str
    rows: list[str] = field(default_factory=list[str])

    @contextmanager
    def step(self, source: str | Path, phase: str, inputs: Sequence[str | Path], output: str | Path) -> Generator[None]:
        """Count what is done inside as one step."""
        began = time.perf_counter()
        yield
        spent = (time.perf_counter() - began) * 1000
        read = " ".join(map(str, inputs))
        self.rows.append(f"{source} , {phase} , {read} , {output} , {self.arch} , warpcc , {spent:.4f} , ms")

    def write(self, file: str) -> None:
        """Add the table to `file`, the header where it is new; `-`: print it."""
        if file == "-":
            sys.stdout.write("\n".join([HEADER, *self.rows]) + "\n")
            return
        is_new = not Path(file).exists()
        with open(file, "a") as stream:
            stream.write("\n".join([*([HEADER] if is_new else []), *self.rows]) + "\n")
