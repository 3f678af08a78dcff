// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// feature: Memory / pitched memory, 2-D copies
// Pitched memory: 2-D copies of a part in every direction, 2-D memset, and rows addressed by the pitch in a kernel.
#include "check.h"

__global__ void add_row(char *memory, size_t pitch, int width, int height) {
  int x = threadIdx.x, y = blockIdx.x;
  if (x < width && y < height) reinterpret_cast<int *>(memory + y * pitch)[x] += 1000 * y;
}

int main() {
  const int width = 37, height = 11;
  char *memory = nullptr;
  size_t pitch = 0;
  CHECK(cudaMallocPitch(&memory, &pitch, width * sizeof(int), height));
  std::printf("pitch %s\n", pitch >= width * sizeof(int) && pitch % 64 == 0 ? "ok" : "bad");
  std::vector<int> input = random_ints(50 * height, 1000), output(40 * height, -1), want(40 * height, -1);
  CHECK(cudaMemset2D(memory, pitch, 0x01, width * sizeof(int), height));
  // A part of 30 x 9 from column 5, row 1 of an image 50 wide to column 2, row 2.
  CHECK(cudaMemcpy2D(memory + 2 * pitch + 2 * sizeof(int), pitch, input.data() + 50 + 5, 50 * sizeof(int),
                     30 * sizeof(int), 9, cudaMemcpyHostToDevice));
  add_row<<<height, 64>>>(memory, pitch, width, height);
  CHECK(cudaGetLastError());
  CHECK(cudaMemcpy2D(output.data(), 40 * sizeof(int), memory, pitch, width * sizeof(int), height,
                     cudaMemcpyDeviceToHost));
  for (int y = 0; y < height; ++y)
    for (int x = 0; x < width; ++x) {
      bool part = y >= 2 && x >= 2 && x < 32;
      want[y * 40 + x] = (part ? input[(y - 1) * 50 + x + 3] : 0x01010101) + 1000 * y;
    }
  compare("image", want, output);
  // Device to device between two pitches, asynchronously.
  int *dense = device_zeros<int>(width * height);
  CHECK(cudaMemcpy2DAsync(dense, width * sizeof(int), memory, pitch, width * sizeof(int), height,
                          cudaMemcpyDeviceToDevice, 0));
  std::vector<int> packed;
  for (int y = 0; y < height; ++y) packed.insert(packed.end(), &want[y * 40], &want[y * 40] + width);
  compare("packed", packed, download(dense, packed.size()));
  CHECK(cudaFree(memory));
  return 0;
}
