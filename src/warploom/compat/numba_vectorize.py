# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""numba's `vectorize` and `guvectorize` for target="cuda": a function of numbers, or of small arrays, over large ones.

    @vectorize(["float32(float32, float32)"], target="cuda")
    def blend(x, y): return x * y + 1    -->    kernel(x, y, out): i = grid(1); out[i] = blend(x[i], y[i])

Arguments are broadcast against one another and converted to the first signature that they fit, as NumPy's ufuncs do. A
result is an array of the device's where an argument is one.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from typing import Any, cast

import numpy as np

from warploom.compat.numba_arrays import DeviceNDArray
from warploom.compat.numba_reduce import Reduce
from warploom.pyjit.function import jit
from warploom.pyjit.intrinsics import Intrinsic
from warploom.pyjit.signatures import ArrayPattern, Pattern, Signature, signatures_of
from warploom.pyjit.types import Element, Scalar

DType = np.dtype[Any]
_BLOCK = 128
_KINDS = {"b": "?", "i": "i", "u": "u", "f": "f", "c": "c"}
_LAYOUT = re.compile(r"\(([\w\s,]*)\)")


def vectorize(ftylist_or_function: Any = (), target: str = "cuda", **_ignored: Any) -> Callable[[Any], Ufunc]:
    """A ufunc of a function of numbers, for each of the signatures. Raises TypeError without any."""
    signatures = _signatures("vectorize", ftylist_or_function, target)
    return lambda function: Ufunc(function, signatures)


def guvectorize(
    ftylist: Any, signature: str, target: str = "cuda", **_ignored: Any
) -> Callable[[Any], GeneralisedUfunc]:
    """A generalised ufunc of a function of arrays; `signature` is their extents: `(n),(n)->()`."""
    signatures = _signatures("guvectorize", ftylist, target)
    return lambda function: GeneralisedUfunc(function, signatures, signature)


def _signatures(name: str, given: Any, target: str) -> tuple[Signature, ...]:
    if target != "cuda":
        raise TypeError(f"{name}(target={target!r}) is compiled by numba itself, which is not here; target='cuda' is")
    if callable(given) or not given:
        raise TypeError(f'{name} for target="cuda" wants signatures: @{name}(["float32(float32)"], target="cuda")')
    listed: list[Any] = [*given] if isinstance(given, list | tuple) else [given]
    return signatures_of(listed)


def _kernel_of(function: Callable[..., Any], arguments: int, *, returns: bool) -> Any:
    """The kernel that calls a function for each place of arrays."""
    own: Any = jit(device=True)(function)
    names = [f"a{number}" for number in range(arguments)]
    elements = ", ".join(f"{name}[place]" for name in names)
    body = f"out[place] = function({elements})" if returns else f"function({elements})"
    parameters = [*names, "out"] if returns else names
    lines = f"def kernel({', '.join(parameters)}, count):", "place = grid(1)", f"if place < count: {body}"
    names_seen = {"function": own, "grid": Intrinsic("grid")}
    exec("\n    ".join(lines), names_seen)  # a function of as many parameters as are wanted
    made: Any = names_seen["kernel"]
    return jit()(made)


class _Over:
    """What both kinds have in common."""

    def __init__(self, function: Callable[..., Any], signatures: Sequence[Signature]) -> None:
        self.__name__, self.__doc__ = function.__name__, function.__doc__
        self._function, self._signatures = function, signatures
        counts = {len(each.arguments) for each in signatures}
        if len(counts) != 1:
            raise TypeError(f"the signatures of {self.__name__} take {sorted(counts)} arguments: one number is wanted")
        (self._count,) = counts

    def _fitting(self, given: Sequence[Any], types: Callable[[Signature], Sequence[DType]]) -> Signature:
        """The first signature that arguments convert to without a loss, by NumPy's rules."""
        for signature in self._signatures:
            if all(np.can_cast(_type_of(value), dtype) for value, dtype in zip(given, types(signature), strict=False)):
                return signature
        shown = ", ".join(str(np.asarray(value).dtype) for value in given)
        raise TypeError(f"{self.__name__}: no signature takes {shown} without a loss")


