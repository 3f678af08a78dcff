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

*Tested*: a test calls the function and checks what it does. *Declared*: programs that name it compile and link; no test
calls it. *Not supported*: programs that name it compile and link, and a call writes one line with its name and returns
its library's code for NOT_SUPPORTED.
How the libraries are made: [decision 22](adr/0022-libraries-on-openblas.md).

Answers of an H200 (CUDA 13.0) to combinations of arguments of cublasLt and cublasGemmEx were compared with ours; the
rest is kept as tests (`tests/hostlibs/test_cublas_lt_answers.py`). What differs, by recorded lines: epilogues 3 and
128, which have no name (30; INVALID_VALUE here); what is left in memory for aux under the epilogue BIAS, whose result
it is not (4; untouched here); fast compute types with floats and a D of any type (8; it writes what is no number of
that type; refused here); no columns (1; EXECUTION_FAILED there, nothing to do here); alpha = 0 with null operands
(1; it reads them; here they are not read); attributes 16 and 38, which the headers do not name (2; the recording ends
with a crash at 40); products of bytes to integers that it has no kernel for (given here): 990 of 13,500 small ones
(104 lines), of cublasGemmEx squares of 48 with both operands transposed or none (24), and squares with B transposed
whose side is no multiple of four though lines begin at such (12; which of m, n and k that is about is not known).

Of nvJPEG's 1,960 recorded lines 1,913 are the same and 14 differ by rounding (values by 1, sums of 400 pixels by at
most 4); the codes are tests (`tests/hostlibs/test_nvjpeg_planes.py`). What differs in the other 33: files of 4:1:0 are
not made (10); pictures of other sampling than JPEG's usual ones are refused when they are decoded in steps one step
earlier, and those of more than ten blocks a unit in steps, too (7); gray pictures with factors of sampling, whose
blocks an H200 takes in another order (7); pixels behind the end of a file that is cut (8); the size of an encoder's
buffer (1).

Of cuSOLVER, cuFFT and cuSPARSE the codes, infos and pivots of the same recording are tests too
(`..._as_an_h200_answers`). What differs: sizes of work areas (ours are smaller, most of cuSPARSE's and cuFFT's are
none, so that a null area is not refused there); what is left in a matrix behind a pivot that is not a number, and
`sytrf`'s info of such a matrix; negative sizes when cuSOLVER is asked for a work area (taken there); the x of a
singular sparse system (infinite there, as it was here); a matrix of rank one whose last pivots are rounding errors
there and zeros here.
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
    lines = [HEAD]
    for title, headers, start in LIBRARIES:
        names = declared(headers, start)
        known.update(names)
        if title.endswith("first API"):
            names = [name for name in names if name not in set(declared(("cublas_v2.h",), start))]
        covered = [name for name in names if name in tests]
        lines.append(f"\n## {title}\n\n{len(covered)} of {len(names)} functions are tested.\n")
        by_test: dict[tuple[str, ...], list[str]] = {}
        for name in covered:
            by_test.setdefault(tuple(sorted(set(tests[name]))), []).append(name)
        for where, which in sorted(by_test.items()):
            places = ", ".join(f"`{place}`" for place in where)
            lines.append(f"- {places}: {' '.join(f'`{name}`' for name in which)}\n")
        rest = [name for name in names if name not in tests]
        for what, which in (
            ("Declared", [name for name in rest if name not in refused()]),
            ("Not supported", [name for name in rest if name in refused()]),
        ):
            if which:
                lines.append(f"\n{what}: {' '.join(f'`{name}`' for name in which)}\n")
    strangers = sorted(set(tests) - known)
    if strangers:
        raise SystemExit(f"tests name functions that no header declares: {' '.join(strangers)}")
    return "".join(lines)


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
