// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The score of the best alignment of every pair of prefixes of two sequences of 1024 letters, by the recurrence of
// Needleman and Wunsch with a penalty of 10 for a gap.
#pragma once

#include "harness.h"

struct NeedlemanWunsch {
  static const int kGap = 10;
  int length, columns;
  bench::Array<int> similarity, scores;  // (length + 1) x (length + 1); row and column 0 of `scores` are given

  explicit NeedlemanWunsch(const bench::Settings &settings)
      : length(settings.quick ? 64 : 1024),
        columns(length + 1),
        similarity(size_t(columns) * columns),
        scores(size_t(columns) * columns) {
    bench::Random random(7);
    for (int &value : similarity) value = static_cast<int>(random.below(21)) - 10;
    for (int i = 0; i < columns; ++i) scores[i] = scores[i * columns] = -i * kGap;
  }

  bench::Work work() const {
    const double cells = static_cast<double>(length) * length;
    return {0, 8 * cells, 8 * cells, true};
  }

  bench::Check check(const int *got) const {
    std::vector<int> expected(scores.size());
    for (int i = 0; i < columns; ++i) expected[i] = expected[i * columns] = -i * kGap;
    for (int y = 1; y < columns; ++y) {
      for (int x = 1; x < columns; ++x) {
        const int at = y * columns + x;
        const int gap = std::max(expected[at - 1], expected[at - columns]) - kGap;
        expected[at] = std::max(expected[at - columns - 1] + similarity[at], gap);
      }
    }
    return {bench::differences(got, expected.data(), expected.size()), 0};
  }
};
