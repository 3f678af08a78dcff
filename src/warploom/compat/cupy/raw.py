# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""cupy.RawKernel and cupy.RawModule: Warploom's, with CuPy's arguments and errors.

As in CuPy an array is a pointer to its memory, whatever its dtype and strides are: the kernel knows. Numbers become
what the kernel declares.
"""

from __future__ import annotations

import ctypes
import re
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from warploom.api import module as api
from warploom.api.arguments import Address, ArgumentError
from warploom.api.loaded import LoadedModule
from warploom.api.runtime import runtime
from warploom.compat.cupy import generated, pending
from warploom.compat.cupy.core import memory_of, ndarray
from warploom.compat.cupy.cuda.compiler import CompileException
from warploom.compat.cupy.cuda.driver import no_file, not_found
from warploom.compat.cupy.cuda.memory import MemoryPointer, UnownedMemory
from warploom.compat.cupy.cuda.stream import stream_of
from warploom.compiler.service import CompileError

_CUCOMPLEX = re.compile(r"#\s*include\s*[<\"]cuComplex.h[>\"]")
_BACKENDS = ("nvrtc", "nvcc")
_COMPILED = (".cubin", ".ptx", ".fatbin")  # what `nvcc -cubin` and its like write; here that is warpcc


class RawModule:
    """Kernels and variables of a CUDA C++ source (`code`), or of a file of such (`path`)."""

    def __init__(
        self,
        *,
        code: str | None = None,
        path: str | None = None,
        options: Sequence[str] = (),
        backend: str = "nvrtc",
        translate_cucomplex: bool = False,
        enable_cooperative_groups: bool = False,
        name_expressions: Sequence[str] | None = None,
        jitify: bool | None = None,
    ) -> None:
        if (code is None) == (path is None):
            raise TypeError("Exactly one of `code` and `path` keyword arguments must be given.")
        if backend not in _BACKENDS:
            raise ValueError(f"backend is one of {_BACKENDS}, not {backend!r}")
        if name_expressions is not None and (code is None or backend != "nvrtc"):
            raise ValueError("only nvrtc supports retrieving the mangled names for the given name expressions")
        self.code, self.file_path, self.options, self.backend = code, path, tuple(options), backend
        self.name_expressions = tuple(name_expressions) if name_expressions is not None else None
        self.enable_cooperative_groups = enable_cooperative_groups
        self._rest = {"translate_cucomplex": translate_cucomplex, "jitify": jitify}
        self._own: api.RawModule | LoadedModule | None = None

    @property
    def module(self) -> api.RawModule | LoadedModule:
        """Warploom's module, compiled. Raises CompileException, CUDADriverError."""
        if self._own is None:
            path = self.file_path
            if path is not None and not Path(path).is_file():
                raise no_file(path)
            if path is not None and Path(path).suffix in _COMPILED:
                self._own = LoadedModule(path)
            else:
                self._own = self._compiled(path)
        return self._own

    def _compiled(self, path: str | None) -> api.RawModule:
        code = self.code
        if code is not None and self._rest["translate_cucomplex"]:
            code = f'#include "cupy/cucomplex.cuh"\n#line 1\n{_CUCOMPLEX.sub("//", code)}'
        made = api.RawModule(
            code,
            path=path,
            options=self.options,
            name_expressions=self.name_expressions or (),
            headers=generated.headers(),
            cooperative=self.enable_cooperative_groups,
        )
        try:
            made.compile()
        except CompileError as error:
            raise CompileException(str(error), self.code or "", path or "kernel.cu", self.options) from None
        return made

    def compile(self, log_stream: Any = None) -> None:
        """Compile now; what the compiler warned of goes to `log_stream`."""
        module = self.module
        if log_stream is not None and isinstance(module, api.RawModule):
            log_stream.write(module.log)

    def get_function(self, name: str) -> RawKernel:
        """A kernel by its name, or one of the name expressions."""
        kernel = _found(self.module, name)
        return RawKernel._of(self, name, kernel)  # pyright: ignore[reportPrivateUsage]

    def get_global(self, name: str) -> MemoryPointer:
        """Where a variable is."""
        try:
            array = self.module.get_global(name)
        except AttributeError:
            raise not_found(name) from None
        return MemoryPointer(UnownedMemory(array.ctypes.data, array.nbytes, self), 0)

    def __reduce__(self) -> Any:
        return _module, (self.code, self.file_path, self._options())

    def _options(self) -> dict[str, Any]:
        return {
            "options": self.options,
            "backend": self.backend,
            "enable_cooperative_groups": self.enable_cooperative_groups,
            "name_expressions": self.name_expressions,
            **self._rest,
        }


def _module(code: str | None, path: str | None, options: dict[str, Any]) -> RawModule:
    return RawModule(code=code, path=path, **options)


