# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The runtime as a wheel brings it: programs outlive the cache, carry the runtime when asked, and there is only one."""

from __future__ import annotations

import ctypes
import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from warploom import host_libraries, runtime_library
from warploom.cli.main import main as warploom
from warploom.cli.warpcc import main as warpcc
from warploom.toolchain import find_toolchain

PROGRAM = r"""
#include <cstdio>
__global__ void twice(int *x) { x[threadIdx.x] *= 2; }
#ifdef LIBRARY
extern "C" void run_twice(int *x) { twice<<<1, 4>>>(x); }
#else
extern "C" void run_twice(int *x);
int main() {
  int *x;
  cudaMalloc(&x, 4 * sizeof(int));
  int host[4] = {1, 2, 3, 4};
  cudaMemcpy(x, host, sizeof host, cudaMemcpyHostToDevice);
#ifdef WITH_LIBRARY
  run_twice(x);
#else
  twice<<<1, 4>>>(x);
#endif
  cudaMemcpy(host, x, sizeof host, cudaMemcpyDeviceToHost);
  printf("%d %d %d %d %s\n", host[0], host[1], host[2], host[3], cudaGetErrorString(cudaDeviceSynchronize()));
}
#endif
"""
EXPECTED = "2 4 6 8 no error\n"

pytestmark = pytest.mark.skipif(
    find_toolchain().standard_library == "libc++", reason="a library for all programs is built with gcc's"
)


@pytest.fixture(scope="module")
def wheel(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("wheel") / "prebuilt"
    tag = runtime_library.prebuild(folder)
    assert re.fullmatch(r"manylinux_2_\d\d_x86_64", tag)
    return folder


@pytest.fixture
def installed(wheel: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder with the program's source, where the package has the wheel's runtime and the cache is new."""
    monkeypatch.setattr(runtime_library, "PREBUILT", wheel)
    monkeypatch.setenv("WARPLOOM_CACHE_DIR", str(tmp_path / "cache"))
    monkeypatch.chdir(tmp_path)
    Path("a.cu").write_text(PROGRAM)
    return tmp_path


def _run(program: str) -> str:
    """The output of a program, in an empty environment and without the cache."""
    shutil.rmtree("cache")
    return subprocess.run([Path(program).absolute()], env={}, text=True, capture_output=True, check=True).stdout


def _symbols(file: Path, *flags: str) -> set[str]:
    out = subprocess.run(["nm", *flags, file], text=True, capture_output=True, check=True).stdout
    return {line.split()[2] for line in out.splitlines() if len(line.split()) == 3}


def test_only_cudas_names_are_visible(wheel: Path) -> None:
    ours = re.compile(r"(cu|nvJitLink|nvml|nvrtc|nvtx|__cuda|__warploom_)")
    (folder,) = wheel.iterdir()
    shared = _symbols(folder / runtime_library.LIBRARY, "-D", "--defined-only")
    joined = _symbols(folder / runtime_library.STATIC_LIBRARY, "--extern-only", "--defined-only")
    assert "cudaMalloc" in shared & joined
    assert [name for name in shared | joined if not ours.match(name)] == []


def test_a_program_outlives_the_cache(installed: Path) -> None:
    assert warpcc(["a.cu", "-o", "a"]) == 0
    assert not (installed / "cache" / "object").exists()  # nothing of the runtime was compiled
    assert _run("a") == EXPECTED


def test_a_toolkit_that_the_cache_has_lost_is_made_again(installed: Path) -> None:
    assert warpcc(["a.cu", "-o", "a"]) == 0
    shutil.rmtree(installed / "cache" / "toolkit")
    assert warpcc(["a.cu", "-o", "a"]) == 0
    assert _run("a") == EXPECTED


@pytest.mark.usefixtures("installed")
def test_a_library_that_the_toolkit_leads_to_finds_openblas(wheel: Path) -> None:
    """PyTorch and host compilers link with the toolkit's folder, where the libraries are links into the package."""
    openblas = host_libraries.openblas_file()
    if openblas is None:
        pytest.skip("no OpenBLAS")
    beside = wheel.parents[1] / host_libraries.OPENBLAS / "lib"  # of the package that `wheel` is a folder of
    lib = runtime_library.toolkit(find_toolchain()) / "lib64"
    assert (lib / openblas.name).readlink() == beside / openblas.name
    beside.mkdir(parents=True)
    (beside / openblas.name).symlink_to(openblas)
    try:
        create = "import ctypes; print(ctypes.CDLL('libcublas.so').cublasCreate_v2(ctypes.byref(ctypes.c_void_p())))"
        command = [sys.executable, "-c", create.replace("libcublas.so", str(lib / "libcublas.so"))]
        done = subprocess.run(command, text=True, capture_output=True, check=True)
    finally:
        shutil.rmtree(beside.parent)
    assert done.stdout == "0\n"


@pytest.mark.usefixtures("installed")
def test_a_bundle_needs_no_install(wheel: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert warpcc(["a.cu", "-o", "a"]) == 0
    assert warploom(["bundle", "a", "--to", "away"]) == 0
    assert sorted(path.name for path in Path("away").iterdir()) == ["a", "libwarploom.so"]
    capsys.readouterr()
    assert warploom(["bundle", "a", "--to", "away"]) == 0  # once more
    hidden = wheel.rename(wheel.with_name("hidden"))
    try:
        assert _run("away/a") == EXPECTED
    finally:
        hidden.rename(wheel)
    Path("plain").write_bytes(b"")
    assert warploom(["bundle", "plain"]) == 1
    assert "does not look for libraries beside it" in capsys.readouterr().err


def test_a_static_program_needs_no_runtime(installed: Path) -> None:
    assert warpcc(["-cudart=static", "a.cu", "-o", "a"]) == 0
    needed = subprocess.run(["readelf", "-d", installed / "a"], capture_output=True, text=True, check=True).stdout
    assert "libwarploom" not in needed
    assert _run("a") == EXPECTED


@pytest.mark.usefixtures("installed")
def test_libraries_use_the_runtime_of_a_static_program() -> None:
    assert warpcc(["-shared", "-Xcompiler", "-fPIC", "-DLIBRARY", "a.cu", "-o", "libtwice.so"]) == 0
    beside = ["-L.", "-ltwice", "-Xlinker", "-rpath", "-Xlinker", "$ORIGIN"]
    assert warpcc(["-cudart", "static", "-DWITH_LIBRARY", "a.cu", *beside, "-o", "a"]) == 0
    assert _run("a") == EXPECTED


def test_python_loads_it_beside_other_standard_libraries(wheel: Path) -> None:
    (folder,) = wheel.iterdir()
    library = ctypes.CDLL(str(folder / runtime_library.LIBRARY), mode=os.RTLD_LOCAL)
    count = ctypes.c_int()
    assert library.cudaGetDeviceCount(ctypes.byref(count)) == 0
    assert count.value >= 1
