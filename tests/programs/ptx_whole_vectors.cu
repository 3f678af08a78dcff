// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// feature: Inline PTX / loads and stores of 8 and 16 bytes happen at once
//
// One block writes numbers that belong together, the other reads them all the while: it never sees halves of two
// writes. Decoupled look-back keeps a flag beside a sum in this way.
#include <cstdio>

constexpr unsigned ROUNDS = 200000;

__global__ void eight(uint2 *pair, int *torn) {
  if (threadIdx.x != 0) return;  // the others are there so that the blocks run on two processors
  if (blockIdx.x == 0) {
    for (unsigned i = 1; i <= ROUNDS; ++i)
      asm volatile("st.relaxed.gpu.v2.u32 [%0], {%1, %2};" ::"l"(pair), "r"(i), "r"(~i) : "memory");
    return;
  }
  for (unsigned x = 0, y; x != ROUNDS;) {
    asm volatile("ld.relaxed.gpu.v2.u32 {%0, %1}, [%2];" : "=r"(x), "=r"(y) : "l"(pair) : "memory");
    if (y != ~x) ++*torn;
  }
}

__global__ void sixteen(ulonglong2 *pair, int *torn) {
  if (threadIdx.x != 0) return;  // the others are there so that the blocks run on two processors
  if (blockIdx.x == 0) {
    for (unsigned long long i = 1; i <= ROUNDS; ++i)
      asm volatile("st.release.gpu.v2.u64 [%0], {%1, %2};" ::"l"(pair), "l"(i), "l"(~i) : "memory");
    return;
  }
  for (unsigned long long x = 0, y; x != ROUNDS;) {
    asm volatile("ld.acquire.gpu.v2.u64 {%0, %1}, [%2];" : "=l"(x), "=l"(y) : "l"(pair) : "memory");
    if (y != ~x) ++*torn;
  }
}

__global__ void four_words(uint4 *words, int *torn) {
  if (threadIdx.x != 0) return;  // the others are there so that the blocks run on two processors
  if (blockIdx.x == 0) {
    for (unsigned i = 1; i <= ROUNDS; ++i)
      asm volatile("st.volatile.v4.u32 [%0], {%1, %2, %1, %2};" ::"l"(words), "r"(i), "r"(~i) : "memory");
    return;
  }
  for (unsigned x = 0, y, z, w; x != ROUNDS;) {
    asm volatile("ld.volatile.v4.u32 {%0, %1, %2, %3}, [%4];"
                 : "=r"(x), "=r"(y), "=r"(z), "=r"(w)
                 : "l"(words)
                 : "memory");
    if (y != ~x || z != x || w != y) ++*torn;
  }
}

template <class T>
void check(const char *name, void (*kernel)(T *, int *), T first) {
  T *value;
  int *torn;
  cudaMallocManaged(&value, sizeof *value);
  cudaMallocManaged(&torn, sizeof *torn);
  *value = first;
  *torn = 0;
  kernel<<<2, 64>>>(value, torn);
  std::printf("%s: %s, %d torn\n", name, cudaGetErrorString(cudaDeviceSynchronize()), *torn);
}

int main() {
  check("8 bytes", eight, make_uint2(0, ~0u));
  check("16 bytes", sixteen, make_ulonglong2(0, ~0ull));
  check("four words", four_words, make_uint4(0, ~0u, 0, ~0u));
}
