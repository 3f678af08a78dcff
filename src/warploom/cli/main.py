# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The `warploom` command: finds the subcommand and shows mistakes as one message.

Each subcommand is a module with `main(arguments) -> exit status`, imported only when it is asked for: `warploom run` on
a cached program should start about as fast as the program itself.
"""

from __future__ import annotations

import difflib
import sys
from collections.abc import Callable, Sequence
from importlib import import_module

from warploom.cli.status import status_of
from warploom.diagnostics import Diagnostic
from warploom.version import VERSION

COMMANDS = {
    "run": "compile CUDA source files (cached) and run the program",
    "ir": "print the IR of a CUDA file's kernels, after any pass",
    "explain": "tell what was done with each kernel of a CUDA file, and why",
    "suite": "build, run and judge a list of CUDA programs; print a table",
    "sweep": "build and run folders by their own build files; classify what fails",
    "fuzz": "compare the engines on random kernels",
    "profile": "run a program and tell what its kernels, copies and calls took",
    "bench": "time CUDA programs against hand-written OpenMP",
    "doctor": "what toolchain, CPU and cores were found, and what is missing",
    "bundle": "put the libraries that a program needs beside it, for machines without Warploom",
    "cache": "what is kept of earlier builds; --max and --clean make it smaller",
    "toolkit": "where the folder is that build systems take for a CUDA toolkit; --install copies it",
    "torch": "give PyTorch's CPU build a device 'cuda': enable, disable, status, build-aten",
    "env": "print the exports that show build systems that folder",
    "cc": "compile and link as nvcc does; the same as warpcc",
}
MODULES = {"cc": "warpcc"}
USAGE_ERROR = 2


def usage() -> str:
    """The help text."""
    width = max(map(len, COMMANDS))
    lines = [f"  {name:<{width}}  {text}" for name, text in COMMANDS.items()]
    head = ["usage: warploom COMMAND [ARGUMENTS]", "", "Run unmodified CUDA C++ on the CPU.", "", "commands:"]
    return "\n".join([*head, *lines, "", "warploom COMMAND --help tells more; warploom --version prints the version."])


def main(argv: Sequence[str] | None = None) -> int:
    """Run a subcommand; the exit status of the process."""
    arguments = list(sys.argv[1:] if argv is None else argv)
    return status_of(lambda: dispatch(arguments), whole_process=argv is None)


def dispatch(arguments: list[str]) -> int:
    """Run the command that `arguments` begin with."""
    if not arguments:
        print(usage(), file=sys.stderr)
        return USAGE_ERROR
    name, rest = arguments[0], arguments[1:]
    if name in ("-h", "--help", "help"):
        print(usage())
        return 0
    if name in ("-V", "--version"):
        print(f"warploom {VERSION}")
        return 0
    if name not in COMMANDS:
        raise Diagnostic(f"unknown command '{name}'", hint=suggestion(name), exit_code=USAGE_ERROR)
    module = import_module(f"warploom.cli.{MODULES.get(name, name)}")
    command: Callable[[Sequence[str]], int] = module.main
    return command(rest)


def suggestion(name: str) -> str:
    """What the user may have meant by `name`."""
    if name.endswith((".cu", ".cpp", ".c")):
        return f"warploom run {name}"
    near = difflib.get_close_matches(name, COMMANDS, n=1)
    return f"did you mean '{near[0]}'?" if near else "warploom --help lists the commands"


if __name__ == "__main__":
    sys.exit(main())
