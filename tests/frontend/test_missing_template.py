# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""clang's complaints about a missing `template`, and where the keyword goes."""

from __future__ import annotations

from pathlib import Path

import pytest

from warploom.frontend.missing_template import MOST_ROUNDS, TemplateKeywords

LINE = "  return convert<T>::apply<4>(x) + value.rows<K>() + again.rows<K>();"


def error(file: Path, word: str, text: str) -> str:
    return f"{file}:1:{LINE.index(word) + 1}: error: {text}\n"


ASKED = "use 'template' keyword to treat 'rows' as a dependent template name"
MISSED = "missing 'template' keyword prior to dependent template name 'apply'"
UNRESOLVED = "reference to overloaded function could not be resolved; did you mean to call it?"
UNCALLED = "reference to non-static member function must be called"


@pytest.mark.parametrize(
    ("word", "text", "changed"),
    [
        ("rows", ASKED, "value.template rows<K>()"),
        ("<K>", "missing 'template' keyword prior to dependent template name 'rows'", "value.template rows<K>()"),
        ("convert", MISSED, "convert<T>::template apply<4>(x)"),
        ("convert", UNRESOLVED, "convert<T>::template apply<4>(x)"),
        ("rows", UNCALLED, "value.template rows<K>()"),
    ],
)
def test_keyword_goes_before_the_name(tmp_path: Path, word: str, text: str, changed: str) -> None:
    """Each of clang's ways to complain leads to the place of the template's name, and to no other."""
    source = tmp_path / "a.cuh"
    source.write_text(LINE)
    keywords = TemplateKeywords(tmp_path)
    assert len(keywords.learn(error(source, word, text))) == 1
    copy = (tmp_path / "template.0").read_text()
    assert changed in copy
    assert copy.replace("template ", "", 1) == LINE
    assert source.read_text() == LINE, "the file itself stays"


def test_columns_after_a_keyword_are_those_of_the_file(tmp_path: Path) -> None:
    """clang reads the copy the second time, and its columns are the copy's."""
    source = tmp_path / "a.cuh"
    source.write_text(LINE)
    keywords = TemplateKeywords(tmp_path)
    keywords.learn(error(source, "convert", MISSED))
    column = (tmp_path / "template.0").read_text().index("rows") + 1
    keywords.learn(f"{source}:1:{column}: error: {ASKED}\n")
    assert "::template apply<4>(x) + value.template rows<K>()" in (tmp_path / "template.0").read_text()


@pytest.mark.parametrize(
    "message", ["x.cu:1:3: error: no such thing", "<stdin>:1:1: error: " + ASKED, "gone.cu:7:1: error: " + UNCALLED]
)
def test_other_errors_change_nothing(tmp_path: Path, message: str) -> None:
    """What is not about the keyword, or has no file, is left to the user; so is what is asked for again."""
    keywords = TemplateKeywords(tmp_path)
    assert keywords.learn(message) == []
    assert keywords.flags() == []


def test_it_ends(tmp_path: Path) -> None:
    """A file that clang never takes costs a bounded number of tries."""
    source = tmp_path / "a.cuh"
    source.write_text("\n".join([LINE] * 2 * MOST_ROUNDS))
    keywords = TemplateKeywords(tmp_path)
    tries = 0
    while keywords.learn(f"{source}:{tries + 1}:{LINE.index('rows') + 1}: error: {ASKED}\n"):
        tries += 1
    assert tries == MOST_ROUNDS


def test_brackets_of_launches_may_have_spaces(tmp_path: Path) -> None:
    """As some formatters write them; strings of such a file stay as they are, and so do all columns."""
    source = tmp_path / "a.cu"
    source.write_text('k << <1, n >> > (p);\nputs("<< < >> >");\nk<< <1, 2>> >(1 << 2, x >> 1);\n')
    keywords = TemplateKeywords(tmp_path)
    (note,) = keywords.learn(f"{source}:1:7: error: expected expression\n{source}:1:15: error: expected expression\n")
    assert note.endswith("a.cu: '<< <' and '>> >' are read as '<<<' and '>>>'")
    copy = (tmp_path / "template.0").read_text()
    assert copy == 'k <<< 1, n >>>  (p);\nputs("<< < >> >");\nk<<< 1, 2>>> (1 << 2, x >> 1);\n'
    assert keywords.flags()
    assert keywords.learn(f"{source}:3:1: error: expected expression\n") == []


