# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""pycuda.compiler: SourceModule, and the kernels in it."""

from __future__ import annotations

import ctypes
from collections.abc import Sequence
from pathlib import Path
from time import perf_counter
from typing import Any

import numpy as np

from warploom.api.arguments import Address
from warploom.api.dtypes import is_array, is_scalar
from warploom.api.kernel import Kernel
from warploom.api.loaded import LoadedModule
from warploom.api.module import RawModule
from warploom.api.runtime import CudaError, runtime
from warploom.compat.cupy import pending
from warploom.compat.pycuda import driver
from warploom.compiler.service import CompileError
from warploom.scratch import temporary_folder

DEFAULT_NVCC_FLAGS: list[str] = []
_HEADERS = Path(__file__).resolve().parent / "include"
_SIZES = "shared_size_bytes const_size_bytes local_size_bytes".split()
_NUMBERS = "max_threads_per_block num_regs ptx_version binary_version".split()


class _Attributes(ctypes.Structure):
    """cudaFuncAttributes."""

    _fields_ = (
        *((name, ctypes.c_size_t) for name in _SIZES),
        *((name, ctypes.c_int) for name in _NUMBERS),
        ("rest", ctypes.c_int * 25),
    )


class Module:
    """Kernels and variables that are compiled."""

    def __init__(self, own: RawModule | LoadedModule) -> None:
        self._own = own

    def get_function(self, name: str) -> Function:
        """A kernel by its name."""
        try:
            return Function(self._own.get_function(name), self)
        except AttributeError as error:
            raise CudaError(500, "cuModuleGetFunction", f"named symbol not found: {error}") from None

    def get_global(self, name: str) -> tuple[int, int]:
        """Where a variable is, and its bytes."""
        try:
            array = self._own.get_global(name)
        except AttributeError as error:
            raise CudaError(500, "cuModuleGetGlobal", f"named symbol not found: {error}") from None
        return array.ctypes.data, array.nbytes

    def get_texref(self, name: str) -> Any:
        """There are no texture references since CUDA 12."""
        raise NotImplementedError(f"the texture reference '{name}': CUDA 12 has none; take a texture object")


class SourceModule(Module):
    """Kernels and variables of a CUDA C++ source, all of which are extern "C" unless `no_extern_c`."""

    _flags: tuple[str, ...] = ()  # more of the compiler's

    def __init__(
        self,
        source: str,
        nvcc: str = "nvcc",
        options: Sequence[str] | None = None,
        keep: bool = False,
        no_extern_c: bool = False,
        arch: str | None = None,
        code: str | None = None,
        cache_dir: str | None = None,
        include_dirs: Sequence[str] = (),
    ) -> None:
        del nvcc, keep, code, cache_dir
        words = [*(DEFAULT_NVCC_FLAGS if options is None else options), *(f"-I{folder}" for folder in include_dirs)]
        words += [*self._flags, *([f"-arch={arch}"] if arch is not None else [])]
        words += [f"-I{_HEADERS}"] if "pycuda-complex" in source else []
        text = source if no_extern_c else f'extern "C" {{\n#line 1 "kernel.cu"\n{source}\n}}\n'
        module = RawModule(text, options=words)
        try:
            module.compile()
        except CompileError as error:
            raise driver.CompileError(f"the source does not compile\n{error}") from None
        super().__init__(module)


class DynamicSourceModule(SourceModule):
    """A source whose kernels launch kernels."""

    _flags = ("-rdc=true",)

    def __init__(self, *arguments: Any, cuda_libdir: str | None = None, **named: Any) -> None:
        """Takes what SourceModule takes, and `cuda_libdir`, which has no meaning here."""
        del cuda_libdir
        super().__init__(*arguments, **named)


def module_from_file(filename: str) -> Module:
    """What `warpcc -cubin`, `-ptx` or `-fatbin` wrote. Raises CudaError."""
    return Module(LoadedModule(filename))


def module_from_buffer(buffer: bytes) -> Module:
    """The same, from memory."""
    with temporary_folder("warploom-pycuda-") as folder:
        path = Path(folder, "module.cubin")
        path.write_bytes(buffer)
        return Module(LoadedModule(path))


