// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The norms of all tensors of a list (what clip_grad_norm_ begins with), side by side: the CPU backend's operator takes
// one tensor after another, and each of those on one thread. So here one thread takes one tensor, by the CPU's operator
// for it, and the bits are the same. For other norms than Euclid's it shares each tensor out to the threads, so those
// stay with it.
#include "alias.h"
#include "cpu_backend.h"
#include "device.h"

#include <ATen/Parallel.h>
#include <ATen/core/Tensor.h>
#include <ATen/ops/empty.h>
#include <ATen/ops/linalg_vector_norm_cpu_dispatch.h>
#include <c10/core/InferenceMode.h>
#include <c10/cuda/CUDAGuard.h>
#include <c10/cuda/CUDAStream.h>
#include <torch/library.h>

#include <algorithm>
#include <atomic>
#include <numeric>
#include <vector>

namespace warploom::torch {
namespace {

using at::Tensor;

// Whether the CPU's operator takes each tensor on one thread, whatever there are: it does so for what lies in one
// piece.
bool are_plain(const std::vector<Tensor> &tensors, const at::Scalar &order) {
  if (order.isComplex() || order.to<double>() != 2) return false;
  if (tensors.size() < 2 || at::get_num_threads() == 1 || is_capturing()) return false;
  const Tensor &first = tensors.front();
  if (first.scalar_type() != at::kFloat && first.scalar_type() != at::kDouble) return false;
  return std::all_of(tensors.begin(), tensors.end(), [&](const Tensor &each) {
    return each.defined() && each.layout() == c10::kStrided && each.device() == first.device() && !each.is_neg() &&
           each.scalar_type() == first.scalar_type() && each.is_contiguous() && each.numel() != 0;
  });
}

std::vector<Tensor> norms(const std::vector<Tensor> &tensors) {
  const Tensor &first = tensors.front();
  const c10::cuda::CUDAGuard guard(first.device());
  c10::cuda::getCurrentCUDAStream().synchronize();
  const Tensor made = at::empty({static_cast<int64_t>(tensors.size())}, first.options());
  Aliases aliases;
  std::vector<Tensor> results, given, places;
  for (size_t i = 0; i < tensors.size(); ++i) {
    results.push_back(made.select(0, static_cast<int64_t>(i)));
    given.push_back(aliases.on_cpu(tensors[i]));
    places.push_back(aliases.on_cpu(results[i]));
  }
  std::vector<size_t> largest_first(tensors.size());
  std::iota(largest_first.begin(), largest_first.end(), size_t{0});
  std::stable_sort(largest_first.begin(), largest_first.end(),
                   [&](size_t one, size_t other) { return given[one].numel() > given[other].numel(); });
  std::atomic<size_t> next{0};
  on_each_thread(std::min(at::get_num_threads(), static_cast<int>(tensors.size())), [&] {
    const c10::InferenceMode inference;
    for (size_t i = next++; i < largest_first.size(); i = next++) {
      const size_t number = largest_first[i];
      at::cpu::linalg_vector_norm_out(places[number], given[number], 2);
    }
  });
  return results;
}

// _foreach_norm.Scalar(Tensor[] self, Scalar ord=2, ScalarType? dtype=None) -> Tensor[]
void foreach_norm(const c10::OperatorHandle &op, ::torch::jit::Stack *stack) {
  constexpr size_t kArguments = 3;
  const auto arguments = ::torch::jit::last(*stack, kArguments);
  const std::vector<Tensor> tensors = arguments[0].toTensorVector();
  if (!are_plain(tensors, arguments[1].toScalar()) || !arguments[2].isNone()) return cpu_backend<>(op, stack);
  note_on_cpu_backend("aten::_foreach_norm", "Scalar");
  std::vector<Tensor> made = norms(tensors);
  ::torch::jit::drop(*stack, kArguments);
  stack->emplace_back(std::move(made));
}

}  // namespace
}  // namespace warploom::torch

namespace at {

TORCH_LIBRARY_IMPL(aten, CUDA, library) {
  library.impl("_foreach_norm.Scalar", ::torch::CppFunction::makeFromBoxedFunction<&warploom::torch::foreach_norm>());
}

}  // namespace at
