// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Device memory is host memory: a CUDA tensor and a CPU tensor can be over the same bytes. `Aliases` makes either from
// the other, for the length of one operator's call; tensors that share memory still do afterwards.
#pragma once

#include <ATen/core/Tensor.h>
#include <c10/core/Storage.h>
#include <c10/util/SmallVector.h>

namespace warploom::torch {

class Aliases {
 public:
  // The CPU tensor over a CUDA tensor's memory, which it keeps alive. CPU and undefined tensors stay as they are.
  at::Tensor on_cpu(const at::Tensor &tensor);
  // The CUDA tensor over the memory of a CPU operator's result.
  at::Tensor on_cuda(const at::Tensor &tensor, c10::Device device);
  // An operator wrote to `alias`: `original` takes over its size and, when it was reallocated, its memory.
  void take_over(const at::Tensor &alias, const at::Tensor &original);

 private:
  // Storages over the same memory.
  struct Pair {
    c10::Storage cuda, cpu;
  };

  c10::Storage on_cpu(const c10::Storage &storage);
  c10::Storage on_cuda(const c10::Storage &storage, c10::Device device);
  const Pair *find(c10::Storage Pair::*side, const c10::StorageImpl *storage) const;

  c10::SmallVector<Pair, 4> pairs_;
};

// While one lives, CPU tensors that this thread allocates are in memory of the CUDA allocator: it counts them, and what
// streams still use is not given to others.
class AllocateOnDevice {
 public:
  AllocateOnDevice();
  ~AllocateOnDevice();
  AllocateOnDevice(const AllocateOnDevice &) = delete;
  AllocateOnDevice &operator=(const AllocateOnDevice &) = delete;
};

}  // namespace warploom::torch
