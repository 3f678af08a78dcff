// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Two steps of heat conduction on a chip of 512 x 512 cells: the neighbours of a cell at the border are the cell
// itself.
#pragma once

#include "harness.h"

struct Hotspot {
  static const int kSteps = 2;
  int side;
  float capacity = 0.5f, x_rate = 0.1f, y_rate = 0.12f, z_rate = 0.01f, ambient = 80.0f;
  bench::Array<float> power, temperature;

  explicit Hotspot(const bench::Settings &settings)
      : side(settings.quick ? 64 : 512), power(size_t(side) * side), temperature(size_t(side) * side) {
    for (int i = 0; i < side * side; ++i) {
      power[i] = static_cast<float>(i * 7 % 13) * 0.01f;
      temperature[i] = 300 + static_cast<float>(i * 31 % 101) * 0.3f;
    }
  }

  bench::Work work() const {
    const double cells = static_cast<double>(side) * side;
    return {kSteps * cells * 15, 12 * cells, 12 * cells, true};
  }

  bench::Check check(const float *got) const {
    std::vector<double> now(temperature.begin(), temperature.end()), next(now.size());
    for (int step = 0; step < kSteps; ++step) {
      for (int y = 0; y < side; ++y) {
        for (int x = 0; x < side; ++x) {
          const double here = now[y * side + x];
          const double north = now[std::max(y - 1, 0) * side + x], south = now[std::min(y + 1, side - 1) * side + x];
          const double west = now[y * side + std::max(x - 1, 0)], east = now[y * side + std::min(x + 1, side - 1)];
          next[y * side + x] = here + capacity * (power[y * side + x] + (south + north - 2 * here) * y_rate +
                                                  (east + west - 2 * here) * x_rate + (ambient - here) * z_rate);
        }
      }
      now.swap(next);
    }
    return {bench::largest_error(got, now.data(), now.size()), 1e-5};
  }
};
