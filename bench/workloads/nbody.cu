// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A body a thread; a block loads 256 bodies at a time into shared memory.
#include "nbody.h"

const int kThreads = 256;

__global__ void accelerate(const float4 *bodies, float4 *accelerations, int n, float softening) {
  __shared__ float4 tile[kThreads];
  const float4 me = bodies[blockIdx.x * blockDim.x + threadIdx.x];
  float ax = 0, ay = 0, az = 0;
  for (int start = 0; start < n; start += blockDim.x) {
    tile[threadIdx.x] = bodies[start + threadIdx.x];
    __syncthreads();
    for (int j = 0; j < blockDim.x; ++j) {
      const float4 other = tile[j];
      const float dx = other.x - me.x, dy = other.y - me.y, dz = other.z - me.z;
      const float inverse = rsqrtf(dx * dx + dy * dy + dz * dz + softening);
      const float scale = other.w * (inverse * inverse * inverse);
      ax += dx * scale;
      ay += dy * scale;
      az += dz * scale;
    }
    __syncthreads();
  }
  accelerations[blockIdx.x * blockDim.x + threadIdx.x] = make_float4(ax, ay, az, 0);
}

int main(int argc, char **argv) {
  const bench::Settings settings(argc, argv);
  Nbody problem(settings);
  const int n = problem.count;
  bench::Array<float4> bodies(n);
  for (int i = 0; i < n; ++i) bodies[i] = make_float4(problem.x[i], problem.y[i], problem.z[i], problem.mass[i]);
  bench::DeviceArray<float4> from(bodies), to(n);
  return bench::measure(
      settings, problem.work(),
      [&] {
        accelerate<<<n / kThreads, kThreads>>>(from.data(), to.data(), n, Nbody::kSoftening);
        BENCH_CUDA(cudaDeviceSynchronize());
      },
      [&] {
        const bench::Array<float4> got = to.to_host();
        return problem.check([&](int i, int axis) { return axis == 0 ? got[i].x : axis == 1 ? got[i].y : got[i].z; });
      });
}
