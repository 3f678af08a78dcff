# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""One call of the compiler driver: what it works with, how it runs tools, and how it tells what it does."""

from __future__ import annotations

import os
import sys
from collections.abc import Generator, Sequence
from contextlib import contextmanager
from functools import cached_property
from pathlib import Path

from warploom.compiler import device
from warploom.core.records import dataclass
from warploom.driver.command_line import CommandLine
from warploom.driver.flags import Flags
from warploom.frontend.cccl import missing_hint
from warploom.runtime_library import toolkit
from warploom.scratch import temporary_folder
from warploom.step_times import StepTimes
from warploom.toolchain import Toolchain, run_tool

LANGUAGES = {
    ".cu": "cuda", ".c": "c", ".cpp": "c++", ".cc": "c++", ".cxx": "c++", ".C": "c++", ".cp": "c++", ".c++": "c++",
}  # fmt: skip
OPENMP_HINT = (
    "  hint: there is no OpenMP runtime: pip install 'warploom[openmp]', or install LLVM's libomp "
    "(Debian: apt-get install libomp-dev); without -fopenmp the loop runs on one core\n"
)


class CompilerFailed(Exception):
    """A tool ended with an error and has told the user why."""


@dataclass(frozen=True)
class Driver:
    """One call of the compiler driver."""

    toolchain: Toolchain
    line: CommandLine

    @cached_property
    def times(self) -> StepTimes:
        """What -time writes."""
        return StepTimes(f"compute_{self.line.arch}")

    @cached_property
    def flags(self) -> Flags:
        """What clang is told."""
        return Flags(self.toolchain, self.line, self.note)

    @property
    def listener(self) -> device.Listener:
        """Who hears of what happens below the command line."""
        return device.Listener(self.show, self.note)

    def language_of(self, source: Path) -> str:
        """cuda, c, c++ or object."""
        return self.line.languages.get(str(source)) or LANGUAGES.get(source.suffix, "object")

    def show(self, command: Sequence[str]) -> None:
        """-v and --dryrun print each command as nvcc does."""
        if self.line.verbose or self.line.dry_run:
            print("#$ " + " ".join(_quoted(word) for word in command), file=sys.stderr)

    def note(self, text: str) -> None:
        """A warning of the driver."""
        print(f"warpcc: warning: {text}", file=sys.stderr)

    def show_environment(self) -> None:
        """What nvcc -v tells of itself: build systems read the toolkit's place from it."""
        if not (self.line.verbose or self.line.dry_run):
            return
        top = toolkit(self.toolchain)
        architectures = self.line.architectures or [self.line.arch]
        for name, value in (
            ("_NVVM_BRANCH_", "nvvm"), ("_SPACE_", ""), ("_CUDART_", "cudart"), ("_HERE_", f"{top}/bin"),
            ("_THERE_", f"{top}/bin"), ("_TARGET_SIZE_", ""), ("_TARGET_DIR_", ""), ("TOP", f"{top}"),
            ("PATH", os.environ.get("PATH", "")), ("INCLUDES", f'"-I{top}/include"'),
            ("LIBRARIES", f'"-L{top}/lib64"'), ("CUDAFE_FLAGS", ""), ("PTXAS_FLAGS", ""),
            ("ARCHITECTURES", " ".join(f"-arch compute_{arch}" for arch in architectures)),
        ):  # fmt: skip
            print(f"#$ {name}={value}", file=sys.stderr)

    def tool(self, command: Sequence[str]) -> None:
        """Show a command and, but for --dryrun, run it; CompilerFailed when it fails."""
        self.show(command)
        if not self.line.dry_run:
            self.call(command)

    def call(self, command: Sequence[str]) -> None:
        """Run a command and pass its messages on; CompilerFailed when it fails."""
        result = run_tool(command)
        sys.stdout.write(result.stdout)
        hint = OPENMP_HINT if result.returncode != 0 and "source-uses-openmp" in result.stderr else ""
        sys.stderr.write(result.stderr + missing_hint(result.stderr) + hint)
        if result.returncode != 0:
            raise CompilerFailed

    @contextmanager
    def scratch(self, output: Path) -> Generator[Path]:
        """A folder for intermediate files: kept beside the output under -keep."""
        if self.line.keep:
            folder = Path(self.line.keep_folder or output.resolve().parent, f"{output.stem}.warploom").resolve()
            folder.mkdir(parents=True, exist_ok=True)
            yield folder
        else:
            with temporary_folder("warpcc-") as folder:
                yield folder


def _quoted(word: str) -> str:
    """A word as CMake's reader of nvcc's output and a shell both take it; it looks for LIBRARIES= to the letter."""
    return f'"{word}"' if word.startswith("-L") or any(c in word for c in " \"'()$&;|<>*?") else word
