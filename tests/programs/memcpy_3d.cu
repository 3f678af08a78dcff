// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// feature: Memory / 3-D copies
// cudaMalloc3D, cudaMemcpy3D of a box at an offset, cudaMemset3D, and a kernel that uses pitch and slice pitch.
#include "check.h"

__global__ void fill(cudaPitchedPtr volume, int width, int height) {
  int x = threadIdx.x, y = threadIdx.y, z = blockIdx.x;
  char *slice = static_cast<char *>(volume.ptr) + z * volume.pitch * height;
  if (x < width) reinterpret_cast<short *>(slice + y * volume.pitch)[x] += static_cast<short>(x + 10 * y + 100 * z);
}

int main() {
  const int width = 9, height = 5, depth = 4;
  cudaExtent extent = make_cudaExtent(width * sizeof(short), height, depth);
  cudaPitchedPtr volume;
  CHECK(cudaMalloc3D(&volume, extent));
  std::printf("%zu %zu\n", volume.xsize, volume.ysize);
  CHECK(cudaMemset3D(volume, 0, extent));
  fill<<<depth, dim3(16, height)>>>(volume, width, height);
  CHECK(cudaGetLastError());
  std::vector<short> box(6 * 4 * 3, -1), want(6 * 4 * 3, -1);
  cudaMemcpy3DParms parameters = {};
  parameters.srcPtr = volume;
  parameters.srcPos = make_cudaPos(2 * sizeof(short), 1, 2);
  parameters.dstPtr = make_cudaPitchedPtr(box.data(), 6 * sizeof(short), 6, 4);
  parameters.dstPos = make_cudaPos(1 * sizeof(short), 0, 1);
  parameters.extent = make_cudaExtent(5 * sizeof(short), 3, 2);
  parameters.kind = cudaMemcpyDeviceToHost;
  CHECK(cudaMemcpy3D(&parameters));
  for (int z = 0; z < 2; ++z)
    for (int y = 0; y < 3; ++y)
      for (int x = 0; x < 5; ++x)
        want[((z + 1) * 4 + y) * 6 + x + 1] = static_cast<short>((x + 2) + 10 * (y + 1) + 100 * (z + 2));
  compare("box", want, box);
  CHECK(cudaFree(volume.ptr));
  return 0;
}
