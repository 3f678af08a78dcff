// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// feature: Algorithms / saxpy
// y = a*x + y over float, double, int and long long, with a tail block that is only partly in range.
#include "check.h"

template <typename T>
__global__ void saxpy(int n, T a, const T *x, T *y) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) y[i] = a * x[i] + y[i];
}

template <typename T>
void test(const char *name, int n, T a) {
  std::vector<T> x(n), y(n), want(n);
  for (int i = 0; i < n; ++i) {
    x[i] = static_cast<T>(i % 97);
    y[i] = static_cast<T>(i % 31 - 15);
    want[i] = a * x[i] + y[i];
  }
  T *device_x = upload(x), *device_y = upload(y);
  saxpy<<<(n + 127) / 128, 128>>>(n, a, device_x, device_y);
  compare(name, want, download(device_y, n));
  CHECK(cudaFree(device_x));
  CHECK(cudaFree(device_y));
}

int main() {
  test<float>("float", 1000, 2.5f);
  test<double>("double", 1, -0.25);
  test<int>("int", 128, -7);
  test<long long>("long long", 4097, 1LL << 40);
  test<unsigned char>("unsigned char", 300, 3);
  return 0;
}
