# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The launches that a module is made for alone: of one kernel, with one block size and some whole numbers known."""

from __future__ import annotations

from warploom.core.launch import Dims
from warploom.core.records import dataclass


@dataclass(frozen=True)
class FixedLaunch:
    """Whoever launches compares: with another block or another number the module's kernel is wrong."""

    kernel: str  # its symbol
    block: Dims
    numbers: tuple[tuple[int, int], ...] = ()  # parameter, counted from 0, and its value
