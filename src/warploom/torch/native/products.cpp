// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Matrix products of float and double by the toolkit's cuBLAS, which is faster than the CPU backend's on one thread of
// an AMD processor (decision 31). Others run there: on Intel's processors, which its MKL is made for, where PyTorch has
// several threads, of other types, of hardly any work, of shapes that do not fit (it says so), or recorded in a graph.
// The CPU backend's threads are OpenMP's, which spin after each of its operators: those of cuBLAS would wait for the
// same processors.
#include "cpu_backend.h"
#include "device.h"

#include <ATen/Parallel.h>
#include <ATen/core/Tensor.h>
#include <ATen/cuda/CUDAContextLight.h>
#include <ATen/ops/empty.h>
#include <c10/cuda/CUDAGuard.h>
#include <cpuid.h>
#include <torch/library.h>

#include <algorithm>
#include <limits>
#include <optional>

namespace warploom::torch {
namespace {

using at::Tensor;
using ::torch::jit::Stack;

constexpr int64_t kLeastWork = 32 * 32 * 32;  // multiplications of one product

// out = beta * added + alpha * left * right, of matrices or of batches of them.
struct Product {
  std::optional<Tensor> added;
  Tensor left, right;
  at::Scalar beta = 0, alpha = 1;
  std::optional<Tensor> out;
};

// The arguments of mm, bmm, addmm, baddbmm, of their in-place variants and of those with `out`.
Product product_of(const c10::FunctionSchema &schema, const Stack &stack) {
  const auto &names = schema.arguments();
  const size_t first = stack.size() - names.size();
  const bool adds = names.size() >= 5;
  Product found;
  size_t next = first;
  if (adds) found.added = stack[next++].toTensor();
  found.left = stack[next++].toTensor();
  found.right = stack[next++].toTensor();
  if (adds) {
    found.beta = stack[next++].toScalar();
    found.alpha = stack[next++].toScalar();
  }
  if (next < stack.size()) found.out = stack[next].toTensor();
  if (adds && names[0].alias_info() != nullptr) found.out = found.added;
  return found;
}

bool is_plain(const Tensor &tensor, const Tensor &like) {
  return tensor.device() == like.device() && tensor.layout() == at::kStrided &&
         tensor.scalar_type() == like.scalar_type() && !tensor.is_conj() && !tensor.is_neg();
}

// Whether cuBLAS can count its rows and columns.
bool is_countable(const Tensor &tensor) {
  constexpr int64_t kMost = std::numeric_limits<int>::max();
  return std::ranges::all_of(tensor.sizes(), [](int64_t size) { return size <= kMost; }) &&
         std::ranges::all_of(tensor.strides(), [](int64_t stride) { return stride <= kMost; });
}

bool broadcasts_to(const Tensor &tensor, at::IntArrayRef sizes) {
  if (tensor.dim() > static_cast<int64_t>(sizes.size())) return false;
  for (int64_t i = 1; i <= tensor.dim(); ++i) {
    if (tensor.size(-i) != 1 && tensor.size(-i) != sizes[sizes.size() - static_cast<size_t>(i)]) return false;
  }
  return true;
}

at::DimVector result_sizes(const Product &product) {
  at::DimVector sizes(product.left.sizes().begin(), product.left.sizes().end());
  sizes.back() = product.right.size(-1);
  return sizes;
}

bool is_intel() {
  static const bool found = [] {
    unsigned most = 0, first = 0, second = 0, third = 0;
    return __get_cpuid(0, &most, &first, &third, &second) != 0 && first == signature_INTEL_ebx &&
           second == signature_INTEL_edx && third == signature_INTEL_ecx;
  }();
  return found;
}

// Whether cuBLAS computes it as it stands.
bool is_served(const Product &product, int64_t dims) {
  const Tensor &left = product.left, &right = product.right;
  const auto type = left.scalar_type();
  if (type != at::kFloat && type != at::kDouble) return false;
  if (!left.is_cuda() || !is_plain(left, left) || !is_plain(right, left)) return false;
  if (left.dim() != dims || right.dim() != dims || left.size(-1) != right.size(-2)) return false;
  if (dims == 3 && left.size(0) != right.size(0)) return false;
  if (!is_countable(left) || !is_countable(right)) return false;
  if (left.size(-2) * left.size(-1) * right.size(-1) < kLeastWork || left.numel() == 0) return false;
  const at::DimVector sizes = result_sizes(product);
  if (product.added && !(is_plain(*product.added, left) && broadcasts_to(*product.added, sizes))) return false;
  if (!product.out) return true;
  const Tensor &out = *product.out;
  return is_plain(out, left) && out.sizes() == sizes && out.is_contiguous();
}

// A matrix, or each of a batch, as cuBLAS takes it: by columns, or transposed.
struct Operand {
  Tensor kept;
  cublasOperation_t operation;
  int leading;
  int64_t step;  // from one matrix of the batch to the next
};

bool fits(int64_t stride, int64_t width) { return stride >= std::max<int64_t>(width, 1); }

Operand operand_of(const Tensor &tensor) {
  const int64_t step = tensor.dim() == 3 ? tensor.stride(0) : 0;
  const int64_t rows = tensor.size(-2), columns = tensor.size(-1);
  if (tensor.stride(-1) == 1 && fits(tensor.stride(-2), columns)) {
    return {tensor, CUBLAS_OP_N, static_cast<int>(tensor.stride(-2)), step};
  }
  if (tensor.stride(-2) == 1 && fits(tensor.stride(-1), rows)) {
    return {tensor, CUBLAS_OP_T, static_cast<int>(tensor.stride(-1)), step};
  }
  return operand_of(tensor.contiguous());
}

template <typename T, typename Multiply>
void multiply(const Operand &left, const Operand &right, const Product &product, const Tensor &out, T beta,
              Multiply call) {
  const T alpha = product.alpha.to<T>();
  const auto rows = static_cast<int>(out.size(-2)), columns = static_cast<int>(out.size(-1));
  const auto inner = static_cast<int>(left.kept.size(-1));
  const int count = out.dim() == 3 ? static_cast<int>(out.size(0)) : 1;
  // cuBLAS counts by columns: the transposed result is the product of the transposed factors the other way round.
  const cublasStatus_t status =
      call(at::cuda::getCurrentCUDABlasHandle(), right.operation, left.operation, columns, rows, inner, &alpha,
           right.kept.const_data_ptr<T>(), right.leading, right.step, left.kept.const_data_ptr<T>(), left.leading,
           left.step, &beta, out.mutable_data_ptr<T>(), columns, int64_t{rows} * columns, count);
  TORCH_CHECK(status == CUBLAS_STATUS_SUCCESS, "cuBLAS failed with status ", static_cast<int>(status));
}

Tensor compute(const Product &product) {
  refuse_bad_fork();
  const c10::cuda::CUDAGuard guard(product.left.device());
  const Tensor out = product.out ? *product.out : at::empty(result_sizes(product), product.left.options());
  const bool adds = product.added && product.beta.to<double>() != 0;
  if (adds && !product.added->is_same(out)) out.copy_(*product.added);
  const Operand left = operand_of(product.left), right = operand_of(product.right);
  if (out.scalar_type() == at::kFloat) {
    multiply<float>(left, right, product, out, adds ? product.beta.to<float>() : 0, &cublasSgemmStridedBatched);
  } else {
    multiply<double>(left, right, product, out, adds ? product.beta.to<double>() : 0, &cublasDgemmStridedBatched);
  }
  return out;
}

template <int64_t dims>
void product(const c10::OperatorHandle &op, Stack *stack) {
  const Product asked = product_of(op.schema(), *stack);
  if (is_intel() || is_capturing() || at::get_num_threads() > 1 || !is_served(asked, dims)) {
    run_on_cpu_backend(op, c10::DispatchKey::CUDA, stack);
    return;
  }
  Tensor made = compute(asked);
  stack->resize(stack->size() - op.schema().arguments().size());
  stack->emplace_back(std::move(made));
}

}  // namespace
}  // namespace warploom::torch

namespace at {

TORCH_LIBRARY_IMPL(aten, CUDA, library) {
  for (const char *name : {"mm", "mm.out", "addmm", "addmm.out", "addmm_"}) {
    library.impl(name, ::torch::CppFunction::makeFromBoxedFunction<&warploom::torch::product<2>>());
  }
  for (const char *name : {"bmm", "bmm.out", "baddbmm", "baddbmm.out", "baddbmm_"}) {
    library.impl(name, ::torch::CppFunction::makeFromBoxedFunction<&warploom::torch::product<3>>());
  }
}

}  // namespace at
