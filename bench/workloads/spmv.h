// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// y = A x for a sparse matrix of 65523 rows in compressed rows. Variants: `regular` (12 to 20 elements a row, near the
// diagonal), `power` (few long rows, up to 3000 elements, columns anywhere), `short` (0 to 7 elements a row, anywhere).
#pragma once

#include "harness.h"

struct Spmv {
  int rows;
  bench::Array<int> starts;
  bench::Array<int> columns;
  bench::Array<float> values, x;

  explicit Spmv(const bench::Settings &settings) : Spmv(settings, settings.quick ? 1000 - 13 : 65536 - 13) {}

  bench::Work work() const {
    const double elements = static_cast<double>(values.size());
    const double bytes = 8 * elements + 12.0 * rows;
    return {2 * elements, bytes, bytes, true};
  }

  bench::Check check(const float *got) const {
    std::vector<double> expected(rows);
    for (int row = 0; row < rows; ++row) {
      for (int i = starts[row]; i < starts[row + 1]; ++i) expected[row] += double(values[i]) * x[columns[i]];
    }
    return {bench::largest_error(got, expected.data(), rows), 1e-4};
  }

 private:
  Spmv(const bench::Settings &settings, int rows) : Spmv(settings, lengths(settings, rows)) {}

  Spmv(const bench::Settings &settings, const std::vector<int> &lengths)
      : rows(static_cast<int>(lengths.size())),
        starts(lengths.size() + 1),
        columns(total(lengths)),
        values(columns.size()),
        x(lengths.size()) {
    bench::Random random(5);
    int next = 0;
    for (int row = 0; row < rows; ++row) {
      starts[row] = next;
      for (int k = 0; k < lengths[row]; ++k, ++next) {
        const int near = std::clamp(row - 2 * lengths[row] + 4 * k, 0, rows - 1);
        columns[next] = settings.is("regular") ? near : static_cast<int>(random.below(rows));
        values[next] = static_cast<float>(k % 9) * 0.1f - 0.3f;
      }
      x[row] = static_cast<float>(row % 11) * 0.2f;
    }
    starts[rows] = next;
  }

  static std::vector<int> lengths(const bench::Settings &settings, int rows) {
    bench::Random random(3);
    std::vector<int> made(rows);
    for (int &length : made) {
      if (settings.is("regular")) {
        length = 12 + static_cast<int>(random.below(9));
      } else if (settings.is("power")) {
        length = static_cast<int>(std::min(3000.0, 4 / std::pow(random.uniform(1e-5f, 1), 0.55)));
      } else if (settings.is("short")) {
        length = static_cast<int>(random.below(8));
      } else {
        settings.unknown_variant();
      }
    }
    return made;
  }

  static size_t total(const std::vector<int> &lengths) {
    size_t sum = 0;
    for (int length : lengths) sum += length;
    return sum;
  }
};
