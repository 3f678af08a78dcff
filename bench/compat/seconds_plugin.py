# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""A plugin of pytest that notes each test's seconds of processors, with its children's, in the file $TEST_SECONDS."""

from __future__ import annotations

import json
import os
import resource
from collections.abc import Generator
from pathlib import Path
from typing import Any

import pytest

_found: dict[str, float] = {}


def _seconds() -> float:
    used = [resource.getrusage(who) for who in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN)]
    return sum(each.ru_utime + each.ru_stime for each in used)


@pytest.hookimpl(wrapper=True)
def pytest_runtest_call(item: Any) -> Generator[None, Any, Any]:
    """Measure the test itself, without what comes before and after."""
    started = _seconds()
    try:
        return (yield)
    finally:
        _found[item.nodeid.rpartition("cudapy/")[2]] = _seconds() - started


def pytest_sessionfinish() -> None:
    """Write them down."""
    Path(os.environ["TEST_SECONDS"]).write_text(json.dumps(_found))
