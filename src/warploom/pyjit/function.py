# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""`@jit`: a function in Python as a kernel, compiled at its first call for the types of that call's arguments."""

from __future__ import annotations

import ast
import builtins
import inspect
import threading
from collections import ChainMap
from collections.abc import Callable, Mapping, Sequence
from functools import cached_property
from itertools import accumulate
from pathlib import Path
from types import FunctionType
from typing import Any, overload

import numpy as np

from warploom.api.arguments import ArgumentError, shown
from warploom.api.dtypes import is_array
from warploom.api.kernel import Kernel
from warploom.api.module import RawModule
from warploom.api.runtime import KernelFault
from warploom.api.streams import Stream
from warploom.core.records import dataclass
from warploom.pyjit.arguments import (
    Hint,
    conversion,
    fitting,
    is_given_whole,
    looks_of,
    patterns_of,
    taken,
    type_of,
)
from warploom.pyjit.launches import LaunchError, Overloads, extent_of_launch
from warploom.pyjit.loops import stored
from warploom.pyjit.lowering import Raised
from warploom.pyjit.program import WrittenKernel, symbol_of, write_kernel
from warploom.pyjit.signatures import Signature, signatures_of
from warploom.pyjit.source import parameters_of, tree_of
from warploom.pyjit.types import Scalar, Type

PRELUDE = Path(__file__).resolve().parent


@dataclass(frozen=True)
class Made:
    """A kernel that is compiled for arguments of certain types."""

    kernel: Kernel
    module: RawModule
    raised: Raised

    def explained(self, fault: KernelFault, file: str) -> BaseException:
        """The exception that the kernel raised, where a fault is one."""
        if not self.raised.errors:
            return fault
        told = self.module.get_global("warploom_raised")
        number, *places = (int(each) for each in told)
        told[:] = 0
        if number == 0:
            return fault
        kind, words, function, line = self.raised.errors[number - 1]
        where = f"In function {function!r}, file {file}, line {line}: tid={places[:3]} ctaid={places[3:]}"
        text = f"{where}: {words[0]}" if words else where
        return kind(text, *words[1:])


@dataclass(frozen=True, slots=True)
class Ready:
    """What a launch with arguments of certain looks takes."""

    made: Made
    conversions: tuple[tuple[int, Callable[[Any], Any]], ...]  # by number: those that a signature has otherwise


@dataclass(frozen=True, slots=True)
class Quick:
    """What a launch takes whose arguments the kernel gets as they are, but for numbers that are converted."""

    made: Made
    arrays: tuple[bool, ...]
    conversions: tuple[tuple[int, Callable[[Any], Any]], ...]  # by place among what the kernel gets

    def words(self, arguments: Sequence[Any]) -> list[Any]:
        """What the C++ kernel gets."""
        words: list[Any] = []
        for value, has_extents in zip(arguments, self.arrays, strict=True):
            words.append(value)
            if has_extents:
                words += value.shape
        for place, converted in self.conversions:
            words[place] = converted(words[place])
        return words


