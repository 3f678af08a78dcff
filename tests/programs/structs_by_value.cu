// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// feature: Language / structs that device functions take by value, read by an index
#include <cstdio>

struct Layout {
  int dims;
  unsigned size[12], step[12];
  __device__ unsigned at(unsigned index) const {
    unsigned offset = 0;
    for (int d = 0; d < 12; ++d) {
      if (d == dims) break;
      offset += index % size[d] * step[d];
      index /= size[d];
    }
    return offset;
  }
};

struct Body {
  int *out;
  const int *in;
  Layout layout;
};

__device__ int get(const int *data, Layout layout, unsigned i) { return data[layout.at(i)]; }
__device__ int get_through(const int *data, Layout layout, unsigned i) { return get(data, layout, i) + 1; }

// The function's own copy is written to, and the parameter is not.
__device__ int get_turned(const int *data, Layout layout, unsigned i) {
  layout.step[i % 3] += 1;
  return data[layout.at(i) % 60];
}

__device__ __noinline__ int sum(const unsigned *numbers, int count) {
  int total = 0;
  for (int i = 0; i < count; ++i) total += numbers[i];
  return total;
}

// Its address goes to a function.
__device__ int get_sum(Layout layout, unsigned i) { return sum(layout.size, 3) + layout.step[i % 3]; }

__global__ void transpose(int n, Body body) {
  unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) body.out[i] = get_through(body.in, body.layout, i);
}

__global__ void turned(int n, Body body) {
  unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) body.out[i] = get_turned(body.in, body.layout, i) + 1000 * get(body.in, body.layout, i);
}

__global__ void summed(int n, Body body) {
  unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) body.out[i] = get_sum(body.layout, i);
}

// Each thread changes the parameter itself, which is its own.
__global__ void changed(int n, Body body) {
  unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
  body.layout.step[1] = i % 2;
  if (i < n) body.out[i] = get(body.in, body.layout, i);
}

int main() {
  const int n = 60;
  int *in, *out;
  cudaMallocManaged(&in, n * sizeof(int));
  cudaMallocManaged(&out, n * sizeof(int));
  for (int i = 0; i < n; ++i) in[i] = i * i % 101;
  Body body{out, in, {3, {3, 4, 5}, {20, 1, 4}}};
  void (*kernels[])(int, Body) = {transpose, turned, summed, changed};
  for (auto kernel : kernels) {
    for (int block : {32, 7}) {
      kernel<<<(n + block - 1) / block, block>>>(n, body);
      cudaDeviceSynchronize();
      unsigned hash = 0;
      for (int i = 0; i < n; ++i) hash = hash * 31 + out[i];
      printf("%d %d %d %u\n", out[0], out[17], out[59], hash);
    }
  }
}
