# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The cache on disk: where it lies, that entries are whole or absent, that one process builds while others wait."""

from __future__ import annotations

import errno
import multiprocessing
import os
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from warploom import cache


@pytest.fixture(autouse=True)
def own_cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    folder = tmp_path / "cache"
    monkeypatch.setenv("WARPLOOM_CACHE_DIR", str(folder))
    return folder


def test_own_variable_comes_first(own_cache: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("XDG_CACHE_HOME", "/elsewhere")
    assert cache.cache_dir() == own_cache


def test_xdg_then_home(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("WARPLOOM_CACHE_DIR")
    monkeypatch.setenv("XDG_CACHE_HOME", "/x")
    assert cache.cache_dir() == Path("/x/warploom")
    monkeypatch.delenv("XDG_CACHE_HOME")
    monkeypatch.setenv("HOME", "/home/someone")
    assert cache.cache_dir() == Path("/home/someone/.cache/warploom")


def test_key_keeps_parts_apart() -> None:
    assert cache.content_key("ab", "c") != cache.content_key("a", "bc")
    assert cache.content_key("a", b"b") == cache.content_key(b"a", "b")


def test_built_once() -> None:
    calls: list[Path] = []

    def build(folder: Path) -> None:
        calls.append(folder)
        (folder / "made").write_text("x")

    first = cache.cached_entry("kind", "k1", build)
    assert (first / "made").read_text() == "x"
    assert cache.cached_entry("kind", "k1", build) == first
    assert len(calls) == 1


def test_failed_build_leaves_nothing(own_cache: Path) -> None:
    def build(folder: Path) -> None:
        (folder / "half").write_text("x")
        raise ValueError("no")

    with pytest.raises(ValueError, match="no"):
        cache.cached_entry("kind", "k2", build)
    assert list((own_cache / "kind").iterdir()) == []


def test_replaced_whole() -> None:
    cache.cached_entry("kind", "k3", lambda folder: write(folder / "old"))
    entry = cache.replace_entry("kind", "k3", lambda folder: write(folder / "new"))
    assert [path.name for path in entry.iterdir()] == ["new"]
    assert [path.name for path in entry.parent.iterdir()] == ["k3"]


def test_replace_that_fails_keeps_the_old() -> None:
    def build(_folder: Path) -> None:
        raise ValueError("no")

    entry = cache.cached_entry("kind", "k4", lambda folder: write(folder / "old"))
    with pytest.raises(ValueError, match="no"):
        cache.replace_entry("kind", "k4", build)
    assert (entry / "old").exists()


def test_where_nothing_can_be_written_a_build_is_made_for_this_process_and_a_line_says_so(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "file").write_text("")
    monkeypatch.setenv("WARPLOOM_CACHE_DIR", str(tmp_path / "file" / "below"))
    built = [cache.cached_entry("kind", key, lambda folder: write(folder / "made")) for key in ("k5", "k6", "k5")]
    assert all((entry / "made").exists() and cache.is_passing(entry) for entry in built)
    assert built[0] == built[2]
    said = capsys.readouterr().err.splitlines()
    assert len(said) == 1
    assert "cannot be written to" in said[0]
    assert "set WARPLOOM_CACHE_DIR to a folder that you may write to" in said[0]
    assert "--max" not in said[0], "a smaller cache is no easier to write to"


def test_a_full_disk_and_a_missing_home_are_problems_too(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("WARPLOOM_CACHE_DIR", str(tmp_path / "full"))
    assert cache.problem() is None
    monkeypatch.setattr(cache, "LEAST_SPACE", 1 << 62)
    full = cache.problem()
    assert full is not None
    assert "MiB of space left" in full.why
    assert "`warploom cache --max 1G` makes room" in full.mend
    monkeypatch.setenv("WARPLOOM_CACHE_DIR", str(tmp_path / "fuller"))
    assert cache.is_passing(cache.cached_entry("kind", "k", lambda folder: write(folder / "made")))
    for name in ("WARPLOOM_CACHE_DIR", "XDG_CACHE_HOME"):
        monkeypatch.delenv(name, raising=False)

    def nobody() -> Path:
        raise RuntimeError("Could not determine home directory.")

    monkeypatch.setattr("warploom.cache.Path.home", nobody)
    assert cache.cache_dir().is_dir()
    assert "there is no home folder" in capsys.readouterr().err


def test_a_file_system_without_locks_does(monkeypatch: pytest.MonkeyPatch) -> None:
    """Such as NFS without its lock service: an entry that another process makes meanwhile is taken."""
    assert cache.has_locks()

    def refused(_descriptor: int, _operation: int) -> None:
        raise OSError(errno.ENOLCK, "No locks available")

    monkeypatch.setattr("warploom.cache.fcntl.flock", refused)
    assert not cache.has_locks()
    rename = os.rename

    def rename_late(source: Path, target: Path) -> None:
        target.mkdir()
        write(target / "made by another")
        rename(source, target)

    monkeypatch.setattr("warploom.cache.os.rename", rename_late)
    entry = cache.cached_entry("kind", "k9", lambda folder: write(folder / "made"))
    assert [path.name for path in entry.iterdir()] == ["made by another"]
    assert [path for path in entry.parent.iterdir() if path.name.startswith(".k9")] == []


def test_what_another_user_keeps_to_himself_is_not_there(monkeypatch: pytest.MonkeyPatch) -> None:
    entry = cache.cached_entry("kind", "k7", lambda folder: write(folder / "made"))

    def refused(_self: Path) -> bool:
        raise PermissionError

    with monkeypatch.context() as patched:
        patched.setattr("warploom.cache.Path.is_dir", refused)
        assert cache.entry_path("kind", "k7") == entry, "the place where it would be built"


def test_processes_build_an_entry_once(tmp_path: Path) -> None:
    context = multiprocessing.get_context("spawn")
    workers = [context.Process(target=build_slowly, args=(tmp_path / "log",)) for _ in range(3)]
    for worker in workers:
        worker.start()
    for worker in workers:
        worker.join(60)
    assert [worker.exitcode for worker in workers] == [0, 0, 0]
    assert (tmp_path / "log").read_text() == "built\n"


def test_file_key_follows_content(tmp_path: Path) -> None:
    path = tmp_path / "f"
    assert cache.file_key(path) is None
    path.write_text("a")
    before = cache.file_key(path)
    path.write_text("b")
    assert before is not None
    assert cache.file_key(path) != before


def build_slowly(log: Path) -> None:
    def build(_folder: Path) -> None:
        time.sleep(0.2)
        with log.open("a") as stream:
            stream.write("built\n")

    cache.cached_entry("kind", "shared", build)


def write(path: Path) -> None:
    path.write_text("x")


def test_size_is_that_of_files_which_stay(own_cache: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (own_cache / "kind").mkdir(parents=True)
    (own_cache / "kind" / "kept").write_bytes(b"12345")
    (own_cache / "kind" / "passing").write_bytes(b"678")
    (own_cache / "kind" / "scratch").mkdir()
    assert cache.size() == 8
    walk = os.walk

    def others_remove_what_was_listed(top: Path) -> Iterator[tuple[str, list[str], list[str]]]:
        for folder, folders, names in walk(top):
            if "scratch" in folders:
                (own_cache / "kind" / "scratch").rmdir()
                (own_cache / "kind" / "passing").unlink()
            yield folder, folders, names

    monkeypatch.setattr("warploom.cache.os.walk", others_remove_what_was_listed)
    assert cache.size() == 5


def _entry_of(size: int, hours: float, name: str, kind: str = "object") -> None:
    """An entry of so many bytes that was used so many hours ago."""

    def fill(folder: Path) -> None:
        (folder / "made").write_bytes(bytes(size))

    made = cache.cached_entry(kind, name, fill)
    then = time.time() - 3600 * hours
    os.utime(made, (then, then))


def test_the_bound_removes_what_was_not_used_for_longest(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(cache.BOUND, "10K")
    for number in range(4):
        _entry_of(2048, 50 - number, f"k{number}")
    assert len(cache.entries()) == 4
    _entry_of(2100, 1, "k4")  # above the bound: down to four fifths of it
    assert {each.key for each in cache.entries()} == {"k2", "k3", "k4"}
    _entry_of(2100, 1, "k5")  # there is room
    assert {each.key for each in cache.entries()} == {"k2", "k3", "k4", "k5"}


def test_what_is_in_use_stays_whatever_the_bound(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(cache.BOUND, "1K")
    for number in range(3):
        _entry_of(2048, 0.5, f"k{number}")
    assert len(cache.entries()) == 3


def test_runtimes_take_half_of_the_bound(monkeypatch: pytest.MonkeyPatch) -> None:
    """Those that a link was followed to lately stay longest, however old they are."""
    monkeypatch.setenv(cache.BOUND, "10K")
    for hours in (90, 80, 70):
        _entry_of(2000, hours, f"t{hours}", "toolkit")
    link = cache.cached_entry("toolkit-link", "quick", lambda folder: _link_to("t90", folder))
    os.utime(link, (time.time() - 7200, time.time() - 7200))
    _entry_of(5000, 100, "k")
    assert {each.key for each in cache.entries()} == {"quick", "t90", "t70", "k"}


def _link_to(runtime: str, folder: Path) -> None:
    (folder / "toolkit").symlink_to(cache.entry_path("toolkit", runtime))


def test_a_bound_may_be_none_or_nonsense(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(cache.BOUND, "0")
    assert cache.bound() is None
    monkeypatch.setenv(cache.BOUND, "much")
    with pytest.raises(cache.Diagnostic, match="is no size"):
        cache.bound()
