# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Modules that come from one file of the cache are what they are from their own files, and never older than these."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from warploom import bytecode

# Imports a part of the package, and says of each module what Python loaded: `cached` is where its bytecode lies.
PROGRAM = """
import inspect, sys
compiled = []
sys.addaudithook(lambda event, what: event == "compile" and compiled.append(what[1]))
from warploom.bytecode import together
with together("test", up_to="warploom.ir.core"):
    from warploom.ir import core
    from warploom import ir
assert together.__module__ == "warploom.bytecode" and ir.__path__ and core.Op.__name__ == "Op"
assert "class Op" in inspect.getsource(core.Op)
assert core.__file__.endswith("core.py")
assert core.__spec__.loader.get_code("warploom.ir.core").co_filename == core.__file__
assert not any(type(each).__module__ == "warploom.bytecode" for each in sys.meta_path), "nothing here is deferred"
together_now = [name for name, module in sys.modules.items()
                if name.startswith("warploom.") and str(module.__spec__.cached).endswith("modules")]
there = [f"warploom.ir{each}" in together_now for each in (".core", "")]
print(len(together_now), *there, sum("ir/" in str(each) for each in compiled))
"""


def run(folder: Path, **environment: str) -> str:
    """What the program says in a process with this cache."""
    own = {"WARPLOOM_CACHE_DIR": str(folder / "cache"), "PYTHONPYCACHEPREFIX": str(folder / "none")} | environment
    done = subprocess.run([sys.executable, "-c", PROGRAM], env=os.environ | own, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    return done.stdout.strip()


def test_a_second_process_reads_one_file(tmp_path: Path) -> None:
    first, second = (run(tmp_path, PYTHONDONTWRITEBYTECODE="1") for _ in range(2))
    assert first.startswith("0 False False")
    many, core, package, compiled = second.split()
    assert int(many) > 5
    assert (core, package) == ("True", "True")
    assert compiled == "1", "only by the program itself, which asks the loader a second time"


def test_a_torn_file_is_as_none(tmp_path: Path) -> None:
    run(tmp_path)
    (entry,) = (tmp_path / "cache" / bytecode.KIND).glob("*/modules")
    for text in (b"", b"\0", entry.read_bytes()[:1000], b"i\0\0\0\0"):
        entry.write_bytes(text)
        assert run(tmp_path).startswith("0 False False")


def test_an_older_package_is_not_used(tmp_path: Path) -> None:
    copy = tmp_path / "source"
    source = Path(bytecode.__file__).parent
    shutil.copytree(source, copy / "warploom")  # with the times of its files
    run(tmp_path, PYTHONPATH=str(copy))
    assert not run(tmp_path, PYTHONPATH=str(copy)).startswith("0 ")
    path = copy / "warploom/ir/core.py"
    path.write_text(f"{path.read_text()}\nADDED = 1\n")
    assert run(tmp_path, PYTHONPATH=str(copy)).startswith("0 False False")


def test_two_threads_do_not_disturb_each_other(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("WARPLOOM_CACHE_DIR", str(tmp_path))
    there = list(sys.meta_path)
    with bytecode.together("outer", up_to="warploom.none"):
        assert len(sys.meta_path) == len(there) + 1
        with bytecode.together("inner", up_to="warploom.none"):
            assert len(sys.meta_path) == len(there) + 1
    assert sys.meta_path == there


def test_nothing_is_kept_of_what_failed(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("WARPLOOM_CACHE_DIR", str(tmp_path))
    there = list(sys.meta_path)
    with pytest.raises(KeyError), bytecode.together("failed", up_to="warploom.none"):
        raise KeyError
    assert sys.meta_path == there
    assert not list(tmp_path.glob(f"{bytecode.KIND}/*/modules"))


DEFERRED = """
import sys
from warploom.bytecode import together
from warploom.core import records
with together("test", up_to="warploom.analysis.spin_waits"):
    from warploom.analysis import spin_waits
    known = len(records.init_code)
    from warploom.core.remarks import Remark
    Remark("pass", "text")
there = "warploom.analysis.path_states" in sys.modules
assert callable(spin_waits.path_states.path_states)
place = str(sys.modules["warploom.analysis.path_states"].__spec__.cached)
print(there, place.endswith("modules"), known > 0)
"""


def test_what_is_deferred_comes_from_the_file_when_it_is_wanted(tmp_path: Path) -> None:
    """The process that writes the file loads all of it; a later one finds code of records in it, too."""
    own = {"WARPLOOM_CACHE_DIR": str(tmp_path / "cache"), "PYTHONPYCACHEPREFIX": str(tmp_path / "none")}
    said: list[str] = []
    for _ in range(2):
        done = subprocess.run([sys.executable, "-c", DEFERRED], env=os.environ | own, capture_output=True, text=True)
        assert done.returncode == 0, done.stderr
        said.append(done.stdout.strip())
    assert said[0].startswith("True False")
    assert said[1] == "False True True"
