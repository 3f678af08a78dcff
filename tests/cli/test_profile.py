# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""`warploom profile`: what it counts, writes and refuses."""

from __future__ import annotations

import csv
import json
import os
import shutil
import struct
import subprocess
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest

from warploom.cli import profile, warpcc
from warploom.diagnostics import Diagnostic
from warploom.profiling.records import Event, Kind, Process, read_process
from warploom.profiling.report import seconds_text, text
from warploom.profiling.summary import gaps, summarise

SOURCE = Path(__file__).parent / "profile" / "profiled.cu"
OVERLAPPING = SOURCE.with_name("overlapping.cu")
N = 100_000
BROWSERS = ("chromium-headless-shell", "chromium", "google-chrome", "chrome-headless-shell")


@pytest.fixture(scope="module")
def program(tmp_path_factory: pytest.TempPathFactory) -> Path:
    made = tmp_path_factory.mktemp("profile") / "profiled"
    assert warpcc.main([str(SOURCE), "-o", str(made)]) == 0
    return made


@pytest.fixture(scope="module")
def outputs(program: Path) -> dict[str, Path]:
    """What one run writes, by the option that asks for it."""
    files = {option: program.with_name(f"out.{option[2:]}") for option in profile.FILES}
    words = [word for option, path in files.items() for word in (option, str(path))]
    assert profile.main([*words, "--no-roof", str(program)]) == 0
    return files


@pytest.fixture(scope="module")
def tables(outputs: dict[str, Path]) -> dict[str, Any]:
    (process,) = json.loads(outputs["--json"].read_text())
    return process


def named(rows: Sequence[dict[str, Any]], name: str) -> dict[str, Any]:
    (found,) = (row for row in rows if row["name"] == name)
    return found


def test_kernels_are_counted_and_their_work_follows_from_the_launch(tables: dict[str, Any]) -> None:
    saxpy = named(tables["kernels"], "saxpy(int, float, float const*, float*)")
    assert (saxpy["calls"], saxpy["engine"], saxpy["symbol"]) == (7, "loom", "_Z5saxpyifPKfPf")
    assert saxpy["flops"] == pytest.approx(7 * 2 * N)
    assert saxpy["bytes"] == pytest.approx(7 * 12 * N)
    assert 0 < saxpy["min_s"] <= saxpy["mean_s"] <= saxpy["max_s"] <= saxpy["total_s"] <= tables["seconds"]
    assert saxpy["total_s"] == pytest.approx(7 * saxpy["mean_s"])
    assert 1 <= saxpy["threads"] <= tables["processors"]
    assert 0 < saxpy["busy"] <= 1


def test_what_cannot_be_counted_is_unknown(tables: dict[str, Any]) -> None:
    search = named(tables["kernels"], "search(int const*, int*)")
    assert (search["calls"], search["flops"], search["gb_s"]) == (1, None, None)
    assert sum(each["share"] for each in tables["kernels"]) == pytest.approx(1)


def test_copies_have_directions_and_bytes(tables: dict[str, Any]) -> None:
    to_device, to_host = (named(tables["copies"], f"{way}") for way in ("host to device", "device to host"))
    assert (to_device["calls"], to_device["bytes"]) == (2, 4 * N + 16)
    assert (to_host["calls"], to_host["bytes"]) == (1, 4 * N)
    assert named(tables["copies"], "memset")["bytes"] == 4 * N


def test_calls_of_the_api_have_the_names_that_the_program_used(tables: dict[str, Any]) -> None:
    calls = {each["name"]: each["calls"] for each in tables["calls"]}
    assert calls["cudaMalloc"] == 3
    assert calls["cudaLaunchKernel"] == 8
    assert (calls["cudaMemcpy"], calls["cudaMemset"], calls["cudaDeviceSynchronize"]) == (3, 1, 1)
    assert "cudaMemcpyAsync" not in calls


def test_ranges_nest(tables: dict[str, Any]) -> None:
    setup, memory = (named(tables["ranges"], name) for name in ("setup", "memory"))
    assert 0 < memory["total_s"] < setup["total_s"]


def test_the_trace_has_streams_threads_and_workers_as_tracks(outputs: dict[str, Path]) -> None:
    events = json.loads(outputs["--trace"].read_text())["traceEvents"]
    groups = {each["pid"]: each["args"]["name"] for each in events if each["name"] == "process_name"}
    assert sorted(groups.values()) == ["host threads", "streams", "workers"]
    launches = [each for each in events if each.get("cat") == "launch"]
    assert {groups[each["pid"]] for each in launches} == {"streams"}
    assert len({each["tid"] for each in launches}) == 2
    assert len(launches) == 8
    assert launches[0]["args"]["grid"] == [500, 1, 1]
    parts = [each for each in events if each.get("cat") == "part" and each["name"].startswith("saxpy")]
    assert {groups[each["pid"]] for each in parts} == {"workers"}
    assert all(each["dur"] >= 0 for each in events if each["ph"] == "X")
    (mark,) = (each for each in events if each["ph"] == "i")
    assert mark["name"] == "done"


