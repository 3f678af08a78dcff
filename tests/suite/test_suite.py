# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""`warploom suite` from end to end, over programs that are shell scripts: no compiler is needed."""

from __future__ import annotations

import json
import os
import time
from pathlib import Path

import pytest

from warploom.cli.main import main
from warploom.pipeline import optional_passes
from warploom.suite.process import run_shell
from warploom.suite.workspace import lay_out, make_tools

HEADING = "id\trepo\tdir\tbuild\trun\texpect\tfeatures\tnote\n"
BUILD = "cp program.sh $EXE && chmod +x $EXE"


class Bench:
    """A list, its checkouts and golden files in a scratch folder."""

    def __init__(self, root: Path) -> None:
        self.root = root
        self.lines: list[str] = []
        (root / "suites" / "repo").mkdir(parents=True)
        (root / "golden").mkdir()

    def add(self, name: str, script: str, *, expect: str = "rc=0", run: str = "$EXE", build: str = BUILD) -> None:
        folder = self.root / "suites" / "repo" / name
        folder.mkdir()
        (folder / "program.sh").write_text(f"#!/bin/sh\n{script}\n")
        self.lines.append(f"{name}\to/r\trepo/{name}\t{build}\t{run}\t{expect}\t\t\n")

    def run(self, *options: str) -> int:
        path = self.root / "list.tsv"
        path.write_text(HEADING + "".join(self.lines))
        return main(["suite", str(path), "--suites", str(self.root / "suites"), *options])

    def rows(self, *options: str) -> dict[str, dict[str, object]]:
        self.run("--json", str(self.root / "out.json"), *options)
        document = json.loads((self.root / "out.json").read_text())
        return {row["name"]: row for row in document["programs"]}


@pytest.fixture
def bench(tmp_path: Path) -> Bench:
    return Bench(tmp_path)


def test_all_right(bench: Bench, capsys: pytest.CaptureFixture[str]) -> None:
    bench.add("one", "echo ok", expect="has=ok")
    bench.add("two", "exit 4", expect="rc=4")
    assert bench.run() == 0
    lines = capsys.readouterr().out.splitlines()
    assert lines[0].split(" | ")[0].strip() == "id"
    assert lines[-1] == "2 of 2 right"
    assert len(lines) == 4


def test_each_way_to_fail_is_a_row(bench: Bench, capsys: pytest.CaptureFixture[str]) -> None:
    bench.add("right", "echo ok", expect="has=ok")
    bench.add("wrong", "echo no", expect="has=ok")
    bench.add("crash", "echo last words >&2; kill -SEGV $$")
    bench.add("slow", "sleep 60")
    bench.add("unbuilt", "", build="echo 'a.cu:3: error: bad' >&2; false")
    bench.add("nothing", "", build="true")
    bench.add("golden", "echo x", expect="lines=none")
    bench.lines.append("gone\to/r\trepo/gone\ttrue\ttrue\trc=0\t\t\n")
    rows = bench.rows("--timeout", "1", "--jobs", "3")
    assert {name: row["verdict"] for name, row in rows.items()} == {
        "right": "right",
        "wrong": "wrong",
        "crash": "crash",
        "slow": "time-out",
        "unbuilt": "not built",
        "nothing": "not built",
        "golden": "missing",
        "gone": "missing",
    }
    assert rows["unbuilt"]["reason"] == "a.cu:3: error: bad"
    assert rows["crash"]["reason"] == "Segmentation fault: last words"
    assert rows["slow"]["reason"] == "killed after 1 s"
    assert "1 of 8 right; 1 wrong, 1 crash, 1 time-out, 2 not built, 2 missing" in capsys.readouterr().out


def test_wrong_gives_exit_status_1(bench: Bench) -> None:
    bench.add("wrong", "exit 1")
    assert bench.run() == 1


def test_environment_of_the_lines(bench: Bench) -> None:
    (bench.root / "data").mkdir()
    (bench.root / "support").mkdir()
    (bench.root / "support" / "x.txt").write_text("support file")
    bench.add(
        "env",
        'echo "$DATA"; cat "$SUPPORT/x.txt"; echo "$WARPLOOM_ENGINE"; ls "$SUITES"; pwd; command -v nvcc',
        expect="has=support file;has=loom;has=^repo$;has=tools/nvcc$",
        run="$EXE && test -x $EXE",
    )
    assert bench.rows()["env"]["verdict"] == "right"


