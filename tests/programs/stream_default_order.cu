// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// feature: Streams and events / legacy default stream
// The legacy default stream waits for blocking streams and they for it; cudaMemcpy is ordered after earlier kernels.
#include "check.h"

__global__ void append(int *log, int *length, int value, int delay) {
  int x = value;
  for (int i = 0; i < delay; ++i) x = x * 3 + 1;
  if (x == -1) log[99] = x;
  log[(*length)++] = value;
}

int main() {
  int *log = device_zeros<int>(100), *length = device_zeros<int>(1);
  cudaStream_t first, second;
  CHECK(cudaStreamCreate(&first));
  CHECK(cudaStreamCreateWithPriority(&second, cudaStreamDefault, 0));
  for (int round = 0; round < 4; ++round) {
    append<<<1, 1, 0, first>>>(log, length, round * 10 + 1, 5000);
    append<<<1, 1>>>(log, length, round * 10 + 2, 10);
    append<<<1, 1, 0, second>>>(log, length, round * 10 + 3, 1000);
    append<<<1, 1, 0, cudaStreamLegacy>>>(log, length, round * 10 + 4, 10);
  }
  std::vector<int> got(16), want;
  CHECK(cudaMemcpy(got.data(), log, 16 * sizeof(int), cudaMemcpyDeviceToHost));
  for (int round = 0; round < 4; ++round)
    want.insert(want.end(), {round * 10 + 1, round * 10 + 2, round * 10 + 3, round * 10 + 4});
  compare("order", want, got);
  for (int value : got) std::printf("%d ", value);
  std::printf("\n");
  CHECK(cudaStreamDestroy(first));
  CHECK(cudaStreamDestroy(second));
  return 0;
}
