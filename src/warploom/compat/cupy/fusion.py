# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""cupy.fuse: a function of arrays whose operations become one kernel.

The function is called once with stand-ins that write down what is done to them; what comes of it is an
ElementwiseKernel, kept for calls with arrays of the same dtypes and shapes. Where a function does what is not of one
element at a time (a sum, an index, a choice by a value), or with complex numbers or halves, it runs operation by
operation instead, and gives the same numbers: `function.reason` says what it was.

Nothing is rounded otherwise than step by step: products and sums are not contracted.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable, Sequence
from functools import partial, update_wrapper
from typing import Any

import numpy as np

from warploom.compat.cupy import operations
from warploom.compat.cupy.core import memory_of, ndarray, tracing
from warploom.compat.cupy.elementwise import ElementwiseKernel
from warploom.compat.cupy.parameters import DType
from warploom.compat.cupy.tracing import Node, Number, Shape, Trace, Unfused, Variable, trace
from warploom.core.records import dataclass

_OPTIONS = ("-fmad=false",)


@dataclass
class Plan:
    """A traced function: its kernel, and what comes of it."""

    kernel: ElementwiseKernel | None
    arrays: list[int]  # the arguments that the kernel reads
    numbers: list[Number]
    written: list[int]  # the arguments that it writes
    fresh: list[tuple[DType, Shape]]
    result: Any  # of ('argument', place), ('fresh', number), None, and tuples and lists of these

    def run(self, given: Sequence[Any]) -> Any:
        """Call the kernel."""
        made = [ndarray(shape, dtype) for dtype, shape in self.fresh]
        if self.kernel is not None:
            inputs = [*(given[place] for place in self.arrays), *(each.compute(given) for each in self.numbers)]
            self.kernel(*inputs, *(given[place] for place in self.written), *made)
        return _filled(self.result, given, made)


def _filled(result: Any, given: Sequence[Any], made: list[ndarray]) -> Any:
    if isinstance(result, list | _Tuple):
        parts = [_filled(each, given, made) for each in result]  # pyright: ignore[reportUnknownVariableType]
        return tuple(parts) if isinstance(result, _Tuple) else parts
    if result is None:
        return None
    kind, place = result[0], int(result[1])
    return given[place] if kind == "argument" else made[place]


class _Tuple(list[Any]):
    """A tuple of the function's, among the tuples that name results."""


def planned(function: Callable[..., Any], given: Sequence[Any], name: str) -> Plan:
    """Trace a function. Raises Unfused."""
    arrays = [each for each in given if isinstance(each, ndarray)]
    for place, one in enumerate(arrays):
        if any(np.may_share_memory(memory_of(one), memory_of(other)) for other in arrays[:place]):
            raise Unfused("arguments that share memory")
    return _plan(*trace(function, given), given, name)


def _plan(trace: Trace, result: Any, given: Sequence[Any], name: str) -> Plan:
    variables = [each for each in trace.arguments if isinstance(each, Variable)]
    written = [each for each in variables if each.node.text != f"x{each.place}"]
    fresh: list[Variable] = []
    shown = _result(result, fresh)
    outputs = [*written, *fresh]
    shapes = {each.shape for each in outputs}
    if len(shapes) > 1 or any(0 in memory_of(given[each.place or 0]).strides for each in written):
        raise Unfused("results of several shapes")
    arrays = [each.place for each in variables if each.place is not None]
    plan = Plan(None, arrays, [], [each.place or 0 for each in written], [(e.dtype, e.shape) for e in fresh], shown)
    if outputs:
        if np.broadcast_shapes(*(given[place].shape for place in arrays)) != shapes.pop():
            raise Unfused("a result of fewer elements than an argument")
        plan.kernel = _kernel(trace, given, plan, [each.node for each in outputs], name)
        plan.numbers = [number for _, number in trace.numbers]
    return plan