def test_programs_do_not_write_into_the_checkouts(bench: Bench) -> None:
    bench.add("writer", "echo new > result.txt; echo changed >> program.sh; cat result.txt", expect="has=new")
    before = (bench.root / "suites/repo/writer/program.sh").read_text()
    assert bench.rows()["writer"]["verdict"] == "right"
    assert (bench.root / "suites/repo/writer/program.sh").read_text() == before
    assert not (bench.root / "suites/repo/writer/result.txt").exists()


def test_relative_paths_lead_to_the_neighbours(bench: Bench) -> None:
    (bench.root / "suites" / "data").mkdir()
    (bench.root / "suites" / "data" / "in.txt").write_text("input")
    bench.add("reader", "cat ../../data/in.txt ../../repo/other/program.sh", expect="has=input;has=neighbour")
    bench.add("other", "echo neighbour")
    assert bench.rows()["reader"]["verdict"] == "right"


def test_golden_numbers(bench: Bench) -> None:
    (bench.root / "golden" / "g.txt").write_text("1.0 2.0\n")
    bench.add("close", "echo 1.0001 2", expect="numbers=g~1e-3")
    bench.add("far", "echo 1.1 2", expect="numbers=g~1e-3")
    rows = bench.rows()
    assert (rows["close"]["verdict"], rows["far"]["verdict"]) == ("right", "wrong")


def test_keep(bench: Bench, tmp_path: Path) -> None:
    bench.add("kept", "echo out; echo err >&2")
    bench.run("--keep", str(tmp_path / "kept"))
    assert (tmp_path / "kept/kept/run.out").read_text() == "out\n"
    assert (tmp_path / "kept/kept/run.err").read_text() == "err\n"
    assert bench.run("--keep", str(tmp_path / "kept")) == 2  # not into an old run's files


def test_only(bench: Bench, capsys: pytest.CaptureFixture[str]) -> None:
    bench.add("a1", "exit 1")
    bench.add("b1", "exit 0")
    assert bench.run("--only", "b*") == 0
    assert bench.run("--only", "c*") == 2
    assert "no program is called 'c*'" in capsys.readouterr().err


def test_no_suites_is_a_mistake(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.delenv("SUITES", raising=False)
    (tmp_path / "l.tsv").write_text(HEADING)
    assert main(["suite", str(tmp_path / "l.tsv")]) == 2
    assert main(["suite", str(tmp_path / "l.tsv"), "--suites", str(tmp_path / "none")]) == 2


def test_time_out_kills_the_whole_group(tmp_path: Path) -> None:
    begin = time.monotonic()
    done = run_shell(
        "sleep 300 & echo $! > child; wait",
        folder=tmp_path,
        environment=os.environ,
        limit=0.5,
        log=tmp_path / "log",
    )
    assert done.timed_out
    assert time.monotonic() - begin < 10
    assert wait_until_gone(int((tmp_path / "child").read_text()))


def test_child_left_behind_does_not_hold_up(tmp_path: Path) -> None:
    begin = time.monotonic()
    done = run_shell(
        "sleep 300 & echo $! > child", folder=tmp_path, environment=os.environ, limit=100, log=tmp_path / "log"
    )
    assert (done.timed_out, done.returncode) == (False, 0)
    assert time.monotonic() - begin < 10
    assert wait_until_gone(int((tmp_path / "child").read_text()))


def test_large_files_are_linked(tmp_path: Path) -> None:
    folder = tmp_path / "suites" / "a" / "b"
    folder.mkdir(parents=True)
    with (folder / "big").open("wb") as stream:
        stream.truncate(65 << 20)
    (folder / "small").write_text("x")
    (tmp_path / "suites" / "a" / "beside").write_text("y")
    workspace = lay_out(tmp_path / "scratch", tmp_path / "suites", "a/b")
    assert (workspace.folder / "big").is_symlink()
    assert not (workspace.folder / "small").is_symlink()
    assert (workspace.folder / "../beside").read_text() == "y"


def test_tools_are_this_installation(tmp_path: Path) -> None:
    tools = make_tools(tmp_path / "tools")
    assert {path.name for path in tools.iterdir()} == {"nvcc", "warpcc"}
    assert all(os.access(path, os.X_OK) for path in tools.iterdir())


def wait_until_gone(pid: int) -> bool:
    """Whether a killed process, which its new parent has yet to collect, is no longer running."""
    for _ in range(100):
        try:
            state = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0]
        except FileNotFoundError:
            return True
        if state == "Z":
            return True
        time.sleep(0.05)
    return False


