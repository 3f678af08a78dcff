# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Wheels bring the runtime for the platform that builds them: who installs one compiles no C++ of ours."""

from __future__ import annotations

import atexit
import os
import shutil
import sys
import tempfile
from pathlib import Path
from typing import Any

from hatchling.builders.hooks.plugin.interface import BuildHookInterface

SOURCES = Path(__file__).resolve().parent / "src"


class RuntimeHook(BuildHookInterface[Any]):
    """Builds `warploom/prebuilt` for a wheel. An editable install has none: its sources change."""

    def initialize(self, version: str, build_data: dict[str, Any]) -> None:
        if sys.platform != "linux":
            raise SystemExit(f"Warploom is for Linux with glibc, not for {sys.platform}: see docs/howto/systems.md")
        if version == "editable":
            return
        sys.path.insert(0, str(SOURCES))
        from warploom.runtime_library import prebuild

        clang = shutil.which("clang++")  # of the build's own environment
        if clang is not None:
            os.environ.setdefault("WARPLOOM_CLANG", clang)
        made = Path(tempfile.mkdtemp(prefix="warploom-wheel-"), "prebuilt")
        atexit.register(shutil.rmtree, made.parent, ignore_errors=True)  # when it has been packed
        platform = prebuild(made)
        build_data["pure_python"] = False
        build_data["tag"] = f"py3-none-{platform}"
        build_data["force_include"][str(made)] = "warploom/prebuilt"
