// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Sparse tensors are dense ones put together: their aliases (alias.h) are made of the aliases of these.
#pragma once

#include <ATen/core/Tensor.h>
#include <c10/core/DispatchKey.h>

#include <functional>

namespace warploom::torch {

// Makes the alias of a dense tensor.
using DenseAlias = std::function<at::Tensor(const at::Tensor &)>;

// The dispatch key of the CPU backend for a device's: CUDA, SparseCUDA, SparseCsrCUDA, QuantizedCUDA.
c10::DispatchKey on_cpu(c10::DispatchKey cuda);

// A sparse tensor (COO or compressed) on `device` over the parts of another, each through `dense`.
at::Tensor sparse_alias(const at::Tensor &tensor, c10::Device device, const DenseAlias &dense);
// Give `original` the parts and the size that its alias has now.
void take_over_sparse(const at::Tensor &alias, const at::Tensor &original, const DenseAlias &dense);

}  // namespace warploom::torch
