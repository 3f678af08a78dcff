# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The pages of PAGES: each block of code is executed and says what is printed, or its page says why not.

A comment above a block tells what it is:

    file: FILE                 a file for the blocks below it in its section
    part of: FILE              lines of a file of tests/guide/programs or of the checkout, in order
    executed                   a script, which succeeds; `needs TOOL` at the end: where there is that tool
    printed by: COMMAND        what a command writes, to either stream
    session of: gdb, or lldb   what a debugger answers to these commands
    not executed: REASON

A block that begins with `$ ` needs none: its commands print what stands below them. `...` stands for any lines; behind
`numbers differ` every number stands for any other, and other lines may come between.
"""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import pytest

from warploom.cli.cuda_tools import GDB_COMMANDS

ROOT = Path(__file__).resolve().parent.parent
PROGRAMS = ROOT / "tests" / "guide" / "programs"
BLOCK = re.compile(r"(?:^<!-- ([^\n]*?) -->\n)?^```(\w*)\n(.*?)^```", re.MULTILINE | re.DOTALL)
KINDS = ("file: ", "part of: ", "executed", "printed by: ", "session of: ", "not executed: ")
DEBUGGERS = {
    "gdb": (["gdb"], ["-q", "-batch", "-x", str(GDB_COMMANDS), "./work"], "-ex"),
    "lldb": (["lldb-19", "lldb"], ["--no-lldbinit", "--batch", "./work"], "-o"),
}
PAGES = ("README.md", *(f"docs/{name}.md" for name in ("guide", "passes", "suite", "sweep", "torch", "coverage")))
# What is written for a processor with AVX-512, and for more than one.
ENVIRONMENT = {"NVCC_APPEND_FLAGS": "-march=x86-64-v4"}


@dataclass(frozen=True)
class Block:
    """A block of code: what its page says of it, and its text."""

    told: str
    language: str
    text: str

    @property
    def numbers_differ(self) -> bool:
        return self.told.endswith("; numbers differ")


def sections(page: str) -> list[tuple[str, list[Block]]]:
    """The blocks of each section that has any."""
    parts = re.split(r"^(?=#{2,4} )", (ROOT / page).read_text(), flags=re.MULTILINE)
    found = [(part.partition("\n")[0].strip("# "), [Block(*match) for match in BLOCK.findall(part)]) for part in parts]
    return [(title, blocks) for title, blocks in found if blocks]


SECTIONS = [pytest.param(blocks, id=f"{page}: {title}") for page in PAGES for title, blocks in sections(page)]


@pytest.mark.parametrize("blocks", SECTIONS)
def test_a_section_is_true(blocks: Sequence[Block], tmp_path: Path) -> None:
    shutil.copytree(PROGRAMS, tmp_path, dirs_exist_ok=True)
    shutil.copytree(ROOT / "examples", tmp_path / "examples", ignore=shutil.ignore_patterns("*.o", "heat"))
    shutil.copy(ROOT / "examples" / "vecadd.cu", tmp_path)
    missing = [tool for block in blocks if (tool := check(block, tmp_path))]
    if missing:
        pytest.skip("no " + ", ".join(missing))


def check(block: Block, folder: Path) -> str | None:
    """Whether the block is true; the tool that it needs and that there is not."""
    assert block.told.startswith(KINDS) or (not block.told and block.text.startswith("$ ")), block
    if block.told.startswith("file: "):
        (folder / block.told.removeprefix("file: ")).write_text(block.text)
    elif block.told.startswith("part of: "):
        check_part(block, folder)
    elif block.told.startswith("executed"):
        return execute(block, folder)
    elif block.told.startswith("printed by: "):
        command = block.told.removeprefix("printed by: ").removesuffix("; numbers differ")
        done = shell(command, folder)
        shown = "\n".join(line for line in block.text.splitlines() if not line.startswith("$ "))
        compare(shown, done.stdout, differ=True, numbers=block.numbers_differ)
    elif block.told.startswith("session of: "):
        return debug(block, folder)
    elif not block.told:
        for command, shown in commands(block.text, "$ "):
            done = shell(command, folder)
            compare(shown, done.stdout, differ="..." in shown, numbers="WARPLOOM_DEBUG" in command)
    return None


def check_part(block: Block, folder: Path) -> None:
    file = block.told.removeprefix("part of: ")
    lines = iter((folder / file).read_text().splitlines())
    for line in block.text.splitlines():
        begins = line.rstrip(" .}") if line.endswith("{ ... }") else line
        assert line.strip() == "..." or any(each.startswith(begins) for each in lines), f"{file}: {line}"


def execute(block: Block, folder: Path) -> str | None:
    tool = block.told.partition("needs ")[2]
    if tool and shutil.which(tool) is None:
        return tool
    if block.language == "python":
        (folder / "block.py").write_text(block.text)
        done = shell(f"{sys.executable} block.py", folder)
    else:
        done = shell("set -e\n" + block.text, folder)
    assert done.returncode == 0, done.stdout
    return None


def debug(block: Block, folder: Path) -> str | None:
    programs, words, flag = DEBUGGERS[re.findall(r"\w+", block.told)[2]]
    program = next(filter(None, map(shutil.which, programs)), None)
    if program is None or is_old_lldb(program):
        return programs[0]
    (build, _), *_ = commands(block.text, "$ ")
    assert shell(build, folder).returncode == 0
    prompt = f"({programs[-1]}) "
    asked = commands(block.text, prompt)
    given = [word for command, _ in asked for word in (flag, command)]
    done = subprocess.run(
        [program, *words[:-1], *given, words[-1]], cwd=folder, capture_output=True, text=True, timeout=300, check=False
    )
    shown = "\n".join(text for _, text in asked if text)
    compare(shown, done.stdout, differ=True, numbers=False)
    return None


def is_old_lldb(program: str) -> bool:
    """Whether this is an lldb that finds no variables of a thread, `threadIdx` among them, in today's C library."""
    said = subprocess.run([program, "--version"], capture_output=True, text=True, check=False).stdout
    version = re.match(r"lldb version (\d+)", said)
    return version is not None and int(version[1]) < 15


