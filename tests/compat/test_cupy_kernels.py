# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""warploom.compat.cupy: kernels of its kinds against NumPy."""

from __future__ import annotations

import pickle
from typing import Any

import numpy as np
import pytest

from warploom.api.arguments import ArgumentError
from warploom.compat import cupy

cp: Any = cupy

ADD = cp.ElementwiseKernel("T x, T y", "T z", "z = x + y", "add")


def shapes() -> list[tuple[np.ndarray, np.ndarray]]:
    base = np.arange(4 * 70 * 6, dtype=np.float32).reshape(4, 70, 6)
    return [
        (base, base),
        (base[::2, ::-1], base[1::2]),
        (base.transpose(2, 0, 1), base.transpose(2, 0, 1)[:, :1]),
        (base[0, :, :1], base[0, 0]),
        (base[0].T, base[0].T[::-1]),
        (base[0, 0, 0, ...], base[1, 2]),
        (base[:0], base[:0]),
        (np.frombuffer(bytes(range(64)), np.uint8)[1:61].view(np.float32), base[0, :15, 0]),  # at odd addresses
    ]


@pytest.mark.parametrize("number", range(8))
def test_elementwise_over_views(number: int) -> None:
    one, other = shapes()[number]
    base = cp.zeros(4 * 70 * 6, cp.float32)
    x, y = _view(one), _view(other)
    del base
    assert x.strides == one.strides
    np.testing.assert_array_equal(ADD(x, y).get(), one + other)


def _view(array: np.ndarray) -> Any:
    """The same view in memory of CuPy's."""
    root = array
    while isinstance(root.base, np.ndarray):
        root = root.base
    low = np.lib.array_utils.byte_bounds(root)[0]
    memory = cp.cuda.alloc(max(root.nbytes, 1))
    memory.copy_from_host(root.ctypes.data, root.nbytes)
    return cp.ndarray(array.shape, array.dtype, memory + (array.ctypes.data - low), array.strides)


def test_raw_arguments_and_the_index() -> None:
    text = "y = x[(i + 1) % _ind.size()] + x.size() * 100 + x.shape()[0] * scale"
    roll = cp.ElementwiseKernel("raw T x, int32 scale", "T y", text, "roll")
    x = cp.arange(12, dtype=cp.int64).reshape(3, 4)[:, ::2]
    expected = np.roll(x.get().ravel(), -1) + 630
    assert roll(x, 10, size=6).get().tolist() == expected.tolist()
    at = cp.ElementwiseKernel(
        "raw float32 x", "raw float64 y", "ptrdiff_t at[] = {i % 2, i / 2}; y[i] = x[at];", "at", no_return=True
    )
    y = cp.zeros(6)
    assert at(cp.arange(6, dtype="f4").reshape(2, 3), y, size=6) is None
    assert y.get().tolist() == [0, 3, 1, 4, 2, 5]
    place = cp.ElementwiseKernel("T x", "T y", "y = x + 10 * _ind.get()[0]", "place", reduce_dims=False)
    assert place(cp.zeros((2, 2), "i4")).get().tolist() == [[0, 0], [10, 10]]


