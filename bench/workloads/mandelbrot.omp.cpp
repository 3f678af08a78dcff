// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "mandelbrot.h"

static void mandelbrot(int *out, int width, int height, int limit, float left, float top, float pixel) {
#pragma omp parallel for schedule(dynamic)
  for (int y = 0; y < height; ++y) {
    for (int x = 0; x < width; ++x) {
      const float cr = left + static_cast<float>(x) * pixel, ci = top + static_cast<float>(y) * pixel;
      float zr = 0, zi = 0;
      int count = 0;
      while (count < limit && zr * zr + zi * zi < 4.0f) {
        const float next = zr * zr - zi * zi + cr;
        zi = 2.0f * zr * zi + ci;
        zr = next;
        ++count;
      }
      out[y * width + x] = count;
    }
  }
}

int main(int argc, char **argv) {
  const bench::Settings settings(argc, argv);
  const Mandelbrot problem(settings);
  bench::Array<int> out(problem.expected.size());
  return bench::measure(
      settings, problem.work(),
      [&] {
        mandelbrot(out.data(), problem.side, problem.side, problem.limit, problem.kLeft, problem.kTop, problem.pixel);
      },
      [&] { return problem.check(out.data()); });
}
