# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# feature: Device libraries / cuDNN: graphs of convolutions, their gradients and operations on elements
"""cuDNN's graphs, as frameworks build them: convolutions and their gradients, and what follows a convolution."""

# functions: cudnnBackend{CreateDescriptor,DestroyDescriptor,SetAttribute,GetAttribute,Finalize,Execute,Initialize}
from __future__ import annotations

import ctypes
from collections.abc import Sequence
from ctypes import byref, c_double, c_float, c_int, c_longlong, c_void_p
from pathlib import Path

import numpy as np
import pytest
from dnn import BAD_PARAM, FLOAT, HALF, NOT_SUPPORTED, Array, Dnn, to_double, to_type

POINTWISE, CONVOLUTION, ENGINE, CONFIGURATION, HEURISTIC, PLAN = range(6)
FORWARD, BACK_TO_FILTER, BACK_TO_DATA, ON_ELEMENTS, GRAPH, PACK, TENSOR = 10, 11, 12, 13, 15, 16, 17
ADD, MUL, RELU, SWISH = 0, 1, 100, 106
HANDLE, DATA_TYPE, BOOLEAN, INT64, REAL, DOUBLE, POINTER, CONVOLUTION_MODE, HEURISTIC_MODE = range(9)
POINTWISE_MODE, DESCRIPTOR = 14, 15
NOT_FINALIZED = 2004


