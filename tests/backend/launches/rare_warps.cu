// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Warps with fewer than 32 lanes or in several rows of a block, whose lanes read and write anywhere, and exchange.
#include <cstdio>
#include <cstdlib>
#include <vector>

__global__ void permute(const int *from, const short *where, int *to, unsigned char *low) {
  int t = threadIdx.x + blockDim.x * (threadIdx.y + blockDim.y * threadIdx.z);
  int size = blockDim.x * blockDim.y * blockDim.z, start = blockIdx.x * size;
  unsigned there = __ballot_sync(__activemask(), 1);
  int value = from[start + where[start + t]];
  int next = __shfl_sync(there, value, (t % 32) ^ 1);
  if (next % 3 != 0) to[start + where[start + t]] = next;
  if (value & 4) low[start + size - 1 - where[start + t]] = (unsigned char)(value + next);
}

int main(int, char **arguments) {
  dim3 block(atoi(arguments[1]), atoi(arguments[2]), atoi(arguments[3]));
  int size = block.x * block.y * block.z, blocks = 3, n = size * blocks;
  std::vector<int> from(n), to(n, -1), wanted(n, -1);
  std::vector<short> where(n);
  std::vector<unsigned char> low(n, 9), wanted_low(n, 9);
  for (int i = 0; i < n; ++i) {
    from[i] = (i * 7919) % 1009;
    where[i] = short((i % size * 17 + 5) % size);  // a permutation: 17 divides no size that is tried
  }
  for (int b = 0; b < blocks; ++b) {
    auto value = [&](int t) { return from[b * size + where[b * size + t]]; };
    for (int t = 0; t < size; ++t) {
      int next = value((t ^ 1) < size ? t ^ 1 : t), place = where[b * size + t];
      if (next % 3 != 0) wanted[b * size + place] = next;
      if (value(t) & 4) wanted_low[b * size + size - 1 - place] = (unsigned char)(value(t) + next);
    }
  }
  int *d_from, *d_to;
  short *d_where;
  unsigned char *d_low;
  cudaMalloc(&d_from, n * 4);
  cudaMalloc(&d_to, n * 4);
  cudaMalloc(&d_where, n * 2);
  cudaMalloc(&d_low, n);
  cudaMemcpy(d_from, from.data(), n * 4, cudaMemcpyHostToDevice);
  cudaMemcpy(d_to, to.data(), n * 4, cudaMemcpyHostToDevice);
  cudaMemcpy(d_where, where.data(), n * 2, cudaMemcpyHostToDevice);
  cudaMemcpy(d_low, low.data(), n, cudaMemcpyHostToDevice);
  permute<<<blocks, block>>>(d_from, d_where, d_to, d_low);
  cudaMemcpy(to.data(), d_to, n * 4, cudaMemcpyDeviceToHost);
  cudaMemcpy(low.data(), d_low, n, cudaMemcpyDeviceToHost);
  std::printf("%s\n", to == wanted && low == wanted_low ? "same" : "differ");
}
