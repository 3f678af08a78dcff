// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What small blocks cost: four kernels over the same data in blocks of 1 to 256 threads. `warploom run -O3
// bench/block_sizes.cu` prints the least processor time a thread, and how often that of blocks of 256; with
// `--off-pass collapse_grid` blocks run one by one.
#include <algorithm>
#include <cstdio>
#include <ctime>
#include <vector>

constexpr int kThreads = 1 << 17, kValues = 1 << 20, kRounds = 9;

__device__ int number() { return blockIdx.x * blockDim.x + threadIdx.x; }

__global__ void saxpy(const float *x, float *y, float a) {
  const int i = number();
  if (i < kThreads) y[i] += a * x[i];
}

__global__ void functions(const float *x, float *y, float a) {
  const int i = number();
  if (i < kThreads) y[i] = expf(-x[i]) * logf(x[i] + a) + sinf(x[i]);
}

__global__ void mandelbrot(const float *x, float *y, float a) {
  const int i = number();
  if (i >= kThreads) return;
  const float re = x[i] - 1.0f, im = a * 0.1f;
  float u = 0, v = 0;
  int step = 0;
  for (; step < 100 && u * u + v * v < 4; ++step) {
    const float next = u * u - v * v + re;
    v = 2 * u * v + im;
    u = next;
  }
  y[i] = step;
}

__global__ void column_sums(const float *x, float *y, float a) {
  const int i = number();
  if (i >= kThreads) return;
  float sum = 0;
  for (int row = 0; row < 32; ++row) sum += x[(row * 4096 + i) % kValues];
  y[i] = a * sum;
}

double nanoseconds() {
  timespec now;
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
  return now.tv_sec * 1e9 + now.tv_nsec;
}

template <class Kernel>
void report(const char *name, Kernel kernel, const float *x, float *y) {
  const std::vector<int> sizes = {1, 2, 4, 8, 16, 32, 64, 256};
  std::vector<double> times;
  for (const int size : sizes) {
    double best = 1e30;
    for (int round = 0; round < kRounds; ++round) {
      const double start = nanoseconds();
      kernel<<<(kThreads + size - 1) / size, size>>>(x, y, 2.0f);
      cudaDeviceSynchronize();
      best = std::min(best, nanoseconds() - start);
    }
    times.push_back(best / kThreads);
  }
  std::printf("%-12s", name);
  for (size_t i = 0; i < sizes.size(); ++i)
    std::printf("  %d: %.2f ns (%.1f)", sizes[i], times[i], times[i] / times.back());
  std::printf("\n");
}

int main() {
  std::vector<float> values(kValues);
  for (int i = 0; i < kValues; ++i) values[i] = i % 1000 / 1000.0f;
  float *x, *y;
  cudaMalloc(&x, kValues * sizeof *x);
  cudaMalloc(&y, kValues * sizeof *y);
  cudaMemcpy(x, values.data(), kValues * sizeof *x, cudaMemcpyHostToDevice);
  report("saxpy", saxpy, x, y);
  report("functions", functions, x, y);
  report("mandelbrot", mandelbrot, x, y);
  report("column sums", column_sums, x, y);
}
