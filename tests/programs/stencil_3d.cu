// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// feature: Algorithms / stencil 3d
// A seven-point 3-D stencil that marches along z: planes before and behind in registers, the middle one shared.
#include "check.h"

const int kX = 10, kY = 6;

__global__ void stencil(const float *input, float *output, int nx, int ny, int nz) {
  __shared__ float plane[kY + 2][kX + 2];
  int x = blockIdx.x * kX + threadIdx.x, y = blockIdx.y * kY + threadIdx.y, layer = nx * ny;
  bool inside = x < nx && y < ny;
  int column = y * nx + x;
  float behind = 0, middle = inside ? input[column] : 0, ahead;
  for (int z = 0; z < nz; ++z) {
    ahead = inside && z + 1 < nz ? input[column + (z + 1) * layer] : 0;
    plane[threadIdx.y + 1][threadIdx.x + 1] = middle;
    if (threadIdx.x == 0) plane[threadIdx.y + 1][0] = inside && x > 0 ? input[column + z * layer - 1] : 0;
    if (threadIdx.x == kX - 1)
      plane[threadIdx.y + 1][kX + 1] = x + 1 < nx && y < ny ? input[column + z * layer + 1] : 0;
    if (threadIdx.y == 0) plane[0][threadIdx.x + 1] = inside && y > 0 ? input[column + z * layer - nx] : 0;
    if (threadIdx.y == kY - 1)
      plane[kY + 1][threadIdx.x + 1] = y + 1 < ny && x < nx ? input[column + z * layer + nx] : 0;
    __syncthreads();
    if (inside)
      output[column + z * layer] = 2 * middle + behind + ahead + plane[threadIdx.y][threadIdx.x + 1] +
                                   plane[threadIdx.y + 2][threadIdx.x + 1] + plane[threadIdx.y + 1][threadIdx.x] +
                                   plane[threadIdx.y + 1][threadIdx.x + 2];
    __syncthreads();
    behind = middle;
    middle = ahead;
  }
}

int main() {
  const int nx = 25, ny = 14, nz = 9, n = nx * ny * nz;
  std::vector<float> input(n), want(n);
  Lcg lcg{3};
  for (float &value : input) value = static_cast<float>(lcg.below(1000));
  auto at = [&](int x, int y, int z) {
    bool inside = x >= 0 && y >= 0 && z >= 0 && x < nx && y < ny && z < nz;
    return inside ? input[(z * ny + y) * nx + x] : 0.0f;
  };
  for (int z = 0; z < nz; ++z)
    for (int y = 0; y < ny; ++y)
      for (int x = 0; x < nx; ++x)
        want[(z * ny + y) * nx + x] = 2 * at(x, y, z) + at(x - 1, y, z) + at(x + 1, y, z) + at(x, y - 1, z) +
                                      at(x, y + 1, z) + at(x, y, z - 1) + at(x, y, z + 1);
  float *device_input = upload(input), *output = device_zeros<float>(n);
  stencil<<<dim3((nx + kX - 1) / kX, (ny + kY - 1) / kY), dim3(kX, kY)>>>(device_input, output, nx, ny, nz);
  compare("stencil", want, download(output, n));
  return 0;
}
