// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Launches of 2^31 threads and more: numbers of 64 bits, of 32 bits that do and do not wrap, blocks of a plane; nearly
// all blocks leave at once.
#include <cstdio>

using Wide = unsigned long long;

__global__ void in_64_bits(Wide *out, Wide from) {
  Wide i = blockIdx.x * static_cast<Wide>(blockDim.x) + threadIdx.x;
  if (i >= from) out[i - from] = i;
}

__global__ void in_32_bits(unsigned *out, unsigned from) {
  unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= from) atomicAdd(&out[i - from], i);
}

__global__ void four_each(unsigned *out, unsigned from) {
  if (blockIdx.x < from) return;
  for (int k = 0; k < 4; ++k) out[blockIdx.x * 4096 + threadIdx.x + 1024 * k] = k + 1;
}

__global__ void of_a_plane(Wide *out, unsigned wanted) {
  unsigned block = blockIdx.x + gridDim.x * blockIdx.y;
  if (block == wanted) out[threadIdx.x] = block * blockDim.x + threadIdx.x;
}

__global__ void with_barriers(Wide *out, Wide wanted) {
  __shared__ Wide row[256];
  Wide i = blockIdx.x * static_cast<Wide>(256) + threadIdx.x;
  if (blockIdx.x < wanted) return;
  row[threadIdx.x] = i;
  __syncthreads();
  out[threadIdx.x] = row[255 - threadIdx.x];
}

int main() {
  Wide *wide;
  unsigned *narrow;
  cudaMallocManaged(&wide, 256 * sizeof(Wide));
  cudaMallocManaged(&narrow, 4096 * sizeof(unsigned));
  in_64_bits<<<1 << 22, 1024>>>(wide, (1ULL << 32) - 2);
  cudaError_t error = cudaDeviceSynchronize();
  std::printf("%s %llu %llu\n", cudaGetErrorName(error), wide[0], wide[1]);
  in_64_bits<<<0x7fffffff, 2>>>(wide, 0xfffffffdULL);
  error = cudaDeviceSynchronize();
  std::printf("%s %llu\n", cudaGetErrorName(error), wide[0]);
  in_32_bits<<<(1 << 21) + 1, 1024>>>(narrow, (1U << 31) + 1022);
  error = cudaDeviceSynchronize();
  std::printf("%s %u %u\n", cudaGetErrorName(error), narrow[0], narrow[1]);
  four_each<<<(1 << 20) + 1, 1024>>>(narrow, 1 << 20);
  error = cudaDeviceSynchronize();
  std::printf("%s %u %u\n", cudaGetErrorName(error), narrow[0], narrow[4095]);
  of_a_plane<<<dim3(65536, 33), 1024>>>(wide, 65536 * 33 - 1);
  error = cudaDeviceSynchronize();
  std::printf("%s %llu\n", cudaGetErrorName(error), wide[255]);
  with_barriers<<<(1 << 23) + 2, 256>>>(wide, (1 << 23) + 1);
  error = cudaDeviceSynchronize();
  std::printf("%s %llu %llu\n", cudaGetErrorName(error), wide[0], wide[255]);
}
