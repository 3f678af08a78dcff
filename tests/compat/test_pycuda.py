# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""warploom.compat.pycuda: what PyCUDA's documentation shows, in own words, by `python -m warploom.run`."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

from warploom.compat import cupy
from warploom.compat.pycuda import driver, gpuarray, tools
from warploom.compat.pycuda.compiler import DynamicSourceModule, SourceModule
from warploom.compat.pycuda.elementwise import ElementwiseKernel

PROGRAM = r'''
import numpy
import pycuda.autoinit
import pycuda.driver as cuda
import pycuda.gpuarray as gpuarray
from pycuda import cumath
from pycuda.compiler import SourceModule
from pycuda.curandom import rand
from pycuda.elementwise import ElementwiseKernel
from pycuda.reduction import ReductionKernel

# Twice the elements of an array, by hand and by InOut.
a = numpy.random.randn(4, 4).astype(numpy.float32)
a_gpu = cuda.mem_alloc(a.nbytes)
cuda.memcpy_htod(a_gpu, a)
module = SourceModule("""
  #define N 16
  __constant__ float factor;
  __global__ void doubled(float *a) { a[threadIdx.x + threadIdx.y * 4] *= 2; }
  __global__ void scaled(float *out, const float *a, const float *b, int n, double shift) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) out[i] = factor * a[i] * b[i] + shift;
  }
  struct Array { int length, unused; float *data; };
  __global__ void of_structs(Array *all) {
    Array &own = all[blockIdx.x];
    for (int i = threadIdx.x; i < own.length; i += blockDim.x) own.data[i] += 10 * blockIdx.x + 1;
  }
  __global__ void slow(float *x) { for (int i = 0; i < 3000; ++i) x[threadIdx.x] += 1; }
""")
doubled = module.get_function("doubled")
doubled(a_gpu, block=(4, 4, 1))
back = numpy.empty_like(a)
cuda.memcpy_dtoh(back, a_gpu)
assert (back == 2 * a).all()
again = a.copy()
doubled(cuda.InOut(again), block=(4, 4, 1))
assert (again == 2 * a).all()

# In, Out, numbers and a constant.
place, size = module.get_global("factor")
assert size == 4
cuda.memcpy_htod(place, numpy.float32(3))
x, y = numpy.random.rand(2, 400).astype(numpy.float32)
out = numpy.zeros_like(x)
scaled = module.get_function("scaled")
scaled(cuda.Out(out), cuda.In(x), cuda.In(y), numpy.int32(400), numpy.float64(1), block=(128, 1, 1), grid=(4, 1))
numpy.testing.assert_allclose(out, 3 * x * y + 1, rtol=1e-6)
scaled.prepare("PPPid")
xs = [cuda.to_device(each) for each in (out, x, y)]
scaled.prepared_call((4, 1), (128, 1, 1), *xs, 400, 2.0)
numpy.testing.assert_allclose(cuda.from_device_like(xs[0], out), 3 * x * y + 2, rtol=1e-6)

# Structs with pointers, written by hand.
layout = numpy.dtype([("length", "i4"), ("unused", "i4"), ("data", "u8")])
first, second = cuda.to_device(numpy.zeros(3, "f4")), cuda.to_device(numpy.zeros(5, "f4"))
table = cuda.to_device(numpy.array([(3, 0, int(first)), (5, 0, int(second))], layout))
module.get_function("of_structs")(table, block=(32, 1, 1), grid=(2, 1))
assert cuda.from_device(first, (3,), numpy.float32).tolist() == [1] * 3
assert cuda.from_device(second, (5,), numpy.float32).tolist() == [11] * 5

# Streams and events.
start, end, stream = cuda.Event(), cuda.Event(), cuda.Stream()
z = gpuarray.zeros(64, numpy.float32)
start.record(stream)
for _ in range(3):
    module.get_function("slow")(z, block=(64, 1, 1), stream=stream)
end.record(stream)
assert (z.get() == 9000).all()
end.synchronize()
assert start.time_till(end) == end.time_since(start) > 0
assert module.get_function("slow")(z, block=(64, 1, 1), time_kernel=True) > 0

# Arrays.
b = gpuarray.to_gpu(a)
assert ((2 * b + 1).get() == 2 * a + 1).all()
b[1:3] = 0
b += gpuarray.ones_like(b)
assert b[1].get().tolist() == [1, 1, 1, 1]
numpy.testing.assert_allclose(cumath.exp(b).get(), numpy.exp(b.get()))
assert gpuarray.arange(5, dtype=numpy.int32).get().tolist() == [0, 1, 2, 3, 4]
numpy.testing.assert_allclose(gpuarray.sum(b).get(), b.get().sum(), rtol=1e-5)
p, q = rand(500), rand(500)
linear = ElementwiseKernel("float a, float *x, float b, float *y, float *z", "z[i] = f(a, x[i]) + f(b, y[i])", "linear",
                           preamble="__device__ float f(float a, float x) { return a * x; }")
r = gpuarray.empty_like(p)
linear(5, p, 6, q, r)
numpy.testing.assert_allclose(r.get(), 5 * p.get() + 6 * q.get(), rtol=1e-6)
r.fill(0)
linear(1, p, 0, q, r, slice=slice(0, None, 2))
assert (r.get()[1::2] == 0).all() and (r.get()[::2] == p.get()[::2]).all()
dot = ReductionKernel(numpy.float32, neutral="0", reduce_expr="a+b", map_expr="x[i]*y[i]",
                      arguments="float *x, float *y")
numpy.testing.assert_allclose(dot(p, q).get(), numpy.dot(p.get(), q.get()), rtol=1e-5)
most = ReductionKernel(numpy.int32, neutral="-1000", reduce_expr="max(a, b)", arguments="const int *in")
assert most(gpuarray.to_gpu(numpy.array([3, 9, -4], numpy.int32))).get() == 9

device = cuda.Device(0)
assert cuda.Device.count() == 1 and device.get_attribute(cuda.device_attribute.WARP_SIZE) == 32
assert device.get_attribute(cuda.device_attribute.MAX_BLOCK_DIM_X) == device.max_threads_per_block
cuda.Context.synchronize()
print("right")
'''


