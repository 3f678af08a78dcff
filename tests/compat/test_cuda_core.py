# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""warploom.compat.cuda_core and cuda_bindings: what their documentation shows, in own words."""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

from warploom.api.arguments import ArgumentError
from warploom.compat import cuda_core
from warploom.compat.cuda_bindings import driver, nvrtc, runtime
from warploom.compiler.service import CompileError

CORE = r'''
import numpy
import cupy
from cuda.core import Device, EventOptions, LaunchConfig, Linker, Program, ProgramOptions, launch
import cuda.core.experimental
from cuda.core.utils import StridedMemoryView, args_viewable_as_strided_memory

source = """
template <class T> __global__ void saxpy(const T a, const T *x, const T *y, T *out, size_t n) {
  for (size_t i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) out[i] = a * x[i] + y[i];
}
#include <cooperative_groups.h>
extern "C" __global__ void meet(int *x, int *y) {
  x[blockIdx.x] = FACTOR * blockIdx.x;
  cooperative_groups::this_grid().sync();
  y[blockIdx.x] = x[gridDim.x - 1 - blockIdx.x];
}
"""
device = Device()
device.set_current()
stream = device.create_stream()
options = ProgramOptions(std="c++17", arch=f"sm_{device.arch}", define_macro=[("FACTOR", 3)])
program = Program(source, code_type="c++", options=options)
module = program.compile("cubin", name_expressions=("saxpy<float>", "saxpy<double>"))
assert len(module.code) > 1000 and module.symbol_mapping["saxpy<float>"].startswith(b"_Z5saxpy")
for dtype in (cupy.float32, cupy.float64):
    kernel = module.get_kernel(f"saxpy<{'float' if dtype is cupy.float32 else 'double'}>")
    assert kernel.num_arguments == 5 and kernel.arguments_info[4].size == 8
    assert kernel.attributes.max_threads_per_block() > 0
    x, y = cupy.random.random(1000).astype(dtype), cupy.random.random(1000).astype(dtype)
    out = cupy.empty_like(x)
    start = stream.record(options=EventOptions(enable_timing=True))
    config = LaunchConfig(grid=8, block=128)
    launch(stream, config, kernel, dtype(10), x.data.ptr, y.data.ptr, out.data.ptr, cupy.uint64(1000))
    end = stream.record(options=EventOptions(enable_timing=True))
    stream.sync()
    assert cupy.allclose(out, 10 * x + y) and end - start > 0
first, second = device.allocate(32, stream), device.memory_resource.allocate(32)
meet = Linker(module).link("cubin").get_kernel("meet")
launch(stream, LaunchConfig(grid=(8,), block=1, cooperative_launch=True), meet, first, second)
second.copy_to(first, stream=stream)
other = device.create_stream()
other.wait(stream)
other.sync()
assert numpy.from_dlpack(first).view("i4").tolist() == [3 * i for i in reversed(range(8))]
first.close(stream)

@args_viewable_as_strided_memory((0,))
def doubled(array, stream):
    view = array.view(stream.handle)
    assert view.shape == (2, 3) and view.strides is None and view.dtype == numpy.float32
    return view.ptr

array = numpy.zeros((2, 3), numpy.float32)
assert doubled(array, stream) == array.ctypes.data
assert device.properties.multiprocessor_count >= 1 and cuda.core.system.num_devices == 1
print("right")
'''

