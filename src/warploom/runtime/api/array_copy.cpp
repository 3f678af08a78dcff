// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Copies to, from and between CUDA arrays, and cudaMemcpy3D, whose ends may be either.
#include <algorithm>

#include "allocation.h"
#include "array.h"
#include "device.h"
#include "error.h"

namespace warploom {
namespace {

std::byte *bytes(const void *pointer) { return static_cast<std::byte *>(const_cast<void *>(pointer)); }

cudaError_t copy_2d_to_array(CUstream_st *stream, cudaArray_const_t dst, std::size_t x, std::size_t y, const void *src,
                             std::size_t spitch, const Box &box, cudaMemcpyKind kind) {
  Sides sides;
  Area target;
  if (const cudaError_t error = sides_of(kind, &sides); error != cudaSuccess) return error;
  if (kind == cudaMemcpyHostToHost || kind == cudaMemcpyDeviceToHost) return cudaErrorInvalidMemcpyDirection;
  if (!is_array(dst)) return cudaErrorInvalidResourceHandle;
  if (box.empty()) return cudaSuccess;
  if (box.height > 1 && spitch < box.width) return cudaErrorInvalidPitchValue;
  if (!array_area(dst, x, y, 0, box, &target)) return cudaErrorInvalidValue;
  return copy_box(stream, target, {bytes(src), spitch, spitch * box.height}, box, {Side::kDevice, sides.source});
}

cudaError_t copy_2d_from_array(CUstream_st *stream, void *dst, std::size_t dpitch, cudaArray_const_t src, std::size_t x,
                               std::size_t y, const Box &box, cudaMemcpyKind kind) {
  Sides sides;
  Area source;
  if (const cudaError_t error = sides_of(kind, &sides); error != cudaSuccess) return error;
  if (kind == cudaMemcpyHostToHost || kind == cudaMemcpyHostToDevice) return cudaErrorInvalidMemcpyDirection;
  if (!is_array(src)) return cudaErrorInvalidResourceHandle;
  if (box.empty()) return cudaSuccess;
  if (box.height > 1 && dpitch < box.width) return cudaErrorInvalidPitchValue;
  if (!array_area(src, x, y, 0, box, &source)) return cudaErrorInvalidValue;
  return copy_box(stream, {bytes(dst), dpitch, dpitch * box.height}, source, box, {sides.target, Side::kDevice});
}

// The classic linear forms fill rows from a column on and go on at the start of the next row.
struct RowRun {
  std::size_t x, y, offset;
  Box box;
};

template <class Copy>
cudaError_t for_each_row_run(const cudaArray *array, std::size_t x, std::size_t y, std::size_t count, Copy &&copy) {
  if (!is_array(array)) return cudaErrorInvalidResourceHandle;
  const std::size_t pitch = array->pitch();
  if (x >= pitch || y >= array->height()) return count ? cudaErrorInvalidValue : cudaSuccess;
  if (count > (array->height() - y) * pitch - x) return cudaErrorInvalidValue;
  for (std::size_t done = 0; done < count;) {
    const std::size_t width = std::min(pitch - x, count - done);
    const std::size_t rows = x == 0 && width == pitch ? (count - done) / pitch : 1;
    if (const cudaError_t error = copy(RowRun{x, y, done, {width, rows, 1}}); error != cudaSuccess) return error;
    done += width * rows;
    y += rows;
    x = 0;
  }
  return cudaSuccess;
}

cudaError_t copy_linear_to_array(CUstream_st *stream, cudaArray_const_t dst, std::size_t x, std::size_t y,
                                 const void *src, std::size_t count, cudaMemcpyKind kind) {
  return for_each_row_run(dst, x, y, count, [&](const RowRun &run) {
    return copy_2d_to_array(stream, dst, run.x, run.y, bytes(src) + run.offset, run.box.width, run.box, kind);
  });
}

cudaError_t copy_linear_from_array(CUstream_st *stream, void *dst, cudaArray_const_t src, std::size_t x, std::size_t y,
                                   std::size_t count, cudaMemcpyKind kind) {
  return for_each_row_run(src, x, y, count, [&](const RowRun &run) {
    return copy_2d_from_array(stream, bytes(dst) + run.offset, run.box.width, src, run.x, run.y, run.box, kind);
  });
}

// One end of cudaMemcpy3D. Positions and widths of array copies count texels, others bytes.
struct End {
  cudaArray_t array;
  cudaPos position;
  cudaPitchedPtr linear;
};

cudaError_t locate(const End &end, const Box &box, Area *area) {
  if (!end.array == !end.linear.ptr) return cudaErrorInvalidValue;
  if (end.array) {
    if (!is_array(end.array)) return cudaErrorInvalidResourceHandle;
    const bool fits =
        array_area(end.array, end.position.x * end.array->texel, end.position.y, end.position.z, box, area);
    return fits ? cudaSuccess : cudaErrorInvalidValue;
  }
  if (end.linear.pitch < box.width && box.height * box.depth > 1) return cudaErrorInvalidPitchValue;
  if (box.depth > 1 && end.linear.ysize < box.height) return cudaErrorInvalidValue;
  const std::size_t slice = end.linear.pitch * end.linear.ysize;
  *area = {bytes(end.linear.ptr) + end.position.z * slice + end.position.y * end.linear.pitch + end.position.x,
           end.linear.pitch, slice};
  return cudaSuccess;
}

cudaError_t copy_3d(CUstream_st *stream, const End &target, const End &source, const cudaExtent &extent,
                    cudaMemcpyKind kind) {
  Sides sides;
  if (const cudaError_t error = sides_of(kind, &sides); error != cudaSuccess) return error;
  const cudaArray_t counted = target.array ? target.array : source.array;
  if (counted && !is_array(counted)) return cudaErrorInvalidResourceHandle;
  const Box box = {extent.width * (counted ? counted->texel : 1), extent.height, extent.depth};
  if (box.empty()) return cudaSuccess;
  Area to, from;
  if (const cudaError_t error = locate(target, box, &to); error != cudaSuccess) return error;
  if (const cudaError_t error = locate(source, box, &from); error != cudaSuccess) return error;
  if (target.array) sides.target = Side::kDevice;
  if (source.array) sides.source = Side::kDevice;
  return copy_box(stream, to, from, box, sides);
}

}  // namespace
}  // namespace warploom