def test_an_expression_that_is_missing_elsewhere_is_the_users(tmp_path: Path) -> None:
    source = tmp_path / "a.cu"
    source.write_text("int x = ;\nk << <1, 2 >> > ();\n")
    assert TemplateKeywords(tmp_path).learn(f"{source}:1:9: error: expected expression\n") == []


def test_a_backslash_before_a_comment_is_left_out(tmp_path: Path) -> None:
    """Where clang stumbles over it, and only there."""
    source = tmp_path / "a.cu"
    source.write_text('int f(int a) {\n  return a + \\ // and\n    1;\n}\nconst char *s = "\\\\ //";\n')
    keywords = TemplateKeywords(tmp_path)
    (note,) = keywords.learn(f"{source}:2:14: error: expected expression\n")
    assert note.endswith("a.cu:2: the backslash before a comment is left out, as by nvcc")
    assert (tmp_path / "template.0").read_text() == source.read_text().replace("+ \\ //", "+   //")
    assert keywords.learn(f"{source}:1:5: error: expected expression\n") == []


def test_braces_in_a_launch_are_sizes(tmp_path: Path) -> None:
    """One at a time, as clang stumbles over them; columns are then those of the copy."""
    source = tmp_path / "a.cu"
    source.write_text("int x = f(1, {1});\nk<<<{2, 2}, {8, 8, 1}, 0, s>>>(p);\n")
    keywords = TemplateKeywords(tmp_path)
    (note,) = keywords.learn(f"{source}:2:5: error: expected expression\n")
    assert note.endswith("a.cu:2: '{' in a launch is read as 'dim3{'")
    assert len(keywords.learn(f"{source}:2:17: error: expected expression\n")) == 1
    copy = (tmp_path / "template.0").read_text()
    assert copy == "int x = f(1, {1});\nk<<<dim3{2, 2}, dim3{8, 8, 1}, 0, s>>>(p);\n"
    assert keywords.learn(f"{source}:1:14: error: expected expression\n") == [], "no launch"


@pytest.mark.parametrize(
    ("text", "mended"),
    [
        ("inline int f(int v) {", "inline int __host__ __device__ f(int v) {"),
        ("const int *f(const int &v) {", "const int *__host__ __device__ f(const int &v) {"),
        ("template <class T> T V<T>::f(T v) {", "template <class T> T __host__ __device__ V<T>::f(T v) {"),
        ("a::W<b::X<int>, 2> c::V<d<int>>::f() {", "a::W<b::X<int>, 2> __host__ __device__ c::V<d<int>>::f() {"),
        ("f(int v) {", "__host__ __device__ f(int v) {"),  # the type stands in the line before
    ],
)
def test_a_function_for_both_sides_is_so_in_all_declarations(tmp_path: Path, text: str, mended: str) -> None:
    """Where the declaration without is the later one."""
    source = tmp_path / "a.cuh"
    source.write_text(text)
    keywords = TemplateKeywords(tmp_path)
    said = "error: __host__ function 'f' cannot overload __host__ __device__ function 'f'"
    note = "b.cuh:2:5: note: previous declaration is here"
    message = f"{source}:1:{text.rindex('f(') + 1}: {said}\n    1 | {text}\n      |     ^\n{note}\n"
    (told,) = keywords.learn(message)
    assert told.endswith("a.cuh:1: 'f' is read as __host__ __device__, as another declaration says")
    assert (tmp_path / "template.0").read_text() == mended
    assert keywords.learn(message) == []


def test_the_earlier_declaration_may_be_the_one_for_one_side(tmp_path: Path) -> None:
    """clang's note says where that is; an error in between has none."""
    source = tmp_path / "a.cuh"
    source.write_text("struct S {\n  int f(int);\n};\n")
    text = "error: __host__ __device__ function 'f' cannot overload __host__ function 'f'"
    note = f"{source}:2:7: note: previous declaration is here\n"
    keywords = TemplateKeywords(tmp_path)
    assert keywords.learn(f"b.cu:9:12: {text}\n    9 | int S::f\nb.cu:10:1: error: no such thing\n{note}") == []
    assert len(keywords.learn(f"b.cu:9:12: {text}\n    9 | int S::f\n      |     ^\n{note}")) == 1
    assert "  int __host__ __device__ f(int);\n" in (tmp_path / "template.0").read_text()
