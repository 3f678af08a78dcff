# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Kernels that are loaded: launches with NumPy arrays."""

from __future__ import annotations

import ctypes
import functools
import struct
import threading
from collections.abc import Callable, Sequence
from operator import index
from pathlib import Path
from typing import Any, cast

import numpy as np

from warploom.api.arguments import ArgumentError, Packed, pack, shown
from warploom.api.dtypes import holds
from warploom.api.runtime import OTHER, SUCCESS, Extent, quick_call, runtime
from warploom.api.specialise import Special, Watch, make_beside, special_numbers
from warploom.api.streams import Stream, current_stream
from warploom.compiler.service import Module, Request
from warploom.compiler.signature import KernelSignature, Parameter, Type
from warploom.core.fixed_launch import FixedLaunch
from warploom.core.launch import Dims
from warploom.core.records import replace

Size = int | Sequence[int]
_MOST_QUICK = 32  # kMost of calls.c
_DYNAMIC_SHARED_MEMORY = 8  # cudaFuncAttributeMaxDynamicSharedMemorySize
_ORDINARY_SHARED_MEMORY = 48 * 1024


class Kernel:
    """A kernel that is loaded: `kernel(grid, block, args)` launches it."""

    def __init__(
        self,
        signature: KernelSignature,
        library: int,
        request: Request | None,
        *,
        cooperative: bool = False,
        specialises: bool = False,
    ) -> None:
        """`request`: what it was compiled from; None: nobody knows.
        `cooperative`: its blocks may wait for one another (`grid.sync()`).
        `specialises`: launches that repeat may get code of their own."""
        self.signature, self.request = signature, request
        self._library, self._specialises = library, specialises
        self._handle = kernel_of(library, signature.name)
        self._watch = Watch(signature) if specialises else None
        self._special: Special | None = None
        self._lock = threading.Lock()
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
        return Kernel(self.signature, self._library, self.request, cooperative=True, specialises=self._specialises)

    @property
    def specialised(self) -> FixedLaunch | None:
        """The launches that got code of their own, because they repeat: their block and the numbers that are known."""
        return self._special.launch if self._special is not None else None

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
        if self._watch is not None:
            self._watched(self._watch, block, args)

    def _watched(self, watch: Watch, block: Size, args: Sequence[Any]) -> None:
        """Launches that repeat get code of their own, which another process makes meanwhile."""
        dims = _plain_dims(block)
        if dims is None:
            return
        numbers = watch.saw(dims, args)
        if watch.is_over:
            self._watch = None
        if numbers is not None and self.request is not None:
            fixed = FixedLaunch(self.signature.name, dims, tuple(numbers.items()))
            make_beside(replace(self.request, fixed=fixed), functools.partial(self._take, fixed))

    def _take(self, fixed: FixedLaunch, module: Module) -> None:
        """From here on, `module` runs the launches that it is for."""
        handle = kernel_of(load_library(module.library), self.signature.name)
        special = Special(fixed, handle, special_numbers(self.signature, dict(fixed.numbers)))
        with self._lock:
            if self._shared > _ORDINARY_SHARED_MEMORY:
                runtime().call("cudaFuncSetAttribute", handle, _DYNAMIC_SHARED_MEMORY, self._shared)
            self._special, self._plan = special, _plan(self.signature, self._handle, self._launcher, special)

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
        special, block = self._special, extents[1]
        is_special = special is not None and special.is_for((block.x, block.y, block.z), packed.values)
        handle = special.handle if special is not None and is_special else self._handle
        code = run.function(self._launcher)(handle, *extents, addresses, shared_mem, stream)
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
        with self._lock:
            if shared_mem > self._shared:
                for handle in (self._handle, *((self._special.handle,) if self._special is not None else ())):
                    runtime().call("cudaFuncSetAttribute", handle, _DYNAMIC_SHARED_MEMORY, shared_mem)
                self._shared = shared_mem

    def _explained(self, code: int, grid: Size, block: Size, shared_mem: int) -> Exception:
        error = runtime().error(code)
        for what, value in (("grid", grid), ("block", block)):
            extent_of(what, value)  # a mistake of its kind is told as such
        extents = f"grid {_short(grid)}, block {_short(block)}"
        place = f"{self.name}: {extents}, {shared_mem} bytes of dynamic shared memory"
        error.args = (f"{error} ({place})",)
        return error


def load_library(path: Path) -> int:
    """The runtime's handle of a module's file, loaded now. Raises CudaError."""
    library = ctypes.c_void_p()
    load = functools.partial(runtime().call, "cudaLibraryLoadFromFile", ctypes.byref(library))
    load(str(path).encode(), None, None, 0, None, None, 0)
    return library.value or 0


def kernel_of(library: int, symbol: str) -> int:
    """The runtime's handle of a kernel. Raises CudaError where there is none of that name."""
    handle = ctypes.c_void_p()
    runtime().call("cudaLibraryGetKernel", ctypes.byref(handle), library, symbol.encode())
    return handle.value or 0


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


def _plain_dims(block: object) -> Dims | None:
    """A block's size in plain numbers; what else an extent can be may say another one when it is asked again."""
    numbers = cast("tuple[object, ...]", block) if type(block) is tuple else (block,)
    plain = [each for each in numbers if type(each) is int]
    x, y, z = (*plain, 1, 1, 1)[:3]
    return (x, y, z) if len(plain) == len(numbers) else None


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


def _plan(signature: KernelSignature, handle: int, launcher: str, special: Special | None = None) -> bytes:
    """What calls.c reads: `Plan`; a kernel that it is not made for has more parameters than any call gives."""
    run = runtime()
    is_quick = len(signature.parameters) <= _MOST_QUICK
    count = len(signature.parameters) if is_quick else 1 << 32
    own, block = (special.handle, special.launch.block) if special is not None else (0, (0, 0, 0))
    addresses = run.address(launcher), run.address("cudaStreamSynchronize")
    head = struct.pack("=QQQQQIIII", *addresses, handle, count, own, *block, 0)
    known = dict(special.numbers) if special is not None else {}
    rows = (_row(each, known.get(number)) for number, each in enumerate(signature.parameters))
    return head + b"".join(rows) if is_quick else head


def _is_complex(found: Type) -> bool:
    """Whether arrays of complex numbers hold a struct."""
    return found.kind == "struct" and found.size in (8, 16) and holds(np.dtype(f"c{found.size}"), found)


def _row(parameter: Parameter, known: bytes | None) -> bytes:
    found = parameter.type
    kind = found.kind if found is not None and found.is_number and found.kind != "bf" and found.size <= 8 else "-"
    if parameter.is_pointer and found is not None and _is_complex(found):
        kind = "c"
    size = found.size if found is not None and (found.size <= 8 or kind == "c") else 0
    alignment = found.alignment if found is not None else 1
    number = int.from_bytes(known or b"", "little")
    flags = parameter.is_pointer, parameter.is_const
    return struct.pack("=cBBBIQQ", kind.encode(), size, *flags, alignment, known is not None, number)
