# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""`warploom run [compiler flags] FILE.cu [MORE.cu] [-- ARGS]`: compile (cached) and run.

The cache has two steps, as a build system's has. Key 1 is known before any file is read: the flags, the sources' paths,
the toolchain. It leads to a manifest: the files that were read when the program was last built and the hashes of what
they held. While those still hold the same the binary beside the manifest is run at once, without a compiler.
"""

from __future__ import annotations

import itertools
import json
import os
import signal
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path
from types import FrameType

from warploom import cache
from warploom.cli import build
from warploom.core.records import dataclass, field
from warploom.cpu import default_cpu
from warploom.diagnostics import Diagnostic
from warploom.driver import settings
from warploom.driver.nvcc_options import takes_next
from warploom.engines import (
    COMPARE,
    DEFAULT_ENGINE,
    ENGINES,
    STRICT,
    check_engine,
    chosen_engine,
    compare_is_wanted,
    strict_is_wanted,
)
from warploom.version import VERSION

HELP = f"""usage: warploom run [COMPILER FLAGS] FILE.cu [MORE.cu ...] [-- PROGRAM ARGUMENTS]

Compile CUDA sources (cached by content) and run the program; its exit status is that of the program.

  --engine=NAME   the engine that runs kernels: {", ".join(ENGINES)} (default {DEFAULT_ENGINE})
  --seed N        run threads and blocks in a random order, the same for the same N
  --compare[=HOW] run each kernel on extra engines, on copies of its memory, and tell what differs; HOW as in
                  WARPLOOM_COMPARE: exact, close, ulps=N, seconds=N, launches=N
  --strict        what a GPU would refuse fails here, too (WARPLOOM_STRICT=1)
  --rebuild       compile even when the cache has the program
  --              what follows goes to the program

Every other flag goes to the compiler as it would to nvcc: -O3 -std=c++20 -I DIR -D NAME -rdc=true -lm ..."""

USAGE_ERROR = 2
SOURCE_SUFFIXES = frozenset((".cu", ".c", ".cc", ".cpp", ".cxx", ".o", ".a", ".so"))
# Flags that choose another product than the program that `run` wants.
FLAGS_OF_WARPCC = frozenset(
    "-o --output-file -c --compile -dc -dlink -E -M -MM -lib --lib -shared --shared --target --sysroot".split()
)


@dataclass
class Request:
    """A command line of `warploom run`, taken apart."""

    sources: list[str] = field(default_factory=list[str])
    compiler_flags: list[str] = field(default_factory=list[str])
    program_arguments: list[str] = field(default_factory=list[str])
    engine: str | None = None
    seed: int | None = None
    rebuild: bool = False
    compare: str = ""  # WARPLOOM_COMPARE
    strict: bool = False  # WARPLOOM_STRICT


def main(argv: Sequence[str]) -> int:
    """Compile and run; the program's exit status, 128 + N when signal N ended it."""
    if not argv or argv[0] in ("-h", "--help"):
        print(HELP, file=sys.stdout if argv else sys.stderr)
        return 0 if argv else USAGE_ERROR
    request = parse(argv)
    try:
        executable = cached_program(request)
    except build.BuildFailed as failure:
        return failure.status
    return run_program(executable, request)


def parse(argv: Sequence[str]) -> Request:
    """Take the command line apart; a Diagnostic where it has no program to run."""
    request = Request()
    own, request.program_arguments = split_at_dashes(argv)
    words = iter(own)
    for word in words:
        name, _, value = word.partition("=")
        if name == "--engine":
            request.engine = check_engine(value or next(words, ""))
        elif name == "--seed":
            request.seed = parse_seed(value or next(words, ""))
        elif name == "--compare":
            request.compare = value or "1"
        elif word == "--strict":
            request.strict = True
        elif word == "--rebuild":
            request.rebuild = True
        elif word.startswith("-"):
            request.compiler_flags.append(checked_flag(word))
            if takes_next(word):
                request.compiler_flags += itertools.islice(words, 1)
        else:
            request.sources.append(checked_source(word))
    if not request.sources:
        raise Diagnostic("no source file", hint="warploom run [COMPILER FLAGS] FILE.cu [-- ARGUMENTS]", exit_code=2)
    return request


def split_at_dashes(argv: Sequence[str]) -> tuple[list[str], list[str]]:
    """What stands before the first `--`, and what after."""
    words = list(argv)
    if "--" not in words:
        return words, []
    at = words.index("--")
    return words[:at], words[at + 1 :]


def checked_flag(word: str) -> str:
    """`word`, unless `run` has its own idea of what that flag chooses."""
    if word.partition("=")[0] in FLAGS_OF_WARPCC:
        raise Diagnostic(
            f"'{word}' does not go with run, which builds a program and runs it",
            hint="warpcc takes every flag of nvcc",
            exit_code=USAGE_ERROR,
        )
    return word


