// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A block loads 16 x 16 cells, takes both steps in shared memory, and writes the inner 12 x 12: what a step makes of
// the cells at the tile's edge is wrong, and is computed again, rightly, by the block next to it.
#include "hotspot.h"

const int kBlock = 16;

struct Rates {
  float capacity, x, y, z, ambient;
};

__global__ void hotspot(int steps, const float *power, const float *from, float *to, int columns, int rows,
                        Rates rate) {
  __shared__ float now[kBlock][kBlock], watts[kBlock][kBlock], next[kBlock][kBlock];
  const int tx = threadIdx.x, ty = threadIdx.y;
  const int inner = kBlock - 2 * steps;
  const int left = inner * blockIdx.x - steps, top = inner * blockIdx.y - steps;
  const int x = left + tx, y = top + ty, index = columns * y + x;

  const bool inside = x >= 0 && x < columns && y >= 0 && y < rows;
  if (inside) {
    now[ty][tx] = from[index];
    watts[ty][tx] = power[index];
  }
  __syncthreads();

  // The part of the tile that lies on the chip; neighbours are clamped to it.
  const int first_x = left < 0 ? -left : 0, first_y = top < 0 ? -top : 0;
  const int last_x = min(kBlock - 1, columns - 1 - left), last_y = min(kBlock - 1, rows - 1 - top);
  const int north = max(ty - 1, first_y), south = min(ty + 1, last_y);
  const int west = max(tx - 1, first_x), east = min(tx + 1, last_x);

  bool computed = false;
  for (int step = 0; step < steps; ++step) {
    computed = inside && tx >= step + 1 && tx <= kBlock - step - 2 && ty >= step + 1 && ty <= kBlock - step - 2;
    if (computed) {
      const float here = now[ty][tx];
      next[ty][tx] = here + rate.capacity * (watts[ty][tx] + (now[south][tx] + now[north][tx] - 2.0f * here) * rate.y +
                                             (now[ty][east] + now[ty][west] - 2.0f * here) * rate.x +
                                             (rate.ambient - here) * rate.z);
    }
    __syncthreads();
    if (step == steps - 1) break;
    if (computed) now[ty][tx] = next[ty][tx];
    __syncthreads();
  }
  if (computed) to[index] = next[ty][tx];
}

int main(int argc, char **argv) {
  const bench::Settings settings(argc, argv);
  Hotspot problem(settings);
  const int side = problem.side, inner = kBlock - 2 * Hotspot::kSteps;
  bench::DeviceArray<float> power(problem.power), from(problem.temperature), to(size_t(side) * side);
  const Rates rate = {problem.capacity, problem.x_rate, problem.y_rate, problem.z_rate, problem.ambient};
  const dim3 block(kBlock, kBlock), grid((side + inner - 1) / inner, (side + inner - 1) / inner);
  return bench::measure(
      settings, problem.work(),
      [&] {
        hotspot<<<grid, block>>>(Hotspot::kSteps, power.data(), from.data(), to.data(), side, side, rate);
        BENCH_CUDA(cudaDeviceSynchronize());
      },
      [&] { return problem.check(to.to_host().data()); });
}
