# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""RawModule and RawKernel: CUDA C++ in a string or a file, called with NumPy arrays."""

from __future__ import annotations

import ctypes
import functools
import struct
import threading
from collections.abc import Callable, Mapping, Sequence
from operator import index
from pathlib import Path
from typing import Any

import numpy as np

from warploom.api.arguments import ArgumentError, Packed, pack, shown
from warploom.api.dtypes import dtype_of
from warploom.api.runtime import OTHER, SUCCESS, Extent, quick_call, runtime
from warploom.api.streams import Stream, current_stream
from warploom.compiler.options import parse_options
from warploom.compiler.service import Module, Request, compile_module
from warploom.compiler.signature import Global, KernelSignature, Parameter
from warploom.diagnostics import Diagnostic

Size = int | Sequence[int]
_MOST_QUICK = 32  # kMost of calls.c
_DYNAMIC_SHARED_MEMORY = 8  # cudaFuncAttributeMaxDynamicSharedMemorySize
_ORDINARY_SHARED_MEMORY = 48 * 1024
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
            code, parse_options(options), name or "kernel.cu", dict(headers or {}), tuple(name_expressions or ())
        )
        self._cooperative = cooperative
        self._lock = threading.Lock()
        self._loaded: tuple[Module, int] | None = None
        self._functions: dict[str, Kernel] = {}

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
            made = Kernel(_find(module, name), handle, cooperative=self._cooperative)
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
                    library = ctypes.c_void_p()
                    load = functools.partial(runtime().call, "cudaLibraryLoadFromFile", ctypes.byref(library))
                    load(str(module.library).encode(), None, None, 0, None, None, 0)
                    self._loaded = module, library.value or 0
        return self._loaded


class Kernel:
    """A kernel that is loaded: `kernel(grid, block, args)` launches it."""

    def __init__(self, signature: KernelSignature, library: int, *, cooperative: bool = False) -> None:
        """`cooperative`: its blocks may wait for one another (`grid.sync()`)."""
        self.signature = signature
        self._library = library
        handle = ctypes.c_void_p()
        runtime().call("cudaLibraryGetKernel", ctypes.byref(handle), library, signature.name.encode())
        self._handle = handle.value or 0
        self._shared = _ORDINARY_SHARED_MEMORY
        self._launcher = "cudaLaunchCooperativeKernel" if cooperative else "cudaLaunchKernel"
        self._plan = _plan(signature, self._handle, self._launcher)
        self._call: Callable[..., int] = quick_call() or _never

    @property
    def name(self) -> str:
        """As the source declares it."""
        return self.signature.source_name

    def cooperating(self) -> Kernel:
        """The kernel, launched so that its blocks may wait for one another."""
        return Kernel(self.signature, self._library, cooperative=True)

    @property
    def handle(self) -> int:
        """The kernel as the runtime's functions take it: `cudaKernel_t`, `CUfunction`."""
        return self._handle

    def __call__(
        self,
        grid: Size,
        block: Size,
        args: Sequence[Any] = (),
        *,
        shared_mem: int = 0,
        stream: Stream | None = None,
    ) -> None:
        """Launch with `grid` blocks of `block` threads, each a number or up to three, for x, y and z.

        `args`: an array for each pointer, a number for each number, a structured scalar or a tuple for each struct.
        `shared_mem`: bytes of dynamic shared memory. Without a `stream`, outside `with stream:`, the kernel has ended
        when the call returns, and the arrays hold its results; in a stream it goes on.

        Raises ArgumentError for arguments that are not what the kernel takes, KernelFault for a kernel that went wrong,
        CudaError for a launch that cannot be. Other Python threads run meanwhile.
        """
        if shared_mem != 0:
            self._allow(_bytes(shared_mem))
        chosen = stream if stream is not None else current_stream()
        handle, is_waited_for = (0, 1) if chosen is None else (_handle_of(chosen), 0)
        code = self._call(self._plan, grid, block, args, shared_mem, handle, is_waited_for)
        if code == OTHER:
            code = self._launch(grid, block, args, shared_mem, handle, chosen)
        elif chosen is not None and code == SUCCESS:
            _keep(chosen, args)
        if code != SUCCESS:
            raise self._explained(code, grid, block, shared_mem)

    def _launch(
        self, grid: Size, block: Size, args: Sequence[Any], shared_mem: int, stream: int, chosen: Stream | None
    ) -> int:
        """The general way: arguments are converted by their protocols, or refused."""
        if not isinstance(args, tuple | list):
            raise ArgumentError("the arguments are a tuple: kernel(grid, block, (x, y))")
        extents = extent_of("grid", grid), extent_of("block", block)
        return self._launch_packed(extents, pack(self.signature, args), shared_mem, stream, chosen)

    def _launch_packed(
        self, extents: tuple[Extent, Extent], packed: Packed, shared_mem: int, stream: int, chosen: Stream | None
    ) -> int:
        slots = [ctypes.create_string_buffer(value, max(len(value), 1)) for value in packed.values]
        addresses = (ctypes.c_void_p * max(len(slots), 1))(*(ctypes.addressof(slot) for slot in slots))
        run = runtime()
        code = run.function(self._launcher)(self._handle, *extents, addresses, shared_mem, stream)
        if code != SUCCESS or chosen is not None:
            _keep(chosen, packed.kept)
            return code
        return run.function("cudaStreamSynchronize")(stream)

    def launch_packed(
        self, grid: Size, block: Size, packed: Packed, *, shared_mem: int = 0, stream: Stream | None = None
    ) -> None:
        """Launch with the arguments' bytes: for those who know what the kernel takes. As `__call__` otherwise."""
        if shared_mem != 0:
            self._allow(_bytes(shared_mem))
        chosen = stream if stream is not None else current_stream()
        handle = 0 if chosen is None else _handle_of(chosen)
        extents = extent_of("grid", grid), extent_of("block", block)
        code = self._launch_packed(extents, packed, shared_mem, handle, chosen)
        if code != SUCCESS:
            raise self._explained(code, grid, block, shared_mem)

    def _allow(self, shared_mem: int) -> None:
        """More dynamic shared memory than a kernel has without asking."""
        if shared_mem > self._shared:
            runtime().call("cudaFuncSetAttribute", self._handle, _DYNAMIC_SHARED_MEMORY, shared_mem)
            self._shared = shared_mem

    def _explained(self, code: int, grid: Size, block: Size, shared_mem: int) -> Exception:
        error = runtime().error(code)
        for what, value in (("grid", grid), ("block", block)):
            extent_of(what, value)  # a mistake of its kind is told as such
        extents = f"grid {_short(grid)}, block {_short(block)}"
        place = f"{self.name}: {extents}, {shared_mem} bytes of dynamic shared memory"
        error.args = (f"{error} ({place})",)
        return error


