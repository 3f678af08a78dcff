// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// D = epilogue(alpha op(A) op(B) + beta C). A matrix in rows is the transpose of one in columns: where D is in rows,
// its transpose is computed.
#include "light.h"

#include <atomic>
#include <cmath>
#include <memory>
#include <vector>

#include "../common/refused.h"
#include "gemm_ex.h"

namespace warploom::blas::light {
namespace {

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

bool is_epilogue(std::uint32_t value) {
  switch (value) {
    case CUBLASLT_EPILOGUE_DEFAULT:
    case CUBLASLT_EPILOGUE_RELU:
    case CUBLASLT_EPILOGUE_BIAS:
    case CUBLASLT_EPILOGUE_RELU_BIAS:
    case CUBLASLT_EPILOGUE_GELU:
    case CUBLASLT_EPILOGUE_GELU_BIAS:
    case CUBLASLT_EPILOGUE_RELU_AUX:
    case CUBLASLT_EPILOGUE_RELU_AUX_BIAS:
    case CUBLASLT_EPILOGUE_DRELU:
    case CUBLASLT_EPILOGUE_DRELU_BGRAD:
    case CUBLASLT_EPILOGUE_GELU_AUX:
    case CUBLASLT_EPILOGUE_GELU_AUX_BIAS:
    case CUBLASLT_EPILOGUE_DGELU:
    case CUBLASLT_EPILOGUE_DGELU_BGRAD:
    case CUBLASLT_EPILOGUE_BGRADA:
    case CUBLASLT_EPILOGUE_BGRADB:
      return true;
    default:
      return false;
  }
}

constexpr float kRootTwoOverPi = 0.7978845608028654F, kCubic = 0.044715F;

float gelu(float x) { return 0.5F * x * (1 + std::tanh(kRootTwoOverPi * (x + kCubic * x * x * x))); }
float gelu_slope(float x) {
  const float t = std::tanh(kRootTwoOverPi * (x + kCubic * x * x * x));
  return 0.5F * (1 + t) + 0.5F * x * (1 - t * t) * kRootTwoOverPi * (1 + 3 * kCubic * x * x);
}

bool is_float_byte(cudaDataType type) { return type == CUDA_R_8F_E4M3 || type == CUDA_R_8F_E5M2; }

// What a call asks for, with its matrices in columns.
struct Plan {
  Description description;
  Kind kind;
  Layout a, b, c, d;
  bool transa, transb;  // or conjugated, of complex matrices: see `operations`
  cublasOperation_t operations[2];
  std::int64_t m, n, k;
  bool swapped;   // D's transpose is computed, from B's and A's
  bool is_plain;  // no epilogue, no scales, D of C's type: as cublasGemmEx
};

cudaDataType bias_type(const Plan &p) {
  if (p.description.bias_type >= 0) return static_cast<cudaDataType>(p.description.bias_type);
  const cudaDataType type = p.d.kind();
  return is_float_byte(type) || (is_float_byte(p.a.kind()) && type == CUDA_R_32F) ? CUDA_R_16BF : type;
}
cudaDataType aux_type(const Plan &p) {
  return p.description.aux_type >= 0 ? static_cast<cudaDataType>(p.description.aux_type) : p.d.kind();
}

// The kind of product that types mean.
Kind kind_of_call(const Call &call) {
  const cudaDataType a = call.a.kind(), b = call.b.kind(), c = call.c.kind(), d = call.d.kind();
  const auto compute = static_cast<cublasComputeType_t>(call.description.compute);
  if (is_float_byte(a) && is_float_byte(b)) {
    const bool both_wide = a == CUDA_R_8F_E5M2 && b == CUDA_R_8F_E5M2;
    const bool out = d == CUDA_R_16BF || d == CUDA_R_16F || d == CUDA_R_32F || is_float_byte(d);
    const bool old = c == CUDA_R_16BF || c == CUDA_R_16F || c == CUDA_R_32F;
    return compute == CUBLAS_COMPUTE_32F && !both_wide && out && old ? Kind::kMixed : Kind::kNone;
  }
  if (c != d) return Kind::kNone;
  if (a == CUDA_R_8I && b == CUDA_R_8I && d == CUDA_R_8I) {
    return compute == CUBLAS_COMPUTE_32I && call.description.scale == CUDA_R_32F ? Kind::kMixed : Kind::kNone;
  }
  return kind_of(compute, a, b, d);
}

bool is_order(const Layout &layout) { return layout.order == CUBLASLT_ORDER_COL || layout.order == CUBLASLT_ORDER_ROW; }

bool has_right_ld(const Layout &layout) {
  const std::uint64_t least = layout.order == CUBLASLT_ORDER_ROW ? layout.columns : layout.rows;
  return layout.ld > 0 && static_cast<std::uint64_t>(layout.ld) >= least && layout.ld <= INT32_MAX &&
         layout.rows <= INT32_MAX && layout.columns <= INT32_MAX;
}

bool is_operation(std::int32_t value) { return value >= CUBLAS_OP_N && value <= CUBLAS_OP_C; }

// In columns: a matrix in rows with its operation turned round.
void put_in_columns(Layout &layout, cublasOperation_t &operation) {
  if (layout.order != CUBLASLT_ORDER_ROW) return;
  std::swap(layout.rows, layout.columns);
  layout.order = CUBLASLT_ORDER_COL;
  operation = operation == CUBLAS_OP_N ? CUBLAS_OP_T : CUBLAS_OP_N;
}

// What a call says by itself.
cublasStatus_t check_settings(const Call &call) {
  const Description &d = call.description;
  if (!is_operation(d.transa) || !is_operation(d.transb) || d.transc != CUBLAS_OP_N) return CUBLAS_STATUS_INVALID_VALUE;
  if (!is_epilogue(d.epilogue)) return CUBLAS_STATUS_INVALID_VALUE;
  for (const Layout *layout : {&call.a, &call.b, &call.c, &call.d}) {
    if (!is_order(*layout)) return CUBLAS_STATUS_NOT_SUPPORTED;
    if (!has_right_ld(*layout) || layout->batch_count != call.d.batch_count || layout->batch_count < 0)
      return CUBLAS_STATUS_INVALID_VALUE;
  }
  if (call.c.order != call.d.order) return CUBLAS_STATUS_NOT_SUPPORTED;
  if (d.pointer_mode != CUBLASLT_POINTER_MODE_HOST && d.pointer_mode != CUBLASLT_POINTER_MODE_DEVICE) {
    return WARPLOOM_REFUSE("cublasLtMatmul", "alpha is one number, no vector", CUBLAS_STATUS_NOT_SUPPORTED);
  }
  const std::int32_t modes = d.a_scale_mode | d.b_scale_mode | d.c_scale_mode | d.d_scale_mode | d.d_out_scale_mode;
  if (modes != 0) {
    return WARPLOOM_REFUSE("cublasLtMatmul", "scales are one number for a matrix", CUBLAS_STATUS_NOT_SUPPORTED);
  }
  return CUBLAS_STATUS_SUCCESS;
}

// D's transpose, from the transposes of B and A.
void turn_round(Plan &p, cublasOperation_t &left, cublasOperation_t &right) {
  cublasOperation_t ignored = CUBLAS_OP_N;
  put_in_columns(p.c, ignored);
  put_in_columns(p.d, ignored);
  std::swap(p.a, p.b);
  std::swap(left, right);
  for (cublasOperation_t *operation : {&left, &right}) {
    *operation = *operation == CUBLAS_OP_N ? CUBLAS_OP_T : CUBLAS_OP_N;
  }
}

// Whether the sizes fit together.
bool has_right_sizes(const Plan &p) {
  const auto rows = p.transa ? p.a.columns : p.a.rows, columns = p.transb ? p.b.rows : p.b.columns;
  const auto inner = p.transb ? p.b.columns : p.b.rows;
  return rows == p.d.rows && columns == p.d.columns && inner == static_cast<std::uint64_t>(p.k) &&
         p.c.rows == p.d.rows && p.c.columns == p.d.columns;
}

bool has_right_aux(const Plan &p) {
  const Description &d = p.description;
  const bool is_mask = (d.epilogue & (kRelu | kDRelu)) != 0;
  return (d.epilogue & kAux) == 0 || (d.aux_ld >= p.m && !(is_mask && d.aux_ld % 128 != 0));
}

bool needs_no_epilogue(const Call &call, const Plan &p) {
  const Description &d = p.description;
  const bool is_scaled = d.a_scale != nullptr || d.b_scale != nullptr || d.c_scale != nullptr || d.d_scale != nullptr;
  const auto compute = static_cast<cublasComputeType_t>(d.compute);
  return d.epilogue == CUBLASLT_EPILOGUE_DEFAULT && !is_scaled && d.amax_d == nullptr && call.c.type == call.d.type &&
         !is_float_byte(call.a.kind()) && d.scale == static_cast<std::int32_t>(factor_type(compute, p.d.kind()));
}

// Whether an H200 has a kernel for bytes that lie so: their rows begin at multiples of four, or a vector has such a
// length. It refuses more, of operands in other orders than A transposed and B not.
bool has_byte_kernel(const Plan &p) {
  const auto is_even = [](std::int64_t number) { return number % 4 == 0; };
  const bool to_bytes = p.d.kind() == CUDA_R_8I;
  if (p.m == 1 || p.n == 1) return is_even(p.k) && (!to_bytes || is_even(p.m == 1 ? p.n : p.m));
  return is_even(p.a.ld) && is_even(p.b.ld) && (!to_bytes || is_even(p.d.ld));
}

cublasStatus_t plan_of(const Call &call, Plan *plan) {
  if (const cublasStatus_t status = check_settings(call); status != CUBLAS_STATUS_SUCCESS) return status;
  const Description &d = call.description;
  Plan &p = *plan;
  p = {d, kind_of_call(call), call.a, call.b, call.c, call.d, false, false, {}, 0, 0, 0, false, false};
  if (p.kind == Kind::kNone) return CUBLAS_STATUS_NOT_SUPPORTED;
  auto left = static_cast<cublasOperation_t>(d.transa), right = static_cast<cublasOperation_t>(d.transb);
  // On the device, products of bytes with exponents have the first operand transposed.
  if (is_float_byte(call.a.kind()) && (left != CUBLAS_OP_T || right != CUBLAS_OP_N)) return CUBLAS_STATUS_NOT_SUPPORTED;
  const bool has_rows =
      call.a.order != CUBLASLT_ORDER_COL || call.b.order != CUBLASLT_ORDER_COL || call.d.order != CUBLASLT_ORDER_COL;
  const bool is_complex = p.kind == Kind::kComplex || p.kind == Kind::kDoubleComplex;
  if (is_complex && has_rows && (left == CUBLAS_OP_C || right == CUBLAS_OP_C)) return CUBLAS_STATUS_NOT_SUPPORTED;
  put_in_columns(p.a, left);
  put_in_columns(p.b, right);
  p.swapped = p.d.order == CUBLASLT_ORDER_ROW;
  if (p.swapped) turn_round(p, left, right);
  p.transa = left != CUBLAS_OP_N;
  p.transb = right != CUBLAS_OP_N;
  p.operations[0] = left;
  p.operations[1] = right;
  p.m = static_cast<std::int64_t>(p.d.rows);
  p.n = static_cast<std::int64_t>(p.d.columns);
  p.k = static_cast<std::int64_t>(p.transa ? p.a.rows : p.a.columns);
  if (!has_right_sizes(p) || !has_right_aux(p)) return CUBLAS_STATUS_INVALID_VALUE;
  if (call.a.kind() == CUDA_R_8I && d.compute != CUBLAS_COMPUTE_32F && !has_byte_kernel(p))
    return CUBLAS_STATUS_NOT_SUPPORTED;
  p.is_plain = needs_no_epilogue(call, p);
  const bool mixes = p.kind == Kind::kMixed || p.kind == Kind::kFloat;
  if ((!p.is_plain && !mixes) || ((d.epilogue & kAux) != 0 && p.swapped)) return CUBLAS_STATUS_NOT_SUPPORTED;
  return CUBLAS_STATUS_SUCCESS;
}

// The largest magnitude of what is stored, for scaling later products.
void raise(std::atomic<float> &largest, float value) {
  float old = largest;
  while (value > old && !largest.compare_exchange_weak(old, value)) {
  }
}

// The epilogue of one product of a batch.
class Steps final : public Epilogue {
 public:
  Steps(const Plan &plan, const Tiling &tiling, std::int64_t item, std::atomic<float> *largest)
      : plan_(plan), tiling_(tiling), largest_(largest) {
    const Description &d = plan.description;
    const auto at = [&](void *data, cudaDataType type, std::int64_t stride) {
      return data == nullptr ? nullptr
                             : static_cast<char *>(data) + item * stride * static_cast<std::int64_t>(bytes_of(type));
    };
    bias_ = at(d.bias, bias_type(plan), d.bias_stride);
    const bool is_mask = (d.epilogue & (kRelu | kDRelu)) != 0;
    aux_ = is_mask && d.aux != nullptr ? static_cast<char *>(d.aux) + item * d.aux_stride / 8
                                       : at(d.aux, aux_type(plan), d.aux_stride);
    if ((d.epilogue & kGradient) != 0) sums_.resize(static_cast<std::size_t>(tiling.across() * plan.m));
    if (d.d_scale != nullptr) scale_ = *static_cast<const float *>(d.d_scale);
  }

