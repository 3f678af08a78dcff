// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// cuda::aligned_size_t<Alignment>: a size in bytes, with the promise that both sides of a copy are aligned.
#pragma once

#include <cuda_runtime.h>

#include <cstddef>

namespace cuda {

template <::std::size_t Alignment>
struct aligned_size_t {
  static constexpr ::std::size_t align = Alignment;
  ::std::size_t value;

  __host__ __device__ explicit constexpr aligned_size_t(::std::size_t size) : value(size) {}
  __host__ __device__ constexpr operator ::std::size_t() const { return value; }
};

}  // namespace cuda
