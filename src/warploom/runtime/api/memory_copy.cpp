// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// cudaMemcpy, cudaMemset and their two- and three-dimensional and peer forms on linear memory.
#include <cupti.h>

#include "allocation.h"
#include "copy.h"
#include "device.h"
#include "error.h"

namespace warploom {
namespace {

std::byte *bytes(const void *pointer) { return static_cast<std::byte *>(const_cast<void *>(pointer)); }

cudaError_t copy_2d(CUstream_st *stream, void *dst, std::size_t dpitch, const void *src, std::size_t spitch,
                    std::size_t width, std::size_t height, cudaMemcpyKind kind) {
  Sides sides;
  if (const cudaError_t error = sides_of(kind, &sides); error != cudaSuccess) return error;
  if (width == 0 || height == 0) return cudaSuccess;
  if (dpitch < width || spitch < width) return cudaErrorInvalidPitchValue;
  return copy_box(stream, {bytes(dst), dpitch, dpitch * height}, {bytes(src), spitch, spitch * height},
                  {width, height, 1}, sides);
}

cudaError_t fill_2d(CUstream_st *stream, void *target, std::size_t pitch, int value, std::size_t width,
                    std::size_t height) {
  if (height > 1 && pitch < width) return cudaErrorInvalidValue;
  return fill_box(stream, {bytes(target), pitch, pitch * height}, {width, height, 1}, static_cast<std::uint32_t>(value),
                  1);
}

cudaError_t fill_3d(CUstream_st *stream, const cudaPitchedPtr &target, int value, const cudaExtent &extent) {
  if (target.pitch < extent.width && extent.height * extent.depth > 1) return cudaErrorInvalidValue;
  if (target.ysize < extent.height && extent.depth > 1) return cudaErrorInvalidValue;
  return fill_box(stream, {bytes(target.ptr), target.pitch, target.pitch * target.ysize},
                  {extent.width, extent.height, extent.depth}, static_cast<std::uint32_t>(value), 1);
}

cudaError_t copy_peer(CUstream_st *stream, void *dst, int dst_device, const void *src, int src_device,
                      std::size_t count) {
  if (!is_device(dst_device) || !is_device(src_device)) return cudaErrorInvalidDevice;
  return copy_linear(stream, dst, src, count, cudaMemcpyDeviceToDevice);
}

}  // namespace
}  // namespace warploom

using namespace warploom;

extern "C" {

cudaError_t cudaMemcpyAsync(void *dst, const void *src, size_t count, cudaMemcpyKind kind, cudaStream_t stream) {
  const cudaMemcpyAsync_v3020_params parameters{dst, src, count, kind, stream};
  return stream_call(
      stream, [&](CUstream_st *target) { return copy_linear(target, dst, src, count, kind); },
      WARPLOOM_CALLER_WITH(parameters));
}

cudaError_t cudaMemcpy(void *dst, const void *src, size_t count, cudaMemcpyKind kind) {
  const cudaMemcpy_v3020_params parameters{dst, src, count, kind};
  const CallScope scope(WARPLOOM_CALLER_WITH(parameters));
  return finished(cudaMemcpyAsync(dst, src, count, kind, nullptr));
}

cudaError_t cudaMemcpyPeerAsync(void *dst, int dstDevice, const void *src, int srcDevice, size_t count,
                                cudaStream_t stream) {
  return stream_call(stream,
                     [&](CUstream_st *target) { return copy_peer(target, dst, dstDevice, src, srcDevice, count); });
}

cudaError_t cudaMemcpyPeer(void *dst, int dstDevice, const void *src, int srcDevice, size_t count) {
  const CallScope scope(WARPLOOM_CALLER);
  return finished(cudaMemcpyPeerAsync(dst, dstDevice, src, srcDevice, count, nullptr));
}

cudaError_t cudaMemcpy2DAsync(void *dst, size_t dpitch, const void *src, size_t spitch, size_t width, size_t height,
                              cudaMemcpyKind kind, cudaStream_t stream) {
  return stream_call(
      stream, [&](CUstream_st *target) { return copy_2d(target, dst, dpitch, src, spitch, width, height, kind); });
}

cudaError_t cudaMemcpy2D(void *dst, size_t dpitch, const void *src, size_t spitch, size_t width, size_t height,
                         cudaMemcpyKind kind) {
  const CallScope scope(WARPLOOM_CALLER);
  return finished(cudaMemcpy2DAsync(dst, dpitch, src, spitch, width, height, kind, nullptr));
}

cudaError_t cudaMemsetAsync(void *devPtr, int value, size_t count, cudaStream_t stream) {
  return stream_call(stream, [&](CUstream_st *target) { return fill_2d(target, devPtr, count, value, count, 1); });
}

cudaError_t cudaMemset(void *devPtr, int value, size_t count) {
  const cudaMemset_v3020_params parameters{devPtr, value, count};
  const CallScope scope(WARPLOOM_CALLER_WITH(parameters));
  return finished_fill(cudaMemsetAsync(devPtr, value, count, nullptr), devPtr);
}

cudaError_t cudaMemset2DAsync(void *devPtr, size_t pitch, int value, size_t width, size_t height, cudaStream_t stream) {
  return stream_call(stream, [&](CUstream_st *target) { return fill_2d(target, devPtr, pitch, value, width, height); });
}

cudaError_t cudaMemset2D(void *devPtr, size_t pitch, int value, size_t width, size_t height) {
  const CallScope scope(WARPLOOM_CALLER);
  return finished_fill(cudaMemset2DAsync(devPtr, pitch, value, width, height, nullptr), devPtr);
}

cudaError_t cudaMemset3DAsync(cudaPitchedPtr pitchedDevPtr, int value, cudaExtent extent, cudaStream_t stream) {
  return stream_call(stream, [&](CUstream_st *target) { return fill_3d(target, pitchedDevPtr, value, extent); });
}

cudaError_t cudaMemset3D(cudaPitchedPtr pitchedDevPtr, int value, cudaExtent extent) {
  const CallScope scope(WARPLOOM_CALLER);
  return finished_fill(cudaMemset3DAsync(pitchedDevPtr, value, extent, nullptr), pitchedDevPtr.ptr);
}

}  // extern "C"
