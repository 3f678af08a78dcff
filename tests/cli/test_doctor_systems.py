# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What `warploom doctor` says of systems that the tests do not run on."""

from __future__ import annotations

import pytest

from warploom.cli.doctor import judge_python, judge_system


@pytest.mark.parametrize(
    ("name", "machine", "release", "libc", "status", "words"),
    [
        ("Linux", "x86_64", "6.1.0-18-amd64", "glibc 2.36", "ok", ""),
        ("Linux", "x86_64", "5.15.90.1-microsoft-standard-WSL2", "glibc 2.35", "ok", ""),
        ("Linux", "x86_64", "4.4.0-19041-Microsoft", "glibc 2.35", "note", "wsl --set-version"),
        ("Windows", "AMD64", "10", "", "missing", "wsl --install"),
        ("Darwin", "arm64", "23.1.0", "", "missing", "Linux virtual machine"),
        ("Linux", "aarch64", "6.1.0", "glibc 2.36", "note", "clang-19"),
        ("Linux", "riscv64", "6.1.0", "glibc 2.38", "missing", "--target=riscv64-linux-gnu"),
        ("Linux", "ppc64le", "6.1.0", "glibc 2.38", "missing", "cross-compiles for RISC-V"),
        ("Linux", "x86_64", "6.1.0", "", "missing", "Debian-based image"),
    ],
)
def test_each_system_has_its_line(name: str, machine: str, release: str, libc: str, status: str, words: str) -> None:
    found = judge_system(name, machine, release, libc)
    assert found.status == status
    assert words in (found.mend or "")
    assert machine in found.found


def test_an_old_python_is_named() -> None:
    assert judge_python((3, 11)).status == "ok"
    old = judge_python((3, 10))
    assert old.status == "missing"
    assert "python3.11-venv" in (old.mend or "")
