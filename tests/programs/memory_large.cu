// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// flags: -lcuda
// feature: Memory / copies and fills of megabytes at odd addresses, by several threads
// Copies and fills of megabytes, at odd addresses and of odd sizes, again and again: every byte, and none beside.
#include <cuda.h>

#include <cstdio>
#include <vector>

const size_t kRoom = (5 << 20) + 4096;

static unsigned char pattern(size_t i) { return static_cast<unsigned char>(i * 7 + i / 251); }

__global__ void count(const unsigned char *data, size_t size, unsigned char value, unsigned *found) {
  unsigned mine = 0;
  for (size_t i = blockIdx.x * blockDim.x + threadIdx.x; i < size; i += gridDim.x * blockDim.x)
    mine += data[i] == value;
  atomicAdd(found, mine);
}

static size_t fills(unsigned char *data, unsigned *found) {
  size_t wrong = 0;
  for (const size_t size : {size_t{40'000}, size_t{65'537}, size_t{1 << 20}, size_t{(4 << 20) + 3}}) {
    for (int round = 0; round < 40; ++round) {
      const size_t offset = 1 + 13 * round;
      const unsigned char value = static_cast<unsigned char>(3 + round);
      cudaMemset(data, 0, kRoom);
      cudaMemset(data + offset, value, size);
      cudaMemset(found, 0, sizeof(unsigned));
      count<<<64, 256>>>(data, kRoom, value, found);
      unsigned host = 0;
      unsigned char edges[4];
      cudaMemcpy(&host, found, sizeof host, cudaMemcpyDeviceToHost);
      cudaMemcpy(edges, data + offset - 1, 2, cudaMemcpyDeviceToHost);
      cudaMemcpy(edges + 2, data + offset + size - 1, 2, cudaMemcpyDeviceToHost);
      wrong += host != size || edges[0] != 0 || edges[1] != value || edges[2] != value || edges[3] != 0;
    }
  }
  return wrong;
}

static size_t wide_fills(unsigned char *data) {
  size_t wrong = 0;
  const size_t words = 300'001;
  std::vector<unsigned> host(words + 1);
  for (unsigned round = 0; round < 10; ++round) {
    cuMemsetD32(reinterpret_cast<CUdeviceptr>(data), 0xffffffff, words + 1);
    cuMemsetD32(reinterpret_cast<CUdeviceptr>(data), 0x01020304 + round, words);
    cudaMemcpy(host.data(), data, (words + 1) * 4, cudaMemcpyDeviceToHost);
    for (size_t i = 0; i < words; ++i) wrong += host[i] != 0x01020304 + round;
    wrong += host[words] != 0xffffffff;
    cuMemsetD16(reinterpret_cast<CUdeviceptr>(data), static_cast<unsigned short>(0x506 + round), words);
    cudaMemcpy(host.data(), data, words * 2, cudaMemcpyDeviceToHost);
    const auto *halves = reinterpret_cast<const unsigned short *>(host.data());
    for (size_t i = 0; i < words; ++i) wrong += halves[i] != 0x506 + round;
  }
  return wrong;
}

static size_t copies(unsigned char *data, unsigned char *other) {
  size_t wrong = 0;
  std::vector<unsigned char> from(kRoom), to(kRoom);
  for (size_t i = 0; i < kRoom; ++i) from[i] = pattern(i);
  for (const size_t size : {size_t{40'000}, size_t{70'001}, size_t{(5 << 20) - 1}}) {
    for (size_t round = 0; round < 15; ++round) {
      cudaMemset(data, 0, kRoom);
      cudaMemset(other, 0, kRoom);
      cudaMemcpy(data + 5 + round, from.data() + 3 * round, size, cudaMemcpyHostToDevice);
      cudaMemcpy(other + 1, data + 5 + round, size, cudaMemcpyDeviceToDevice);
      to.assign(kRoom, 1);
      cudaMemcpy(to.data() + round, other, size + 2, cudaMemcpyDeviceToHost);
      for (size_t i = 0; i < size; ++i) wrong += to[round + 1 + i] != pattern(3 * round + i);
      wrong += to[round] != 0 || to[round + size + 1] != 0 || to[round + size + 2] != 1;
    }
  }
  return wrong;
}

int main() {
  unsigned char *data = nullptr, *other = nullptr;
  unsigned *found = nullptr;
  cudaMalloc(&data, kRoom);
  cudaMalloc(&other, kRoom);
  cudaMalloc(&found, sizeof(unsigned));
  printf("fills: %zu wrong\n", fills(data, found));
  printf("wide fills: %zu wrong\n", wide_fills(data));
  printf("copies: %zu wrong\n", copies(data, other));
  printf("%s\n", cudaGetErrorString(cudaDeviceSynchronize()));
  return 0;
}
