# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Builds in child processes: what they say, and what becomes of those that crash or never end."""

from __future__ import annotations

import itertools
import os
import signal
import time
from collections.abc import Callable
from pathlib import Path

import pytest

from warploom.driver import sources as driver_sources
from warploom.frontend.launches import LaunchSizes
from warploom.fuzz import build
from warploom.fuzz.build import Halves, last_error, parse_log
from warploom.target import HERE

SYMBOL = "_Z2k1PKiPyPjPijjf"


@pytest.fixture
def halves(tmp_path: Path) -> Halves:
    source = tmp_path / "program.cu"
    source.write_text("int main() {}")
    return Halves(source, HERE, tmp_path / "device.bc", tmp_path / "host.o", tmp_path / "image.id", LaunchSizes())


def child(monkeypatch: pytest.MonkeyPatch, does: Callable[[], object]) -> None:
    def compile_bitcode(*_: object) -> None:
        does()

    monkeypatch.setattr(driver_sources, "compile_bitcode", compile_bitcode)


def test_a_pass_that_broke_and_a_fallback_are_found_in_what_a_build_says() -> None:
    found = parse_log(
        f"warploom: warning: pass unroll failed on kernel {SYMBOL}: KeyError: 3 (unroll.py:7); the kernel runs on the "
        "reference engine; please report it with x.ir\n"
        "warploom: a.cu:7: kernel k2(int const*) runs on the reference engine: too hard\n"
    )
    assert found.broken == {"k1": "pass unroll: KeyError: 3 (unroll.py:7)"}
    assert found.fallbacks == {"k2": "too hard"}


def test_a_crash_is_a_failed_build(monkeypatch: pytest.MonkeyPatch, halves: Halves) -> None:
    child(monkeypatch, lambda: os.kill(os.getpid(), signal.SIGSEGV))
    made = build.build(halves, (), halves.source.with_name("x"), 1)
    assert made.failure == "the build failed: no message (signal 11)"


def test_an_exception_is_a_failed_build(monkeypatch: pytest.MonkeyPatch, halves: Halves) -> None:
    child(monkeypatch, lambda: dict[str, int]()["gone"])
    assert build.build(halves, (), halves.source.with_name("x"), 1).failure == "the build failed: KeyError: 'gone'"


def test_an_endless_build_is_ended(monkeypatch: pytest.MonkeyPatch, halves: Halves) -> None:
    child(monkeypatch, lambda: time.sleep(60))
    monkeypatch.setattr(build, "SECONDS", 0.2)
    monkeypatch.setattr(build, "SECONDS_A_KERNEL", 0)
    monkeypatch.setattr(build, "PATIENCE", 1)
    assert build.build(halves, (), halves.source.with_name("x"), 1).failure == "the build takes more than 0.2 s"


def test_a_build_that_only_computes_ends_by_its_processor_time(monkeypatch: pytest.MonkeyPatch, halves: Halves) -> None:
    child(monkeypatch, lambda: sum(number & 1 for number in itertools.count()))
    monkeypatch.setattr(build, "SECONDS", 0.2)
    monkeypatch.setattr(build, "SECONDS_A_KERNEL", 0)
    monkeypatch.setattr(build, "PATIENCE", 300)
    assert build.build(halves, (), halves.source.with_name("x"), 1).failure == "the build takes more than 0.2 s"


def test_the_line_with_the_error_says_most() -> None:
    assert last_error("note\nx.cu:3: error: no\nmore\n") == "x.cu:3: error: no"
    assert last_error("") == "no message"


def test_a_whole_build_that_fails_says_why(tmp_path: Path) -> None:
    source = tmp_path / "program.cu"
    source.write_text("#error not today\n")
    made = build.build_whole([source], ["-w"], tmp_path / "x", 1, {})
    assert "not today" in made.failure
