# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""`warploom cache`: what it shows, and what goes first."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from warploom import cache
from warploom.cli.main import main

NOW = 1_000_000_000


@pytest.fixture(autouse=True)
def own_cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Four entries of 1,000 bytes: a runtime, then programs of which p0 was used first and p2 last."""
    monkeypatch.setenv("WARPLOOM_CACHE_DIR", str(tmp_path))
    for age, (kind, key) in enumerate([("toolkit", "t"), ("run", "p0"), ("run", "p1"), ("run", "p2")]):
        entry = cache.cached_entry(kind, key, lambda folder: _fill(folder))
        os.utime(entry, (NOW + age, NOW + age))
    return tmp_path


def _fill(folder: Path) -> None:
    (folder / "file").write_bytes(bytes(1000))


def _left() -> set[str]:
    return {entry.key for entry in cache.entries()}


def test_table(own_cache: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["cache"]) == 0
    out = capsys.readouterr().out
    assert out.startswith(f"{own_cache}: 0.0 MiB; 5120.0 MiB at most, half of that for runtimes (WARPLOOM_CACHE_MAX)\n")
    assert [line.split()[:3] for line in out.splitlines()[1:]] == [["run", "3", "entries"], ["toolkit", "1", "entries"]]


def test_what_was_not_used_for_longest_goes_first() -> None:
    cache.cached_entry("run", "p0", _fill)  # used now
    assert main(["cache", "--max", "3000"]) == 0
    assert _left() == {"t", "p0", "p2"}
    assert main(["cache", "--max=2K"]) == 0
    assert "t" in _left()
    assert len(_left()) == 2


def test_clean_keeps_what_programs_load() -> None:
    assert main(["cache", "--clean"]) == 0
    assert _left() == {"t"}
    assert main(["cache", "--clean", "--runtime"]) == 0
    assert _left() == set()


@pytest.mark.parametrize(("text", "size"), [("1000", 1000), ("2k", 2048), ("1.5M", 3 << 19), ("2GiB", 2 << 30)])
def test_sizes(text: str, size: int, capsys: pytest.CaptureFixture[str]) -> None:
    from warploom.cli.cache import size_of

    assert size_of(text) == size
    with pytest.raises(SystemExit):
        main(["cache", "--max", "much"])
    assert "'much' is no size; write 500M or 2G" in capsys.readouterr().err
