# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""`#pragma warploom`: which kernel one belongs to, and what is said of mistakes."""

from __future__ import annotations

from pathlib import Path

import pytest

from warploom.diagnostics import Diagnostic
from warploom.frontend.pragmas import Pragma, pragmas_in, wanted_at

FILE = Path("a.cu")
KERNEL = "__global__ void k(float *p) {\n  *p = 1;\n}\n"


def test_it_belongs_to_the_kernel_whose_head_follows(tmp_path: Path) -> None:
    file = tmp_path / "a.cu"
    file.write_text(f"{KERNEL}#pragma warploom width(8), jam( 2 )\ntemplate <int N>\n#define X ;\n{KERNEL}{KERNEL}")
    lines = file.read_text().splitlines()
    first, second, third = (number for number, line in enumerate(lines, 1) if "__global__" in line)
    assert wanted_at(file, second) == {"width": 8, "jam": 2}
    assert wanted_at(file, first) == wanted_at(file, third) == {}


def test_what_stands_in_a_comment_or_a_string_is_none() -> None:
    text = f'// #pragma warploom width(3)\n/*\n#pragma warploom x\n*/ const char *s = "\\\n#pragma warploom";\n{KERNEL}'
    assert pragmas_in(text, FILE) == []


def test_a_comment_between_does_not_matter() -> None:
    assert pragmas_in(f"#pragma warploom width(4)\n// twice {{;\n{KERNEL}", FILE) == [Pragma(2, 3, {"width": 4})]


@pytest.mark.parametrize(
    ("pragma", "message"),
    [
        ("width(12)", "width=12 is no power of two up to 64"),
        ("jam(32)", "jam=32 is no power of two up to 16"),
        ("width(x)", "width=x is no power of two"),
        ("with(8)", "'with' is not known"),
        ("width 8", "cannot read 'width 8'"),
        ("", "cannot read ''"),
    ],
)
def test_a_mistake_is_an_error_with_its_place(pragma: str, message: str) -> None:
    with pytest.raises(Diagnostic, match=message) as caught:
        pragmas_in(f"\n#pragma warploom {pragma}\n{KERNEL}", FILE)
    assert (caught.value.file, caught.value.line) == (FILE, 2)


def test_a_kernel_must_follow() -> None:
    for rest in ("", "__global__ void k();\n", f"void f() {{}}\n{KERNEL}", f"}}\n{KERNEL}"):
        with pytest.raises(Diagnostic, match="the definition of a kernel must follow"):
            pragmas_in(f"#pragma warploom width(4)\n{rest}", FILE)
