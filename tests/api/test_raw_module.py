# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""CUDA C++ in a string, called with arrays of NumPy."""

from __future__ import annotations

import os
import threading
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import warploom
from warploom.api.kernel import Kernel
from warploom.api.module import RawKernel, RawModule
from warploom.api.streams import Event, Stream

SOURCE = r"""
#include "scale_by.h"
struct Particle { float x, y, z; int id; };
struct Box { double low[3], high[3]; bool open; };
namespace lab {
__device__ int counter;
__global__ void count(int n) { if (blockIdx.x * blockDim.x + threadIdx.x < n) atomicAdd(&counter, 1); }
}
__device__ float table[4][2];
__constant__ Particle origin;
extern "C" __global__ void saxpy(float a, const float *x, float *y, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) y[i] = a * x[i] + y[i];
}
template <class T> __global__ void scale(T *x, T a) { x[threadIdx.x] *= a * SCALE_BY; }
__global__ void move(Particle *p, Particle by, const Box *box) {
  Particle &own = p[threadIdx.x];
  own.x += by.x + origin.x + box->high[2];
  own.id += by.id + box->open;
}
__global__ void use_table(float *out) { out[threadIdx.x] = table[threadIdx.x / 2][threadIdx.x % 2]; }
__global__ void reverse(int *x) {
  extern __shared__ int kept[];
  kept[threadIdx.x] = x[threadIdx.x];
  __syncthreads();
  x[threadIdx.x] = kept[blockDim.x - 1 - threadIdx.x];
}
__global__ void extents(int *out) {
  if (threadIdx.x + threadIdx.y + threadIdx.z + blockIdx.x + blockIdx.y + blockIdx.z == 0) {
    out[0] = gridDim.x; out[1] = gridDim.y; out[2] = gridDim.z;
    out[3] = blockDim.x; out[4] = blockDim.y; out[5] = blockDim.z;
  }
}
__global__ void everything(bool b, signed char c, unsigned char uc, short s, unsigned short us, unsigned u, long long l,
                           unsigned long long ul, double d, double *out) {
  out[0] = b; out[1] = c; out[2] = uc; out[3] = s; out[4] = us; out[5] = u; out[6] = l; out[7] = ul; out[8] = d;
}
__global__ void far_away(int *p) { p[(1ll << 40) + threadIdx.x] = 1; }
__global__ void add_one(unsigned long long *x) { ++x[threadIdx.x]; }
"""


@pytest.fixture(scope="module")
def module() -> RawModule:
    expressions = ("scale<float>", "scale<long long>", "&lab::counter")
    headers = {"scale_by.h": "#define SCALE_BY 2\n"}
    return RawModule(SOURCE, name_expressions=expressions, headers=headers, options=("-std=c++20", "-lineinfo"))


def test_arrays_are_read_and_written_in_place(module: RawModule) -> None:
    x, y = np.arange(1000, dtype=np.float32), np.ones(1000, np.float32)
    kernel = module.get_function("saxpy")
    kernel((4,), (256,), (np.float32(2), x, y, np.int32(1000)))
    kernel(4, 256, (1.0, x, y, 1000))
    assert (y == 3 * x + 1).all()


def test_a_template_goes_by_its_name_expression(module: RawModule) -> None:
    values, whole = np.ones(4, np.float32), np.ones(4, np.int64)
    module.get_function("scale<float>")(1, 4, (values, 1.5))
    module.get_function("scale<long long>")(1, 4, (whole, 5))
    assert values.tolist() == [3.0] * 4
    assert whole.tolist() == [10] * 4


def test_structs_are_structured_arrays_and_tuples(module: RawModule) -> None:
    particle = np.dtype([("x", "f4"), ("y", "f4"), ("z", "f4"), ("id", "i4")])
    box = np.zeros((), [("low", "f8", 3), ("high", "f8", 3), ("open", "?"), ("", "V7")])
    box["high"][2], box["open"] = 0.5, True
    particles = np.zeros(8, particle)
    module.get_global("origin")["x"] = 10
    module.get_function("move")(1, 8, (particles, (1.0, 0.0, 0.0, 7), box))
    module.get_function("move")(1, 8, (particles, np.array((1, 0, 0, 7), particle), box))
    assert particles["x"].tolist() == [23.0] * 8
    assert particles["id"].tolist() == [16] * 8


def test_variables_are_arrays(module: RawModule) -> None:
    table = module.get_global("table")
    assert table.shape == (4, 2)
    assert table.dtype == np.float32
    table[:] = np.arange(8).reshape(4, 2)
    out = np.zeros(8, np.float32)
    module.get_function("use_table")(1, 8, (out,))
    assert out.tolist() == list(range(8))
    counter = module.get_global("&lab::counter")
    counter[...] = 3
    module.get_function("lab::count")((2, 1), (64,), (100,))
    assert counter == 103
    with pytest.raises(AttributeError, match=r"there is no variable 'tabel'; variables: .*table"):
        module.get_global("tabel")


