// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "mandelbrot.h"

const int kBlock = 16;

__global__ void mandelbrot(int *out, int width, int height, int limit, float left, float top, float pixel) {
  int x = blockIdx.x * blockDim.x + threadIdx.x;
  int y = blockIdx.y * blockDim.y + threadIdx.y;
  if (x >= width || y >= height) return;
  float cr = left + x * pixel, ci = top + y * pixel;
  float zr = 0, zi = 0;
  int count = 0;
  while (count < limit && zr * zr + zi * zi < 4.0f) {
    float next = zr * zr - zi * zi + cr;
    zi = 2.0f * zr * zi + ci;
    zr = next;
    ++count;
  }
  out[y * width + x] = count;
}

int main(int argc, char **argv) {
  const bench::Settings settings(argc, argv);
  const Mandelbrot problem(settings);
  const int side = problem.side;
  bench::DeviceArray<int> out(problem.expected.size());
  const dim3 block(kBlock, kBlock), grid((side + kBlock - 1) / kBlock, (side + kBlock - 1) / kBlock);
  return bench::measure(
      settings, problem.work(),
      [&] {
        mandelbrot<<<grid, block>>>(out.data(), side, side, problem.limit, problem.kLeft, problem.kTop, problem.pixel);
        BENCH_CUDA(cudaDeviceSynchronize());
      },
      [&] { return problem.check(out.to_host().data()); });
}
