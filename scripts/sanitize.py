# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Build the runtime and its C++ tests with a sanitizer of clang, and run them.

    python scripts/sanitize.py thread                    # all tests under ThreadSanitizer
    python scripts/sanitize.py address --only streams    # those whose names contain a text, under AddressSanitizer

Objects are kept in `--folder`. What the sanitizers are told to leave out, and why, stands in OPTIONS and IGNORED.
"""

from __future__ import annotations

import argparse
import os
import subprocess
import sys
import tempfile
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

from warploom.frontend.passes import INCLUDE
from warploom.toolchain import Toolchain, find_toolchain

ROOT = Path(__file__).resolve().parents[1]
RUNTIME = ROOT / "src" / "warploom" / "runtime"
TESTS = ROOT / "tests" / "runtime"
FLAGS = ("-std=c++20", "-O1", "-g", "-fPIC", "-fno-omit-frame-pointer", "-Wno-unused-command-line-argument")
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


def compile_one(toolchain: Toolchain, sanitizer: str, source: Path, folder: Path) -> Path:
    """The object of a source; an up-to-date one is kept."""
    target = folder / ("_".join(source.relative_to(ROOT).parts) + ".o")
    if target.exists() and target.stat().st_mtime > newest_source(source):
        return target
    command = [toolchain.clang, *toolchain.cxx_flags, *FLAGS, f"-fsanitize={sanitizer}", "-I", INCLUDE, "-I", RUNTIME]
    status, output = run([*command, "-c", source, "-o", target])
    if status != 0:
        raise SystemExit(f"{source}: {output}")
    return target


def newest_source(source: Path) -> float:
    """When the source, or any header of the runtime, was last changed."""
    headers = [path.stat().st_mtime for path in RUNTIME.rglob("*.h")]
    return max([source.stat().st_mtime, *headers])


def check(toolchain: Toolchain, sanitizer: str, test: Path, objects: list[Path], folder: Path) -> bool:
    """Build and run one test; say what came of it."""
    program = folder / f"{test.parent.name}_{test.stem}"
    main = compile_one(toolchain, sanitizer, test, folder)
    command = [toolchain.clang, *toolchain.link_flags, f"-fsanitize={sanitizer}", main, *objects]
    status, output = run([*command, "-lpthread", "-ldl", "-rdynamic", "-o", program])
    if status == 0:
        environment = os.environ | OPTIONS[sanitizer] | ENVIRONMENT.get(test.stem, {})
        status, output = run([program], environment)
    passed = status == 0 and "Sanitizer" not in output
    print(f"{'ok' if passed else 'FAILED'} {test.parent.name}/{test.stem}", flush=True)
    if not passed:
        print(output[:20000])
    return passed


def main() -> int:
    """The command line; 0 when every test has passed without a report."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("sanitizer", choices=sorted(OPTIONS))
    parser.add_argument("--only", default="", help="a part of the names of tests to run")
    parser.add_argument("--folder", type=Path, default=Path(tempfile.gettempdir()) / "warploom-sanitize")
    parser.add_argument("--jobs", type=int, default=os.cpu_count() or 1)
    options = parser.parse_args()
    folder = options.folder / options.sanitizer
    folder.mkdir(parents=True, exist_ok=True)
    toolchain = find_toolchain()
    sources = sorted(path for path in RUNTIME.rglob("*") if path.suffix in (".cpp", ".S"))
    with ThreadPoolExecutor(options.jobs) as pool:
        made = [pool.submit(compile_one, toolchain, options.sanitizer, source, folder) for source in sources]
        objects = [each.result() for each in made]
    tests = sorted([*TESTS.glob("*.cpp"), *(TESTS / "api").glob("*.cpp")])
    wanted = [test for test in tests if options.only in f"{test.parent.name}/{test.stem}"]
    results = [check(toolchain, options.sanitizer, test, objects, folder) for test in wanted]
    return 0 if all(results) and wanted else 1


if __name__ == "__main__":
    sys.exit(main())
