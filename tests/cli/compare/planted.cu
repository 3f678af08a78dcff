// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Kernels that the two engines are given different sources of: -DREFERENCE is set for one of them.
#include <cstdio>
#include <cstdlib>
#include <cstring>

#ifdef REFERENCE
constexpr bool kReference = true;
#else
constexpr bool kReference = false;
#endif

__device__ int table[8] = {1, 2, 3};

__device__ int self() { return blockIdx.x * blockDim.x + threadIdx.x; }

__global__ void alike(float *out, int n) {
  if (self() < n) out[self()] = sqrtf(self());
  if (self() == 0) printf("printed %d\n", ++table[0]);
}
__global__ void one_int(int *out, int n) {
  if (self() < n) out[self()] = self() * 3 + (kReference && self() == 77);
}
__global__ void one_double(double *out, int n) {
  if (self() < n) out[self()] = sqrt(double(self())) + (kReference && self() == 500 ? 1e-9 : 0);
}
__global__ void last_digits(float *out, int n) {
  if (self() < n) out[self()] = (sqrtf(self()) + 1) * (kReference ? 1.0000003f : 1);
}
__global__ void variable() { table[threadIdx.x] += 1 + (kReference && threadIdx.x == 5); }
// Entries of a queue come in some order.
__global__ void queue(int *entries, int n) {
  if (self() < n && self() % 3) entries[1 + atomicAdd(entries, 1)] = self();
}
// Two blocks store to one place; the second one's value stays if they run by index.
__global__ void two_blocks(int *out, int n) {
  if (threadIdx.x == 0 && blockIdx.x < 2) out[n - 1] = kReference ? blockIdx.x : 0;
}
// One entry elsewhere does not depend on it.
__global__ void queue_and_sum(int *entries, int n) {
  if (self() < n && self() % 3) entries[1 + atomicAdd(entries, 1)] = self();
  atomicAdd(&table[7], 1 + (kReference && self() == 9));
}
// The last digits of a small difference of large numbers, then a decision on it.
__global__ void cancelled(float *out, int n) {
  const float x = 1.1f * self(), y = x * 3.3f + 0.7f, z = y * (kReference ? 1.0000001f : 1);
  if (self() < n) out[self()] = z - 3.63f * self() - 0.7f;
}
__device__ float whole(int i) { return floorf(0.1f * i * 10.0f * (kReference ? 0.9999999f : 1)); }
__global__ void decided(float *out, int n) {
  if (self() < n) out[self()] = whole(self());
}
__global__ void decided_wrong(float *out, int n) {
  if (self() < n) out[self()] = whole(self()) + (kReference && self() == 3 ? 50 : 0);
}
__global__ void only_one_faults(int *out, int) {
  if (kReference) *reinterpret_cast<int *>(8) = 1;
  *out = 1;
}
__global__ void makes_nodes(int **nodes, int) {
  nodes[threadIdx.x] = static_cast<int *>(malloc(sizeof(int)));
  *nodes[threadIdx.x] = threadIdx.x;
}
__global__ void reads_nodes(int **nodes, int) { *nodes[threadIdx.x] += 1 + kReference; }
__global__ void half_as_long(unsigned char *out, int n) {
  if (self() < n / (kReference ? 2 : 1)) out[self()] = 200;
}

int main(int, char **words) {
  constexpr int n = 1000;
  void *memory;
  cudaMalloc(&memory, 8 * n);
  cudaMemset(memory, 0, 8 * n);
  const auto is = [&](const char *name) { return std::strcmp(words[1], name) == 0; };
  if (is("alike"))
    for (int i = 0; i < 3; ++i) alike<<<4, 256>>>(static_cast<float *>(memory), n);
  if (is("one_int"))
    for (int i = 0; i < 3; ++i) one_int<<<4, 256>>>(static_cast<int *>(memory), n);
  if (is("one_double")) one_double<<<4, 256>>>(static_cast<double *>(memory), n);
  if (is("last_digits")) last_digits<<<4, 256>>>(static_cast<float *>(memory), n);
  if (is("variable")) variable<<<1, 8>>>();
  if (is("queue")) queue<<<4, 256>>>(static_cast<int *>(memory), n);
  if (is("two_blocks")) two_blocks<<<2, 32>>>(static_cast<int *>(memory), n);
  if (is("queue_and_sum")) queue_and_sum<<<4, 256>>>(static_cast<int *>(memory), n);
  if (is("cancelled")) cancelled<<<4, 256>>>(static_cast<float *>(memory), n);
  if (is("decided")) decided<<<4, 256>>>(static_cast<float *>(memory), n);
  if (is("decided_wrong")) decided_wrong<<<4, 256>>>(static_cast<float *>(memory), n);
  if (is("only_one_faults")) only_one_faults<<<1, 1>>>(static_cast<int *>(memory), n);
  if (is("nodes")) {
    makes_nodes<<<1, 32>>>(static_cast<int **>(memory), n);
    reads_nodes<<<1, 32>>>(static_cast<int **>(memory), n);
  }
  if (is("half_as_long")) half_as_long<<<4, 256>>>(static_cast<unsigned char *>(memory), n);
  const cudaError_t error = cudaDeviceSynchronize();
  std::printf("%s\n", cudaGetErrorName(error));
  std::exit(words[2] ? 3 : 0);
}
