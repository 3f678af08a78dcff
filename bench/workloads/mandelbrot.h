// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Steps until a point of a 512 x 512 picture of the Mandelbrot set leaves the circle of radius 2, at most 256.
#pragma once

#include "harness.h"

struct Mandelbrot {
  static constexpr float kLeft = -2.0f, kTop = -1.25f;
  int side, limit = 256;
  float pixel;
  std::vector<int> expected;
  double steps = 0;

  explicit Mandelbrot(const bench::Settings &settings)
      : side(settings.quick ? 64 : 512), pixel(2.5f / static_cast<float>(side)), expected(size_t(side) * side) {
    for (int y = 0; y < side; ++y) {
      for (int x = 0; x < side; ++x) {
        const float cr = kLeft + static_cast<float>(x) * pixel, ci = kTop + static_cast<float>(y) * pixel;
        float zr = 0, zi = 0;
        int count = 0;
        for (; count < limit && zr * zr + zi * zi < 4.0f; ++count) {
          const float next = zr * zr - zi * zi + cr;
          zi = 2.0f * zr * zi + ci;
          zr = next;
        }
        expected[y * side + x] = count;
        steps += count;
      }
    }
  }

  bench::Work work() const { return {8 * steps, 4.0 * side * side, 4.0 * side * side, true}; }

  // Rounding decides when a point near the border leaves: up to one pixel in 200 may differ by more than two steps.
  bench::Check check(const int *got) const {
    double differ = 0;
    for (size_t i = 0; i < expected.size(); ++i) differ += std::abs(got[i] - expected[i]) > 2;
    return {differ / static_cast<double>(expected.size()), 0.005};
  }
};
