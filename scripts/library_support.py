#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Write docs/libraries.md from the tests: which functions of CUDA's host libraries are tested, and where.

A test says which functions it calls on lines of their own: `# functions: cublas{S,D}gemm{,_64} cublasGemmEx`, with
braces as shells expand them (`// functions:` in a program). `library_support.py` writes the file, `--check` only
compares.
"""

from __future__ import annotations

import re
import subprocess
import sys
import tempfile
from functools import cache
from itertools import product
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
TARGET = ROOT / "docs" / "libraries.md"
INCLUDE = ROOT / "src" / "warploom" / "include"
FUNCTIONS = re.compile(r"^(?://|#) functions: (.+?)\s*$", re.MULTILINE)
SUFFIXES = {".cu", ".cpp", ".py"}
# A library, its headers, and how its functions' names begin.
LIBRARIES = (
    ("cuBLAS", ("cublas_v2.h", "cublasXt.h"), "cublas(?!Lt)"),
    ("cublasLt", ("cublasLt.h",), "cublasLt"),
    ("cuBLAS, the first API", ("cublas.h",), "cublas(?!Lt)"),
    ("cuFFT", ("cufft.h", "cufftXt.h"), "cufft"),
    ("cuDNN", ("cudnn.h",), "cudnn"),
    ("cuSPARSE", ("cusparse.h",), "cusparse(?!Lt)"),
    ("cuSPARSELt", ("cusparseLt.h",), "cusparseLt"),
    ("cuSOLVER", ("cusolverDn.h", "cusolverSp.h", "cusolverRf.h", "cusolverSp_LOWLEVEL_PREVIEW.h"), "cusolver"),
    ("cuTENSOR", ("cutensor.h", "cutensorMg.h"), "cutensor"),
    ("NCCL", ("nccl.h",), "nccl"),
    ("NPP", ("npp.h",), "npp"),
    ("nvJPEG", ("nvjpeg.h",), "nvjpeg"),
    ("NVSHMEM", ("nvshmem.h",), "nvshmem"),
)
HEAD = """<!-- SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception -->
<!-- Written by scripts/library_support.py from the tests: do not edit. -->
# CUDA's host libraries