  void apply(std::int64_t row, std::int64_t column, std::int64_t count, float *values) const override {
    const std::uint32_t which = plan_.description.epilogue;
    if ((which & kBias) != 0 && bias_ != nullptr) add_bias(row, column, count, values);
    if ((which & kAux) != 0 && aux_ != nullptr) use_aux(row, column, count, values);
    if ((which & kRelu) != 0) {
      for (std::int64_t i = 0; i < count; ++i) values[i] = values[i] < 0 ? 0 : values[i];
    } else if ((which & kGelu) != 0) {
      for (std::int64_t i = 0; i < count; ++i) values[i] = gelu(values[i]);
    }
    if (!sums_.empty()) {
      float *const own = sums_.data() + column / tiling_.columns * plan_.m + row;
      for (std::int64_t i = 0; i < count; ++i) own[i] += values[i];
    }
    if (largest_ != nullptr) {
      float most = 0;
      for (std::int64_t i = 0; i < count; ++i) most = std::max(most, std::abs(values[i]));
      raise(*largest_, most);
    }
    if (scale_ != 1) {
      for (std::int64_t i = 0; i < count; ++i) values[i] *= scale_;
    }
  }

  // Stores the gradient of the bias, when all tiles are done.
  void finish() const {
    if (sums_.empty() || bias_ == nullptr) return;
    std::vector<float> total(static_cast<std::size_t>(plan_.m));
    for (std::int64_t i = 0; i < plan_.m; ++i) {
      for (std::int64_t part = 0; part < tiling_.across(); ++part) {
        total[static_cast<std::size_t>(i)] += sums_[static_cast<std::size_t>(part * plan_.m + i)];
      }
    }
    narrow(bias_type(plan_), plan_.m, total.data(), bias_);
  }

