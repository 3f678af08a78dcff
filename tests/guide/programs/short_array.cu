// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <cstdlib>

int main() {
  void *device, *host = std::malloc(4000);
  cudaMalloc(&device, 4096);
  cudaMemcpy(host, device, 4096, cudaMemcpyDeviceToHost);
  std::free(host);
}
