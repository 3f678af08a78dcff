// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// feature: Language / functions that only one of their declarations makes `__host__ __device__`
#include <cstdio>

template <class T>
__host__ __device__ T twice(T v);
template <class T>
inline T twice(T v) {
  return v + v;
}

__host__ __device__ const int *thrice(const int &v);
inline const int *thrice(const int &v) { return &v; }

struct S {
  __host__ __device__ S();
  __host__ __device__ int f(int) const;
  __host__ __device__ bool operator==(const S &) const;
  __host__ __device__ operator int() const;
  int late(int) const;
};
S::S() {}
int S::f(int v) const { return v + 1; }
bool S::operator==(const S &) const { return true; }
S::operator int() const { return 5; }
__host__ __device__ int S::late(int v) const { return v + 3; }

template <class T>
struct V {
  __host__ __device__ T g(T) const;
};
template <class T>
T V<T>::g(T v) const {
  return v + 2;
}

__host__ __device__ int all() {
  const S s;
  return twice(4) + *thrice(1) + s.f(1) + V<int>{}.g(2) + s.late(1) + int(s) + (s == S{});
}

__global__ void write(int *out) { *out = all(); }

int main() {
  int *out;
  cudaMallocManaged(&out, sizeof *out);
  write<<<1, 1>>>(out);
  cudaDeviceSynchronize();
  printf("%d %d\n", *out, all());
  cudaFree(out);
}
