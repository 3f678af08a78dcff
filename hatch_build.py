# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Wheels bring the runtime for the platform that builds them: who installs one compiles no C++ of ours."""

from __future__ import annotations

import atexit
import os
import shutil
import sys
import tempfile
from importlib.metadata import PackageNotFoundError, distribution
from pathlib import Path
from typing import Any

from hatchling.builders.hooks.plugin.interface import BuildHookInterface

SOURCES = Path(__file__).resolve().parent / "src"


def compiler_of_build() -> Path | None:
    """clang++ of the build's own environment, with the links that belong to it; None where it is not from PyPI.

    Its packages leave their links, clang++ and ld.lld among them, to what runs when Python starts. That gives up where
    pip installs for a build alone.
    """
    try:
        packages = [distribution(f"karellen-llvm-{part}") for part in ("clang", "core")]
    except PackageNotFoundError:
        return None
    folders = (Path(str(file.locate())).resolve().parent for file in packages[0].files or ())
    prefix = next(folder.parent for folder in folders if folder.name == "bin")
    for line in "".join(package.read_text("symlinks.txt") or "" for package in packages).splitlines():
        link, target, _ = line.split(",")
        place = prefix / link.partition(".data/data/")[2]
        if not (place.exists() or place.is_symlink()):
            place.symlink_to(target)
    return prefix / "bin" / "clang++"


class RuntimeHook(BuildHookInterface[Any]):
    """Builds `warploom/prebuilt` for a wheel. An editable install has none: its sources change."""

    def initialize(self, version: str, build_data: dict[str, Any]) -> None:
        if sys.platform != "linux":
            raise SystemExit(f"Warploom is for Linux with glibc, not for {sys.platform}: see docs/howto/systems.md")
        if version == "editable":
            return
        sys.path.insert(0, str(SOURCES))
        from warploom.runtime_library import prebuild

        compiler = compiler_of_build()
        if compiler is not None:
            os.environ.setdefault("WARPLOOM_CLANG", str(compiler))
        made = Path(tempfile.mkdtemp(prefix="warploom-wheel-"), "prebuilt")
        atexit.register(shutil.rmtree, made.parent, ignore_errors=True)  # when it has been packed
        platform = prebuild(made)
        build_data["pure_python"] = False
        build_data["tag"] = f"py3-none-{platform}"
        build_data["force_include"][str(made)] = "warploom/prebuilt"