def test_every_kind_of_number(module: RawModule) -> None:
    out = np.zeros(9)
    given = (True, -128, 255, -32768, 65535, 2**32 - 1, -(2**63), 2**64 - 1, 0.1, out)
    module.get_function("everything")(1, 1, given)
    expected = [1.0, -128.0, 255.0, -32768.0, 65535.0, float(2**32 - 1), float(-(2**63)), float(2**64 - 1), 0.1]
    assert out.tolist() == expected
    scalars = (np.bool_(True), np.int8(-1), np.uint8(7), np.int16(-2), np.uint16(3), np.uint32(4), np.int64(5))
    module.get_function("everything")(1, 1, (*scalars, np.uint64(6), np.float64(2.5), out))
    assert out.tolist() == [1, -1, 7, -2, 3, 4, 5, 6, 2.5]


def test_extents_and_dynamic_shared_memory(module: RawModule) -> None:
    out = np.zeros(6, np.int32)
    module.get_function("extents")((2, 3), [4, 5, 6], (out,))
    assert out.tolist() == [2, 3, 1, 4, 5, 6]
    values = np.arange(64, dtype=np.int32)
    module.get_function("reverse")(1, 64, (values,), shared_mem=64 * 4)
    assert values.tolist() == list(range(63, -1, -1))
    module.get_function("reverse")(1, 64, (values,), shared_mem=100_000)  # more than a kernel has without asking
    assert values.tolist() == list(range(64))


def test_a_launch_that_cannot_be(module: RawModule) -> None:
    out = np.zeros(6, np.int32)
    with pytest.raises(warploom.CudaError, match=r"cudaErrorInvalid.*block 2048 x 1 x 1"):
        module.get_function("extents")(1, 2048, (out,))
    with pytest.raises(warploom.ArgumentError, match="grid is one to three positive numbers"):
        module.get_function("extents")((0,), 1, (out,))
    with pytest.raises(warploom.ArgumentError, match="block is a number or up to three"):
        module.get_function("extents")(1, "16", (out,))  # pyright: ignore[reportArgumentType]


