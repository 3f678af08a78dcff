# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The letters of inline PTX's operands, for a clang whose target is a CPU.

    asm("ld.u16 %0, [%1];" : "=h"(v) : "l"(p));    ==>    asm("ld.u16 %0, [%1];" : "=r"(v) : "r"(p));

CUDA's letters name register files of a GPU: h (16 bits), r (32), l (64), f (float), d (double), q (128). clang checks
them against the target's own, of which h is none, f may not be written and d means one register. A string of such a
letter that is followed by a parenthesis is an operand's, nothing else is valid C++; the letter put there has the same
length, so that every location stays. What decides is the operand's type, which the letter does not change.

clang reads the changed text by an overlay of its file system, under the file's own name.
"""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path

from warploom.cache import cached_entry, content_key, package_key
from warploom.core.patterns import regex
from warploom.frontend.cccl import cccl_version

# Registers of the host that hold the same types: r is for integers of any width, x for floating point.
_LETTERS = {b"h": b"r", b"l": b"r", b"f": b"x", b"d": b"x", b"q": b"r"}
_CONSTRAINT = regex(rb'("[=+]?&?)([hlfdq])(?="\s*\()')
OVERLAY = "overlay.json"


def for_the_host(text: bytes) -> bytes:
    """`text` with every operand's letter replaced; as long as before."""
    return _CONSTRAINT.sub(lambda match: match.group(1) + _LETTERS[match.group(2)], text)


def overlay_of_files(paths: Iterable[Path], folder: Path) -> Path:
    """An overlay, made in `folder`, in which these files have other letters; where it is."""
    roots: list[dict[str, str]] = []
    for index, path in enumerate(paths):
        changed = f"{index}{path.suffix}"
        (folder / changed).write_bytes(for_the_host(path.read_bytes()))
        roots.append({"type": "file", "name": str(path.absolute()), "external-contents": changed})
    overlay = folder / OVERLAY
    from json import dumps

    overlay.write_text(dumps({"version": 0, "use-external-names": False, "overlay-relative": True, "roots": roots}))
    return overlay


def overlay_of_headers(headers: Path) -> Path:
    """The overlay of a folder of headers, made once for each state of it."""

    def make(folder: Path) -> None:
        found = sorted(path for path in headers.rglob("*") if path.is_file())
        overlay_of_files((path for path in found if _CONSTRAINT.search(path.read_bytes())), folder)

    key = content_key(package_key(), str(headers), cccl_version(headers), str(headers.stat().st_mtime_ns))
    return cached_entry("asm-constraints", key, make) / OVERLAY