 private:
  void add_bias(std::int64_t row, std::int64_t column, std::int64_t count, float *values) const {
    const cudaDataType type = bias_type(plan_);
    const auto bytes = static_cast<std::int64_t>(bytes_of(type));
    if (plan_.swapped) {
      float one = 0;
      widen(type, 1, bias_ + column * bytes, 1, &one);
      for (std::int64_t i = 0; i < count; ++i) values[i] += one;
      return;
    }
    std::vector<float> bias(static_cast<std::size_t>(count));
    widen(type, count, bias_ + row * bytes, 1, bias.data());
    for (std::int64_t i = 0; i < count; ++i) values[i] += bias[static_cast<std::size_t>(i)];
  }

  void use_aux(std::int64_t row, std::int64_t column, std::int64_t count, float *values) const {
    const Description &d = plan_.description;
    if ((d.epilogue & (kRelu | kDRelu)) != 0) {  // one bit for each number: whether it is positive
      auto *const bits = reinterpret_cast<unsigned char *>(aux_) + (row + column * d.aux_ld) / 8;
      for (std::int64_t i = 0; i < count; ++i) {
        const auto bit = static_cast<unsigned char>(1U << i % 8);
        if ((d.epilogue & kDRelu) != 0) {
          if ((bits[i / 8] & bit) == 0) values[i] = 0;
        } else {
          bits[i / 8] = static_cast<unsigned char>((bits[i / 8] & ~bit) | (values[i] > 0 ? bit : 0));
        }
      }
      return;
    }
    const cudaDataType type = aux_type(plan_);
    char *const at = aux_ + (row + column * d.aux_ld) * static_cast<std::int64_t>(bytes_of(type));
    if ((d.epilogue & kDGelu) == 0) return narrow(type, count, values, at);
    std::vector<float> inputs(static_cast<std::size_t>(count));
    widen(type, count, at, 1, inputs.data());
    for (std::int64_t i = 0; i < count; ++i) values[i] *= gelu_slope(inputs[static_cast<std::size_t>(i)]);
  }

