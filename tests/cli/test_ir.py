# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""`warploom ir` and `warploom explain`: which kernels and passes they show, what they say to mistakes, replaying."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from warploom.cli import explain, ir, kernels, main
from warploom.cli.kernels import KernelName, plain_name, split_words
from warploom.diagnostics import Diagnostic
from warploom.ir.parser import parse_function
from warploom.ir.verifier import verify
from warploom.passes.runner import MAGIC

SOURCE = """
namespace tools {
template <typename T> __global__ void reversed(T *data, int n) {
  __shared__ T tile[64];
  if (threadIdx.x < n) tile[threadIdx.x] = data[threadIdx.x];
  __syncthreads();
  if (threadIdx.x < n) data[threadIdx.x] = tile[n - 1 - threadIdx.x];
}
}
#ifdef EXTRA
__global__ void extra(int *p) { *p = EXTRA; }
#endif
__global__ void twice(float *p) { p[threadIdx.x] *= 2; }
int main() {
  tools::reversed<int><<<1, 64>>>(nullptr, 64);
  tools::reversed<double><<<1, 64>>>(nullptr, 64);
}
"""
# As the importer leaves it.
KERNEL = """kernel @twice(%gdx: i32, %gdy: i32, %gdz: i32, %bdx: i32, %bdy: i32, %bdz: i32, %p: ptr) {
  ids (%bx: i32, %by: i32, %bz: i32, %tx: i32, %ty: i32, %tz: i32)
  ^entry:
    store %tx, %p [align=4]
    ret
}
"""


@pytest.fixture(autouse=True)
def in_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.delenv("WARPLOOM_DEBUG", raising=False)
    Path("a.cu").write_text(SOURCE)
    Path("k.ir").write_text(KERNEL)


# -- words ------------------------------------------------------------------------------------------------------------


def test_own_options_are_told_from_the_compilers() -> None:
    line = ["-I", "inc", "a.cu", "--kernel=k", "-DX", "--after", "p", "--all"]
    words = split_words(line, ("--kernel", "--after"), ("--all",))
    assert words.file == "a.cu"
    assert words.own == {"--kernel": "k", "--after": "p", "--all": ""}
    assert words.flags == ["-I", "inc", "-DX"]


@pytest.mark.parametrize(
    ("words", "message"),
    [
        ([], "no file"),
        (["a.cu", "k.ir"], "one file at a time"),
        (["b.cu"], "no such file"),
        (["a.cu", "--kernel"], "wants a value"),
    ],
)
def test_mistakes_in_the_words(words: list[str], message: str) -> None:
    with pytest.raises(Diagnostic, match=message):
        split_words(words, ("--kernel",), ())


@pytest.mark.parametrize(
    ("full", "plain"),
    [
        ("saxpy", "saxpy"),
        ("saxpy(int, float*)", "saxpy"),
        ("void (anonymous namespace)::scan<int, 4>(int*, std::vector<int>)", "scan"),
        ("void a::b<(c)3, d<e>>(void (*)(int))", "b"),
    ],
)
def test_the_plain_name_is_the_one_in_the_source(full: str, plain: str) -> None:
    assert plain_name(full) == plain


def test_a_kernel_goes_by_three_names() -> None:
    names = [KernelName.of("_Z5twicePf"), KernelName.of("other")]
    for wanted in ("_Z5twicePf", "twice(float*)", "twice"):
        assert kernels.select(names, wanted, "a.cu") == names[:1]
    assert kernels.select(names, None, "a.cu") == names
    with pytest.raises(Diagnostic) as caught:
        kernels.select(names, "trice", "a.cu")
    assert "    twice(float*)\n    other" in str(caught.value)


# -- CUDA files -------------------------------------------------------------------------------------------------------


def test_the_ir_of_a_template_s_instances_parses_back(capsys: pytest.CaptureFixture[str]) -> None:
    assert main.main(["ir", "a.cu", "--kernel", "reversed"]) == 0
    texts = capsys.readouterr().out.split("// void tools::")[1:]
    heads = sorted(text.split("\n")[0] for text in texts)
    assert heads == ["reversed<double>(double*, int)", "reversed<int>(int*, int)"]
    for text in texts:
        verify(parse_function("//" + text), "split")


def test_after_import_it_is_a_control_flow_graph_made_with_the_flags(capsys: pytest.CaptureFixture[str]) -> None:
    assert ir.main(["a.cu", "--kernel", "extra", "--after", "import", "-DEXTRA=77"]) == 0
    out = capsys.readouterr().out
    assert parse_function(out).blocks
    assert "store 77:i32" in out


def test_all_shows_every_pass_and_says_which_changed_nothing(capsys: pytest.CaptureFixture[str]) -> None:
    assert ir.main(["a.cu", "--kernel", "twice", "--all", "--off-pass", "unroll"]) == 0
    out = capsys.readouterr().out
    assert "// ---- after import\nkernel" in out
    assert "// ---- after structure\nkernel" in out
    assert "// ---- after eliminate_barriers (unchanged)\n" in out
    assert "// ---- after unroll (off)\n" in out