Which functions of cuBLAS, cuFFT, cuSPARSE and so on there are; [how fast they are](library-performance.md);
[how they are made](adr/0022-libraries-on-openblas.md); [where an H200 answers otherwise](#differences-from-an-h200).

- *Tested*: a test calls the function and checks what it does.
- *Declared*: programs that name it compile and link; no test calls it.
- *Not supported*: programs that name it compile and link; a call writes one line with its name and returns its
  library's code for NOT_SUPPORTED.

| library | functions | tested | declared | not supported |
|---|---:|---:|---:|---:|
"""
DIFFERENCES = """
## Differences from an H200

Answers of an H200 (CUDA 13.0) to many combinations of arguments were recorded, and are tests. What differs, in brackets
the number of recorded lines:

cublasLt and cublasGemmEx (`tests/hostlibs/test_cublas_lt_answers.py`):

- epilogues 3 and 128, which have no name: INVALID_VALUE here (30);
- what is left in memory for aux under the epilogue BIAS, whose result it is not: untouched here (4);
- fast compute types with floats and a D of any type: refused here, where an H200 writes what is no number of that
  type (8);
- no columns: nothing to do here, EXECUTION_FAILED there (1);
- alpha = 0 with null operands, which an H200 reads: here they are not read (1);
- attributes 16 and 38, which the headers do not name (2; the recording ends with a crash at 40);
- products of bytes to integers that an H200 has no kernel for are given here: 990 of 13,500 small ones (104), of
  cublasGemmEx squares of 48 with both operands transposed or none (24), and squares with B transposed whose side is no
  multiple of four though lines begin at such (12; which of m, n and k that is about is not known).

nvJPEG (`tests/hostlibs/test_nvjpeg_planes.py`): of 1,960 lines 1,913 are the same, and 14 differ by rounding (values by
1, sums of 400 pixels by at most 4). The others:

- files of 4:1:0 are not made (10);
- pictures of other sampling than JPEG's usual ones are refused one step earlier when they are decoded in steps, and
  those of more than ten blocks a unit are refused in steps, too (7);
- gray pictures with factors of sampling, whose blocks an H200 takes in another order (7);
- pixels behind the end of a file that is cut (8);
- the size of an encoder's buffer (1).

cuSOLVER, cuFFT and cuSPARSE (`..._as_an_h200_answers`): codes, infos and pivots are the same but for

- sizes of work areas: smaller here, and none for most of cuSPARSE and cuFFT, so that a null area is not refused;
- what is left in a matrix behind a pivot that is not a number, and `sytrf`'s info of such a matrix;
- negative sizes when cuSOLVER is asked for a work area: taken on an H200;
- the x of a singular sparse system: infinite on an H200;
- a matrix of rank one, whose last pivots are rounding errors on an H200 and zeros here.
"""


def expand(pattern: str) -> list[str]:
    """The names that a pattern with braces stands for."""
    parts = re.split(r"\{([^}]*)\}", pattern)
    choices = [part.split(",") if i % 2 else [part] for i, part in enumerate(parts)]
    return ["".join(each) for each in product(*choices)]


def tested(root: Path) -> dict[str, list[str]]:
    """The tests that call each function."""
    found: dict[str, list[str]] = {}
    for path in sorted((root / "tests").rglob("*")):
        if path.suffix not in SUFFIXES or not path.is_file():
            continue
        for line in FUNCTIONS.findall(path.read_text()):
            for pattern in line.split():
                for name in expand(pattern):
                    found.setdefault(name, []).append(str(path.relative_to(root)))
    return found


@cache
def declared(headers: tuple[str, ...], start: str) -> list[str]:
    """The functions that headers declare, under the names that programs write."""
    from warploom.toolchain import find_toolchain

    with tempfile.NamedTemporaryFile("w", suffix=".cpp") as source:
        source.write("".join(f"#include <{header}>\n" for header in headers))
        source.flush()
        command = [find_toolchain().clang, "-E", "-P", f"-I{INCLUDE}", source.name]
        text = subprocess.run(command, capture_output=True, text=True, check=True).stdout
    names = set(re.findall(rf"\b({start}\w+) ?\(", text))
    return sorted(re.sub(r"_v2(_64)?$", r"\1", name) for name in names if not name.endswith("_internal"))


@cache
def refused() -> frozenset[str]:
    """The functions that only say that they are not supported."""
    tables = (INCLUDE / "warploom" / "libraries").glob("*_refused.def")
    return frozenset(name for table in tables for name in re.findall(r"^WARPLOOM_\w+\((\w+),", table.read_text(), re.M))


def document(root: Path) -> str:
    """The page."""
    tests = tested(root)
    known: set[str] = set()
    table: list[str] = []
    sections: list[str] = []
    for title, headers, start in LIBRARIES:
        names = declared(headers, start)
        known.update(names)
        if title.endswith("first API"):
            names = [name for name in names if name not in set(declared(("cublas_v2.h",), start))]
        rest = [name for name in names if name not in tests]
        untested = [name for name in rest if name not in refused()]
        unsupported = [name for name in rest if name in refused()]
        covered = len(names) - len(rest)
        anchor = title.lower().replace(",", "").replace(" ", "-")
        table.append(f"| [{title}](#{anchor}) | {len(names)} | {covered} | {len(untested)} | {len(unsupported)} |\n")
        sections.append(f"\n## {title}\n\n{covered} of {len(names)} functions are tested.\n")
        sections += by_test([name for name in names if name in tests], tests)
        for what, which in (("Declared", untested), ("Not supported", unsupported)):
            if which:
                sections.append(f"\n{what}: {quoted(which)}\n")
    strangers = sorted(set(tests) - known)
    if strangers:
        raise SystemExit(f"tests name functions that no header declares: {' '.join(strangers)}")
    return "".join([HEAD, *table, *sections, DIFFERENCES])


def by_test(names: list[str], tests: dict[str, list[str]]) -> list[str]:
    """A line for each set of tests: the functions that it calls."""
    found: dict[tuple[str, ...], list[str]] = {}
    for name in names:
        found.setdefault(tuple(sorted(set(tests[name]))), []).append(name)
    lines = ((", ".join(f"`{place}`" for place in where), quoted(which)) for where, which in sorted(found.items()))
    return [f"- {places}: {which}\n" for places, which in lines]


def quoted(names: list[str]) -> str:
    return " ".join(f"`{name}`" for name in names)


def main(arguments: list[str]) -> int:
    """Write the page, or say that it is not up to date."""
    text = document(ROOT)
    if "--check" not in arguments:
        TARGET.write_text(text)
        return 0
    if TARGET.read_text() == text:
        return 0
    print("docs/libraries.md is not up to date: run scripts/library_support.py", file=sys.stderr)
    return 1


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
