// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Memory of a CUDA tensor that becomes larger or smaller: for set_() and for ATen's own CUDA code.
#include "cpu_backend.h"

#include <ATen/native/cuda/Resize.h>
#include <c10/cuda/CUDACachingAllocator.h>
#include <c10/cuda/CUDAGuard.h>

#include <algorithm>
#include <cstring>

namespace at::native {

// What was there before is copied when the stream comes to it.
void resize_bytes_cuda(StorageImpl *storage, size_t bytes) {
  TORCH_CHECK(storage->resizable(), "Trying to resize storage that is not resizable");
  const c10::cuda::CUDAGuard guard(storage->device());
  auto memory = c10::cuda::CUDACachingAllocator::get()->allocate(bytes);
  const size_t kept = std::min(storage->nbytes(), bytes);
  if (kept != 0) {
    void *to = memory.get();
    const void *from = storage->data();
    warploom::torch::in_stream_order([=] { std::memcpy(to, from, kept); });
  }
  storage->set_data_ptr_noswap(std::move(memory));
  storage->set_nbytes(bytes);
}

}  // namespace at::native

namespace warploom::torch {

void resize_storage(c10::StorageImpl &storage, size_t bytes) { at::native::resize_bytes_cuda(&storage, bytes); }

}  // namespace warploom::torch
