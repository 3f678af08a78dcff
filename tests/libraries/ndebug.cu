// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// NDEBUG: CCCL declares the hook of assert() for both sides, and others, as PyTorch, for the host; all work together.
// flags: -DNDEBUG
extern "C" void __assert_fail(const char *, const char *, unsigned int, const char *) noexcept
    __attribute__((__noreturn__));
#include <cuda/std/array>
#include <cuda/std/cassert>
#include <thrust/complex.h>

#include "expect.h"

extern "C" void __assert_fail(const char *, const char *, unsigned int, const char *) noexcept
    __attribute__((__noreturn__));

__host__ __device__ int checked(int x) { return x == 7 ? (__assert_fail("x != 7", "f.cu", 3, "checked"), 0) : x + 1; }

__global__ void add(int *p) { p[threadIdx.x] = checked(p[threadIdx.x]); }

int main() {
  int *p;
  cudaMallocManaged(&p, 32 * sizeof(int));
  for (int i = 0; i < 32; ++i) p[i] = i + 10;
  add<<<1, 32>>>(p);
  expect(cudaDeviceSynchronize() == cudaSuccess, "runs");
  expect(p[31] == 42 && checked(1) == 2, "values");
  p[3] = 7;
  add<<<1, 32>>>(p);
  expect(cudaDeviceSynchronize() == cudaErrorAssert, "assertion");
  return done();
}
