// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// D = epilogue(alpha op(A) op(B) + beta C)
#include "light.h"

#include <atomic>
#include <cmath>
#include <cstring>
#include <memory>
#include <type_traits>
#include <vector>

#include "light_plan.h"

namespace warploom::blas::light {
namespace {

template <class T>
constexpr T kRootTwoOverPi = static_cast<T>(0.7978845608028654);
template <class T>
constexpr T kCubic = static_cast<T>(0.044715);

template <class T>
T gelu_tanh(T x) {
  return std::tanh(kRootTwoOverPi<T> * (x + kCubic<T> * x * x * x));
}
template <class T>
T gelu(T x) {
  return static_cast<T>(.5) * x * (1 + gelu_tanh(x));
}
template <class T>
T gelu_slope(T x) {
  const T t = gelu_tanh(x), half = static_cast<T>(.5);
  return half * (1 + t) + half * x * (1 - t * t) * kRootTwoOverPi<T> * (1 + 3 * kCubic<T> * x * x);
}

// Numbers of a type, for sums of doubles and of floats.
void load(cudaDataType type, std::int64_t n, const void *from, float *to) { widen(type, n, from, 1, to); }
void load(cudaDataType, std::int64_t n, const void *from, double *to) {
  std::copy_n(static_cast<const double *>(from), n, to);
}
void store(cudaDataType type, std::int64_t n, const float *from, void *to) { narrow(type, n, from, to); }
void store(cudaDataType, std::int64_t n, const double *from, void *to) {
  std::copy_n(from, n, static_cast<double *>(to));
}

// The largest magnitude of what is stored, for scaling later products.
void raise(std::atomic<float> &largest, float value) {
  float old = largest;
  while (value > old && !largest.compare_exchange_weak(old, value)) {
  }
}

// The epilogue of one product of a batch, whose sums are of type T.
template <class T>
class Steps final : public Epilogue {
 public:
  Steps(const Plan &plan, const Tiling &tiling, std::int64_t item, std::atomic<float> *largest)
      : plan_(plan), tiling_(tiling), largest_(largest) {
    const Description &d = plan.description;
    const auto at = [&](void *data, cudaDataType type, std::int64_t stride) {
      return data == nullptr ? nullptr
                             : static_cast<char *>(data) + item * stride * static_cast<std::int64_t>(bytes_of(type));
    };
    bias_ = at(d.bias, plan.bias_type(), d.bias_stride);
    aux_ = plan.has_mask() && d.aux != nullptr ? static_cast<char *>(d.aux) + item * d.aux_stride / 8
                                               : at(d.aux, plan.aux_type(), d.aux_stride);
    if ((d.epilogue & kGradient) != 0) sums_.resize(static_cast<std::size_t>(tiling.across() * plan.m));
    if (d.d_scale != nullptr) scale_ = *static_cast<const float *>(d.d_scale);
  }

  void apply(std::int64_t row, std::int64_t column, std::int64_t count, float *values) const override {
    if constexpr (std::is_same_v<T, float>) apply_to(row, column, count, values);
  }
  void apply_to(std::int64_t row, std::int64_t column, std::int64_t count, T *values) const {
    const std::uint32_t which = plan_.description.epilogue;
    if ((which & kBias) != 0) add_bias(row, column, count, values);
    if ((which & kAux) != 0) use_aux(row, column, count, values);
    if ((which & kRelu) != 0) {
      for (std::int64_t i = 0; i < count; ++i) values[i] = values[i] < 0 ? 0 : values[i];
    } else if ((which & kGelu) != 0) {
      for (std::int64_t i = 0; i < count; ++i) values[i] = gelu(values[i]);
    }
    if (!sums_.empty()) {
      T *const own = sums_.data() + column / tiling_.columns * plan_.m + row;
      for (std::int64_t i = 0; i < count; ++i) own[i] += values[i];
    }
    if (largest_ != nullptr) {
      T most = 0;
      for (std::int64_t i = 0; i < count; ++i) most = std::max(most, std::abs(values[i]));
      raise(*largest_, static_cast<float>(most));
    }
    if (scale_ != 1) {
      for (std::int64_t i = 0; i < count; ++i) values[i] *= scale_;
    }
  }

  // Stores the gradient of the bias, when all tiles are done.
  void finish() const {
    if (sums_.empty()) return;
    std::vector<T> total(static_cast<std::size_t>(plan_.m));
    for (std::int64_t i = 0; i < plan_.m; ++i) {
      for (std::int64_t part = 0; part < tiling_.across(); ++part) {
        total[static_cast<std::size_t>(i)] += sums_[static_cast<std::size_t>(part * plan_.m + i)];
      }
    }
    store(plan_.bias_type(), plan_.m, total.data(), bias_);
  }

