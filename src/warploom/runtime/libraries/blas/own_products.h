// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Products of float and double by kernels of our own, where the processor has AVX2 or AVX-512.
#pragma once

#include "gemm.h"

namespace warploom::blas {

// Where the tiles are made: side by side, or on the calling thread.
enum class Where { kSideBySide, kHere };

// Calls tile(i) for each i below `count`.
template <class Tile>
void each_of(Where where, int64_t count, double nanoseconds, const Tile &tile) {
  if (where == Where::kSideBySide) return each_tile(static_cast<uint64_t>(count), nanoseconds, tile);
  for (int64_t i = 0; i < count; ++i) tile(static_cast<uint64_t>(i));
}

inline unsigned threads_for(Where where, double nanoseconds) {
  return where == Where::kSideBySide ? tile_threads(nanoseconds) : 1;
}

// False where nothing was done: there are no such kernels, or OpenBLAS is no slower.
template <class T>
bool multiply_by_own_kernels(const Product<T> &product, Where where);

}  // namespace warploom::blas
