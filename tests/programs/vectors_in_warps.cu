// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// feature: Warps / shuffles of what threads compute from vectors, in nested loops, with fences
// Threads that hold float2 and exchange parts of it in loops around shuffles, with fences between, in blocks of several
// shapes; and instances of a template that are the same code. Every number is a small integer, so all sums are exact.
#include <cstdio>

constexpr int TILES = 8;

__device__ float along_8(float value) {
  for (int distance = 4; distance > 0; distance /= 2) value += __shfl_xor_sync(__activemask(), value, distance, 8);
  return value;
}

__global__ void tiles(const float2 *in, float2 *out) {
  int i = threadIdx.x + blockDim.x * (threadIdx.y + blockDim.y * threadIdx.z);
  float2 mine = in[i];
  float sums[TILES];
#pragma unroll
  for (int j = 0; j < TILES; ++j) {
    float2 turned = make_float2(mine.y * j, mine.x);
    sums[j] = along_8(turned.x + turned.y);
    asm volatile("" ::: "memory");
    __threadfence_block();
  }
  float2 result = make_float2(0, 0);
#pragma unroll
  for (int j = 0; j < TILES; ++j) {
    result.x += sums[j];
    result.y = sums[j] - result.y;
  }
  out[i] = result;
}

template <int N>
__global__ void scale(int *numbers) {
  numbers[threadIdx.x] *= N / 2;
}

float2 expected(const float2 *in, int i) {
  float2 result = make_float2(0, 0);
  for (int j = 0; j < TILES; ++j) {
    float sum = 0;
    for (int k = i / 8 * 8; k < i / 8 * 8 + 8; ++k) sum += in[k].y * j + in[k].x;
    result.x += sum;
    result.y = sum - result.y;
  }
  return result;
}

int main() {
  float2 *in, *out;
  cudaMallocManaged(&in, 128 * sizeof(float2));
  cudaMallocManaged(&out, 128 * sizeof(float2));
  for (int i = 0; i < 128; ++i) in[i] = make_float2(i % 13, i % 7 - 3);
  const dim3 shapes[] = {dim3(8, 1, 8), dim3(32, 4, 1), dim3(40, 1, 1), dim3(16, 3, 1)};
  for (dim3 shape : shapes) {
    int threads = shape.x * shape.y * shape.z, wrong = 0;
    tiles<<<1, shape>>>(in, out);
    cudaDeviceSynchronize();
    for (int i = 0; i < threads; ++i) {
      float2 wanted = expected(in, i);
      wrong += out[i].x != wanted.x || out[i].y != wanted.y;
    }
    printf("%u x %u x %u: %d wrong\n", shape.x, shape.y, shape.z, wrong);
  }
  int *numbers;
  cudaMallocManaged(&numbers, 4 * sizeof(int));
  for (int i = 0; i < 4; ++i) numbers[i] = i + 1;
  scale<4><<<1, 4>>>(numbers);
  scale<5><<<1, 4>>>(numbers);
  scale<6><<<1, 4>>>(numbers);
  cudaDeviceSynchronize();
  printf("%d %d %d %d\n", numbers[0], numbers[1], numbers[2], numbers[3]);
  return 0;
}