class Function:
    """A function in Python that kernels run.

    A kernel is launched as `function[grid, block](arguments)`, or `[grid, block, stream, shared_memory]`. Arrays are
    those that RawKernel takes, contiguous or not; numbers have the types that NumPy gives them. A function for other
    kernels (`device=True`) is called by name within them.
    """

    def __init__(
        self,
        function: Callable[..., Any],
        *,
        device: bool,
        options: tuple[str, ...],
        signatures: tuple[Signature, ...] = (),
        is_checked: bool = False,
    ) -> None:
        """`signatures`: what its arguments are converted to. `is_checked`: divisors and indices are tested."""
        self.function = function
        self.is_device = device
        self.options = options
        self.signatures = signatures
        self.is_checked = is_checked
        self.extensions: list[Any] = []
        self.__name__ = function.__name__
        self.__doc__ = function.__doc__
        self.__module__ = function.__module__
        self._kernels: dict[tuple[Type, ...], Made] = {}
        self.ready: dict[tuple[Any, ...], Ready] = {}  # by what the arguments of a call look like
        self.quick: dict[tuple[Any, ...] | None, Quick] = {}  # likewise (looks_of)
        self._specialised: dict[Signature, Function] = {}
        self._lock = threading.Lock()

    def __repr__(self) -> str:
        return f"<{'device function' if self.is_device else 'kernel'} {self.__name__}>"

    @property
    def py_func(self) -> Callable[..., Any]:
        """The function in Python."""
        return self.function

    @cached_property
    def file(self) -> str:
        """The file that it is written in."""
        return self.function.__code__.co_filename.replace("\\", "\\\\").replace('"', '\\"')

    @cached_property
    def tree(self) -> ast.FunctionDef:
        """Its syntax tree, with the lines of its file. Raises JitError where there is none."""
        return tree_of(self.function, self.file)

    @cached_property
    def parameters(self) -> tuple[str, ...]:
        """The names of its parameters. Raises JitError for any but plain ones."""
        return parameters_of(self.function, self.file)

    @cached_property
    def defaults(self) -> Mapping[str, Any]:
        """What parameters are where a call leaves them out."""
        given = self.function.__defaults__ or ()
        return dict(zip(self.parameters[len(self.parameters) - len(given) :], given, strict=True))

    @cached_property
    def makes_arrays(self) -> bool:
        """Whether it makes shared or local arrays."""
        calls = (node.func for node in ast.walk(self.tree) if isinstance(node, ast.Call))
        return any(isinstance(function, ast.Attribute) and function.attr == "array" for function in calls)

    @property
    def names(self) -> Mapping[str, Any]:
        """What its free names are, now."""
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
        return Configured(
            self, extent_of_launch("griddim", grid), extent_of_launch("blockdim", block), stream or None, shared
        )

    def forall(self, count: int, tpb: int = 0, stream: Any = None, sharedmem: int = 0) -> Configured:
        """A configuration with at least `count` threads in blocks of `tpb`."""
        if count < 0:
            raise LaunchError(f"Can't create ForAll with negative task count: {count}")
        threads = tpb or 128
        return Configured(self, (count + threads - 1) // threads, threads, stream or None, sharedmem)

    def __call__(self, *_arguments: Any) -> None:
        if self.is_device:
            raise LaunchError(f"{self.__name__} is a function for kernels")
        raise LaunchError(f"launch configuration was not specified: {self.__name__}[blocks, threads](...)")

    def specialize(self, *arguments: Any) -> Function:
        """The kernel for arguments, or types, of one kind only."""
        if self.signatures:
            raise RuntimeError(f"{self.__name__}: Dispatcher already specialized")
        signature = patterns_of(arguments)
        if signature not in self._specialised:
            self._specialised[signature] = Function(
                self.function,
                device=self.is_device,
                options=self.options,
                signatures=(signature,),
                is_checked=self.is_checked,
            )
        return self._specialised[signature]

    @property
    def specializations(self) -> Mapping[Signature, Function]:
        """What `specialize` has made."""
        return self._specialised

    @property
    def overloads(self) -> Overloads:
        """The kernels by the types of arguments."""
        return Overloads(self.compiled_types)

    def kernel_for(self, types: tuple[Type, ...]) -> Made:
        """The kernel for arguments of these types. Raises JitError, CompileError."""
        found = self._kernels.get(types)
        if found is None:
            with self._lock:
                if types not in self._kernels:
                    self._kernels[types] = self._compiled(self._written(types))
                found = self._kernels[types]
        return found

    def _compiled(self, written: WrittenKernel) -> Made:
        module = self._module(written)
        return Made(module.get_function(symbol_of(self)), module, written.raised)

    def _module(self, written: WrittenKernel) -> RawModule:
        options = (f"-I{PRELUDE}", *self.options)
        return RawModule(written.text, options=options, name=self.file, cooperative=written.is_cooperative)

    def module_for(self, *arguments: Any) -> RawModule:
        """The module with the kernel for such arguments."""
        return self._module(self._written(tuple(type_of(taken(value)[0]) for value in arguments)))

    def _written(self, types: tuple[Type, ...]) -> WrittenKernel:
        return write_kernel(self, types, as_function)

    def compiled_types(self) -> list[tuple[Type, ...]]:
        """The types of arguments that it is compiled for."""
        return list(self._kernels)

    def inspect_source(self, *arguments: Any) -> str:
        """The CUDA C++ of the kernel for such arguments."""
        return self._written(tuple(type_of(taken(value)[0]) for value in arguments)).text


def as_function(called: Any) -> Function | None:
    """What a kernel calls as a function of Python's: one of ours, or one that numba compiles for a CPU."""
    if isinstance(called, Function):
        return called
    wrapped = getattr(called, "py_func", None)
    if not inspect.isfunction(wrapped):
        return None
    if wrapped not in _FOREIGN:
        _FOREIGN[wrapped] = Function(wrapped, device=True, options=())
    return _FOREIGN[wrapped]


_FOREIGN: dict[Any, Function] = {}


@dataclass(frozen=True)
class Configured:
    """A kernel with the extents of a launch."""

    function: Function
    grid: Any
    block: Any
    stream: Stream | None
    shared_memory: int

    def __call__(self, *arguments: Any) -> None:
        """Launch. Raises what RawKernel's call raises, what the kernel raises, and JitError where the function is no
        kernel for such types."""
        function = self.function
        looks = looks_of(arguments) if not function.extensions else None
        quick = function.quick.get(looks)
        if quick is not None and self.grid != 0:
            self._launch(quick.made, quick.words(arguments))
            if self.stream is not None:
                self.stream.keep(arguments)
            return
        if len(arguments) != len(function.parameters):
            arguments, looks = self._completed(arguments), None
        for extension in reversed(function.extensions):
            given = [extension.prepare_args(None, value, stream=self.stream, retr=[]) for value in arguments]
            arguments = tuple(value for _, value in given)
        for each in arguments:
            if isinstance(each, Hint):
                arguments = tuple(each.given() if isinstance(each, Hint) else each for each in arguments)
                break  # the copies live on in `arguments`
        pairs = self._taken(arguments)
        keys = tuple([key for key, _ in pairs])
        ready = function.ready.get(keys)
        if ready is None:
            ready = function.ready[keys] = self._ready(keys)
        if looks is not None:
            self._note_quick(looks, arguments, pairs, ready)
        for number, converted in ready.conversions:
            pairs[number] = taken(converted(arguments[number]))
        if self.grid == 0:  # forall(0)
            return
        self._launch(ready.made, [word for _, given in pairs for word in given])
        if self.stream is not None:
            self.stream.keep(arguments)

    def _note_quick(
        self, looks: tuple[Any, ...], arguments: Sequence[Any], pairs: Sequence[tuple[Any, list[Any]]], ready: Ready
    ) -> None:
        """The next launch with arguments that look so is a quick one, where they are given to the kernel whole."""
        if not all(is_given_whole(value, words) for value, (_, words) in zip(arguments, pairs, strict=True)):
            return
        places = list(accumulate((len(words) for _, words in pairs), initial=0))
        conversions = tuple((places[number], converted) for number, converted in ready.conversions)
        if all(type(converted(arguments[number])) is not np.float16 for number, converted in ready.conversions):
            arrays = tuple(is_array(value) for value in arguments)
            self.function.quick[looks] = Quick(ready.made, arrays, conversions)

    def _taken(self, arguments: Sequence[Any]) -> list[tuple[Any, list[Any]]]:
        pairs: list[tuple[Any, list[Any]]] = []
        for value in arguments:
            try:
                pairs.append(taken(value))
            except ArgumentError as error:
                raise self._wrong(len(pairs), error) from None
        return pairs

    def _launch(self, made: Made, words: Sequence[Any]) -> None:
        try:
            if self.stream is None and self.shared_memory == 0:
                made.kernel(self.grid, self.block, tuple(words))
                return
            made.kernel(self.grid, self.block, tuple(words), shared_mem=self.shared_memory, stream=self.stream)
            if self.stream is not None and self.function.is_checked:
                self.stream.synchronize()
        except KernelFault as fault:
            raise made.explained(fault, self.function.file) from None

    def _completed(self, arguments: Sequence[Any]) -> tuple[Any, ...]:
        """With what parameters are where a call leaves them out."""
        names = self.function.parameters
        missing = names[len(arguments) :]
        if len(arguments) > len(names) or any(name not in self.function.defaults for name in missing):
            raise ArgumentError(f"{self.function.__name__}({', '.join(names)}) got {len(arguments)} arguments")
        return (*arguments, *(self.function.defaults[name] for name in missing))

    def _ready(self, keys: Sequence[Any]) -> Ready:
        """What arguments that these keys tell of need, at the first call with such."""
        function, types, conversions = self.function, self._types(keys), list[tuple[int, Callable[[Any], Any]]]()
        if function.signatures:
            for number, (pattern, found) in enumerate(fitting(function.__name__, function.signatures, types)):
                converted = conversion(pattern, found)
                if converted is not None:
                    assert isinstance(pattern, Scalar)
                    conversions.append((number, converted))
                    types[number] = pattern
        return Ready(function.kernel_for(tuple(types)), tuple(conversions))

    def _types(self, keys: Sequence[Any]) -> list[Type]:
        types: list[Type] = []
        for key in keys:
            try:
                types.append(type_of(key))
            except ArgumentError as error:
                raise self._wrong(len(types), error) from None
        return types

    def _wrong(self, number: int, error: ArgumentError) -> ArgumentError:
        return ArgumentError(f"{self.function.__name__}, argument {number + 1}: {error}")


@overload
def jit(function: FunctionType, /) -> Function: ...
@overload
def jit(
    signature: str | Sequence[Any] | Signature | None = None,
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

    It is compiled at the first call for each combination of types. A signature in place of the function, or a list of
    them, says what arguments are converted to. `fastmath` and `fma` as numba has them; `lineinfo` or `debug`: faults
    are told with their lines; with `debug`, too, divisions by zero and indices outside raise. `options`: more words of
    RawModule's. Raises JitError, at the first call, for what is not supported.
    """
    del inline, ignored  # what becomes of calls, and of registers, is the compiler's own affair
    signatures = () if inspect.isfunction(function) else signatures_of(function)
    words = [*options]
    words += ["-use_fast_math"] if fastmath else []
    words += ["-lineinfo"] if lineinfo or debug else []
    words += [] if fma else ["-fmad=false"]

    def decorate(wrapped: Callable[..., Any]) -> Function:
        return Function(wrapped, device=device, options=tuple(words), signatures=signatures, is_checked=debug)

    return decorate(function) if inspect.isfunction(function) else decorate
