// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The tiles of a diagonal are independent of each other.
#include "needleman_wunsch.h"

const int kTile = 64;

static void align(const int *similarity, int *scores, int length, int columns) {
  const int tiles = length / kTile;
  for (int diagonal = 0; diagonal < 2 * tiles - 1; ++diagonal) {
    const int first = std::max(0, diagonal - tiles + 1), last = std::min(diagonal, tiles - 1);
#pragma omp parallel for
    for (int tile = first; tile <= last; ++tile) {
      const int left = tile * kTile, top = (diagonal - tile) * kTile;
      for (int y = top + 1; y <= top + kTile; ++y) {
        for (int x = left + 1; x <= left + kTile; ++x) {
          const int at = y * columns + x;
          const int gap = std::max(scores[at - 1], scores[at - columns]) - NeedlemanWunsch::kGap;
          scores[at] = std::max(scores[at - columns - 1] + similarity[at], gap);
        }
      }
    }
  }
}

int main(int argc, char **argv) {
  const bench::Settings settings(argc, argv);
  NeedlemanWunsch problem(settings);
  return bench::measure(
      settings, problem.work(),
      [&] { align(problem.similarity.data(), problem.scores.data(), problem.length, problem.columns); },
      [&] { return problem.check(problem.scores.data()); });
}