 private:
  void add_bias(std::int64_t row, std::int64_t column, std::int64_t count, T *values) const {
    const cudaDataType type = plan_.bias_type();
    const auto bytes = static_cast<std::int64_t>(bytes_of(type));
    if (plan_.swapped) {
      T one = 0;
      load(type, 1, bias_ + column * bytes, &one);
      for (std::int64_t i = 0; i < count; ++i) values[i] += one;
      return;
    }
    std::vector<T> bias(static_cast<std::size_t>(count));
    load(type, count, bias_ + row * bytes, bias.data());
    for (std::int64_t i = 0; i < count; ++i) values[i] += bias[static_cast<std::size_t>(i)];
  }

  void use_aux(std::int64_t row, std::int64_t column, std::int64_t count, T *values) const {
    const Description &d = plan_.description;
    if (plan_.has_mask()) {  // one bit for each number: set unless it is below zero
      auto *const bits = reinterpret_cast<unsigned char *>(aux_) + (row + column * d.aux_ld) / 8;
      for (std::int64_t i = 0; i < count; ++i) {
        const auto bit = static_cast<unsigned char>(1U << i % 8);
        if ((d.epilogue & kDRelu) != 0) {
          if ((bits[i / 8] & bit) == 0) values[i] = 0;
        } else {
          bits[i / 8] = static_cast<unsigned char>((bits[i / 8] & ~bit) | (values[i] < 0 ? 0 : bit));
        }
      }
      return;
    }
    const cudaDataType type = plan_.aux_type();
    char *const at = aux_ + (row + column * d.aux_ld) * static_cast<std::int64_t>(bytes_of(type));
    if ((d.epilogue & kDGelu) == 0) return store(type, count, values, at);
    std::vector<T> inputs(static_cast<std::size_t>(count));
    load(type, count, at, inputs.data());
    for (std::int64_t i = 0; i < count; ++i) values[i] *= gelu_slope(inputs[static_cast<std::size_t>(i)]);
  }

  const Plan &plan_;
  const Tiling &tiling_;
  std::atomic<float> *largest_;
  char *bias_ = nullptr, *aux_ = nullptr;
  float scale_ = 1;
  mutable std::vector<T> sums_;
};

float scale_at(const void *pointer) { return pointer == nullptr ? 1 : *static_cast<const float *>(pointer); }

// The sums of the rows of op(A), or of the columns of op(B).
template <class T>
void operand_sums(const Plan &p, const void *data, const Layout &layout, bool along_rows, void *out) {
  const auto rows = static_cast<std::int64_t>(layout.rows), columns = static_cast<std::int64_t>(layout.columns);
  const Stored stored = {data, layout.kind(), layout.ld, false};
  std::vector<T> total(static_cast<std::size_t>(along_rows ? rows : columns)), column(static_cast<std::size_t>(rows));
  for (std::int64_t j = 0; j < columns; ++j) {
    load(layout.kind(), rows, stored.at(0, j), column.data());
    for (std::int64_t i = 0; i < rows; ++i)
      total[static_cast<std::size_t>(along_rows ? i : j)] += column[static_cast<std::size_t>(i)];
  }
  store(p.bias_type(), static_cast<std::int64_t>(total.size()), total.data(), out);
}

char *item_of(const void *data, const Layout &layout, std::int64_t i) {
  return const_cast<char *>(static_cast<const char *>(data)) +
         i * layout.batch_stride * static_cast<std::int64_t>(bytes_of(layout.kind()));
}

// An operand of bytes with exponents times the scales of its pieces, in float.
class ScaledOperand {
 public:
  ScaledOperand(const Layout &layout, const void *data, bool turned, const void *scales, std::int32_t mode)
      : ld_(static_cast<std::int64_t>(layout.rows)), turned_(turned) {
    constexpr std::int64_t kPiece = 128, kPiecesTogether = 4;
    const auto rows = ld_, columns = static_cast<std::int64_t>(layout.columns);
    const auto *const factors = static_cast<const float *>(scales);
    const std::int64_t terms = turned ? rows : columns, outer = turned ? columns : rows;  // as an operand on the left
    const std::int64_t pieces = (terms + kPiece - 1) / kPiece;
    const std::int64_t step = (pieces + kPiecesTogether - 1) / kPiecesTogether * kPiecesTogether;
    values_.resize(static_cast<std::size_t>(rows * columns));
    const Stored stored = {data, layout.kind(), layout.ld, false};
    for (std::int64_t j = 0; j < columns; ++j) {
      float *const column = values_.data() + j * rows;
      widen(layout.kind(), rows, stored.at(0, j), 1, column);
      for (std::int64_t i = 0; i < rows; ++i) {
        const std::int64_t term = turned ? i : j, line = turned ? j : i;
        // Of vectors, scales of the same piece lie side by side; of blocks, those of the same lines do.
        column[i] *= mode == CUBLASLT_MATMUL_MATRIX_SCALE_VEC128_32F ? factors[line + term / kPiece * outer]
                                                                     : factors[term / kPiece + line / kPiece * step];
      }
    }
  }
  Stored stored() const { return {values_.data(), CUDA_R_32F, ld_, turned_}; }

