# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""`warploom sweep` over folders whose Makefiles make shell scripts: no compiler is needed."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from warploom.cli.main import main
from warploom.diagnostics import Diagnostic
from warploom.suite.sweep import missing_feature, own_check, read_notes


class Checkout:
    """Folders with Makefiles, and the list of them."""

    def __init__(self, root: Path) -> None:
        self.root = root
        self.names: list[str] = []

    def add(self, name: str, script: str, build: str = "cp program.sh program && chmod +x program") -> None:
        folder = self.root / "suites" / "repo" / name
        folder.mkdir(parents=True)
        (folder / "program.sh").write_text(f"#!/bin/sh\n{script}\n")
        (folder / "Makefile").write_text(f"program: program.sh\n\t{build}\n\nrun: program\n\t./program\n")
        self.names.append(f"repo/{name}")

    def rows(self, *options: str) -> dict[str, dict[str, object]]:
        list_, out = self.root / "list.txt", self.root / "out.json"
        list_.write_text("# folders\n" + "\n".join(self.names) + "\n")
        main(["sweep", str(list_), "--suites", str(self.root / "suites"), "--json", str(out), *options])
        return {row["name"][5:]: row for row in json.loads(out.read_text())["folders"]}


@pytest.fixture
def checkout(tmp_path: Path) -> Checkout:
    return Checkout(tmp_path)


def test_each_end_has_a_verdict_and_a_cause(checkout: Checkout) -> None:
    checkout.add("passes", "echo PASS")
    checkout.add("silent", "true")
    checkout.add("fails", "echo 'Test FAILED'")
    checkout.add("status", "exit 3")
    checkout.add("waived", "echo 'Waiving: two GPUs wanted'; exit 2")
    checkout.add("input", "echo 'cannot open big.dat'; exit 1")
    checkout.add("library", "echo 'warploom: cufftPlan1d: cuFFT is not supported yet: its calls return X' >&2; exit 1")
    checkout.add("crash", "kill -SEGV $$")
    checkout.add("slow", "sleep 60")
    checkout.add("api", "", build="echo \"a.cu:3: error: use of undeclared identifier 'cudaNew'\" >&2; false")
    checkout.add("viewer", "", build="echo \"a.cu:3: fatal error: 'GL/glut.h' file not found\" >&2; false")
    rows = checkout.rows("--timeout", "1", "--jobs", "4")
    assert {name: (row["verdict"], row["check"], row["cause"]) for name, row in rows.items()} == {
        "passes": ("right", "pass", ""),
        "silent": ("right", "none", ""),
        "fails": ("wrong", "fail", "ours"),
        "status": ("wrong", "none", "ours"),
        "waived": ("wrong", "none", "not on a CPU"),
        "input": ("wrong", "none", "data"),
        "library": ("wrong", "none", "math library"),
        "crash": ("crash", "none", "ours"),
        "slow": ("time-out", "none", "ours"),
        "api": ("not built", "none", "ours"),
        "viewer": ("not built", "none", "not on a CPU"),
    }
    assert rows["api"]["feature"] == "name cudaNew"


def test_notes_give_arguments_and_causes(checkout: Checkout, tmp_path: Path) -> None:
    checkout.add("sized", '[ "$1" = 8 ] && echo PASS')
    checkout.add("racy", "echo mismatch")
    checkout.add("large", "[ 1000 = 10 ] && echo PASS")
    notes = tmp_path / "notes.tsv"
    notes.write_text(
        "# folder, prepare, run, cause, why\nrepo/sized\t\t./program 8\nrepo/racy\t\t\tprogram\tblocks race\n"
        "repo/large\tsed -i s/1000/10/ program.sh\n"
    )
    rows = checkout.rows("--notes", str(notes))
    assert rows["sized"]["verdict"] == "right"
    assert rows["large"]["verdict"] == "right"
    assert (rows["racy"]["cause"], rows["racy"]["feature"]) == ("program", "blocks race")


def test_the_summary_counts_what_a_cpu_can_run(checkout: Checkout, capsys: pytest.CaptureFixture[str]) -> None:
    checkout.add("one", "echo PASS")
    checkout.add("two", "exit 1")
    checkout.add("viewer", "", build="echo \"fatal error: 'GL/glut.h' file not found\" >&2; false")
    checkout.rows()
    assert "repo: 3 folders, 2 possible on a CPU: 2 built (100.0 %), 1 right (50.0 %)" in capsys.readouterr().out


def test_another_compiler_is_what_make_finds(checkout: Checkout, tmp_path: Path) -> None:
    compiler = tmp_path / "other"
    compiler.write_text('#!/bin/sh\nprintf "#!/bin/sh\\necho PASS $1\\n" > program && chmod +x program\n')
    compiler.chmod(0o755)
    checkout.add("one", "", build="nvcc flag")
    assert "PASS flag" in str(checkout.rows("--nvcc", str(compiler))["one"]["stdout_tail"])


def test_a_note_finds_what_lies_beside_it(checkout: Checkout, tmp_path: Path) -> None:
    checkout.add("one", "cat input")
    (tmp_path / "made").write_text("PASS\n")
    (tmp_path / "notes.tsv").write_text("repo/one\t\tcp $SUPPORT/made input && ./program\n")
    assert checkout.rows("--notes", str(tmp_path / "notes.tsv"))["one"]["check"] == "pass"


@pytest.mark.parametrize(
    ("text", "check"),
    [
        ("Test PASSED", "pass"),
        ("Results match", "pass"),
        ("FAIL", "fail"),
        ("2 mismatches", "fail"),
        ("Error: results are incorrect", "fail"),
        ("mismatches: 0", "none"),
        ("Device assert failed as expected", "none"),
        ("0 failed, all correct", "pass"),
        ("no mismatch found", "none"),
        ("Assertion `i < n` failed.\nTest assert: OK", "pass"),
        ("Launch kernel to generate assertion failures\ndone", "none"),
        ("Device assert failed as expected\nTest assert returned OK", "pass"),
        ("time 3 ms", "none"),
    ],
)
def test_a_programs_own_check(text: str, check: str) -> None:
    assert own_check(text) == check


@pytest.mark.parametrize(
    ("reason", "feature"),
    [
        ("a.cu:1:10: fatal error: 'cub/cub.cuh' file not found", "header cub/cub.cuh"),
        ("ld.lld: error: undefined symbol: cudaNew", "symbol cudaNew"),
        ("a.cu:7:1: error: unknown type name 'curandStateNew'", "type curandStateNew"),
        ("warploom: error: unknown option '--new'", "option --new"),
        ("exit status 1: warploom: cublasCreate_v2: cuBLAS is not supported yet: its calls", "host library cuBLAS"),
    ],
)
def test_the_missing_feature_is_named(reason: str, feature: str) -> None:
    assert missing_feature(reason) == feature


def test_a_bad_note_is_named_with_its_line(tmp_path: Path) -> None:
    path = tmp_path / "notes.tsv"
    path.write_text("# head\nrepo/x\t\t\tnobody\n")
    with pytest.raises(Diagnostic, match="no cause 'nobody'"):
        read_notes(path)
