# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Show that a change of the compiler's Python leaves the machine code of kernels as it was.

    python scripts/object_hashes.py BITCODE > before.txt     # in one tree
    python scripts/object_hashes.py BITCODE > after.txt      # in the other: diff before.txt after.txt

The kernels of every test program, header test and benchmark are compiled from clang's bitcode, which is made once and
kept in the folder BITCODE, so that both trees start from the same; one line for each is written: the hash of its
object, and its name. `--early` hashes the modules as they are handed to LLVM's optimiser instead, which takes a third
of the time: equal modules become equal objects, as long as what comes behind is not what changed. `--only WORD...`
takes the programs whose names contain one of the words, `--every N` each N-th.
"""

from __future__ import annotations

import argparse
import hashlib
import os
import tempfile
from collections.abc import Generator, Sequence
from contextlib import contextmanager, nullcontext
from functools import partial
from multiprocessing import get_context
from pathlib import Path
from unittest.mock import patch

from warploom.backend import access_lines, loom
from warploom.backend.compilation import DeviceOptions
from warploom.backend.workers import usable_processors
from warploom.compiler import device
from warploom.core.garbage import seldom_collecting
from warploom.cpu import cpus
from warploom.diagnostics import Diagnostic
from warploom.frontend.launches import launch_sizes
from warploom.frontend.passes import SourceOptions
from warploom.llvm.module import Module, forgetting_modules
from warploom.pipeline import library_options
from warploom.toolchain import Toolchain, find_toolchain

ROOT = Path(__file__).resolve().parents[1]
SOURCES = (
    "bench/workloads/*.cu", "bench/*.cu", "bench/compile_units/[eot]*.cu", "tests/programs/*.cu",
    "tests/programs/*/*.cu", "tests/headers/*.cu", "tests/papers/*.cu", "examples/*.cu",
)  # fmt: skip
CPU = "x86-64-v4"


class HandedOver(Exception):
    """The module is with LLVM's optimiser."""


def sources() -> list[Path]:
    """What is compiled, the same in every tree that has the same programs."""
    return [path for pattern in SOURCES for path in sorted(ROOT.glob(pattern))]


def options_of(source: Path) -> SourceOptions:
    """As a plain `warpcc -c` has them; separate compilation and a block's shape where the program asks for it."""
    text = source.read_text()
    shape = ("-DBLOCK_X=16", "-DBLOCK_Y=16") if "BLOCK_X" in text and "define BLOCK_X" not in text else ()
    return SourceOptions(cpu=CPU, preprocessor=shape, separate="-rdc=true" in text, unique_id="0" * 16)


def bitcode_of(toolchain: Toolchain, source: Path, folder: Path) -> Path:
    """The bitcode of a source, made now unless it is there; an empty file where clang refuses the source."""
    made = folder / os.path.relpath(source, ROOT).replace("/", "-")
    made = made.with_name(made.name + ".bc")
    if made.exists():
        return made
    with tempfile.TemporaryDirectory() as scratch:
        fresh = Path(scratch, "device.bc")
        try:
            device.device_bitcode(toolchain, source, fresh, options_of(source))
            made.write_bytes(fresh.read_bytes())
        except device.SourceRefused:
            made.write_bytes(b"")
    return made


def code_hash(source: Path, folder: Path, *, early: bool) -> str:
    """The hash of a program's kernels."""
    toolchain = find_toolchain()
    bitcode = bitcode_of(toolchain, source, folder)
    if bitcode.stat().st_size == 0:
        return "refused by clang"
    with tempfile.TemporaryDirectory() as scratch:
        made = Path(scratch, "device.o")
        try:
            with hand_over(made) if early else nullcontext():
                objects = objects_of(toolchain, source, bitcode, made)
        except HandedOver:
            objects = [made]
        except Diagnostic as refused:
            return f"refused: {refused.message.splitlines()[0]}"
        return hashlib.sha256(b"".join(path.read_bytes() for path in objects)).hexdigest()[:32]


def objects_of(toolchain: Toolchain, source: Path, bitcode: Path, made: Path) -> list[Path]:
    """Compile a program's kernels as `warpcc -c` does."""
    separate = options_of(source).separate
    features, sizes = cpus("x86_64")[CPU], launch_sizes(source, options_of(source).preprocessor)
    options = DeviceOptions("warploom image", cpu_features=features, cpu=CPU, optimise=3, separate=separate, jobs=1)
    with seldom_collecting(), forgetting_modules():
        return device.device_objects(toolchain, bitcode, made, options, library_options(), sizes)


@contextmanager
def hand_over(text: Path) -> Generator[None]:
    """Instead of optimising a module, LLVM writes it to `text`. A module of many kernels stays in one part."""

    def write(module: Module, *_: object) -> None:
        module.strip_debug_info()  # it names files of this tree
        module.write_text(text)
        raise HandedOver

    with patch.object(access_lines, "optimise", write), patch.object(loom, "PART", 10**9):
        yield


def main() -> None:
    """Hash what the command line asks for."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("bitcode", type=Path)
    parser.add_argument("--early", action="store_true")
    parser.add_argument("--only", nargs="+", metavar="WORD")
    parser.add_argument("--every", type=int, default=1, metavar="N")
    parser.add_argument("--jobs", type=int, default=usable_processors())
    asked = parser.parse_args()
    asked.bitcode.mkdir(parents=True, exist_ok=True)
    words: Sequence[str] = asked.only or ("",)
    chosen = [path for path in sources() if any(word in path.name for word in words)][:: asked.every]
    with get_context("fork").Pool(asked.jobs, maxtasksperchild=20) as pool:
        hashes = pool.imap(partial(code_hash, folder=asked.bitcode, early=asked.early), chosen)
        for path, found in zip(chosen, hashes, strict=True):
            print(found, path.relative_to(ROOT), flush=True)


if __name__ == "__main__":
    main()
