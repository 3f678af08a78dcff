# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""C++ names as their authors wrote them."""

from __future__ import annotations

import ctypes
import re


def demangled(name: str) -> str:
    """A C++ name as its author wrote it."""
    if not name.startswith("_Z"):
        return name
    library = ctypes.CDLL("libstdc++.so.6")
    library.__cxa_demangle.restype = ctypes.c_void_p
    status = ctypes.c_int()
    text = library.__cxa_demangle(re.sub(r"\.device$", "", name).encode(), None, None, ctypes.byref(status))
    return ctypes.string_at(text).decode() if text else name
