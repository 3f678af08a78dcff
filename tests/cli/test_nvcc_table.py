# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Every option that nvcc 13.0 lists, by each spelling, does, changes nothing, or is refused with its reason."""

from __future__ import annotations

import itertools
import subprocess
import sys
from pathlib import Path

import pytest

from warploom.diagnostics import Diagnostic
from warploom.driver.nvcc_options import parse
from warploom.driver.nvcc_table import ALL_OPTIONS, OPTIONS, Kind, Option, Verdict

HERE = Path(__file__).resolve().parent
# Name, short name, and what follows it: as `nvcc --help` of 13.0 says.
LISTED = [tuple(line.split()) for line in (HERE / "options" / "nvcc_13_0.txt").read_text().splitlines()]
KINDS = {
    "flag": {Kind.FLAG},
    "truth": {Kind.TRUTH},
    "value": {Kind.VALUE, Kind.NUMBER},
    "list": {Kind.LIST, Kind.EACH},
}
# Values that mean something to options which check theirs.
VALUES = {
    "--std": "c++20",
    "--gpu-architecture": "sm_75",
    "--generate-code": "arch=compute_75,code=sm_75",
    "--compiler-options": "-fPIC",
    "--linker-options": "-rpath,x",
    "--ptxas-options": "-v",
    "--optimize": "1",
    "--engine": "reference",
    "--width": "8",
    "--jam": "2",
    "--x": "c",
    "--dopt": "on",
    "--off-pass": "unroll",
}
# The values that say what is the case without the option, too.
DEFAULTS = {"--cudart": "static", "--default-stream": "per-thread", "--Ofast-compile": "max", "--fmad": "false"}
AS_WITHOUT_IT = frozenset(("--link",))  # it says what is done anyway


def value_of(option: Option) -> str:
    """A value other than what holds without the option."""
    special = VALUES.get(option.long) or DEFAULTS.get(option.long)
    return special or (option.choices[0] if option.choices else "7")


def spellings(option: Option) -> list[list[str]]:
    """The option with its value, in every way that nvcc takes."""
    names = dict.fromkeys((option.long, option.short))
    if option.kind is Kind.FLAG:
        return [[name] for name in names]
    value = value_of(option)
    written = [words for name in names for words in ([name, value], [f"{name}={value}"])]
    return written + ([[option.short + value]] if option.is_joined else [])


def test_the_table_has_what_nvcc_lists_and_no_more() -> None:
    assert {(option.long, option.short) for option in OPTIONS} == {(long, short) for long, short, _ in LISTED}
    assert len(OPTIONS) == len(LISTED) == 143
    by_name = {option.long: option for option in OPTIONS}
    assert [long for long, _, kind in LISTED if by_name[long].kind not in KINDS[kind]] == []


def test_no_name_means_two_options() -> None:
    names = [name for option in ALL_OPTIONS for name in {option.long, option.short}]
    assert len(names) == len(set(names))


@pytest.mark.parametrize(
    "option", [each for each in ALL_OPTIONS if each.long != "--options-file"], ids=lambda o: o.long
)
def test_each_spelling_of_an_option_means_the_same(option: Option) -> None:
    plain = parse(["a.cu"])
    if option.verdict is Verdict.REFUSED:
        for words in spellings(option):
            with pytest.raises(Diagnostic, match="is not supported") as refusal:
                parse([*words, "a.cu"])
            assert option.text in str(refusal.value)
        return
    lines = [parse([*words, "a.cu"]) for words in spellings(option)]
    assert all(line == lines[0] for line in lines)
    assert not lines[0].notes, "taken without a word"
    changes = lines[0] != plain
    does_something = option.verdict is Verdict.DOES and option.long not in AS_WITHOUT_IT
    assert changes == does_something


@pytest.mark.parametrize("option", OPTIONS, ids=lambda o: o.long)
def test_a_value_that_there_is_not_and_one_that_there_must_be(option: Option) -> None:
    if option.kind is Kind.FLAG:
        for name in (option.long, option.short):
            with pytest.raises(Diagnostic, match=r"no argument expected|is not supported"):
                parse([f"{name}=true", "a.cu"])
        return
    if option.long != "--options-file":
        with pytest.raises(Diagnostic, match="wants a value"):
            parse(["a.cu", option.long])
    if (option.choices or option.kind is Kind.NUMBER) and option.verdict is not Verdict.REFUSED:
        with pytest.raises(Diagnostic, match="bogus"):
            parse([option.long, "bogus", "a.cu"])


def test_lists_are_split_at_commas_outside_of_quotes() -> None:
    line = parse(["-DA=1,B=2", "-D", "F(a\\,b)=1", '-DS="x,y"', "-Ia,b", "-lm,dl", "-Xcompiler", "-Wl\\,x,-g", "a.cu"])
    words = ["A=1", "B=2", "F(a,b)=1", 'S="x,y"']
    assert line.preprocessor == [*itertools.chain(*(("-D", word) for word in words)), "-I", "a", "-I", "b"]
    assert line.linker_flags == ["-lm", "-ldl", "a.cu"]
    assert line.host_flags == ["-Wl,x", "-g"]


def test_of_an_option_with_one_value_the_last_counts_and_a_warning_says_so() -> None:
    line = parse(["-O1", "-std=c++14", "--optimize=2", "-O", "2", "-Ia", "-Ib", "-MT", "x", "-MT", "y", "a.cu"])
    assert line.optimise == "-O2"
    assert line.notes == [
        f"incompatible redefinition for option '{name}', the last value of this option was used"
        for name in ("optimize", "dependency-target-name")
    ]
    assert line.dependency_flags == ["-MT", "y"]


def test_unknown_options_go_where_nvcc_was_told_to_send_them() -> None:
    assert parse(["-fno-plt", "-forward-unknown-to-host-compiler", "a.cu"]).host_flags == ["-fno-plt"]
    assert parse(["--bogus", "--forward-unknown-to-host-linker", "a.cu"]).linker_flags == ["a.cu", "--bogus"]
    with pytest.raises(Diagnostic, match="unknown option '--bogus'"):
        parse(["--bogus", "a.cu"])


def test_debuggable_code_is_optimised_where_dopt_asks_for_it() -> None:
    line = parse(["-G", "-dopt", "on", "a.cu"])
    assert (line.device_debug, line.line_info) == (False, True)


def test_the_page_is_written_from_the_table() -> None:
    script = HERE.parent.parent / "scripts" / "nvcc_options.py"
    assert subprocess.run([sys.executable, script, "--check"], check=False).returncode == 0, f"run {script}"
