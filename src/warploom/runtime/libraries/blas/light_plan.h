// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What a call of cublasLtMatmul asks for, and whether there is such a product.
#pragma once

#include "gemm_ex.h"
#include "light.h"

namespace warploom::blas::light {

// Parts of an epilogue's number.
enum : std::uint32_t {
  kRelu = 2,
  kBias = 4,
  kDRelu = 8,
  kGradient = 16,
  kGelu = 32,
  kDGelu = 64,
  kAux = 128,
  kGradientA = 256,
  kGradientB = 512
};

// A call with its matrices in columns.
struct Plan {
  Description description;
  Kind kind;
  Layout a, b, c, d;
  cublasOperation_t operations[2];
  std::int64_t m, n, k;
  bool swapped;   // D's transpose is computed, from B's and A's
  bool is_plain;  // no epilogue, no scales: as cublasGemmEx

  bool transa() const { return operations[0] != CUBLAS_OP_N; }
  bool transb() const { return operations[1] != CUBLAS_OP_N; }
  bool has_mask() const { return (description.epilogue & (kRelu | kDRelu)) != 0; }
  bool has_vector_alpha() const {
    return description.pointer_mode == CUBLASLT_POINTER_MODE_ALPHA_DEVICE_VECTOR_BETA_HOST;
  }
  cudaDataType bias_type() const;
  cudaDataType aux_type() const;
};

bool is_float_byte(cudaDataType type);

// The least multiples of bytes that addresses of A, B, C and D are.
struct Alignments {
  std::uint32_t a = 256, b = 256, c = 256, d = 256;
};

// The statuses of an H200, in its order: types and orders; addresses of bias and aux (of a product, not for a choice of
// an algorithm); kernels that it does not have.
cublasStatus_t plan_of(const Call &call, Plan *plan);
cublasStatus_t check_addresses(const Plan &plan);
cublasStatus_t check_kernel(const Plan &plan, const Alignments &alignments);

}  // namespace warploom::blas::light
