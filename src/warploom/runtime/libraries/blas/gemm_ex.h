// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Products whose types are told by values.
#pragma once

#include <library_types.h>

#include "check.h"
#include "mixed.h"

namespace warploom::blas {

// How a product is computed.
enum class Kind { kNone, kFloat, kDouble, kComplex, kDoubleComplex, kMixed, kInteger };

// For operands of these types with sums of this type; kNone: no such product.
Kind kind_of(cublasComputeType_t compute, cudaDataType a, cudaDataType b, cudaDataType c);
// The type of alpha and beta.
cudaDataType factor_type(cublasComputeType_t compute, cudaDataType c);

// A factor of any type, copied at the call or read when the work runs.
class Factor {
 public:
  Factor(bool on_device, cudaDataType type, const void *address);
  DoubleComplex get() const;

 private:
  static DoubleComplex read(cudaDataType type, const void *address);

  cudaDataType type_;
  const void *address_ = nullptr;
  DoubleComplex value_ = 0;
};

// C = alpha op(A) op(B) + beta C
struct AnyProduct {
  Kind kind;
  cublasOperation_t transa, transb;
  int64_t m, n, k;
  cudaDataType a_type, b_type, c_type;
  int64_t lda, ldb, ldc;

  double nanoseconds() const;
  // On this thread all at once, or in tiles on several.
  void run(bool in_tiles, DoubleComplex alpha, const void *a, const void *b, DoubleComplex beta, void *c) const;
  // Many of them: `operands(i)` has a, b and c.
  template <class Operands>
  void run_batch(int64_t count, DoubleComplex alpha, DoubleComplex beta, const Operands &operands) const {
    const double each = nanoseconds();
    if (count == 1 || each > 100'000) {
      for (int64_t i = 0; i < count; ++i) {
        const auto [a, b, c] = operands(i);
        run(true, alpha, a, b, beta, c);
      }
      return;
    }
    const int64_t group = std::max<int64_t>(1, static_cast<int64_t>(5'000 / each));
    each_tile(static_cast<std::uint64_t>((count + group - 1) / group), each * static_cast<double>(count),
              [&](std::uint64_t i) {
                const int64_t begin = static_cast<int64_t>(i) * group, end = std::min(count, begin + group);
                for (int64_t j = begin; j < end; ++j) {
                  const auto [a, b, c] = operands(j);
                  run(false, alpha, a, b, beta, c);
                }
              });
  }
};

struct AnyOperands {
  const void *a, *b;
  void *c;
};

}  // namespace warploom::blas
