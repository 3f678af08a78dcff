// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// feature: Atomics / __nv_atomic builtins
//
// The __nv_atomic_* builtins: results and returned values; and an increment by many threads through compare-exchange.
#include <cstdio>

__device__ int counter;
__device__ float total;

__global__ void many() {
  int expected = __nv_atomic_load_n(&counter, __NV_ATOMIC_RELAXED, __NV_THREAD_SCOPE_DEVICE);
  while (!__nv_atomic_compare_exchange_n(&counter, &expected, expected + 2, true, __NV_ATOMIC_ACQ_REL,
                                         __NV_ATOMIC_RELAXED, __NV_THREAD_SCOPE_DEVICE)) {
  }
  __nv_atomic_fetch_add(&total, 0.5f, __NV_ATOMIC_RELAXED, __NV_THREAD_SCOPE_DEVICE);
}

__global__ void one() {
  __nv_atomic_thread_fence(__NV_ATOMIC_SEQ_CST, __NV_THREAD_SCOPE_SYSTEM);
  int *c = &counter;
  int value = 40, result;
  printf("%d %g\n", *c, total);
  printf("%d ", __nv_atomic_exchange_n(c, 12, __NV_ATOMIC_ACQUIRE, __NV_THREAD_SCOPE_DEVICE));
  printf("%d ", __nv_atomic_fetch_sub(c, 2, __NV_ATOMIC_RELEASE, __NV_THREAD_SCOPE_BLOCK));
  printf("%d ", __nv_atomic_fetch_or(c, 5, __NV_ATOMIC_RELAXED));
  printf("%d ", __nv_atomic_fetch_min(c, -1, __NV_ATOMIC_RELAXED));
  printf("%d ", __nv_atomic_fetch_max(c, 6, __NV_ATOMIC_RELAXED));
  __nv_atomic_store(c, &value, __NV_ATOMIC_RELEASE, __NV_THREAD_SCOPE_DEVICE);
  __nv_atomic_load(c, &result, __NV_ATOMIC_ACQUIRE, __NV_THREAD_SCOPE_DEVICE);
  printf("%d %d ", result, __nv_atomic_fetch_xor(c, 1, __NV_ATOMIC_RELAXED));
  printf("%d %d\n", __nv_atomic_fetch_and(c, 8, __NV_ATOMIC_RELAXED), *c);
}

int main() {
  many<<<4, 64>>>();
  one<<<1, 1>>>();
  return cudaDeviceSynchronize();
}
