# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""nvcc's spellings: every form of a value, what is forwarded, what is refused."""

from __future__ import annotations

from pathlib import Path

import pytest

from warploom.diagnostics import Diagnostic
from warploom.driver.command_line import COMPILE, DEPENDENCIES, DEVICE_LINK, LIBRARY, LINK, PREPROCESS
from warploom.driver.nvcc_options import parse


@pytest.mark.parametrize("words", [["-o", "x"], ["-o=x"], ["--output-file", "x"], ["--output-file=x"]], ids=" ".join)
def test_a_value_may_be_separate_joined_or_behind_an_equals_sign(words: list[str]) -> None:
    assert parse([*words, "a.cu"]).output == "x"


@pytest.mark.parametrize(
    ("flag", "action"),
    [
        ("-c", COMPILE),
        ("--compile", COMPILE),
        ("-dc", COMPILE),
        ("-dlink", DEVICE_LINK),
        ("-lib", LIBRARY),
        ("-E", PREPROCESS),
        ("-M", DEPENDENCIES),
        ("-link", LINK),
    ],
)
def test_actions(flag: str, action: str) -> None:
    assert parse([flag, "a.cu"]).action == action


def test_dc_is_rdc_and_c() -> None:
    line = parse(["-dc", "a.cu"])
    assert line.separate
    assert line.action == COMPILE


@pytest.mark.parametrize(("word", "separate"), [("-rdc=true", True), ("-rdc=false", False)])
def test_rdc(word: str, separate: bool) -> None:
    assert parse([word, "a.cu"]).separate is separate


@pytest.mark.parametrize(
    ("words", "arch"),
    [
        ([], 80),
        (["-arch=sm_70"], 70),
        (["-arch", "compute_75"], 75),
        (["--gpu-architecture=sm_90a"], 90),
        (["-arch=native"], 80),
        (["-gencode", "arch=compute_60,code=sm_60", "-gencode=arch=compute_70,code=[sm_70,compute_70]"], 70),
        (["-gencode", "arch=compute_75,code=sm_75", "-gencode", "arch=compute_90,code=sm_90"], 75),
    ],
)
def test_of_several_architectures_the_best_for_compute_capability_8_0_counts(words: list[str], arch: int) -> None:
    assert parse([*words, "a.cu"]).arch == arch


def test_preprocessor_flags_keep_their_order() -> None:
    words = ["-DA=1", "-I", "inc", "-UA", "-isystem=sys", "-include", "p.h", "-D", "B"]
    line = parse([*words, "a.cu"])
    assert line.preprocessor == ["-D", "A=1", "-I", "inc", "-U", "A", "-isystem", "sys", "-include", "p.h", "-D", "B"]


def test_xcompiler_splits_at_commas_and_blanks_but_not_inside_quotes() -> None:
    line = parse(["-Xcompiler", "-Wall,-fPIC", "-Xcompiler=-O3", "--compiler-options", '"-DX=a,b" -g', "a.cu"])
    assert line.host_flags == ["-Wall", "-fPIC", "-O3", "-DX=a,b", "-g"]


def test_inputs_and_libraries_keep_their_order_for_the_linker() -> None:
    line = parse(["a.o", "-lm", "libx.a", "-L/lib", "-Xlinker", "-rpath,/r", "b.cu"])
    assert line.linker_flags == ["a.o", "-lm", "libx.a", "-L/lib", "-Wl,-rpath", "-Wl,/r", "b.cu"]
    assert line.inputs == ["a.o", "libx.a", "b.cu"]


def test_x_holds_for_the_files_after_it() -> None:
    line = parse(["a.cpp", "-x", "cu", "b.cpp"])
    assert line.languages == {"b.cpp": "cuda"}


def test_tuning_flags_are_accepted_and_change_nothing() -> None:
    words = [
        "-Xptxas",
        "-O3,-warn-spills",
        "-maxrregcount=32",
        "-prec-div=false",
        "--prec-sqrt",
        "true",
        "-m64",
        "a.cu",
    ]
    assert parse(words) == parse(["a.cu"])


