// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// feature: Algorithms / mandelbrot fixed
// The Mandelbrot set in 32.16 fixed point: loops whose trip count differs between neighbouring threads.
#include "check.h"

const int kWidth = 60, kHeight = 28, kLimit = 100, kShift = 16;

__host__ __device__ int escape_time(int px, int py) {
  long long cx = (static_cast<long long>(px) * 3 << kShift) / kWidth - (2ll << kShift);
  long long cy = (static_cast<long long>(py) * 2 << kShift) / kHeight - (1ll << kShift);
  long long x = 0, y = 0;
  int step = 0;
  for (; step < kLimit && x * x + y * y < (4ll << (2 * kShift)); ++step) {
    long long new_x = ((x * x - y * y) >> kShift) + cx;
    y = ((2 * x * y) >> kShift) + cy;
    x = new_x;
  }
  return step;
}

__global__ void mandelbrot(int *times) {
  int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
  if (x < kWidth && y < kHeight) times[y * kWidth + x] = escape_time(x, y);
}

int main() {
  const int n = kWidth * kHeight;
  std::vector<int> want(n);
  for (int i = 0; i < n; ++i) want[i] = escape_time(i % kWidth, i / kWidth);
  int *times = device_zeros<int>(n);
  mandelbrot<<<dim3(8, 4), dim3(8, 8)>>>(times);
  compare("escape times", want, download(times, n));
  for (int y = 0; y < kHeight; y += 4) {
    for (int x = 0; x < kWidth; x += 2) std::putchar(" .:*#"[want[y * kWidth + x] * 4 / kLimit]);
    std::putchar('\n');
  }
  return 0;
}
