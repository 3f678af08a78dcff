// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// feature: Language / lambdas
// Device and host-device lambdas that capture by value, passed to template kernels, also inside other device lambdas.
// flags: --extended-lambda
#include "check.h"

template <typename F>
__global__ void for_each(int n, F f) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) f(i);
}

template <typename F>
__global__ void transform(const int *input, int *output, int n, F f) {
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += blockDim.x * gridDim.x) output[i] = f(input[i]);
}

struct Pair {
  int first, second;
};

struct Scaler {
  int factor;
  void run(int *data, int n) const {
    int by = factor;
    for_each<<<(n + 31) / 32, 32>>>(n, [=] __device__(int i) { data[i] *= by; });
  }
};

int main() {
  const int n = 100;
  std::vector<int> input = random_ints(n, 1000), want(n);
  int *device_input = upload(input), *output = device_zeros<int>(n);

  int offset = 7;
  double scale = 0.5;
  long long big = 1ll << 33;
  for (int i = 0; i < n; ++i) want[i] = static_cast<int>(input[i] * scale) + offset + static_cast<int>(big >> 30);
  for_each<<<4, 32>>>(n, [=] __device__(int i) {
    output[i] = static_cast<int>(device_input[i] * scale) + offset + static_cast<int>(big >> 30);
  });
  compare("device lambda", want, download(output, n));

  auto collatz = [offset] __host__ __device__(int x) { return x % 2 == 0 ? x / 2 : 3 * x + offset; };
  static_assert(__nv_is_extended_host_device_lambda_closure_type(decltype(collatz)), "an extended lambda");
  static_assert(!__nv_is_extended_host_device_lambda_closure_type(Scaler), "no lambda");
  for (int i = 0; i < n; ++i) want[i] = collatz(input[i]);
  transform<<<2, 24>>>(device_input, output, n, collatz);
  compare("host device lambda", want, download(output, n));

  Pair pair{3, 4};
  for (int i = 0; i < n; ++i) want[i] = (input[i] + 3) * 4;
  transform<<<2, 24>>>(device_input, output, n, [=] __device__(int x) {
    auto inner = [&](int y) { return y * pair.second; };
    return inner(x + pair.first);
  });
  compare("nested lambda", want, download(output, n));

  Scaler{9}.run(output, n);
  for (int &value : want) value *= 9;
  compare("in a method", want, download(output, n));
  return 0;
}
