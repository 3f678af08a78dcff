# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What decides whether an object is still right (make, `warploom run`, ccache, sccache) sees what both passes read."""

from __future__ import annotations

import shutil
import socket
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from warploom.cli import warpcc
from warploom.frontend.dependencies import parse_dependencies

WARPCC = Path(sys.executable).with_name("warpcc")
# A header that the device pass alone reads, and text that only it sees.
PROGRAM = """
#include <cstdio>
#ifdef __CUDA_ARCH__
#include "device_only.h"
#define WHAT ANSWER
#else
#include "host_only.h"
#define WHAT 0
#endif
__global__ void tell() { printf("%d\\n", WHAT); }
int main() { tell<<<1, 1>>>(); return cudaDeviceSynchronize(); }
"""


@pytest.fixture(autouse=True)
def sources(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    Path("a.cu").write_text(PROGRAM)
    Path("host_only.h").touch()
    answer(1)
    return tmp_path


def answer(number: int) -> None:
    Path("device_only.h").write_text(f"#define ANSWER {number}\n")


@pytest.fixture
def ccache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> str:
    program = shutil.which("ccache") or pytest.skip("needs ccache")
    monkeypatch.setenv("CCACHE_DIR", str(tmp_path / "ccache"))
    return program


@pytest.fixture
def sccache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[str]:
    program = shutil.which("sccache") or pytest.skip("needs sccache")
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        monkeypatch.setenv("SCCACHE_SERVER_PORT", str(free.getsockname()[1]))
    monkeypatch.setenv("SCCACHE_DIR", str(tmp_path / "sccache"))
    yield program
    subprocess.run([program, "--stop-server"], capture_output=True, check=False)


def printed_by(launcher: str, *flags: str) -> str:
    """What the program prints that is compiled through `launcher`, as CMake calls it."""
    words = [launcher, WARPCC, *flags, "-MD", "-MT", "a.o", "-MF", "a.d", "-x", "cu", "-c", "a.cu", "-o", "a.o"]
    Path("a.o").unlink(missing_ok=True)
    subprocess.run(words, check=True)
    assert {"device_only.h", "host_only.h"} <= {path.name for path in parse_dependencies(Path("a.d").read_text())}
    subprocess.run([WARPCC, "a.o", "-o", "a"], check=True)
    return subprocess.run(["./a"], capture_output=True, text=True, check=True).stdout


def test_ccache_compiles_again_when_the_device_pass_would_read_something_else(
    ccache: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Hits in its direct mode, and by what -E writes."""
    assert [printed_by(ccache), printed_by(ccache)] == ["1\n", "1\n"]
    answer(2)
    assert printed_by(ccache) == "2\n"
    monkeypatch.setenv("CCACHE_NODIRECT", "1")
    assert printed_by(ccache) == "2\n"
    answer(3)
    assert printed_by(ccache) == "3\n"
    told = subprocess.run([ccache, "--print-stats"], capture_output=True, text=True, check=True).stdout
    counts = dict(line.split("\t") for line in told.splitlines())
    assert (counts["direct_cache_hit"], counts["preprocessed_cache_hit"], counts["cache_miss"]) == ("1", "1", "3")


def test_ccache_knows_the_settings_where_it_asks_for_their_key(ccache: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("CCACHE_COMPILERCHECK", "%compiler% --settings-key")
    printed_by(ccache)
    fast = Path("a.o").read_bytes()
    monkeypatch.setenv("WARPLOOM_ENGINE", "reference")
    assert printed_by(ccache) == "1\n"
    assert Path("a.o").read_bytes() != fast


def test_sccache_compiles_again_when_the_device_pass_would_read_something_else(sccache: str) -> None:
    assert [printed_by(sccache), printed_by(sccache)] == ["1\n", "1\n"]
    answer(2)
    assert printed_by(sccache) == "2\n"
    told = subprocess.run([sccache, "--show-stats"], capture_output=True, text=True, check=True).stdout
    counts = {line[:35].strip(): line[35:].strip() for line in told.splitlines()}
    assert (counts["Cache hits"], counts["Cache misses"]) == ("1", "2")


@pytest.mark.parametrize("listing", ["-MMD", "-MD"])
def test_a_dependency_file_has_what_either_pass_reads(listing: str) -> None:
    assert warpcc.main([listing, "-MP", "-MF", "a.d", "-MT", "name", "-c", "a.cu"]) == 0
    text = Path("a.d").read_text()
    assert "\nname: device_only.h\n" in text
    assert "\ndevice_only.h:\n" in text
    assert text.count("device_only.h") == 2
    assert "precompiled" not in text


@pytest.mark.parametrize("listing", ["-M", "-MM"])
def test_dependencies_alone_are_those_of_either_pass(listing: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert warpcc.main([listing, "a.cu"]) == 0
    names = {path.name for path in parse_dependencies(capsys.readouterr().out)}
    assert {"a.cu", "host_only.h", "device_only.h"} <= names
    assert warpcc.main([listing, "a.cu", "-MF", "m.d"]) == 0
    assert {path.name for path in parse_dependencies(Path("m.d").read_text())} == names


def test_preprocessed_text_is_that_of_either_pass(capsys: pytest.CaptureFixture[str]) -> None:
    assert warpcc.main(["-E", "a.cu"]) == 0
    marked = capsys.readouterr().out
    assert warpcc.main(["-E", "-P", "a.cu", "-o", "a.i", "-MD", "-MF", "e.d"]) == 0
    plain = Path("a.i").read_text()
    for text in (marked, plain):
        assert [f'printf("%d\\n", {what})' in text for what in (0, 1)] == [True, True]
    assert '# 1 "a.cu"' in marked
    assert "\n# " not in plain
    assert "device_only.h" in Path("e.d").read_text()
