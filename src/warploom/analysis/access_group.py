# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Accesses of a thread loop that a vector of threads makes together: analysis/strided_groups.py finds them."""

from __future__ import annotations

from warploom.core.records import dataclass, field
from warploom.ir.core import Op


@dataclass(eq=False, slots=True)
class AccessGroup:
    """`members`: the accesses in program order, each with its field, 0 the lowest; `stride` in elements of `size`."""

    size: int
    stride: int
    members: dict[Op, int] = field(default_factory=dict[Op, int])

    @property
    def span(self) -> int:
        """Elements from a thread's first field to its last."""
        return max(self.members.values()) + 1

    @property
    def is_whole(self) -> bool:
        """Whether there is no gap between the fields, nor between threads."""
        return set(self.members.values()) == set(range(self.stride))

    @property
    def place(self) -> Op:
        """The member where all of them happen."""
        members = list(self.members)
        return members[0] if members[0].name == "load" else members[-1]
