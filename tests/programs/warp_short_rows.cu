// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// feature: Warps / blocks whose width is no multiple of 32 and only known at run time
// Conditions on x, y and z that part no warp where rows are multiples of 32, and part warps of several rows:
// collectives on both sides, where some lanes pass by, in loops of other trip counts, under masks of half warps, in
// later blocks.
#include <string>

#include "check.h"

constexpr unsigned kFull = 0xffffffffu;
constexpr int kKinds = 8;

__host__ __device__ int noise(int value) { return static_cast<int>(value * 2654435761u >> 7 & 1023); }

__device__ int of_kind(int kind, int thread, int *cells) {
  const int x = threadIdx.x, y = threadIdx.y, z = threadIdx.z;
  switch (kind) {
    case 0:  // both sides of x < 32
      if (x < 32) return __shfl_xor_sync(kFull, noise(thread), 16) + 1;
      return __shfl_xor_sync(kFull, noise(thread) * 3, 16) + 2;
    case 1:  // both sides of x >> 5, through memory
      if (x >> 5) {
        cells[thread] = noise(thread);
        __syncwarp();
        return cells[thread ^ 16];
      }
      cells[thread] = noise(thread) + 5;
      __syncwarp();
      return cells[thread ^ 16] * 2;
    case 2:  // lanes of x >= 32 go to the second vote, then the others are alone
    {
      int seen = 0;
      if (x < 32) seen = __popc(__ballot_sync(kFull, noise(thread) & 1));
      return seen * 100 + __popc(__ballot_sync(kFull, noise(thread) & 2));
    }
    case 3:  // as many rounds as x says
    {
      int seen = 0;
      for (int i = 0; i < 1 + x / 32; ++i) seen = seen * 33 + __popc(__ballot_sync(kFull, noise(thread + i) & 1));
      return seen;
    }
    case 4:  // both sides of a condition on y and z
      if ((y + z) % 2 == 0) return __shfl_xor_sync(kFull, noise(thread), 17);
      return __shfl_xor_sync(kFull, noise(thread) + 7, 17);
    case 5:  // half warps by the linear id, sides by x
    {
      const unsigned half = thread & 16 ? 0xffff0000u : 0xffffu;
      if (x & 16) return __popc(__ballot_sync(half, noise(thread) & 1));
      return __popc(__ballot_sync(half, noise(thread) & 2)) + 40;
    }
    case 6:  // whole warps by the linear id: these never part
      if (thread >> 5 & 1) return __shfl_xor_sync(kFull, noise(thread), 1) + __popc(__ballot_sync(kFull, x & 1));
      return __shfl_xor_sync(kFull, noise(thread), 2);
    default:  // by the number of a thread in x, counted through blocks: parts warps of one row as well
      if ((blockIdx.x * blockDim.x + x) >> 5 & 1) return __shfl_xor_sync(kFull, noise(thread), 3);
      return __shfl_xor_sync(kFull, noise(thread) + 11, 3);
  }
}

template <int kind>
__global__ void meet(int *output) {
  __shared__ int cells[1024];
  const int thread = threadIdx.x + blockDim.x * (threadIdx.y + blockDim.y * threadIdx.z);
  const int threads = blockDim.x * blockDim.y * blockDim.z;
  output[(kind * gridDim.x + blockIdx.x) * threads + thread] = of_kind(kind, thread, cells);
}

// Lanes of other kinds ask lanes that the last warp may lack.
bool is_for(int kind, int threads) { return threads % 32 == 0 || kind == 7; }

template <int kind>
void launch(int *output, dim3 block) {
  if (is_for(kind, block.x * block.y * block.z)) meet<kind><<<2, block>>>(output);
  if constexpr (kind + 1 < kKinds) launch<kind + 1>(output, block);
}

int wanted(int kind, dim3 block, int index, int thread) {
  const int width = block.x, height = block.y;
  const auto x = [&](int which) { return which % width; };
  const auto row = [&](int which) { return which / width % height + which / width / height; };
  const auto votes = [&](auto comes, auto holds) {
    int count = 0;
    for (int other = thread / 32 * 32; other < thread / 32 * 32 + 32; ++other) count += comes(other) && holds(other);
    return count;
  };
  const auto odd = [](int which) { return (noise(which) & 1) != 0; };
  const auto second = [](int which) { return (noise(which) & 2) != 0; };
  switch (kind) {
    case 0:
      return noise(thread ^ 16) * (x(thread ^ 16) < 32 ? 1 : 3) + (x(thread) < 32 ? 1 : 2);
    case 1:
      return (noise(thread ^ 16) + (x(thread ^ 16) >> 5 ? 0 : 5)) * (x(thread) >> 5 ? 1 : 2);
    case 2: {
      const auto few = [&](int which) { return x(which) < 32; };
      const auto first = [&](int which) { return few(which) ? odd(which) : second(which); };
      const auto all = [](int) { return true; };
      // A warp all of whose lanes are on one side goes there alone, and then on.
      const int here = votes(all, few);
      if (here == 0) return votes(all, second);
      if (few(thread)) return votes(all, first) * 100 + votes(few, second);
      return votes(all, first);
    }
    case 3: {
      int seen = 0;
      for (int i = 0; i < 1 + x(thread) / 32; ++i) {
        seen = seen * 33 +
               votes([&](int which) { return i < 1 + x(which) / 32; }, [&](int which) { return odd(which + i); });
      }
      return seen;
    }
    case 4:
      return noise(thread ^ 17) + (row(thread ^ 17) % 2 == 0 ? 0 : 7);
    case 5: {
      const auto mine = [&](int which) { return which / 16 == thread / 16; };
      return votes(mine, [&](int which) { return x(which) & 16 ? odd(which) : second(which); }) +
             (x(thread) & 16 ? 0 : 40);
    }
    case 6:
      if (thread >> 5 & 1) {
        return noise(thread ^ 1) + votes([](int) { return true; }, [&](int which) { return x(which) & 1; });
      }
      return noise(thread ^ 2);
    default:
      return noise(thread ^ 3) + ((index * width + x(thread ^ 3)) >> 5 & 1 ? 0 : 11);
  }
}

void meet_in(dim3 block) {
  const int threads = block.x * block.y * block.z;
  int *output = device_zeros<int>(kKinds * 2 * threads);
  launch<0>(output, block);
  const std::vector<int> found = download(output, kKinds * 2 * threads);
  std::vector<int> want(found.size());
  for (int kind = 0; kind < kKinds; ++kind) {
    for (int i = 0; i < 2 * threads; ++i) {
      want[kind * 2 * threads + i] = wanted(kind, block, i / threads, i % threads);
    }
  }
  const std::string size = std::to_string(block.x) + "x" + std::to_string(block.y) + "x" + std::to_string(block.z);
  for (int kind = 0; kind < kKinds; ++kind) {
    if (!is_for(kind, threads)) continue;
    const auto part = [&](const std::vector<int> &all) {
      return std::vector<int>(all.begin() + kind * 2 * threads, all.begin() + (kind + 1) * 2 * threads);
    };
    compare((size + ", kind " + std::to_string(kind)).c_str(), part(want), part(found));
  }
}

int main() {
  const unsigned sizes[][3] = {{48, 2, 1}, {16, 4, 1},  {24, 8, 1}, {40, 4, 1}, {8, 8, 3}, {1, 64, 1},
                               {64, 2, 1}, {128, 1, 1}, {96, 3, 1}, {48, 1, 1}, {5, 4, 8}};
  for (const auto &size : sizes) meet_in(dim3(size[0], size[1], size[2]));
  return 0;
}
