// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Products of float and double by kernels of our own, where the processor has AVX2 or AVX-512.
#pragma once

#include "gemm.h"

namespace warploom::blas {

// Where the tiles are made: side by side, or on the calling thread.
enum class Where { kSideBySide, kHere };

// False where nothing was done: there are no such kernels, or OpenBLAS is no slower.
template <class T>
bool multiply_by_own_kernels(const Product<T> &product, Where where);

}  // namespace warploom::blas