def test_an_unknown_pass_is_answered_with_the_passes() -> None:
    with pytest.raises(Diagnostic, match="no pass is called 'unrool'") as caught:
        ir.main(["a.cu", "--after", "unrool"])
    assert "did you mean 'unroll'? passes: import, structure, " in str(caught.value)


def test_a_file_without_kernels_says_so() -> None:
    Path("empty.cu").write_text("int main() {}")
    with pytest.raises(Diagnostic, match="no kernels"):
        ir.main(["empty.cu"])


def test_a_mistake_in_the_source_is_the_compilers_to_tell(capfd: pytest.CaptureFixture[str]) -> None:
    Path("bad.cu").write_text("__global__ void k() { x = 1; }")
    assert main.main(["ir", "bad.cu"]) == 1
    assert "use of undeclared identifier 'x'" in capfd.readouterr().err


# -- IR files ---------------------------------------------------------------------------------------------------------


def test_a_kernel_as_imported_runs_through_the_pipeline(capsys: pytest.CaptureFixture[str]) -> None:
    assert ir.main(["k.ir"]) == 0
    verify(parse_function(capsys.readouterr().out), "split")


def test_one_pass_runs_by_itself(capsys: pytest.CaptureFixture[str]) -> None:
    assert ir.main(["k.ir", "--pass", "structure"]) == 0
    structured = capsys.readouterr().out
    assert not parse_function(structured).blocks
    # what is structured already is shown as it is
    Path("s.ir").write_text(structured)
    assert ir.main(["s.ir"]) == 0
    assert capsys.readouterr().out == structured


def test_a_reproducer_is_replayed_from_the_pass_that_broke(capsys: pytest.CaptureFixture[str]) -> None:
    ir.main(["k.ir", "--pass", "structure"])
    text = capsys.readouterr().out
    Path("crash.ir").write_text(f"{MAGIC}\n// pass: merge_parallel\n// off: unroll\n{text}")
    assert ir.main(["crash.ir", "--all"]) == 0
    labels = [line for line in capsys.readouterr().out.splitlines() if line.startswith("// ----")]
    assert labels[0] == "// ---- after import"
    assert labels[1].startswith("// ---- after merge_parallel")


def test_a_mistake_in_an_ir_file_has_a_line(capsys: pytest.CaptureFixture[str]) -> None:
    Path("bad.ir").write_text(KERNEL.replace("store %tx", "store %nowhere"))
    assert main.main(["ir", "bad.ir"]) == 1
    assert capsys.readouterr().err.startswith("bad.ir:4: error: ")


def test_compiler_flags_do_not_go_with_ir_files() -> None:
    with pytest.raises(Diagnostic, match="'-DX' does not go"):
        ir.main(["k.ir", "-DX"])
    with pytest.raises(Diagnostic, match="--pass goes with a"):
        ir.main(["a.cu", "--pass", "structure"])


# -- explain ----------------------------------------------------------------------------------------------------------


def test_explain_tells_of_the_barrier_and_of_where_it_went(capsys: pytest.CaptureFixture[str]) -> None:
    assert explain.main(["a.cu", "--verbose"]) == 0
    paragraphs = capsys.readouterr().out.split("\n\n")
    assert len(paragraphs) == 3
    (reversed_int,) = [text for text in paragraphs if text.startswith("void tools::reversed<int>(int*, int)\n")]
    assert "  engine: loom\n" in reversed_int
    assert "  barriers: 1 in the code, 0 after split_barriers\n" in reversed_int
    assert "  loops: 2 over threads, 2 of them by vectors; 0 over warps\n" in reversed_int
    (twice,) = [text for text in paragraphs if text.startswith("twice(float*)\n")]
    assert "  barriers: none\n" in twice
    assert "  loops: 1 over threads, 1 of them by vectors; 0 over warps\n" in twice


def test_explain_tells_why_a_kernel_falls_back(capsys: pytest.CaptureFixture[str]) -> None:
    assert explain.main(["a.cu", "--kernel", "reversed", "--off-pass", "split_barriers", "--verbose"]) == 0
    assert "  engine: reference: pass split_barriers is switched off\n" in capsys.readouterr().out


