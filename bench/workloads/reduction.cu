// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Each block adds 512 elements: a tree in shared memory down to a warp, then shuffles. The host adds the blocks' sums.
#include "reduction.h"

const int kThreads = 256;

__global__ void reduce(const float *in, float *out, int n) {
  __shared__ float partial[kThreads];
  int t = threadIdx.x;
  int i = blockIdx.x * blockDim.x * 2 + t;
  float sum = i < n ? in[i] : 0;
  if (i + blockDim.x < n) sum += in[i + blockDim.x];
  partial[t] = sum;
  __syncthreads();
  for (int stride = blockDim.x / 2; stride > 32; stride /= 2) {
    if (t < stride) partial[t] += partial[t + stride];
    __syncthreads();
  }
  if (t < 32) {
    sum = partial[t] + partial[t + 32];
    for (int offset = 16; offset > 0; offset /= 2) sum += __shfl_down_sync(0xffffffff, sum, offset);
    if (t == 0) out[blockIdx.x] = sum;
  }
}

int main(int argc, char **argv) {
  const bench::Settings settings(argc, argv);
  Reduction problem(settings);
  const int n = problem.count, blocks = (n + 2 * kThreads - 1) / (2 * kThreads);
  bench::DeviceArray<float> in(problem.in), sums(blocks);
  std::vector<float> host(blocks);
  float total = 0;
  return bench::measure(
      settings, problem.work(),
      [&] {
        reduce<<<blocks, kThreads>>>(in.data(), sums.data(), n);
        BENCH_CUDA(cudaMemcpy(host.data(), sums.data(), sums.bytes(), cudaMemcpyDeviceToHost));
        total = 0;
        for (float sum : host) total += sum;
      },
      [&] { return problem.check(total); });
}
