// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The sum of 262067 floats.
#pragma once

#include "harness.h"

struct Reduction {
  int count;
  bench::Array<float> in;

  explicit Reduction(const bench::Settings &settings) : count(settings.quick ? 2048 - 77 : 262144 - 77), in(count) {
    for (int i = 0; i < count; ++i) in[i] = static_cast<float>(i % 13) * 0.25f;
  }

  bench::Work work() const { return {1.0 * count, 4.0 * count, 4.0 * count, false}; }

  bench::Check check(float got) const {
    double expected = 0;
    for (float value : in) expected += value;
    return {bench::largest_error(&got, &expected, 1), 1e-4};
  }
};
