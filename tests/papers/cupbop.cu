// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The examples of Han et al., CuPBoP: CUDA for Parallelized and Broad-range Processors, written anew from its text.
#include "check.h"

// Listings 1 and 8: no barrier, and a launch inside of a macro.

__global__ void vec_add(const double *a, const double *b, double *c, int n) {
  int id = blockIdx.x * blockDim.x + threadIdx.x;
  if (id < n) c[id] = a[id] + b[id];
}

#define LAUNCH(kernel, count, ...) kernel<<<((count) + 127) / 128, 128>>>(__VA_ARGS__, count)

void test_vec_add() {
  const int n = 1000;
  std::vector<int> whole = random_ints(n, 1 << 20);
  std::vector<double> a(whole.begin(), whole.end()), want(n);
  for (int i = 0; i < n; ++i) want[i] = a[i] * 2;
  double *input = upload(a), *sum = device_zeros<double>(n);
  LAUNCH(vec_add, n, input, input, sum);
  std::vector<double> got(n);  // listing 4: the copy waits for the kernel by itself
  CHECK(cudaMemcpy(got.data(), sum, n * sizeof(double), cudaMemcpyDeviceToHost));
  compare("vector sum", want, got);
}

// Listing 3: shared memory whose size the launch tells.

__global__ void dynamic_reverse(int *d, int n) {
  extern __shared__ int s[];
  int t = threadIdx.x;
  s[t] = d[t];
  __syncthreads();
  d[t] = s[n - t - 1];
}

void test_reverse() {
  for (int n : {64, 77, 1000}) {
    std::vector<int> input = random_ints(n, 1000), want(input.rbegin(), input.rend());
    int *d = upload(input);
    dynamic_reverse<<<1, n, n * sizeof(int)>>>(d, n);
    compare("reverse", want, download(d, n));
  }
}

// Section V-B, SRAD: nine barriers in a kernel with many tiles. This one smooths an image less where it has edges.

constexpr int kTile = 16;

__global__ void smooth(float *__restrict__ next, const float *__restrict__ image, int width, int height) {
  __shared__ float centre[kTile][kTile], north[kTile][kTile], south[kTile][kTile], west[kTile][kTile];
  __shared__ float east[kTile][kTile], edge[kTile][kTile], flow[kTile][kTile], result[kTile][kTile];
  int tx = threadIdx.x, ty = threadIdx.y, x = blockIdx.x * kTile + tx, y = blockIdx.y * kTile + ty;
  north[ty][tx] = image[max(y - 1, 0) * width + x];
  south[ty][tx] = image[min(y + 1, height - 1) * width + x];
  __syncthreads();  // 1
  west[ty][tx] = image[y * width + max(x - 1, 0)];
  east[ty][tx] = image[y * width + min(x + 1, width - 1)];
  __syncthreads();  // 2
  centre[ty][tx] = image[y * width + x];
  __syncthreads();  // 3: the neighbours' pixels come from their slots
  if (ty > 0) north[ty][tx] = centre[ty - 1][tx];
  if (ty < kTile - 1) south[ty][tx] = centre[ty + 1][tx];
  if (tx > 0) west[ty][tx] = centre[ty][tx - 1];
  if (tx < kTile - 1) east[ty][tx] = centre[ty][tx + 1];
  __syncthreads();  // 4
  float c = centre[ty][tx];
  edge[ty][tx] =
      fabsf(north[ty][tx] - c) + fabsf(south[ty][tx] - c) + fabsf(west[ty][tx] - c) + fabsf(east[ty][tx] - c);
  __syncthreads();  // 5
  flow[ty][tx] = 1.0f / (1.0f + edge[ty][tx]);
  __syncthreads();  // 6: the neighbours' coefficients
  float below = flow[min(ty + 1, kTile - 1)][tx], right = flow[ty][min(tx + 1, kTile - 1)];
  __syncthreads();  // 7
  result[ty][tx] =
      below * (south[ty][tx] - c) + right * (east[ty][tx] - c) + flow[ty][tx] * (north[ty][tx] - c + west[ty][tx] - c);
  __syncthreads();  // 8
  next[y * width + x] = centre[ty][tx] + 0.25f * result[ty][tx];
  __syncthreads();  // 9
}

float flow_at(const std::vector<float> &image, int width, int height, int x, int y) {
  float c = image[y * width + x], edge = std::fabs(image[std::max(y - 1, 0) * width + x] - c);
  edge += std::fabs(image[std::min(y + 1, height - 1) * width + x] - c);
  edge += std::fabs(image[y * width + std::max(x - 1, 0)] - c);
  edge += std::fabs(image[y * width + std::min(x + 1, width - 1)] - c);
  return 1.0f / (1.0f + edge);
}

void test_smooth() {
  const int width = 48, height = 32;
  std::vector<int> whole = random_ints(width * height, 256);
  std::vector<float> image(whole.begin(), whole.end()), want(width * height);
  for (int y = 0; y < height; ++y) {
    for (int x = 0; x < width; ++x) {
      auto pixel = [&](int px, int py) {
        return image[std::clamp(py, 0, height - 1) * width + std::clamp(px, 0, width - 1)];
      };
      float c = pixel(x, y), own = flow_at(image, width, height, x, y);
      float below = flow_at(image, width, height, x, y % kTile == kTile - 1 ? y : y + 1);
      float right = flow_at(image, width, height, x % kTile == kTile - 1 ? x : x + 1, y);
      float result = below * (pixel(x, y + 1) - c) + right * (pixel(x + 1, y) - c);
      want[y * width + x] = c + 0.25f * (result + own * (pixel(x, y - 1) - c + pixel(x - 1, y) - c));
    }
  }
  float *next = device_zeros<float>(width * height);
  smooth<<<dim3(width / kTile, height / kTile), dim3(kTile, kTile)>>>(next, upload(image), width, height);
  compare_near("smooth", want, download(next, width * height), 1e-5);
}

// Section VI-C: neighbouring threads read neighbouring words, each thread in long strides.

__global__ void histogram(const unsigned *pixels, unsigned *counts, int n) {
  __shared__ unsigned own[64];
  for (int i = threadIdx.x; i < 64; i += blockDim.x) own[i] = 0;
  __syncthreads();
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x)
    atomicAdd(&own[pixels[i]], 1u);
  __syncthreads();
  for (int i = threadIdx.x; i < 64; i += blockDim.x) atomicAdd(&counts[i], own[i]);
}

void test_histogram() {
  const int n = 5000;
  std::vector<int> values = random_ints(n, 64);
  std::vector<unsigned> pixels(values.begin(), values.end()), want(64);
  for (unsigned pixel : pixels) ++want[pixel];
  unsigned *counts = device_zeros<unsigned>(64);
  histogram<<<4, 48>>>(upload(pixels), counts, n);
  compare("histogram", want, download(counts, 64));
}

int main() {
  test_vec_add();
  test_reverse();
  test_smooth();
  test_histogram();
}