 private:
  std::vector<float> values_;
  std::int64_t ld_;
  bool turned_;
};

// A product whose sums are floats.
void multiply_mixed(const Plan &p, float alpha, float beta, const Epilogue &steps, const float *vector_alpha,
                    const void *a, const void *b, const void *c, void *d) {
  const Description &desc = p.description;
  MixedProduct product = {p.m,
                          p.n,
                          p.k,
                          alpha,
                          beta * scale_at(desc.c_scale),
                          Stored{a, p.a.kind(), p.a.ld, p.transa()},
                          Stored{b, p.b.kind(), p.b.ld, p.transb()},
                          Stored{c, p.c.kind(), p.c.ld, false},
                          d,
                          p.d.kind(),
                          p.d.ld,
                          &steps,
                          p.swapped ? nullptr : vector_alpha,
                          p.swapped ? vector_alpha : nullptr};
  const std::int32_t mode = desc.a_scale_mode;
  if (mode == CUBLASLT_MATMUL_MATRIX_SCALE_SCALAR_32F) {
    product.alpha *= scale_at(desc.a_scale) * scale_at(desc.b_scale);
  } else if (mode == CUBLASLT_MATMUL_MATRIX_SCALE_OUTER_VEC_32F) {
    product.row_factors = static_cast<const float *>(desc.a_scale);
    product.column_factors = static_cast<const float *>(desc.b_scale);
  } else {
    const ScaledOperand left(p.a, a, p.transa(), desc.a_scale, mode),
        right(p.b, b, !p.transb(), desc.b_scale, desc.b_scale_mode);
    product.a = left.stored();
    product.b = right.stored();
    product.b.turned = p.transb();
    return blas::multiply(product);
  }
  blas::multiply(product);
}

// What keeps to doubles: the product into D, and then the epilogue.
void apply_to_doubles(const Plan &p, const Tiling &tiling, const Steps<double> &steps, void *d) {
  each_tile(static_cast<std::uint64_t>(tiling.count()), static_cast<double>(p.m) * static_cast<double>(p.n),
            [&](std::uint64_t i) {
              const Tiling::Tile tile = tiling.tile(static_cast<std::int64_t>(i));
              for (std::int64_t j = tile.column; j < tile.column + tile.columns; ++j)
                steps.apply_to(tile.row, j, tile.rows, static_cast<double *>(d) + tile.row + j * p.d.ld);
            });
}

// D = C, for products that add to what is there.
void copy_matrix(const Plan &p, const void *c, void *d) {
  const Stored from = {c, p.c.kind(), p.c.ld, false}, to = {d, p.d.kind(), p.d.ld, false};
  const auto bytes = static_cast<std::size_t>(p.m) * bytes_of(p.d.kind());
  for (std::int64_t j = 0; j < p.n; ++j) std::memcpy(const_cast<void *>(to.at(0, j)), from.at(0, j), bytes);
}

AnyProduct product_of(const Plan &p) {
  return {p.kind,     p.operations[0], p.operations[1], p.m,    p.n,    p.k,
          p.a.kind(), p.b.kind(),      p.d.kind(),      p.a.ld, p.b.ld, p.d.ld};
}

// Products that are computed in place: C goes to D first, where it is another matrix.
void run_plain(const Plan &p, DoubleComplex alpha, const void *a, const void *b, DoubleComplex beta, const void *c,
               void *d) {
  if (c != d && beta != DoubleComplex(0)) {
    for (std::int64_t i = 0; i < p.d.batch_count; ++i) copy_matrix(p, item_of(c, p.c, i), item_of(d, p.d, i));
  }
  product_of(p).run_batch(p.d.batch_count, alpha, beta, [&](std::int64_t i) {
    return AnyOperands{item_of(a, p.a, i), item_of(b, p.b, i), item_of(d, p.d, i)};
  });
}

template <class T>
void run(const Plan &p, DoubleComplex alpha, const float *vector_alpha, const void *a, const void *b,
         DoubleComplex beta, const void *c, void *d) {
  const Description &desc = p.description;
  std::atomic<float> largest = 0;
  const Tiling tiling(p.m, p.n, p.k);
  if constexpr (std::is_same_v<T, double>) run_plain(p, alpha, a, b, beta, c, d);
  for (std::int64_t i = 0; i < p.d.batch_count; ++i) {
    const char *const left = item_of(a, p.a, i), *const right = item_of(b, p.b, i);
    char *const out = item_of(d, p.d, i);
    const Steps<T> steps(p, tiling, i, desc.amax_d != nullptr ? &largest : nullptr);
    if constexpr (std::is_same_v<T, double>) {
      apply_to_doubles(p, tiling, steps, out);
    } else {
      multiply_mixed(p, static_cast<float>(alpha.real()), static_cast<float>(beta.real()), steps, vector_alpha, left,
                     right, item_of(c, p.c, i), out);
    }
    steps.finish();
    char *const bias =
        static_cast<char *>(desc.bias) + i * desc.bias_stride * static_cast<std::int64_t>(bytes_of(p.bias_type()));
    if ((desc.epilogue & kGradientA) != 0) operand_sums<T>(p, left, p.a, !p.transa(), bias);
    if ((desc.epilogue & kGradientB) != 0) operand_sums<T>(p, right, p.b, p.transb(), bias);
  }
  if (desc.amax_d != nullptr) *static_cast<float *>(desc.amax_d) = largest;
}

// The alignment of an address, of 256 at most.
std::uint32_t alignment_of(const void *address) {
  const auto bits = reinterpret_cast<std::uintptr_t>(address) | 256;
  return static_cast<std::uint32_t>(bits & -bits);
}

}  // namespace

cublasStatus_t check(const Call &call, const std::uint32_t (&alignments)[4]) {
  Plan plan;
  if (const cublasStatus_t status = plan_of(call, &plan); status != CUBLAS_STATUS_SUCCESS) return status;
  return check_kernel(plan, {alignments[0], alignments[1], alignments[2], alignments[3]});
}

cublasStatus_t multiply(const Call &call, const void *alpha, const void *a, const void *b, const void *beta,
                        const void *c, void *d, cudaStream_t stream) {
  Plan p;
  if (const cublasStatus_t status = plan_of(call, &p); status != CUBLAS_STATUS_SUCCESS) return status;
  if (const cublasStatus_t status = check_addresses(p); status != CUBLAS_STATUS_SUCCESS) return status;
  const Alignments alignments = {alignment_of(a), alignment_of(b), alignment_of(c), alignment_of(d)};
  if (const cublasStatus_t status = check_kernel(p, alignments); status != CUBLAS_STATUS_SUCCESS) return status;
  if (p.m == 0 || p.n == 0) return CUBLAS_STATUS_SUCCESS;
  if (p.d.batch_count <= 0) {  // as an H200 does
    const bool is_small = bytes_of(p.a.kind()) <= 2 && p.a.kind() != CUDA_R_8I;
    if (is_small) return CUBLAS_STATUS_EXECUTION_FAILED;
    p.d.batch_count = 1;
  }
  if (p.swapped) std::swap(a, b);
  const bool on_device = p.description.pointer_mode == CUBLASLT_POINTER_MODE_DEVICE;
  const auto scale = static_cast<cudaDataType>(p.description.scale);
  const float one = 1;
  const auto *const vector_alpha = p.has_vector_alpha() ? static_cast<const float *>(alpha) : nullptr;
  const Factor first(on_device, scale, vector_alpha != nullptr ? &one : alpha), second(on_device, scale, beta);
  const bool reads_a = on_device || first.get() != DoubleComplex(0);
  const bool reads_c = on_device || second.get() != DoubleComplex(0);
  if ((reads_a && (a == nullptr || b == nullptr)) || (reads_c && c == nullptr) || d == nullptr)
    return CUBLAS_STATUS_INVALID_VALUE;
  const double time = product_of(p).nanoseconds() * p.d.batch_count;
  const bool is_mixed = p.kind == Kind::kMixed || p.kind == Kind::kFloat;
  const bool is_in_place = c == d || (!on_device && second.get() == DoubleComplex(0));
  return status_of(libraries::enqueue(stream, "cublasLtMatmul", time, [=] {
    if (p.is_plain && (is_in_place || !is_mixed)) {
      run_plain(p, first.get(), a, b, second.get(), c, d);
    } else if (is_mixed) {
      run<float>(p, first.get(), vector_alpha, a, b, second.get(), c, d);
    } else {
      run<double>(p, first.get(), nullptr, a, b, second.get(), c, d);
    }
  }));
}

}  // namespace warploom::blas::light
