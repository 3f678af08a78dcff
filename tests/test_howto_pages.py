# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The how-to pages: each block of shell lines that is marked as executed does what its page says."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

PAGES = Path(__file__).resolve().parent.parent / "docs" / "howto"
BLOCK = re.compile(r"<!-- (executed|file: (\S+)) -->\n```\w+\n(.*?)```", re.DOTALL)
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
