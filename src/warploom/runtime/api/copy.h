// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Copies and fills, as one shape: rows of rows of bytes. What may be touched is checked before anything moves.
#pragma once

#include <cstddef>

#include "cuda_runtime_api.h"
#include "stream.h"

namespace warploom {

enum class Side { kHost, kDevice, kAny };

struct Sides {
  Side target, source;
};

// One end of a copy: `width` bytes every `pitch` bytes, `height` times, every `slice` bytes, `depth` times.
struct Area {
  std::byte *base;
  std::size_t pitch, slice;
};

struct Box {
  std::size_t width, height, depth;
  bool empty() const { return width == 0 || height == 0 || depth == 0; }
  std::size_t bytes() const { return width * height * depth; }
  // Bytes from the first to the last byte of an area of this shape.
  std::size_t span(const Area &area) const { return (depth - 1) * area.slice + (height - 1) * area.pitch + width; }
};

// kDevice for the device's ends of a kind; cudaErrorInvalidMemcpyDirection for a number that is no kind.
cudaError_t sides_of(cudaMemcpyKind kind, Sides *sides);
// Whether all of [pointer, pointer + size) may be read or written from that side.
cudaError_t check_memory(const void *pointer, std::size_t size, Side side);

// On `stream`: after all that was submitted before.
cudaError_t submit_copy(CUstream_st *stream, const Area &target, const Area &source, const Box &box);
cudaError_t submit_fill(CUstream_st *stream, const Area &target, const Box &box, std::uint32_t value,
                        std::size_t element_size);

// A checked copy of linear memory.
cudaError_t copy_linear(CUstream_st *stream, void *target, const void *source, std::size_t size, cudaMemcpyKind kind);
cudaError_t copy_box(CUstream_st *stream, const Area &target, const Area &source, const Box &box, Sides sides);
// A checked fill of device memory.
cudaError_t fill_box(CUstream_st *stream, const Area &target, const Box &box, std::uint32_t value,
                     std::size_t element_size);

}  // namespace warploom