MORE = r'''
import ctypes
import sys

import cupy
import numpy
from cuda.core import (
    Device, GraphMemoryResource, Host, LaunchConfig, LegacyPinnedMemoryResource, Linker, ManagedMemoryResource,
    ManagedMemoryResourceOptions, PinnedMemoryResource, PinnedMemoryResourceOptions, Program, ProgramOptions,
    host_launch, launch, system,
)
from cuda.core.texture import (
    ArrayFormat, FilterMode, OpaqueArray, ResourceDescriptor, TextureDescriptor, TextureObject,
)
from cuda.core.utils import CopyOptions, MemcpySrcAccessOrder, StridedMemoryView, copy_batch

def raises(kind, function, *arguments, **options):
    try:
        function(*arguments, **options)
    except kind as error:
        return str(error)
    raise AssertionError(f"no {kind.__name__}")

device = Device()
device.set_current()
stream = device.create_stream()
source = """
extern "C" __global__ void add(int *x, int n) { x[threadIdx.x] += n; }
extern "C" __global__ void sample(cudaTextureObject_t t, float *out) {
  out[threadIdx.x] = tex2D<float>(t, threadIdx.x + 1.0f, 0.5f);
}
"""
module = Program(source, "c++", ProgramOptions(std="c++17", arch=f"sm_{device.arch}")).compile("cubin")
add, one = module.get_kernel("add"), LaunchConfig(grid=1.0, block=(4, 1, 1))
pinned = LegacyPinnedMemoryResource()

# Bytes, shorts and words; too many of them are refused.
buffer = pinned.allocate(16)
values = numpy.from_dlpack(buffer).view("i4")
for what, expected in ((7, 0x07070707), (numpy.uint16(258), 0x01020102), (numpy.int32(-5), -5)):
    buffer.fill(what, stream=stream)
    stream.sync()
    assert values.tolist() == [expected] * 4
assert "8 bytes" in raises(ValueError, buffer.fill, numpy.int64(1), stream=stream)

# A graph does nothing while it is built, and everything each time it is launched.
scratch = GraphMemoryResource(device)
builder = stream.create_graph_builder()
assert "not building" in raises(RuntimeError, builder.end_building)
builder.begin_building()
values[:] = 0
seen = []
piece = scratch.allocate(16, stream=builder)
piece.copy_from(buffer, stream=builder)
launch(builder, one, add, piece, numpy.int32(3))
host_launch(builder, lambda: seen.append(values.tolist()))
buffer.copy_from(piece, stream=builder)
piece.close()
assert "not finished" in raises(RuntimeError, builder.complete)
graph = builder.end_building().complete()
assert values.tolist() == [0] * 4 and seen == [] and scratch.attributes.reserved_mem_high == 16
for _ in range(3):
    graph.launch(stream)
stream.sync()
assert values.tolist() == [9] * 4 and seen == [[0] * 4, [3] * 4, [6] * 4]
def built(amount, times):
    made = device.create_graph_builder().begin_building("relaxed")
    for _ in range(times):
        launch(made, one, add, buffer, numpy.int32(amount))
    return made.end_building()
other = built(1, 2).complete()
other.update(built(-4, 2))
other.upload(stream)
other.launch(stream)
assert cupy.from_dlpack(buffer).view(cupy.int32).get().tolist() == [1] * 4  # waits for the graph
raises(Exception, other.update, built(1, 3))
for each in (graph, other, builder, scratch):
    each.close()

# What the host does in a stream comes in its turn; what it raises is told, and the stream goes on.
told = []
sys.unraisablehook = lambda what: told.append(str(what.exc_value))
launch(stream, one, add, buffer, numpy.int32(1))
host_launch(stream, lambda data: data.append(int(values[0])), seen)
host_launch(stream, lambda: 1 // 0)
launch(stream, one, add, buffer, numpy.int32(1))
stream.sync()
assert seen[-1] == 2 and values.tolist() == [3] * 4 and "by zero" in told[0]

# Memory of all kinds; copies of several buffers at once.
managed = ManagedMemoryResource(ManagedMemoryResourceOptions(preferred_location=0, preferred_location_type="device"))
pool = PinnedMemoryResource(PinnedMemoryResourceOptions(numa_id=0))
assert managed.preferred_location == ("device", 0) and pool.numa_id == 0
assert "ipc" in raises(NotImplementedError, PinnedMemoryResource, PinnedMemoryResourceOptions(ipc_enabled=True))
sources = [managed.allocate(8, stream=stream) for _ in range(2)]
targets = [pool.allocate(8, stream=stream) for _ in range(2)]
for number, each in enumerate(sources):
    each.fill(number + 1, stream=stream)
hints = CopyOptions(MemcpySrcAccessOrder.DURING_API_CALL, device, Host())
copy_batch(stream, sources, targets, options=[hints, CopyOptions()])
stream.sync()
assert [ctypes.string_at(each.handle, 8) for each in targets] == [bytes([1] * 8), bytes([2] * 8)]
assert "2 sources" in raises(ValueError, copy_batch, stream, sources, targets[:1])
targets[0].set_deallocation_stream(stream)

# Views.
host = numpy.arange(6, dtype=numpy.int16).reshape(2, 3)
view = StridedMemoryView.from_array_interface(host)
assert view.size == 6 and not view.is_device_accessible and (numpy.from_dlpack(view) == host).all()
on_device = StridedMemoryView.from_dlpack(cupy.arange(3), stream_ptr=0)
assert on_device.is_device_accessible
part = StridedMemoryView.from_buffer(buffer, shape=(2, 1), strides=(2, 1), dtype=numpy.dtype("i4"))
values[:] = [1, 2, 3, 4]
assert numpy.from_dlpack(part).tolist() == [[1], [3]] and part.is_device_accessible
raises(Exception, StridedMemoryView.from_buffer, buffer, shape=(5,), dtype=numpy.dtype("i4"))
cupy.testing.assert_array_equal(cupy.arange(3), numpy.arange(3))
raises(AssertionError, cupy.testing.assert_allclose, cupy.arange(3), cupy.arange(3) + 1)

# A texture.
with OpaqueArray.from_descriptor(shape=(4, 2), format=ArrayFormat.FLOAT32) as texels:
    texels.copy_from(numpy.arange(8, dtype=numpy.float32).reshape(2, 4), stream=stream)
    reading = TextureDescriptor(filter_mode=FilterMode.LINEAR)
    with TextureObject.from_descriptor(
        resource=ResourceDescriptor.from_opaque_array(texels), texture_descriptor=reading
    ) as texture:
        launch(stream, LaunchConfig(grid=1, block=4), module.get_kernel("sample"), numpy.uint64(texture.handle), buffer)
        stream.sync()
assert values.view("f4").tolist() == [0.5, 1.5, 2.5, 3.0]

# Programs that are linked.
apart = ProgramOptions(arch="sm_80", relocatable_device_code=True)
main = Program(
    'extern __device__ int f(int); extern "C" __global__ void run(int *x) { *x = f(*x); }', "c++", apart).compile("ptx")
options = ProgramOptions(arch="sm_80", link_time_optimization=True)
helper = Program("__device__ int f(int x) { return 10 * x; }", "c++", options).compile("ltoir")
kernel = Linker(main, helper).link("cubin").get_kernel("run")
values[:] = 7
launch(stream, LaunchConfig(grid=1, block=1), kernel, buffer)
stream.sync()
assert values[0] == 70
assert "f(int)" in raises(RuntimeError, lambda: main.get_kernel("run"))
assert "relocatable" in raises(NotImplementedError, Linker, main, module)
raises(Exception, Program("no source", "c++", apart).compile, "ptx")

properties = device.properties
assert properties.maximum_texture2d_width > 0 and properties.virtual_memory_management_supported == 0
assert properties.multi_gpu_board == 0 and device.context == Device().context and system.get_num_devices() == 1
raises(AttributeError, lambda: properties.number_of_wheels)
print("right")
'''