class Function:
    """A kernel: `kernel(a, b, n, block=(32, 1, 1), grid=(4, 1))`."""

    def __init__(self, own: Kernel, module: Module) -> None:
        self._own, self._module = own, module
        self._block: tuple[int, ...] = (1, 1, 1)

    def __call__(
        self,
        *args: Any,
        block: Sequence[int] | None = None,
        grid: Sequence[int] = (1, 1),
        shared: int = 0,
        stream: driver.Stream | None = None,
        time_kernel: bool = False,
        texrefs: Sequence[Any] = (),
    ) -> float | None:
        """Launch, and wait unless there is a `stream`; with `time_kernel` the seconds that it took.

        Numbers are NumPy's, arrays In, Out, InOut, allocations or GPUArrays. Raises TypeError for others.
        """
        del texrefs
        if block is None:
            raise ValueError("must specify block size")
        held: list[tuple[driver.In, driver.DeviceAllocation]] = []
        given = tuple(self._argument(place, each, held) for place, each in enumerate(args))
        start = perf_counter()
        extents = tuple(map(int, grid)), tuple(map(int, block))
        self._own(*extents, given, shared_mem=shared, stream=stream.own if stream is not None else None)
        if stream is not None and not held:
            pending.note(stream.own)
            return None
        if stream is not None:
            stream.synchronize()
        seconds = perf_counter() - start
        for handler, memory in held:
            handler.after(memory)
        return seconds if time_kernel else None

    def _argument(self, place: int, value: Any, held: list[tuple[driver.In, driver.DeviceAllocation]]) -> Any:
        if isinstance(value, driver.In):
            memory = value.before()
            held.append((value, memory))
            return Address(int(memory), memory)
        if isinstance(value, driver.DeviceAllocation):
            return Address(int(value), value)
        if hasattr(value, "gpudata"):
            return Address(int(value.gpudata), value)
        if hasattr(value, "__cuda_array_interface__"):
            return Address(int(value.__cuda_array_interface__["data"][0]), value)
        parameters = self._own.signature.parameters
        is_pointer = place < len(parameters) and parameters[place].is_pointer
        if is_pointer and (is_scalar(value) or isinstance(value, int)):
            return Address(int(value))  # pyright: ignore[reportArgumentType]
        if is_scalar(value) or is_array(value):
            return value
        wanted = parameters[place].text if place < len(parameters) else "nothing"
        raise TypeError(
            f"invalid type on parameter #{place} (0-based): {type(value).__name__}, the kernel takes {wanted}; numbers "
            "are NumPy's: numpy.int32(n), and arrays In(x), Out(x), InOut(x) or what mem_alloc gave"
        )

    def prepare(self, arg_types: Any, texrefs: Sequence[Any] = (), **_options: Any) -> Function:
        """Say what the kernel takes, for the calls below: letters of `struct`, or dtypes."""
        del texrefs
        self._types: list[Any] = [_dtype(each) for each in arg_types]
        return self

    def prepared_call(self, grid: Sequence[int], block: Sequence[int], *args: Any, shared_size: int = 0) -> None:
        """Launch, and wait."""
        self(*self._prepared(args), grid=grid, block=block, shared=shared_size)

    def prepared_async_call(
        self, grid: Sequence[int], block: Sequence[int], stream: driver.Stream | None, *args: Any, shared_size: int = 0
    ) -> None:
        """Launch in a stream."""
        self(*self._prepared(args), grid=grid, block=block, stream=stream, shared=shared_size)

    def prepared_timed_call(self, grid: Sequence[int], block: Sequence[int], *args: Any, shared_size: int = 0) -> Any:
        """Launch; a function that gives the seconds that it took."""
        seconds = self(*self._prepared(args), grid=grid, block=block, shared=shared_size, time_kernel=True)
        return lambda: seconds

    def _prepared(self, args: Sequence[Any]) -> list[Any]:
        if len(args) != len(self._types):
            raise TypeError(f"the kernel was prepared for {len(self._types)} arguments, not {len(args)}")
        return [
            each if dtype is None or _is_memory(each) else dtype(each)
            for dtype, each in zip(self._types, args, strict=True)
        ]

    def set_cache_config(self, config: int) -> None:
        """A CPU's cache prefers nothing."""

    def __getattr__(self, name: str) -> int:
        if name not in (*_SIZES, *_NUMBERS):
            raise AttributeError(f"a Function has no '{name}'")
        found = _Attributes()
        runtime().call("cudaFuncGetAttributes", ctypes.byref(found), self._own.handle)
        return int(getattr(found, name))


def _is_memory(value: Any) -> bool:
    owns = hasattr(value, "gpudata") or hasattr(value, "__cuda_array_interface__")
    return owns or isinstance(value, driver.DeviceAllocation)


def _dtype(word: Any) -> Any:
    """What makes an argument of a number; None: it is an address."""
    if isinstance(word, str) and word == "P":
        return None
    return np.dtype(word).type