class Graphs(Dnn):
    """Descriptors of graphs, which live until the end."""

    def descriptor(self, kind: int) -> c_void_p:
        made = c_void_p()
        assert self.plain("cudnnBackendCreateDescriptor", kind, byref(made)) == 0
        return made

    def put(self, to: c_void_p, name: int, kind: int, *values: object) -> int:
        types = {BOOLEAN: ctypes.c_bool, INT64: c_longlong, REAL: c_float, DOUBLE: c_double}
        pointers = {HANDLE, POINTER, DESCRIPTOR}
        element = c_void_p if kind in pointers else types.get(kind, c_int)
        given = (element * len(values))(*(each.value if isinstance(each, c_void_p) else each for each in values))
        return self.plain("cudnnBackendSetAttribute", to, name, kind, c_longlong(len(values)), given)

    def made(self, kind: int, *attributes: Sequence[object]) -> c_void_p:
        """A finalised descriptor."""
        result = self.descriptor(kind)
        for name, type_, *values in attributes:
            assert self.put(result, int(str(name)), int(str(type_)), *values) == 0
        assert self.plain("cudnnBackendFinalize", result) == 0
        return result

    def tensor_of(self, number: int, kind: int, array: Array, *, virtual: bool = False) -> c_void_p:
        steps = [step // array.itemsize for step in array.strides]
        return self.made(
            TENSOR, (901, DATA_TYPE, kind), (902, INT64, *array.shape), (903, INT64, *steps), (906, INT64, number),
            (900, INT64, 16), (907, BOOLEAN, virtual),
        )  # fmt: skip

    def get(self, of: c_void_p, name: int, kind: int, to: object, room: int = 1) -> tuple[int, int]:
        count = c_longlong(-1)
        status = self.plain("cudnnBackendGetAttribute", of, name, kind, c_longlong(room), byref(count), to)
        return status, count.value

    def plan(self, *operations: c_void_p) -> tuple[c_void_p, int]:
        """The plan that the heuristic finds, and the size of its work area."""
        graph = self.made(GRAPH, (800, HANDLE, self.handle), (801, DESCRIPTOR, *operations))
        heuristic = self.made(HEURISTIC, (201, DESCRIPTOR, graph), (200, HEURISTIC_MODE, 0))
        found = (c_void_p * 2)(self.descriptor(CONFIGURATION).value, self.descriptor(CONFIGURATION).value)
        status, count = self.get(heuristic, 202, DESCRIPTOR, found, 2)
        assert status == 0
        assert count >= 1
        plan = self.made(PLAN, (400, HANDLE, self.handle), (401, DESCRIPTOR, c_void_p(found[0])))
        size = c_longlong()
        assert self.get(plan, 402, INT64, byref(size)) == (0, 1)
        return plan, size.value

    def execute(self, plan: c_void_p, area: int, **arrays: Array) -> int:
        """Arrays by name: t and the tensor's number."""
        work = np.zeros(area, np.uint8)
        numbers = [int(name[1:]) for name in arrays]
        addresses = [each.ctypes.data for each in arrays.values()]
        pack = self.made(
            PACK, (1000, INT64, *numbers), (1001, POINTER, *addresses),
            (1003, POINTER, work.ctypes.data if area else None),
        )  # fmt: skip
        return self.call("cudnnBackendExecute", plan, pack)


@pytest.fixture(scope="module")
def dnn(libraries: Path) -> Graphs:
    return Graphs(ctypes.CDLL(str(libraries / "libcudnn.so")))


def convolution(dnn: Graphs, pad: int = 1, step: int = 1) -> c_void_p:
    return dnn.made(
        CONVOLUTION, (106, INT64, 2), (100, DATA_TYPE, FLOAT), (101, CONVOLUTION_MODE, 1), (105, INT64, pad, pad),
        (104, INT64, pad, pad), (103, INT64, step, step), (102, INT64, 1, 1),
    )  # fmt: skip


def convolved(x: Array, w: Array, pad: int, step: int) -> Array:
    padded = np.pad(x, ((0, 0), (0, 0), (pad, pad), (pad, pad)))
    windows = np.lib.stride_tricks.sliding_window_view(padded, w.shape[2:], axis=(2, 3))[:, :, ::step, ::step]
    return np.einsum("nchwij,kcij->nkhw", windows, w)


def last_channels(array: Array) -> Array:
    """The same tensor with its channels beside each other."""
    return np.ascontiguousarray(array.transpose(0, 2, 3, 1)).transpose(0, 3, 1, 2)


@pytest.mark.parametrize("kind", [FLOAT, HALF])
@pytest.mark.parametrize("step", [1, 2])
def test_convolutions(dnn: Graphs, kind: int, step: int) -> None:
    rng = np.random.default_rng(step)
    x = to_type(kind, rng.standard_normal((2, 5, 9, 8)))
    w = last_channels(to_type(kind, rng.standard_normal((4, 5, 3, 3))))
    exact = convolved(to_double(kind, x), to_double(kind, w), 1, step)
    y, near = to_type(kind, np.ones(exact.shape)), 1e-4 if kind == FLOAT else 2e-2
    how = convolution(dnn, 1, step)
    tensors = [dnn.tensor_of(i, kind, each) for i, each in enumerate((x, w, y))]
    forward = dnn.made(
        FORWARD, (702, DESCRIPTOR, how), (704, DESCRIPTOR, tensors[0]), (703, DESCRIPTOR, tensors[1]),
        (705, DESCRIPTOR, tensors[2]), (700, REAL, 2.0), (701, REAL, 3.0),
    )  # fmt: skip
    plan, area = dnn.plan(forward)
    for each in (*tensors, how):  # what holds them keeps what they say
        assert dnn.plain("cudnnBackendDestroyDescriptor", each) == 0
    assert dnn.execute(plan, area, t0=x, t1=w, t2=y) == 0
    np.testing.assert_allclose(to_double(kind, y), 2 * exact + 3, rtol=near, atol=20 * near)

    # Gradients are the transposes of what the convolution is as a matrix: <dy, conv(x, w)> = <dx, x> = <dw, w>.
    dy = to_type(kind, rng.standard_normal(exact.shape))
    dx, dw = np.zeros_like(x), np.zeros_like(w)
    how = convolution(dnn, 1, step)
    tensors = [dnn.tensor_of(i, kind, each) for i, each in enumerate((x, w, dy, dx, dw))]
    to_data = dnn.made(
        BACK_TO_DATA, (708, DESCRIPTOR, how), (709, DESCRIPTOR, tensors[1]), (711, DESCRIPTOR, tensors[2]),
        (710, DESCRIPTOR, tensors[3]), (706, DOUBLE, 1.0), (707, DOUBLE, 0.0),
    )  # fmt: skip
    to_filter = dnn.made(
        BACK_TO_FILTER, (714, DESCRIPTOR, how), (716, DESCRIPTOR, tensors[0]), (717, DESCRIPTOR, tensors[2]),
        (715, DESCRIPTOR, tensors[4]),
    )  # fmt: skip
    arrays = {"t0": x, "t1": w, "t2": dy, "t3": dx, "t4": dw}
    for operation in (to_data, to_filter):
        assert dnn.execute(*dnn.plan(operation), **arrays) == 0
    product = float((to_double(kind, dy) * exact).sum())
    scale = float(np.abs(exact).sum())
    for gradient, of in ((dx, x), (dw, w)):
        assert abs(float((to_double(kind, gradient) * to_double(kind, of)).sum()) - product) < near * scale


def element_operation(
    dnn: Graphs, mode: int, x: c_void_p, b: c_void_p | None, y: c_void_p, *more: Sequence[object]
) -> c_void_p:
    how = dnn.made(POINTWISE, (0, POINTWISE_MODE, mode), (1, DATA_TYPE, FLOAT))
    second = [] if b is None else [(752, DESCRIPTOR, b)]
    return dnn.made(ON_ELEMENTS, (750, DESCRIPTOR, how), (751, DESCRIPTOR, x), (753, DESCRIPTOR, y), *second, *more)


@pytest.mark.parametrize("kind", [FLOAT, HALF])
def test_what_follows_a_convolution(dnn: Graphs, kind: int) -> None:
    """relu(alpha1 conv(x, w) + alpha2 z + bias), the graph that frameworks build; operations in any order."""
    rng = np.random.default_rng(7)
    x, w = (to_type(kind, rng.standard_normal(shape)) for shape in ((2, 3, 7, 6), (4, 3, 3, 3)))
    exact = convolved(to_double(kind, x), to_double(kind, w), 1, 1)
    z, bias = to_type(kind, rng.standard_normal(exact.shape)), to_type(kind, rng.standard_normal((1, 4, 1, 1)))
    y, between = to_type(kind, np.zeros(exact.shape)), np.zeros(exact.shape, np.float32)
    sides = {i: dnn.tensor_of(i, kind, each) for i, each in enumerate((x, w, z, bias, y))}
    inner = [dnn.tensor_of(10 + i, FLOAT, between, virtual=True) for i in range(3)]
    conv = dnn.made(
        FORWARD, (702, DESCRIPTOR, convolution(dnn)), (704, DESCRIPTOR, sides[0]), (703, DESCRIPTOR, sides[1]),
        (705, DESCRIPTOR, inner[0]), (700, REAL, 1.0), (701, REAL, 0.0),
    )  # fmt: skip
    scales = ((754, REAL, 0.5), (755, REAL, -2.0))
    add = element_operation(dnn, ADD, inner[0], sides[2], inner[1], *scales)
    add_bias = element_operation(dnn, ADD, inner[1], sides[3], inner[2])
    relu = element_operation(dnn, RELU, inner[2], None, sides[4])
    plan, area = dnn.plan(relu, add_bias, conv, add)
    assert dnn.execute(plan, area, t0=x, t1=w, t2=z, t3=bias, t4=y) == 0
    want = np.maximum(0.5 * exact - 2 * to_double(kind, z) + to_double(kind, bias), 0)
    near = 1e-4 if kind == FLOAT else 2e-3
    np.testing.assert_allclose(to_double(kind, y), want, rtol=near, atol=10 * near)
    if area:
        pack = dnn.made(PACK, (1000, INT64, 0), (1001, POINTER, x.ctypes.data))
        assert dnn.call("cudnnBackendExecute", plan, pack) == BAD_PARAM  # no work area


def test_values_of_the_host_and_curves(dnn: Graphs) -> None:
    x, y = np.linspace(-3, 3, 24, dtype=np.float32).reshape(1, 2, 3, 4), np.zeros((1, 2, 3, 4), np.float32)
    factor = np.full((1, 1, 1, 1), 3, np.float32)
    given, result = dnn.tensor_of(1, FLOAT, x), dnn.tensor_of(2, FLOAT, y)
    number = dnn.made(
        TENSOR, (901, DATA_TYPE, FLOAT), (902, INT64, 1, 1, 1, 1), (903, INT64, 1, 1, 1, 1), (906, INT64, 3),
        (900, INT64, 4), (908, BOOLEAN, True),
    )  # fmt: skip
    plan, area = dnn.plan(element_operation(dnn, MUL, given, number, result))
    assert dnn.execute(plan, area, t1=x, t2=y, t3=factor) == 0
    assert np.array_equal(y, 3 * x)
    plan, area = dnn.plan(element_operation(dnn, SWISH, given, None, result))
    assert dnn.execute(plan, area, t1=x, t2=y) == 0
    np.testing.assert_allclose(y, x / (1 + np.exp(-x)), rtol=1e-5)


def aligned(dnn: Graphs, alignment: int) -> c_void_p:
    tensor = dnn.descriptor(TENSOR)
    values = ((901, DATA_TYPE, FLOAT), (902, INT64, 1, 2), (903, INT64, 2, 1), (906, INT64, 1), (900, INT64, alignment))
    for name, kind, *given in values:
        assert dnn.put(tensor, name, kind, *given) == 0
    return tensor


@pytest.mark.ours("NVIDIA's library has them")
def test_products_of_matrices_are_missing(dnn: Graphs) -> None:
    assert dnn.plain("cudnnBackendCreateDescriptor", 19, byref(c_void_p())) == NOT_SUPPORTED


def test_wrong_graphs(dnn: Graphs, capfd: pytest.CaptureFixture[str]) -> None:
    for alignment in (0, 1, 3):
        assert dnn.plain("cudnnBackendFinalize", aligned(dnn, alignment)) == BAD_PARAM
    assert dnn.plain("cudnnBackendFinalize", aligned(dnn, 4)) == 0
    x = np.zeros((1, 3, 5, 5), np.float32)
    tensor = dnn.descriptor(TENSOR)
    assert dnn.put(tensor, 100, INT64, 1) == BAD_PARAM  # of a convolution
    assert dnn.put(tensor, 901, DATA_TYPE, FLOAT) == 0
    assert dnn.plain("cudnnBackendFinalize", tensor) == BAD_PARAM  # without extents
    graph = dnn.descriptor(GRAPH)
    assert dnn.put(graph, 801, DESCRIPTOR, tensor) == NOT_FINALIZED
    operands = [dnn.tensor_of(i, FLOAT, x, virtual=i == 1) for i in range(3)]
    assert dnn.put(operands[0], 906, INT64, 9) == BAD_PARAM  # finalised already
    orphan = element_operation(dnn, ADD, operands[0], operands[1], operands[2])
    assert dnn.put(graph, 801, DESCRIPTOR, orphan) == 0
    assert dnn.plain("cudnnBackendFinalize", graph) == BAD_PARAM
    assert "no operation makes a virtual tensor" in capfd.readouterr().err
    operation = dnn.descriptor(FORWARD)
    for name, value in ((702, convolution(dnn)), (704, operands[0]), (703, operands[2]), (705, operands[0])):
        assert dnn.put(operation, name, DESCRIPTOR, value) == 0
    assert dnn.plain("cudnnBackendFinalize", operation) == BAD_PARAM  # a filter larger than the padded tensor gives
    plan, area = dnn.plan(element_operation(dnn, RELU, operands[0], None, operands[2]))
    assert dnn.execute(plan, area, t0=x) == BAD_PARAM  # no data for the result
    assert "tensor of number 2" in capfd.readouterr().err
