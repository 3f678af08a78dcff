# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The how-to pages: each block of code does what its page says, or the page says why it is not tried.

A comment above a block tells what it is: `executed`, a script; `file: FILE` for it; `steps of: ...`, the pipeline of a
CI service, whose commands are executed but for the installation; `variables of: warploom env`; `not executed: REASON`.
"""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from warploom.cli.main import main

PAGES = Path(__file__).resolve().parent.parent / "docs" / "howto"
BLOCK = re.compile(r"<!-- (executed|file: (\S+)) -->\n```\w+\n(.*?)```", re.DOTALL)
ANY_BLOCK = re.compile(r"(?:^<!-- ([^\n]*?) -->\n)?^```(\w+)\n(.*?)^```", re.MULTILINE | re.DOTALL)
KINDS = ("executed", "file: ", "steps of: ", "variables of: ", "not executed: ")
PROJECT = """cmake_minimum_required(VERSION 3.18)
project(app LANGUAGES CXX CUDA)
add_executable(app main.cu)
enable_testing()
add_test(NAME app COMMAND app)
set_tests_properties(app PROPERTIES PASS_REGULAR_EXPRESSION 8)
"""
MAKEFILE = """test: main.cu
\t$(NVCC) main.cu -o main
\ttest `./main` = 8
"""
MAIN = """
#include <cstdio>
__global__ void twice(int *p) { p[threadIdx.x] *= 2; }
int main() {
  int *p, host[4] = {1, 2, 3, 4};
  cudaMalloc(&p, sizeof host);
  cudaMemcpy(p, host, sizeof host, cudaMemcpyHostToDevice);
  twice<<<1, 4>>>(p);
  cudaMemcpy(host, p, sizeof host, cudaMemcpyDeviceToHost);
  std::printf("%d\\n", host[3]);
}
"""


def blocks(page: str) -> tuple[dict[str, str], list[str]]:
    """The files of a page, and what is executed."""
    found = BLOCK.findall((PAGES / page).read_text())
    files = {name: text for _, name, text in found if name}
    return files, [text for kind, _, text in found if kind == "executed"]


def test_every_block_says_what_it_is() -> None:
    for path in PAGES.glob("*.md"):
        for told, language, _ in ANY_BLOCK.findall(path.read_text()):
            assert told.startswith(KINDS), f"{path.name}: a block of {language}"


def block_of(page: str, kind: str) -> str:
    """The only block of a page that is marked so."""
    (text,) = [text for told, _, text in ANY_BLOCK.findall((PAGES / page).read_text()) if told == kind]
    return text


def execute(commands: list[str], folder: Path) -> None:
    """What a pipeline runs after the installation, which is the one that this test has."""
    own = [command for command in commands if not command.startswith("pip install ")]
    assert len(own) < len(commands)
    script = "\n".join(["set -e", *own]).replace("warploom cache --max 500M", "warploom cache --max 500G")
    environment = {**os.environ, "PATH": f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}"}
    done = subprocess.run(
        ["sh", "-c", script], cwd=folder, env=environment, capture_output=True, text=True, timeout=600, check=False
    )
    assert done.returncode == 0, done.stdout + done.stderr


@pytest.mark.skipif(shutil.which("ctest") is None, reason="cmake")
def test_the_steps_for_github_are_right(tmp_path: Path) -> None:
    yaml: Any = pytest.importorskip("yaml")
    job = yaml.safe_load(block_of("ci.md", "steps of: GitHub Actions"))["jobs"]["test"]
    assert job["runs-on"].startswith("ubuntu-")
    cached = [step["with"]["path"] for step in job["steps"] if step.get("uses", "").startswith("actions/cache@")]
    assert job["env"] == {"WARPLOOM_CACHE_DIR": "${{ github.workspace }}/" + cached[0]}
    assert all(("run" in step) != ("uses" in step) for step in job["steps"])
    (tmp_path / "CMakeLists.txt").write_text(PROJECT)
    (tmp_path / "main.cu").write_text(MAIN)
    execute([step["run"] for step in job["steps"] if "run" in step], tmp_path)


def test_the_steps_for_gitlab_are_right(tmp_path: Path) -> None:
    yaml: Any = pytest.importorskip("yaml")
    job = yaml.safe_load(block_of("ci.md", "steps of: GitLab"))["test"]
    assert job["variables"] == {"WARPLOOM_CACHE_DIR": "$CI_PROJECT_DIR/" + job["cache"]["paths"][0]}
    (tmp_path / "Makefile").write_text(MAKEFILE)
    (tmp_path / "main.cu").write_text(MAIN)
    execute(job["script"], tmp_path)


def test_the_module_file_sets_what_env_exports(capsys: pytest.CaptureFixture[str]) -> None:
    text = block_of("modules.md", "variables of: warploom env")
    set_there = re.findall(r'^(?:setenv|prepend_path)\("(\w+)"', text, re.MULTILINE)
    assert main(["env"]) == 0
    exported = re.findall(r"^export (\w+)=", capsys.readouterr().out, re.MULTILINE)
    assert set_there
    assert set(set_there) <= set(exported)


@pytest.mark.parametrize(
    "page", sorted(path.name for path in PAGES.glob("*.md") if "<!-- executed -->" in path.read_text())
)
def test_a_page_is_right(page: str, tmp_path: Path) -> None:
    files, executed = blocks(page)
    for name, text in ({"main.cu": MAIN} | files).items():
        (tmp_path / name).write_text(text)
    environment = {**os.environ, "PATH": f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}"}
    # The cache of these tests stays theirs, but for the page that is about its folder.
    script = "\n".join(["set -e", *executed]).replace('export WARPLOOM_CACHE_DIR="$PWD/.warploom-cache"\n', "")
    script = script.replace("warploom cache --max 500M", "warploom cache --max 500G")
    done = subprocess.run(
        ["sh", "-c", script], cwd=tmp_path, env=environment, capture_output=True, text=True, timeout=600, check=False
    )
    assert done.returncode == 0, done.stdout + done.stderr
    assert "8\n" in done.stdout or "hello from thread 3\n" in done.stdout
