// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// feature: Memory / CUDA arrays
// CUDA arrays: channel descriptors, copies of rows to, from and between arrays, their info.
#include "check.h"

int main() {
  const int width = 12, height = 6;
  cudaChannelFormatDesc format = cudaCreateChannelDesc<float>();
  std::printf("%d %d %d %d %s\n", format.x, format.y, format.z, format.w,
              format.f == cudaChannelFormatKindFloat ? "float" : "other");
  cudaArray_t array = nullptr, other = nullptr;
  CHECK(cudaMallocArray(&array, &format, width, height));
  CHECK(cudaMallocArray(&other, &format, width, height));
  std::vector<float> input(width * height), output(width * height, 0.0f);
  for (int i = 0; i < width * height; ++i) input[i] = i * 0.25f;
  const size_t row = width * sizeof(float);
  CHECK(cudaMemcpy2DToArray(array, 0, 0, input.data(), row, row, height, cudaMemcpyHostToDevice));
  CHECK(cudaMemcpy2DArrayToArray(other, 0, 0, array, 0, 0, row, height, cudaMemcpyDeviceToDevice));
  CHECK(cudaMemcpy2DFromArray(output.data(), row, other, 0, 0, row, height, cudaMemcpyDeviceToHost));
  compare("round trip", input, output);
  std::vector<float> part(3 * 2);
  CHECK(cudaMemcpy2DFromArray(part.data(), 3 * sizeof(float), array, 4 * sizeof(float), 2, 3 * sizeof(float), 2,
                              cudaMemcpyDeviceToHost));
  std::vector<float> want;
  for (int y = 2; y < 4; ++y)
    for (int x = 4; x < 7; ++x) want.push_back(input[y * width + x]);
  compare("part", want, part);
  cudaChannelFormatDesc seen;
  cudaExtent extent;
  unsigned flags = 1;
  CHECK(cudaArrayGetInfo(&seen, &extent, &flags, array));
  std::printf("%d %zu %zu %zu %u\n", seen.x, extent.width, extent.height, extent.depth, flags);
  format = cudaCreateChannelDesc<uchar4>();
  std::printf("%d %d %d %d\n", format.x, format.y, format.z, format.w);
  format = cudaCreateChannelDesc(16, 16, 0, 0, cudaChannelFormatKindSigned);
  std::printf("%d %d %d %d\n", format.x, format.y, format.z, format.w);
  CHECK(cudaFreeArray(array));
  CHECK(cudaFreeArray(other));
  return 0;
}
