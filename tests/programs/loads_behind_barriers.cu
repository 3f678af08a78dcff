// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// feature: Barriers and fences / values that were loaded before a barrier and are used behind it
// Threads use what they have loaded from global memory behind barriers, where their block has written there meanwhile,
// or another one that they have told to.
#include "check.h"

constexpr int kSide = 16;
using Index = std::size_t;

// Two steps of a stencil on a tile; `watts` is the thread's own all the time. Blocks inside of the data do not ask.
__global__ void two_steps(const float *power, const float *from, float *to, int width, int height) {
  __shared__ float now[kSide][kSide], watts[kSide][kSide], next[kSide][kSide];
  const int tx = threadIdx.x, ty = threadIdx.y;
  const int x = (kSide - 4) * blockIdx.x + tx - 2, y = (kSide - 4) * blockIdx.y + ty - 2;
  const bool inside = x >= 0 && x < width && y >= 0 && y < height;
  if (x >= 0 && x < width && y >= 0 && y < height) {
    now[ty][tx] = from[width * y + x];
    watts[ty][tx] = power[width * y + x];
  } else {
    now[ty][tx] = 0;
  }
  __syncthreads();
  bool computed = false;
  for (int step = 0; step < 2; ++step) {
    computed = inside && tx > step && tx < kSide - 1 - step && ty > step && ty < kSide - 1 - step;
    if (computed)
      next[ty][tx] =
          (float)(now[ty][tx] + 0.25 * (watts[ty][tx] + (now[ty][tx - 1] + now[ty][tx + 1] - 2.0 * now[ty][tx]) +
                                        (now[ty - 1][tx] + now[ty + 1][tx] - 2.0 * now[ty][tx])));
    __syncthreads();
    if (computed) now[ty][tx] = next[ty][tx];
    __syncthreads();
  }
  if (computed) to[width * y + x] = now[ty][tx];
}

std::vector<float> two_steps_on_host(const std::vector<float> &power, std::vector<float> now, int width, int height) {
  std::vector<float> next(now.size());
  const auto at = [&](int x, int y) {
    return x >= 0 && x < width && y >= 0 && y < height ? now[Index(width) * y + x] : 0.0F;
  };
  for (int step = 0; step < 2; ++step) {
    for (int y = 0; y < height; ++y)
      for (int x = 0; x < width; ++x)
        next[Index(width) * y + x] = static_cast<float>(
            at(x, y) + 0.25 * (power[Index(width) * y + x] + (at(x - 1, y) + at(x + 1, y) - 2.0 * at(x, y)) +
                               (at(x, y - 1) + at(x, y + 1) - 2.0 * at(x, y))));
    now = next;
  }
  return now;
}

// `to` may be `from`: each thread writes what the next one has loaded.
__global__ void rotate(const int *from, int *to, int times) {
  __shared__ int seen[128];
  const int mine = from[threadIdx.x];
  __syncthreads();
  for (int i = 0; i < times; ++i) {
    to[(threadIdx.x + 1) % blockDim.x] = mine;
    __syncthreads();
  }
  seen[threadIdx.x] = mine;
  __syncthreads();
  to[threadIdx.x] = seen[(threadIdx.x + blockDim.x - 1) % blockDim.x] + mine;
}

// Blocks hand on a number in turn, and each has taken its own before it tells the next one, which overwrites it.
__global__ void hand_on(const int *values, int *result, int *turn) {
  __shared__ int before;
  const int mine = values[threadIdx.x];
  __syncthreads();
  if (threadIdx.x == 0) {
    while (atomicAdd(turn, 0) != (int)blockIdx.x) {
    }
    before = result[0];
  }
  __syncthreads();
  result[threadIdx.x] = before + mine + 1;
  __threadfence();
  __syncthreads();
  if (threadIdx.x == 0) atomicAdd(turn, 1);
}

int main() {
  for (const auto &[width, height] : {std::pair{100, 70}, {12, 12}, {64, 49}}) {
    const std::vector<int> some = random_ints(width * height, 1000), others = random_ints(width * height, 100, 7);
    const std::vector<float> from(some.begin(), some.end()), power(others.begin(), others.end());
    float *to = device_zeros<float>(from.size());
    const dim3 grid((width + kSide - 5) / (kSide - 4), (height + kSide - 5) / (kSide - 4));
    two_steps<<<grid, dim3(kSide, kSide)>>>(upload(power), upload(from), to, width, height);
    compare("two steps", two_steps_on_host(power, from, width, height), download(to, from.size()));
  }
  const std::vector<int> values = random_ints(128, 1000);
  for (const bool in_place : {false, true}) {
    int *from = upload(values), *to = in_place ? from : device_zeros<int>(values.size());
    rotate<<<1, 128>>>(from, to, 3);
    std::vector<int> want(128);
    for (int i = 0; i < 128; ++i) want[i] = values[i] + values[(i + 127) % 128];
    compare(in_place ? "in place" : "rotated", want, download(to, 128));
  }
  int *all = device_zeros<int>(128);
  hand_on<<<5, 128>>>(upload(values), all, device_zeros<int>(1));
  std::vector<int> want(128);
  for (int i = 0; i < 128; ++i) want[i] = 4 * (values[0] + 1) + values[i] + 1;
  compare("handed on", want, download(all, 128));
  return 0;
}
