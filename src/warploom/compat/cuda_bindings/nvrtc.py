# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""cuda.bindings.nvrtc: functions of the runtime compiler."""

from __future__ import annotations

import ctypes
from collections.abc import Sequence
from enum import IntEnum
from typing import Any

from warploom.api.runtime import runtime
from warploom.compat.cuda_bindings._functions import Handle, constants, table_of

_ERRORS = {name: value for name, value in constants().items() if name.startswith("NVRTC_")}
nvrtcResult: Any = IntEnum("nvrtcResult", {"NVRTC_SUCCESS": 0, **_ERRORS})  # noqa: N816 - CUDA's names
nvrtcProgram = Handle  # noqa: N816
_TABLE = """
nvrtcVersion - ii
nvrtcAddNameExpression ps -
nvrtcGetPTXSize p z
nvrtcGetPTX pp -
nvrtcGetCUBINSize p z
nvrtcGetCUBIN pp -
nvrtcGetProgramLogSize p z
nvrtcGetProgramLog pp -
"""
globals().update(table_of(_TABLE, nvrtcResult, gives_last=True))


def _texts(given: Sequence[bytes] | None) -> Any:
    return (ctypes.c_char_p * max(len(given or ()), 1))(*(given or ()))


def nvrtcCreateProgram(  # noqa: N802
    src: bytes, name: bytes, numHeaders: int, headers: Sequence[bytes], includeNames: Sequence[bytes]  # noqa: N803
) -> tuple[Any, Any]:  # fmt: skip
    """A program of a source."""
    made = ctypes.c_void_p()
    texts = _texts(headers), _texts(includeNames)
    code = runtime().function("nvrtcCreateProgram")(ctypes.byref(made), src, name, int(numHeaders), *texts)
    return nvrtcResult(code), Handle(made.value or 0) if code == 0 else None


def nvrtcCompileProgram(prog: Any, numOptions: int, options: Sequence[bytes]) -> tuple[Any]:  # noqa: N802, N803
    """Compile a program."""
    code = runtime().function("nvrtcCompileProgram")(ctypes.c_void_p(int(prog)), int(numOptions), _texts(options))
    return (nvrtcResult(code),)


def nvrtcGetLoweredName(prog: Any, name_expression: bytes) -> tuple[Any, bytes | None]:  # noqa: N802
    """The symbol of a name expression."""
    found = ctypes.c_char_p()
    code = runtime().function("nvrtcGetLoweredName")(ctypes.c_void_p(int(prog)), name_expression, ctypes.byref(found))
    return nvrtcResult(code), found.value if code == 0 else None


def nvrtcDestroyProgram(prog: Any) -> tuple[Any]:  # noqa: N802
    """A program that is no longer used."""
    place = ctypes.c_void_p(int(prog))
    return (nvrtcResult(runtime().function("nvrtcDestroyProgram")(ctypes.byref(place))),)


def nvrtcGetErrorString(result: int) -> tuple[Any, bytes]:  # noqa: N802
    """The name of an error."""
    function: Any = runtime().function("nvrtcGetErrorString")
    function.restype = ctypes.c_char_p
    return nvrtcResult(0), function(int(result))
