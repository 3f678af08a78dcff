// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Products of rows of values with a vector. Compiled for each level of the processor (kernels/).
#pragma once

#include <cstdint>

#include "../common/kernel_levels.h"

namespace warploom::sparse {

// Rows with columns of 32 bits.
template <class T>
struct ShortRows {
  const void *offsets;
  bool wide;  // offsets of 64 bits
  std::int64_t base;
  const std::int32_t *cols;
  const T *values;
  std::uint32_t size;  // of the vector
  std::int64_t count;  // of all values
  bool inside;         // no column lies outside: need not be checked

  std::int64_t begin(std::int64_t row) const {
    return (wide ? static_cast<const std::int64_t *>(offsets)[row] : static_cast<const std::int32_t *>(offsets)[row]) -
           base;
  }
};

template <class T>
struct RowKernels {
  // sums[i] = row first + i times x; true if a column lies outside, which then counts as zero.
  bool (*multiply)(const ShortRows<T> &rows, std::int64_t first, std::int64_t last, const T *x, T *sums);
};

#define WARPLOOM_KERNELS_OF(LEVEL)             \
  namespace LEVEL {                            \
  extern const RowKernels<float> kFloatRows;   \
  extern const RowKernels<double> kDoubleRows; \
  }
WARPLOOM_AT_EACH_LEVEL(WARPLOOM_KERNELS_OF)
#undef WARPLOOM_KERNELS_OF

inline const RowKernels<float> &row_kernels(float) {
  static const RowKernels<float> &chosen = WARPLOOM_CHOOSE_LEVEL(kFloatRows);
  return chosen;
}
inline const RowKernels<double> &row_kernels(double) {
  static const RowKernels<double> &chosen = WARPLOOM_CHOOSE_LEVEL(kDoubleRows);
  return chosen;
}

}  // namespace warploom::sparse
