# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""`warploom torch build-aten --wheel`: the file's format, and what is said where its kernels do not fit."""

from __future__ import annotations

import csv
import hashlib
import json
import subprocess
import sys
import zipfile
from base64 import urlsafe_b64encode
from email.parser import Parser
from pathlib import Path
from typing import Any

import pytest

from warploom import cpu
from warploom.diagnostics import Diagnostic
from warploom.torch.aten.build import installed_library
from warploom.torch.aten.wheel import wheel_version, write_wheel
from warploom.torch.build import device_key
from warploom.torch.install import Installed

TORCH = Installed(Path("nowhere"), "2.13.0+cpu", "abc", None)
VERSION = "2.13.0+warploom0.1.0.x86.64.v4.avx512vnni"
NAME = f"warploom_aten-{VERSION}-py3-none-manylinux_2_34_x86_64.whl"
INFO = f"warploom_aten-{VERSION}.dist-info"


def about(**changed: object) -> dict[str, Any]:
    made = {
        "torch": TORCH.version, "git_version": TORCH.git_version, "sources": "2.13.0", "warploom": "0.1.0",
        "device": device_key(TORCH), "cpu": "x86-64-v4+avx512vnni", "platform": "manylinux_2_34_x86_64",
        "types": ["Float", "Half"], "files": ["native/cuda/FillKernel.cu"], "operators": ["fill_.Scalar", "zero_"],
    }  # fmt: skip
    return {**made, **changed}


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """As build-aten leaves it, but for the library's code."""
    made = tmp_path / "made"
    made.mkdir()
    (made / "libwarploom_aten.so").write_bytes(b"code" * 1000)
    (made / "about.json").write_text(json.dumps(about()))
    (made / "files.tsv").write_text("native/cuda/FillKernel.cu\t1.0\t100\t\n")
    (made / "LICENSE").write_text("PyTorch's\n")
    return made


def test_files_of_a_wheel(folder: Path, tmp_path: Path) -> None:
    made = write_wheel(folder, tmp_path / "wheels" / "new")
    assert made == tmp_path / "wheels" / "new" / NAME
    assert [path.name for path in made.parent.iterdir()] == [NAME]
    with zipfile.ZipFile(made) as wheel:
        contents = {name: wheel.read(name) for name in wheel.namelist()}
    assert list(contents) == [
        f"{INFO}/licenses/LICENSE", "warploom_aten/about.json", "warploom_aten/files.tsv",
        "warploom_aten/libwarploom_aten.so", f"{INFO}/METADATA", f"{INFO}/WHEEL", f"{INFO}/RECORD",
    ]  # fmt: skip
    rows = list(csv.reader(contents[f"{INFO}/RECORD"].decode().splitlines()))
    assert rows.pop() == [f"{INFO}/RECORD", "", ""]
    for name, digest, size in rows:
        hashed = urlsafe_b64encode(hashlib.sha256(contents[name]).digest()).decode().rstrip("=")
        assert (digest, int(size)) == (f"sha256={hashed}", len(contents[name]))
    assert {name for name, _, _ in rows} == set(contents) - {f"{INFO}/RECORD"}
    said = Parser().parsestr(contents[f"{INFO}/METADATA"].decode())
    assert (said["Name"], said["Version"], said["License-File"]) == ("warploom-aten", VERSION, "LICENSE")
    assert said.get_all("Requires-Dist") == ["torch==2.13.0+cpu", "warploom==0.1.0"]
    assert "2 operators, from 1 of the CUDA files of PyTorch 2.13.0, for the types Float, Half" in said.get_payload()
    assert "Root-Is-Purelib: false\nTag: py3-none-manylinux_2_34_x86_64\n" in contents[f"{INFO}/WHEEL"].decode()


def test_the_same_folder_gives_the_same_bytes(folder: Path, tmp_path: Path) -> None:
    first = write_wheel(folder, tmp_path / "first").read_bytes()
    (folder / "about.json").touch()
    assert write_wheel(folder, tmp_path / "second").read_bytes() == first


def test_sources_without_a_license(folder: Path, tmp_path: Path) -> None:
    (folder / "LICENSE").unlink()
    with zipfile.ZipFile(write_wheel(folder, tmp_path)) as wheel:
        assert not any("LICENSE" in name for name in wheel.namelist())
        assert b"License-File" not in wheel.read(f"{INFO}/METADATA")


def test_versions_say_release_compiler_and_processor() -> None:
    assert wheel_version(about(cpu="x86-64-v3")) == "2.13.0+warploom0.1.0.x86.64.v3"
    assert wheel_version(about(torch="2.14.0", warploom="0.2.0rc1")) == "2.14.0+warploom0.2.0rc1.x86.64.v4.avx512vnni"


def test_pip_installs_it(folder: Path, tmp_path: Path) -> None:
    made = write_wheel(folder, tmp_path)
    command = [sys.executable, "-m", "pip", "install", "--no-deps", "--target", tmp_path / "site", made]
    subprocess.run(command, check=True, capture_output=True)
    installed = tmp_path / "site" / "warploom_aten"
    assert {path.name for path in installed.iterdir()} == {"about.json", "files.tsv", "libwarploom_aten.so"}
    assert json.loads((installed / "about.json").read_text()) == about()


@pytest.mark.parametrize("changed", [{"torch": "2.12.0+cpu"}, {"git_version": "b"}, {"device": "another"}])
def test_kernels_for_others_are_refused(folder: Path, changed: dict[str, str]) -> None:
    (folder / "about.json").write_text(json.dumps(about(cpu="x86-64", **changed)))
    with pytest.raises(Diagnostic, match=r"were made for PyTorch 2\.1[23]\.0\+cpu and Warploom 0\.1\.0 as it was then"):
        installed_library(TORCH, folder)


def test_kernels_for_a_better_processor_are_refused(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    flags = "pni ssse3 sse4_1 sse4_2 popcnt avx avx2 bmi1 bmi2 f16c fma abm movbe avx512f avx512bw avx512cd avx512dq"
    monkeypatch.setattr(cpu, "cpu_flags", lambda: frozenset(flags.split()))
    with pytest.raises(Diagnostic, match=r"for x86-64-v4\+avx512vnni; this processor has no avx512vl, avx512vnni"):
        installed_library(TORCH, folder)
    (folder / "about.json").write_text(json.dumps(about(cpu="x86-64-v3")))
    assert installed_library(TORCH, folder) == folder / "libwarploom_aten.so"