BINDINGS = r'''
import ctypes
import numpy as np
from cuda.bindings import driver, nvrtc, runtime

def checked(result):
    assert result[0] == 0, result
    return result[1] if len(result) == 2 else result[1:]

source = b"""extern "C" __global__ void saxpy(float a, const float *x, float *y, size_t n) {
  const size_t i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) y[i] = a * x[i] + y[i];
}
template <class T> __global__ void fill(T *x) { x[threadIdx.x] = 7; }"""
checked(driver.cuInit(0))
device = checked(driver.cuDeviceGet(0))
assert checked(driver.cuDeviceGetName(128, device)).strip(b"\0")
major = checked(driver.cuDeviceGetAttribute(
    driver.CUdevice_attribute.CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MAJOR, device))
program = checked(nvrtc.nvrtcCreateProgram(source, b"saxpy.cu", 0, [], []))
checked(nvrtc.nvrtcAddNameExpression(program, b"fill<int>"))
checked(nvrtc.nvrtcCompileProgram(program, 1, [b"--gpu-architecture=compute_%d0" % major]))
size = checked(nvrtc.nvrtcGetPTXSize(program))
ptx = b" " * size
checked(nvrtc.nvrtcGetPTX(program, ptx))
lowered = checked(nvrtc.nvrtcGetLoweredName(program, b"fill<int>"))
context = checked(driver.cuCtxCreate(0, device))
image = np.char.array(ptx)
module = checked(driver.cuModuleLoadData(image.ctypes.data))
kernel = checked(driver.cuModuleGetFunction(module, b"saxpy"))
n = 1000
x, y = np.random.rand(n).astype(np.float32), np.random.rand(n).astype(np.float32)
out = np.empty_like(y)
dx, dy = checked(driver.cuMemAlloc(x.nbytes)), checked(driver.cuMemAlloc(y.nbytes))
stream = checked(driver.cuStreamCreate(0))
checked(driver.cuMemcpyHtoDAsync(dx, x.ctypes.data, x.nbytes, stream))
checked(driver.cuMemcpyHtoDAsync(dy, y.ctypes.data, y.nbytes, stream))
slots = [np.array([2], np.float32), *(np.array(each, np.uint64) for each in (int(dx), int(dy), n))]
addresses = np.array([slot.ctypes.data for slot in slots], dtype=np.uint64)
checked(driver.cuLaunchKernel(kernel, 8, 1, 1, 128, 1, 1, 0, stream, addresses.ctypes.data, 0))
checked(driver.cuLaunchKernel(kernel, 8, 1, 1, 128, 1, 1, 0, stream, ((2.0, dx, dy, n), (
    ctypes.c_float, ctypes.c_void_p, ctypes.c_void_p, ctypes.c_size_t)), 0))
checked(driver.cuMemcpyDtoHAsync(out.ctypes.data, dy, out.nbytes, stream))
checked(driver.cuStreamSynchronize(stream))
np.testing.assert_allclose(out, 4 * x + y, rtol=1e-5)
error, nothing = driver.cuModuleGetFunction(module, b"nothing")
assert error == driver.CUresult.CUDA_ERROR_NOT_FOUND and error.name == "CUDA_ERROR_NOT_FOUND" and nothing is None
assert checked(driver.cuGetErrorName(error)) == b"CUDA_ERROR_NOT_FOUND"
checked(driver.cuModuleGetFunction(module, lowered))
bad = checked(nvrtc.nvrtcCreateProgram(b"no source", b"bad.cu", 0, [], []))
(code,) = nvrtc.nvrtcCompileProgram(bad, 0, [])
assert code == nvrtc.nvrtcResult.NVRTC_ERROR_COMPILATION
log = b" " * checked(nvrtc.nvrtcGetProgramLogSize(bad))
checked(nvrtc.nvrtcGetProgramLog(bad, log))
assert b"bad.cu" in log and checked(nvrtc.nvrtcGetErrorString(code)) == b"NVRTC_ERROR_COMPILATION"
checked(nvrtc.nvrtcDestroyProgram(bad))
for each in (dx, dy):
    checked(driver.cuMemFree(each))
place = checked(runtime.cudaMalloc(16))
checked(runtime.cudaMemset(place, 1, 16))
host = np.zeros(4, np.int32)
checked(runtime.cudaMemcpy(host.ctypes.data, place, 16, runtime.cudaMemcpyKind.cudaMemcpyDeviceToHost))
assert (host == 0x01010101).all()
checked(runtime.cudaFree(place))
assert runtime.cudaSetDevice(7)[0] == runtime.cudaError_t.cudaErrorInvalidDevice
assert checked(runtime.cudaGetDeviceProperties(0)).warpSize == 32
checked(driver.cuModuleUnload(module))
print("right")
'''


