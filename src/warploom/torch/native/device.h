// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What libc10_cuda.so tells libtorch_cuda.so beyond PyTorch's own headers.
#pragma once

#include <c10/core/Device.h>
#include <cuda_runtime_api.h>

#include <cstdint>
#include <optional>

namespace warploom::torch {

// Index -1 means the current device; others are checked.
c10::DeviceIndex device_or_current(c10::DeviceIndex device);

// Whether this process was forked from one that had used the device: its streams and threads are not here.
bool in_bad_fork() noexcept;
// Throws PyTorch's error about it.
void refuse_bad_fork();

// The number of the graph that a stream records; none: it does not.
std::optional<unsigned long long> capture_of(cudaStream_t stream);
// Whether the current stream of this thread records one.
bool is_capturing();

}  // namespace warploom::torch
