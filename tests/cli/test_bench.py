# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""`warploom bench`: the programs of every workload agree with the scalar computation; what is printed; what goes wrong.

All at sizes of a few thousand elements: the numbers mean nothing here.
"""

from __future__ import annotations

import json
import shutil
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from warploom.cli import bench as cli_bench
from warploom.cli import main
from warploom.diagnostics import Diagnostic
from warploom.measure import builds, peers, report, runs, workloads
from warploom.measure.runs import Plan, Programs, Result, Roofline, RunFailed, Sample
from warploom.measure.workloads import WORKLOADS, select
from warploom.toolchain import find_toolchain

QUICK = ["--quick", "--rounds", "1", "--seconds", "0.002"]
KEYS = {"name", "cores", "ratio", "ours_s", "openmp_s", "rate", "unit", "fraction_of_roofline", "width", "jam"}
SAMPLE = Sample(seconds=2.0, flops=8e9, bytes=1e9, footprint=1e6, writes=True)


def bench(*words: str) -> int:
    return main.main(["bench", *QUICK, *words])


def table_names(text: str) -> list[str]:
    rows = [line.split("|")[1].strip() for line in text.splitlines() if line.startswith("| ")]
    return rows[1:-1]


# --- the programs ----------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("workload", WORKLOADS, ids=lambda workload: workload.name)
def test_both_programs_of_a_workload_are_right(workload: workloads.Workload, capsys: pytest.CaptureFixture[str]):
    assert bench(workload.name, "-march=x86-64-v3", "--json") == 0
    (row,) = json.loads(capsys.readouterr().out)
    assert row.keys() == KEYS
    assert row["name"] == workload.name
    assert row["unit"] == workload.unit
    assert row["ours_s"] > 0
    assert row["openmp_s"] > 0
    assert row["ratio"] == pytest.approx(row["ours_s"] / row["openmp_s"])  # one round
    assert row["fraction_of_roofline"] > 0
    # On AVX2 vectors of spmv do not pay: threads run one after the other.
    assert (row["width"] == 1) == (workload.cuda == "spmv")
    assert row["width"] in (1, 4, 8, 16, 32, 64)
    assert row["jam"] in (1, 2, 4, 8, 16)


def test_what_a_launch_costs(capsys: pytest.CaptureFixture[str]):
    assert bench("--launch-cost", "-march=x86-64-v3") == 0
    rows = [line.split("|")[1:-1] for line in capsys.readouterr().out.splitlines() if line.startswith("| ")]
    names = [cell.strip() for cell in rows[0]]
    assert names[:3] == ["threads", "launch", "Warploom"]
    assert [row[0].strip() for row in rows[1:]] == [n for n in ("1", "2,048", "65,536", "1,048,576") for _ in range(3)]
    assert all(float(cell) > 0 for row in rows[1:] for cell in row[2:])


def test_what_streams_gain(capsys: pytest.CaptureFixture[str]):
    assert bench("--streams", "-march=x86-64-v3") == 0
    rows = [line.split("|")[1:-1] for line in capsys.readouterr().out.splitlines() if line.startswith("| ")][1:]
    assert {row[0].strip() for row in rows} == {"5", "7", "15", "65", "300", "10,000"}
    assert all(float(row[2].removesuffix(" times ")) > 0 and float(row[3]) > 0 for row in rows)


def test_another_march_and_flags_for_warpcc(capsys: pytest.CaptureFixture[str]):
    assert bench("saxpy-cache", "-march=x86-64-v2", "--engine=reference", "-lineinfo", "--json=-") == 0
    out, err = capsys.readouterr()
    (row,) = json.loads(out)
    assert row["name"] == "saxpy-cache"
    assert (row["width"], row["jam"]) == (None, None), "the reference engine has no vectors"
    assert "-march=x86-64-v2" in err


@pytest.fixture
def own_sources(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A copy of the programs that a test may break."""
    folder = shutil.copytree(workloads.source_folder(), tmp_path / "programs")
    monkeypatch.setattr(builds, "source_folder", lambda: folder)
    return folder


def edit(path: Path, old: str, new: str) -> None:
    text = path.read_text()
    assert old in text
    path.write_text(text.replace(old, new))


def test_a_wrong_result_is_named(own_sources: Path, capsys: pytest.CaptureFixture[str]):
    edit(own_sources / "saxpy.cu", "a * x[i] + y[i]", "a * x[i] - y[i]")
    assert bench("saxpy-cache", "-march=x86-64-v3") == 1
    assert "saxpy-cache: the CUDA program's result is wrong: error" in capsys.readouterr().err


