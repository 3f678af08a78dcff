// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A launch for each diagonal of 16 x 16 tiles; the 16 threads of a block walk over the diagonals of their tile.
#include "needleman_wunsch.h"

const int kTile = 16;

__device__ int best(int diagonal, int left, int up) { return max(diagonal, max(left, up)); }

__global__ void align(const int *similarity, int *scores, int columns, int gap, int first_x, int last_y) {
  __shared__ int score[kTile + 1][kTile + 1], similar[kTile][kTile];
  const int t = threadIdx.x;
  const int corner = (last_y - blockIdx.x) * kTile * columns + (first_x + blockIdx.x) * kTile;
  for (int y = 0; y < kTile; ++y) similar[y][t] = similarity[corner + (y + 1) * columns + t + 1];
  score[t + 1][0] = scores[corner + (t + 1) * columns];
  score[0][t + 1] = scores[corner + t + 1];
  if (t == 0) score[0][0] = scores[corner];
  __syncthreads();
  for (int diagonal = 0; diagonal < kTile; ++diagonal) {
    if (t <= diagonal) {
      int x = t + 1, y = diagonal - t + 1;
      score[y][x] = best(score[y - 1][x - 1] + similar[y - 1][x - 1], score[y][x - 1] - gap, score[y - 1][x] - gap);
    }
    __syncthreads();
  }
  for (int diagonal = kTile - 2; diagonal >= 0; --diagonal) {
    if (t <= diagonal) {
      int x = t + kTile - diagonal, y = kTile - t;
      score[y][x] = best(score[y - 1][x - 1] + similar[y - 1][x - 1], score[y][x - 1] - gap, score[y - 1][x] - gap);
    }
    __syncthreads();
  }
  for (int y = 0; y < kTile; ++y) scores[corner + (y + 1) * columns + t + 1] = score[y + 1][t + 1];
}

int main(int argc, char **argv) {
  const bench::Settings settings(argc, argv);
  NeedlemanWunsch problem(settings);
  const int tiles = problem.length / kTile;
  bench::DeviceArray<int> similarity(problem.similarity), scores(problem.scores);
  return bench::measure(
      settings, problem.work(),
      [&] {
        for (int diagonal = 0; diagonal < 2 * tiles - 1; ++diagonal) {
          const int first_x = std::max(0, diagonal - tiles + 1), last_y = diagonal - first_x;
          align<<<last_y - first_x + 1, kTile>>>(similarity.data(), scores.data(), problem.columns,
                                                 NeedlemanWunsch::kGap, first_x, last_y);
        }
        BENCH_CUDA(cudaDeviceSynchronize());
      },
      [&] { return problem.check(scores.to_host().data()); });
}
