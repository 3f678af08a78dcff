# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Stand-ins for the arguments of a function that is traced: they write down what is done to them (fusion.py)."""

from __future__ import annotations

import operator
import threading
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from warploom.api.dtypes import is_scalar
from warploom.compat.cupy import operations
from warploom.compat.cupy.core import ndarray, tracing
from warploom.compat.cupy.parameters import DType
from warploom.core.records import dataclass

Shape = tuple[int, ...]


class Unfused(Exception):
    """The function does what no kernel of single elements can; the text says what."""


@dataclass(eq=False)
class Node:
    """A value of the kernel: an argument (no operands, `text` its name), or an operation on others."""

    dtype: DType
    shape: Shape
    text: str
    operands: tuple[Node, ...] = ()


class Number:
    """An argument that is a number, or what was computed of such: known anew in each call."""

    def __init__(self, value: Any, compute: Callable[[Sequence[Any]], Any]) -> None:
        self.value, self.compute = value, compute

    def __bool__(self) -> bool:
        raise Unfused("a choice by the value of an argument")

    def __getattr__(self, name: str) -> Any:
        raise Unfused(f"'{name}' of an argument that is a number")

    def __array_ufunc__(self, ufunc: Any, method: str, *inputs: Any, **options: Any) -> Any:
        return _ufunc(ufunc, method, inputs, options)


def _of_numbers(function: Callable[..., Any], swapped: bool) -> Any:
    def method(self: Number, other: Any) -> Any:
        if not isinstance(other, Number | bool | int | float) and not is_scalar(other):
            return NotImplemented
        pair: tuple[Any, Any] = (other, self) if swapped else (self, other)
        values: list[Any] = [each.value if isinstance(each, Number) else each for each in pair]

        def compute(given: Sequence[Any]) -> Any:
            return function(*(each.compute(given) if isinstance(each, Number) else each for each in pair))

        return Number(function(*values), compute)

    return method


class Variable:
    """Stands for an array while a function is traced. `node` is its value so far; `place`: which argument it is."""

    __array_priority__ = 1000

    def __init__(self, node: Node, place: int | None = None) -> None:
        self.node, self.place = node, place

    @property
    def dtype(self) -> DType:
        """Its dtype."""
        return self.node.dtype

    @property
    def shape(self) -> Shape:
        """Its extents."""
        return self.node.shape

    @property
    def ndim(self) -> int:
        """How many extents it has."""
        return len(self.node.shape)

    def astype(self, dtype: Any, **_options: Any) -> Variable:
        """As another dtype."""
        return Variable(_as(self.node, np.dtype(dtype)))

    def copy(self) -> Variable:
        """Its value."""
        return Variable(self.node)

    def __setitem__(self, key: Any, value: Any) -> None:
        if key is not Ellipsis and not (isinstance(key, slice) and key == slice(None)):
            raise Unfused("an element is set")
        self.take(_node(value, self.dtype), "unsafe")

    def take(self, node: Node, casting: Any) -> None:
        """Hold another value, as `x += y` does."""
        if np.broadcast_shapes(self.shape, node.shape) != self.shape:
            raise Unfused("an array takes one of more elements")
        if not np.can_cast(node.dtype, self.dtype, casting):
            raise Unfused(f"{node.dtype} does not become {self.dtype}")
        made = _as(node, self.dtype)
        self.node = Node(made.dtype, self.shape, made.text, made.operands)

    def __bool__(self) -> bool:
        raise Unfused("a choice by the value of an array")

    def __iter__(self) -> Any:
        raise Unfused("a loop over an array")

    def __getitem__(self, key: Any) -> Any:
        raise Unfused("a part of an array")

    def __getattr__(self, name: str) -> Any:
        if name.startswith("__"):
            raise AttributeError(name)
        raise Unfused(f"'{name}' of an array")

    def __array_ufunc__(self, ufunc: Any, method: str, *inputs: Any, **options: Any) -> Any:
        return _ufunc(ufunc, method, inputs, options)

    def __array_function__(self, function: Any, types: Any, given: Any, options: Any) -> Any:
        del types
        return traced_call(function, given, options)


def _of_arrays(ufunc: np.ufunc, swapped: bool = False, in_place: bool = False) -> Any:
    def method(self: Variable, *other: Any) -> Any:
        given = (*other, self) if swapped else (self, *other)
        return _ufunc(ufunc, "__call__", given, {"out": self} if in_place else {})

    return method


_OPERATORS = {
    "add": np.add, "sub": np.subtract, "mul": np.multiply, "truediv": np.true_divide, "floordiv": np.floor_divide,
    "mod": np.remainder, "pow": np.power, "and": np.bitwise_and, "or": np.bitwise_or, "xor": np.bitwise_xor,
    "lshift": np.left_shift, "rshift": np.right_shift,
}  # fmt: skip
for _name, _own in _OPERATORS.items():
    setattr(Variable, f"__{_name}__", _of_arrays(_own))
    setattr(Variable, f"__r{_name}__", _of_arrays(_own, swapped=True))
    setattr(Variable, f"__i{_name}__", _of_arrays(_own, in_place=True))
for _name, _own in {
    "eq": np.equal, "ne": np.not_equal, "lt": np.less, "le": np.less_equal, "gt": np.greater, "ge": np.greater_equal,
    "neg": np.negative, "pos": np.positive, "abs": np.absolute, "invert": np.invert,
}.items():  # fmt: skip
    setattr(Variable, f"__{_name}__", _of_arrays(_own))
for _name in ("add", "sub", "mul", "truediv"):
    _function = getattr(operator, _name)
    setattr(Number, f"__{_name}__", _of_numbers(_function, swapped=False))
    setattr(Number, f"__r{_name}__", _of_numbers(_function, swapped=True))


