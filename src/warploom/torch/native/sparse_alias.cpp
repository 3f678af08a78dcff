// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "sparse_alias.h"

#include <ATen/SparseCsrTensorImpl.h>
#include <ATen/SparseCsrTensorUtils.h>
#include <ATen/SparseTensorImpl.h>
#include <ATen/native/SparseTensorUtils.h>

namespace warploom::torch {
namespace {

using at::sparse::get_sparse_impl;
using at::sparse_csr::get_sparse_csr_impl;
using c10::DispatchKey;

void set_coordinates(const at::Tensor &to, const at::Tensor &from, const DenseAlias &dense) {
  const auto *given = get_sparse_impl(from);
  auto *made = get_sparse_impl(to);
  made->raw_resize_(given->sparse_dim(), given->dense_dim(), from.sizes());
  made->set_indices_and_values_unsafe(dense(given->indices()), dense(given->values()));
  made->set_coalesced(given->coalesced());
}

void set_compressed(const at::Tensor &to, const at::Tensor &from, const DenseAlias &dense) {
  const auto *given = get_sparse_csr_impl(from);
  get_sparse_csr_impl(to)->set_member_tensors(dense(given->compressed_indices()), dense(given->plain_indices()),
                                              dense(given->values()), from.sizes());
}

void set_parts(const at::Tensor &to, const at::Tensor &from, const DenseAlias &dense) {
  from.layout() == c10::kSparse ? set_coordinates(to, from, dense) : set_compressed(to, from, dense);
}

at::Tensor empty_sparse(c10::Layout layout, c10::Device device, caffe2::TypeMeta type) {
  const bool on_cuda = device.is_cuda();
  if (layout == c10::kSparse) {
    const auto key = on_cuda ? DispatchKey::SparseCUDA : DispatchKey::SparseCPU;
    return at::detail::make_tensor<at::SparseTensorImpl>(c10::DispatchKeySet(key), type);
  }
  const auto key = on_cuda ? DispatchKey::SparseCsrCUDA : DispatchKey::SparseCsrCPU;
  return at::detail::make_tensor<at::SparseCsrTensorImpl>(c10::DispatchKeySet(key), device, layout, type);
}

}  // namespace

DispatchKey on_cpu(DispatchKey cuda) {
  if (cuda == DispatchKey::SparseCUDA) return DispatchKey::SparseCPU;
  if (cuda == DispatchKey::SparseCsrCUDA) return DispatchKey::SparseCsrCPU;
  if (cuda == DispatchKey::QuantizedCUDA) return DispatchKey::QuantizedCPU;
  return DispatchKey::CPU;
}

at::Tensor sparse_alias(const at::Tensor &tensor, c10::Device device, const DenseAlias &dense) {
  const at::Tensor made = empty_sparse(tensor.layout(), device, tensor.dtype());
  set_parts(made, tensor, dense);
  return made;
}

void take_over_sparse(const at::Tensor &alias, const at::Tensor &original, const DenseAlias &dense) {
  set_parts(original, alias, dense);
}

}  // namespace warploom::torch
