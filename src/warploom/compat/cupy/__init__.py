# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The names of CuPy: `import warploom.compat.cupy as cp` runs a program that was written for it, on this machine.

    import warploom.compat.cupy as cp

    x = cp.arange(6, dtype=cp.float32).reshape(2, 3)
    add = cp.ElementwiseKernel("T x, T y", "T z", "z = x + y", "add")
    assert float(add(x, 1).sum()) == 21

Arrays are a type of their own over NumPy's memory (core.py says why); functions of arrays are NumPy's. RawKernel,
RawModule, ElementwiseKernel and ReductionKernel are compiled CUDA C++. Not there: libraries (cublas, sparse matrices,
cupyx), cupyx.jit, memory pools that count, more than one device.
"""

from __future__ import annotations

from typing import Any

import numpy as _numpy

from warploom.compat.cupy import cuda, fft, linalg, random, testing
from warploom.compat.cupy.absolute import absolute
from warploom.compat.cupy.core import ndarray
from warploom.compat.cupy.elementwise import ElementwiseKernel
from warploom.compat.cupy.functions import (
    array,
    asarray,
    ascontiguousarray,
    asfortranarray,
    asnumpy,
    copy,
    copyto,
    empty_like,
    from_dlpack,
    frombuffer,
    full_like,
    get_array_module,
    load,
    made_functions,
    ones_like,
    save,
    savez,
    zeros_like,
)
from warploom.compat.cupy.fusion import fuse
from warploom.compat.cupy.raw import RawKernel, RawModule
from warploom.compat.cupy.reduction import ReductionKernel
from warploom.version import VERSION as _VERSION

asanyarray = asarray
abs = absolute  # noqa: A001 - CuPy's name
bool = _numpy.bool_  # noqa: A001 - CuPy's name
exceptions = _numpy.exceptions
__version__ = "14.0.0"
globals().update({name: made for name, made in made_functions().items() if name not in globals()})


def get_default_memory_pool() -> cuda.MemoryPool:
    """What stands for a pool of memory."""
    return cuda.MemoryPool()


get_default_pinned_memory_pool = get_default_memory_pool


def is_available() -> _numpy.bool_ | Any:
    """Whether there is a device: this machine is one."""
    return True


def show_config() -> None:
    """Say what stands behind this module."""
    print(f"warploom.compat.cupy of Warploom {_VERSION}, NumPy {_numpy.__version__}")


def __getattr__(name: str) -> Any:
    raise AttributeError(f"cupy's '{name}' is not part of warploom.compat.cupy")


__all__ = [
    "ElementwiseKernel",
    "RawKernel",
    "RawModule",
    "ReductionKernel",
    "absolute",
    "array",
    "asarray",
    "ascontiguousarray",
    "asfortranarray",
    "asnumpy",
    "copy",
    "copyto",
    "cuda",
    "empty_like",
    "exceptions",
    "fft",
    "from_dlpack",
    "frombuffer",
    "full_like",
    "fuse",
    "get_array_module",
    "linalg",
    "load",
    "ndarray",
    "ones_like",
    "random",
    "save",
    "savez",
    "testing",
    "zeros_like",
]