def test_a_program_that_does_not_compile_is_named(own_sources: Path, capsys: pytest.CaptureFixture[str]):
    edit(own_sources / "saxpy.cu", "blockIdx.x", "blockIdx.nothing")
    assert bench("saxpy-cache", "-march=x86-64-v3") == 1
    assert "saxpy-cache: does not compile" in capsys.readouterr().err


def test_after_a_failure_the_others_still_run(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]):
    def compare(workload: workloads.Workload, *_: Any) -> Result:
        if workload.name == "saxpy-cache":
            raise RunFailed("no result")
        return Result(workload.name, 1, 0.5, 1, 2, 1, "GB/s", 0.5)

    monkeypatch.setattr(cli_bench, "compare", compare)
    assert bench("saxpy-*", "-march=x86-64-v3") == 1
    out, err = capsys.readouterr()
    assert "saxpy-cache: no result" in err
    assert table_names(out) == ["saxpy-memory"]


# --- the command -----------------------------------------------------------------------------------------------------


def test_list_names_18_workloads(capsys: pytest.CaptureFixture[str]):
    assert main.main(["bench", "--list"]) == 0
    names = capsys.readouterr().out.split()
    assert len(names) == len(set(names)) == 18


def test_globs_choose_workloads():
    assert [each.name for each in select(["spmv-*", "nbody"])] == ["nbody", "spmv-regular", "spmv-power", "spmv-short"]


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (["no-such"], "no workload 'no-such'"),
        (["-march=pentium"], "-march=pentium is unknown"),
        (["--engine=gpu"], "no engine 'gpu'"),
        (["--cores=4096"], "this process may use"),
    ],
)
def test_mistakes_are_told_before_anything_is_built(words: list[str], message: str, capsys: pytest.CaptureFixture[str]):
    assert bench(*words) == 2
    assert message in capsys.readouterr().err


# --- the numbers -----------------------------------------------------------------------------------------------------


def test_the_ratio_is_the_median_of_the_rounds():
    rounds = [{"CUDA": replace(SAMPLE, seconds=ours), "OpenMP": SAMPLE} for ours in (3.0, 1.0, 20.0)]
    found = runs.summary(WORKLOADS[2], 1, rounds, [Roofline(8e9, 1e9, 1e9)] * 3)
    assert found.ratio == 1.5
    assert found.rate == pytest.approx(8 / 3)  # GFLOP/s
    assert found.fraction_of_roofline == pytest.approx(1 / 3)


def test_the_roofline_is_the_slower_of_computing_and_moving():
    roof = Roofline(flops=16e9, read=4e9, update=2e9)
    assert roof.seconds(SAMPLE) == 0.5
    assert roof.seconds(replace(SAMPLE, flops=0)) == 0.5
    assert roof.seconds(replace(SAMPLE, flops=0, writes=False)) == 0.25


def test_programs_that_did_different_work_are_no_pair():
    with pytest.raises(RunFailed, match="the OpenMP program does other work"):
        runs.check_same_work({"CUDA": SAMPLE, "OpenMP": replace(SAMPLE, bytes=2e9)})


def test_the_first_program_changes_from_round_to_round(monkeypatch: pytest.MonkeyPatch):
    order: list[str] = []

    def run(name: str, *_: Any) -> dict[str, Any]:
        order.append(name.removeprefix("the ").removesuffix(" program"))
        if "probe" in name:
            return {"flops": 1.0, "read": 1.0, "update": 1.0}
        told = {"flops": 1.0, "bytes": 1.0, "footprint": 1.0, "writes": True, "right": True, "error": 0, "bound": 0}
        return {"seconds": 1.0, **told}

    monkeypatch.setattr(runs, "run", run)
    plan = Plan(rounds=2, seconds=1, cores=runs.available_cores(1))
    runs.compare(WORKLOADS[0], Programs(["ours"], ["openmp"], Path("probe")), plan)
    assert [name for name in order if "probe" not in name] == ["CUDA", "OpenMP", "OpenMP", "CUDA"]


def test_a_program_that_crashes_is_told():
    plan = Plan(rounds=1, seconds=1, cores=runs.available_cores(1))
    with pytest.raises(RunFailed, match="the CUDA program ended with status 3: gone"):
        runs.sample("CUDA", ["/bin/sh", "-c", "echo gone >&2; exit 3"], plan)


def test_the_table_ends_with_the_geometric_mean():
    results = [Result(name, 1, ratio, 1, 1, 1, "GB/s", 0.5) for name, ratio in (("nbody", 0.5), ("hotspot", 2.0))]
    assert report.footing(results, ()).split("|")[1:3] == [f" {'geometric mean':<17} ", "       1 "]


