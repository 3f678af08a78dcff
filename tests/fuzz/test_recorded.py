# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Random programs whose output was recorded on an H200 (recorded/): both engines must print the same.

Written by `warploom fuzz --nvcc`, and cut to a few kernels each; the first line says how nvcc compiled them. What such
programs begin with is included from the generator.
"""

from __future__ import annotations

from pathlib import Path

import pytest

from warploom.fuzz.compare import QUICK, REFERENCE, Variant, Workshop, compare, parse_lines
from warploom.fuzz.text import PRELUDE

RECORDED = sorted(Path(__file__).with_name("recorded").glob("*.cu"))


def test_there_are_recorded_programs() -> None:
    assert len(RECORDED) >= 10
    assert all(path.with_suffix(".out").read_text().count("\n") >= 5 for path in RECORDED)


@pytest.mark.parametrize("path", RECORDED, ids=lambda path: path.stem)
def test_both_engines_print_what_a_gpu_printed(path: Path, tmp_path: Path) -> None:
    text = path.read_text()
    flags = [*text.splitlines()[0].split("compiled by nvcc with: ")[1].split(), f"-I{PRELUDE.parent}"]
    expected = parse_lines(path.with_suffix(".out").read_text())
    # As many kernels as give a build time enough on a busy machine.
    workshop = Workshop(tmp_path, text, 100, verify=False, flags=flags, expected=expected)
    assert [str(each) for each in compare(workshop, [REFERENCE, Variant(flags=QUICK)])] == []
