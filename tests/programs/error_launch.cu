// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// feature: Devices and errors / refused launches
// Launches that cannot be: each gives its error from cudaGetLastError, runs nothing, and leaves the device usable.
#include "check.h"

__global__ void mark(int *data) { atomicAdd(data, 1); }

__global__ void use_shared(int *data) {
  extern __shared__ int cells[];
  cells[0] = 5;
  *data = cells[0];
}

void show(const char *what) {
  cudaError_t error = cudaGetLastError();
  bool refused = error == cudaErrorInvalidValue || error == cudaErrorInvalidConfiguration;
  std::printf("%s: %s, then %s\n", what, refused ? "refused" : cudaGetErrorName(error),
              cudaGetErrorName(cudaGetLastError()));
}

int main() {
  int *data = device_zeros<int>(1);
  mark<<<1, 2048>>>(data);
  show("2048 threads");
  mark<<<0, 32>>>(data);
  show("empty grid");
  mark<<<1, 0>>>(data);
  show("empty block");
  mark<<<dim3(1, 70000), 32>>>(data);
  show("tall grid");
  mark<<<1, dim3(1, 1, 65)>>>(data);
  show("deep block");
  use_shared<<<1, 1, 16 << 20>>>(data);
  show("16 MiB shared");
  std::printf("attribute: %s\n",
              cudaGetErrorName(cudaFuncSetAttribute(use_shared, cudaFuncAttributeMaxDynamicSharedMemorySize, 1 << 20)));
  cudaGetLastError();
  report("untouched", 0, download(data, 1)[0]);
  use_shared<<<1, 1, 4096>>>(data);
  report("usable", 5, download(data, 1)[0]);
  // Raised by the attribute, 64 KiB are allowed.
  CHECK(cudaFuncSetAttribute(use_shared, cudaFuncAttributeMaxDynamicSharedMemorySize, 64 << 10));
  use_shared<<<1, 1, 64 << 10>>>(data);
  show("64 KiB shared");
  finish();
  return 0;
}
