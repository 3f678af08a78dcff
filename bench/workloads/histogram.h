// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// How often each value occurs among 4194299 random bytes.
#pragma once

#include "harness.h"

struct Histogram {
  static const int kBins = 256;
  int count;
  bench::Array<unsigned char> data;

  explicit Histogram(const bench::Settings &settings) : count(settings.quick ? 20003 : (1 << 22) - 5), data(count) {
    bench::Random random(1);
    for (unsigned char &byte : data) byte = static_cast<unsigned char>(random.next());
  }

  bench::Work work() const { return {0, 1.0 * count, 1.0 * count, false}; }

  bench::Check check(const int *got) const {
    std::vector<int> expected(kBins);
    for (unsigned char byte : data) ++expected[byte];
    return {bench::differences(got, expected.data(), kBins), 0};
  }
};
