// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// feature: Language / assert in kernels
// A failing device assert writes its message to stderr and makes the next synchronisation fail; what was printed stays.
// stderr: device_assert\.cu:11: .*block: \[1,0,0\], thread: \[2,0,0\] Assertion `data\[i\] >= 0` failed
#include <cassert>

#include "check.h"

__global__ void inspect(const int *data) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  assert(data[i] >= 0);
}

int main() {
  std::vector<int> values(8, 1);
  int *data = upload(values);
  inspect<<<2, 4>>>(data);
  std::printf("fine: %s\n", cudaGetErrorName(cudaDeviceSynchronize()));
  values[6] = -1;
  CHECK(cudaMemcpy(data, values.data(), 8 * sizeof(int), cudaMemcpyHostToDevice));
  inspect<<<2, 4>>>(data);
  std::printf("launched: %s\n", cudaGetErrorName(cudaPeekAtLastError()));
  std::printf("failed: %s\n", cudaGetErrorName(cudaDeviceSynchronize()));
  std::printf("sticky: %s\n", cudaGetErrorName(cudaMemset(data, 0, 4)));
  std::printf("last: %s\n", cudaGetErrorName(cudaGetLastError()));
  std::printf("still: %s\n", cudaGetErrorName(cudaDeviceSynchronize()));
  return 0;
}
