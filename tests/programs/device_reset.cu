// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// feature: Devices and errors / a reset after a fault leaves a device to go on with
// unrecorded: CUDA wants a new process after a fault; here a reset will do
#include "check.h"

__global__ void stop(int *data) {
  data[threadIdx.x] = 1;
  if (threadIdx.x == 3) __trap();
}

__global__ void put(int *data) { *data = 42; }

int main() {
  stop<<<1, 8>>>(device_zeros<int>(8));
  std::printf("after trap: %s\n", cudaGetErrorName(cudaDeviceSynchronize()));
  std::printf("reset: %s\n", cudaGetErrorName(cudaDeviceReset()));
  std::printf("last: %s\n", cudaGetErrorName(cudaGetLastError()));
  int *fresh = nullptr, value = 0;
  std::printf("malloc: %s\n", cudaGetErrorName(cudaMalloc(&fresh, sizeof(int))));
  put<<<1, 1>>>(fresh);
  std::printf("launch: %s\n", cudaGetErrorName(cudaDeviceSynchronize()));
  cudaMemcpy(&value, fresh, sizeof(int), cudaMemcpyDeviceToHost);
  std::printf("value: %d\n", value);
  return 0;
}
