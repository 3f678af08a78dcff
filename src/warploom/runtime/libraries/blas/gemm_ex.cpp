// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "gemm_ex.h"

#include <cstring>

#include "instances.h"

namespace warploom::blas {

Kind kind_of(cublasComputeType_t compute, cudaDataType a, cudaDataType b, cudaDataType c) {
  if (a != b) return Kind::kNone;
  const bool is_fast = compute >= CUBLAS_COMPUTE_32F_FAST_16F && compute <= CUBLAS_COMPUTE_32F_EMULATED_16BFX9;
  switch (compute) {
    case CUBLAS_COMPUTE_16F:
    case CUBLAS_COMPUTE_16F_PEDANTIC:
      return a == CUDA_R_16F && c == CUDA_R_16F ? Kind::kMixed : Kind::kNone;
    case CUBLAS_COMPUTE_32I:
    case CUBLAS_COMPUTE_32I_PEDANTIC:
      return a == CUDA_R_8I && c == CUDA_R_32I ? Kind::kInteger : Kind::kNone;
    case CUBLAS_COMPUTE_64F:
    case CUBLAS_COMPUTE_64F_PEDANTIC:
      if (a != c) return Kind::kNone;
      return a == CUDA_R_64F ? Kind::kDouble : a == CUDA_C_64F ? Kind::kDoubleComplex : Kind::kNone;
    case CUBLAS_COMPUTE_32F:
    case CUBLAS_COMPUTE_32F_PEDANTIC:
    default:
      if (a == CUDA_R_32F && c == CUDA_R_32F) return Kind::kFloat;
      if (a == CUDA_C_32F && c == CUDA_C_32F) return Kind::kComplex;
      if (is_fast) return Kind::kNone;
      if (a == CUDA_R_8I) return c == CUDA_R_32F ? Kind::kMixed : Kind::kNone;
      if (a == CUDA_R_16F || a == CUDA_R_16BF) return c == a || c == CUDA_R_32F ? Kind::kMixed : Kind::kNone;
      return Kind::kNone;
  }
}

cudaDataType factor_type(cublasComputeType_t compute, cudaDataType c) {
  switch (compute) {
    case CUBLAS_COMPUTE_16F:
    case CUBLAS_COMPUTE_16F_PEDANTIC:
      return CUDA_R_16F;
    case CUBLAS_COMPUTE_32I:
    case CUBLAS_COMPUTE_32I_PEDANTIC:
      return CUDA_R_32I;
    case CUBLAS_COMPUTE_64F:
    case CUBLAS_COMPUTE_64F_PEDANTIC:
      return c == CUDA_C_64F ? CUDA_C_64F : CUDA_R_64F;
    default:
      return c == CUDA_C_32F ? CUDA_C_32F : CUDA_R_32F;
  }
}

Factor::Factor(bool on_device, cudaDataType type, const void *address) : type_(type) {
  if (on_device) {
    address_ = address;
  } else {
    value_ = read(type, address);
  }
}

DoubleComplex Factor::get() const { return address_ == nullptr ? value_ : read(type_, address_); }

template <class T>
static T number_at(const void *address) {
  T value;
  std::memcpy(&value, address, sizeof value);
  return value;
}

DoubleComplex Factor::read(cudaDataType type, const void *address) {
  float small = 0;
  switch (type) {
    case CUDA_R_32F:
      return number_at<float>(address);
    case CUDA_R_64F:
      return number_at<double>(address);
    case CUDA_C_32F:
      return number_at<Complex>(address);
    case CUDA_C_64F:
      return number_at<DoubleComplex>(address);
    case CUDA_R_32I:
      return number_at<std::int32_t>(address);
    default:
      widen(type, 1, address, 1, &small);
      return small;
  }
}

double AnyProduct::nanoseconds() const {
  const double time = 2.0 * static_cast<double>(m) * static_cast<double>(n) *
                      static_cast<double>(std::max<int64_t>(k, 1)) / kOperations<float>;
  return time * (kind == Kind::kDouble ? 2 : kind == Kind::kComplex ? 4 : kind == Kind::kDoubleComplex ? 8 : 1) + 100;
}

namespace {

template <class T>
T factor(DoubleComplex value) {
  if constexpr (kIsComplex<T>) return T(static_cast<Real<T>>(value.real()), static_cast<Real<T>>(value.imag()));
  if constexpr (!kIsComplex<T>) return static_cast<T>(value.real());
}

template <class T>
void run_plain(const AnyProduct &p, bool in_tiles, DoubleComplex alpha, const void *a, const void *b,
               DoubleComplex beta, void *c) {
  const Product<T> product = {letter(p.transa),
                              letter(p.transb),
                              p.m,
                              p.n,
                              p.k,
                              factor<T>(alpha),
                              static_cast<const T *>(a),
                              p.lda,
                              static_cast<const T *>(b),
                              p.ldb,
                              factor<T>(beta),
                              static_cast<T *>(c),
                              p.ldc};
  if (in_tiles) return multiply(product);
  multiply_tile(product);
}

}  // namespace

void AnyProduct::run(bool in_tiles, DoubleComplex alpha, const void *a, const void *b, DoubleComplex beta,
                     void *c) const {
  const Stored left = {a, a_type, lda, transa != CUBLAS_OP_N}, right = {b, b_type, ldb, transb != CUBLAS_OP_N};
  const Where where = in_tiles ? Where::kSideBySide : Where::kHere;
  switch (kind) {
    case Kind::kNone:
      return;
    case Kind::kFloat:
      return run_plain<float>(*this, in_tiles, alpha, a, b, beta, c);
    case Kind::kDouble:
      return run_plain<double>(*this, in_tiles, alpha, a, b, beta, c);
    case Kind::kComplex:
      return run_plain<Complex>(*this, in_tiles, alpha, a, b, beta, c);
    case Kind::kDoubleComplex:
      return run_plain<DoubleComplex>(*this, in_tiles, alpha, a, b, beta, c);
    case Kind::kInteger:
      return multiply(
          IntegerProduct{m, n, k, static_cast<std::int32_t>(alpha.real()), static_cast<std::int32_t>(beta.real()), left,
                         right, static_cast<std::int32_t *>(c), ldc},
          where);
    case Kind::kMixed:
      return multiply(MixedProduct{m, n, k, static_cast<float>(alpha.real()), static_cast<float>(beta.real()), left,
                                   right, Stored{c, c_type, ldc, false}, c, c_type, ldc, nullptr},
                      where);
  }
}

namespace {

bool is_type(cudaDataType type) { return type >= CUDA_R_32F && type <= CUDA_R_8F_E5M2; }

// As a device wants bytes that are added up as integers: their columns begin at multiples of four.
bool has_even_rows(const AnyProduct &p, const void *a, const void *b) {
  return ((static_cast<std::uint64_t>(p.lda) | static_cast<std::uint64_t>(p.ldb) | reinterpret_cast<std::uintptr_t>(a) |
           reinterpret_cast<std::uintptr_t>(b)) &
          3) == 0;
}

// `first_a`, `first_b`: where the first operands lie, if that is known at the call.
template <class Operands>
cublasStatus_t gemm_ex(const char *name, cublasHandle_t handle, AnyProduct p, cublasComputeType_t compute,
                       const void *alpha, const void *beta, int64_t count, const Operands &operands,
                       const void *first_a = nullptr, const void *first_b = nullptr) {
  Check check(handle, "GEMM_EX");
  check.operation(1, p.transa).operation(2, p.transb).size(3, p.m).size(4, p.n).size(5, p.k);
  check.leading(9, p.lda, p.transa == CUBLAS_OP_N ? p.m : p.k);
  check.leading(12, p.ldb, p.transb == CUBLAS_OP_N ? p.k : p.n).leading(16, p.ldc, p.m).that(count >= 0, 17);
  check.present(alpha).present(beta).fit(p.m, p.n, p.k, p.lda, p.ldb, p.ldc);
  if (!check) return check.status();
  // Bytes with an exponent are cublasLtMatmul's.
  const auto is_float_byte = [](cudaDataType type) { return type == CUDA_R_8F_E4M3 || type == CUDA_R_8F_E5M2; };
  if (is_float_byte(p.a_type) || is_float_byte(p.b_type) || !is_type(p.c_type)) return CUBLAS_STATUS_INVALID_VALUE;
  p.kind = kind_of(compute, p.a_type, p.b_type, p.c_type);
  if (p.kind == Kind::kNone || (p.kind == Kind::kInteger && !has_even_rows(p, first_a, first_b)))
    return CUBLAS_STATUS_NOT_SUPPORTED;
  if (p.m == 0 || p.n == 0 || count == 0) return CUBLAS_STATUS_SUCCESS;
  const bool on_device = handle->pointer_mode == CUBLAS_POINTER_MODE_DEVICE;
  const cudaDataType type = factor_type(compute, p.c_type);
  const Factor first(on_device, type, alpha), second(on_device, type, beta);
  return run(handle, name, p.nanoseconds() * static_cast<double>(count),
             [=] { p.run_batch(count, first.get(), second.get(), operands); });
}

// The i-th of matrices that lie `stride` numbers apart.
const char *nth(const void *data, cudaDataType type, long long stride, int64_t i) {
  return static_cast<const char *>(data) + i * stride * static_cast<int64_t>(bytes_of(type));
}

}  // namespace
}  // namespace warploom::blas

