# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""`--target`: what it names, what it makes of the toolchain, and what is said of targets that do not work."""

from __future__ import annotations

from pathlib import Path

import pytest

from warploom.cli import run, warpcc
from warploom.cpu import cpus, default_cpu
from warploom.diagnostics import Diagnostic
from warploom.target import Target, host_target, parse_target
from warploom.toolchain import find_toolchain


def test_a_target_of_this_architecture_is_this_machine() -> None:
    assert parse_target(None) == host_target()
    assert parse_target(f"{host_target().arch}-linux-gnu") == host_target()
    assert host_target().flags == ()


def test_clang_is_told_of_another_target(tmp_path: Path) -> None:
    found = parse_target("riscv64-unknown-linux-gnu", str(tmp_path))
    assert (found.arch, found.gnu_triple, found.is_host) == ("riscv64", "riscv64-linux-gnu", False)
    assert found.flags == ("--target=riscv64-unknown-linux-gnu", f"--sysroot={tmp_path}")


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (("sparc64-linux-gnu", None), "--target=sparc64-linux-gnu is not supported"),
        (("aarch64-apple-darwin", None), "--target=aarch64-apple-darwin is not supported"),
        ((None, "/"), "--sysroot goes with --target"),
        (("aarch64-linux-gnu", "/no/such/folder"), "is no folder"),
    ],
)
def test_what_there_is_no_support_for(words: tuple[str | None, str | None], message: str) -> None:
    with pytest.raises(Diagnostic, match=message):
        parse_target(*words)


def test_a_clang_without_the_code_generator_is_not_used(monkeypatch: pytest.MonkeyPatch) -> None:
    clang = find_toolchain()
    if clang.origin != "PyPI":
        pytest.skip("another clang than that of PyPI may have every code generator")
    monkeypatch.setenv("WARPLOOM_CLANG", str(clang.clang))
    with pytest.raises(Diagnostic, match="no clang with a code generator for aarch64"):
        find_toolchain(Target("aarch64-linux-gnu", is_host=False))


def test_each_architecture_has_its_cpus(tmp_path: Path) -> None:
    assert list(cpus("aarch64")) == ["armv8-a", "armv8.1-a", "armv8.2-a+dotprod"]
    assert default_cpu("riscv64") == "rv64gc"
    source = tmp_path / "a.cu"
    source.write_text("")
    with pytest.raises(Diagnostic, match="x86-64-v3"):
        warpcc.check(warpcc.parse(["--target=aarch64-linux-gnu", "--cpu=x86-64-v3", str(source)]))


def test_run_runs_on_this_machine_only() -> None:
    with pytest.raises(Diagnostic, match="does not go with run"):
        run.parse(["--target=aarch64-linux-gnu", "a.cu"])
