# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""RawModule and RawKernel: CUDA C++ in a string or a file, called with NumPy arrays."""

from __future__ import annotations

import ctypes
import threading
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from warploom.api.dtypes import dtype_of
from warploom.api.kernel import Kernel, Size, load_library
from warploom.api.runtime import runtime
from warploom.api.specialise import may_be_specialised
from warploom.api.streams import Stream
from warploom.compiler.options import Options, parse_options
from warploom.compiler.service import Module, Request, compile_module
from warploom.compiler.signature import Global, KernelSignature
from warploom.debug import passes_off
from warploom.diagnostics import Diagnostic

_SOURCES = frozenset((".cu", ".cuh", ".cpp", ".cc", ".cxx", ".h", ".hpp", ".inl", ""))


class RawModule:
    """Kernels and variables of one CUDA C++ source.

        module = warploom.RawModule(code=source, options=("-std=c++20", "-DN=16"))
        scale = module.get_function("scale")
        scale((blocks,), (256,), (x, np.float32(2)))

    It is compiled when it is first used, and kept on disk: the same source and options load in a few milliseconds in
    any later process. May be shared by threads.
    """

    def __init__(
        self,
        code: str | None = None,
        *,
        path: str | Path | None = None,
        options: Sequence[str] = (),
        name_expressions: Sequence[str] | None = None,
        headers: Mapping[str, str] | None = None,
        name: str | None = None,
        cooperative: bool = False,
    ) -> None:
        """`code`: the source; or `path`: the file that holds it.

        `options`: words as NVRTC and nvcc take them (-I -D -std= -use_fast_math -fmad=false -lineinfo -G -arch= ...).
        `name_expressions`: instances of templates that are wanted (`scale<float>`); get_function takes them as names.
        `headers`: files to include that lie on no disk, by name. `name`: what messages call the source.
        `cooperative`: the blocks of its kernels may wait for one another (`grid.sync()`).
        Raises Diagnostic for an option that is not known; a source that does not compile is told at first use.
        """
        if (code is None) == (path is None):
            raise Diagnostic("a module wants either code= or path=")
        if path is not None:
            code, name = _read(Path(path)), name or str(path)
        assert code is not None
        self._request = Request(
            code,
            parse_options(options, _usual_options()),
            name or "kernel.cu",
            dict(headers or {}),
            tuple(name_expressions or ()),
        )
        self._cooperative = cooperative
        self._lock = threading.Lock()
        self._loaded: tuple[Module, int] | None = None
        self._functions: dict[str, Kernel] = {}

    @property
    def request(self) -> Request:
        """What is compiled."""
        return self._request

    def compile(self) -> None:
        """Compile and load now. Raises CompileError with what the compiler said."""
        self._load()

    @property
    def library(self) -> Path:
        """The file with its machine code."""
        return self._load()[0].library

    @property
    def kernels(self) -> tuple[str, ...]:
        """The kernels that there are, as the source declares them."""
        return tuple(kernel.source_name for kernel in self._load()[0].contents.kernels)

    @property
    def log(self) -> str:
        """What the compiler warned of."""
        return self._load()[0].contents.log

    @property
    def remarks(self) -> tuple[str, ...]:
        """Which kernels the optimising engine could not take, and why: the slow reference engine runs them."""
        return self._load()[0].contents.remarks

    def get_function(self, name: str) -> Kernel:
        """A kernel by its name, its name with namespaces, its symbol, or one of the name expressions.

        Raises AttributeError, with the names that there are.
        """
        found = self._functions.get(name)
        if found is None:
            module, handle = self._load()
            made = Kernel(
                _find(module, name),
                handle,
                self._request,
                cooperative=self._cooperative,
                specialises=may_be_specialised(self._request, module),
            )
            found = self._functions.setdefault(name, made)
        return found

    def get_global(self, name: str) -> np.ndarray[Any, Any]:
        """A `__device__`, `__constant__` or `__managed__` variable as an array over its memory.

        Writing to the array writes the variable; wait for launches that use it first. A variable that is no array has
        an array without dimensions: `module.get_global("limit")[...] = 3`. Raises AttributeError for a name that is
        not there.
        """
        module, library = self._load()
        variable = _find_global(module, name)
        place, size = ctypes.c_void_p(), ctypes.c_size_t()
        runtime().call("cudaLibraryGetGlobal", ctypes.byref(place), ctypes.byref(size), library, variable.name.encode())
        memory = (ctypes.c_char * variable.size).from_address(place.value or 0)
        dtype = np.dtype(np.uint8) if variable.type is None else dtype_of(variable.type)
        base, shape = dtype.subdtype if dtype.subdtype is not None else (dtype, ())
        return np.frombuffer(memoryview(memory), base).reshape(shape if variable.type is not None else (-1,))

    def _load(self) -> tuple[Module, int]:
        """The module and the runtime's handle of it."""
        if self._loaded is None:
            with self._lock:
                if self._loaded is None:
                    module = compile_module(self._request)
                    self._loaded = module, load_library(module.library)
        return self._loaded


