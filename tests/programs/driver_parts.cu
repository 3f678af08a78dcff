// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// flags: -lcuda
// feature: Launches / cuFuncSetBlockShape, cuParamSetv, cuLaunchGrid
// The driver API's first way to launch: block, shared memory and arguments are set one by one, and stay.
#include <cuda_runtime.h>

#include "driver.h"

extern "C" __global__ void fill(int *out, int first, float step) {
  extern __shared__ float steps[];
  const int thread = threadIdx.y * blockDim.x + threadIdx.x;
  const int block = blockIdx.y * gridDim.x + blockIdx.x;
  steps[thread] = step;
  __syncthreads();
  const int last = blockDim.x * blockDim.y - 1;
  out[block * (last + 1) + thread] = first + static_cast<int>(steps[last - thread]) * thread;
}

__device__ int told[4];
extern "C" __global__ void tell() {
  told[0] = gridDim.x, told[1] = gridDim.y, told[2] = blockDim.x, told[3] = blockDim.y * blockDim.z;
}

static CUfunction function_of(const void *kernel) {
  cudaFunction_t stub = nullptr;
  CHECK(cudaGetFuncBySymbol(&stub, kernel));
  return reinterpret_cast<CUfunction>(stub);
}

int main() {
  DRIVE(cuInit(0));
  const CUfunction function = function_of(reinterpret_cast<const void *>(fill));
  int *out = nullptr;
  CHECK(cudaMallocManaged(&out, 48 * sizeof *out));

  const CUfunction nothing = function_of(reinterpret_cast<const void *>(tell));
  DRIVE(cuLaunchGrid(nothing, 2, 3));  // blocks have one thread unless something else is set
  CHECK(cudaDeviceSynchronize());
  int sizes[4] = {};
  CHECK(cudaMemcpyFromSymbol(sizes, told, sizeof sizes));
  std::printf("%d %d %d %d\n", sizes[0], sizes[1], sizes[2], sizes[3]);
  DRIVE(cuFuncSetBlockShape(function, 4, 2, 1));
  DRIVE(cuFuncSetSharedSize(function, 8 * sizeof(float)));
  DRIVE(cuParamSetSize(function, 16));
  DRIVE(cuParamSetv(function, 0, &out, sizeof out));
  DRIVE(cuParamSeti(function, 8, 100));
  DRIVE(cuParamSetf(function, 12, 2.5f));
  DRIVE(cuLaunchGrid(function, 2, 2));
  CHECK(cudaDeviceSynchronize());
  std::printf("%d %d %d\n", out[0], out[7], out[31]);

  DRIVE(cuParamSeti(function, 8, 200));  // the others stay
  DRIVE(cuLaunch(function));
  DRIVE(cuLaunchGridAsync(function, 1, 1, nullptr));
  CHECK(cudaDeviceSynchronize());
  std::printf("%d %d %d\n", out[0], out[7], out[31]);

  show("no block", cuFuncSetBlockShape(function, 0, 1, 1));
  show("a block too large", cuFuncSetBlockShape(function, 64, 64, 1));
  show("too much shared memory", cuFuncSetSharedSize(function, 1 << 20));
  show("no grid", cuLaunchGrid(function, 0, 1));
  show("no function", cuLaunch(nullptr));
}
