# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# pyright: basic, reportUndefinedVariable=false, reportUnboundVariable=false, reportCallIssue=false
# ruff: noqa
# What is tested here is Python without types, most of it wrong on purpose.
"""What is no kernel says so, at its file and line."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import warploom
import warploom.compat.numba_cuda as cuda

X = np.zeros(4)
TWO = 2


def unknown_name(x):
    x[0] = nothing  # line 1


def unknown_call(x):
    x[0] = sorted(x)  # line 1


def a_slice_without_a_step(x):
    x[0:2:0] = 1  # line 1


def a_float_index(x):
    x[0.5] = 1  # line 1


def too_many_indices(x):
    x[0, 0] = 1  # line 1


def a_string(x):
    x[0] = "text"  # line 1


def a_list(x):
    y = [1, 2]  # line 1


def a_comprehension(x):
    x[0] = sum(i for i in range(3))  # line 1


def an_exception(x):
    raise ValueError(x[0])  # line 1


def a_with(x):
    with x:  # line 1
        pass


def two_kinds(x):
    y = 1
    if x[0] > 0:
        y = x  # line 3


def unassigned(x):
    while x[0] > 0:
        x[1] = later
    later = 1


def returns_a_value(x):
    return x[0]


def shape_of_variables(x):
    n = x.size
    y = cuda.local.array(n, np.float32)  # line 2


def shape_of_a_division_by_zero(x):
    y = cuda.shared.array((4, TWO // (TWO - 2)), np.float32)  # line 1


def a_negative_shape(x):
    y = cuda.shared.array(TWO - 3, np.float32)  # line 1


def unpacks_wrongly(x):
    a, b = cuda.grid(3)  # line 1


def shifts_a_float(x):
    x[0] = x[0] << 1  # line 1


def atomic_twice(x):
    x[0] = 0 < cuda.atomic.add(x, 0, 1) < 2  # line 1


def atomic_of_nothing(x):
    cuda.atomic.add(FLAGS, 0, 1)  # line 1


def atomic_of_bytes(x):
    flags = cuda.shared.array(4, np.int8)
    cuda.atomic.add(flags, 0, 1)  # line 2


def a_loop_over_a_number(x):
    for y in x[0]:  # line 1
        pass


def tuple_by_a_variable(x):
    i = cuda.grid(1)
    x[0] = (1, x)[i]  # line 2


def a_complex_index(x):
    x[1j] = 1  # line 1


def a_real_from_a_complex(x):
    x[0] = 1j * x[1]  # line 1


def times_of_two_kinds(x):
    x[0] = DAY - HOUR  # line 1


def a_member_that_is_none(x):
    x[0] = RECORDS[0].z  # line 1


def a_matrix_product(x):
    x[0] = x @ x  # line 1


def keyword(x):
    x[0] = min(1, b=2)  # line 1


def names_a_module(x):
    x[0] = np  # line 1


def recursive(x):
    x[0] = itself(1)  # line 1


@cuda.jit(device=True)
def itself(n):
    return itself(n - 1)


@cuda.jit
def kernel(x):
    x[0] = 1


FLAGS = None
DAY, HOUR = np.datetime64("2020-01-01"), np.timedelta64(1, "h")
RECORDS = np.zeros(2, [("a", "f8")])
WRONG: list[tuple[Callable[..., Any], str]] = [
    (unknown_name, "there is no 'nothing'"),
    (unknown_call, "'sorted' cannot be called in a kernel"),
    (a_slice_without_a_step, "slice step cannot be zero"),
    (a_float_index, "a float is no index"),
    (too_many_indices, "2 indices for 1 axes"),
    (a_string, "the str text cannot become float64"),
    (a_list, "List is not supported"),
    (a_comprehension, "GeneratorExp is not supported"),
    (an_exception, "is given constants"),
    (a_with, "With is not supported"),
    (two_kinds, "'y' is int64 and then array"),
    (unassigned, "'later' is read before anything is assigned"),
    (returns_a_value, "a kernel returns nothing"),
    (shape_of_variables, "is of constants"),
    (shape_of_a_division_by_zero, "is of constants"),
    (a_negative_shape, "is of constants"),
    (unpacks_wrongly, "has not 2 members"),
    (shifts_a_float, "has no bits to shift"),
    (atomic_twice, "would be made twice"),
    (atomic_of_nothing, "the NoneType None has no elements"),
    (atomic_of_bytes, "of 4 and 8 bytes, not int8"),
    (a_loop_over_a_number, "a loop over float64 is not supported"),
    (tuple_by_a_variable, "of several types is indexed by a constant"),
    (a_complex_index, "a float is no index"),
    (a_real_from_a_complex, "complex128 cannot become float64"),
    (times_of_two_kinds, r"datetime64\[D\] Sub timedelta64\[h\] is not supported"),
    (a_member_that_is_none, r"record\(a\) has no 'z'"),
    (a_matrix_product, "a number is wanted here, not array|operator MatMult"),
    (keyword, "by position"),
    (names_a_module, "the module numpy cannot become float64"),
    (recursive, "calls itself"),
]


@pytest.mark.parametrize(("function", "message"), WRONG, ids=[function.__name__ for function, _ in WRONG])
def test_what_is_no_kernel(function: Callable[..., Any], message: str) -> None:
    with pytest.raises(warploom.JitError, match=message) as raised:
        cuda.jit(function)[1, 1](X)
    assert raised.value.file == __file__
    lines = open(__file__).read().splitlines()
    marked = lines[(raised.value.line or 1) - 1]
    assert raised.value.line
    if (
        any("# line" in line for line in lines[function.__code__.co_firstlineno - 1 :][:4])
        and function is not recursive
    ):
        assert "# line" in marked, marked


def test_launches_that_are_wrong() -> None:
    with pytest.raises(
        warploom.ArgumentError, match=r"launch configuration was not specified: kernel\[blocks, threads\]"
    ):
        kernel(X)
    with pytest.raises(warploom.ArgumentError, match=r"launches a kernel"):
        kernel[1]
    with pytest.raises(warploom.ArgumentError, match=r"kernel\(x\) got 2 arguments"):
        kernel[1, 1](X, X)
    with pytest.raises(
        warploom.ArgumentError, match=r"kernel, argument 1: longdouble is no number|float128 is no number"
    ):
        kernel[1, 1](X.astype(np.longdouble))
    with pytest.raises(ValueError, match=r"griddim must be a sequence of 1, 2 or 3 integers, got \[1, 2, 3, 4\]"):
        kernel[(1, 2, 3, 4), 1]
    with pytest.raises(TypeError, match=r"blockdim must be a sequence of integers, got \[2.0\]"):
        kernel[1, 2.0]
    with pytest.raises(warploom.ArgumentError, match=r"kernel, argument 1: \[1\] \(list\) is no array"):
        kernel[1, 1]([1])
    with pytest.raises(RuntimeError, match=r"cuda.grid has a meaning in kernels only"):
        cuda.grid(1)
    read_only = X.copy()
    read_only.setflags(write=False)
    with pytest.raises(warploom.CompileError, match=r"test_python_kernel_errors.py:\d+:.*const"):
        kernel[1, 1](read_only)
    with pytest.raises(warploom.JitError, match="parameters are plain names"):
        cuda.jit(several)[1, 1](X)
    namespace: dict[str, Any] = {}
    exec("def made(x):\n    while x[0] < 1:\n        x[0] += 1\n", namespace)
    with pytest.raises(warploom.JitError, match="the source of 'made' is not to be found, and its bytecode has"):
        cuda.jit(namespace["made"])[1, 1](X)


def several(*x: Any):
    print(x)
