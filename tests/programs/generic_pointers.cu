// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// feature: Language / pointers to any memory space
// One device function works through pointers to global, shared, local and constant memory, by pointer and by reference.
#include "check.h"

__constant__ int fixed[16] = {3, 1, 4, 1, 5, 9, 2, 6, 5, 3, 5, 8, 9, 7, 9, 3};
__device__ int global_cells[16];

__device__ __noinline__ int weigh(const int *cells, int count) {
  int sum = 0;
  for (int i = 0; i < count; ++i) sum += cells[i] * (i + 1);
  return sum;
}

__device__ void exchange(int &a, int &b) {
  int old = a;
  a = b;
  b = old;
}

struct Result {
  int sum;
  const int *largest;
};

__device__ Result inspect(const int *cells, int count) {
  Result result{0, cells};
  for (int i = 0; i < count; ++i) {
    result.sum += cells[i];
    if (cells[i] > *result.largest) result.largest = cells + i;
  }
  return result;
}

__global__ void run(const int *input, int *output) {
  __shared__ int shared_cells[16];
  int local[16], i = threadIdx.x;
  for (int k = 0; k < 16; ++k) local[k] = input[k] * (i + 1);
  shared_cells[i] = input[15 - i];
  global_cells[i] = input[i] + 100;
  __syncthreads();
  const int *places[4] = {input, shared_cells, local, fixed};
  int value = weigh(places[i % 4], 16) + weigh(global_cells, 16);
  exchange(local[0], local[15]);
  Result result = inspect(i % 2 ? local : shared_cells, 16);
  int largest = *result.largest;
  __syncthreads();
  if (i < 8) exchange(shared_cells[i], shared_cells[15 - i]);
  __syncthreads();
  output[i] = value + result.sum * 10000 + largest + shared_cells[i] + local[0];
}

int main() {
  std::vector<int> input = random_ints(16, 50), want(16);
  const int pi[16] = {3, 1, 4, 1, 5, 9, 2, 6, 5, 3, 5, 8, 9, 7, 9, 3};
  auto weight = [](const int *cells, int factor) {
    int sum = 0;
    for (int i = 0; i < 16; ++i) sum += cells[i] * factor * (i + 1);
    return sum;
  };
  std::vector<int> reversed(input.rbegin(), input.rend()), more(input);
  int sum = 0, most = 0;
  for (int k = 0; k < 16; ++k) {
    more[k] += 100;
    sum += input[k];
    most = std::max(most, input[k]);
  }
  for (int i = 0; i < 16; ++i) {
    int first = i % 4 == 0   ? weight(input.data(), 1)
                : i % 4 == 1 ? weight(reversed.data(), 1)
                : i % 4 == 2 ? weight(input.data(), i + 1)
                             : weight(pi, 1);
    int scale = i % 2 ? i + 1 : 1;
    want[i] = first + weight(more.data(), 1) + sum * scale * 10000 + most * scale + input[i] + input[15] * (i + 1);
  }
  int *output = device_zeros<int>(16);
  run<<<1, 16>>>(upload(input), output);
  compare("weights", want, download(output, 16));
  return 0;
}
