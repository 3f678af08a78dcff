// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// feature: Memory / shared memory that a block leaves
// What a block leaves in shared memory is lost; what any function reads of it before is not.
#include <cstdio>

const int kThreads = 64, kBlocks = 5;

// A tree whose stores are all read in registers.
__global__ void tree(const int *in, int *out) {
  __shared__ int cells[kThreads];
  const int t = threadIdx.x;
  cells[t] = in[blockIdx.x * kThreads + t];
  __syncthreads();
  for (int half = kThreads / 2; half > 0; half /= 2) {
    if (t < half) cells[t] += cells[t + half];
    __syncthreads();
  }
  if (t == 0) out[blockIdx.x] = cells[0];
}

__device__ __noinline__ int sum_of(const int *cells, int count) {
  int sum = 0;
  for (int i = 0; i < count; ++i) sum += cells[i];
  return sum;
}

// The address leaves the kernel.
__global__ void called(const int *in, int *out) {
  __shared__ int cells[kThreads];
  cells[threadIdx.x] = in[blockIdx.x * kThreads + threadIdx.x] * 2;
  __syncthreads();
  if (threadIdx.x == 0) out[blockIdx.x] = sum_of(cells, kThreads);
}

extern __shared__ int open_cells[];

__device__ __noinline__ int open_sum(int count) {
  int sum = 0;
  for (int i = 0; i < count; ++i) sum += open_cells[i];
  return sum;
}

// A function has its own way to the same bytes.
__global__ void dynamic(const int *in, int *out) {
  open_cells[threadIdx.x] = in[blockIdx.x * kThreads + threadIdx.x] * 3;
  __syncthreads();
  if (threadIdx.x == 0) out[blockIdx.x] = open_sum(kThreads);
}

// The address lies in memory, and in shared memory itself.
__global__ void kept(const int *in, int *out) {
  __shared__ int cells[kThreads];
  __shared__ const int *where;
  cells[threadIdx.x] = in[blockIdx.x * kThreads + threadIdx.x] * 5;
  if (threadIdx.x == 7) where = cells + 8;
  __syncthreads();
  const int *chosen = threadIdx.x & 1 ? where : cells;
  atomicAdd(&out[blockIdx.x], chosen[threadIdx.x & 7]);
}

// Some threads write, others read what they wrote two rounds before.
__global__ void rounds(const int *in, int *out, int count) {
  __shared__ int cells[2][kThreads + 1];
  const int t = threadIdx.x;
  cells[0][t] = in[blockIdx.x * kThreads + t];
  cells[1][t] = -1;
  __syncthreads();
  for (int round = 0; round < count; ++round) {
    if (t % 3 != round % 3) cells[(round + 1) & 1][t] = cells[round & 1][(t * 7 + round) % kThreads] + 1;
    __syncthreads();
  }
  atomicAdd(&out[blockIdx.x], cells[count & 1][t] * (t + 1));
}

// An integer is the address.
__global__ void number(const int *in, int *out) {
  __shared__ int cells[kThreads];
  cells[threadIdx.x] = in[blockIdx.x * kThreads + threadIdx.x] * 11;
  __syncthreads();
  const size_t at = reinterpret_cast<size_t>(cells) + sizeof(int) * (kThreads - 1 - threadIdx.x);
  atomicAdd(&out[blockIdx.x], *reinterpret_cast<int *>(at) * int(threadIdx.x));
}

int main() {
  int host[kThreads * kBlocks], *in, *out;
  for (int i = 0; i < kThreads * kBlocks; ++i) host[i] = i * 37 % 101 - 40;
  cudaMalloc(&in, sizeof host);
  cudaMalloc(&out, kBlocks * sizeof(int));
  cudaMemcpy(in, host, sizeof host, cudaMemcpyHostToDevice);
  const char *names[] = {"tree", "called", "dynamic", "kept", "rounds", "number"};
  for (int which = 0; which < 6; ++which) {
    cudaMemset(out, 0, kBlocks * sizeof(int));
    if (which == 0) tree<<<kBlocks, kThreads>>>(in, out);
    if (which == 1) called<<<kBlocks, kThreads>>>(in, out);
    if (which == 2) dynamic<<<kBlocks, kThreads, kThreads * sizeof(int)>>>(in, out);
    if (which == 3) kept<<<kBlocks, kThreads>>>(in, out);
    if (which == 4) rounds<<<kBlocks, kThreads>>>(in, out, 9);
    if (which == 5) number<<<kBlocks, kThreads>>>(in, out);
    int sums[kBlocks];
    cudaMemcpy(sums, out, sizeof sums, cudaMemcpyDeviceToHost);
    printf("%s:", names[which]);
    for (int sum : sums) printf(" %d", sum);
    printf("\n");
  }
  return cudaGetLastError();
}
