// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// feature: Warps / shuffles up and down by distances that a loop computes
// Distances of more than a warp are taken modulo 32; lanes that have ended give 0, which CUDA leaves undefined.
#include "check.h"

template <typename T>
__global__ void shuffle(const T *in, T *out, int more, int stop, int lanes) {
  const int t = threadIdx.x;
  T down = in[t], up = in[t], far = in[t];
  if (t % 32 >= lanes) return;
  for (int distance = 1; distance < stop; distance <<= 1) {
    down += __shfl_down_sync(~0u, down, distance);
    up += 2 * __shfl_up_sync(~0u, up, distance + more);
    far += 3 * __shfl_down_sync(~0u, far, distance + more + 30);
  }
  out[t] = down + 5 * up + 7 * far;
}

template <typename T>
std::vector<T> expected(const std::vector<T> &in, int more, int stop, int lanes) {
  std::vector<T> want(in.size(), 0);
  for (std::size_t first = 0; first < in.size(); first += 32) {
    std::vector<T> found[3];
    for (auto &each : found) each.assign(in.begin() + first, in.begin() + first + 32);
    for (int distance = 1; distance < stop; distance <<= 1) {
      const int steps[3] = {distance % 32, -((distance + more) % 32), (distance + more + 30) % 32};
      for (int kind = 0; kind < 3; ++kind) {
        const auto before = found[kind];
        for (int lane = 0; lane < lanes; ++lane) {
          const int source = lane + steps[kind];
          const bool outside = source < 0 || source >= 32;
          if (outside || source < lanes) found[kind][lane] += (kind + 1) * before[outside ? lane : source];
        }
      }
    }
    for (int lane = 0; lane < lanes; ++lane)
      want[first + lane] = found[0][lane] + 5 * found[1][lane] + 7 * found[2][lane];
  }
  return want;
}

template <typename T>
void run(const char *what) {
  std::vector<T> in(128), all, want;
  for (int i = 0; i < 128; ++i) in[i] = static_cast<T>(i * 7 % 13 + 1);
  T *input = upload(in);
  for (int lanes : {32, 20, 1})
    for (int stop : {1, 8, 33})
      for (int more : {0, 1, 5, 31}) {
        T *output = device_zeros<T>(in.size());
        shuffle<<<1, 128>>>(input, output, more, stop, lanes);
        const auto got = download(output, in.size()), wanted = expected(in, more, stop, lanes);
        all.insert(all.end(), got.begin(), got.end());
        want.insert(want.end(), wanted.begin(), wanted.end());
      }
  compare(what, want, all);
}

int main() {
  run<float>("float");
  run<double>("double");
  run<int>("int");
  run<long long>("long long");
  return 0;
}
