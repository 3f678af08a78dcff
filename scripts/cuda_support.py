#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Write docs/cuda-support.md from the tests: what of CUDA works, and which test shows it.

A test says what it shows on a line of its own: `// feature: GROUP / NAME` in a program, `# feature: ...` in Python. The
name may end with a state in brackets: `[refused]` for what ends with a diagnostic, `[in part]` where the test says
which part; without it the feature works. `cuda_support.py` writes the file, `cuda_support.py --check` only compares.
"""

from __future__ import annotations

import re
import sys
from collections import defaultdict
from collections.abc import Iterator
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
TARGET = ROOT / "docs" / "cuda-support.md"
FEATURE = re.compile(r"^(?://|#) feature: ([^/\n]+?) / ([^\[\n]+?)(?: \[(refused|in part)\])?\s*$", re.MULTILINE)
SUFFIXES = {".cu", ".cpp", ".py"}
ORDER = (
    "Language", "Separate compilation", "Launches", "Dynamic parallelism", "Barriers and fences", "Warps",
    "Cooperative groups", "Atomics", "Arithmetic", "Numeric types", "Inline PTX", "Memory", "Textures and surfaces",
    "Streams and events", "Graphs", "Devices and errors", "Modules", "Device libraries", "Algorithms",
)  # fmt: skip
HEAD = """<!-- SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception -->
<!-- Written by scripts/cuda_support.py from the tests: do not edit. -->
# What of CUDA works

Each line is shown by the tests that it names. The programs in `tests/programs` and `tests/headers` run on both engines,
under several orders of threads and blocks. *Works* is for every shape of block, under divergence too, where that can
matter; *in part* means that the test says which part; *refused* ends with a diagnostic, never with a wrong answer.
"""


def tagged_files(tests: Path) -> Iterator[tuple[Path, str]]:
    """Every file of the tests that may say what it shows, with its text."""
    for path in sorted(tests.rglob("*")):
        if path.suffix in SUFFIXES and path.is_file():
            yield path, path.read_text()


def untagged_programs(tests: Path) -> list[str]:
    """The test programs that do not say what they show."""
    programs = [*tests.glob("programs/*.cu"), *tests.glob("programs/*/main.cu"), *tests.glob("headers/*.cu")]
    return sorted(str(path.relative_to(tests)) for path in programs if not FEATURE.search(path.read_text()))


def features(root: Path) -> dict[str, dict[tuple[str, str], list[str]]]:
    """The tests of each feature: by group, then by name and state."""
    found: dict[str, dict[tuple[str, str], list[str]]] = defaultdict(lambda: defaultdict(list))
    for path, text in tagged_files(root / "tests"):
        for group, name, state in FEATURE.findall(text):
            shown = found[group][name, state or "works"]
            shown.append(str(path.relative_to(root)))
    return found


def document(root: Path) -> str:
    """The text of docs/cuda-support.md."""
    found = features(root)
    unknown = sorted(set(found) - set(ORDER))
    parts = [HEAD]
    for group in (*ORDER, *unknown):
        if group not in found:
            continue
        parts.append(f"\n## {group}\n\n| feature | state | shown by |\n|---|---|---|\n")
        for (name, state), tests in sorted(found[group].items(), key=lambda item: item[0][0].lower()):
            shown = ", ".join(f"[{short_name(test)}](../{test})" for test in tests)
            parts.append(f"| {name} | {state} | {shown} |\n")
    return "".join(parts)


def short_name(test: str) -> str:
    """`saxpy` for `tests/programs/saxpy.cu`, and the folder's name for a `main.cu`."""
    path = Path(test)
    return path.parent.name if path.name == "main.cu" else path.stem


def main(arguments: list[str]) -> int:
    """Write or compare; 1 when the file is not what the tests say."""
    untagged = untagged_programs(ROOT / "tests")
    if untagged:
        print("these programs do not say which feature they show:", *untagged, sep="\n  ", file=sys.stderr)
        return 1
    text = document(ROOT)
    if arguments == ["--check"]:
        same = TARGET.exists() and TARGET.read_text() == text
        if not same:
            print(f"{TARGET.relative_to(ROOT)} is not what the tests say: run scripts/cuda_support.py", file=sys.stderr)
        return 0 if same else 1
    TARGET.write_text(text)
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