def test_elementwise_types() -> None:
    several = cp.ElementwiseKernel("T x, U y", "T z, bool w", "z = x * y; w = x > y", "several")
    z, w = several(cp.array([1, 5], "i2"), cp.array([2.5, 3]))
    assert (z.dtype, w.dtype) == (np.int16, np.bool_)
    assert (z.get().tolist(), w.get().tolist()) == ([2, 15], [False, True])
    twist = cp.ElementwiseKernel("T x", "T y", "y = x * T(0, 1) + conj(x) / T(2)", "twist")
    numbers = np.array([1 + 2j, 3 - 1j], np.complex64)
    np.testing.assert_allclose(twist(cp.asarray(numbers)).get(), numbers * 1j + numbers.conj() / 2)
    half = ADD(cp.array([1, 2], "f2"), 0.5)
    assert half.dtype == np.float16
    assert half.get().tolist() == [1.5, 2.5]
    out = cp.zeros(2)
    assert ADD(cp.ones(2), 2, out) is out
    loops = cp.ElementwiseKernel("T x", "T y", "if (x > 1) continue; y = base;", "loops", loop_prep="const T base = 7")
    y = cp.zeros(3)
    loops(cp.arange(3.0), y)
    assert y.get().tolist() == [7, 7, 0]
    for wrong, said in (
        (lambda: ADD(cp.ones(2), cp.ones(2, "f4")), "Type is mismatched"),
        (lambda: ADD(cp.ones(2), np.ones(2)), "Unsupported type"),
        (lambda: ADD(cp.ones(2)), "Wrong number of arguments"),
        (lambda: cp.ElementwiseKernel("T x", "U y", "y = x", "k")(cp.ones(2)), "follows from no argument"),
    ):
        with pytest.raises(TypeError, match=said):
            wrong()
    with pytest.raises(ValueError, match="Out shape is mismatched"):
        ADD(cp.ones(2), 1, cp.ones((2, 1)))


def test_reductions() -> None:
    total = cp.ReductionKernel("T x, T y", "T z", "x * y", "a + b", "z = a", "0", "dot")
    base = np.random.default_rng(1).integers(0, 50, (3, 40, 5, 60)).astype(np.float64)
    x = cp.asarray(base)
    for axis in (None, 1, -1, (0, 2)):
        found = total(x, x[:1], axis=axis)
        np.testing.assert_array_equal(found.get(), (base * base[:1]).sum(axis=axis))
    kept = total(x, 2, axis=1, keepdims=True)
    np.testing.assert_array_equal(kept.get(), (base * 2).sum(axis=1, keepdims=True))
    np.testing.assert_array_equal(total(x.T[::-1], 1, axis=2).get(), base.T[::-1].sum(axis=2))
    out = cp.zeros(5)
    assert total(x[0, 0], 1, out=out, axis=1) is out
    np.testing.assert_array_equal(out.get(), base[0, 0].sum(axis=1))


