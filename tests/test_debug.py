# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The debug variables."""

from __future__ import annotations

import pytest

from warploom import debug
from warploom.debug import Debug
from warploom.diagnostics import Diagnostic


@pytest.mark.parametrize(("text", "level"), [("", 0), ("0", 0), ("2", 2), ("99", 3)])
def test_levels_above_the_last_are_the_last(text: str, level: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("WARPLOOM_DEBUG", text)
    assert debug.debug_level() == level


def test_a_level_that_is_no_number_is_a_mistake_of_the_user(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("WARPLOOM_DEBUG", "yes")
    with pytest.raises(Diagnostic, match="WARPLOOM_DEBUG=yes"):
        debug.debug_level()


def test_verification_is_on_from_level_1_or_by_itself(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("WARPLOOM_VERIFY", raising=False)
    monkeypatch.setenv("WARPLOOM_DEBUG", "0")
    assert not debug.wants_verification()
    monkeypatch.setenv("WARPLOOM_VERIFY", "1")
    assert debug.wants_verification()
    monkeypatch.delenv("WARPLOOM_VERIFY")
    monkeypatch.setenv("WARPLOOM_DEBUG", str(int(Debug.FALLBACKS)))
    assert debug.wants_verification()
    monkeypatch.setenv("WARPLOOM_VERIFY", "0")
    assert not debug.wants_verification()
