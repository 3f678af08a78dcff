# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Calls of the functions in native/python_api.cpp; their errors become the exceptions that PyTorch raises."""

from __future__ import annotations

import ctypes
from collections.abc import Callable
from typing import Any

_PREFIX = "warploom_torch_"
_OTHER, _OUT_OF_MEMORY, _NOT_IMPLEMENTED, _ACCELERATOR = range(4)  # `Kind` there
# What is not a 64-bit integer that says whether the call went well.
_RESULTS = {
    "begin_compiled": ctypes.c_void_p,
    "coverage": ctypes.c_char_p,
    "memory_snapshot": ctypes.c_char_p,
    "memory_fraction": ctypes.c_double,
}


class Calls:
    """The functions of libtorch_cuda.so, called as methods; integers are 64-bit, other arguments are ctypes'."""

    def __init__(self, library: ctypes.CDLL, c_module: Any) -> None:
        self.library = library
        self._exceptions: dict[int, type[Exception]] = {
            _OUT_OF_MEMORY: c_module.OutOfMemoryError,
            _NOT_IMPLEMENTED: NotImplementedError,
            _ACCELERATOR: c_module.AcceleratorError,
        }

    def __getattr__(self, name: str) -> Callable[..., Any]:
        """Find a function once; the next use does not come here."""
        function = getattr(self.library, _PREFIX + name)
        function.restype = _RESULTS.get(name, ctypes.c_int64)

        def call(*arguments: Any) -> Any:
            result = function(*(ctypes.c_int64(each) if isinstance(each, int) else each for each in arguments))
            if isinstance(result, int) and result == -1:
                self._check()
            return result.decode() if isinstance(result, bytes) else result

        self.__dict__[name] = call
        return call

    def number(self, name: str, *arguments: Any) -> int:
        """What a function writes to its last argument."""
        out = ctypes.c_int64()
        getattr(self, name)(*arguments, ctypes.byref(out))
        return out.value

    def _check(self) -> None:
        """Raise the error that the last call left; -1 without one is a value."""
        kind = ctypes.c_int64()
        tell = self.library.warploom_torch_error
        tell.restype = ctypes.c_char_p
        text: bytes = tell(ctypes.byref(kind))
        if text:
            raise self._exceptions.get(kind.value, RuntimeError)(text.decode(errors="replace"))
