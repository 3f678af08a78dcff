# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Dataclasses of ours behave as those of the standard library, but that none is frozen at run time."""

from __future__ import annotations

import dataclasses
import pickle
from typing import Any

import pytest

from warploom.core.records import dataclass, field


@dataclass(frozen=True, slots=True)
class Place:
    file: str
    line: int = 1
    note: str = field(default="", compare=False)


@dataclass
class Count:
    of: list[int] = field(default_factory=list[int])


@dataclass(eq=False, slots=True)
class Node:
    name: str
    parent: Node | None = None


@dataclasses.dataclass(frozen=True)
class StandardPlace:
    file: str
    line: int = 1
    note: str = dataclasses.field(default="", compare=False)


@pytest.mark.parametrize("kind", [Place, StandardPlace])
def test_frozen_ones_are_equal_and_hash_alike_by_what_is_compared(kind: Any) -> None:
    assert kind("a", note="one") == kind("a", note="other") != kind("a", 2)
    assert hash(kind("a", note="one")) == hash(kind("a"))
    assert repr(kind("a")) == f"{kind.__qualname__}(file='a', line=1, note='')"
    assert dataclasses.replace(kind("a"), line=3) == kind("a", 3)
    assert pickle.loads(pickle.dumps(kind("a", 2))) == kind("a", 2)


def test_others_have_no_hash_and_no_shared_defaults() -> None:
    assert Count([1]) == Count([1]) != Count() != (1,)
    Count().of.append(1)
    assert Count().of == []
    with pytest.raises(TypeError):
        hash(Count())


def test_eq_false_compares_by_identity_and_shows_cycles() -> None:
    node = Node("a")
    node.parent = node
    assert node != Node("a")
    assert node in {node}
    assert repr(node) == "Node(name='a', parent=...)"


def test_a_method_of_the_class_stays() -> None:
    @dataclass
    class Named:
        name: str

        def __repr__(self) -> str:
            return self.name

    assert repr(Named("a")) == "a"
    assert not hasattr(Place("a"), "__dict__")
