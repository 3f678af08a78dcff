// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Products of matrices of small numbers. Pieces of the operands are widened to float, whose products OpenBLAS adds up
// in float; sums of bytes, exact in float for 1,024 terms, are then added as integers.
#pragma once

#include <library_types.h>

#include <cstdint>

#include "gemm.h"
#include "kernels.h"
#include "own_products.h"

namespace warploom::blas {

// Bytes of a number of type `type`; 0 for types that no product has.
std::size_t bytes_of(cudaDataType type);
// Whether numbers of this type are widened to float (float itself is not).
bool is_small(cudaDataType type);
Small small_of(cudaDataType type);

// `n` numbers of a real type, float or smaller, to float and back.
void widen(cudaDataType type, std::int64_t n, const void *from, std::int64_t step, float *to);
void narrow(cudaDataType type, std::int64_t n, const float *from, void *to);

// An operand as it is stored; `turned`: its transpose is what is multiplied.
struct Stored {
  const void *data;
  cudaDataType type;
  std::int64_t ld;
  bool turned;

  const void *at(std::int64_t row, std::int64_t column) const {
    return static_cast<const char *>(data) + (row + column * ld) * static_cast<std::int64_t>(bytes_of(type));
  }
};

// What becomes of a column of sums before it is stored: `sums` holds `count` numbers of column `column` from `row` on.
class Epilogue {
 public:
  virtual ~Epilogue() = default;
  virtual void apply(std::int64_t row, std::int64_t column, std::int64_t count, float *sums) const = 0;
};

// D = alpha op(A) op(B) + beta C
struct MixedProduct {
  using Sum = float;
  std::int64_t m, n, k;
  float alpha, beta;
  Stored a, b, c;
  void *d;
  cudaDataType d_type;
  std::int64_t ldd;
  const Epilogue *epilogue;  // null: none
  // Factors of the rows and the columns of op(A) op(B), besides alpha; null: none.
  const float *row_factors = nullptr, *column_factors = nullptr;

  double nanoseconds() const;
};
// In tiles, side by side or on the calling thread.
void multiply(const MixedProduct &product, Where where = Where::kSideBySide);

// The same for bytes with sums of 32 bits.
struct IntegerProduct {
  using Sum = std::int32_t;
  std::int64_t m, n, k;
  std::int32_t alpha, beta;
  Stored a, b;
  std::int32_t *c;
  std::int64_t ldc;

  double nanoseconds() const;
};
void multiply(const IntegerProduct &product, Where where = Where::kSideBySide);

}  // namespace warploom::blas