class Ufunc(_Over):
    """`add(x, y)`, `add(x, y, out=z)`, `add.reduce(x)`."""

    def __init__(self, function: Callable[..., Any], signatures: Sequence[Signature]) -> None:
        super().__init__(function, signatures)
        if any(each.result is None for each in signatures):
            raise TypeError(f'the signatures of {self.__name__} say no result: "float32(float32)" does')
        self._kernel = _kernel_of(function, self._count, returns=True)

    def __call__(self, *args: Any, out: Any = None, stream: Any = 0) -> Any:
        """The function of each element of the arguments, which are broadcast."""
        *given, last = args if len(args) == self._count + 1 else (*args, out)
        if len(given) != self._count:
            raise TypeError(f"{self.__name__} takes {self._count} arguments, not {len(given)}")
        signature = self._fitting(given, lambda each: [_dtype(pattern) for pattern in each.arguments])
        types = [_dtype(pattern) for pattern in signature.arguments]
        if stream:
            stream.synchronize()
        flat = np.broadcast_arrays(*(np.asarray(value) for value in given))
        ready = [np.ascontiguousarray(each, dtype).reshape(-1) for each, dtype in zip(flat, types, strict=True)]
        result = np.empty(flat[0].shape, _dtype(signature.result))
        if result.size:
            self._kernel[-(-result.size // _BLOCK), _BLOCK](*ready, result.reshape(-1), result.size)
        return _handed_over(result, given, last)

    def reduce(self, arg: Any, stream: Any = 0) -> Any:
        """The elements of an array of one axis, combined in no particular order."""
        return Reduce(self._function)(arg, stream=stream)


class GeneralisedUfunc(_Over):
    """`multiply(a, b, c)` or `c = multiply(a, b)`: the function once for each place of the outer axes."""

    def __init__(self, function: Callable[..., Any], signatures: Sequence[Signature], layout: str) -> None:
        super().__init__(function, signatures)
        before, _, after = layout.partition("->")
        self._inputs, self._outputs = _extents(before), _extents(after)
        if len(self._inputs) + len(self._outputs) != self._count or not self._outputs:
            raise TypeError(f"{self.__name__}: '{layout}' names other arguments than its signatures")
        self._kernel = _kernel_of(function, self._count, returns=False)

    def __call__(self, *args: Any, out: Any = None, stream: Any = 0) -> Any:
        """The results; `out`, or more arguments, is where they go."""
        inputs, outputs = len(self._inputs), len(self._outputs)
        given = args[:inputs]
        places: Sequence[Any] = args[inputs:] or _tuple_of(out, outputs)
        if len(given) != inputs or len(places) != outputs:
            raise TypeError(f"{self.__name__} takes {inputs} arguments, and places for {outputs} results")
        signature = self._fitting(given, lambda each: [_dtype(pattern) for pattern in each.arguments])
        types = [_dtype(pattern) for pattern in signature.arguments]
        arrays = [np.asarray(value) for value in given]
        sizes = self._sizes(arrays)
        outer = [each.shape[: each.ndim - len(own)] for each, own in zip(arrays, self._inputs, strict=True)]
        around = np.broadcast_shapes(*outer)
        count = int(np.prod(around))
        ready: list[np.ndarray[Any, Any]] = []
        for each, own, dtype in zip(arrays, self._inputs, types, strict=False):
            inner = tuple(sizes[name] for name in own)
            whole = np.ascontiguousarray(np.broadcast_to(each, (*around, *inner)), dtype)
            ready.append(whole.reshape(count, *inner))
        results = [
            np.zeros((*around, *(sizes[name] for name in own)), dtype)
            for own, dtype in zip(self._outputs, types[inputs:], strict=True)
        ]
        if stream:
            stream.synchronize()
        if count:
            # A result of no extents is an array of one element to the function.
            inner = [each.reshape(count, *(each.shape[len(around) :] or (1,))) for each in results]
            self._kernel[-(-count // _BLOCK), _BLOCK](*ready, *inner, count)
        made = [_handed_over(each, given, place) for each, place in zip(results, places, strict=True)]
        return made[0] if outputs == 1 else tuple(made)

    def _sizes(self, arrays: Sequence[np.ndarray[Any, Any]]) -> dict[str, int]:
        """The extents by their names. Raises ValueError where two arguments differ."""
        sizes: dict[str, int] = {}
        for array, own in zip(arrays, self._inputs, strict=True):
            if array.ndim < len(own):
                raise ValueError(
                    f"{self.__name__}: an argument has {array.ndim} axes, not the {len(own)} of ({','.join(own)})"
                )
            for name, size in zip(own, array.shape[array.ndim - len(own) :], strict=True):
                if sizes.setdefault(name, size) != size:
                    raise ValueError(f"{self.__name__}: the extent {name} is {sizes[name]} and {size}")
        unknown = {name for own in self._outputs for name in own} - sizes.keys()
        if unknown:
            raise ValueError(f"{self.__name__}: no argument tells the extent {min(unknown)}")
        return sizes


def _tuple_of(out: Any, count: int) -> tuple[Any, ...]:
    return cast("tuple[Any, ...]", out) if isinstance(out, tuple) else (out,) * count


def _extents(text: str) -> list[list[str]]:
    return [[name.strip() for name in found.split(",") if name.strip()] for found in _LAYOUT.findall(text)]


def _type_of(value: Any) -> Any:
    """What NumPy's rules of conversion ask: a number of Python's is as small as can be."""
    if isinstance(value, bool | int | float | complex) and not isinstance(value, np.generic):
        return np.min_scalar_type(value)
    return np.asarray(value).dtype


def _dtype(pattern: Pattern) -> DType:
    """NumPy's dtype of a signature's number, or of its array's elements."""
    found: Element | None = pattern.element if isinstance(pattern, ArrayPattern) else pattern
    if not isinstance(found, Scalar) or found.unit:
        raise TypeError("a signature of vectorize and guvectorize names numbers: float32, int64[:]")
    return np.dtype(f"{_KINDS[found.kind]}{'' if found.kind == 'b' else found.size}")


def _handed_over(result: np.ndarray[Any, Any], given: Sequence[Any], place: Any) -> Any:
    """A result in its place, or by itself: a number where it has no axes."""
    if place is not None:
        np.copyto(np.asarray(place), result)
        return place
    if any(isinstance(value, DeviceNDArray) for value in given):
        return result.view(DeviceNDArray)
    return result if result.ndim else result[()]