using namespace warploom;

extern "C" {

cudaError_t cudaMemcpy3DAsync(const cudaMemcpy3DParms *p, cudaStream_t stream) {
  return stream_call(stream, [&](CUstream_st *target) {
    if (!p) return cudaErrorInvalidValue;
    return copy_3d(target, {p->dstArray, p->dstPos, p->dstPtr}, {p->srcArray, p->srcPos, p->srcPtr}, p->extent,
                   p->kind);
  });
}

cudaError_t cudaMemcpy3D(const cudaMemcpy3DParms *p) {
  const CallScope scope(WARPLOOM_CALLER);
  return finished(cudaMemcpy3DAsync(p, nullptr));
}

cudaError_t cudaMemcpy3DPeerAsync(const cudaMemcpy3DPeerParms *p, cudaStream_t stream) {
  return stream_call(stream, [&](CUstream_st *target) {
    if (!p) return cudaErrorInvalidValue;
    if (!is_device(p->srcDevice) || !is_device(p->dstDevice)) return cudaErrorInvalidDevice;
    return copy_3d(target, {p->dstArray, p->dstPos, p->dstPtr}, {p->srcArray, p->srcPos, p->srcPtr}, p->extent,
                   cudaMemcpyDefault);
  });
}

cudaError_t cudaMemcpy3DPeer(const cudaMemcpy3DPeerParms *p) {
  const CallScope scope(WARPLOOM_CALLER);
  return finished(cudaMemcpy3DPeerAsync(p, nullptr));
}

cudaError_t cudaMemcpy2DToArrayAsync(cudaArray_t dst, size_t wOffset, size_t hOffset, const void *src, size_t spitch,
                                     size_t width, size_t height, cudaMemcpyKind kind, cudaStream_t stream) {
  return stream_call(stream, [&](CUstream_st *target) {
    return copy_2d_to_array(target, dst, wOffset, hOffset, src, spitch, {width, height, 1}, kind);
  });
}

cudaError_t cudaMemcpy2DToArray(cudaArray_t dst, size_t wOffset, size_t hOffset, const void *src, size_t spitch,
                                size_t width, size_t height, cudaMemcpyKind kind) {
  const CallScope scope(WARPLOOM_CALLER);
  return finished(cudaMemcpy2DToArrayAsync(dst, wOffset, hOffset, src, spitch, width, height, kind, nullptr));
}

cudaError_t cudaMemcpy2DFromArrayAsync(void *dst, size_t dpitch, cudaArray_const_t src, size_t wOffset, size_t hOffset,
                                       size_t width, size_t height, cudaMemcpyKind kind, cudaStream_t stream) {
  return stream_call(stream, [&](CUstream_st *target) {
    return copy_2d_from_array(target, dst, dpitch, src, wOffset, hOffset, {width, height, 1}, kind);
  });
}

cudaError_t cudaMemcpy2DFromArray(void *dst, size_t dpitch, cudaArray_const_t src, size_t wOffset, size_t hOffset,
                                  size_t width, size_t height, cudaMemcpyKind kind) {
  const CallScope scope(WARPLOOM_CALLER);
  return finished(cudaMemcpy2DFromArrayAsync(dst, dpitch, src, wOffset, hOffset, width, height, kind, nullptr));
}

cudaError_t cudaMemcpy2DArrayToArray(cudaArray_t dst, size_t wOffsetDst, size_t hOffsetDst, cudaArray_const_t src,
                                     size_t wOffsetSrc, size_t hOffsetSrc, size_t width, size_t height,
                                     cudaMemcpyKind) {
  return stream_call(nullptr, [&](CUstream_st *stream) -> cudaError_t {
    if (!is_array(dst) || !is_array(src)) return cudaErrorInvalidResourceHandle;
    const Box box = {width, height, 1};
    Area target, source;
    if (box.empty()) return cudaSuccess;
    if (!array_area(dst, wOffsetDst, hOffsetDst, 0, box, &target) ||
        !array_area(src, wOffsetSrc, hOffsetSrc, 0, box, &source))
      return cudaErrorInvalidValue;
    return submit_copy(stream, target, source, box);
  });
}

cudaError_t cudaMemcpyToArrayAsync(cudaArray_t dst, size_t wOffset, size_t hOffset, const void *src, size_t count,
                                   cudaMemcpyKind kind, cudaStream_t stream) {
  return stream_call(stream, [&](CUstream_st *target) {
    return copy_linear_to_array(target, dst, wOffset, hOffset, src, count, kind);
  });
}

cudaError_t cudaMemcpyToArray(cudaArray_t dst, size_t wOffset, size_t hOffset, const void *src, size_t count,
                              cudaMemcpyKind kind) {
  const CallScope scope(WARPLOOM_CALLER);
  return finished(cudaMemcpyToArrayAsync(dst, wOffset, hOffset, src, count, kind, nullptr));
}

cudaError_t cudaMemcpyFromArrayAsync(void *dst, cudaArray_const_t src, size_t wOffset, size_t hOffset, size_t count,
                                     cudaMemcpyKind kind, cudaStream_t stream) {
  return stream_call(stream, [&](CUstream_st *target) {
    return copy_linear_from_array(target, dst, src, wOffset, hOffset, count, kind);
  });
}

cudaError_t cudaMemcpyFromArray(void *dst, cudaArray_const_t src, size_t wOffset, size_t hOffset, size_t count,
                                cudaMemcpyKind kind) {
  const CallScope scope(WARPLOOM_CALLER);
  return finished(cudaMemcpyFromArrayAsync(dst, src, wOffset, hOffset, count, kind, nullptr));
}

cudaError_t cudaMemcpyArrayToArray(cudaArray_t dst, size_t wOffsetDst, size_t hOffsetDst, cudaArray_const_t src,
                                   size_t wOffsetSrc, size_t hOffsetSrc, size_t count, cudaMemcpyKind) {
  return stream_call(nullptr, [&](CUstream_st *stream) -> cudaError_t {
    if (!is_array(dst)) return cudaErrorInvalidResourceHandle;
    return for_each_row_run(src, wOffsetSrc, hOffsetSrc, count, [&](const RowRun &run) -> cudaError_t {
      Area source;
      if (!array_area(src, run.x, run.y, 0, run.box, &source)) return cudaErrorInvalidValue;
      for (std::size_t row = 0; row < run.box.height; ++row) {
        const std::size_t offset = hOffsetDst * dst->pitch() + wOffsetDst + run.offset + row * run.box.width;
        const cudaError_t error =
            copy_linear_to_array(stream, dst, offset % dst->pitch(), offset / dst->pitch(),
                                 source.base + row * source.pitch, run.box.width, cudaMemcpyDeviceToDevice);
        if (error != cudaSuccess) return error;
      }
      return cudaSuccess;
    });
  });
}

}  // extern "C"
