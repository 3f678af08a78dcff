# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The runtime is built with precompiled standard headers, whatever happens to those headers later."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from warploom import runtime_objects
from warploom.runtime_objects import Source, compile_objects
from warploom.toolchain import find_toolchain

HEADER = "#pragma once\nstruct Given { int value; };\n"


@pytest.mark.parametrize("flags", [(), ("-O1", "-g")])
def test_headers_that_are_newer_or_others(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, flags: tuple[str, ...]
) -> None:
    header, toolchain = tmp_path / "given.h", find_toolchain()
    header.write_text(HEADER)
    monkeypatch.setenv("CPLUS_INCLUDE_PATH", str(tmp_path))
    monkeypatch.setenv("WARPLOOM_CACHE_DIR", str(tmp_path / "cache"))
    monkeypatch.setattr(runtime_objects, "_STANDARD_HEADERS", ("given.h",))

    def is_built(name: str, text: str) -> bool:
        sources = [tmp_path / name, tmp_path / f"beside_{name}"]  # for one alone headers are not precompiled
        for source in sources:
            source.write_text(text)
        made = compile_objects(toolchain, [Source(source, flags) for source in sources], "a test")
        return all(each.is_file() for each in made)

    assert is_built("first.cpp", "Given first{1};\n")
    os.utime(header, (1e9, 1e9))  # as of a compiler that was installed again
    assert is_built("second.cpp", "Given second{2};\n")
    header.write_text(HEADER.replace("int value", "int value, other"))
    assert is_built("third.cpp", "#include <given.h>\nGiven third{3, 4};\n")
