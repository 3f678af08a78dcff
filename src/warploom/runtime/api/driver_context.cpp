// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What contexts, streams and devices tell of themselves.
#include "device.h"
#include "driver_helpers.h"
#include "stream.h"

namespace warploom {
namespace {

// The context, or the calling thread's where none is given; null when there is none.
CUctx_st *given_or_current(CUcontext context) {
  if (!context) return current_context();
  return is_context(context) ? context : nullptr;
}

}  // namespace

cudaError_t attach_context(CUcontext *context, unsigned flags) {
  if (!context || flags != 0) return cudaErrorInvalidValue;
  *context = given_or_current(nullptr);
  return *context ? cudaSuccess : cudaErrorDeviceUninitialized;
}

cudaError_t version_of_context(CUcontext context, unsigned *version) {
  if (!version) return cudaErrorInvalidValue;
  if (!given_or_current(context)) return cudaErrorDeviceUninitialized;
  *version = 3020;  // that of contexts as they are since CUDA 3.2
  return cudaSuccess;
}

cudaError_t id_of_context(CUcontext context, unsigned long long *id) {
  if (!id) return cudaErrorInvalidValue;
  const CUctx_st *const found = given_or_current(context);
  if (!found) return cudaErrorDeviceUninitialized;
  *id = static_cast<unsigned>(found->device) + 1ULL;
  return cudaSuccess;
}

// Behind all that any stream of the context does.
cudaError_t record_context(CUcontext context, CUevent event) {
  if (!is_context(context)) return cudaErrorDeviceUninitialized;
  wait_for_device(current_device());
  return cudaEventRecord(event, nullptr);
}

cudaError_t context_of_stream(CUstream stream, CUcontext *context) {
  return stream_call(stream, [&](const CUstream_st *found) {
    if (!context) return cudaErrorInvalidValue;
    *context = context_of(device_of(found));
    return cudaSuccess;
  });
}

cudaError_t context_of_stream(CUstream stream, CUcontext *context, CUgreenCtx *green) {
  if (!green) return cudaErrorInvalidValue;
  const cudaError_t error = context_of_stream(stream, context);
  if (error == cudaSuccess) *green = nullptr;
  return error;
}

cudaError_t affinity_support(int *supported, CUexecAffinityType, CUdevice device) {
  if (!supported) return cudaErrorInvalidValue;
  if (!is_device(device)) return cudaErrorInvalidDevice;
  *supported = 0;
  return cudaSuccess;
}

cudaError_t properties_of(CUdevice device, CUdevprop *properties) {
  if (!properties) return cudaErrorInvalidValue;
  if (!is_device(device)) return cudaErrorInvalidDevice;
  cudaDeviceProp all;
  describe_device(&all, device);
  int clock = 0;
  if (const cudaError_t error = cudaDeviceGetAttribute(&clock, cudaDevAttrClockRate, device); error != cudaSuccess)
    return error;
  *properties = {all.maxThreadsPerBlock,
                 {all.maxThreadsDim[0], all.maxThreadsDim[1], all.maxThreadsDim[2]},
                 {all.maxGridSize[0], all.maxGridSize[1], all.maxGridSize[2]},
                 static_cast<int>(all.sharedMemPerBlock),
                 static_cast<int>(all.totalConstMem),
                 all.warpSize,
                 static_cast<int>(all.memPitch),
                 all.regsPerBlock,
                 clock,
                 static_cast<int>(all.textureAlignment)};
  return cudaSuccess;
}

}  // namespace warploom
