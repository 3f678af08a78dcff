// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// C++ overloads of the runtime API for signatures that differ between CUDA versions: a program written for either
// compiles. Included by cuda_runtime_api.h.
#ifndef WARPLOOM_HOST_OVERLOADS_H
#define WARPLOOM_HOST_OVERLOADS_H

namespace warploom {

inline cudaMemLocation location_of(int device) {
  cudaMemLocation location;
  location.type = device == cudaCpuDeviceId ? cudaMemLocationTypeHost : cudaMemLocationTypeDevice;
  location.id = device == cudaCpuDeviceId ? 0 : device;
  return location;
}

}  // namespace warploom

// CUDA 12: a device number in place of a location.
inline cudaError_t cudaMemPrefetchAsync(const void *pointer, size_t count, int device, cudaStream_t stream = 0) {
  return cudaMemPrefetchAsync(pointer, count, warploom::location_of(device), 0u, stream);
}

inline cudaError_t cudaMemAdvise(const void *pointer, size_t count, cudaMemoryAdvise advice, int device) {
  return cudaMemAdvise(pointer, count, advice, warploom::location_of(device));
}

inline cudaError_t cudaEventCreate(cudaEvent_t *event, unsigned int flags) {
  return cudaEventCreateWithFlags(event, flags);
}

inline cudaError_t cudaMallocHost(void **pointer, size_t size, unsigned int flags) {
  return cudaHostAlloc(pointer, size, flags);
}

inline cudaError_t cudaMallocAsync(void **pointer, size_t size, cudaMemPool_t pool, cudaStream_t stream) {
  return cudaMallocFromPoolAsync(pointer, size, pool, stream);
}

#endif
