# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Where CCCL is looked for, what is said when it is missing, and the letters of inline PTX's operands."""

from __future__ import annotations

from pathlib import Path

import pytest

from warploom.diagnostics import Diagnostic
from warploom.frontend.asm_constraints import for_the_host
from warploom.frontend.cccl import ENVIRONMENT, NOWHERE, cccl_version, find_cccl, missing_hint


def test_a_folder_named_in_the_environment_is_used(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    mark = tmp_path / "cuda" / "std" / "__cccl" / "version.h"
    mark.parent.mkdir(parents=True)
    mark.write_text("#define CCCL_VERSION 2008002\n")
    monkeypatch.setenv(ENVIRONMENT, str(tmp_path))
    assert find_cccl() == tmp_path
    assert cccl_version(tmp_path) == "2.8.2"


def test_a_folder_without_cccl_is_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(ENVIRONMENT, str(tmp_path))
    with pytest.raises(Diagnostic, match="holds no CCCL"):
        find_cccl()


def test_none_does_without(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(ENVIRONMENT, NOWHERE)
    assert find_cccl() is None


def test_a_missing_header_is_told_how_to_install() -> None:
    hint = missing_hint("x.cu:1:10: fatal error: 'thrust/sort.h' file not found\n")
    assert "thrust/sort.h needs CCCL: pip install 'warploom[cccl]'" in hint
    for message in (
        "x.cu:1:10: fatal error: 'tbb/blocked_range.h' file not found\n",
        "ld.lld: error: unable to find library -ltbb\n",
        "/usr/bin/ld: cannot find -ltbb: No such file or directory\n",
    ):
        assert "warploom[tbb]" in missing_hint(message)
    assert missing_hint("x.cu:1:10: fatal error: 'mine.h' file not found\n") == ""


def test_letters_change_and_nothing_else_moves() -> None:
    before = b'asm("ld.u16 %0, [%1];" : "=h"(v) : "l"(p), "f" (x), "n"(3)); puts("h");'
    after = for_the_host(before)
    assert after == b'asm("ld.u16 %0, [%1];" : "=r"(v) : "r"(p), "x" (x), "n"(3)); puts("h");'
    assert len(after) == len(before)