def test_several_numbers_of_cores_have_a_table_together():
    times = {
        ("nbody", 1): (0.5, 4e-3),
        ("nbody", 2): (0.4, 2.2e-3),
        ("nbody", 4): (0.2, 2.4e-3),
        ("hotspot", 2): (1, 1),
    }
    results = [Result(name, n, ratio, ours, 1, 1, "GB/s", 0.5) for (name, n), (ratio, ours) in times.items()]
    assert report.by_cores(results).splitlines() == [
        "| cores | 1 | 2 | 4 |",
        "|---|---:|---:|---:|",
        "| nbody | 0.5 (4 ms) | 0.4 (2.2 ms) | 0.2 (2.4 ms) |",
        "| hotspot |  | 1 (1000 ms) |  |",
        "| geometric mean | 0.5 | 0.632 | 0.2 |",
        "",
        "longer on more cores than on fewer: nbody on 4: 1.09 times that on 2",
    ]
    assert cli_bench.positives("1,2,16") == [1, 2, 16]


def test_several_cores_need_an_openmp_runtime(monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(builds, "OPENMP_RUNTIMES", ())
    builder = builds.Builder(find_toolchain())
    assert "-fopenmp-simd (no libomp found" in cli_bench.preamble(builder, Plan(1, 1, cores=(0,)))
    with pytest.raises(Diagnostic, match="no OpenMP runtime"):
        cli_bench.preamble(builder, Plan(1, 1, cores=(0, 1)))


# --- peers -----------------------------------------------------------------------------------------------------------


def test_a_peer_that_fails_is_left_out(monkeypatch: pytest.MonkeyPatch):
    def sample(name: str, *_: Any) -> Sample:
        if name == "broken":
            raise RunFailed("no result")
        return replace(SAMPLE, seconds=4.0) if name == "slow" else SAMPLE

    def roofline(*_: Any) -> Roofline:
        return Roofline(1, 1, 1)

    monkeypatch.setattr(runs, "sample", sample)
    monkeypatch.setattr(runs, "roofline", roofline)
    plan = Plan(rounds=1, seconds=1, cores=runs.available_cores(1))
    programs = Programs(["ours"], ["openmp"], Path("probe"), {"broken": ["a"], "slow": ["b"]})
    assert runs.compare(WORKLOADS[0], programs, plan).peers == {"slow": 0.5}


def test_the_roofline_is_measured_right_after_the_cuda_program(monkeypatch: pytest.MonkeyPatch):
    """A neighbour who comes or goes while a peer runs must not count for one of the two alone."""
    seen: list[str] = []

    def sample(name: str, *_: Any) -> Sample:
        seen.append(name)
        return SAMPLE

    def roofline(*_: Any) -> Roofline:
        seen.append("probe")
        return Roofline(1, 1, 1)

    monkeypatch.setattr(runs, "sample", sample)
    monkeypatch.setattr(runs, "roofline", roofline)
    programs = Programs(["ours"], ["openmp"], Path("probe"))
    runs.compare(WORKLOADS[0], programs, Plan(rounds=2, seconds=1, cores=runs.available_cores(1)))
    assert seen == ["CUDA", "probe", "OpenMP", "OpenMP", "CUDA", "probe"]


def test_without_peers_a_line_says_so(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]):
    def find(*_: Any) -> tuple[list[peers.Peer], str]:
        return [], "no OpenCL loader"

    monkeypatch.setattr(peers, "find", find)
    assert bench("saxpy-cache", "-march=x86-64-v3", "--peers", "--json") == 0
    out, err = capsys.readouterr()
    assert "no peers: no OpenCL loader" in err
    assert json.loads(out)[0]["peers"] == {}


def test_a_driver_is_registered_for_the_loader(tmp_path: Path):
    driver = tmp_path / "libdriver.so"
    driver.touch()
    folder = tmp_path / "vendors"
    folder.mkdir()
    assert peers.environment([driver], folder, 2)["OCL_ICD_VENDORS"] == str(folder)
    assert f"{driver}\n" in [path.read_text() for path in folder.iterdir()]
    with pytest.raises(Diagnostic, match="no such OpenCL driver"):
        peers.environment([tmp_path / "absent.so"], folder, 2)


@pytest.mark.parametrize("workload", WORKLOADS, ids=lambda workload: workload.name)
def test_every_workload_has_an_opencl_kernel(workload: workloads.Workload):
    folder = workloads.source_folder() / "opencl"
    assert (folder / f"{workload.cuda}.cl").is_file()
    assert f'"{workload.cuda}"' in (folder / "opencl.cpp").read_text()