using namespace warploom::blas;

#define OPS(I) cublasHandle_t handle, cublasOperation_t transa, cublasOperation_t transb, I m, I n, I k
#define PRODUCT(A, B, C) \
  AnyProduct { Kind::kNone, transa, transb, m, n, k, A, B, C, lda, ldb, ldc }
#define EX_OF(P, T, I, S)                                                                                              \
  cublasStatus_t cublasGemmEx##S(OPS(I), const void *alpha, const void *a, cudaDataType at, I lda, const void *b,      \
                                 cudaDataType bt, I ldb, const void *beta, void *c, cudaDataType ct, I ldc,            \
                                 cublasComputeType_t compute, cublasGemmAlgo_t) {                                      \
    return gemm_ex(                                                                                                    \
        "cublasGemmEx", handle, PRODUCT(at, bt, ct), compute, alpha, beta, 1,                                          \
        [=](int64_t) { return AnyOperands{a, b, c}; }, a, b);                                                          \
  }                                                                                                                    \
  cublasStatus_t cublasGemmBatchedEx##S(OPS(I), const void *alpha, const void *const a[], cudaDataType at, I lda,      \
                                        const void *const b[], cudaDataType bt, I ldb, const void *beta,               \
                                        void *const c[], cudaDataType ct, I ldc, I count, cublasComputeType_t compute, \
                                        cublasGemmAlgo_t) {                                                            \
    return gemm_ex("cublasGemmBatchedEx", handle, PRODUCT(at, bt, ct), compute, alpha, beta, count,                    \
                   [=](int64_t i) { return AnyOperands{a[i], b[i], c[i]}; });                                          \
  }                                                                                                                    \
  cublasStatus_t cublasGemmStridedBatchedEx##S(OPS(I), const void *alpha, const void *a, cudaDataType at, I lda,       \
                                               long long sa, const void *b, cudaDataType bt, I ldb, long long sb,      \
                                               const void *beta, void *c, cudaDataType ct, I ldc, long long sc,        \
                                               I count, cublasComputeType_t compute, cublasGemmAlgo_t) {               \
    return gemm_ex(                                                                                                    \
        "cublasGemmStridedBatchedEx", handle, PRODUCT(at, bt, ct), compute, alpha, beta, count,                        \
        [=](int64_t i) {                                                                                               \
          return AnyOperands{nth(a, at, sa, i), nth(b, bt, sb, i), const_cast<char *>(nth(c, ct, sc, i))};             \
        },                                                                                                             \
        a, b);                                                                                                         \
  }                                                                                                                    \
  cublasStatus_t cublasSgemmEx##S(OPS(I), const float *alpha, const void *a, cudaDataType at, I lda, const void *b,    \
                                  cudaDataType bt, I ldb, const float *beta, void *c, cudaDataType ct, I ldc) {        \
    return gemm_ex("cublasSgemmEx", handle, PRODUCT(at, bt, ct), CUBLAS_COMPUTE_32F, alpha, beta, 1,                   \
                   [=](int64_t) { return AnyOperands{a, b, c}; });                                                     \
  }                                                                                                                    \
  cublasStatus_t cublasCgemmEx##S(OPS(I), const cuComplex *alpha, const void *a, cudaDataType at, I lda,               \
                                  const void *b, cudaDataType bt, I ldb, const cuComplex *beta, void *c,               \
                                  cudaDataType ct, I ldc) {                                                            \
    return gemm_ex("cublasCgemmEx", handle, PRODUCT(at, bt, ct), CUBLAS_COMPUTE_32F, alpha, beta, 1,                   \
                   [=](int64_t) { return AnyOperands{a, b, c}; });                                                     \
  }                                                                                                                    \
  cublasStatus_t cublasHgemm##S(OPS(I), const T *alpha, const T *a, I lda, const T *b, I ldb, const T *beta, T *c,     \
                                I ldc) {                                                                               \
    return gemm_ex("cublasHgemm", handle, PRODUCT(CUDA_R_16F, CUDA_R_16F, CUDA_R_16F), CUBLAS_COMPUTE_16F, alpha,      \
                   beta, 1, [=](int64_t) { return AnyOperands{a, b, c}; });                                            \
  }                                                                                                                    \
  cublasStatus_t cublasHgemmBatched##S(OPS(I), const T *alpha, const T *const a[], I lda, const T *const b[], I ldb,   \
                                       const T *beta, T *const c[], I ldc, I count) {                                  \
    return gemm_ex("cublasHgemmBatched", handle, PRODUCT(CUDA_R_16F, CUDA_R_16F, CUDA_R_16F), CUBLAS_COMPUTE_16F,      \
                   alpha, beta, count, [=](int64_t i) { return AnyOperands{a[i], b[i], c[i]}; });                      \
  }                                                                                                                    \
  cublasStatus_t cublasHgemmStridedBatched##S(OPS(I), const T *alpha, const T *a, I lda, long long sa, const T *b,     \
                                              I ldb, long long sb, const T *beta, T *c, I ldc, long long sc,           \
                                              I count) {                                                               \
    return gemm_ex("cublasHgemmStridedBatched", handle, PRODUCT(CUDA_R_16F, CUDA_R_16F, CUDA_R_16F),                   \
                   CUBLAS_COMPUTE_16F, alpha, beta, count,                                                             \
                   [=](int64_t i) { return AnyOperands{a + i * sa, b + i * sb, c + i * sc}; });                        \
  }

#pragma GCC visibility push(default)
extern "C" {
WARPLOOM_SIZES(EX_OF, H, __half)
}
#pragma GCC visibility pop