def checked_source(word: str) -> str:
    """`word`, when it is a file to compile or link."""
    path = Path(word)
    if path.suffix not in SOURCE_SUFFIXES:
        raise Diagnostic(
            f"'{word}' is neither a flag nor a source file",
            hint="arguments of the program go after --: warploom run FILE.cu -- ARGUMENTS",
            exit_code=USAGE_ERROR,
        )
    if not path.is_file():
        raise Diagnostic("no such file" if not path.exists() else "not a file", file=word)
    return word


def parse_seed(text: str) -> int:
    """The value of --seed."""
    if not text.isdecimal():
        raise Diagnostic(f"--seed wants a whole number, not '{text}'", exit_code=USAGE_ERROR)
    return int(text)


# --- the cache -------------------------------------------------------------------------------------------------------


def cached_program(request: Request) -> Path:
    """The program of `request`, built when the cache has none that is still right."""
    key = request_key(request)
    if not request.rebuild:
        found = up_to_date(cache.entry_path("run", key))
        if found is not None:
            cache.note_use(cache.entry_path("run", key))
            return found
    with cache.locked("run", key):
        # Another process may have built it while this one waited.
        found = None if request.rebuild else up_to_date(cache.entry_path("run", key))
        if found is not None:
            return found
        entry = cache.replace_entry("run", key, lambda folder: fill_entry(folder, request))
    return entry / program_name(request)


def request_key(request: Request) -> str:
    """Key 1: all that decides what is built, but for the content of files."""
    return cache.content_key(
        VERSION,
        cache.package_key(),
        sys.prefix,
        str(Path.cwd()),
        default_cpu(),  # homes are shared by machines
        json.dumps([compiler_flags(request), request.sources, settings.given()]),
    )


def compiler_flags(request: Request) -> list[str]:
    """The flags for warpcc; the engine is always among them."""
    extra = ["--compare"] if request.compare or compare_is_wanted() else []
    extra += ["--strict"] if request.strict or strict_is_wanted() else []
    is_debugged = not {"-G", "--device-debug"}.isdisjoint(request.compiler_flags)
    engine = chosen_engine(request.engine, is_debugged=is_debugged)
    return [f"--engine={engine}", *extra, *request.compiler_flags]


def program_name(request: Request) -> str:
    """The binary is called as its first source is, so that `argv[0]` and core dumps tell."""
    return Path(request.sources[0]).stem


def up_to_date(entry: Path) -> Path | None:
    """The binary of an entry when every file it was built from is unchanged."""
    try:
        manifest = json.loads((entry / "manifest.json").read_text())
    except (OSError, ValueError):
        return None
    binary = entry / manifest["program"]
    files: dict[str, str] = manifest["files"]
    unchanged = all(cache.file_key(path) == key for path, key in files.items())
    return binary if unchanged and binary.exists() else None


def fill_entry(folder: Path, request: Request) -> None:
    """Build the program into `folder` and write its manifest."""
    name = program_name(request)
    read = build.build_program(request.sources, compiler_flags(request), folder / name)
    keys = {str(path): cache.file_key(path) for path in sorted(read)}
    missing = [path for path, key in keys.items() if key is None]
    if missing:  # a file that went while it was compiled: run this build, never again
        keys = dict.fromkeys(missing, "")
    (folder / "manifest.json").write_text(json.dumps({"program": name, "files": keys}, indent=1))


# --- running ---------------------------------------------------------------------------------------------------------


def run_program(executable: Path, request: Request) -> int:
    """Run the program in the foreground; signals that end this process reach it too."""
    environment = dict(os.environ, WARPLOOM_ENGINE=chosen_engine(request.engine))
    if request.compare:
        environment[COMPARE] = request.compare
    if request.strict:
        environment.setdefault(STRICT, "1")
    if request.seed is not None:
        environment["WARPLOOM_SCHEDULE_SEED"] = str(request.seed)
    sys.stdout.flush()
    process = subprocess.Popen([executable, *request.program_arguments], env=environment)

    def pass_on(number: int, _frame: FrameType | None) -> None:
        process.send_signal(number)

    for number in (signal.SIGTERM, signal.SIGHUP):
        signal.signal(number, pass_on)
    # Ctrl-C reaches the program from the terminal itself.
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    return exit_status(process.wait(), executable.name)


def exit_status(returncode: int, name: str) -> int:
    """A process's return code as a shell gives it; a signal is named on stderr."""
    if returncode >= 0:
        return returncode
    number = -returncode
    print(f"warploom: {name} was ended by signal {number} ({signal.strsignal(number)})", file=sys.stderr)
    return 128 + number
