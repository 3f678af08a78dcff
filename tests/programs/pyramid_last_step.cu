// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// feature: Algorithms / steps in shared memory
// A row of numbers takes several steps in shared memory: each becomes the sum of itself and its neighbours. The result
// of the last step goes to global memory behind the loop, where the loop is left by a break or, for no step at all, by
// its condition. Integers: every result is exact.
#include <cstdio>
#include <vector>

const int kThreads = 64;

template <bool nested>
__global__ void pyramid(const unsigned *in, unsigned *out, int n, int steps) {
  __shared__ unsigned now[kThreads], next[kThreads];
  const int t = threadIdx.x, inner = kThreads - 2 * steps;
  const int x = inner * int(blockIdx.x) - steps + t;
  const bool inside = x >= 0 && x < n;
  now[t] = inside ? in[x] : 0;
  __syncthreads();
  bool computed = steps == 0 && inside;
  if (steps == 0) next[t] = now[t] + 1;
  for (int step = 0; step < steps; ++step) {
    computed = false;
    if (inside && t > step) {
      if (t < kThreads - 1 - step) {
        if (nested) computed = true;
        next[t] = now[t - 1] + now[t] + now[t + 1];
      }
    }
    if (!nested) computed = inside && t > step && t < kThreads - 1 - step;
    __syncthreads();
    if (step == steps - 1) break;
    if (computed) now[t] = next[t];
    __syncthreads();
  }
  if (computed) out[x] = next[t];
}

static std::vector<unsigned> expected(std::vector<unsigned> row, int steps) {
  const int n = int(row.size());
  if (steps == 0) {
    for (unsigned &each : row) ++each;
  }
  for (int step = 0; step < steps; ++step) {
    std::vector<unsigned> next(n);
    for (int i = 0; i < n; ++i) next[i] = (i ? row[i - 1] : 0) + row[i] + (i + 1 < n ? row[i + 1] : 0);
    row = next;
  }
  return row;
}

template <bool nested>
static void check(int n, int steps) {
  std::vector<unsigned> row(n), got(n, 0xdeadbeef);
  for (int i = 0; i < n; ++i) row[i] = unsigned(i) * 2654435761u >> 7;
  unsigned *in, *out;
  cudaMalloc(&in, n * sizeof(unsigned));
  cudaMalloc(&out, n * sizeof(unsigned));
  cudaMemcpy(in, row.data(), n * sizeof(unsigned), cudaMemcpyHostToDevice);
  cudaMemcpy(out, got.data(), n * sizeof(unsigned), cudaMemcpyHostToDevice);
  const int inner = kThreads - 2 * steps;
  pyramid<nested><<<(n + inner - 1) / inner, kThreads>>>(in, out, n, steps);
  cudaMemcpy(got.data(), out, n * sizeof(unsigned), cudaMemcpyDeviceToHost);
  const std::vector<unsigned> want = expected(row, steps);
  int wrong = 0;
  for (int i = 0; i < n; ++i) wrong += got[i] != want[i];
  printf("%d numbers, %d steps: %d wrong\n", n, steps, wrong);
  cudaFree(in);
  cudaFree(out);
}

int main() {
  for (int steps : {0, 1, 2, 5}) {
    check<false>(300, steps);
    check<true>(63, steps);
  }
}
