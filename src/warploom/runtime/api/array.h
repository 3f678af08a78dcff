// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// CUDA arrays: rows of texels without gaps.
#pragma once

#include <cstddef>

#include "copy.h"
#include "cuda_runtime_api.h"

struct cudaArray {
  cudaChannelFormatDesc format;
  cudaExtent extent;  // as it was asked for: 0 for a dimension that is not there
  unsigned flags;
  std::byte *data;
  std::size_t texel;  // bytes
  bool owned;         // false: a level of a mipmapped array

  std::size_t width() const { return extent.width; }
  std::size_t height() const { return extent.height ? extent.height : 1; }
  std::size_t depth() const { return extent.depth ? extent.depth : 1; }
  std::size_t pitch() const { return extent.width * texel; }
};

namespace warploom {

// Bytes of a texel; 0 when the format is none that CUDA has.
std::size_t texel_size(const cudaChannelFormatDesc &format);
bool is_array(const cudaArray *array);
bool is_mipmapped(const cudaMipmappedArray *array);
// A level of a mipmapped array; null when it has fewer.
cudaArray_t mip_level(cudaMipmappedArray_const_t array, unsigned level);
// Level 0 of a mipmapped array.
const cudaArray *base_level(const cudaMipmappedArray *array);
// The part of an array from a byte column, a row and a slice on; false when `box` does not fit in it.
bool array_area(const cudaArray *array, std::size_t x_bytes, std::size_t y, std::size_t z, const Box &box, Area *area);

}  // namespace warploom
