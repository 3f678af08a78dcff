# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Modules that are deferred are loaded when something of them is first asked for, or all at once."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

from warploom.core import deferred

MODULE = """
from warploom.core import deferred
wanted_by_something_deferred = deferred.is_loading()
calls = []
def doubled(number):
    calls.append(number)
    return 2 * number
class Odd(Exception):
    pass
"""


@pytest.fixture
def names(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """Two modules that can be loaded, and are not."""
    names = ["deferred_by_a_test", "deferred_by_a_test_as_well"]
    for name in names:
        (tmp_path / f"{name}.py").write_text(MODULE)
        monkeypatch.delitem(sys.modules, name, raising=False)
    monkeypatch.setattr(sys, "path", [str(tmp_path), *sys.path])
    monkeypatch.setattr(deferred, "_waiting", set[str]())
    return names


def test_a_module_is_loaded_when_it_is_asked_for_something(names: list[str]) -> None:
    module = deferred.deferred(names[0])
    assert names[0] not in sys.modules
    assert module.doubled(4) == 8
    assert sys.modules[names[0]].calls == [4]
    assert module.doubled is sys.modules[names[0]].doubled
    with pytest.raises(module.Odd):
        raise module.Odd
    assert module.wanted_by_something_deferred
    assert not deferred.is_loading()
    with pytest.raises(AttributeError, match="nothing_of_the_kind"):
        _ = module.nothing_of_the_kind


def test_all_are_loaded_at_once(names: list[str]) -> None:
    for name in names:
        deferred.deferred(name)
    deferred.load_all()
    assert all(name in sys.modules for name in names)
    deferred.load_all()


def test_a_module_that_is_not_there_says_so_when_it_is_asked_for() -> None:
    module = deferred._Deferred("deferred_and_not_there")  # pyright: ignore[reportPrivateUsage]
    with pytest.raises(ModuleNotFoundError, match="deferred_and_not_there"):
        _ = module.anything
    assert not deferred.is_loading()
