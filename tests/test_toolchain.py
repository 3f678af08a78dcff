# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What a toolchain says of itself."""

from __future__ import annotations

from dataclasses import replace
from itertools import pairwise
from pathlib import Path

import pytest

from warploom import toolchain
from warploom.diagnostics import Diagnostic
from warploom.frontend.passes import SourceOptions, device_command, host_command
from warploom.target import Target


@pytest.mark.parametrize(("name", "found"), [("libomp.so.5", False), ("libomptarget.so", False), ("libomp.so", True)])
def test_openmp_takes_a_library_to_link_with(
    name: str, found: bool, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / name).touch()
    monkeypatch.setattr(toolchain, "SYSTEM_LIBRARIES", (tmp_path,))
    elsewhere = replace(toolchain.find_toolchain(), clang=tmp_path / "none" / "bin" / "clang++")
    assert elsewhere.has_openmp() is found


@pytest.fixture
def crossed(tmp_path: Path) -> toolchain.Toolchain:
    """A toolchain for AArch64 whose target's files are below `tmp_path`."""
    target = Target("aarch64-linux-gnu", tmp_path, is_host=False)
    clang = tmp_path / "none" / "bin" / "clang++"
    return replace(toolchain.find_toolchain(), clang=clang, tbb_include=None, tbb_lib=None, target=target)


def test_another_targets_openmp_is_no_library_of_this_machine(
    crossed: toolchain.Toolchain, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "libomp.so").touch()
    monkeypatch.setattr(toolchain, "SYSTEM_LIBRARIES", (tmp_path,))
    assert not crossed.has_openmp()
    (tmp_path / "usr" / "lib" / "aarch64-linux-gnu").mkdir(parents=True)
    (tmp_path / "usr" / "lib" / "aarch64-linux-gnu" / "libomp.so").touch()
    assert crossed.has_openmp()


@pytest.mark.parametrize("kind", ["gcc", "gcc-cross"])
def test_another_targets_omp_h_is_that_of_its_gcc(crossed: toolchain.Toolchain, tmp_path: Path, kind: str) -> None:
    folder = tmp_path / "usr" / "lib" / kind / "aarch64-linux-gnu" / "12"
    (folder / "include").mkdir(parents=True)
    (folder / "libgomp.so").touch()
    assert crossed.last_includes == ("-idirafter", str(folder / "include"))
    assert crossed.openmp_functions == (str(folder / "libgomp.so"),)


def test_both_passes_take_a_variadic_device_function_without_a_cuda_toolkit(tmp_path: Path) -> None:
    """clang 19 and 20 refuse the headers' printf, unless they find NVIDIA's CUDA 9 or newer, or are told."""
    found, source, out = toolchain.find_toolchain(), tmp_path / "t.cu", tmp_path / "out"
    host = host_command(found, source, out, tmp_path / "image", SourceOptions())
    for command in (host, device_command(found, source, out, SourceOptions())):
        assert "-fcuda-allow-variadic-functions" in command


def test_launches_do_not_depend_on_a_cuda_toolkit(tmp_path: Path) -> None:
    """Without NVIDIA's clang launches by the calls of CUDA before 9.2, one for each argument, unless it is told."""
    found, source = toolchain.find_toolchain(), tmp_path / "t.cu"
    source.write_text("__global__ void k(int *p) { *p = 1; }\nvoid f(int *p) { k<<<1, 1>>>(p); }\n")
    command = host_command(found, source, None, tmp_path / "image", SourceOptions())
    words = [word for word in map(str, command) if word not in ("-c", "-fsyntax-only")]
    ran = toolchain.run_tool([*words, f"--cuda-path={tmp_path}", "-###"])
    assert ran.stderr.count('"-target-sdk-version=13.0"') == 1


def test_no_folder_is_searched_where_there_is_no_tbb(crossed: toolchain.Toolchain, tmp_path: Path) -> None:
    command = host_command(crossed, tmp_path / "t.cu", None, tmp_path / "image", SourceOptions())
    assert "None" not in command


def test_both_passes_name_static_variables_alike(tmp_path: Path) -> None:
    """clang 19's driver keeps -cuid to itself; the names are then made of macros, of which the passes have others."""
    found, source, out = toolchain.find_toolchain(), tmp_path / "t.cu", tmp_path / "out"
    options = SourceOptions(separate=True, unique_id="abc")
    host = host_command(found, source, out, tmp_path / "image", options)
    for command in (host, device_command(found, source, out, options)):
        assert ("-Xclang", "-cuid=abc") in pairwise(command)


def test_a_clang_whose_links_are_missing_is_named(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The packages' own code makes them when Python starts: not for a user who may not write where root installed."""
    (tmp_path / "bin").mkdir()
    (tmp_path / "bin" / "clang-23").touch()
    monkeypatch.setattr(toolchain, "_python_prefixes", lambda: [tmp_path])
    monkeypatch.setenv("PATH", "")
    monkeypatch.delenv("WARPLOOM_CLANG", raising=False)
    with pytest.raises(Diagnostic, match="links are missing") as told:
        toolchain.find_toolchain()
    assert f"run `{tmp_path}/bin/python -c pass` once as the user who installed it" in str(told.value.hint)
