# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The formulas of a kernel's work as the image has them, and back.

    0|(2*((s4_0)/(g0*b0)))|(12*((s4_0)/(g0*b0)))|       parameters that are needed | operations | bytes | `<` if at most

The runtime reads the numbers of the parameters and keeps their values for each launch of a program that is profiled.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

from warploom.analysis.work_formulas import Formulas
from warploom.frontend.device_module import Piece

MOST_ARGUMENTS = 6  # of a launch that a profile keeps
MOST_TEXT = 4000
_PARAMETER = re.compile(r"s(\d)_(\d+)")


@dataclass(frozen=True)
class WorkText:
    """What the text of a kernel says."""

    arguments: tuple[int, ...]  # whose values are kept, in this order
    flops: str
    bytes: str
    at_most: bool


def work_text(formulas: Formulas, pieces: Sequence[Piece]) -> str:
    """The text for a kernel whose LLVM parameters are `pieces`; empty where nothing is known."""
    if formulas.work is None:
        return ""
    texts = [formulas.work.flops.text, formulas.work.bytes.text]
    used = sorted({int(match[2]) for text in texts for match in _PARAMETER.finditer(text)})
    if any(pieces[each].indirect or pieces[each].offset for each in used):
        return ""
    sources = list(dict.fromkeys(pieces[each].parameter for each in used))
    texts = [_PARAMETER.sub(lambda match: f"s{match[1]}_{pieces[int(match[2])].parameter}", text) for text in texts]
    if len(sources) > MOST_ARGUMENTS or sum(map(len, texts)) > MOST_TEXT:
        return ""
    return "|".join([" ".join(map(str, sources)), *texts, "<" if formulas.at_most else ""])


def read_work(text: str) -> WorkText | None:
    """What `work_text` wrote; None for an empty text."""
    if text.count("|") != 3:
        return None
    arguments, flops, bytes_, bound = text.split("|")
    return WorkText(tuple(map(int, arguments.split())), flops, bytes_, bound == "<")
