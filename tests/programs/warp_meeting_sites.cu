// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// feature: Warps / lanes that wait at different places of the program meet by mask
// __syncwarp, shuffles, votes, matches, reductions and tile.sync() on both sides of conditions, nested, in loops with
// other trip counts, around early returns, in callees, and where one side passes by.
#include <cooperative_groups.h>

#include <string>

#include "check.h"

namespace cg = cooperative_groups;

constexpr unsigned kFull = 0xffffffffu;
constexpr int kKinds = 14;

__host__ __device__ int noise(int value) { return static_cast<int>(value * 2654435761u >> 7 & 1023); }

// Stores `value`, waits, and reads what the lane `other` has stored.
__device__ int hand_over(int *cells, int lane, int value, int other) {
  cells[lane] = value;
  __syncwarp();
  const int found = cells[other];
  __syncwarp();
  return found;
}

__device__ int of_kind(int kind, const int *input, int *cells, int lane) {
  const bool odd = input[lane] & 1;
  switch (kind) {
    case 0:
      if (lane < 16) {
        cells[lane] = noise(lane);
        __syncwarp();
        return cells[lane + 16];
      }
      cells[lane] = noise(lane) + 1;
      __syncwarp();
      return cells[lane - 16];
    case 1:
      if (odd) return hand_over(cells, lane, noise(lane), lane ^ 1) + __shfl_sync(kFull, lane, 3);
      return hand_over(cells, lane, noise(lane) + 1, lane ^ 2) * 2 - __shfl_sync(kFull, lane * 5, 4);
    case 2:
      return odd ? __shfl_xor_sync(kFull, noise(lane), 1) : __shfl_xor_sync(kFull, noise(lane) + 9, 3) + 1;
    case 3:
      return odd ? __ballot_sync(kFull, lane % 3 == 0) : __ballot_sync(kFull, lane % 5 == 0);
    case 4:
      return odd ? __match_any_sync(kFull, lane / 4) : __match_any_sync(kFull, lane / 8);
    case 5:
      return odd ? __reduce_add_sync(kFull, lane) : __reduce_add_sync(kFull, 100 * lane);
    case 6:  // nested
      if (lane & 1) {
        if (lane & 2) return hand_over(cells, lane, noise(lane), lane ^ 3);
        return hand_over(cells, lane, noise(lane) + 1, lane ^ 3);
      }
      return hand_over(cells, lane, noise(lane) + 2, lane ^ 3);
    case 7: {  // three rounds against three in a row
      int sum = 0;
      if (lane < 16) {
        for (int i = 0; i < 3; ++i) sum += hand_over(cells, lane, noise(lane + i), lane + 16) * (i + 1);
      } else {
        sum = hand_over(cells, lane, 1, lane - 16);
        sum += hand_over(cells, lane, 2, lane - 16);
        sum += hand_over(cells, lane, 3, lane - 16);
      }
      return sum;
    }
    case 8: {  // trip counts that nobody knows
      int sum = 0;
      if (odd) {
        for (int i = 0; i < input[32]; ++i) sum += hand_over(cells, lane, noise(lane + i), lane ^ 1) * (i + 1);
      } else {
        for (int i = 0; i < input[32]; ++i) sum += hand_over(cells, lane, noise(lane - i), lane ^ 1) * (i + 2);
      }
      return sum;
    }
    case 9: {
      auto tile = cg::tiled_partition<16>(cg::this_thread_block());
      cells[lane] = noise(lane);
      if (odd) {
        tile.sync();
        return tile.shfl(cells[lane ^ 1], 5);
      }
      tile.sync();
      return tile.shfl(cells[lane ^ 2], 6) * 2;
    }
    case 10:  // whoever does not come to the first comes to the second
      if (odd) {
        cells[lane] = noise(lane);
        __syncwarp();
      }
      if (!odd) {
        cells[lane] = noise(lane) + 5;
        __syncwarp();
      }
      return cells[lane ^ 1];
    case 11:  // likewise, and in another round of a loop
    {
      int seen = 0;
      for (int i = 0; i < 4; ++i) {
        if ((lane + i) & 1) seen = seen * 3 + __popc(__ballot_sync(kFull, (lane ^ i) & 2));
      }
      return seen;
    }
    case 12: {  // masks from a vote: those of each side for themselves
      const unsigned mask = __ballot_sync(kFull, odd);
      if (odd) return __popc(__ballot_sync(mask, lane & 4));
      return __popc(__ballot_sync(~mask, lane & 8)) + 100;
    }
    default:  // as many votes for each lane, in two loops
      int rounds = 0;
      for (int i = 0; i < 1 + lane % 4; ++i) rounds = rounds * 3 + __popc(__ballot_sync(kFull, (i + lane) & 1));
      for (int i = 0; i < 3 - lane % 4; ++i) rounds = rounds * 3 + __popc(__ballot_sync(kFull, lane & 1));
      return rounds;
  }
}

template <int kind>
__global__ void meet(const int *input, int *output) {
  __shared__ int cells[64];
  const int lane = threadIdx.x % 32, warp = threadIdx.x / 32;
  cells[threadIdx.x] = -1;
  __syncwarp();
  output[kind * 64 + threadIdx.x] = of_kind(kind, input, cells + warp * 32, lane);
}

// Lanes that end have ended before the others go on.
__global__ void others_end(int *output) {
  __shared__ int cells[32];
  const int lane = threadIdx.x;
  cells[lane] = 7;
  __syncwarp();
  if (lane >= 16) {
    cells[lane] = noise(lane);
    return;
  }
  __syncwarp();
  output[kKinds * 64 + lane] = cells[lane + 16];
}

