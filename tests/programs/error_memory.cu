// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// feature: Devices and errors / memory errors
// Memory errors: too large, empty, freed twice, never allocated, freed and then copied, null and wrong-kind copies.
#include "check.h"

void show(const char *what, cudaError_t error) {
  std::printf("%s: %s\n", what, cudaGetErrorName(error));
  cudaGetLastError();
}

int main() {
  void *memory = nullptr;
  int *data = device_zeros<int>(64), host[64] = {};
  show("huge", cudaMalloc(&memory, size_t{1} << 60));
  show("empty", cudaMalloc(&memory, 0));
  std::printf("empty is %s\n", memory == nullptr ? "null" : "a pointer");
  show("free null", cudaFree(nullptr));
  show("copy kind 77", cudaMemcpy(data, host, 4, static_cast<cudaMemcpyKind>(77)));
  show("copy to null", cudaMemcpy(nullptr, host, 4, cudaMemcpyHostToDevice));
  show("copy nothing", cudaMemcpy(nullptr, nullptr, 0, cudaMemcpyHostToDevice));
  show("no place", cudaMalloc(static_cast<void **>(nullptr), 16));
  show("free", cudaFree(data));
  show("free twice", cudaFree(data));
  show("free a local", cudaFree(host));
  show("memset null", cudaMemset(nullptr, 0, 4));
  int *alive = device_zeros<int>(4);
  std::printf("alive %d\n", download(alive, 4)[3]);
  return 0;
}