def test_builds_with_more_flags_are_rows_of_their_own(bench: Bench, capsys: pytest.CaptureFixture[str]) -> None:
    build = 'echo "echo ${NVCC_APPEND_FLAGS:-none}" > $EXE && chmod +x $EXE'
    bench.add("one", "", build=build, expect="has=none|unroll|4$")
    bench.add("two", "", build=build, expect="not=unroll")
    assert bench.run("--off-passes", "unroll", "--flags", "--width 4") == 1
    assert capsys.readouterr().out.splitlines()[-4:] == [
        "as it is: 2 of 2 right",
        "--off-pass=unroll: 1 of 2 right; 1 wrong",
        "--width 4: 2 of 2 right",
        "5 of 6 right; 1 wrong",
    ]


def test_more_flags_go_behind_those_of_the_environment(bench: Bench, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("NVCC_APPEND_FLAGS", "-target=x")
    build = "echo \"echo '$NVCC_APPEND_FLAGS'\" > $EXE && chmod +x $EXE"
    bench.add("one", "", build=build, expect="has=^-target=x( --width 4)?$")
    assert bench.run("--flags", "--width 4") == 0


def test_each_pass_off(bench: Bench) -> None:
    bench.add("one", "true")
    bench.run("--off-passes", "each", "--json", str(bench.root / "out.json"))
    flags = [row["flags"] for row in json.loads((bench.root / "out.json").read_text())["programs"]]
    assert flags == ["", *(f"--off-pass={name}" for name in optional_passes())]


def test_a_program_has_to_be_right_under_every_seed(bench: Bench) -> None:
    bench.add("two", 'test "$WARPLOOM_SCHEDULE_SEED" != 2')
    assert bench.rows("--seeds", "none,1")["two"]["verdict"] == "right"
    row = bench.rows("--seeds", "none,1,2,3")["two"]
    assert (row["verdict"], row["reason"]) == ("wrong", "seed 2: exit status 1, not 0")


def test_a_launcher_runs_the_program(bench: Bench) -> None:
    bench.add("one", 'echo "got $1"', run="$EXE it", expect="has=^launched$;has=got it")
    launcher = bench.root / "launch it"
    launcher.write_text('#!/bin/sh\necho launched\nexec "$@"\n')
    launcher.chmod(0o755)
    assert bench.rows("--launcher", f"'{launcher}' sh")["one"]["verdict"] == "right"


def test_another_machines_programs_are_built_for_it(bench: Bench, tmp_path: Path) -> None:
    other = "riscv64" if os.uname().machine == "aarch64" else "aarch64"
    build = '(echo "$NVCC_APPEND_FLAGS"; cat "$(command -v g++)") > seen && echo cat seen > $EXE && chmod +x $EXE'
    target = f"--target={other}-linux-gnu"
    wanted = f"has={target} --sysroot={tmp_path} --width 4;has={other}-linux-gnu-g[+]+ .*-fsigned-char"
    bench.add("flags", "", build=build, expect=wanted)
    chosen = (target, f"--sysroot={tmp_path}", "--flags=--width 4", "--launcher", "sh")
    bench.rows(*chosen)
    document = json.loads((bench.root / "out.json").read_text())
    assert [row["verdict"] for row in document["programs"] if row["flags"] == "--width 4"] == ["right"]


COMPARED = """cat >&2 <<END
warploom: compare: kernel k(int*), its launch 1 (launch 1 of the program): loom and the reference engine DIFFER
  device memory at 0x1000 of 8 bytes: mismatch
own message
warploom: compare: compared 3 launches of 2 kernels (4 launches in all): $1 differ
END
exit $2
"""


@pytest.mark.parametrize(("differing", "verdict"), [(1, "wrong"), (0, "right")])
def test_a_difference_between_the_engines_is_wrong(
    bench: Bench, capsys: pytest.CaptureFixture[str], differing: int, verdict: str
) -> None:
    bench.add("one", COMPARED, run=f"$EXE {differing} {86 * differing}", expect="has=own message;not=mismatch")
    bench.add("environment", "exit $(($WARPLOOM_COMPARE))", expect="rc=7")
    rows = bench.rows("--compare", "7")
    assert rows["one"]["verdict"] == verdict
    assert rows["environment"]["verdict"] == "right"
    assert rows["one"]["compared"] == {
        "launches": 4,
        "compared": 3,
        "differing": differing,
        "lines": [
            "kernel k(int*), its launch 1 (launch 1 of the program): loom and the reference engine DIFFER "
            "device memory at 0x1000 of 8 bytes: mismatch",
            f"compared 3 launches of 2 kernels (4 launches in all): {differing} differ",
        ],
    }
    out = capsys.readouterr().out
    assert f"compared 3 of 4 launches of 2 programs: {differing} programs differ\n" in out
