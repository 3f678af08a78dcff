# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""`@jit`: a function in Python as a kernel, compiled at its first call for the types of that call's arguments."""

from __future__ import annotations

import ast
import builtins
import inspect
import textwrap
import threading
from collections import ChainMap
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property, lru_cache
from pathlib import Path
from types import FunctionType
from typing import Any, overload

import numpy as np

from warploom.api.arguments import ArgumentError, as_array_argument, shown
from warploom.api.dtypes import is_array, is_scalar
from warploom.api.kernel import Kernel
from warploom.api.module import RawModule
from warploom.api.streams import Stream
from warploom.pyjit.expressions import DYNAMIC_SIZE, Scope
from warploom.pyjit.statements import stored, write_body
from warploom.pyjit.types import SCALARS, Array, Known, NoValue, Scalar, Type
from warploom.pyjit.values import JitError, Value

PRELUDE = Path(__file__).resolve().parent
_PLAIN = {bool: SCALARS["bool"], int: SCALARS["int64"], float: SCALARS["float64"]}


class Function:
    """A function in Python that kernels run.

    A kernel is launched as `function[grid, block](arguments)`, or `[grid, block, stream, shared_memory]`. Arrays are
    those that RawKernel takes, contiguous or not; numbers have the types that NumPy gives them. A function for other
    kernels (`device=True`) is called by name within them.
    """

    def __init__(self, function: Callable[..., Any], *, device: bool, options: tuple[str, ...]) -> None:
        self.function = function
        self.is_device = device
        self.options = options
        self.__name__ = function.__name__
        self.__doc__ = function.__doc__
        self._kernels: dict[tuple[Type, ...], tuple[Kernel, bool]] = {}
        self.ready: dict[tuple[Any, ...], tuple[Kernel, bool]] = {}  # by what the arguments of a call look like
        self._lock = threading.Lock()

    def __repr__(self) -> str:
        return f"<{'device function' if self.is_device else 'kernel'} {self.__name__}>"

    @cached_property
    def file(self) -> str:
        """The file that it is written in."""
        return self.function.__code__.co_filename.replace("\\", "\\\\").replace('"', '\\"')

    @cached_property
    def tree(self) -> ast.FunctionDef:
        """Its syntax tree, with the lines of its file. Raises JitError where there is no source."""
        try:
            lines, first = inspect.getsourcelines(self.function)
        except (OSError, TypeError):
            raise JitError(f"the source of '{self.__name__}' is not to be found", hint="put it in a file") from None
        tree = ast.parse(textwrap.dedent("".join(lines)))
        ast.increment_lineno(tree, max(first, 1) - 1)
        found = tree.body[0]
        if not isinstance(found, ast.FunctionDef):
            raise JitError(f"'{self.__name__}' is no plain function", file=self.file, line=first)
        return found

    @cached_property
    def parameters(self) -> tuple[str, ...]:
        """The names of its parameters. Raises JitError for any but plain ones."""
        given = self.tree.args
        if given.vararg or given.kwarg or given.kwonlyargs or given.defaults:
            raise JitError("parameters are plain names", file=self.file, line=self.tree.lineno)
        return tuple(each.arg for each in (*given.posonlyargs, *given.args))

    @cached_property
    def makes_arrays(self) -> bool:
        """Whether it makes shared or local arrays."""
        calls = (node.func for node in ast.walk(self.tree) if isinstance(node, ast.Call))
        return any(isinstance(function, ast.Attribute) and function.attr == "array" for function in calls)

    @cached_property
    def names(self) -> Mapping[str, Any]:
        """What its free names are."""
        closed = inspect.getclosurevars(self.function).nonlocals
        return ChainMap(dict(closed), self.function.__globals__, builtins.__dict__)

    @cached_property
    def assigned(self) -> frozenset[str]:
        """Its own variables."""
        return frozenset((*stored(self.tree), *self.parameters))

    def __getitem__(self, configuration: Any) -> Configured:
        """`kernel[grid, block]`, `kernel[grid, block, stream]`, `kernel[grid, block, stream, shared_memory]`."""
        if self.is_device or not isinstance(configuration, tuple) or not 2 <= len(configuration) <= 4:  # pyright: ignore[reportUnknownArgumentType]
            raise ArgumentError(f"{self.__name__}[blocks, threads] launches a kernel; {shown(configuration)} does not")  # pyright: ignore[reportUnknownArgumentType]
        given: list[Any] = [*configuration, *(None, 0)[len(configuration) - 2 :]]  # pyright: ignore[reportUnknownArgumentType]
        grid, block, stream, shared = given
        return Configured(self, grid, block, stream or None, shared)

    def forall(self, count: int, threads: int = 128) -> Configured:
        """A configuration with at least `count` threads in blocks of `threads`."""
        return Configured(self, max((count + threads - 1) // threads, 1), threads, None, 0)

    def __call__(self, *_arguments: Any) -> None:
        raise ArgumentError(f"a kernel is launched with its extents: {self.__name__}[blocks, threads](...)")

    def kernel_for(self, types: tuple[Type, ...]) -> tuple[Kernel, bool]:
        """The kernel for arguments of these types, and whether it has dynamic shared memory.

        Raises JitError, CompileError.
        """
        found = self._kernels.get(types)
        if found is None:
            with self._lock:
                if types not in self._kernels:
                    module = self._module(types)
                    kernel = module.get_function(symbol_of(self))
                    is_dynamic = len(kernel.signature.parameters) > sum(map(_parameter_count, types))
                    self._kernels[types] = kernel, is_dynamic
                found = self._kernels[types]
        return found

    def _module(self, types: tuple[Type, ...]) -> RawModule:
        return RawModule(write_kernel(self, types), options=(f"-I{PRELUDE}", *self.options), name=self.file)

    def module_for(self, *arguments: Any) -> RawModule:
        """The module with the kernel for such arguments."""
        return self._module(tuple(_type_of(_taken(value)[0]) for value in arguments))

    def inspect_source(self, *arguments: Any) -> str:
        """The CUDA C++ of the kernel for such arguments."""
        return write_kernel(self, tuple(_type_of(_taken(value)[0]) for value in arguments))


@dataclass(frozen=True)
class Configured:
    """A kernel with the extents of a launch."""

    function: Function
    grid: Any
    block: Any
    stream: Stream | None
    shared_memory: int

    def __call__(self, *arguments: Any) -> None:
        """Launch. Raises what RawKernel's call raises, and JitError where the function is no kernel for such types."""
        if len(arguments) != len(self.function.parameters):
            wanted = ", ".join(self.function.parameters)
            raise ArgumentError(f"{self.function.__name__}({wanted}) got {len(arguments)} arguments")
        keys: list[Any] = []
        words: list[Any] = []
        for value in arguments:
            try:
                key, given = _taken(value)
            except ArgumentError as error:
                raise self._wrong(len(keys), error) from None
            keys.append(key)
            words += given
        kernel, is_dynamic = self.function.ready.get(tuple(keys)) or self._made(keys)
        if is_dynamic:
            words.append(self.shared_memory)
        kernel(self.grid, self.block, tuple(words), shared_mem=self.shared_memory, stream=self.stream)
        if self.stream is not None:
            self.stream.keep(arguments)

    def _made(self, keys: Sequence[Any]) -> tuple[Kernel, bool]:
        """The kernel for arguments that these keys tell of, at the first call with such."""
        types: list[Type] = []
        for key in keys:
            try:
                types.append(_type_of(key))
            except ArgumentError as error:
                raise self._wrong(len(types), error) from None
        made = self.function.kernel_for(tuple(types))
        self.function.ready[tuple(keys)] = made
        return made

    def _wrong(self, number: int, error: ArgumentError) -> ArgumentError:
        return ArgumentError(f"{self.function.__name__}, argument {number + 1}: {error}")


def _taken(value: Any) -> tuple[Any, list[Any]]:
    """What decides the type of an argument (`_type_of`), and what the C++ kernel gets for it."""
    kind: type[Any] = type(value)  # pyright: ignore[reportUnknownVariableType]
    if kind in _PLAIN:
        return kind, [value]
    if is_scalar(value):
        return value.dtype, [value]
    array = value if is_array(value) else as_array_argument(value)
    if array.ndim == 0:
        return array.dtype, [array[()]]
    flags = array.flags
    if flags.c_contiguous:
        return (array.dtype, array.ndim, True, not flags.writeable), [array, *array.shape]
    address = array.__array_interface__["data"][0]
    return (array.dtype, array.ndim, False, not flags.writeable), [address, *array.shape, *array.strides]


@lru_cache(maxsize=1000)
def _type_of(key: Any) -> Type:
    if isinstance(key, tuple):
        dtype, ndim, is_contiguous, is_const = key  # pyright: ignore[reportUnknownVariableType]
        return Array(_scalar(dtype), ndim, is_contiguous, is_const)  # pyright: ignore[reportUnknownArgumentType]
    return _PLAIN[key] if key in _PLAIN else _scalar(key)


def _scalar(dtype: np.dtype[Any]) -> Scalar:
    found = SCALARS.get(dtype.name)
    if found is None or not dtype.isnative:
        raise ArgumentError(f"{dtype} is no number that kernels in Python have")
    return found


# -- to C++ -----------------------------------------------------------------------------------------------------------


@dataclass
class _Program:
    """The device functions that a kernel needs, each before those that call it."""

    texts: list[str] = field(default_factory=list[str])
    made: dict[tuple[Function, tuple[Type, ...]], tuple[str, Type]] = field(
        default_factory=dict[tuple["Function", tuple[Type, ...]], tuple[str, Type]]
    )
    open: list[Function] = field(default_factory=list[Function])

    def scope(self, function: Function, known: Mapping[str, Any] | None = None) -> Scope:
        names = ChainMap(dict(known), function.names) if known else function.names  # pyright: ignore[reportArgumentType]
        return Scope(function.file, names, assigned=function.assigned.difference(known or ()), call=self.call)

    def call(self, called: Any, values: Sequence[Value]) -> Value | None:
        """A call of a device function; None for anything else."""
        if not isinstance(called, Function):
            return None
        if not called.is_device:
            raise JitError(f"'{called.__name__}' is a kernel", hint="@jit(device=True) makes a function for kernels")
        if len(values) != len(called.parameters):
            raise JitError(f"'{called.__name__}' takes {len(called.parameters)} arguments, not {len(values)}")
        types = tuple(_specialised(called, *pair) for pair in zip(called.parameters, values, strict=True))
        name, result = self.function(called, types)
        given = [value.text for value, kind in zip(values, types, strict=True) if not isinstance(kind, Known)]
        return Value(f"{name}({', '.join(given)})", result)

    def function(self, called: Function, types: tuple[Type, ...]) -> tuple[str, Type]:
        """The name and the result of a device function for arguments of these types; it is written when it is new."""
        key = called, types
        if key in self.made:
            return self.made[key]
        if called in self.open:
            raise JitError(f"'{called.__name__}' calls itself", hint="write it as a loop")
        self.open.append(called)
        pairs = list(zip(called.parameters, types, strict=True))
        known = {name: kind.what for name, kind in pairs if isinstance(kind, Known)}
        values = {name: Value(f"{name}_p", kind) for name, kind in pairs if name not in known}
        written = write_body(called.tree, self.scope(called, known), values)
        self.open.pop()
        if written.dynamic is not None:
            raise JitError("dynamic shared memory is declared in the kernel", file=called.file, line=called.tree.lineno)
        name = f"{called.__name__}_{len(self.made)}"
        parameters = ", ".join(f"{value.type.text} {value.text}" for value in values.values())
        head = f"static __device__ {written.result.text} {name}({parameters}) {{"
        self.texts += [head, *written.lines, "}"]
        self.made[key] = name, written.result
        return self.made[key]


def _specialised(called: Function, name: str, value: Value) -> Type:
    """What decides how a device function is written: a type, or what its parameter is known to be.

    A number stays one, but where the function makes arrays, whose extents are to be known.
    """
    is_extent = type(value.constant) is int and called.makes_arrays
    if not isinstance(value.type, Known) and not is_extent:
        return value.type
    if name in stored(called.tree):
        if is_extent:
            return value.type
        raise JitError(f"'{name}' of '{called.__name__}' is {value.type.name}, and is assigned to")
    return value.type if isinstance(value.type, Known) else Known(value.constant)


def _parameter_count(kind: Type) -> int:
    """How many parameters of the C++ kernel an argument becomes."""
    return len(_taken_apart("", kind)[0])


def symbol_of(function: Function) -> str:
    """What its kernel is called: no name of C++'s or CUDA's."""
    return f"{function.__name__}_kernel"


def write_kernel(function: Function, types: tuple[Type, ...]) -> str:
    """The CUDA C++ of a kernel for arguments of these types. Raises JitError."""
    program = _Program()
    values, parameters, unpacked = dict[str, Value](), list[str](), list[str]()
    for name, kind in zip(function.parameters, types, strict=True):
        values[name] = Value(f"{name}_p", kind, isinstance(kind, Scalar) and kind.kind in "bu")
        words, line = _taken_apart(f"{name}_p", kind)
        parameters += words
        unpacked += line
    written = write_body(function.tree, program.scope(function), values)
    if not isinstance(written.result, NoValue):
        raise JitError("a kernel returns nothing", file=function.file, line=function.tree.lineno)
    if written.dynamic is not None:
        parameters.append(f"Int {DYNAMIC_SIZE}")
    head = f'extern "C" __global__ void {symbol_of(function)}({", ".join(parameters)}) {{'
    return "\n".join(['#include "prelude.cuh"', *program.texts, head, *unpacked, *written.lines, "}", ""])


def _taken_apart(name: str, kind: Type) -> tuple[list[str], list[str]]:
    """The parameters that an argument becomes, and what makes one value of them again."""
    if isinstance(kind, Scalar):
        return [f"{kind.text} {name}"], []
    assert isinstance(kind, Array)
    extents = [f"{name}_n{axis}" for axis in range(kind.ndim)]
    strides = [] if kind.is_contiguous else [f"{name}_s{axis}" for axis in range(kind.ndim)]
    element = f"const {kind.element.text}" if kind.is_const else kind.element.text
    address = f"{element} *{name}_data" if kind.is_contiguous else f"unsigned long long {name}_data"
    parameters = [address, *(f"Int {each}" for each in (*extents, *strides))]
    lists = "".join(f", {{{', '.join(each)}}}" for each in (extents, strides) if each)
    return parameters, [f"const {kind.text} {name} = {{({element} *){name}_data{lists}}};"]


@overload
def jit(function: FunctionType, /) -> Function: ...
@overload
def jit(
    signature: str | Sequence[Any] | None = None,
    /,
    *,
    device: bool = False,
    inline: Any = False,
    fastmath: bool = False,
    lineinfo: bool = False,
    debug: bool = False,
    fma: bool = True,
    options: Sequence[str] = (),
    **ignored: Any,
) -> Callable[[Callable[..., Any]], Function]: ...
def jit(
    function: Any = None,
    /,
    *,
    device: bool = False,
    inline: Any = False,
    fastmath: bool = False,
    lineinfo: bool = False,
    debug: bool = False,
    fma: bool = True,
    options: Sequence[str] = (),
    **ignored: Any,
) -> Any:
    """Make a kernel of a function in Python, or with `device=True` a function that kernels call.

        @warploom.jit
        def scale(x, factor):
            i = cuda.grid(1)
            if i < x.size:
                x[i] *= factor

        scale[blocks, threads](x, 2.0)

    It is compiled at the first call for each combination of types; a signature in place of the function is taken and
    not needed. `fastmath` and `fma` as numba has them; `lineinfo` or `debug`: faults are told with their lines.
    `options`: more words of RawModule's. Raises JitError, at the first call, for what is not supported.
    """
    del inline, ignored  # what becomes of calls, and of registers, is the compiler's own affair
    words = [*options]
    words += ["-use_fast_math"] if fastmath else []
    words += ["-lineinfo"] if lineinfo or debug else []
    words += [] if fma else ["-fmad=false"]

    def decorate(wrapped: Callable[..., Any]) -> Function:
        return Function(wrapped, device=device, options=tuple(words))

    return decorate(function) if inspect.isfunction(function) else decorate