def test_what_the_documentation_shows(tmp_path: Path) -> None:
    program = tmp_path / "program.py"
    program.write_text(PROGRAM)
    done = subprocess.run([sys.executable, "-m", "warploom.run", program], capture_output=True, text=True, check=False)
    assert (done.stdout, done.returncode) == ("right\n", 0), done.stderr


def test_mistakes_are_told() -> None:
    module = SourceModule("__global__ void k(float *x, int n) { x[threadIdx.x] = n; }")
    kernel = module.get_function("k")
    memory = driver.mem_alloc(16)
    with pytest.raises(TypeError, match=r"parameter #1 \(0-based\): int, the kernel takes int.*numpy\.int32"):
        kernel(memory, 3, block=(4, 1, 1))
    with pytest.raises(ValueError, match="block size"):
        kernel(memory, np.int32(3))
    with pytest.raises(TypeError, match="2 arguments"):
        kernel(memory, block=(4, 1, 1))
    with pytest.raises(driver.CompileError, match="undeclared"):
        SourceModule("__global__ void k(float *x) { *x = y; }")
    with pytest.raises(driver.LogicError, match="not found"):
        module.get_function("nothing")
    with pytest.raises(ValueError, match="not contiguous"):
        driver.memcpy_htod(memory, np.zeros(8)[::2])
    with pytest.raises(driver.LogicError, match="invalid"):
        kernel(memory, np.int32(3), block=(4096, 1, 1))
    with pytest.raises(NotImplementedError, match="texture object"):
        module.get_texref("t")


def test_kernels_that_launch_kernels() -> None:
    module = DynamicSourceModule("""
      __global__ void inner(int *x, int by) { x[threadIdx.x] += by; }
      __global__ void outer(int *x) { inner<<<1, 4>>>(x, 10 * threadIdx.x + 1); }
    """)
    x = np.zeros(4, np.int32)
    module.get_function("outer")(driver.InOut(x), block=(2, 1, 1))
    assert x.tolist() == [12] * 4


def test_vector_types() -> None:
    points = gpuarray.zeros(3, gpuarray.vec.float3)
    points[1] = gpuarray.vec.make_float3(3, 4)
    lengths = gpuarray.empty(3, np.float32)
    norm = ElementwiseKernel("float3 from, float3 *p, float *r", "r[i] = hypotf(p[i].x - from.x, p[i].y)")
    norm(gpuarray.vec.make_float3(0, 0, 5), points, lengths)
    assert lengths.get().tolist() == [0, 5, 0]
    assert tools.dtype_to_ctype(gpuarray.vec.types["double2"]) == "double2"
    with pytest.raises(AttributeError):
        _ = gpuarray.vec.float5


def test_complex_numbers() -> None:
    rng = np.random.default_rng(1)
    a, b = ((rng.random(9) + 1j * rng.random(9)).astype(np.complex64) for _ in range(2))
    product = ElementwiseKernel(
        "pycuda::complex<float> *x, pycuda::complex<float> *y, pycuda::complex<float> *z",
        "z[i] = x[i] * y[i] - conj(y[i])",
        preamble="#include <pycuda-complex.hpp>",
    )
    result = gpuarray.zeros(9, np.complex64)
    product(gpuarray.to_gpu(a), gpuarray.to_gpu(b), result)
    np.testing.assert_allclose(result.get(), a * b - b.conj(), rtol=1e-5, atol=1e-6)
    source = """#include <pycuda-complex.hpp>
    __global__ void k(pycuda::complex<double> *x, int n) {
      x[threadIdx.x] = pow(x[threadIdx.x], n) / pycuda::complex<double>(0, 2);
    }"""
    power = SourceModule(source).get_function("k")
    for exponent in (3, 0, -2):
        z = np.array([2, 4j])
        power(driver.InOut(z), np.int32(exponent), block=(2, 1, 1))
        np.testing.assert_allclose(z, np.array([2, 4j]) ** exponent / 2j, atol=1e-12)


def test_arrays_of_others_limits_and_what_is_kept() -> None:
    double = SourceModule("__global__ void k(float *x) { x[threadIdx.x] *= 2; }").get_function("k")
    x = cupy.arange(4, dtype=cupy.float32)
    double(x, block=(4, 1, 1))
    assert x.get().tolist() == [0, 2, 4, 6]
    assert driver.mem_alloc_like(x.get()).as_buffer(16).nbytes == 16

    before = driver.Context.get_limit(driver.limit.PRINTF_FIFO_SIZE)
    driver.Context.set_limit(driver.limit.PRINTF_FIFO_SIZE, 2 * before)
    assert driver.Context.get_limit(driver.limit.PRINTF_FIFO_SIZE) == 2 * before
    driver.Context.set_limit(driver.limit.PRINTF_FIFO_SIZE, before)
    with pytest.raises(driver.LogicError):
        driver.Context.set_limit(99, 1)

    calls: list[int] = []

    @tools.context_dependent_memoize
    def made(number: int) -> int:
        calls.append(number)
        return number + 1

    assert (made(1), made(1), calls) == (2, 2, [1])
    assert tools.PageLockedMemoryPool().allocate(3, np.float32).shape == (3,)
