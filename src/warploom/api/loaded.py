# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""LoadedModule: kernels that `warpcc -cubin`, `-ptx` or `-fatbin` compiled before."""

from __future__ import annotations

import ctypes
from pathlib import Path
from typing import Any

import numpy as np

from warploom.api.kernel import Kernel, kernel_of, load_library
from warploom.api.runtime import CudaError, runtime
from warploom.compiler.signature import UNKNOWN, KernelSignature, Parameter, Type


class LoadedModule:
    """Kernels and variables of a file that warpcc wrote: `LoadedModule("kernels.cubin").get_function("scale")`.

    Such a file tells the size of each parameter and no type: an array is handed over as its address, a number of
    NumPy's as its own bytes, a number of Python's in as many bytes as the parameter has.
    """

    def __init__(self, path: str | Path) -> None:
        """Load it now. Raises CudaError for a file that is no module."""
        self.library = Path(path)
        self._handle = load_library(self.library)
        self._functions: dict[str, Kernel] = {}

    def get_function(self, name: str) -> Kernel:
        """A kernel by its symbol. Raises AttributeError."""
        found = self._functions.get(name)
        if found is None:
            try:
                kernel = kernel_of(self._handle, name)
            except CudaError as error:
                raise AttributeError(f"{self.library}: there is no kernel '{name}'; names are symbols here") from error
            signature = KernelSignature(name, name, _parameters(kernel), 0)
            found = self._functions.setdefault(name, Kernel(signature, self._handle, None))
        return found

    def get_global(self, name: str) -> np.ndarray[Any, Any]:
        """The bytes of a `__device__`, `__constant__` or `__managed__` variable. Raises AttributeError."""
        place, size = ctypes.c_void_p(), ctypes.c_size_t()
        found = ctypes.byref(place), ctypes.byref(size)
        try:
            runtime().call("cudaLibraryGetGlobal", *found, self._handle, name.encode())
        except CudaError as error:
            raise AttributeError(f"{self.library}: there is no variable '{name}'; names are symbols here") from error
        return np.frombuffer(memoryview((ctypes.c_char * size.value).from_address(place.value or 0)), np.uint8)


def _parameters(kernel: int) -> tuple[Parameter, ...]:
    """What the runtime knows of a kernel's parameters."""
    found: list[Parameter] = []
    size = ctypes.c_size_t()
    while True:
        try:
            runtime().call("cudaFuncGetParamInfo", kernel, len(found), None, ctypes.byref(size))
        except CudaError:  # there are no more
            return tuple(found)
        text = f"{size.value} bytes"
        found.append(Parameter(Type(text, UNKNOWN, size.value, 1), False, False, size.value, text))
