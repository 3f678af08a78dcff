# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""A plugin of pytest that runs these tests with NVIDIA's libraries on a GPU instead of this package's:

PYTHONPATH=tests/hostlibs NVIDIA_LIBRARIES=FOLDER[:FOLDER...] python -m pytest -p nvidia_libraries tests/hostlibs

The folders hold libcudart.so.13, libcublas.so.13, libcudnn.so.9 and so on. The tests hand over addresses of the host:
NumPy's arrays lie in managed memory, and the heap, which holds the rest, is registered. Each test runs in a process of
its own, because an error of the device stays with its process. Tests of what this package alone promises are skipped.
"""

from __future__ import annotations

import ctypes
import os
import pickle
import signal
import subprocess
import sys
import tempfile
import traceback
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from _pytest.runner import runtestprotocol

from warploom import runtime_library

FOLDERS, MADE = "NVIDIA_LIBRARIES", "NVIDIA_LIBRARIES_MADE"
LIBRARIES = {
    "cublas": ("cublas", "cublasLt"), "cublasLt": ("cublasLt",), "cudnn": ("cudnn",), "cufft": ("cufft",),
    "cusparse": ("cusparse",), "cusolver": ("cusolver", "cusparse"), "nvjpeg": ("nvjpeg",),
    "cudart": (),
    "nppif": tuple("npp" + part for part in "c ial icc idei if ig im ist isu itc s".split()),
}  # fmt: skip
HEAP = 256 << 20
# One heap, of memory that does not move: what the tests allocate outside of NumPy lies in it.
ENVIRONMENT = {
    "PYTHONMALLOC": "malloc", "MALLOC_ARENA_MAX": "1", "MALLOC_MMAP_MAX_": "0", "MALLOC_TOP_PAD_": str(HEAP),
    "MALLOC_TRIM_THRESHOLD_": str(1 << 40),
}  # fmt: skip
SECONDS = 60  # for a test
HANDLER_SLOT = 304  # PyDataMem_SetHandler in NumPy's table of functions


def make_libraries(folders: list[Path], made: Path) -> None:
    """In `made`: libraries with the names that the tests load, which need NVIDIA's and the runtime."""
    real = made / "real"
    real.mkdir()
    (made / "lib64").mkdir()
    for folder in folders:
        for library in folder.glob("lib*.so*"):
            if not (real / library.name).exists():
                (real / library.name).symlink_to(library.resolve())

    def link(output: Path, parts: tuple[str, ...], *sources: str) -> None:
        found = [f"-l:{min(real.glob(f'lib{part}.so.*'), key=lambda path: len(path.name)).name}" for part in parts]
        options = [f"-L{real}", f"-Wl,-rpath,{real}", "-Wl,--disable-new-dtags", "-Wl,--no-as-needed", *found]
        command = ["cc", "-shared", "-fPIC", *sources, "-o", str(output), *options]
        subprocess.run(command, check=True, stdin=subprocess.DEVNULL)

    for name, parts in LIBRARIES.items():
        suffix = ".so.13" if name.startswith("npp") else ".so"
        if all(list(real.glob(f"lib{part}.so.*")) for part in parts):
            link(made / "lib64" / f"lib{name}{suffix}", (*parts, "cudart"), "-x", "c", "/dev/null")
    link(made / "handler.so", ("cudart",), str(Path(__file__).with_name("managed_memory.c")))


def begin() -> Path:
    """The folder with the libraries; starts Python anew once, with one heap."""
    if MADE not in os.environ:
        made = Path(tempfile.mkdtemp(prefix="nvidia-libraries-"))
        make_libraries([Path(each) for each in os.environ[FOLDERS].split(":")], made)
        os.environ.update(ENVIRONMENT, **{MADE: str(made), "LD_LIBRARY_PATH": str(made / "real")})
        os.execv(sys.executable, sys.orig_argv)
    return Path(os.environ[MADE])


FOLDER = begin()
runtime_library.complete_toolkit = lambda _: FOLDER  # pyright: ignore[reportUnknownLambdaType]


def reach_memory() -> None:
    """Let the device read what this process allocates."""
    runtime = ctypes.CDLL(str(FOLDER / "lib64" / "libcudart.so"))
    for line in Path("/proc/self/maps").read_text().splitlines():
        if line.endswith("[heap]"):
            first, last = (int(each, 16) for each in line.split()[0].split("-"))
            status = runtime.cudaHostRegister(ctypes.c_void_p(first), ctypes.c_size_t(last - first), 3)
            assert status == 0, f"cudaHostRegister: {status}"
    if os.environ.get("NVIDIA_LIBRARIES_HEAP_ONLY"):
        return
    library = ctypes.CDLL(str(FOLDER / "handler.so"))
    api = ctypes.pythonapi
    api.PyCapsule_GetPointer.restype = ctypes.c_void_p
    api.PyCapsule_GetPointer.argtypes = [ctypes.py_object, ctypes.c_char_p]
    api.PyCapsule_New.restype = ctypes.py_object
    api.PyCapsule_New.argtypes = [ctypes.c_void_p, ctypes.c_char_p, ctypes.c_void_p]
    array_api: Any = np._core._multiarray_umath._ARRAY_API  # type: ignore[attr-defined]
    table = ctypes.cast(api.PyCapsule_GetPointer(array_api, None), ctypes.POINTER(ctypes.c_void_p))
    handler = ctypes.addressof(ctypes.c_char.in_dll(library, "handler"))
    set_handler = ctypes.PYFUNCTYPE(ctypes.py_object, ctypes.py_object)(table[HANDLER_SLOT])
    set_handler(api.PyCapsule_New(handler, NAME, None))


NAME = b"mem_handler"  # as long as the capsule


def run_in_child(item: pytest.Item, output: Path) -> None:
    signal.alarm(SECONDS)
    reach_memory()
    reports = runtestprotocol(item, log=False, nextitem=None)
    hook = item.config.hook
    data = [hook.pytest_report_to_serializable(config=item.config, report=report) for report in reports]
    output.write_bytes(pickle.dumps(data))


@pytest.hookimpl(tryfirst=True)
def pytest_runtest_protocol(item: pytest.Item) -> bool:
    hook = item.ihook
    hook.pytest_runtest_logstart(nodeid=item.nodeid, location=item.location)
    with tempfile.TemporaryDirectory() as folder:
        output = Path(folder) / "reports"
        child = os.fork()
        if child == 0:
            try:
                run_in_child(item, output)
            except BaseException:  # noqa: BLE001 - the child ends here
                (Path(folder) / "error").write_text(traceback.format_exc())
            finally:
                os._exit(0)
        status = os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])
        error = Path(folder) / "error"
        text = error.read_text() if error.exists() else f"the process of the test ended with {status}"
        data: list[dict[str, Any]] = pickle.loads(output.read_bytes()) if output.exists() else []
    reports = [item.config.hook.pytest_report_from_serializable(config=item.config, data=each) for each in data]
    if not reports:
        reports = [pytest.TestReport(item.nodeid, item.location, {}, "failed", text, "call")]
    for report in reports:
        hook.pytest_runtest_logreport(report=report)
    hook.pytest_runtest_logfinish(nodeid=item.nodeid, location=item.location)
    return True


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    for item in items:
        mark = item.get_closest_marker("ours")
        if mark is not None:
            item.add_marker(pytest.mark.skip(reason=str(mark.args[0])))