# -- what is done to them ---------------------------------------------------------------------------------------------


def is_traced(given: Sequence[Any], options: dict[str, Any]) -> bool:
    """Whether a function of arrays is called with what stands for such."""
    return any(isinstance(each, Variable | Number) for each in (*given, *options.values()))


def traced_call(function: Any, given: Sequence[Any], options: dict[str, Any]) -> Any:
    """A function of NumPy's on what stands for arrays."""
    if isinstance(function, np.ufunc):
        return _ufunc(function, "__call__", given, options)
    if getattr(function, "__name__", "") == "where" and len(given) == 3 and not options:
        condition, one, other = given
        types: list[Any] = [_type(one), _type(other)]
        dtype: DType = np.result_type(*(each(0) if isinstance(each, type) else each for each in types))
        nodes = (
            _as(_node(condition, np.dtype(bool)), np.dtype(bool)),
            *(_as(_node(e, dtype), dtype) for e in (one, other)),
        )
        return Variable(_joined(dtype, "({0} ? {1} : {2})", nodes))
    raise Unfused(f"the function {getattr(function, '__name__', function)}")


def _ufunc(ufunc: np.ufunc, method: str, given: Sequence[Any], options: dict[str, Any]) -> Any:
    rest = dict(options)
    out: Any = rest.pop("out", None)
    if isinstance(out, tuple):
        (out,) = out  # pyright: ignore[reportUnknownVariableType]
    if len(given) > ufunc.nin:
        *given, out = given
    if method != "__call__" or rest or ufunc.nout != 1 or len(given) != ufunc.nin:
        raise Unfused(f"{ufunc.__name__} with {', '.join(rest) or method}")
    if not any(isinstance(each, Variable) for each in given):
        raise Unfused(f"{ufunc.__name__} of numbers")
    *wanted, result = ufunc.resolve_dtypes((*map(_type, given), None), casting="same_kind")  # pyright: ignore[reportArgumentType]
    text = operations.text_of(ufunc.__name__, wanted, result)
    if text is None:
        raise Unfused(f"{ufunc.__name__} of {', '.join(map(str, wanted))}")
    nodes = tuple(_as(_node(each, dtype), dtype) for each, dtype in zip(given, wanted, strict=True))
    made = _joined(result, text, nodes)
    if out is None:
        return Variable(made)
    if not isinstance(out, Variable):
        raise Unfused("an output that is no argument")
    out.take(made, "same_kind")
    return out


def _type(value: Any) -> Any:
    """What decides a ufunc's types: a dtype, or for Python's numbers their class."""
    if isinstance(value, Variable):
        return value.dtype
    plain: Any = value.value if isinstance(value, Number) else value
    if is_scalar(plain):
        return plain.dtype
    if isinstance(plain, bool):
        return np.dtype(bool)
    if type(plain) is int:
        return int
    if type(plain) is float:
        return float
    raise Unfused(f"a {type(plain).__name__}")


def _node(value: Any, dtype: DType) -> Node:
    if isinstance(value, Variable):
        return value.node
    if isinstance(value, Number):
        current = _current()
        for name, number in current.numbers:
            if number is value and current.types[name] == dtype:
                return Node(dtype, (), name)
        name = f"number{len(current.numbers)}"
        current.numbers.append((name, value))
        current.types[name] = dtype
        return Node(dtype, (), name)
    return Node(dtype, (), operations.literal(np.asarray(value).astype(dtype).ravel()[0]))


def _as(node: Node, dtype: DType) -> Node:
    if node.dtype == dtype:
        return node
    if not (operations.is_known(node.dtype) and operations.is_known(dtype)):
        raise Unfused(f"{node.dtype} as {dtype}")
    if node.dtype.kind == "f" and dtype.kind in "iu":
        raise Unfused("a float becomes a whole number")
    return _joined(dtype, operations.cast(dtype), (node,))


def _joined(dtype: DType, text: str, nodes: tuple[Node, ...]) -> Node:
    if not all(operations.is_known(each) for each in (dtype, *(node.dtype for node in nodes))):
        raise Unfused(f"numbers of {dtype}")
    return Node(dtype, np.broadcast_shapes(*(node.shape for node in nodes)), text, nodes)


class Trace:
    """One run of the function with stand-ins."""

    def __init__(self, given: Sequence[Any]) -> None:
        self.numbers: list[tuple[str, Number]] = []
        self.types: dict[str, DType] = {}
        self.arguments = [self._stand_in(place, each) for place, each in enumerate(given)]

    def _stand_in(self, place: int, value: Any) -> Any:
        if isinstance(value, ndarray):
            if not operations.is_known(value.dtype):
                raise Unfused(f"arrays of {value.dtype}")
            return Variable(Node(value.dtype, value.shape, f"x{place}"), place)
        if isinstance(value, bool | int | float | np.generic):
            return Number(value, lambda args: args[place])
        raise Unfused(f"an argument of type {type(value).__name__}")


class _Current(threading.local):
    def __init__(self) -> None:
        self.traces: list[Trace] = []


_current_traces = _Current()


def _current() -> Trace:
    return _current_traces.traces[-1]


def trace(function: Callable[..., Any], given: Sequence[Any]) -> tuple[Trace, Any]:
    """Run a function on stand-ins; what it gives. Raises Unfused, and what the function raises."""
    made = Trace(given)
    _current_traces.traces.append(made)
    tracing.depth += 1
    try:
        return made, function(*made.arguments)
    finally:
        tracing.depth -= 1
        _current_traces.traces.pop()
