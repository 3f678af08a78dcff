# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""A plugin of pytest that runs CuPy's own tests on warploom.compat.cupy.

    cd CHECKOUT/tests && CUPY_TEST_GPU_LIMIT=1 PYTHONPATH=$PWD:WARPLOOM/bench/compat:WARPLOOM/bench/compat/processes \
        python -m pytest -p cupy_plugin --noconftest -o addopts= -m "not slow" cupy_tests/core_tests/test_raw.py

`cupy.testing` is the checkout's own: it is what the tests are written with. Names of CuPy's private parts that test
files import are stand-ins without any function: what a test does with them fails.
"""

from __future__ import annotations

import importlib.util
import math
import sys
import types
from contextlib import nullcontext
from pathlib import Path
from typing import Any

import numpy

from warploom.compat import cupy
from warploom.compat.cupy import cuda, random
from warploom.compat.cupy.cuda import texture as _texture  # noqa: F401 - registers it

_PRIVATE = """cupy._core cupy._core.internal cupy._core._accelerator cupy._util cupy.cuda._compiler_cache
cupyx cupyx.scipy cupyx.scipy.sparse
cupy_backends cupy_backends.cuda cupy_backends.cuda.libs cupy_backends.cuda.libs.nvrtc""".split()


class _Missing:
    """A private part of CuPy's that there is none of."""

    def __init__(self, *_given: Any, **_options: Any) -> None:
        pass


def _install() -> None:
    for name, module in list(sys.modules.items()):
        if name.startswith("warploom.compat.cupy"):
            sys.modules[name.removeprefix("warploom.compat.")] = module
    sys.modules["cupy.exceptions"] = cupy.exceptions
    for name in _PRIVATE:
        if name not in sys.modules:
            made = types.ModuleType(name)
            made.__path__ = []
            sys.modules[name] = made
            parent, _, last = name.rpartition(".")
            if parent in sys.modules:
                setattr(sys.modules[parent], last, made)
    core, util = sys.modules["cupy._core"], sys.modules["cupy._util"]
    core.__dict__.update(elementwise_copy=_elementwise_copy, create_reduction_func=_Reduction)
    util.__dict__["clear_memo"] = lambda: None
    sys.modules["cupy._core._accelerator"].__dict__.update(
        get_reduction_accelerators=list,
        get_routine_accelerators=list,
        set_reduction_accelerators=lambda _names: None,
        set_routine_accelerators=lambda _names: None,
        ACCELERATOR_CUB=1,
    )
    core.__dict__.update(get_reduction_accelerators=list, set_reduction_accelerators=lambda _names: None)
    sys.modules["cupy._core.internal"].__dict__["prod"] = math.prod
    sys.modules["cupyx.scipy.sparse"].__dict__["issparse"] = lambda _array: False
    sys.modules["cupyx"].__dict__["allow_synchronize"] = lambda _allow: nullcontext()
    sys.modules["cupy.cuda._compiler_cache"].__dict__["DiskKernelCacheBackend"] = _Missing
    sys.modules["cupy_backends.cuda.libs.nvrtc"].__dict__["getVersion"] = lambda: (13, 0)
    cuda.compiler.__dict__.update(
        _kernel_cache_backend=None,
        _empty_file_preprocess_cache={},
        _get_bool_env_variable=lambda _name, default: default,
        _get_arch=cuda.get_compute_capability,
        _run_cc=_run_compiler,
    )
    random.__dict__.setdefault("_generator", types.SimpleNamespace(_random_states={}))


class _Reduction:
    """CuPy's private maker of reductions, on ReductionKernel: a kernel for each pair of dtypes."""

    def __init__(self, name: str, types: Any, routine: Any, identity: Any) -> None:
        mapped, combined, written, kind = routine
        self._kernels: dict[str, Any] = {}
        self._cached_codes: dict[str, str] = {}
        for pair in types:
            source, _, target = pair.partition("->")
            takes, gives = f"{cupy.dtype(source)} in0", f"{cupy.dtype(target)} out0"
            self._kernels[str(cupy.dtype(source))] = cupy.ReductionKernel(
                takes, gives, mapped, combined, written, identity, name, kind
            )

    def __call__(self, array: Any, **options: Any) -> Any:
        if isinstance(array, numpy.ndarray):
            raise TypeError("Argument 'a' has incorrect type")
        given = cupy.asarray(array)
        made = self._kernels[str(given.dtype)]
        result = made(given, **options)
        self._cached_codes[str(given.dtype)] = made.cached_codes
        return result


def _elementwise_copy(source: Any, target: Any) -> None:
    cupy.ElementwiseKernel("T x", "T y", "y = x", "elementwise_copy")(source, target)


def _run_compiler(command: Any, folder: Any, _name: Any) -> str:
    import subprocess

    done = subprocess.run(command, cwd=folder, capture_output=True, text=True, check=True)
    return done.stdout


def _load_testing() -> None:
    folder = next(Path(path).parent / "cupy" / "testing" for path in sys.path if path.endswith("tests"))
    spec = importlib.util.spec_from_file_location(
        "cupy.testing", folder / "__init__.py", submodule_search_locations=[str(folder)]
    )
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    sys.modules["cupy.testing"] = module
    cupy.__dict__["testing"] = module
    spec.loader.exec_module(module)


def pytest_configure(config: Any) -> None:
    """Put the modules in place before tests are collected."""
    for mark in ("multi_gpu", "slow", "thread_unsafe", "cudnn"):
        config.addinivalue_line("markers", mark)
    _install()
    _load_testing()
