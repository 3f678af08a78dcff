# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""warploom.compat.cupy: what an array of CuPy's is, and is not."""

from __future__ import annotations

import copy
import pickle
from typing import Any

import numpy as np
import pytest

import warploom
from warploom.compat import cupy

cp: Any = cupy

SOURCE = """
extern "C" __global__ void twice(float *x, int n) {
  for (int turn = 0; turn < 50; ++turn)
    for (int i = threadIdx.x; i < n; i += blockDim.x) x[i] += 1;
}
"""


def test_elements_and_sums_are_arrays() -> None:
    x = cp.arange(6, dtype=cp.float32).reshape(2, 3)
    for value in (x.sum(), x[1, 2], x.max(axis=0)[1], cp.add(x, 1)[0, 0], cp.float32(2) * x.mean()):
        assert isinstance(value, cp.ndarray)
        assert value.shape == ()
    assert float(x[1, 2]) == 5
    assert int(x.sum()) == 15
    assert x.sum().item() == 15
    assert not isinstance(x, np.ndarray)
    element = x[1, 2]
    element += 7  # a view
    assert x[1, 2] == 12
    assert [float(each) for each in x[0]] == [0, 1, 2]
    with pytest.raises(TypeError, match="unhashable"):
        hash(x)


def test_what_is_numpys_does_not_mix() -> None:
    x, plain = cp.ones(3), np.ones(3)
    for mixed in (lambda: x + plain, lambda: plain + x, lambda: cp.add(x, plain), lambda: cp.concatenate([x, plain])):
        with pytest.raises(TypeError, match="Unsupported type"):
            mixed()
    with pytest.raises(TypeError, match=r"\.get\(\)"):
        np.asarray(x)
    assert isinstance(np.sin(x), cp.ndarray)
    assert isinstance(np.concatenate([x, x]), cp.ndarray)
    assert cp.get_array_module(x) is cp
    assert cp.get_array_module(plain) is np


def test_to_the_device_and_back_are_copies() -> None:
    plain = np.arange(4.0)
    x = cp.asarray(plain)
    plain[0] = 9
    assert x[0] == 0
    back = cp.asnumpy(x)
    back[1] = 9
    assert x[1] == 1
    assert cp.asarray(x) is x
    x.set(plain)
    assert x[0] == 9
    out = np.zeros(4)
    assert x.get(out=out) is out
    assert out[0] == 9
    with pytest.raises(ValueError, match="Unsupported dtype"):
        cp.array(["text"])
    with pytest.raises(TypeError, match=r"numpy\.ndarray"):
        x.set([1, 2, 3, 4])
    assert (pickle.loads(pickle.dumps(x)) == x).all()
    assert copy.deepcopy(x) is not x


def test_functions_are_numpys() -> None:
    x = cp.linspace(0, 1, 5)
    y = cp.zeros_like(x)
    assert cp.multiply(x, 2, out=y) is y
    y -= x
    assert cp.allclose(x, y)
    assert cp.linalg.norm(x).shape == ()
    assert cp.fft.fft(x).dtype == cp.complex128
    assert cp.random.random((2, 3), dtype=cp.float32).dtype == cp.float32
    cp.random.seed(3)
    one = cp.random.randint(0, 10, 5)
    cp.random.seed(3)
    assert (cp.random.randint(0, 10, 5) == one).all()
    assert (cp.where(x > 0.4, x, 0).get() == np.where(x.get() > 0.4, x.get(), 0)).all()
    assert cp.result_type(x, np.float32) == np.float64
    x.scatter_add(cp.array([0, 0]), 1)
    assert x[0] == 2
    assert (cp.log(cp.zeros(1)) == -np.inf).all()  # and no warning
    with pytest.raises(AttributeError, match=r"'sparse' is not part of warploom\.compat\.cupy"):
        _ = cp.sparse


def test_memory_by_pointers() -> None:
    memory = cp.cuda.alloc(32)
    view = cp.ndarray((4,), cp.float32, memory + 16)
    view[...] = 3
    memory.copy_from(cp.ones(4, cp.float32).data, 16)
    assert cp.ndarray((8,), cp.float32, memory).get().tolist() == [1] * 4 + [3] * 4
    assert view.data.ptr == memory.ptr + 16
    x = cp.arange(6).reshape(2, 3)[:, 1:]
    assert x.data.ptr == x.__cuda_array_interface__["data"][0]
    again = cp.asarray(_Described(x))
    again[...] = 0
    assert (x == 0).all()


class _Described:
    def __init__(self, x: Any) -> None:
        self.__cuda_array_interface__ = x.__cuda_array_interface__


def test_numpys_functions_wait_for_kernels() -> None:
    x = cp.zeros(4096, cp.float32)
    kernel = cp.RawKernel(SOURCE, "twice")
    start, end = cp.cuda.Event(), cp.cuda.Event()
    with cp.cuda.Stream() as stream:
        start.record()
        for _ in range(5):
            kernel((1,), (128,), (x, 4096))
        end.record()
        assert (x == 250).all()
    stream.synchronize()
    assert cp.cuda.get_elapsed_time(start, end) > 0
    assert cp.cuda.get_current_stream() == cp.cuda.Stream.null
    warploom.RawKernel(SOURCE, "twice")(1, 128, (x, 4096))  # Warploom's own takes them as they are
    assert (x == 300).all()


def test_the_device() -> None:
    assert cp.cuda.runtime.getDeviceCount() == 1
    with cp.cuda.Device(0) as device:
        assert device.compute_capability == cp.cuda.get_compute_capability()
    with pytest.raises(RuntimeError, match="InvalidDevice"):
        cp.cuda.Device(3)
    assert cp.cuda.runtime.getDeviceProperties(0)["warpSize"] == 32
    free, total = cp.cuda.Device().mem_info
    assert 0 < free <= total
    place = cp.cuda.runtime.malloc(16)
    cp.cuda.runtime.memset(place, 1, 16)
    x = cp.zeros(4, cp.int32)
    cp.cuda.runtime.memcpy(x.data.ptr, place, 16, cp.cuda.runtime.memcpyDeviceToDevice)
    cp.cuda.runtime.free(place)
    assert (x == 0x01010101).all()


def test_comparisons_make_arrays_of_numpys() -> None:
    x = cp.arange(3, dtype=cp.float32)
    assert cp.allclose(x, np.arange(3.0))
    assert cp.allclose([0, 1, 2], x)
    assert cp.isclose(np.arange(3.0), x + cp.asarray([0, 1, 0])).get().tolist() == [True, False, True]
    with pytest.raises(TypeError, match="Unsupported type"):
        cp.add(x, np.arange(3.0))