def _found(module: api.RawModule | LoadedModule, name: str) -> api.Kernel:
    try:
        return module.get_function(name)
    except AttributeError:
        raise not_found(name) from None


class RawKernel:
    """A kernel of a CUDA C++ source: `kernel(grid, block, args, shared_mem=0)`."""

    def __init__(
        self,
        code: str,
        name: str,
        options: Sequence[str] = (),
        backend: str = "nvrtc",
        *,
        translate_cucomplex: bool = False,
        enable_cooperative_groups: bool = False,
        jitify: bool | None = None,
    ) -> None:
        self._module = RawModule(
            code=code,
            options=options,
            backend=backend,
            translate_cucomplex=translate_cucomplex,
            enable_cooperative_groups=enable_cooperative_groups,
            name_expressions=(name,) if "<" in name and backend == "nvrtc" else None,
            jitify=jitify,
        )
        self.name = name
        self._own: api.Kernel | None = None

    @classmethod
    def _of(cls, module: RawModule, name: str, own: api.Kernel | None = None) -> RawKernel:
        made = cls.__new__(cls)
        made._module, made.name, made._own = module, name, own
        return made

    def __call__(
        self, grid: Sequence[int], block: Sequence[int], args: Sequence[Any], *, shared_mem: int = 0, stream: Any = None
    ) -> None:
        """Launch in the current stream. Raises ArgumentError where the arguments are none that the kernel takes."""
        own = self._own or self.kernel
        chosen = stream_of(stream)
        given = tuple(memory_of(each) if type(each) is ndarray else each for each in args)
        grid, block = tuple(grid), tuple(block)
        try:
            own(grid, block, given, shared_mem=shared_mem, stream=chosen)
        except ArgumentError:
            own(grid, block, _addresses(own, args), shared_mem=shared_mem, stream=chosen)
        if chosen is not None:
            pending.note(chosen)

    @property
    def kernel(self) -> api.Kernel:
        """Warploom's kernel, compiled. Raises CompileException, CUDADriverError."""
        if self._own is None:
            self._own = _found(self._module.module, self.name)
        return self._own

    def compile(self, log_stream: Any = None) -> None:
        """Compile now; what the compiler warned of goes to `log_stream`."""
        self._module.compile(log_stream)
        _ = self.kernel

    @property
    def code(self) -> str | None:
        """The source."""
        return self._module.code

    @property
    def options(self) -> tuple[str, ...]:
        """The options that it is compiled with."""
        return self._module.options

    @property
    def backend(self) -> str:
        """What was asked for: one compiler does it here."""
        return self._module.backend

    @property
    def file_path(self) -> str | None:
        """The file of the source."""
        return self._module.file_path

    @property
    def enable_cooperative_groups(self) -> bool:
        """Whether its blocks may wait for one another."""
        return self._module.enable_cooperative_groups

    @property
    def attributes(self) -> dict[str, int]:
        """What the runtime says of it."""
        found = _Attributes()
        runtime().call("cudaFuncGetAttributes", ctypes.byref(found), self.kernel.handle)
        return {name: int(getattr(found, name)) for name in _SHOWN}

    def __getattr__(self, name: str) -> int:
        if name in _SHOWN:
            return self.attributes[name]
        raise AttributeError(f"a RawKernel has no '{name}'")

    def __reduce__(self) -> Any:
        return RawKernel._of, (self._module, self.name)


_SHOWN = """shared_size_bytes const_size_bytes local_size_bytes max_threads_per_block num_regs ptx_version
binary_version cache_mode_ca max_dynamic_shared_size_bytes preferred_shared_memory_carveout""".split()


class _Attributes(ctypes.Structure):
    """cudaFuncAttributes."""

    _fields_ = (
        *((name, ctypes.c_size_t) for name in _SHOWN[:3]),
        *((name, ctypes.c_int) for name in _SHOWN[3:]),
        ("rest", ctypes.c_int * 22),
    )


def _addresses(kernel: api.Kernel, args: Sequence[Any]) -> tuple[Any, ...]:
    """The arguments with what a pointer is to point to as an address."""
    parameters = kernel.signature.parameters
    if len(parameters) != len(args):
        return tuple(args)
    return tuple(
        _address(each) if parameter.is_pointer or isinstance(each, ndarray | MemoryPointer) else each
        for parameter, each in zip(parameters, args, strict=True)
    )


def _address(value: Any) -> Any:
    if isinstance(value, ndarray):
        return Address(memory_of(value).ctypes.data, value)
    if isinstance(value, MemoryPointer):
        return Address(value.ptr, value)
    if isinstance(value, int) or hasattr(value, "__index__"):
        return Address(int(value))
    return value
