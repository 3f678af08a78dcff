// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// feature: Devices and errors / errors of streams, events, symbols
// Errors of devices, events, streams, symbols and kernels; cudaPeekAtLastError keeps what cudaGetLastError clears.
#include "check.h"

__device__ int variable;
int no_symbol;

void show(const char *what, cudaError_t error) {
  cudaError_t peeked = cudaPeekAtLastError(), got = cudaGetLastError(), after = cudaGetLastError();
  std::printf("%s: %s, %s, %s\n", what, cudaGetErrorName(error), peeked == got ? "kept" : "changed",
              cudaGetErrorName(after));
}

void host_function(int *) {}

int main() {
  int value = 0;
  float time = 0;
  cudaEvent_t first, second;
  CHECK(cudaEventCreate(&first));
  CHECK(cudaEventCreate(&second));
  show("device 99", cudaSetDevice(99));
  show("device -1", cudaSetDevice(-1));
  show("not recorded", cudaEventElapsedTime(&time, first, second));
  show("symbol", cudaMemcpyToSymbol(variable, &value, sizeof(value)));
  show("no symbol", cudaMemcpyToSymbol(no_symbol, &value, sizeof(value)));
  show("past the symbol", cudaMemcpyToSymbol(variable, &value, sizeof(value), sizeof(value)));
  show("no properties", cudaGetDeviceProperties(nullptr, 0));
  cudaDeviceProp properties;
  show("properties of 99", cudaGetDeviceProperties(&properties, 99));
  int *data = device_zeros<int>(1);
  void *arguments[] = {&data};
  show("null kernel", cudaLaunchKernel(static_cast<const void *>(nullptr), dim3(1), dim3(1), arguments, 0, nullptr));
  show("host function",
       cudaLaunchKernel(reinterpret_cast<const void *>(host_function), dim3(1), dim3(1), arguments, 0, nullptr));
  cudaFuncAttributes attributes;
  show("attributes", cudaFuncGetAttributes(&attributes, reinterpret_cast<const void *>(host_function)));
  report("usable", 0, download(data, 1)[0]);
  return 0;
}
