// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Images, and how a call becomes an operation of the stream that its context names.
#pragma once

#include <nppi.h>

#include <algorithm>
#include <cstddef>
#include <utility>

#include "../common/refused.h"
#include "../common/stream_work.h"

namespace warploom::npp {

template <class T>
struct Image {
  T *data;
  int step;  // bytes from row to row
  T *row(int y) const {
    using Byte = std::conditional_t<std::is_const_v<T>, const std::byte, std::byte>;
    return reinterpret_cast<T *>(reinterpret_cast<Byte *>(data) + static_cast<std::ptrdiff_t>(step) * y);
  }
};

// A part of a larger image, whose outermost pixels go on for ever.
struct Replicated {
  Image<const Npp8u> image;  // from the part's first pixel on
  NppiSize size;             // of the larger image
  NppiPoint offset;          // of the part in it
  const Npp8u *row(int y) const { return image.row(std::clamp(y, -offset.y, size.height - 1 - offset.y)); }
  int column(int x) const { return std::clamp(x, -offset.x, size.width - 1 - offset.x); }
};

inline NppStatus check_size(NppiSize size) { return size.width < 0 || size.height < 0 ? NPP_SIZE_ERROR : NPP_NO_ERROR; }
template <class T>
NppStatus check(const Image<T> &image) {
  if (image.data == nullptr) return NPP_NULL_POINTER_ERROR;
  return image.step <= 0 ? NPP_STEP_ERROR : NPP_NO_ERROR;
}
template <class... T>
NppStatus check_all(NppiSize size, const Image<T> &...images) {
  NppStatus status = NPP_NO_ERROR;
  static_cast<void>(((status = check(images), status == NPP_NO_ERROR) && ...));
  return status == NPP_NO_ERROR ? check_size(size) : status;
}

// Gives row(y) for each row to the context's stream; `each`: nanoseconds of a pixel.
template <class Row>
NppStatus run_rows(const NppStreamContext &context, const char *name, NppiSize size, double each, Row &&row) {
  constexpr int kRows = 16;
  const double time = each * size.width * size.height;
  const auto body = [=, row = std::forward<Row>(row)] {
    const auto tiles = static_cast<std::uint64_t>((size.height + kRows - 1) / kRows);
    libraries::each_tile(tiles, time, [&](std::uint64_t tile) {
      const int first = static_cast<int>(tile) * kRows;
      for (int y = first; y < std::min(first + kRows, size.height); ++y) row(y);
    });
  };
  const cudaError_t error = libraries::enqueue(context.hStream, name, time, body);
  return error == cudaSuccess ? NPP_NO_ERROR : NPP_CUDA_KERNEL_EXECUTION_ERROR;
}
template <class Body>
NppStatus run_whole(const NppStreamContext &context, const char *name, double nanoseconds, Body &&body) {
  const cudaError_t error = libraries::enqueue(context.hStream, name, nanoseconds, std::forward<Body>(body));
  return error == cudaSuccess ? NPP_NO_ERROR : NPP_CUDA_KERNEL_EXECUTION_ERROR;
}

}  // namespace warploom::npp