template <int kind>
void launch(const int *input, int *output) {
  meet<kind><<<1, 64>>>(input, output);
  if constexpr (kind + 1 < kKinds) launch<kind + 1>(input, output);
}

int wanted(int kind, const std::vector<int> &input, int lane) {
  const auto odd = [&](int which) { return (input[which] & 1) != 0; };
  const auto sum = [&](auto value) {
    int total = 0;
    for (int other = 0; other < 32; ++other) total += value(other);
    return total;
  };
  const auto votes = [&](auto holds) { return sum([&](int other) { return holds(other) ? 1 << other : 0; }); };
  const int rows = input[32];
  int total = 0;
  switch (kind) {
    case 0:
      return lane < 16 ? noise(lane + 16) + 1 : noise(lane - 16);
    case 1: {
      const auto stored = [&](int which) { return noise(which) + !odd(which); };
      const auto given = [&](int which) { return odd(which) ? which : which * 5; };
      return odd(lane) ? stored(lane ^ 1) + given(3) : stored(lane ^ 2) * 2 - given(4);
    }
    case 2: {
      const auto given = [&](int which) { return noise(which) + (odd(which) ? 0 : 9); };
      return odd(lane) ? given(lane ^ 1) : given(lane ^ 3) + 1;
    }
    case 3:
      return votes([&](int which) { return which % (odd(which) ? 3 : 5) == 0; });
    case 4: {
      const auto given = [&](int which) { return odd(which) ? which / 4 : which / 8; };
      return votes([&](int which) { return given(which) == given(lane); });
    }
    case 5:
      return sum([&](int which) { return odd(which) ? which : 100 * which; });
    case 6: {
      const int other = lane ^ 3;
      return noise(other) + (other % 4 == 3 ? 0 : other % 4 == 1 ? 1 : 2);
    }
    case 7:
      for (int i = 0; i < 3; ++i) total += lane < 16 ? (i + 1) * (i + 1) : noise(lane - 16 + i);
      return total;
    case 8:
      for (int i = 0; i < rows; ++i) {
        total += noise((lane ^ 1) + (odd(lane ^ 1) ? i : -i)) * (i + (odd(lane) ? 1 : 2));
      }
      return total;
    case 9: {
      const auto given = [&](int which) { return noise(odd(which) ? which ^ 1 : which ^ 2); };
      return odd(lane) ? given(lane / 16 * 16 + 5) : given(lane / 16 * 16 + 6) * 2;
    }
    case 10:
      return noise(lane ^ 1) + (odd(lane ^ 1) ? 0 : 5);
    case 11:
      for (int i = 0; i < 2; ++i) {
        // The i-th vote of odd lanes is in round 2 * i, that of even ones a round later.
        total = total * 3 + sum([&](int which) { return ((which ^ (2 * i + (which + 1) % 2)) & 2) / 2; });
      }
      return total;
    case 12:
      return sum([&](int which) { return odd(which) == odd(lane) && (which & (odd(lane) ? 4 : 8)) != 0; }) +
             (odd(lane) ? 0 : 100);
    default:
      for (int i = 0; i < 4; ++i) {
        total = total * 3 + sum([&](int which) { return (i <= which % 4 ? i + which : which) & 1; });
      }
      return total;
  }
}

// Among warps of which none but one parts, and where the block's shape says which do.
__global__ void some_part(int *output) {
  const int thread = threadIdx.x, lane = thread & 31;
  const unsigned mask = 0x7fffffffu;
  int given = -1;
  if (lane != 31) {
    if (thread < 272)
      given = __shfl_sync(mask, thread, 30);
    else
      given = __shfl_sync(mask, thread, 0);
  }
  output[thread] = given;
}

__global__ void rows_part(int *output) {
  const int thread = threadIdx.y * blockDim.x + threadIdx.x;
  int given;
  if (threadIdx.y % 2 == 0)
    given = __shfl_xor_sync(0xffffffffu, thread, 17);
  else
    given = __shfl_xor_sync(0xffffffffu, thread + 1000, 17);
  output[thread] = given;
}

void parts_by_size(int size) {
  std::vector<int> want(size);
  for (int i = 0; i < size; ++i) {
    const int first = i / 32 * 32;
    want[i] = i % 32 == 31 ? -1 : i < 272 ? first + 30 : first;
  }
  int *output = device_zeros<int>(size);
  some_part<<<1, size>>>(output);
  compare("one warp parts", want, download(output, size));
}

void parts_by_rows(int width, int height) {
  std::vector<int> want(width * height);
  for (int i = 0; i < width * height; ++i) want[i] = (i ^ 17) + ((i ^ 17) / width % 2) * 1000;
  int *output = device_zeros<int>(want.size());
  rows_part<<<1, dim3(width, height)>>>(output);
  compare("rows part", want, download(output, want.size()));
}

int main() {
  std::vector<int> input = random_ints(33, 1000), want(kKinds * 64 + 16);
  input[32] = 3;
  for (int i = 0; i < kKinds * 64; ++i) want[i] = wanted(i / 64, input, i % 32);
  for (int lane = 0; lane < 16; ++lane) want[kKinds * 64 + lane] = noise(lane + 16);
  int *output = device_zeros<int>(want.size());
  launch<0>(upload(input), output);
  others_end<<<1, 32>>>(output);
  const std::vector<int> found = download(output, want.size());
  for (int kind = 0; kind <= kKinds; ++kind) {
    const auto part = [&](const std::vector<int> &all) {
      return std::vector<int>(all.begin() + kind * 64, kind < kKinds ? all.begin() + kind * 64 + 64 : all.end());
    };
    compare(("kind " + std::to_string(kind)).c_str(), part(want), part(found));
  }
  parts_by_size(512);
  for (int width = 8; width <= 64; width *= 2) parts_by_rows(width, 8);
  return 0;
}