@pytest.mark.parametrize("text", [CORE, MORE, BINDINGS])
def test_what_the_documentation_shows(text: str, tmp_path: Path) -> None:
    program = tmp_path / "program.py"
    program.write_text(text)
    command = [sys.executable, "-m", "warploom.run", "--replace", "cupy,cuda,cuda.core,cuda.bindings", program]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert (done.stdout, done.returncode) == ("right\n", 0), done.stderr


def test_mistakes_are_told() -> None:
    source = 'extern "C" __global__ void k(float *x, int n) { x[threadIdx.x] = n; }'
    code = cuda_core.Program(source, "c++").compile("cubin")
    kernel, config = code.get_kernel("k"), cuda_core.LaunchConfig(grid=1, block=4)
    stream = cuda_core.Device().create_stream()
    with pytest.raises(ArgumentError, match="2 arguments"):
        cuda_core.launch(stream, config, kernel, 0)
    with pytest.raises(ArgumentError, match="does not fit"):
        cuda_core.launch(stream, config, kernel, 0, np.int64(1 << 40))
    with pytest.raises(AttributeError, match="kernels: k"):
        code.get_kernel("nothing")
    with pytest.raises(CompileError, match="undeclared"):
        cuda_core.Program("__global__ void k(float *x) { *x = y; }", "c++").compile("ptx")
    with pytest.raises(RuntimeError, match="code_type"):
        cuda_core.Program("", "ptx")
    with pytest.raises(NotImplementedError, match="relocatable"):
        cuda_core.Linker(code, code)
    with pytest.raises(ValueError, match="buffer sizes"):
        cuda_core.Device().allocate(4).copy_to(cuda_core.Device().allocate(8))
    with pytest.raises(RuntimeError, match="timing"):
        _ = stream.record() - stream.record()


def test_rows_of_the_tables_are_the_headers() -> None:
    include = Path(cuda_core.__file__).parents[2] / "include"
    text = " ".join(path.read_text() for path in include.rglob("*.h")) + " ".join(
        path.read_text() for path in include.rglob("*.def")
    )
    found = 0
    for module in (driver, nvrtc, runtime):
        is_last = module is nvrtc
        for row in module._TABLE.strip().splitlines():  # pyright: ignore[reportPrivateUsage]
            name, takes, gives = (word.strip("-") for word in row.split())
            at = rf"(?:(?:cudaError_t|CUresult|nvrtcResult) {name}(?:_v2)?|\({name}, )\(([^)]*)\)"
            declared = [
                [word for word in each.split(",") if word.strip() not in ("", "void")] for each in re.findall(at, text)
            ]
            assert declared, name
            fitting = [words for words in declared if len(words) == len(takes) + len(gives)]
            outs = [words[len(takes) :] if is_last else words[: len(gives)] for words in fitting]
            assert any(all("*" in word or "_t *" in word for word in each) for each in outs), (name, declared)
            found += 1
    assert found > 100
