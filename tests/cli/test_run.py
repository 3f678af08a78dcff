# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""`warploom run`: what goes where on the command line, when the cache is used, how a program's end is told.

The compiler is replaced by a shell script maker: these tests are about the command, not about CUDA.
"""

from __future__ import annotations

import os
import signal
from collections.abc import Generator, Sequence
from pathlib import Path

import pytest

from warploom.cli import build, main, run
from warploom.diagnostics import Diagnostic
from warploom.frontend.dependencies import parse_dependencies


class FakeCompiler:
    """Stands for warpcc: an object is a copy of its source, a program is the objects one after another."""

    def __init__(self) -> None:
        self.calls: list[list[str]] = []
        self.status = 0

    def __call__(self, arguments: Sequence[str]) -> None:
        words = list(arguments)
        self.calls.append(words)
        if self.status:
            raise build.BuildFailed(self.status)
        output = Path(words[words.index("-o") + 1])
        if "-c" in words:
            source = Path(words[words.index("-c") + 1])
            headers = [line.split()[1] for line in source.read_text().splitlines() if line.startswith("#include")]
            prerequisites = " ".join([str(source), *headers]).replace(" ", " \\\n  ")
            Path(words[words.index("-MF") + 1]).write_text(f"{output}: {prerequisites}\n")
            output.write_text(source.read_text())
        else:
            objects = [Path(word).read_text() for word in words if word.endswith(".o") and word != str(output)]
            output.write_text("#!/bin/sh\n" + "".join(objects))
            output.chmod(0o755)


@pytest.fixture
def compiler(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Generator[FakeCompiler]:
    fake = FakeCompiler()
    monkeypatch.setattr(build, "compile_source", fake)
    monkeypatch.setenv("WARPLOOM_CACHE_DIR", str(tmp_path / "cache"))
    monkeypatch.chdir(tmp_path)
    handlers = {number: signal.getsignal(number) for number in (signal.SIGTERM, signal.SIGHUP, signal.SIGINT)}
    yield fake
    for number, handler in handlers.items():
        signal.signal(number, handler)


# --- the command line ------------------------------------------------------------------------------------------------


def test_flags_source_and_arguments(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    Path("a.cu").touch()
    Path("b.cpp").touch()
    request = run.parse(["-O3", "-I", "inc", "-DN=1", "a.cu", "b.cpp", "-lm", "--", "-x", "--", "a.cu"])
    assert request.sources == ["a.cu", "b.cpp"]
    assert request.compiler_flags == ["-O3", "-I", "inc", "-DN=1", "-lm"]
    assert request.program_arguments == ["-x", "--", "a.cu"]


@pytest.mark.parametrize("words", [["--engine=reference", "--seed=7"], ["--engine", "reference", "--seed", "7"]])
def test_engine_and_seed(words: list[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    Path("a.cu").touch()
    request = run.parse([*words, "a.cu"])
    assert (request.engine, request.seed, request.compiler_flags) == ("reference", 7, [])


def test_engine_and_passes_are_part_of_what_is_cached(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    Path("a.cu").touch()

    def key(*words: str) -> str:
        return run.request_key(run.parse([*words, "a.cu"]))

    keys = {key("--engine=loom"), key("--engine=reference"), key("--engine=loom", "--off-pass=unroll")}
    assert len(keys) == 3
    monkeypatch.setenv("WARPLOOM_ENGINE", "loom")
    assert key() == key("--engine=loom")
    monkeypatch.setenv("WARPLOOM_OFF_PASS", "unroll")
    assert key() not in keys


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (["nothere.cu"], "nothere.cu: error: no such file"),
        (["folder.cu"], "folder.cu: error: not a file"),
        (["-O3"], "no source file"),
        (["a.cu", "12"], "arguments of the program go after --"),
        (["a.cu", "-o", "x"], "'-o' does not go with run"),
        (["--engine=warp9", "a.cu"], "no engine 'warp9'"),
        (["--seed=x", "a.cu"], "--seed wants a whole number, not 'x'"),
    ],
)
def test_mistakes(words: list[str], message: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    Path("a.cu").touch()
    Path("folder.cu").mkdir()
    with pytest.raises(Diagnostic) as raised:
        run.parse(words)
    assert message in str(raised.value)


def test_missing_file_has_no_traceback(capsys: pytest.CaptureFixture[str]) -> None:
    assert main.main(["run", "nothere.cu"]) == 1
    assert capsys.readouterr().err == "nothere.cu: error: no such file\n"


# --- the cache -------------------------------------------------------------------------------------------------------


def test_second_run_compiles_nothing(compiler: FakeCompiler) -> None:
    Path("a.cu").write_text("exit 3\n")
    assert run.main(["a.cu"]) == 3
    assert len(compiler.calls) == 2  # compile, link
    assert run.main(["a.cu"]) == 3
    assert len(compiler.calls) == 2


@pytest.mark.parametrize("changed", ["a.cu", "a.h"])
def test_changed_file_is_compiled(changed: str, compiler: FakeCompiler) -> None:
    Path("a.h").write_text("first\n")
    Path("a.cu").write_text("#include a.h\n")
    assert run.main(["a.cu"]) == 0
    Path(changed).write_text("#include a.h\nexit 5\n")
    run.main(["a.cu"])
    assert len(compiler.calls) == 4


def test_touched_file_is_not_compiled(compiler: FakeCompiler) -> None:
    Path("a.cu").write_text("exit 0\n")
    run.main(["a.cu"])
    os.utime("a.cu", (1, 1))
    run.main(["a.cu"])
    assert len(compiler.calls) == 2


@pytest.mark.parametrize("name", ["CPATH", "WARPLOOM_CCCL", "NVCC_APPEND_FLAGS", "NVCC_PREPEND_FLAGS"])
def test_flags_environment_and_processor_are_part_of_the_key(
    name: str, compiler: FakeCompiler, monkeypatch: pytest.MonkeyPatch
) -> None:
    Path("a.cu").write_text("exit 0\n")
    run.main(["a.cu"])
    run.main(["-O0", "a.cu"])
    monkeypatch.setenv(name, "/somewhere")
    run.main(["a.cu"])
    run.main(["a.cu", "--", "other", "arguments"])
    assert len(compiler.calls) == 6
    monkeypatch.setattr(run, "default_cpu", lambda: "x86-64-v2")  # another machine with the same home
    run.main(["a.cu"])
    assert len(compiler.calls) == 8


def test_rebuild(compiler: FakeCompiler) -> None:
    Path("a.cu").write_text("exit 0\n")
    run.main(["a.cu"])
    run.main(["--rebuild", "a.cu"])
    assert len(compiler.calls) == 4


def test_failed_build_runs_nothing_and_is_not_kept(compiler: FakeCompiler) -> None:
    Path("a.cu").write_text("exit 0\n")
    compiler.status = 1
    assert run.main(["a.cu"]) == 1
    compiler.status = 0
    assert run.main(["a.cu"]) == 0


def test_sources_of_one_name(compiler: FakeCompiler) -> None:
    for folder in ("x", "y"):
        Path(folder).mkdir()
        Path(folder, "a.cu").write_text(f"echo {folder}\n")
    run.main(["x/a.cu", "y/a.cu"])
    objects = [call[call.index("-o") + 1] for call in compiler.calls if "-c" in call]
    assert len(set(objects)) == 2


# --- running ---------------------------------------------------------------------------------------------------------


def test_arguments_and_environment_reach_the_program(compiler: FakeCompiler, capfd: pytest.CaptureFixture[str]) -> None:
    Path("a.cu").write_text('echo "$1|$2|$WARPLOOM_SCHEDULE_SEED|$WARPLOOM_ENGINE"\n')
    run.main(["--seed", "4", "a.cu", "--", "one two", "3"])
    assert capfd.readouterr().out == "one two|3|4|loom\n"
    assert compiler.calls


def test_signal_is_named(compiler: FakeCompiler, capfd: pytest.CaptureFixture[str]) -> None:
    Path("a.cu").write_text("kill -SEGV $$\n")
    assert run.main(["a.cu"]) == 128 + signal.SIGSEGV
    assert "a was ended by signal 11 (Segmentation fault)" in capfd.readouterr().err
    assert compiler.calls


# --- dependency files ------------------------------------------------------------------------------------------------


def test_dependencies(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    text = "x.o: a.cu \\\n  my\\ header.h $$x.h /usr/include/y.h\n\nmy\\ header.h:\n"
    names = {tmp_path / "a.cu", tmp_path / "my header.h", tmp_path / "$x.h", Path("/usr/include/y.h")}
    assert parse_dependencies(text) == names
