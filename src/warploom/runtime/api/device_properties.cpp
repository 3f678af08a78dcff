// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What a device says of itself: compute capability 8.0 where CUDA's documentation fixes a number, the machine where it
// does not.
#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <string>

#include "allocation.h"
#include "device.h"
#include "error.h"
#include "strict.h"
#include "visible_devices.h"

namespace warploom {
namespace {

// The value of the first line "key : value" of /proc/cpuinfo; empty when there is none.
std::string cpuinfo(const char *key) {
  std::string value;
  std::FILE *file = std::fopen("/proc/cpuinfo", "r");
  if (!file) return value;
  char line[512];
  while (value.empty() && std::fgets(line, sizeof line, file)) {
    if (std::strncmp(line, key, std::strlen(key)) != 0) continue;
    if (const char *colon = std::strchr(line, ':')) value = colon + 2;
  }
  std::fclose(file);
  while (!value.empty() && (value.back() == '\n' || value.back() == ' ')) value.pop_back();
  return value;
}

int clock_kilohertz() {
  const std::string megahertz = cpuinfo("cpu MHz");
  const double value = megahertz.empty() ? 0 : std::strtod(megahertz.c_str(), nullptr);
  return value > 0 ? static_cast<int>(value * 1000) : 1000000;
}

int last_level_cache() {
  const long level3 = sysconf(_SC_LEVEL3_CACHE_SIZE), level2 = sysconf(_SC_LEVEL2_CACHE_SIZE);
  const long size = level3 > 0 ? level3 : level2;
  return size > 0 ? static_cast<int>(std::min(size, 1L << 30)) : 1 << 20;
}

void set(int *target, std::initializer_list<int> values) { std::copy(values.begin(), values.end(), target); }

void describe_textures(cudaDeviceProp *p) {
  p->maxTexture1D = 131072;
  p->maxTexture1DMipmap = 32768;
  p->maxTexture1DLinear = 268435456;
  set(p->maxTexture2D, {131072, 65536});
  set(p->maxTexture2DMipmap, {32768, 32768});
  set(p->maxTexture2DLinear, {131072, 65000, 2097120});
  set(p->maxTexture2DGather, {32768, 32768});
  set(p->maxTexture3D, {16384, 16384, 16384});
  set(p->maxTexture3DAlt, {8192, 8192, 32768});
  p->maxTextureCubemap = 32768;
  set(p->maxTexture1DLayered, {32768, 2048});
  set(p->maxTexture2DLayered, {32768, 32768, 2048});
  set(p->maxTextureCubemapLayered, {32768, 2046});
  p->maxSurface1D = 32768;
  set(p->maxSurface2D, {131072, 65536});
  set(p->maxSurface3D, {16384, 16384, 16384});
  set(p->maxSurface1DLayered, {32768, 2048});
  set(p->maxSurface2DLayered, {32768, 32768, 2048});
  p->maxSurfaceCubemap = 32768;
  set(p->maxSurfaceCubemapLayered, {32768, 2046});
  p->textureAlignment = kTextureAlignment;
  p->texturePitchAlignment = kTexturePitchAlignment;
  p->surfaceAlignment = 512;
}

void describe_memory(cudaDeviceProp *p) {
  p->totalGlobalMem = memory_totals().total;
  p->sharedMemPerBlock = kSharedPerBlock;
  p->sharedMemPerBlockOptin = kSharedPerBlockOptin;
  p->sharedMemPerMultiprocessor = kSharedPerProcessor;
  p->reservedSharedMemPerBlock = kSharedReserved;
  p->totalConstMem = kConstantMemory;
  p->memPitch = 2147483647;
  p->memoryClockRate = 1600000;
  p->memoryBusWidth = 128;
  p->l2CacheSize = last_level_cache();
  p->unifiedAddressing = 1;
  p->managedMemory = 1;
  p->concurrentManagedAccess = strict::guards_managed ? 0 : 1;
  p->pageableMemoryAccess = 0;  // copies tell host from device memory, as on a discrete device
  p->canMapHostMemory = 1;
  p->canUseHostPointerForRegisteredMem = 1;
  p->hostRegisterSupported = 1;
  p->hostNativeAtomicSupported = 1;
  p->memoryPoolsSupported = 1;
  p->memoryPoolSupportedHandleTypes = cudaMemHandleTypePosixFileDescriptor;
  p->ipcEventSupported = 1;
  p->globalL1CacheSupported = 1;
  p->localL1CacheSupported = 1;
}

void describe_execution(cudaDeviceProp *p) {
  p->major = 8;
  p->minor = 0;
  p->warpSize = kWarpSize;
  p->multiProcessorCount = static_cast<int>(processor_count());
  p->maxThreadsPerBlock = kMaxThreadsPerBlock;
  std::copy(std::begin(kMaxBlockDim), std::end(kMaxBlockDim), p->maxThreadsDim);
  std::copy(std::begin(kMaxGridDim), std::end(kMaxGridDim), p->maxGridSize);
  p->maxThreadsPerMultiProcessor = kMaxThreadsPerProcessor;
  p->maxBlocksPerMultiProcessor = kMaxBlocksPerProcessor;
  p->regsPerBlock = kRegistersPerProcessor;
  p->regsPerMultiprocessor = kRegistersPerProcessor;
  p->clockRate = clock_kilohertz();
  p->deviceOverlap = 1;
  p->asyncEngineCount = 2;
  p->concurrentKernels = 1;
  p->streamPrioritiesSupported = 1;
  p->computePreemptionSupported = 1;
  p->cooperativeLaunch = 1;
  p->clusterLaunch = 1;
  p->singleToDoublePrecisionPerfRatio = 2;
  p->computeMode = cudaComputeModeDefault;
}

}  // namespace

void describe_device(cudaDeviceProp *properties, int device) {
  describe_machine_device(properties, machine_device(device));
}

void describe_machine_device(cudaDeviceProp *properties, int device) {
  *properties = cudaDeviceProp{};
  static const std::string model = cpuinfo("model name");
  std::snprintf(properties->name, sizeof properties->name, "Warploom CPU (%s)",
                model.empty() ? "unknown" : model.c_str());
  write_uuid(properties->uuid.bytes, device);
  properties->pciBusID = device + 1;
  properties->deviceNumaId = -1;
  properties->hostNumaId = 0;
  describe_execution(properties);
  describe_memory(properties);
  describe_textures(properties);
}

}  // namespace warploom

using namespace warploom;

extern "C" cudaError_t cudaGetDeviceProperties(cudaDeviceProp *prop, int device) {
  if (!prop) return record(cudaErrorInvalidValue);
  if (!is_device(device)) return record(unknown_device());
  describe_device(prop, device);
  return cudaSuccess;
}

extern "C" __attribute__((visibility("default"))) cudaError_t cudaGetDeviceProperties_v2(cudaDeviceProp *prop,
                                                                                         int device) {
  return cudaGetDeviceProperties(prop, device);
}
