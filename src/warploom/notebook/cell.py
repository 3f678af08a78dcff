# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""%%cuda: a cell of CUDA C++ in IPython and Jupyter. `%load_ext warploom` makes it known.

    %%cuda [--module NAME] [--explain] [WORDS OF THE COMPILER]
    extern "C" __global__ void scale(float *x, float a) { x[threadIdx.x] *= a; }

The cell's kernels become variables of the notebook, by their names, to be called as those of RawModule. A cell with a
`main` is a program: it is compiled and run, and what it prints is shown; words behind `--` go to it. What the compiler
refuses is shown at its line of the cell.
"""

from __future__ import annotations

import re
import shlex
import subprocess
import sys
from pathlib import Path
from typing import Any

from warploom.api.module import RawModule
from warploom.cli.kernels import plain_name
from warploom.compiler.service import CompileError
from warploom.diagnostics import Diagnostic
from warploom.notebook.explain import Explanation, explain
from warploom.scratch import temporary_folder

_PROGRAM = re.compile(r"^\s*(?:int|auto)\s+main\s*\(", re.MULTILINE)
_MESSAGE = re.compile(
    r"^(?P<file>[^\n:]+):(?P<line>\d+):(?P<column>\d+): (?:fatal )?error: (?P<text>.*)$", re.MULTILINE
)


class CellError(SyntaxError):
    """The compiler refused a cell: IPython shows the line. `messages`: all that the compiler said."""

    messages: str = ""


def load_ipython_extension(shell: Any) -> None:
    """What `%load_ext warploom` calls."""

    def cuda(line: str, cell: str) -> Any:
        return run_cell(shell, line, cell)

    cuda.__doc__ = __doc__
    shell.register_magic_function(cuda, "cell", "cuda")


def run_cell(shell: Any, line: str, cell: str) -> Explanation | None:
    """Compile a cell, and run it where it is a program."""
    words, arguments = _split(shlex.split(line))
    name = f"In[{getattr(shell, 'execution_count', 0)}]"
    if _PROGRAM.search(cell):
        _run_program(words, arguments, cell, name)
        return None
    if arguments:
        raise Diagnostic("words behind -- are for a program, and the cell has no main")
    module_name, shows = _own(words)
    module = RawModule(cell, options=words, name=name)
    try:
        module.compile()
    except CompileError as refused:
        raise cell_error(str(refused), name, cell) from None
    if module.log:
        print(module.log, file=sys.stderr)
    names = [plain_name(kernel) for kernel in module.kernels]
    full = [kernel.removeprefix("void ").partition("(")[0] for kernel in module.kernels]
    # Of several instances of a template none is meant by the name alone.
    found = {
        each: module.get_function(whole) for each, whole in zip(names, full, strict=True) if names.count(each) == 1
    }
    shell.push({**found, module_name: module} if module_name else found)
    return explain(module) if shows else None


def cell_error(messages: str, name: str, cell: str) -> CellError:
    """What Python raises for text that it cannot read, with the first of the compiler's messages about the cell."""
    first = next((each for each in _MESSAGE.finditer(messages) if each["file"] == name), None)
    error = CellError(messages)
    if first is not None:
        number, column = int(first["line"]), int(first["column"])
        lines = cell.splitlines()
        text = lines[number - 1] if 0 < number <= len(lines) else ""
        error = CellError(first["text"], (name, number, column, text))
    error.messages = messages
    return error


def _run_program(words: list[str], arguments: list[str], cell: str, name: str) -> None:
    """Compile and run a cell with a `main`; what it prints, and how it ends."""
    with temporary_folder("warploom-cell-") as folder:
        source = Path(folder, "cell.cu")
        source.write_text(f'#line 1 "{name}"\n{cell}')
        command = [sys.executable, "-m", "warploom", "run", *words, f"-I{Path.cwd()}", str(source), "--", *arguments]
        done = subprocess.run(command, capture_output=True, text=True, check=False)
    print(done.stdout, end="")
    if done.returncode != 0 and f"{name}:" in done.stderr and _MESSAGE.search(done.stderr):
        raise cell_error(done.stderr, name, cell)
    print(done.stderr, end="", file=sys.stderr)
    if done.returncode != 0:
        raise Diagnostic(f"the program's exit status is {done.returncode}")


def _split(words: list[str]) -> tuple[list[str], list[str]]:
    """The words for the compiler, and those behind `--` for a program."""
    at = words.index("--") if "--" in words else len(words)
    return words[:at], words[at + 1 :]


def _own(words: list[str]) -> tuple[str, bool]:
    """The name of the module and whether the kernels are to be explained; these words are taken out."""
    shows = "--explain" in words
    if shows:
        words.remove("--explain")
    if "--module" not in words:
        return "", shows
    at = words.index("--module")
    _, name = words[at : at + 2] if len(words) > at + 1 else ("", "")
    if not name.isidentifier():
        raise Diagnostic("--module wants the name of a variable for the module")
    del words[at : at + 2]
    return name, shows
