# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Build the runtime and its C++ tests with a sanitizer of clang, and run them.

    python scripts/sanitize.py thread                    # all tests under ThreadSanitizer
    python scripts/sanitize.py address --only streams team    # those whose names contain one of these

Objects are kept in the cache, the programs of tests in --folder. What the sanitizers are told to leave out, and why,
stands in OPTIONS.
"""

from __future__ import annotations

import argparse
import os
import subprocess
import sys
import tempfile
from pathlib import Path

from warploom.runtime_library import runtime_sources
from warploom.runtime_objects import Source, compile_objects
from warploom.toolchain import Toolchain, find_toolchain

ROOT = Path(__file__).resolve().parents[1]
TESTS = ROOT / "tests" / "runtime"
FLAGS = ("-O1", "-g", "-fno-omit-frame-pointer", "-Wno-unused-command-line-argument")
# A deadly signal in device code is what some tests are about. Fibers leave their stacks without returning, and memory
# that lives as long as the process is not given back.
OPTIONS = {
    "thread": {
        "TSAN_OPTIONS": "handle_segv=0 handle_sigbus=0 handle_sigfpe=0 handle_sigill=0 report_signal_unsafe=0"
        " die_after_fork=0"
    },
    "address": {
        "ASAN_OPTIONS": "handle_segv=0 handle_sigbus=0 handle_sigfpe=0 handle_sigill=0 detect_leaks=0"
        " detect_stack_use_after_return=0 use_sigaltstack=0 allocator_may_return_null=1"
    },
}
ENVIRONMENT = {
    "memory": {"WARPLOOM_DEVICE_MEMORY": str(64 << 20)},
    "devices": {"WARPLOOM_DEVICE_COUNT": "2"},
}
LIMIT_SECONDS = 600


def run(command: list[str | Path], environment: dict[str, str] | None = None) -> tuple[int, str]:
    """The exit status of a command, and what it wrote."""
    try:
        done = subprocess.run(
            command,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
            errors="replace",
            env=environment,
            timeout=LIMIT_SECONDS,
            check=False,
        )
    except subprocess.TimeoutExpired as late:
        return 124, f"{late.stdout or ''}\nno end within {LIMIT_SECONDS} s\n"
    return done.returncode, done.stdout


def objects(toolchain: Toolchain, sanitizer: str, sources: list[Path]) -> list[Path]:
    """The objects of some sources, built with the sanitizer."""
    flags = (*FLAGS, f"-fsanitize={sanitizer}")
    return compile_objects(toolchain, [Source(path, flags) for path in sources], f"with {sanitizer} sanitizer")


def check(toolchain: Toolchain, sanitizer: str, name: str, linked: list[Path], folder: Path) -> bool:
    """Link and run one test; say what came of it."""
    program = folder / name.replace("/", "_")
    command = [toolchain.clang, *toolchain.link_flags, f"-fsanitize={sanitizer}", *linked]
    status, output = run([*command, "-lpthread", "-ldl", "-rdynamic", "-o", program])
    if status == 0:
        environment = os.environ | {"WARPLOOM_ALONE": "1"} | OPTIONS[sanitizer] | ENVIRONMENT.get(Path(name).name, {})
        status, output = run([program], environment)
    passed = status == 0 and "Sanitizer" not in output
    print(f"{'ok' if passed else 'FAILED'} {name}", flush=True)
    if not passed:
        print(output[:20000])
    return passed


def main() -> int:
    """The command line; 0 when every test has passed without a report."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("sanitizer", choices=sorted(OPTIONS))
    parser.add_argument("--only", nargs="+", default=[""], help="parts of the names of tests to run")
    parser.add_argument("--folder", type=Path, default=Path(tempfile.gettempdir()) / "warploom-sanitize")
    options = parser.parse_args()
    folder = options.folder / options.sanitizer
    folder.mkdir(parents=True, exist_ok=True)
    toolchain = find_toolchain()
    tests = {f"{path.parent.name}/{path.stem}": path for path in (*TESTS.glob("*.cpp"), *TESTS.glob("api/*.cpp"))}
    wanted = {name: tests[name] for name in sorted(tests) if any(part in name for part in options.only)}
    runtime = objects(toolchain, options.sanitizer, [source.path for source in runtime_sources()])
    mains = objects(toolchain, options.sanitizer, list(wanted.values()))
    results = [
        check(toolchain, options.sanitizer, name, [main, *runtime], folder)
        for name, main in zip(wanted, mains, strict=True)
    ]
    return 0 if all(results) and wanted else 1


if __name__ == "__main__":
    sys.exit(main())
