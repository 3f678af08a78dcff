// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What libc10_cuda.so and libtorch_cuda.so tell each other beyond PyTorch's own headers.
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

// How many threads the CPU backend's operators run on: `count` is asked from now on.
void count_threads_by(int (*count)());

// The number of the graph that a stream records; none: it does not.
std::optional<unsigned long long> capture_of(cudaStream_t stream);
// Whether the current stream of this thread records one.
bool is_capturing();

}  // namespace warploom::torch
