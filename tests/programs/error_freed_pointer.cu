// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// feature: Devices and errors / freed pointers
// A pointer that was freed is refused as source and as destination of copies and memsets.
#include "check.h"

int main() {
  int host[256] = {};
  int *data = nullptr;
  CHECK(cudaMalloc(&data, 8 << 20));
  CHECK(cudaFree(data));
  std::printf("from: %s\n", cudaGetErrorName(cudaMemcpy(host, data, sizeof(host), cudaMemcpyDeviceToHost)));
  std::printf("to: %s\n", cudaGetErrorName(cudaMemcpy(data, host, sizeof(host), cudaMemcpyHostToDevice)));
  std::printf("set: %s\n", cudaGetErrorName(cudaMemset(data, 0, sizeof(host))));
  std::printf("last: %s\n", cudaGetErrorName(cudaGetLastError()));
  std::printf("then: %s\n", cudaGetErrorName(cudaGetLastError()));
  return 0;
}
