// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// feature: Language / arrays in private memory of up to 64 KB a thread
// Private arrays from 4 bytes to 64 KB, in kernels, in functions that are called, and behind an early return: frames
// of every size, most of them larger than a page of the stack.
#include "check.h"

template <int N>
__host__ __device__ unsigned walk(unsigned s) {
  unsigned a[N];
  for (int i = 0; i < N; ++i) a[i] = s = s * 3 + 1;
  return a[s % N] ^ a[s / 7 % N];
}

template <int N>
__device__ __noinline__ unsigned walk_elsewhere(const unsigned *from, int limit) {
  if (*from > static_cast<unsigned>(limit)) return *from;
  return walk<N>(*from);
}

template <int N>
__global__ void in_kernel(unsigned *out) {
  const unsigned t = blockIdx.x * blockDim.x + threadIdx.x;
  out[t] = walk<N>(t);
}

template <int N>
__global__ void of_one_block(unsigned *out) {
  unsigned a[N], s = threadIdx.x;
  for (int i = 0; i < N; ++i) a[i] = s = s * 3 + 1;
  out[threadIdx.x] = a[s % (N - N / 40)];
}

template <int N>
__host__ unsigned one_of(unsigned s) {
  static unsigned a[N];
  for (int i = 0; i < N; ++i) a[i] = s = s * 3 + 1;
  return a[s % (N - N / 40)];
}

template <int N>
__global__ void behind_return(unsigned *out, const unsigned *from, int n) {
  const int t = blockIdx.x * blockDim.x + threadIdx.x;
  if (t >= n) return;
  out[t] = walk<N>(from[t]);
}

template <int N>
__global__ void in_function(unsigned *out, const unsigned *from, int limit) {
  const int t = blockIdx.x * blockDim.x + threadIdx.x;
  out[t] = walk_elsewhere<N>(from + t, limit);
}

template <int N>
void exercise(int threads) {
  const int blocks = 2, all = blocks * threads, n = all - 1;
  std::vector<unsigned> from(all), want(all), some(all, 7), called(all);
  for (int i = 0; i < all; ++i) {
    from[i] = i * 5 + 3;
    want[i] = walk<N>(i);
    if (i < n) some[i] = walk<N>(from[i]);
    called[i] = i % 3 ? walk<N>(from[i]) : (from[i] = 3000000000u);
  }
  unsigned *out = upload(std::vector<unsigned>(all, 7));
  std::vector<unsigned> plain(all);
  for (int i = 0; i < all; ++i) plain[i] = i * 5 + 3;
  unsigned *given = upload(plain), *limited = upload(from);
  behind_return<N><<<blocks, threads>>>(out, given, n);
  compare("behind a return", some, download(out, all));
  in_kernel<N><<<blocks, threads>>>(out);
  compare("in a kernel", want, download(out, all));
  std::vector<unsigned> alone(64);
  for (int i = 0; i < 64; ++i) alone[i] = one_of<N>(i);
  unsigned *few = device_zeros<unsigned>(64);
  of_one_block<N><<<1, 64>>>(few);
  compare("in one block", alone, download(few, 64));
  in_function<N><<<blocks, threads>>>(out, limited, 2000000000);
  compare("in a function", called, download(out, all));
  cudaFree(out), cudaFree(given), cudaFree(limited), cudaFree(few);
}

int main() {
  exercise<1>(100);
  exercise<64>(256);
  exercise<200>(33);
  exercise<256>(64);
  exercise<600>(128);
  exercise<1024>(64);
  exercise<4096>(32);
  exercise<16384>(5);
  return 0;
}
