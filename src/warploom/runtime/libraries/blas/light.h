// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// cublasLt's descriptors, as they lie in the opaque structures of its header.
#pragma once

#include <cublasLt.h>

#include <cstddef>
#include <cstdint>

struct cublasLtContext {
  int unused;
};

namespace warploom::blas::light {

struct Layout {
  std::uint32_t type = CUDA_R_32F;
  std::int32_t order = CUBLASLT_ORDER_COL;
  std::uint64_t rows = 0, columns = 0;
  std::int64_t ld = 0;
  std::int32_t batch_count = 1;
  std::int64_t batch_stride = 0;
  std::int64_t plane_offset = 0;

  cudaDataType kind() const { return static_cast<cudaDataType>(type); }
};
static_assert(sizeof(Layout) <= sizeof(cublasLtMatrixLayoutOpaque_t));

struct Description {
  std::int32_t compute = CUBLAS_COMPUTE_32F, scale = CUDA_R_32F, pointer_mode = CUBLASLT_POINTER_MODE_HOST;
  std::int32_t transa = CUBLAS_OP_N, transb = CUBLAS_OP_N, transc = CUBLAS_OP_N, fill = CUBLAS_FILL_MODE_FULL;
  std::uint32_t epilogue = CUBLASLT_EPILOGUE_DEFAULT;
  void *bias = nullptr;
  std::int64_t bias_stride = 0;
  void *aux = nullptr;
  std::int64_t aux_ld = 0, aux_stride = 0, alpha_stride = 0;
  std::int32_t processors = 0;
  const void *a_scale = nullptr, *b_scale = nullptr, *c_scale = nullptr, *d_scale = nullptr;
  void *amax_d = nullptr;
  std::int32_t aux_type = -1;
  const void *aux_scale = nullptr;
  void *aux_amax = nullptr;
  std::int8_t fast_accumulation = 0;
  std::int32_t bias_type = -1;
  std::int32_t a_scale_mode = 0, b_scale_mode = 0, c_scale_mode = 0, d_scale_mode = 0, aux_scale_mode = 0;
  void *d_out_scale = nullptr;
  std::int32_t d_out_scale_mode = 0;
};
static_assert(sizeof(Description) <= sizeof(cublasLtMatmulDescOpaque_t));

struct Preference {
  std::uint32_t search = 0, reductions = CUBLASLT_REDUCTION_SCHEME_MASK;
  std::uint64_t workspace = 0;
  std::uint32_t alignments[4] = {256, 256, 256, 256};
  float waves = 0;
  std::uint64_t implementations = ~std::uint64_t{0};
};
static_assert(sizeof(Preference) <= sizeof(cublasLtMatmulPreferenceOpaque_t));

// One way to compute; what a program sets of it is kept, and changes nothing.
struct Algorithm {
  std::uint32_t magic, settings[9];
};
static_assert(sizeof(Algorithm) <= sizeof(cublasLtMatmulAlgo_t));
inline constexpr std::uint32_t kMagic = 0x77617270;

template <class T, class Opaque>
T &inside(Opaque *opaque) {
  return *reinterpret_cast<T *>(opaque);
}

// Where an attribute lies in its structure, and how many bytes it has; `size` 0: there is no such attribute.
struct Field {
  std::size_t offset, size;
};
Field layout_field(cublasLtMatrixLayoutAttribute_t which);
Field description_field(cublasLtMatmulDescAttributes_t which);
Field preference_field(cublasLtMatmulPreferenceAttributes_t which);

// A whole product: what matmul does, and what the heuristic says can be done.
struct Call {
  const Description &description;
  const Layout &a, &b, &c, &d;
};
// SUCCESS if it can be computed, of matrices whose addresses are such multiples of bytes.
cublasStatus_t check(const Call &call, const std::uint32_t (&alignments)[4]);
cublasStatus_t multiply(const Call &call, const void *alpha, const void *a, const void *b, const void *beta,
                        const void *c, void *d, cudaStream_t stream);

}  // namespace warploom::blas::light
