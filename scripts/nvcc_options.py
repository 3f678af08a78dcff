#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Write docs/nvcc-options.md from the table of nvcc's options; `--check` only tells whether it is as it should be."""

from __future__ import annotations

import sys
from pathlib import Path

from warploom.driver.nvcc_table import MORE_SECTIONS, OPTIONS, SECTIONS, Option, Verdict

PAGE = Path(__file__).resolve().parent.parent / "docs" / "nvcc-options.md"
COUNTS = {verdict: sum(option.verdict is verdict for option in OPTIONS) for verdict in Verdict}
HEAD = f"""# nvcc's options

`warpcc` takes all {len(OPTIONS)} options that `nvcc --help` of CUDA 13.0 lists: {COUNTS[Verdict.DOES]} do something,
{COUNTS[Verdict.HARMLESS]} change nothing because there is nothing for them to change, and nothing is said about them,
{COUNTS[Verdict.REFUSED]} are refused with the reason. This page is written from the compiler's own table by
`scripts/nvcc_options.py`.

A value follows as the next word or after `=`, of `-I -D -U -L -l -O -t` also at once. Values in lists are separated by
commas; `\\,` and commas in quotes belong to the value. Of an option that has one value the last one counts, with a
warning where they differ. `@FILE` and `-optf FILE` put the words of a file in their place, and `NVCC_PREPEND_FLAGS` and
`NVCC_APPEND_FLAGS` hold words for before and after the command line.
"""
TAIL = """
## `-Xptxas -v` and `-res-usage`

The lines are those of ptxas. What the numbers are of, here:

| number | of what |
|---|---|
| stack frame | bytes on the stack of the code that runs the kernel, for one vector of threads |
| spill stores, spill loads | bytes a thread that are kept in memory from one side of a barrier to the other |
| registers | 32, as `cudaFuncGetAttributes` says of every kernel |
| barriers | 1 where the kernel has barriers, however many |
| smem | bytes of static shared memory |
| cmem[0] | bytes of parameters; cmem[3]: of `__constant__` variables, gmem: of `__device__` variables |
| vectors of N threads on CPU | the widest vectors of threads, and what they are made for |
"""


def row(option: Option) -> str:
    """One line of a table."""
    names = f"`{option.long}`" if option.short == option.long else f"`{option.long}`, `{option.short}`"
    value = "`" + "\\|".join(option.choices) + "`" if option.choices else option.kind.value
    return f"| {names} | {value} | {option.verdict.value} | {option.text} |"


def page() -> str:
    """The page's text."""
    parts = [HEAD]
    for title, rows in (SECTIONS | MORE_SECTIONS).items():
        head = f"\n## {title}\n\n| option | value | here | what |\n|---|---|---|---|"
        parts.append("\n".join([head, *map(row, rows)]) + "\n")
    return "".join([*parts, TAIL])


def main() -> int:
    """Write the page, or compare it."""
    if "--check" in sys.argv:
        return 0 if PAGE.read_text() == page() else 1
    PAGE.write_text(page())
    return 0


if __name__ == "__main__":
    sys.exit(main())
