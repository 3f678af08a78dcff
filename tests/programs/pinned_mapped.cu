// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// feature: Memory / pinned and mapped memory
// Pinned, registered and mapped host memory: kernels reach it by the device pointer, copies work both ways.
#include "check.h"

__global__ void negate(int *data) { data[threadIdx.x] = -data[threadIdx.x]; }

int main() {
  const int n = 48, size = n * sizeof(int);
  int *mapped = nullptr, *device_view = nullptr;
  CHECK(cudaSetDeviceFlags(cudaDeviceMapHost));
  CHECK(cudaHostAlloc(&mapped, size, cudaHostAllocMapped | cudaHostAllocPortable));
  for (int i = 0; i < n; ++i) mapped[i] = i;
  CHECK(cudaHostGetDevicePointer(&device_view, mapped, 0));
  negate<<<1, n>>>(device_view);
  finish();
  std::vector<int> want(n);
  for (int i = 0; i < n; ++i) want[i] = -i;
  compare("mapped", want, std::vector<int>(mapped, mapped + n));
  unsigned flags = 0;
  CHECK(cudaHostGetFlags(&flags, mapped));
  std::printf("mapped flag %s\n", flags & cudaHostAllocMapped ? "set" : "clear");

  std::vector<int> ordinary(n, 5);
  CHECK(cudaHostRegister(ordinary.data(), size, cudaHostRegisterMapped));
  CHECK(cudaHostGetDevicePointer(&device_view, ordinary.data(), 0));
  negate<<<1, n>>>(device_view);
  finish();
  compare("registered", std::vector<int>(n, -5), ordinary);
  CHECK(cudaHostUnregister(ordinary.data()));

  int *device = device_zeros<int>(n);
  CHECK(cudaMemcpy(device, mapped, size, cudaMemcpyDefault));
  compare("copied", want, download(device, n));
  CHECK(cudaFreeHost(mapped));
  CHECK(cudaFreeHost(nullptr));
  return 0;
}
