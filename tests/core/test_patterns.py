# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Expressions that are compiled at their first use behave as those of `re`."""

from __future__ import annotations

import re

import pytest

from warploom.core.patterns import regex


def test_an_expression_is_compiled_once_and_only_when_it_is_used(monkeypatch: pytest.MonkeyPatch) -> None:
    made: list[str] = []
    true_compile = re.compile

    def counted(text: str, flags: int = 0) -> re.Pattern[str]:
        made.append(text)
        return true_compile(text, flags)

    monkeypatch.setattr(re, "compile", counted)
    word = regex(r"(?P<name>[a-z]+)", re.IGNORECASE)
    assert made == []
    found = word.search("1 Ab")
    assert found is not None
    assert found["name"] == "Ab"
    assert word.search("12") is None
    assert made == [r"(?P<name>[a-z]+)"]
    assert word.sub("_", "a1b") == "_1_"
    assert word.pattern == r"(?P<name>[a-z]+)"