def test_after_a_fault_other_kernels_run(module: RawModule, capfd: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(warploom.KernelFault, match=r"cudaErrorIllegalAddress.*far_away"):
        module.get_function("far_away")(1, 32, (np.zeros(4, np.int32),))
    assert "kernel.cu:" in capfd.readouterr().err
    out = np.zeros(6, np.int32)
    module.get_function("extents")(1, 1, (out,))
    assert out.tolist() == [1] * 6


def test_streams_and_events(module: RawModule) -> None:
    kernel, x = module.get_function("add_one"), np.zeros(32, np.uint64)
    with Stream() as stream:
        begin = stream.record()
        for _ in range(100):
            kernel(1, 32, (x,))
        with Event() as end:
            pass
    assert x.tolist() == [100] * 32
    assert end.done
    assert stream.done
    assert 0 <= end.seconds_since(begin) < 60
    other = Stream(non_blocking=True)
    other.wait_event(stream.record())
    kernel(1, 32, (x,), stream=other)
    other.synchronize()
    assert x[0] == 101
    with pytest.raises(warploom.ArgumentError, match=r"stream is a warploom.Stream, not str"):
        kernel(1, 32, (x,), stream="main")  # pyright: ignore[reportArgumentType]


def test_an_array_lives_as_long_as_its_stream_needs_it(module: RawModule) -> None:
    kernel = module.get_function("add_one")
    with Stream():
        for _ in range(50):
            kernel(1, 1024, (np.zeros(1024, np.uint64),))  # gone at once, but for the stream


def test_eight_threads_launch_at_once(module: RawModule) -> None:
    arrays = [np.zeros(32, np.uint64) for _ in range(8)]

    def launch(array: np.ndarray[tuple[int], np.dtype[np.uint64]]) -> None:
        kernel = module.get_function("add_one")
        for _ in range(300):
            kernel(1, 32, (array,))

    threads = [threading.Thread(target=launch, args=(array,)) for array in arrays]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert all((array == 300).all() for array in arrays)


def test_a_forked_process_launches(module: RawModule) -> None:
    kernel, x = module.get_function("add_one"), np.zeros(1024, np.uint64)
    kernel(1, 1024, (x,))
    child = os.fork()
    if child == 0:
        status = 1
        try:
            for _ in range(10):
                kernel(1, 1024, (x,))
            own = RawKernel("__global__ void put(int *x) { *x = 5; }", "put")
            out = np.zeros(1, np.int32)
            own(1, 1, (out,))
            status = 0 if (x == 11).all() and out[0] == 5 else 2
        finally:
            os._exit(status)
    assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 0
    assert (x == 1).all()


def test_a_kernel_that_is_not_there(module: RawModule) -> None:
    with pytest.raises(AttributeError, match=r"there is no kernel 'saxpi'; kernels: .*saxpy"):
        module.get_function("saxpi")


def test_a_source_in_a_file(tmp_path: Path) -> None:
    (tmp_path / "half.h").write_text("#define HALF(x) ((x) / 2)\n")
    source = tmp_path / "halve.cu"
    source.write_text('#include "half.h"\n__global__ void halve(int *x) { x[threadIdx.x] = HALF(x[threadIdx.x]); }\n')
    x = np.array([2, 4, 6], np.int32)
    RawModule(path=source).get_function("halve")(1, 3, (x,))
    assert x.tolist() == [1, 2, 3]
    (tmp_path / "half.h").write_text("#define HALF(x) ((x) / -2)\n")  # what is included is looked at again
    RawModule(path=source).get_function("halve")(1, 2, (x,))
    assert x.tolist() == [0, -1, 3]
    with pytest.raises(warploom.Diagnostic, match="a module is made of source text"):
        RawModule(path=tmp_path / "halve.cubin")


def test_a_source_that_does_not_compile() -> None:
    kernel = RawKernel("__global__ void k(int *x) {\n  x = nonsense;\n}", "k")
    with pytest.raises(warploom.CompileError, match=r"kernel.cu:2:7: error: .*nonsense"):
        kernel(1, 1, (np.zeros(1, np.int32),))


def test_one_kernel_may_be_an_instance() -> None:
    kernel = RawKernel("template <int N> __global__ void fill(int *x) { x[threadIdx.x] = N; }", "fill<7>")
    x = np.zeros(3, np.int32)
    kernel(1, 3, (x,))
    assert x.tolist() == [7, 7, 7]
    assert isinstance(kernel.kernel, Kernel)


def test_the_package_is_loaded_lazily() -> None:
    code = "import sys, warploom; print(sorted(m for m in sys.modules if m.startswith(('warploom', 'numpy'))))"
    import subprocess
    import sys

    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "['warploom', 'warploom.core', 'warploom.core.type_names', 'warploom.version']"
    with pytest.raises(AttributeError, match="has no attribute 'RawKernal'"):
        _ = warploom.RawKernal  # pyright: ignore[reportAttributeAccessIssue, reportUnknownMemberType, reportUnknownVariableType]
    assert set(warploom.__all__) <= set(dir(warploom))
    assert all(getattr(warploom, name) is not None for name in warploom.__all__)


def test_passes_are_switched_off_by_the_environment(monkeypatch: pytest.MonkeyPatch) -> None:
    """WARPLOOM_OFF_PASS makes another module: the cache tells it from the one with all passes."""
    source = 'extern "C" __global__ void twice(float *x) { x[threadIdx.x] *= 2; }'
    whole = RawModule(source)
    monkeypatch.setenv("WARPLOOM_OFF_PASS", "vectorise,hoist_ranges")
    scalar = RawModule(source, options=("--off-pass=unroll",))
    assert scalar.request.options.off_passes == ("vectorise", "hoist_ranges", "unroll")
    assert whole.library != scalar.library
    assert whole.library.read_bytes() != scalar.library.read_bytes()
    x = np.ones(64, np.float32)
    scalar.get_function("twice")(1, 64, (x,))
    assert (x == 2).all()


def test_a_pass_of_the_environment_that_does_not_exist(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("WARPLOOM_OFF_PASS", "vectorize_all")
    with pytest.raises(warploom.Diagnostic, match="no pass is called 'vectorize_all'"):
        RawModule('extern "C" __global__ void once(float *x) { x[threadIdx.x] = 1; }').compile()


@pytest.mark.parametrize(("struct", "dtype"), [("float2", "complex64"), ("double2", "complex128")])
def test_complex_arrays_go_the_quick_way(struct: str, dtype: str, monkeypatch: pytest.MonkeyPatch) -> None:
    kernel = RawModule(
        f"""extern "C" __global__ void turn(const {struct} *x, {struct} *y, double *real) {{
  const int i = threadIdx.x;
  y[i].x = -x[i].y; y[i].y = x[i].x; real[i] = x[i].x;
}}"""
    ).get_function("turn")
    x: np.ndarray[Any, Any] = np.array([number - 5j for number in range(32)], dtype)
    y, real = np.zeros_like(x), np.zeros(32)
    with pytest.raises(warploom.ArgumentError, match="argument 3"):
        kernel(1, 32, (x, y, x))
    with pytest.raises(warploom.ArgumentError, match="argument 2"):
        kernel(1, 32, (x, np.zeros(128, np.int32), real))
    monkeypatch.setattr(kernel, "_launch", None)
    kernel(1, 32, (x, y, real))
    np.testing.assert_array_equal(y, 1j * x)
    np.testing.assert_array_equal(real, x.real)
