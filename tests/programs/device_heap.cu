// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// feature: Language / malloc, free, new, delete in kernels
// Device malloc and free, new and delete, arrays with constructors; blocks pass memory from one kernel to the next.
#include "check.h"

struct Counted {
  int value;
  __device__ Counted() : value(7) {}
};

struct List {
  int value;
  List *next;
};

__global__ void use_own(int *output) {
  int n = threadIdx.x % 7 + 1, sum = 0;
  int *cells = static_cast<int *>(malloc(n * sizeof(int)));
  if (cells == nullptr) return;
  for (int i = 0; i < n; ++i) cells[i] = i * threadIdx.x;
  for (int i = 0; i < n; ++i) sum += cells[i];
  free(cells);
  Counted *objects = new Counted[n];
  for (int i = 0; i < n; ++i) sum += objects[i].value;
  delete[] objects;
  free(nullptr);
  output[threadIdx.x] = sum;
}

__global__ void build(List **heads) {
  for (int i = 0; i < 10; ++i) heads[threadIdx.x] = new List{i + static_cast<int>(threadIdx.x), heads[threadIdx.x]};
}

__global__ void consume(List **heads, int *output) {
  int sum = 0, position = 1;
  for (List *node = heads[threadIdx.x]; node != nullptr;) {
    List *next = node->next;
    sum += node->value * position++;
    delete node;
    node = next;
  }
  output[threadIdx.x] = sum;
}

__global__ void share(int *output) {
  __shared__ int *cells;
  if (threadIdx.x == 0) cells = static_cast<int *>(malloc(blockDim.x * sizeof(int)));
  __syncthreads();
  cells[threadIdx.x] = threadIdx.x * blockIdx.x;
  __syncthreads();
  output[blockIdx.x * blockDim.x + threadIdx.x] = cells[blockDim.x - 1 - threadIdx.x];
  __syncthreads();
  if (threadIdx.x == 0) free(cells);
}

int main() {
  CHECK(cudaDeviceSetLimit(cudaLimitMallocHeapSize, 16 << 20));
  const int n = 60;
  std::vector<int> want(n, 0);
  for (int t = 0; t < n; ++t)
    for (int i = 0; i < t % 7 + 1; ++i) want[t] += i * t + 7;
  int *output = device_zeros<int>(n);
  use_own<<<1, n>>>(output);
  compare("own", want, download(output, n));
  List **heads = device_zeros<List *>(n);
  build<<<1, n>>>(heads);
  consume<<<1, n>>>(heads, output);
  for (int t = 0; t < n; ++t) {
    want[t] = 0;
    for (int i = 9, position = 1; i >= 0; --i) want[t] += (i + t) * position++;
  }
  compare("lists", want, download(output, n));
  share<<<3, 20>>>(output);
  for (int i = 0; i < n; ++i) want[i] = (19 - i % 20) * (i / 20);
  compare("shared by a block", want, download(output, n));
  return 0;
}
