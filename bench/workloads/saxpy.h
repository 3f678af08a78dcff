// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// y = a x + y. Variants: `cache` (1 MB: the second-level cache), `memory` (800 MB).
#pragma once

#include "harness.h"

struct Saxpy {
  int count;
  float factor = 1e-3f;
  bench::Array<float> x, y;

  static int count_of(const bench::Settings &settings) {
    const bool memory = settings.is("memory");
    if (!memory && !settings.is("cache")) settings.unknown_variant();
    return settings.quick ? (memory ? 100003 : 1003) : memory ? 100000003 : 130003;
  }

  explicit Saxpy(const bench::Settings &settings) : count(count_of(settings)), x(count), y(count) {
    for (int i = 0; i < count; ++i) {
      x[i] = static_cast<float>(i % 1000) * 0.5f;
      y[i] = first_y(i);
    }
  }

  static float first_y(int i) { return static_cast<float>(i % 77); }
  bench::Work work() const { return {2.0 * count, 12.0 * count, 8.0 * count, true}; }

  // After one repetition.
  bench::Check check(const float *got) const {
    double worst = 0;
    for (int i = 0; i < count; ++i) {
      const double expected = static_cast<double>(factor) * x[i] + first_y(i);
      worst = std::max(worst, bench::largest_error(got + i, &expected, 1));
    }
    return {worst, 1e-6};
  }
};
