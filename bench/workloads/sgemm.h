// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// C = A B for square matrices of 512 rows.
#pragma once

#include "harness.h"

struct Sgemm {
  int n;
  bench::Array<float> a, b, c;

  explicit Sgemm(const bench::Settings &settings)
      : n(settings.quick ? 64 : 512), a(size_t(n) * n), b(size_t(n) * n), c(size_t(n) * n) {
    for (int i = 0; i < n * n; ++i) {
      a[i] = static_cast<float>(i * 7 % 13 - 6) * 0.1f;
      b[i] = static_cast<float>(i * 11 % 17 - 8) * 0.1f;
    }
  }

  bench::Work work() const {
    const double elements = static_cast<double>(n) * n;
    return {2 * elements * n, 12 * elements, 12 * elements, true};
  }

  bench::Check check(const float *got) const {
    std::vector<double> row(n);
    double worst = 0;
    for (int i = 0; i < n; ++i) {
      std::fill(row.begin(), row.end(), 0.0);
      for (int k = 0; k < n; ++k) {
        for (int j = 0; j < n; ++j) row[j] += static_cast<double>(a[i * n + k]) * b[k * n + j];
      }
      worst = std::max(worst, bench::largest_error(got + i * n, row.data(), n));
    }
    return {worst, 1e-4};
  }
};