def commands(text: str, prompt: str) -> list[tuple[str, str]]:
    """The commands behind a prompt, and what is shown below each."""
    parts = re.split(rf"^{re.escape(prompt)}", text, flags=re.MULTILINE)[1:]
    return [(command, shown.strip("\n")) for command, _, shown in (part.partition("\n") for part in parts)]


def compare(shown: str, printed: str, *, differ: bool, numbers: bool) -> None:
    """`differ`: more lines may be printed than are shown, in another order where `numbers` differ."""
    expected = [plain(line, numbers) for line in shown.splitlines() if line.strip() not in ("", "...")]
    actual = [plain(line, numbers) for line in printed.splitlines() if line.strip() and not line.startswith("make: ")]
    if not differ:
        assert actual == expected
        return
    lines = actual if numbers else iter(actual)
    for line in expected:
        assert any(each.startswith(line) for each in lines), f"{line!r} is not, or not there, in:\n{printed}"


def plain(line: str, numbers: bool) -> str:
    """A line without what differs from run to run: addresses, the processor, how blanks and frames are counted. Without
    the places in the source that the IR's text has, too, which pages leave out."""
    line = re.sub(r' @ "[^"]*":\d+:\d+', "", line)
    line = re.sub(r"0x[0-9a-f]{6,}", "ADDRESS", line)
    line = re.sub(r"CPU \(.*\), \d+", "CPU (CPU), N", line)
    line = re.sub(r"^( *\*? *)(?:frame )?#\d+:?", "FRAME", line)
    if numbers:
        line = re.sub(r"\d[\d.,]*(?: (?:ns|us|ms|s)\b)?", "N", line)
    return re.sub(r"\s+", " ", line).strip()


def shell(command: str, folder: Path) -> subprocess.CompletedProcess[str]:
    home = folder / "home"
    home.mkdir(exist_ok=True)
    cache = os.environ.get("WARPLOOM_CACHE_DIR") or str(Path.home() / ".cache" / "warploom")
    path = os.pathsep.join((str(Path(sys.executable).parent), os.environ["PATH"]))
    outside = {name: value for name, value in os.environ.items() if name not in ("MAKEFLAGS", "MAKELEVEL", "MFLAGS")}
    environment = {**outside, **ENVIRONMENT, "PATH": path, "HOME": str(home), "WARPLOOM_CACHE_DIR": cache}
    if "explain" not in command:
        del environment["NVCC_APPEND_FLAGS"]
    return subprocess.run(
        ["sh", "-c", command], cwd=folder, env=environment, text=True, timeout=600, check=False,
        stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
    )  # fmt: skip