  const Plan &plan_;
  const Tiling &tiling_;
  std::atomic<float> *largest_;
  char *bias_ = nullptr, *aux_ = nullptr;
  float scale_ = 1;
  mutable std::vector<float> sums_;
};

float scale_at(const void *pointer) { return pointer == nullptr ? 1 : *static_cast<const float *>(pointer); }

// The sums of the rows of op(A), or of the columns of op(B).
void operand_sums(const Plan &p, const void *data, const Layout &layout, bool along_rows, char *out) {
  const auto rows = static_cast<std::int64_t>(layout.rows), columns = static_cast<std::int64_t>(layout.columns);
  const Stored stored = {data, layout.kind(), layout.ld, false};
  std::vector<float> total(static_cast<std::size_t>(along_rows ? rows : columns)),
      column(static_cast<std::size_t>(rows));
  for (std::int64_t j = 0; j < columns; ++j) {
    widen(layout.kind(), rows, stored.at(0, j), 1, column.data());
    for (std::int64_t i = 0; i < rows; ++i)
      total[static_cast<std::size_t>(along_rows ? i : j)] += column[static_cast<std::size_t>(i)];
  }
  narrow(bias_type(p), static_cast<std::int64_t>(total.size()), total.data(), out);
}

char *item_of(const void *data, const Layout &layout, std::int64_t i) {
  return const_cast<char *>(static_cast<const char *>(data)) +
         i * layout.batch_stride * static_cast<std::int64_t>(bytes_of(layout.kind()));
}

void run(const Plan &p, DoubleComplex alpha, const void *a, const void *b, DoubleComplex beta, const void *c, void *d) {
  const Description &desc = p.description;
  std::atomic<float> largest = 0;
  const Tiling tiling(p.m, p.n, p.k);
  for (std::int64_t i = 0; i < p.d.batch_count; ++i) {
    const char *const left = item_of(a, p.a, i), *const right = item_of(b, p.b, i);
    const Steps steps(p, tiling, i, desc.amax_d != nullptr ? &largest : nullptr);
    const float scale = scale_at(desc.a_scale) * scale_at(desc.b_scale);
    const float keep = static_cast<float>(beta.real()) * scale_at(desc.c_scale);
    blas::multiply(MixedProduct{p.m, p.n, p.k, static_cast<float>(alpha.real()) * scale, keep,
                                Stored{left, p.a.kind(), p.a.ld, p.transa}, Stored{right, p.b.kind(), p.b.ld, p.transb},
                                Stored{item_of(c, p.c, i), p.c.kind(), p.c.ld, false}, item_of(d, p.d, i), p.d.kind(),
                                p.d.ld, &steps});
    steps.finish();
    char *const bias =
        static_cast<char *>(desc.bias) + i * desc.bias_stride * static_cast<std::int64_t>(bytes_of(bias_type(p)));
    const bool first = (desc.epilogue & (p.swapped ? kGradientB : kGradientA)) != 0;
    if (desc.bias != nullptr && first) operand_sums(p, left, p.a, !p.transa, bias);
    const bool second = (desc.epilogue & (p.swapped ? kGradientA : kGradientB)) != 0;
    if (desc.bias != nullptr && second) operand_sums(p, right, p.b, p.transb, bias);
  }
  if (desc.amax_d != nullptr) *static_cast<float *>(desc.amax_d) = largest;
}

}  // namespace

cublasStatus_t check(const Call &call) {
  Plan plan;
  return plan_of(call, &plan);
}

cublasStatus_t multiply(const Call &call, const void *alpha, const void *a, const void *b, const void *beta,
                        const void *c, void *d, cudaStream_t stream) {
  Plan p;
  if (const cublasStatus_t status = plan_of(call, &p); status != CUBLAS_STATUS_SUCCESS) return status;
  if (p.m == 0 || p.n == 0) return CUBLAS_STATUS_SUCCESS;
  if (p.swapped) std::swap(a, b);
  const bool on_device = p.description.pointer_mode == CUBLASLT_POINTER_MODE_DEVICE;
  const auto scale = static_cast<cudaDataType>(p.description.scale);
  const Factor first(on_device, scale, alpha), second(on_device, scale, beta);
  const bool reads_a = on_device || first.get() != DoubleComplex(0);
  const bool reads_c = on_device || second.get() != DoubleComplex(0);
  if ((reads_a && (a == nullptr || b == nullptr)) || (reads_c && c == nullptr) || d == nullptr)
    return CUBLAS_STATUS_INVALID_VALUE;
  const AnyProduct product = {p.kind,     p.operations[0], p.operations[1], p.m,    p.n,    p.k,
                              p.a.kind(), p.b.kind(),      p.d.kind(),      p.a.ld, p.b.ld, p.d.ld};
  const double time = product.nanoseconds() * p.d.batch_count;
  if (p.is_plain && (c == d || (!on_device && second.get() == DoubleComplex(0)))) {
    return status_of(libraries::enqueue(stream, "cublasLtMatmul", time, [=] {
      product.run_batch(p.d.batch_count, first.get(), second.get(), [&](std::int64_t i) {
        return AnyOperands{item_of(a, p.a, i), item_of(b, p.b, i), item_of(d, p.d, i)};
      });
    }));
  }
  if (p.kind != Kind::kMixed && p.kind != Kind::kFloat) {
    return WARPLOOM_REFUSE("cublasLtMatmul", "C and D are two matrices of a type that is not mixed",
                           CUBLAS_STATUS_NOT_SUPPORTED);
  }
  return status_of(
      libraries::enqueue(stream, "cublasLtMatmul", time, [=] { run(p, first.get(), a, b, second.get(), c, d); }));
}

}  // namespace warploom::blas::light
