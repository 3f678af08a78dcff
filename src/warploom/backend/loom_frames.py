# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Values that one function leaves for another in memory of its own."""

from __future__ import annotations

from collections.abc import Sequence

from warploom.backend.loom_code import Code
from warploom.ir.core import Value
from warploom.ir.types import align_of


def frame_type(members: Sequence[str]) -> str:
    """The struct that carries values of these types."""
    return "{ " + ", ".join(members) + " }"


def store_frame(code: Code, members: Sequence[tuple[str, str]]) -> str:
    """Store values, each a type and a name, where another function finds them; the address."""
    type_ = frame_type([each for each, _ in members])
    frame = code.fresh("frame")
    align = max(16, *(align_of(each) for each, _ in members), 1)
    code.entry.append(f"  {frame} = alloca {type_}, align {align}")
    for number, (member, value) in enumerate(members):
        at = code.value("at", f"getelementptr inbounds {type_}, ptr {frame}, i32 0, i32 {number}")
        code.line(f"store {member} {value}, ptr {at}")
    return frame


def load_frame(code: Code, captured: Sequence[Value]) -> None:
    """Load what `store_frame` has left at %frame."""
    type_ = frame_type([each.type for each in captured])
    for number, value in enumerate(captured):
        at = code.value("at", f"getelementptr inbounds {type_}, ptr %frame, i32 0, i32 {number}")
        code.line(f"{code.define(value)} = load {value.type}, ptr {at}")
    code.open()
