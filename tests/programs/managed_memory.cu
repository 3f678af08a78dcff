// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// feature: Memory / managed memory
// __managed__ variables and cudaMallocManaged memory, written and read in turn by the host and by kernels.
#include "check.h"

__managed__ int total = 10;
__managed__ double values[32];
struct Box {
  int count;
  int *items;
};
__device__ __managed__ Box box;

__global__ void work(int *data, int n) {
  int i = threadIdx.x;
  if (i < n) {
    data[i] += i;
    atomicAdd(&total, data[i]);
  }
  values[i] *= 2;
  if (i < box.count) box.items[i] = -box.items[i];
}

int main() {
  const int n = 20;
  int *data = nullptr, *items = nullptr;
  CHECK(cudaMallocManaged(&data, n * sizeof(int)));
  CHECK(cudaMallocManaged(&items, 4 * sizeof(int), cudaMemAttachGlobal));
  for (int i = 0; i < n; ++i) data[i] = 100;
  for (int i = 0; i < 32; ++i) values[i] = i / 2.0;
  for (int i = 0; i < 4; ++i) items[i] = i + 1;
  box = Box{4, items};
  int want_total = total;
  for (int round = 1; round <= 2; ++round) {
    work<<<1, 32>>>(data, n);
    finish();
    for (int i = 0; i < n; ++i) want_total += 100 + round * i;
    report("total", want_total, total);
    report("data", 100 + round * 7, data[7]);
    report_near("value", 31 / 2.0 * (1 << round), values[31], 0);
    report("item", round == 1 ? -4 : 4, items[3]);
  }
  total = 0;
  CHECK(cudaMemset(data, 0, n * sizeof(int)));
  work<<<1, 32>>>(data, n);
  finish();
  report("total", n * (n - 1) / 2, total);
  CHECK(cudaFree(data));
  CHECK(cudaFree(items));
  return 0;
}
