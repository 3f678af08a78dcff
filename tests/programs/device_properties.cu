// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// feature: Devices and errors / device properties and attributes
// Device count, properties, attributes and limits agree with one another and with what CUDA promises.
#include "check.h"

void expect(const char *what, bool holds) { std::printf("%s: %s\n", what, holds ? "ok" : "WRONG"); }

int attribute(cudaDeviceAttr which) {
  int value = -1;
  CHECK(cudaDeviceGetAttribute(&value, which, 0));
  return value;
}

int main() {
  int count = 0, device = -1, driver = 0, runtime = 0;
  CHECK(cudaGetDeviceCount(&count));
  expect("at least one device", count >= 1);
  CHECK(cudaSetDevice(0));
  CHECK(cudaGetDevice(&device));
  expect("current device", device == 0);
  cudaDeviceProp properties;
  CHECK(cudaGetDeviceProperties(&properties, 0));
  expect("name", std::strlen(properties.name) > 0);
  expect("warp size", properties.warpSize == 32 && attribute(cudaDevAttrWarpSize) == 32);
  expect("threads", properties.maxThreadsPerBlock == 1024 && attribute(cudaDevAttrMaxThreadsPerBlock) == 1024);
  expect("block", properties.maxThreadsDim[0] == 1024 && properties.maxThreadsDim[1] == 1024 &&
                      properties.maxThreadsDim[2] == 64 && attribute(cudaDevAttrMaxBlockDimZ) == 64);
  expect("grid", properties.maxGridSize[0] == 2147483647 && properties.maxGridSize[1] == 65535 &&
                     properties.maxGridSize[2] == 65535);
  expect("shared", properties.sharedMemPerBlock == 49152 && properties.sharedMemPerBlockOptin >= 65536);
  expect("constant", properties.totalConstMem == 65536);
  expect("capability", properties.major >= 8 && properties.major == attribute(cudaDevAttrComputeCapabilityMajor));
  expect("processors", properties.multiProcessorCount >= 1 &&
                           properties.multiProcessorCount == attribute(cudaDevAttrMultiProcessorCount));
  expect("features", properties.managedMemory == 1 && properties.unifiedAddressing == 1 &&
                         properties.canMapHostMemory == 1 && properties.cooperativeLaunch == 1);
  size_t free_bytes = 0, total = 0;
  CHECK(cudaMemGetInfo(&free_bytes, &total));
  expect("memory", free_bytes > 0 && free_bytes <= total && total <= properties.totalGlobalMem);
  CHECK(cudaDriverGetVersion(&driver));
  CHECK(cudaRuntimeGetVersion(&runtime));
  expect("versions", driver >= runtime && runtime == CUDART_VERSION);
  size_t limit = 0;
  CHECK(cudaDeviceSetLimit(cudaLimitStackSize, 4096));
  CHECK(cudaDeviceGetLimit(&limit, cudaLimitStackSize));
  expect("stack limit", limit >= 4096);
  CHECK(cudaDeviceGetLimit(&limit, cudaLimitMallocHeapSize));
  expect("heap limit", limit >= 8u << 20);
  CHECK(cudaDeviceSetCacheConfig(cudaFuncCachePreferL1));
  int low = 0, high = 0, access = -1;
  CHECK(cudaDeviceGetStreamPriorityRange(&low, &high));
  expect("priorities", high <= low);
  CHECK(cudaDeviceCanAccessPeer(&access, 0, 0));
  expect("no access to itself", access == 0);
  char bus[32] = "";
  CHECK(cudaDeviceGetPCIBusId(bus, sizeof(bus), 0));
  expect("bus", std::strlen(bus) >= 12);
  return 0;
}
