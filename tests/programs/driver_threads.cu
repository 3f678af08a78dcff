// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// flags: -lcuda
// feature: Devices and errors / driver API in threads without a context
// What a thread that has no context may do with what others made, and which calls of the runtime API give it one.
#include <thread>

#include "driver.h"

__global__ void add(int *data, int n) {
  if (threadIdx.x < n) data[threadIdx.x] += 1;
}

CUcontext context;
CUstream stream;
CUevent event;
CUfunction function;
CUdeviceptr memory, managed;
int host_data[64];

void note(CUstream, CUresult, void *) {}

void on_the_stream() {
  CUdeviceptr made = 0;
  unsigned flags = 0;
  int n = 64;
  void *arguments[] = {&memory, &n};
  show("query", cuStreamQuery(stream));
  show("record", cuEventRecord(event, stream));
  show("wait for it", cuStreamWaitEvent(stream, event, 0));
  show("flags", cuStreamGetFlags(stream, &flags));
  show("launch", cuLaunchKernel(function, 1, 1, 1, 64, 1, 1, 0, stream, arguments, nullptr));
  show("callback", cuStreamAddCallback(stream, note, nullptr, 0));
  show("to the device", cuMemcpyHtoDAsync(memory, host_data, 64, stream));
  show("fill", cuMemsetD8Async(memory, 0, 64, stream));
  show("allocate", cuMemAllocAsync(&made, 64, stream));
  show("free", cuMemFreeAsync(made, stream));
  show("write a value", cuStreamWriteValue32(stream, memory, 1, 0));
  show("synchronise", cuStreamSynchronize(stream));
}

void elsewhere() {
  CUdeviceptr made = 0;
  size_t size = 0, total = 0;
  int n = 64, value = 0;
  unsigned version = 0;
  void *arguments[] = {&memory, &n};
  const CUmemLocation here = {CU_MEM_LOCATION_TYPE_DEVICE, 0};
  CUstream another = nullptr;
  show("launch", cuLaunchKernel(function, 1, 1, 1, 64, 1, 1, 0, nullptr, arguments, nullptr));
  show("copy", cuMemcpyHtoD(memory, host_data, 64));
  show("fill", cuMemsetD8(memory, 0, 64));
  show("allocate", cuMemAlloc(&made, 64));
  show("managed", cuMemAllocManaged(&made, 64, CU_MEM_ATTACH_GLOBAL));
  show("stream", cuStreamCreate(&another, 0));
  show("advise", cuMemAdvise(managed, 4096, CU_MEM_ADVISE_SET_READ_MOSTLY, here));
  show("range", cuMemGetAddressRange(&made, &size, memory));
  show("free memory", cuMemGetInfo(&size, &total));
  show("occupancy", cuOccupancyMaxActiveBlocksPerMultiprocessor(&value, function, 64, 0));
  show("synchronise", cuCtxSynchronize());
  show("pointer", cuPointerGetAttribute(&value, CU_POINTER_ATTRIBUTE_MEMORY_TYPE, memory));
  show("function", cuFuncGetAttribute(&value, CU_FUNC_ATTRIBUTE_NUM_REGS, function));
  show("that context", cuCtxGetApiVersion(context, &version));
  show("destroy", cuEventDestroy(event));
  show("free", cuMemFree(memory));
}

void tell(const char *what) {
  CUcontext now = nullptr;
  DRIVE(cuCtxGetCurrent(&now));
  std::printf("%s: %s\n", what, now == context ? "the primary" : now ? "another" : "none");
}

void with_the_runtime() {
  int n = 0;
  cudaDeviceProp properties;
  CUcontext popped = nullptr;
  tell("at first");
  cudaGetDeviceCount(&n);
  tell("cudaGetDeviceCount");
  cudaGetDeviceProperties(&properties, 0);
  tell("cudaGetDeviceProperties");
  cudaStreamQuery(nullptr);
  tell("cudaStreamQuery");
  show("pop", cuCtxPopCurrent(&popped));
  tell("popped");
  cudaSetDevice(0);
  tell("cudaSetDevice");
  DRIVE(cuCtxSetCurrent(nullptr));
  tell("set to none");
  add<<<1, 1>>>(nullptr, 0);
  tell("launch");
  DRIVE(cuCtxSetCurrent(nullptr));
  cudaFree(nullptr);
  tell("cudaFree");
}

int main() {
  context = current_context();
  DRIVE(cuStreamCreate(&stream, CU_STREAM_NON_BLOCKING));
  DRIVE(cuEventCreate(&event, 0));
  DRIVE(cuMemAlloc(&memory, 4096));
  DRIVE(cuMemAllocManaged(&managed, 4096, CU_MEM_ATTACH_GLOBAL));
  CHECK(cudaGetFuncBySymbol(&function, reinterpret_cast<const void *>(add)));
  std::thread(on_the_stream).join();
  std::thread(elsewhere).join();
  std::thread(with_the_runtime).join();
  return 0;
}
