// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// feature: Algorithms / sums over rows of any length
// Sums over rows of 0 to 9 elements, whose lengths each thread reads: with one carried number and with two, counted by
// signed and unsigned numbers, up to the largest of all, by steps of two, and as long as a condition holds.
#include <climits>
#include <cstdio>
#include <vector>

const int kRows = 1000, kMost = INT_MAX;

__global__ void products(const int *starts, const float *values, float *sums) {
  int row = blockIdx.x * blockDim.x + threadIdx.x;
  if (row >= kRows) return;
  float sum = 0;
  for (int i = starts[row]; i < starts[row + 1]; ++i) sum += values[i] * 0.5f;
  sums[row] = sum;
}

__global__ void two_numbers(const unsigned *starts, const double *values, double *sums) {
  int row = blockIdx.x * blockDim.x + threadIdx.x;
  if (row >= kRows) return;
  double sum = row, weighted = 1;
  unsigned end = starts[row + 1];
  for (unsigned i = starts[row]; i < end; ++i) {
    double before = sum;
    sum = weighted + values[i];
    weighted = before * 0.25;
  }
  sums[row] = sum - weighted;
}

// Rows end at the largest number there is.
__global__ void at_the_end(const int *lengths, const float *values, float *sums, int end) {
  int row = blockIdx.x * blockDim.x + threadIdx.x;
  if (row >= kRows) return;
  float sum = 1;
  for (int i = end - lengths[row]; i < end; ++i) sum = sum * 0.5f + values[kMost - i];
  sums[row] = sum;
}

__global__ void by_two(const int *starts, const float *values, float *sums) {
  int row = blockIdx.x * blockDim.x + threadIdx.x;
  if (row >= kRows) return;
  float sum = 0;
  int end = starts[row + 1];
  for (int i = starts[row]; i < end; i += 2) sum += values[i];
  sums[row] = sum;
}

__global__ void until_negative(const int *starts, const float *values, float *sums) {
  int row = blockIdx.x * blockDim.x + threadIdx.x;
  if (row >= kRows) return;
  float sum = 0;
  int end = starts[row + 1];
  for (int i = starts[row]; i < end && values[i] >= 0; ++i) sum += values[i];
  sums[row] = sum;
}

template <class T>
T *on_device(const std::vector<T> &host) {
  T *made = nullptr;
  cudaMalloc(&made, host.size() * sizeof(T));
  cudaMemcpy(made, host.data(), host.size() * sizeof(T), cudaMemcpyHostToDevice);
  return made;
}

template <class T>
void tell(const char *name, const std::vector<T> &expected, const T *device) {
  std::vector<T> got(kRows);
  cudaMemcpy(got.data(), device, kRows * sizeof(T), cudaMemcpyDeviceToHost);
  int differ = 0;
  double all = 0;
  for (int row = 0; row < kRows; ++row) {
    differ += got[row] != expected[row];
    all += got[row];
  }
  printf("%s: %d differ, sum %.6f\n", name, differ, all);
}

int main() {
  std::vector<int> starts(kRows + 1), lengths(kRows);
  std::vector<unsigned> unsigned_starts(kRows + 1);
  for (int row = 0; row < kRows; ++row) {
    lengths[row] = row * 7919 % 10;
    unsigned_starts[row + 1] = starts[row + 1] = starts[row] + lengths[row];
  }
  // Small whole numbers and halves of them: every sum is exact, in whatever way it is rounded.
  std::vector<float> values(starts[kRows] + 1);
  std::vector<double> doubles(values.size());
  for (size_t i = 0; i < values.size(); ++i)
    doubles[i] = values[i] = static_cast<float>(static_cast<int>(i * 31 % 17) - 4);
  std::vector<float> product(kRows), last(kRows), second(kRows), until(kRows);
  std::vector<double> two(kRows);
  for (int row = 0; row < kRows; ++row) {
    double sum = row, weighted = 1;
    last[row] = 1;
    bool goes_on = true;
    for (int i = starts[row]; i < starts[row + 1]; ++i) {
      product[row] += values[i] * 0.5f;
      const double before = sum;
      sum = weighted + doubles[i];
      weighted = before * 0.25;
      if ((i - starts[row]) % 2 == 0) second[row] += values[i];
      goes_on = goes_on && values[i] >= 0;
      if (goes_on) until[row] += values[i];
    }
    two[row] = sum - weighted;
    for (int left = lengths[row]; left > 0; --left) last[row] = last[row] * 0.5f + values[left];
  }
  const int *device_starts = on_device(starts), *device_lengths = on_device(lengths);
  const float *device_values = on_device(values);
  float *sums = on_device(std::vector<float>(kRows));
  double *double_sums = on_device(std::vector<double>(kRows));
  products<<<4, 256>>>(device_starts, device_values, sums);
  tell("products", product, sums);
  products<<<11, 96>>>(device_starts, device_values, sums);
  tell("in other blocks", product, sums);
  two_numbers<<<4, 256>>>(on_device(unsigned_starts), on_device(doubles), double_sums);
  tell("two numbers", two, double_sums);
  at_the_end<<<4, 256>>>(device_lengths, device_values, sums, kMost);
  tell("at the end", last, sums);
  by_two<<<4, 256>>>(device_starts, device_values, sums);
  tell("by two", second, sums);
  until_negative<<<4, 256>>>(device_starts, device_values, sums);
  tell("until negative", until, sums);
  printf("%s\n", cudaGetErrorString(cudaDeviceSynchronize()));
}