class RawKernel:
    """One kernel of a CUDA C++ source.

        add = warploom.RawKernel(source, "add")
        add((4,), (256,), (a, b, out, np.int32(out.size)))

    It is compiled at its first launch, and kept on disk as a RawModule is.
    """

    def __init__(
        self, code: str, name: str, options: Sequence[str] = (), *, headers: Mapping[str, str] | None = None
    ) -> None:
        """`name`: of the kernel in `code`; for an instance of a template as one writes it, `scale<float>`.

        `options`: as RawModule takes them. A source that does not compile is told at the first launch.
        """
        expressions = (name,) if "<" in name else ()
        self._module = RawModule(code, options=options, name_expressions=expressions, headers=headers)
        self.name = name
        self._kernel: Kernel | None = None

    @property
    def module(self) -> RawModule:
        """The module that the kernel is in: its variables, and what the compiler said."""
        return self._module

    @property
    def kernel(self) -> Kernel:
        """The kernel, compiled and loaded when it is first asked for. Raises CompileError, AttributeError."""
        if self._kernel is None:
            self._kernel = self._module.get_function(self.name)
        return self._kernel

    def compile(self) -> None:
        """Compile and load now. Raises CompileError with what the compiler said."""
        _ = self.kernel

    def __call__(
        self,
        grid: Size,
        block: Size,
        args: Sequence[Any] = (),
        *,
        shared_mem: int = 0,
        stream: Stream | None = None,
    ) -> None:
        """Launch, as Kernel does."""
        (self._kernel or self.kernel)(grid, block, args, shared_mem=shared_mem, stream=stream)


def _usual_options() -> Options:
    """What a module is compiled with before its own options say more: WARPLOOM_OFF_PASS counts here, too."""
    return Options(off_passes=tuple(filter(None, passes_off().split(","))))


def _read(path: Path) -> str:
    if path.suffix not in _SOURCES:
        raise Diagnostic(
            "a module is made of source text",
            file=path,
            hint="path= names CUDA C++; warploom.LoadedModule(path) loads what warpcc -cubin and -ptx write",
        )
    try:
        return path.read_text(errors="surrogateescape")
    except OSError as error:
        raise Diagnostic(error.strerror or "cannot be read", file=path) from error


def _find(module: Module, name: str) -> KernelSignature:
    symbol = module.contents.lowered.get(name, name)
    for kernel in module.contents.kernels:
        full = kernel.source_name.removeprefix("void ").partition("(")[0]
        if symbol in (kernel.name, full, full.partition("<")[0] if "<" not in name else "", full.rpartition("::")[2]):
            return kernel
    names = ", ".join(kernel.source_name for kernel in module.contents.kernels) or "none"
    raise AttributeError(f"there is no kernel '{name}'; kernels: {names}")


def _find_global(module: Module, name: str) -> Global:
    symbol = module.contents.lowered.get(name, name)
    for variable in module.contents.variables:
        if symbol == variable.name or variable.name.endswith(f"{len(name)}{name}"):
            return variable
    names = ", ".join(variable.name for variable in module.contents.variables) or "none"
    raise AttributeError(f"there is no variable '{name}'; variables: {names}")


__all__ = ["Kernel", "RawKernel", "RawModule"]
