# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The formulas of a kernel's work as the image has them, and back.

    0#2*(s4_0/(g0*b0))|12*(s4_0/(g0*b0))||     parameters that are needed # operations | bytes | `<`: at most | block

One formula for each version of the kernel that has one: for blocks of one size ("256,1,1"), or of any. The runtime
reads the numbers of the parameters and keeps their values for each launch of a program that is profiled.
"""

from __future__ import annotations

from collections.abc import Sequence

from warploom.analysis.work_formulas import Formulas
from warploom.core.patterns import regex
from warploom.core.records import dataclass
from warploom.frontend.device_module import Piece
from warploom.ir.core import Attribute

MOST_ARGUMENTS = 6  # of a launch that a profile keeps
MOST_TEXT = 4000
_PARAMETER = regex(r"s(\d)_(\d+)")


@dataclass(frozen=True)
class VersionWork:
    """The formulas of one version."""

    flops: str
    bytes: str
    at_most: bool
    block: tuple[int, ...] | None  # the size of blocks that it is for; None: any


@dataclass(frozen=True)
class WorkText:
    """What the text of a kernel says."""

    arguments: tuple[int, ...]  # whose values are kept, in this order
    versions: tuple[VersionWork, ...]

    def of(self, block: tuple[int, ...]) -> VersionWork | None:
        """What holds for blocks of a size; None where nothing is known."""
        return next((each for each in self.versions if each.block in (None, block)), None)


def work_text(versions: Sequence[tuple[Formulas, Attribute | None]], pieces: Sequence[Piece]) -> str:
    """The text for versions (formulas and size of blocks, or None) of a kernel whose LLVM parameters are `pieces`.

    Empty where nothing is known.
    """
    parts: list[str] = []
    for formulas, block in versions:
        if formulas.work is None:
            continue
        size = ",".join(map(str, block)) if isinstance(block, tuple) else ""
        bound = "<" if formulas.at_most else ""
        parts.append("|".join((formulas.work.flops.text, formulas.work.bytes.text, bound, size)))
    text = "#".join(parts)
    used = sorted({int(match[2]) for match in _PARAMETER.finditer(text)})
    if any(pieces[each].indirect or pieces[each].offset for each in used):
        return ""
    sources = list(dict.fromkeys(pieces[each].parameter for each in used))
    if not text or len(sources) > MOST_ARGUMENTS or len(text) > MOST_TEXT:
        return ""
    text = _PARAMETER.sub(lambda match: f"s{match[1]}_{pieces[int(match[2])].parameter}", text)
    return f"{' '.join(map(str, sources))}#{text}"


def read_work(text: str) -> WorkText | None:
    """What `work_text` wrote; None for an empty text."""
    arguments, *versions = text.split("#")
    if not versions:
        return None
    return WorkText(tuple(map(int, arguments.split())), tuple(_version(each) for each in versions))


def _version(text: str) -> VersionWork:
    flops, bytes_, bound, size = text.split("|")
    return VersionWork(flops, bytes_, bound == "<", tuple(map(int, size.split(","))) if size else None)
