# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Warploom: unmodified CUDA C++ on multicore CPUs.

    import numpy as np, warploom

    scale = warploom.RawKernel('extern "C" __global__ void scale(float *x, float a) { x[threadIdx.x] *= a; }', "scale")
    x = np.arange(8, dtype=np.float32)
    scale(1, 8, (x, 2.0))

Names are loaded when they are first used: `import warploom` itself takes no time.
"""

from __future__ import annotations

from importlib import import_module

from warploom.core.type_names import TYPE_CHECKING, Any
from warploom.version import VERSION

if TYPE_CHECKING:
    from warploom.api.arguments import ArgumentError
    from warploom.api.kernel import Kernel
    from warploom.api.loaded import LoadedModule
    from warploom.api.module import RawKernel, RawModule
    from warploom.api.runtime import CudaError, DeviceProperties, KernelFault, device_properties, synchronize
    from warploom.api.streams import Event, Stream, current_stream
    from warploom.compat import numba_cuda as cuda
    from warploom.compiler.service import CompileError
    from warploom.diagnostics import Diagnostic
    from warploom.notebook.cell import load_ipython_extension
    from warploom.notebook.explain import Explanation, explain
    from warploom.notebook.profiling import Profile, profile
    from warploom.pyjit.function import jit
    from warploom.pyjit.values import JitError

__version__ = VERSION

__all__ = [
    "ArgumentError",
    "CompileError",
    "CudaError",
    "DeviceProperties",
    "Diagnostic",
    "Event",
    "Explanation",
    "JitError",
    "Kernel",
    "KernelFault",
    "LoadedModule",
    "Profile",
    "RawKernel",
    "RawModule",
    "Stream",
    "cuda",
    "current_stream",
    "device_properties",
    "explain",
    "jit",
    "load_ipython_extension",
    "profile",
    "synchronize",
]
_HOMES = {
    "ArgumentError": "api.arguments",
    "CompileError": "compiler.service",
    "CudaError": "api.runtime",
    "DeviceProperties": "api.runtime",
    "Diagnostic": "diagnostics",
    "Event": "api.streams",
    "Explanation": "notebook.explain",
    "JitError": "pyjit.values",
    "Kernel": "api.kernel",
    "KernelFault": "api.runtime",
    "LoadedModule": "api.loaded",
    "Profile": "notebook.profiling",
    "RawKernel": "api.module",
    "RawModule": "api.module",
    "Stream": "api.streams",
    "current_stream": "api.streams",
    "device_properties": "api.runtime",
    "explain": "notebook.explain",
    "jit": "pyjit.function",
    "load_ipython_extension": "notebook.cell",
    "profile": "notebook.profiling",
    "synchronize": "api.runtime",
}


def __getattr__(name: str) -> Any:
    if name == "cuda" or name in _HOMES:
        import_module("warploom.core.interpreter").check_interpreter()
    if name == "cuda":
        return import_module("warploom.compat.numba_cuda")
    home = _HOMES.get(name)
    if home is None:
        raise AttributeError(f"module 'warploom' has no attribute '{name}'")
    try:
        found = getattr(import_module(f"warploom.{home}"), name)
    except ModuleNotFoundError as error:
        if error.name != "numpy":
            raise
        raise ModuleNotFoundError("warploom's kernels run on NumPy arrays: pip install numpy", name="numpy") from error
    globals()[name] = found
    return found


def __dir__() -> list[str]:
    return [*globals(), *_HOMES, "cuda"]
