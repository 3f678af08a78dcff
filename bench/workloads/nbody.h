// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The acceleration of each of 2048 bodies under the gravity of all.
#pragma once

#include "harness.h"

struct Nbody {
  static constexpr float kSoftening = 1e-2f;
  int count;
  bench::Array<float> x, y, z, mass;

  explicit Nbody(const bench::Settings &settings)
      : count(settings.quick ? 256 : 2048), x(count), y(count), z(count), mass(count) {
    bench::Random random(1);
    for (int i = 0; i < count; ++i) {
      x[i] = random.uniform(0, 1);
      y[i] = random.uniform(0, 1);
      z[i] = random.uniform(0, 1);
      mass[i] = static_cast<float>(1 + i % 7);
    }
  }

  bench::Work work() const { return {20.0 * count * count, 28.0 * count, 28.0 * count, true}; }

  // `got(i, axis)` is a component of the acceleration.
  template <class Component>
  bench::Check check(Component got) const {
    double worst = 0;
    for (int i = 0; i < count; ++i) {
      double expected[3] = {0, 0, 0};
      for (int j = 0; j < count; ++j) {
        const double d[3] = {double(x[j]) - x[i], double(y[j]) - y[i], double(z[j]) - z[i]};
        const double square = d[0] * d[0] + d[1] * d[1] + d[2] * d[2] + kSoftening;
        const double scale = mass[j] / (square * std::sqrt(square));
        for (int axis = 0; axis < 3; ++axis) expected[axis] += d[axis] * scale;
      }
      const float found[3] = {got(i, 0), got(i, 1), got(i, 2)};
      worst = std::max(worst, bench::largest_error(found, expected, 3));
    }
    return {worst, 1e-3};
  }
};
