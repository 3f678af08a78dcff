# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Other people's build systems, and the commands of the README, with the real compiler."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from warploom.cli.main import main
from warploom.suite.workspace import make_tools

EXAMPLES = Path(__file__).resolve().parents[2] / "examples"
HEAT = "cell  0: 100.000\ncell 20:  52.715\ncell 40:  20.595\ncell 60:   5.780\ncell 80:   1.141\n"
CMAKE_PROJECT = """cmake_minimum_required(VERSION 3.18)
project(heat LANGUAGES CXX CUDA)
set(CMAKE_CUDA_STANDARD 17)
add_executable(heat main.cu stencil.cu)
"""


@pytest.fixture
def environment(tmp_path: Path) -> dict[str, str]:
    """An environment in which nvcc and warpcc are this Warploom's."""
    tools = make_tools(tmp_path / "tools")
    paths = [str(Path(__file__).resolve().parents[2] / "src"), os.environ.get("PYTHONPATH", "")]
    return dict(
        os.environ,
        PATH=f"{tools}{os.pathsep}{os.environ['PATH']}",
        PYTHONPATH=os.pathsep.join(filter(None, paths)),
    )


@pytest.fixture
def project(tmp_path: Path) -> Path:
    """A copy of the example project, without what an earlier build left."""
    return Path(shutil.copytree(EXAMPLES / "makefile_project", tmp_path / "project", ignore=ignore_products))


def ignore_products(_folder: str, names: list[str]) -> set[str]:
    return {name for name in names if name.endswith(".o") or name == "heat"}


def call(command: list[str], folder: Path, environment: dict[str, str]) -> str:
    """What a command writes; a failure shows it."""
    done = subprocess.run(command, cwd=folder, env=environment, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout


@pytest.mark.skipif(shutil.which("make") is None, reason="no make")
@pytest.mark.parametrize("arguments", [["NVCC=warpcc"], []], ids=["NVCC=warpcc", "nvcc on PATH"])
def test_makefile(arguments: list[str], project: Path, environment: dict[str, str]) -> None:
    call(["make", *arguments], project, environment)
    assert call(["./heat"], project, environment) == HEAT


@pytest.mark.skipif(shutil.which("cmake") is None, reason="no cmake")
def test_cmake(project: Path, environment: dict[str, str]) -> None:
    (project / "CMakeLists.txt").write_text(CMAKE_PROJECT)
    compiler = shutil.which("warpcc", path=environment["PATH"])
    options = [f"-DCMAKE_CUDA_COMPILER={compiler}", "-DCMAKE_CUDA_ARCHITECTURES=80"]
    call(["cmake", "-S", ".", "-B", "build", *options], project, environment)
    call(["cmake", "--build", "build"], project, environment)
    assert call(["build/heat"], project, environment) == HEAT


@pytest.mark.skipif(shutil.which("cmake") is None, reason="no cmake")
def test_cmake_has_the_host_compiler_link_cpp_and_cuda_together(tmp_path: Path, environment: dict[str, str]) -> None:
    (tmp_path / "CMakeLists.txt").write_text(
        "cmake_minimum_required(VERSION 3.18)\nproject(mixed LANGUAGES CXX CUDA)\n"
        "add_executable(mixed main.cpp twice.cu)\n"
    )
    (tmp_path / "main.cpp").write_text(
        '#include <cstdio>\nint twice(int);\nint main() { std::printf("%d\\n", twice(21)); }\n'
    )
    (tmp_path / "twice.cu").write_text(
        "__global__ void k(int *p) { *p *= 2; }\n"
        "int twice(int value) {\n  int *p;\n  cudaMallocManaged(&p, sizeof *p);\n  *p = value;\n  k<<<1, 1>>>(p);\n"
        "  cudaDeviceSynchronize();\n  return *p;\n}\n"
    )
    compiler = shutil.which("warpcc", path=environment["PATH"])
    environment |= {"CUDACXX": str(compiler)}
    call(["cmake", "-S", ".", "-B", "build"], tmp_path, environment)
    call(["cmake", "--build", "build"], tmp_path, environment)
    assert call(["build/mixed"], tmp_path, environment) == "42\n"


def test_example_runs_and_the_second_time_from_the_cache(tmp_path: Path, environment: dict[str, str]) -> None:
    shutil.copy(EXAMPLES / "reduction.cu", tmp_path / "reduction.cu")
    command = [sys.executable, "-P", "-m", "warploom", "run", "reduction.cu", "--", "1000"]
    expected = "sum of 1000 values: 499500, expected 499500\n"
    assert call(command, tmp_path, environment | {"WARPLOOM_DEBUG": "1"}) == expected
    # What is run now was built before: no tool is started.
    done = subprocess.run(
        command, cwd=tmp_path, env=environment | {"WARPLOOM_DEBUG": "1"}, capture_output=True, text=True, check=True
    )
    assert (done.stdout, done.stderr) == (expected, "")


def test_error_in_the_source_is_clangs_own(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    Path("bad.cu").write_text("__global__ void k() {\n  no_such_thing();\n}\nint main() { k<<<1, 1>>>(); }\n")
    assert main(["run", "bad.cu"]) == 1
    err = capfd.readouterr().err
    assert "bad.cu:2:3: error: use of undeclared identifier 'no_such_thing'" in err
    assert "Traceback" not in err


@pytest.mark.parametrize("words", [[], ["--json"]])
def test_doctor_is_content_where_the_tests_run(words: list[str], capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["doctor", *words]) == 0
    out = capsys.readouterr().out
    assert "clang" in out
    assert "missing" not in out


def test_doctor_names_what_is_missing(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    monkeypatch.setenv("WARPLOOM_CLANG", "/nowhere/clang++")
    assert main(["doctor"]) == 1
    out = capsys.readouterr().out
    assert "missing  toolchain" in out
    assert "/nowhere/clang++" in out
    assert "to mend: " in out
