# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Dataclasses of ours behave as those of the standard library, but that none is frozen at run time."""

from __future__ import annotations

import dataclasses
import pickle
from typing import Any, NamedTuple

import pytest

from warploom.core.records import asdict, astuple, dataclass, field, fields, replace


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


def test_fields_are_given_by_name_or_place_and_the_class_shows_what_is_wrong() -> None:
    @dataclass
    class Kinds:
        plain: int
        usual: str = "u"
        made: list[int] = field(default_factory=lambda: [1])
        later: int = field(init=False)
        fixed: int = field(default=7, init=False)
        own: dict[str, int] = field(default_factory=dict[str, int], init=False)

        def __post_init__(self) -> None:
            self.later = self.plain + 1

    assert vars(Kinds(3)) == {"plain": 3, "usual": "u", "made": [1], "later": 4, "fixed": 7, "own": {}}
    assert vars(Kinds(made=[2], plain=1))["made"] == [2]
    assert Kinds(1).own is not Kinds(1).own
    assert Kinds.__match_args__ == ("plain", "usual", "made")
    assert Kinds.__init__.__qualname__.endswith("Kinds.__init__")
    for wrong in ((), (1, "u", [0], 4)):
        with pytest.raises(TypeError):
            Kinds(*wrong)  # pyright: ignore[reportArgumentType, reportCallIssue]
    with pytest.raises(TypeError, match="other"):
        Kinds(1, other=2)  # pyright: ignore[reportCallIssue]


def test_a_derived_class_has_the_fields_of_its_bases_first() -> None:
    @dataclass(slots=True)
    class Base:
        one: int
        two: int = 2

    @dataclass(slots=True)
    class Derived(Base):
        three: int = 3

        def sum(self) -> int:
            return self.one + self.two + self.three

    class Plain(Derived):
        pass

    assert Derived(1).sum() == 6
    assert Plain(1, three=5).sum() == 8
    assert dataclasses.asdict(Derived(1)) == {"one": 1, "two": 2, "three": 3}
    assert [each.name for each in fields(Derived)] == ["one", "two", "three"]
    assert replace(Derived(1), two=4) == Derived(1, 4)
    assert Derived(1) != Base(1)
    assert pickle.loads(pickle.dumps(Place("a", 3))) == Place("a", 3)


class Pair(NamedTuple):
    left: object
    right: object


@pytest.mark.parametrize(
    "value",
    [
        Place("a", 3, "b"),
        Count([1, 2]),
        Node("inner", Node("outer")),
        Node("x", Place("a")),  # pyright: ignore[reportArgumentType]
        Count([Place("a"), [Place("b")], (Place("c"), 1)]),  # pyright: ignore[reportArgumentType]
        Count({Place("key"): [Place("value")]}),  # pyright: ignore[reportArgumentType]
        Count(Pair(Place("a"), 2)),  # pyright: ignore[reportArgumentType]
    ],
)
def test_what_a_record_holds_is_as_the_standard_library_has_it(value: Any) -> None:
    if not isinstance(value, Count) or not isinstance(value.of, dict):  # records are no keys as dictionaries
        assert asdict(value) == dataclasses.asdict(value)
        assert type(next(iter(asdict(value).values()))) is type(next(iter(dataclasses.asdict(value).values())))
    assert astuple(value) == dataclasses.astuple(value)


def test_a_field_without_a_default_behind_one_that_has_it_is_an_error() -> None:
    @dataclass
    class Wrong:
        one: int = 1
        two: int  # pyright: ignore[reportGeneralTypeIssues]

    with pytest.raises(TypeError, match="two"):
        Wrong(1, 2)
