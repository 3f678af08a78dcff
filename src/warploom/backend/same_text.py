# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Which functions of LLVM text are the same code: equal but for the names of values, of blocks and of loops.

    %a.1 = add i32 %x.0, 1                            %next.1 = add i32 %number.0, 1
    br label %for.head.2, !llvm.loop !7               br label %while.head.2, !llvm.loop !9         the same code

Names count by where they first occur: each is mapped to a number, and no two to one. What else the text says is
compared to the letter, and so are metadata, which have one number for one text; those of loops, which are one for each
loop, count by what they say.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

from warploom.core.patterns import regex

_LABEL = regex(r"^([-\w.$]+):", re.MULTILINE)
_NAME = regex(r"(%[-\w.$]+)")
_LOOP = regex(r"!llvm\.loop !(\d+)")
_QUOTED_NAME = regex(r'"[^"\n]*%')  # registers in assembly, say


def code_of(lines: Sequence[str], nodes: Sequence[str]) -> str | None:
    """A text that functions with the code `lines` share if they are the same; None where that cannot be told.

    `nodes`: the module's metadata.
    """
    text = "\n".join(lines)
    if _QUOTED_NAME.search(text):
        return None
    text = _LOOP.sub(lambda loop: re.sub(rf"!{loop[1]}\b", "@", nodes[int(loop[1])]), text)
    pieces = _NAME.split(_LABEL.sub(r"%\1:", text))  # each second one is a name
    names = pieces[1::2]
    numbers = {name: f"%{number}" for number, name in enumerate(dict.fromkeys(names))}
    pieces[1::2] = [numbers[name] for name in names]
    return "".join(pieces)