def test_reductions_without_identity_and_of_other_types() -> None:
    largest = cp.ReductionKernel("T x", "T y, int64 n", "pair<T>{x, 1}", "better(a, b)", "y = a.value, n = a.count",
                                 None, "largest", reduce_type="pair<T>", preamble="""
        template <class T> struct pair { T value; long long count; };
        template <class T> __device__ pair<T> better(pair<T> a, pair<T> b) {
          return {a.value > b.value ? a.value : b.value, a.count + b.count}; }
        """)  # fmt: skip
    base = np.random.default_rng(2).standard_normal((7, 5000)) - 10
    for axis in (None, 1):
        value, count = largest(cp.asarray(base), axis=axis)
        np.testing.assert_array_equal(value.get(), base.max(axis=axis))
        assert (count.get() == base.size // max(value.size, 1)).all()
    with pytest.raises(ValueError, match="zero-size array"):
        largest(cp.zeros((3, 0)), axis=1)
    count_all = cp.ReductionKernel("raw T x, int32 n", "int64 y", "x[_J]", "a + b", "y = a", "0", "raw_sum")
    with pytest.raises(ValueError, match="undecided"):
        count_all(cp.arange(4), 4)


def test_raw_kernels_take_pointers_as_cupy_does() -> None:
    source = r"""
    #include <cupy/complex.cuh>
    __device__ float shift[2];
    extern "C" __global__ void bits(const unsigned *x, void *y, int n) {
      if (threadIdx.x < n) ((unsigned *)y)[threadIdx.x] = x[threadIdx.x] + (unsigned)shift[1];
    }
    template <class T> __global__ void square(T *x) { x[threadIdx.x] *= x[threadIdx.x]; }
    """
    module = cp.RawModule(code=source, name_expressions=["square<complex<float>>"])
    shift = cp.ndarray((2,), cp.float32, module.get_global("shift"))
    shift[...] = 5
    x = cp.arange(4, dtype=cp.float32)
    y = cp.cuda.alloc(16)
    kernel = module.get_function("bits")
    kernel((1,), (4,), (x, y, cp.int32(4)))
    assert (cp.ndarray((4,), cp.uint32, y).get() == x.get().view(np.uint32) + 5).all()
    kernel((1,), (4,), (x.data.ptr, y, 4))
    z = cp.array([1j, 2], cp.complex64)
    module.get_function("square<complex<float>>")((1,), (2,), (z,))
    assert z.get().tolist() == [-1, 4]
    with pytest.raises(cp.cuda.driver.CUDADriverError, match="CUDA_ERROR_NOT_FOUND"):
        module.get_function("nothing")
    with pytest.raises(cp.cuda.compiler.CompileException, match="no_such_type"):
        cp.RawKernel('extern "C" __global__ void k(no_such_type x) {}', "k").compile()
    with pytest.raises(ArgumentError, match="3 arguments"):
        kernel((1,), (4,), (x,))
    again = pickle.loads(pickle.dumps(kernel))
    assert again.name == "bits"
    assert kernel.attributes["max_threads_per_block"] > 0


def test_modules_launch_from_the_device_and_wait_for_the_grid() -> None:
    source = r"""
    #include <cooperative_groups.h>
    extern "C" __global__ void inner(int *x) { x[threadIdx.x] += threadIdx.x; }
    extern "C" __global__ void outer(int *x) { inner<<<1, 4>>>(x + 4 * threadIdx.x); }
    extern "C" __global__ void meet(int *x, int *y) {
      const int i = blockIdx.x * blockDim.x + threadIdx.x, n = gridDim.x * blockDim.x;
      x[i] = i;
      cooperative_groups::this_grid().sync();
      y[i] = x[n - 1 - i];
    }
    """
    module = cp.RawModule(code=source, options=("-dc",), enable_cooperative_groups=True)
    x, y = cp.zeros(8, cp.int32), cp.zeros(8, cp.int32)
    module.get_function("outer")((1,), (2,), (x,))
    assert x.get().tolist() == [0, 1, 2, 3] * 2
    module.get_function("meet")((4,), (2,), (x, y))
    assert y.get().tolist() == list(range(7, -1, -1))


def test_textures() -> None:
    from warploom.compat.cupy.cuda import texture

    runtime = cp.cuda.runtime
    channels = texture.ChannelFormatDescriptor(32, 0, 0, 0, runtime.cudaChannelFormatKindFloat)
    data = cp.arange(12, dtype=cp.float32).reshape(3, 4)
    texels = texture.CUDAarray(channels, 4, 3)
    texels.copy_from(data)
    back = cp.zeros_like(data)
    texels.copy_to(back)
    assert (back == data).all()
    resource = texture.ResourceDescriptor(runtime.cudaResourceTypeArray, cuArr=texels)
    clamp = texture.TextureDescriptor((runtime.cudaAddressModeClamp,) * 2)
    image = texture.TextureObject(resource, clamp)
    read = cp.ElementwiseKernel("U image, int32 w", "raw float32 y", "y[i] = tex2D<float>(image, i % w, i / w)", "read")
    y = cp.zeros(12, cp.float32)
    read(image, 4, y, size=12)
    assert (y == data.ravel()).all()


@pytest.mark.parametrize("dtype", ["complex64", "complex128"])
def test_abs_of_complex_numbers_has_the_bits_of_kernels(dtype: str) -> None:
    numbers = np.random.default_rng(3).random((2, 3, 500))
    x = cp.asarray((numbers[0] + 1j * numbers[1]).astype(dtype))
    real = cp.asnumpy(x).real.dtype
    wanted = cp.asnumpy(cp.ElementwiseKernel("T x", "R y", "y = abs(x)")(x, cp.zeros(x.shape, real)))
    assert (cp.asnumpy(abs(x)) == wanted).all()
    assert (cp.asnumpy(cp.abs(x[:, ::2])) == wanted[:, ::2]).all()
    assert np.allclose(cp.asnumpy(cp.abs(x, out=cp.zeros(x.shape, real))), wanted)
