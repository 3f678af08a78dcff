// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// flags: -lcuda
// feature: Devices and errors / refused launches of the driver API
// Launches and attributes that the driver API refuses, with their neighbours; none of it is left to cudaGetLastError.
#include <cuda.h>

#include <climits>

#include "check.h"

__global__ void mark(int *data) { atomicAdd(data, 1); }

__global__ void __launch_bounds__(128) bounded(int *data) { atomicAdd(data, 1); }

__global__ void use_shared(int *data) {
  extern __shared__ int cells[];
  cells[0] = 5;
  *data += cells[0] - 4;
}

template <class Kernel>
CUfunction function_of(Kernel kernel) {
  cudaFunction_t function = nullptr;
  CHECK(cudaGetFuncBySymbol(&function, reinterpret_cast<const void *>(kernel)));
  return function;
}

void show(const char *what, CUresult result) {
  const char *name = "unknown";
  cuGetErrorName(result, &name);
  std::printf("%s: %s\n", what, name);
}

int *data;

template <class Kernel>
void launch(const char *what, Kernel kernel, dim3 grid, dim3 block, unsigned shared = 0) {
  void *arguments[] = {&data};
  show(what, cuLaunchKernel(function_of(kernel), grid.x, grid.y, grid.z, block.x, block.y, block.z, shared, nullptr,
                            arguments, nullptr));
}

void launches() {
  launch("a launch", mark, 1, 1);
  launch("1025 threads", mark, 1, 1025);
  launch("no thread", mark, 1, dim3(0));
  launch("no block", mark, dim3(0), 1);
  launch("65 threads in z", mark, 1, dim3(1, 1, 65));
  launch("65536 blocks in y", mark, dim3(1, 65536), 1);
  launch("2^31 blocks", mark, dim3(1U << 31), 1);
  launch("too many threads to count", mark, 1, dim3(UINT_MAX));
  launch("129 of 128 threads", bounded, 1, 129);
  launch("48 KiB and a byte", use_shared, 1, 1, 49153);
  void *arguments[] = {&data};
  size_t size = sizeof data;
  void *extra[] = {CU_LAUNCH_PARAM_BUFFER_POINTER, &data, CU_LAUNCH_PARAM_BUFFER_SIZE, &size, CU_LAUNCH_PARAM_END};
  show("no function", cuLaunchKernel(nullptr, 1, 1, 1, 1, 1, 1, 0, nullptr, arguments, nullptr));
  show("packed", cuLaunchKernel(function_of(mark), 1, 1, 1, 1, 1, 1, 0, nullptr, nullptr, extra));
  show("both ways", cuLaunchKernel(function_of(mark), 1, 1, 1, 1, 1, 1, 0, nullptr, arguments, extra));
}

void attributes() {
  CUfunction function = function_of(use_shared);
  const CUfunction_attribute most = CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES;
  show("64 KiB", cuFuncSetAttribute(function, most, 65536));
  show("1 MiB", cuFuncSetAttribute(function, most, 1 << 20));
  show("-1", cuFuncSetAttribute(function, most, -1));
  show("threads", cuFuncSetAttribute(function, CU_FUNC_ATTRIBUTE_MAX_THREADS_PER_BLOCK, 1));
  show("attribute 99", cuFuncSetAttribute(function, static_cast<CUfunction_attribute>(99), 1));
  show("of nothing", cuFuncSetAttribute(nullptr, most, 1));
  int value = 0;
  show("ask for 99", cuFuncGetAttribute(&value, static_cast<CUfunction_attribute>(99), function));
  show("cache 7", cuFuncSetCacheConfig(function, static_cast<CUfunc_cache>(7)));
}

void occupancy() {
  CUfunction function = function_of(mark);
  int blocks = -1, grid = -1, size = -1;
  for (int threads : {1024, 1025, 0, -1}) {
    CUresult result = cuOccupancyMaxActiveBlocksPerMultiprocessor(&blocks, function, threads, 0);
    std::printf("%d ", blocks);
    show("blocks", result);
  }
  show("of no function", cuOccupancyMaxActiveBlocksPerMultiprocessor(&blocks, nullptr, 32, 0));
  show("to nowhere", cuOccupancyMaxActiveBlocksPerMultiprocessor(nullptr, function, 32, 0));
  show("best size", cuOccupancyMaxPotentialBlockSize(&grid, &size, function, nullptr, 0, 0));
  report("threads", 1024, size);
  show("at most -1", cuOccupancyMaxPotentialBlockSize(&grid, &size, function, nullptr, 0, -1));
  show("of no function", cuOccupancyMaxPotentialBlockSize(&grid, &size, nullptr, nullptr, 0, 0));
}

int main() {
  cuInit(0);
  data = device_zeros<int>(1);
  launches();
  attributes();
  occupancy();
  report("two launches", 2, download(data, 1)[0]);
  finish();
  return 0;
}
