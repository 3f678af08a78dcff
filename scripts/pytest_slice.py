#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Run every N-th test of some files: `pytest_slice.py NUMBER N FILE... [more options of pytest]`, NUMBER from 0.

Tests that share a build stand beside each other: what is dealt out are groups of tests with one program.
"""

from __future__ import annotations

import sys
from itertools import groupby

import pytest


class Slice:
    """Keeps the tests of one part."""

    def __init__(self, number: int, parts: int) -> None:
        self.number, self.parts = number, parts

    def pytest_collection_modifyitems(self, items: list[pytest.Item]) -> None:
        """Leave the groups that belong to other parts away."""
        names = sorted(items, key=lambda each: _group(each))
        groups = [list(each) for _, each in groupby(names, _group)]
        items[:] = [item for group in groups[self.number :: self.parts] for item in group]


def _group(item: pytest.Item) -> str:
    """The file, and of a test's parameters the first word: its program."""
    return f"{item.path}:{item.name.partition('[')[2].partition('-')[0]}"


def main(words: list[str]) -> int:
    """The exit status of pytest; nothing to do is no failure."""
    number, parts, *more = words
    options = ["-p", "no:xdist", *more]
    status = pytest.main(options, plugins=[Slice(int(number), int(parts))])
    return 0 if status == pytest.ExitCode.NO_TESTS_COLLECTED else int(status)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