def test_explain_shows_each_loop_over_vectors_and_why_it_gathers(capsys: pytest.CaptureFixture[str]) -> None:
    Path("g.cu").write_text("""
#pragma warploom width(8)
__global__ void g(float *p, const int *at) { p[threadIdx.x] = p[at[threadIdx.x]]; }
""")
    assert explain.main(["g.cu", "--block", "64", "--verbose"]) == 0
    out = capsys.readouterr().out
    assert "  vectors: g.cu:3: 8 threads (#pragma); 2 contiguous, 1 gather; no masks; spills 0 bytes" in out
    assert "    g.cu:3: gather: p: the index is loaded at line 3\n" in out
    assert explain.main(["g.cu", "--width", "32", "--json"]) == 0
    (kernel,) = json.loads(capsys.readouterr().out)
    (vectors,) = kernel["vectors"]
    assert (vectors["width"], vectors["jam"], vectors["line"], vectors["masked_tail"]) == (32, 1, 3, True)
    assert vectors["accesses"]["gather"] == 1
    assert vectors["reasons"][0]["text"] == "p: the index is loaded at line 3"
    assert kernel["engine"] == "loom"


def test_explain_begins_with_three_lines_of_how_it_runs_what_costs_and_what_to_change(
    capsys: pytest.CaptureFixture[str],
) -> None:
    Path("s.cu").write_text("""
#pragma warploom width(8)
__global__ void g(float *p, const int *at) { p[threadIdx.x] = p[at[threadIdx.x]]; }
__global__ void named(int *p) {
  asm volatile("bar.sync 1, 32;");
}
""")
    assert explain.main(["s.cu", "--html", "s.html"]) == 0
    assert (
        capsys.readouterr().out
        == """g(float*, int const*)
  runs: 8 threads at a time, as vectors; blocks on all processors
  costs most: s.cu:3, nearly all of the time: `p` is read element by element, because the index is loaded at line 3
  to change: order the data so that neighbouring threads find neighbouring indices

named(int*)
  runs: each thread by itself, on the reference engine: right, but tens to hundreds of times slower
  costs most: line 5: waits at a named barrier
  to change: rewrite that line, and look again; `warploom suite` and WARPLOOM_COMPARE check the result
"""
    )
    text = Path("s.html").read_text()
    assert text.count("<details>") == 2
    assert "engine: loom" in text


def test_explain_as_json_gives_the_place_of_a_fallback(capsys: pytest.CaptureFixture[str]) -> None:
    Path("spin.cu").write_text('__global__ void s() {\n  asm volatile("bar.sync 1, 32;");\n}\n')
    assert explain.main(["spin.cu", "--json"]) == 0
    (kernel,) = json.loads(capsys.readouterr().out)
    assert kernel["engine"] == "reference"
    assert kernel["reason"]["line"] == 2


@pytest.mark.parametrize(
    ("flag", "message"), [("--width=3", "--width=3 is no power"), ("--block=0", "is no block size")]
)
def test_explain_refuses_what_cannot_be(flag: str, message: str) -> None:
    with pytest.raises(Diagnostic, match=message):
        explain.main(["a.cu", flag])


# -- block sizes ------------------------------------------------------------------------------------------------------


def test_ir_says_which_variants_there_are_and_shows_one(capsys: pytest.CaptureFixture[str]) -> None:
    words = ["a.cu", "--kernel", "reversed", "--after", "specialise-launch"]
    assert ir.main(words) == 0
    generic = capsys.readouterr().out
    assert "program is seen to make: --block 64,1,1\n" in generic
    assert "block %bdx, %bdy, %bdz @" in generic
    assert ir.main([*words, "--block", "64"]) == 0
    variant = capsys.readouterr().out
    assert "block 64:i32, 1:i32, 1:i32 @" in variant
    assert "not seen" not in variant


def test_ir_shows_a_variant_that_the_compiler_does_not_make_and_says_so(capsys: pytest.CaptureFixture[str]) -> None:
    assert ir.main(["a.cu", "--kernel", "twice", "--block=16,2", "--after", "specialise-launch"]) == 0
    text = capsys.readouterr().out
    assert "not seen to launch blocks of this size" in text
    assert "block 16:i32, 2:i32, 1:i32 @" in text


@pytest.mark.parametrize("size", ["", "x", "16,16,16", "1,2,3,4", "0", "-1"])
def test_a_size_that_no_block_has_is_a_mistake(size: str) -> None:
    with pytest.raises(Diagnostic, match="is no block size"):
        ir.main(["a.cu", f"--block={size}"])


def test_block_sizes_do_not_go_with_ir_files() -> None:
    with pytest.raises(Diagnostic, match="'--block' does not go"):
        ir.main(["k.ir", "--block", "64"])


def test_explain_lists_what_differs_for_the_block_sizes_of_launches(capsys: pytest.CaptureFixture[str]) -> None:
    assert explain.main(["a.cu", "--verbose"]) == 0
    paragraphs = capsys.readouterr().out.split("\n\n")
    with_variant = [text for text in paragraphs if "  for blocks of 64 x 1 x 1:" in text]
    assert {text.partition("<")[0] for text in with_variant} == {"void tools::reversed"}
    for text in with_variant:  # nothing is said twice
        lines = [line.strip() for line in text.splitlines()]
        assert len(lines) == len(set(lines))
