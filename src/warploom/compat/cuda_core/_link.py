# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Programs that are linked: NVRTC makes bitcode of each, nvJitLink a module of several."""

from __future__ import annotations

import ctypes
import tempfile
from collections.abc import Sequence
from functools import cached_property
from pathlib import Path

from warploom.api.kernel import Kernel
from warploom.api.loaded import LoadedModule
from warploom.api.runtime import runtime
from warploom.compiler.service import CompileError

_LTOIR = 3  # NVJITLINK_INPUT_LTOIR
_ARCH = b"-arch=sm_80"


class Linked:
    """A module that was linked, by its bytes."""

    def __init__(self, code: bytes) -> None:
        self.code = code

    @cached_property
    def module(self) -> LoadedModule:
        """It, loaded."""
        with tempfile.TemporaryDirectory(prefix="warploom-linked-") as folder:
            path = Path(folder, "linked.cubin")
            path.write_bytes(self.code)
            return LoadedModule(path)

    def get_function(self, name: str) -> Kernel:
        """A kernel by its symbol. Raises AttributeError."""
        return self.module.get_function(name)


class Relocatable:
    """A program's bitcode, and what the compiler warned of."""

    def __init__(self, code: bytes, log: str) -> None:
        self.code, self.log = code, log

    @cached_property
    def alone(self) -> Linked:
        """A module of this program only."""
        return linked([self])

    def get_function(self, name: str) -> Kernel:
        """A kernel by its symbol, of this program alone. Raises AttributeError, or RuntimeError where it needs more."""
        return self.alone.get_function(name)


def _text(size: str, content: str, handle: ctypes.c_void_p) -> bytes:
    """What a function of `size` says the bytes of, and one of `content` gives."""
    length = ctypes.c_size_t()
    runtime().function(size)(handle, ctypes.byref(length))
    place = ctypes.create_string_buffer(length.value)
    runtime().function(content)(handle, place)
    return place.raw


def relocatable(source: str, words: Sequence[str]) -> Relocatable:
    """Compile for the linker. Raises CompileError."""
    program, lib = ctypes.c_void_p(), runtime()
    given = [word.encode() for word in dict.fromkeys((*words, "-rdc=true", "-dlto"))]
    lib.call("nvrtcCreateProgram", ctypes.byref(program), source.encode(), b"program.cu", 0, None, None)
    try:
        code = lib.function("nvrtcCompileProgram")(program, len(given), (ctypes.c_char_p * len(given))(*given))
        log = _text("nvrtcGetProgramLogSize", "nvrtcGetProgramLog", program).rstrip(b"\0").decode(errors="replace")
        if code != 0:
            raise CompileError(log)
        return Relocatable(_text("nvrtcGetLTOIRSize", "nvrtcGetLTOIR", program), log)
    finally:
        lib.function("nvrtcDestroyProgram")(ctypes.byref(program))


def linked(parts: Sequence[Relocatable]) -> Linked:
    """A module of several programs. Raises RuntimeError with what the linker says."""
    handle, lib = ctypes.c_void_p(), runtime()
    options = (ctypes.c_char_p * 2)(_ARCH, b"-lto")
    code = lib.function("nvJitLinkCreate")(ctypes.byref(handle), len(options), options)
    try:
        for number, each in enumerate(parts):
            name = f"program {number + 1}".encode()
            code = code or lib.function("nvJitLinkAddData")(
                handle, _LTOIR, each.code, ctypes.c_size_t(len(each.code)), name
            )
        code = code or lib.function("nvJitLinkComplete")(handle)
        if code != 0:
            log = _text("nvJitLinkGetErrorLogSize", "nvJitLinkGetErrorLog", handle).rstrip(b"\0")
            raise RuntimeError(f"the programs do not link:\n{log.decode(errors='replace')}")
        return Linked(_text("nvJitLinkGetLinkedCubinSize", "nvJitLinkGetLinkedCubin", handle))
    finally:
        lib.function("nvJitLinkDestroy")(ctypes.byref(handle))
