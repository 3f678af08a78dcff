// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// feature: Language / templates
// Kernels templated on types, values, packs and policies; specialisations; explicit instantiations.
#include "check.h"

template <typename T, int kFactor, bool kNegate = false>
__global__ void scale(T *data, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  if constexpr (kNegate)
    data[i] = -data[i] * kFactor;
  else
    data[i] = data[i] * kFactor;
}

template <>
__global__ void scale<int, 1, true>(int *data, int n) {
  if (threadIdx.x < n) data[threadIdx.x] = 12345;
}

template <typename... Ts>
__host__ __device__ int sum_of(Ts... values) {
  return (0 + ... + static_cast<int>(values));
}

template <typename... Ts>
__global__ void sum_pack(int *output, Ts... values) {
  *output = sum_of(values...) * 100 + static_cast<int>(sizeof...(Ts));
}

template <template <typename> class Policy, typename T>
__global__ void apply(T *data) {
  data[threadIdx.x] = Policy<T>::of(data[threadIdx.x]);
}

template <typename T>
struct Cube {
  static __device__ T of(T x) { return x * x * x; }
};

template __global__ void scale<short, 4, false>(short *, int);

template <typename T, int kFactor, bool kNegate>
void test(const char *name) {
  std::vector<T> data(20);
  for (int i = 0; i < 20; ++i) data[i] = static_cast<T>(i + 1);
  T *device = upload(data);
  scale<T, kFactor, kNegate><<<2, 16>>>(device, 20);
  for (T &value : data) value = static_cast<T>(kNegate ? -value * kFactor : value * kFactor);
  compare(name, data, download(device, 20));
}

int main() {
  test<int, 3, false>("int 3");
  test<float, -2, true>("float -2 negated");
  test<short, 4, false>("short 4");
  int *ints = device_zeros<int>(8);
  scale<int, 1, true><<<1, 8>>>(ints, 5);
  compare("specialised", std::vector<int>{12345, 12345, 12345, 12345, 12345, 0, 0, 0}, download(ints, 8));
  sum_pack<<<1, 1>>>(ints, 1, 2.5, 'c', 4ll, 5.0f);
  report("pack", sum_of(1, 2.5, 'c', 4ll, 5.0f) * 100 + 5, download(ints, 1)[0]);
  sum_pack<<<1, 1>>>(ints);
  report("empty pack", 0, download(ints, 1)[0]);
  double *doubles = upload(std::vector<double>{1, 2, 3, 4});
  apply<Cube><<<1, 4>>>(doubles);
  compare("policy", std::vector<double>{1, 8, 27, 64}, download(doubles, 4));
  return 0;
}
