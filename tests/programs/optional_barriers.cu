// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// feature: Barriers / barriers that the launch may do without
// Sums by warps, by columns of a block, by the whole block: the launch says which, and barriers stand in what it may do
// without; one within another, and one around a loop.
#include <cstdio>

struct Kind {
  int lanes, columns, last, halve;  // who works together
  int end, step;
};

__global__ void sums(Kind kind, const int *in, int *out) {
  __shared__ int shared[256];
  const int here = threadIdx.x + threadIdx.y * blockDim.x, first = blockIdx.x * 1000;
  unsigned sum = 1;
  for (int i = threadIdx.x * kind.lanes + threadIdx.y * kind.columns; i < kind.end; i += kind.step)
    sum = sum * 3 + in[first + i];
  if (kind.columns) {
    shared[here] = sum;
    for (int o = blockDim.y / 2; o > 0; o /= 2) {
      __syncthreads();
      if (threadIdx.y < o) {
        sum += shared[here + o * blockDim.x];
        shared[here] = sum;
      }
    }
    if (kind.halve) {
      __syncthreads();
      sum += shared[here / 2];
      __syncthreads();
    }
  }
  if (kind.lanes)
    for (int o = 16; o > 0; o /= 2) sum += __shfl_down_sync(0xffffffffu, sum, o);
  if (kind.last) {
    __syncthreads();
    shared[here] = sum;
    __syncthreads();
    if (here == 0)
      for (int i = 1; i < blockDim.x * blockDim.y; i++) sum = sum * 7 + shared[i];
    __syncthreads();
  }
  if (kind.lanes == 0 || threadIdx.x == 0) out[here + blockIdx.x * 256] = sum;
}

static int in[4000], out[1024], *d_in, *d_out;

int main() {
  for (int i = 0; i < 4000; i++) in[i] = (i * 7919) % 1009 - 500;
  cudaMalloc(&d_in, sizeof in);
  cudaMalloc(&d_out, sizeof out);
  cudaMemcpy(d_in, in, sizeof in, cudaMemcpyHostToDevice);
  for (const dim3 block : {dim3(32, 8), dim3(32), dim3(16, 4), dim3(64, 4)}) {
    unsigned total = 2166136261u;
    for (const int lanes : {0, 1, 2})
      for (const int columns : {0, 1, 16})
        for (const int last : {0, 1})
          for (const int halve : {0, 1})
            for (const int end : {0, 5, 300}) {
              cudaMemset(d_out, 0, sizeof out);
              sums<<<4, block>>>(Kind{lanes, columns, last, halve, end, 32}, d_in, d_out);
              cudaMemcpy(out, d_out, sizeof out, cudaMemcpyDeviceToHost);
              for (const int each : out) total = (total ^ (unsigned)each) * 16777619u;
            }
    printf("blocks of %u x %u: %08x\n", block.x, block.y, total);
  }
}