@pytest.mark.parametrize("words", [["-t", "4"], ["--threads=4"], ["-split-compile", "4"], ["--split-compile=4"]])
def test_how_many_processes_may_compile_one_file(words: list[str]) -> None:
    assert parse([*words, "a.cu"]).jobs == 4
    assert parse([*words, "-t", "0", "a.cu"]).jobs is None
    with pytest.raises(Diagnostic, match="no number"):
        parse(["-t", "many", "a.cu"])


def test_device_code_can_be_left_as_it_is() -> None:
    assert parse(["-Xptxas", "-v,-O0", "a.cu"]).device_optimise == 0
    assert parse(["--ptxas-options=-O1", "a.cu"]).device_optimise == 1


def test_fast_math_fmad_and_lambda_flags() -> None:
    line = parse(["-use_fast_math", "-fmad=false", "--expt-relaxed-constexpr", "--extended-lambda", "a.cu"])
    assert (line.fast_math, line.fused_multiply_add) == (True, False)
    assert (line.relaxed_constexpr, line.extended_lambda) == (True, True)


def test_fast_math_flushes_denormals_unless_told_otherwise() -> None:
    for words, flushes in (
        (["-use_fast_math"], True),
        (["-ftz=true"], True),
        (["--ftz", "true"], True),
        (["-use_fast_math", "-ftz=false"], False),
        (["-ftz=false", "-use_fast_math"], False),
        (["-ftz=false"], False),
        ([], False),
        (["-prec-div=false", "-prec-sqrt=false"], False),
    ):
        assert parse([*words, "a.cu"]).flushes == flushes, words


def test_engine_and_passes_to_leave_out() -> None:
    line = parse(["--engine=loom", "--off-pass", "unroll,merge-parallel", "--off-pass=hoist-ranges", "k.cu"])
    assert (line.engine, line.off_passes) == ("loom", ["unroll,merge-parallel", "hoist-ranges"])
    assert parse(["k.cu"]).engine is None, "the environment and the default decide"


def test_width_and_jam_are_powers_of_two() -> None:
    line = parse(["--width", "16", "--jam=2", "k.cu"])
    assert (line.width, line.jam) == (16, 2)
    for word in ("--width=0", "--width=128", "--jam=3", "--jam=-1"):
        with pytest.raises(Diagnostic, match="is no power of two up to"):
            parse([word, "k.cu"])


def test_default_stream() -> None:
    assert parse(["--default-stream", "per-thread", "a.cu"]).per_thread_stream
    assert not parse(["-default-stream=legacy", "a.cu"]).per_thread_stream


def test_an_option_file_is_read_in_its_place(tmp_path: Path) -> None:
    options = tmp_path / "options"
    options.write_text("-O3 -DFROM_FILE")
    line = parse([f"@{options}", "--options-file", str(options), "a.cu"])
    assert line.optimise == "-O3"
    assert line.preprocessor == ["-D", "FROM_FILE"] * 2


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (["-optix-ir", "a.cu"], "no GPU code to write"),
        (["--no-such-flag", "a.cu"], "unknown option"),
        (["-arch=sm_x", "a.cu"], "not a GPU architecture"),
        (["-std=c++98x", "a.cu"], "not a C\\+\\+ standard"),
        (["a.cu", "-o"], "wants a value"),
        (["--default-stream=fast", "a.cu"], "none of legacy, null, per-thread"),
        (["@/no/such/file"], "option file"),
    ],
)
def test_what_cannot_be_done_is_refused_by_name(words: list[str], message: str) -> None:
    with pytest.raises(Diagnostic, match=message):
        parse(words)


def test_a_host_flag_without_xcompiler_is_forwarded_with_a_note() -> None:
    line = parse(["-fopenmp", "a.cu"])
    assert line.host_flags == ["-fopenmp"]
    assert "-Xcompiler" in line.notes[0]


def test_old_dialects_are_raised_to_what_the_headers_need() -> None:
    assert parse(["-std=c++11", "a.cu"]).standard == "c++14"
    assert parse(["--std", "c++20", "a.cu"]).standard == "c++20"
