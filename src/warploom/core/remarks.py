# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What the compiler says of a kernel, and of which place in its source."""

from __future__ import annotations

from warploom.core.records import dataclass


@dataclass(frozen=True, slots=True)
class Loc:
    """A place in the user's source."""

    file: str
    line: int
    column: int = 0


WAITING = "a loop waits for another thread"  # behind "and": of what does not go together with that


class Unsupported(Exception):
    """The optimising engine cannot run this kernel; the reference engine will. Says why, and where in the source."""

    def __init__(self, reason: str, loc: Loc | None = None) -> None:
        super().__init__(reason)
        self.reason = reason
        self.loc = loc


@dataclass(frozen=True, slots=True)
class Remark:
    """Something a pass did, or could not do, for `warploom explain`. `text` is a clause: "barrier removed: ..."."""

    source: str  # the pass
    text: str
    loc: Loc | None = None
