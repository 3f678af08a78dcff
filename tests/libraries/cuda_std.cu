// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// libcu++ in device code: types of the standard library, atomics with an order and a scope, a block's barrier.
#include "expect.h"

#include <cuda/atomic>
#include <cuda/barrier>
#include <cuda/std/array>
#include <cuda/std/optional>
#include <cuda/std/span>
#include <cuda/std/tuple>
#include <cuda/std/type_traits>

__device__ cuda::std::optional<int> half_of(int value) {
  if (value % 2 != 0) return cuda::std::nullopt;
  return value / 2;
}

__global__ void values(int *out) {
  const cuda::std::array<int, 4> numbers{3, 4, 5, 6};
  const cuda::std::span<const int, 4> view(numbers);
  int sum = 0;
  for (int number : view.subspan(1)) sum += half_of(number).value_or(100);
  const auto [low, high] = cuda::std::make_tuple(sum, view.size());
  static_assert(cuda::std::is_same_v<decltype(low), const int>, "");
  out[0] = low;
  out[1] = static_cast<int>(high);
}

__global__ void counts(int *total, unsigned *flags) {
  cuda::atomic_ref<int, cuda::thread_scope_device> counter(*total);
  counter.fetch_add(static_cast<int>(threadIdx.x), cuda::std::memory_order_relaxed);
  cuda::atomic_ref<unsigned, cuda::thread_scope_device> bits(*flags);
  bits.fetch_or(1u << (threadIdx.x % 32), cuda::std::memory_order_acq_rel);
}

__global__ void exchange(int *out) {
  __shared__ cuda::barrier<cuda::thread_scope_block> barrier;
  __shared__ int slots[64];
  if (threadIdx.x == 0) init(&barrier, blockDim.x);
  __syncthreads();
  slots[threadIdx.x] = threadIdx.x;
  barrier.arrive_and_wait();
  out[threadIdx.x] = slots[63 - threadIdx.x];
}

int main() {
  int *out;
  unsigned *flags;
  cudaMallocManaged(&out, 64 * sizeof(int));
  cudaMallocManaged(&flags, sizeof(unsigned));
  values<<<1, 1>>>(out);
  expect(cudaDeviceSynchronize() == cudaSuccess, "values");
  expect(out[0] == 2 + 100 + 3 && out[1] == 4, "array, span, optional, tuple");
  out[0] = 0, *flags = 0;
  counts<<<3, 64>>>(out, flags);
  expect(cudaDeviceSynchronize() == cudaSuccess, "counts");
  expect(out[0] == 3 * 63 * 32 && *flags == 0xffffffffu, "atomic_ref");
  exchange<<<1, 64>>>(out);
  expect(cudaDeviceSynchronize() == cudaSuccess, "exchange");
  bool right = true;
  for (int i = 0; i < 64; ++i) right = right && out[i] == 63 - i;
  expect(right, "barrier");
  return done();
}
