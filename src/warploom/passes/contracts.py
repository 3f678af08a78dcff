# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What holds of a whole kernel between passes: the terms in which passes say what they require and what they ensure."""

from __future__ import annotations

from warploom.ir.core import Function, Op, walk
from warploom.ir.ops import collective_level


def is_structured(function: Function) -> bool:
    """No basic blocks are left."""
    return not function.blocks


def is_flat(function: Function) -> bool:
    """The kernel is structured and holds no barrier or collective: it could go to the backend."""
    return is_structured(function) and not any(map(is_collective, walk(function.body)))


def is_collective(op: Op) -> bool:
    """Whether threads wait or exchange values at `op`."""
    return collective_level(op) is not None
