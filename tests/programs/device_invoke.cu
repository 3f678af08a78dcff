// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// feature: Language / std::apply and std::invoke of device functions
// Functors and lambdas that only the device may call, members, tuples, pairs and arrays; the host's own beside them.
// flags: -std=c++20 --extended-lambda --expt-relaxed-constexpr
#include <array>
#include <cstdio>
#include <functional>
#include <tuple>
#include <utility>

struct Add {
  __device__ float operator()(float a, float b) const { return a + b; }
};
struct Subtract {
  __host__ __device__ float operator()(float a, float b) const { return a - b; }
};
struct Line {
  float slope, start;
  __host__ __device__ float at(float x) const { return slope * x + start; }
};

template <typename F>
__global__ void apply_to_all(F f, float *p) {
  const std::tuple<float, float> both(p[threadIdx.x], 2.f);
  p[threadIdx.x] = std::apply(f, both);
  const std::array<float, 2> row{p[threadIdx.x], 1.f};
  p[threadIdx.x] = std::apply(f, row) + std::apply(f, std::pair<float, float>(1.f, 2.f));
}

template <typename F>
__host__ __device__ float with_two(F f, float x) {
  return std::invoke(f, x, 2.f);
}

template <typename F>
__global__ void invoke_all(F add, float *p) {
  p[threadIdx.x] = std::invoke(add, p[threadIdx.x], 2.f);
  p[threadIdx.x] = with_two(Subtract(), p[threadIdx.x]);
  const Line line{p[threadIdx.x], 1.f};
  p[threadIdx.x] = std::invoke(&Line::at, line, 2.f) + std::invoke(&Line::slope, &line);
  float sum = 0;
  std::apply([&](auto... each) { ((sum += each), ...); }, std::make_tuple(1, 2.5f));
  p[threadIdx.x] += sum;
}

int main() {
  float *p;
  cudaMallocManaged(&p, 32 * sizeof(float));
  for (int i = 0; i < 32; ++i) p[i] = i;
  apply_to_all<<<1, 32>>>(Add(), p);
  apply_to_all<<<1, 32>>>([] __device__(float a, float b) { return a * b; }, p);
  apply_to_all<<<1, 32>>>(Subtract(), p);
  invoke_all<<<1, 32>>>(Add(), p);
  printf("%s\n", cudaGetErrorName(cudaDeviceSynchronize()));
  for (int i = 0; i < 32; i += 10) printf("%g ", p[i]);
  const Line line{3.f, 1.f};
  printf("\n%g %g %g\n", with_two(Subtract(), 5.f), std::apply(Subtract(), std::make_pair(1.f, 5.f)),
         std::invoke(&Line::at, line, 2.f));
  return 0;
}
