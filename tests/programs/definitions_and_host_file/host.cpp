// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "host.h"

std::vector<int> make_numbers(int count) {
  std::vector<int> numbers;
  for (int i = 0; i < count; ++i) numbers.push_back(host_device_scale(i));
  return numbers;
}

const char *host_says() {
#ifdef __CUDACC__
  return "host file seen as CUDA";
#else
  int devices = 0;
  return cudaGetDeviceCount(&devices) == cudaSuccess && devices > 0 ? "host file sees a device" : "no device";
#endif
}