def _result(result: Any, fresh: list[Variable]) -> Any:
    if result is None:
        return None
    if isinstance(result, tuple | list):
        parts = [_result(each, fresh) for each in result]  # pyright: ignore[reportUnknownVariableType]
        return _Tuple(parts) if isinstance(result, tuple) else parts
    if not isinstance(result, Variable):
        raise Unfused(f"a result of type {type(result).__name__}")
    if result.place is not None:
        return "argument", result.place
    for place, each in enumerate(fresh):
        if each is result:
            return "fresh", place
    fresh.append(result)
    return "fresh", len(fresh) - 1


def _kernel(trace: Trace, given: Sequence[Any], plan: Plan, outputs: list[Node], name: str) -> ElementwiseKernel:
    takes = [f"{given[place].dtype} x{place}" for place in plan.arrays]
    takes += [f"{trace.types[number]} {number}" for number, _ in trace.numbers]
    gives = [f"{node.dtype} y{place}" for place, node in enumerate(outputs)]
    lines: list[str] = []
    names: dict[int, str] = {}
    texts = [_written(node, lines, names) for node in outputs]
    lines += [f"y{place} = {text};" for place, text in enumerate(texts)]
    options = dict[str, Any](preamble=operations.PREAMBLE, options=_OPTIONS, no_return=True)
    return ElementwiseKernel(", ".join(takes), ", ".join(gives), "\n".join(lines), name, **options)


def _written(node: Node, lines: list[str], names: dict[int, str]) -> str:
    """The name of a value, after the lines that compute it."""
    if not node.operands:
        return node.text
    if id(node) not in names:
        operands = [_written(each, lines, names) for each in node.operands]
        names[id(node)] = f"v{len(names)}"
        lines.append(f"const {operations.c_type(node.dtype)} {names[id(node)]} = {node.text.format(*operands)};")
    return names[id(node)]


class Fused:
    """A function that `fuse` was put on. `reason`: why its last call was not one kernel; None: it was."""

    def __init__(self, function: Callable[..., Any], name: str | None) -> None:
        self._function = function
        self._name = name or "fused"
        self._plans: dict[Any, Plan | str] = {}
        self.reason: str | None = None
        update_wrapper(self, function)

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        """As the function."""
        given = args
        if not any(isinstance(each, ndarray) for each in (*args, *kwargs.values())) or tracing.depth:
            return self._function(*args, **kwargs)
        if kwargs:
            bound = inspect.signature(self._function).bind(*args, **kwargs)
            given = bound.args if not bound.kwargs else None
        if given is None:
            self.reason = "arguments by keyword alone"
            return self._function(*args, **kwargs)
        key = tuple(map(_key, given))
        plan = self._plans.get(key)
        if plan is None:
            plan = self._plans[key] = self._traced(given)
        if isinstance(plan, str):
            self.reason = plan
            return self._function(*given)
        self.reason = None
        if any(np.may_share_memory(memory_of(a), memory_of(b)) for a, b in _pairs(given)):
            self.reason = "arguments that share memory"
            return self._function(*given)
        return plan.run(given)

    def _traced(self, given: Sequence[Any]) -> Plan | str:
        try:
            return planned(self._function, given, self._name)
        except Unfused as unfused:
            return str(unfused)
        except Exception as error:  # noqa: BLE001 - the function's own, which the plain call raises again
            return f"the function raises {type(error).__name__}"

    def clear_cache(self) -> None:
        """Forget what was traced."""
        self._plans.clear()


def _key(value: Any) -> Any:
    if isinstance(value, ndarray):
        return value.dtype, value.shape
    return type(value).__name__


def _pairs(given: Sequence[Any]) -> Any:
    arrays = [each for each in given if isinstance(each, ndarray)]
    return ((one, other) for place, one in enumerate(arrays) for other in arrays[:place])


def fuse(*args: Any, **options: Any) -> Any:
    """`@cupy.fuse` or `@cupy.fuse(kernel_name="name")`."""
    name = options.pop("kernel_name", None)
    if options:
        raise TypeError(f"fuse takes kernel_name=, not {', '.join(options)}")
    if not args:
        return partial(Fused, name=name)
    return Fused(args[0], name)