def test_a_copy_runs_beside_a_kernel_of_another_stream(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Copies of 4 MB, which take all processors that are left, within the span of a kernel of one thread."""
    program, trace = tmp_path / "overlapping", tmp_path / "trace.json"
    assert warpcc.main([str(OVERLAPPING), "-o", str(program)]) == 0
    monkeypatch.setenv("WARPLOOM_NUM_THREADS", "2")
    assert profile.main(["--no-roof", "--trace", str(trace), str(program)]) == 0
    events = json.loads(trace.read_text())["traceEvents"]
    (kernel,) = (each for each in events if each.get("cat") == "launch")
    copies = [each for each in events if each.get("cat") == "copy" and each["args"]["bytes"] == 4 << 20]
    assert len(copies) == 8
    assert kernel["tid"] not in {each["tid"] for each in copies}
    end = kernel["ts"] + kernel["dur"]
    assert [each for each in copies if kernel["ts"] < each["ts"] and each["ts"] + each["dur"] < end]


def test_the_csv_has_a_line_for_each_kernel(outputs: dict[str, Path]) -> None:
    rows = list(csv.DictReader(outputs["--csv"].open()))
    assert {row["symbol"]: row["calls"] for row in rows} == {"_Z5saxpyifPKfPf": "7", "_Z6searchPKiPi": "1"}


def test_the_page_needs_nothing_else(outputs: dict[str, Path]) -> None:
    page = outputs["--html"].read_text()
    assert "saxpy(int, float, float const*, float*)" in page
    assert "/*DATA*/" not in page
    assert not any(word in page for word in ("http://", "https://", "src=", "@import"))


def test_the_page_draws_in_a_browser(outputs: dict[str, Path]) -> None:
    browser = os.environ.get("WARPLOOM_TEST_BROWSER") or next(filter(None, map(shutil.which, BROWSERS)), None)
    if browser is None:
        pytest.skip("no headless Chromium (apt-get install chromium-headless-shell, or set WARPLOOM_TEST_BROWSER)")
    command = [browser, "--headless", "--no-sandbox", "--disable-gpu", "--dump-dom", outputs["--html"].as_uri()]
    done = subprocess.run(command, capture_output=True, text=True, timeout=120, check=False)
    assert 'data-ready="yes"' in done.stdout, done.stderr
    assert "<canvas" in done.stdout
    assert "<td>saxpy(int, float, float const*, float*)</td>" in done.stdout
    assert "<td>warploom explain FILE.cu --kernel saxpy</td>" in done.stdout


def test_the_programs_exit_status_is_passed_on(program: Path, capfd: pytest.CaptureFixture[str]) -> None:
    assert profile.main(["--no-roof", str(program), "more"]) == 3
    out, err = capfd.readouterr()
    assert out == "0\n"
    assert "kernel\n" in err
    assert "unknown" in err
    assert "warploom explain FILE.cu --kernel saxpy\n" in err
    assert "warploom explain FILE.cu --kernel search\n" in err


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["--no-roof"], "no program is named"),
        (["--wrong", "x"], "what is --wrong"),
        (["--no-roof", "./no-such-program"], "is no program that can be run"),
        (["--no-roof", "/bin/true"], "recorded nothing"),
    ],
)
def test_mistakes_are_told(arguments: list[str], message: str) -> None:
    with pytest.raises(Diagnostic, match=message):
        profile.main(arguments)


def test_a_program_that_is_not_profiled_writes_nothing(program: Path, tmp_path: Path) -> None:
    clean = {name: value for name, value in os.environ.items() if name != "WARPLOOM_PROFILE"}
    subprocess.run([program], env=clean, cwd=tmp_path, check=True, capture_output=True)
    assert list(tmp_path.iterdir()) == []


def test_a_folder_that_cannot_be_written_is_one_line(program: Path, tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    environment = dict(os.environ, WARPLOOM_PROFILE=str(tmp_path / "file"))
    done = subprocess.run([program], env=environment, check=False, capture_output=True, text=True)
    assert done.returncode == 0
    assert done.stderr.count("\n") == 1
    assert "cannot be written" in done.stderr


def test_records_that_were_cut_off_count_as_far_as_they_go(program: Path, tmp_path: Path) -> None:
    subprocess.run([program], env=dict(os.environ, WARPLOOM_PROFILE=str(tmp_path)), check=True, capture_output=True)
    (path,) = tmp_path.glob("*.profile")
    whole = path.read_bytes()
    for size in range(len(whole) // 2, len(whole), 997):
        path.write_bytes(whole[:size])
        read_process(path)
    path.write_bytes(struct.pack("=II", 1, 2))
    with pytest.raises(Diagnostic, match="holds no records"):
        read_process(path)


def event(start: float, end: float) -> Event:
    return Event(Kind.COPY, start, end, "", 1, 0, (0, 0, 0, 0, 0, 0))


def test_gaps_are_where_nothing_runs() -> None:
    found = gaps([event(1, 3), event(2, 4), event(2.5, 3), event(6, 7), event(7.5, 8)])
    assert (found.count, found.longest, found.longest_at) == (2, 2, 4)
    assert (found.busy, found.span) == (4.5, 7)
    assert gaps([]).span == 0


def test_a_process_without_kernels_has_a_report() -> None:
    process = Process(7, "/bin/app", 2, 1.5, [event(0, 1)])
    assert "profile of app (process 7): 1.5 s, 2 processors" in text(summarise(process), None)


@pytest.mark.parametrize(
    ("seconds", "expected"), [(2.5e-9, "2.5 ns"), (1.234e-4, "123 us"), (0.9996, "1e+03 ms"), (12.0, "12 s")]
)
def test_times_have_three_digits(seconds: float, expected: str) -> None:
    assert seconds_text(seconds) == expected.replace("1e+03", "1000")