class RawKernel:
    """One kernel of a CUDA C++ source.

    add = warploom.RawKernel(source, "add")
    add((4,), (256,), (a, b, out, np.int32(out.size)))
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


def _bytes(value: Any) -> int:
    if not isinstance(value, int) or not 0 <= value < 1 << 31:
        raise ArgumentError(f"shared_mem is a number of bytes, not {shown(value)}")
    return value


def extent_of(what: str, value: Any) -> Extent:
    """A number of blocks or of threads: one number, or up to three. Raises ArgumentError."""
    numbers: Any = [value] if hasattr(value, "__index__") else value
    try:
        extents = [index(number) for number in numbers]
    except TypeError:
        raise ArgumentError(f"{what} is a number or up to three of them, not {shown(value)}") from None
    if not 1 <= len(extents) <= 3 or not all(0 < extent < 1 << 32 for extent in extents):
        raise ArgumentError(f"{what} is one to three positive numbers, not {shown(value)}")
    return Extent(*extents, *[1] * (3 - len(extents)))


def _short(extent: Any) -> str:
    """An extent that can be one, for messages."""
    numbers = extent_of("", extent)
    return f"{numbers.x} x {numbers.y} x {numbers.z}"


def _handle_of(stream: Any) -> int:
    handle = getattr(stream, "ptr", None)
    if not isinstance(handle, int):
        raise ArgumentError(f"stream is a warploom.Stream, not {type(stream).__name__}")
    return handle


def _keep(stream: Stream | None, kept: Any) -> None:
    if stream is not None:
        stream.keep(kept)


def _never(*_arguments: Any) -> int:
    return OTHER


def _read(path: Path) -> str:
    if path.suffix not in _SOURCES:
        raise Diagnostic(
            "a module is made of source text",
            file=path,
            hint="path= names CUDA C++; its compiled form is kept in a cache",
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


def _plan(signature: KernelSignature, handle: int, launcher: str) -> bytes:
    """What calls.c reads: `Plan`; a kernel that it is not made for has more parameters than any call gives."""
    run = runtime()
    is_quick = len(signature.parameters) <= _MOST_QUICK
    count = len(signature.parameters) if is_quick else 1 << 32
    head = struct.pack("=QQQQ", run.address(launcher), run.address("cudaStreamSynchronize"), handle, count)
    return head + b"".join(map(_row, signature.parameters)) if is_quick else head


def _row(parameter: Parameter) -> bytes:
    found = parameter.type
    kind = found.kind if found is not None and found.is_number and found.kind != "bf" and found.size <= 8 else "-"
    size = found.size if found is not None and found.size <= 8 else 0
    alignment = found.alignment if found is not None else 1
    return struct.pack("=cBBBI", kind.encode(), size, parameter.is_pointer, parameter.is_const, alignment)
