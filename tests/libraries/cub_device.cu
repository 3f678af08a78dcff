// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// CUB's algorithms over the whole device, called twice as documented: for the size of the storage, then to work. Scan,
// selection and run-length encoding look back at earlier blocks while those still run.
#include "expect.h"

#include <cub/device/device_histogram.cuh>
#include <cub/device/device_radix_sort.cuh>
#include <cub/device/device_reduce.cuh>
#include <cub/device/device_run_length_encode.cuh>
#include <cub/device/device_scan.cuh>
#include <cub/device/device_segmented_reduce.cuh>
#include <cub/device/device_select.cuh>

#include <vector>

constexpr int COUNT = 20000;

// Calls an algorithm of CUB for its storage and then with it.
template <class Algorithm>
bool run(Algorithm algorithm) {
  void *storage = nullptr;
  size_t bytes = 0;
  if (algorithm(storage, bytes) != cudaSuccess || cudaMalloc(&storage, bytes) != cudaSuccess) return false;
  const cudaError_t status = algorithm(storage, bytes);
  return cudaDeviceSynchronize() == cudaSuccess && status == cudaSuccess && cudaFree(storage) == cudaSuccess;
}

struct IsOdd {
  __host__ __device__ bool operator()(int value) const { return value & 1; }
};

int main() {
  int *in, *out, *extra, *found;
  cudaMallocManaged(&in, COUNT * sizeof(int));
  cudaMallocManaged(&out, COUNT * sizeof(int));
  cudaMallocManaged(&extra, COUNT * sizeof(int));
  cudaMallocManaged(&found, 16 * sizeof(int));
  std::vector<int> buckets(16), odd;
  int sum = 0;
  for (int i = 0; i < COUNT; ++i) {
    in[i] = static_cast<int>(i * 7919LL % COUNT);  // a permutation: 7919 is prime to COUNT
    ++buckets[in[i] * 16 / COUNT];
    if (in[i] & 1) odd.push_back(in[i]);
    sum += in[i];
  }

  expect(run([&](void *s, size_t &b) { return cub::DeviceReduce::Sum(s, b, in, out, COUNT); }), "DeviceReduce");
  expect(out[0] == sum, "DeviceReduce::Sum");

  expect(run([&](void *s, size_t &b) { return cub::DeviceScan::ExclusiveSum(s, b, in, out, COUNT); }), "DeviceScan");
  bool right = true;
  for (int i = 0, running = 0; i < COUNT; running += in[i++]) right = right && out[i] == running;
  expect(right, "DeviceScan::ExclusiveSum");

  expect(run([&](void *s, size_t &b) { return cub::DeviceRadixSort::SortKeys(s, b, in, out, COUNT); }),
         "DeviceRadixSort");
  right = true;
  for (int i = 0; i < COUNT; ++i) right = right && out[i] == i;
  expect(right, "DeviceRadixSort::SortKeys");

  expect(run([&](void *s, size_t &b) { return cub::DeviceSelect::If(s, b, in, out, found, COUNT, IsOdd()); }),
         "DeviceSelect");
  expect(found[0] == static_cast<int>(odd.size()), "DeviceSelect::If, how many");
  right = true;
  for (size_t i = 0; i < odd.size(); ++i) right = right && out[i] == odd[i];
  expect(right, "DeviceSelect::If");

  expect(
      run([&](void *s, size_t &b) { return cub::DeviceHistogram::HistogramEven(s, b, in, out, 17, 0, COUNT, COUNT); }),
      "DeviceHistogram");
  right = true;
  for (int i = 0; i < 16; ++i) right = right && out[i] == buckets[i];
  expect(right, "DeviceHistogram::HistogramEven");

  for (int i = 0; i < COUNT; ++i) in[i] = i / 7;
  expect(
      run([&](void *s, size_t &b) { return cub::DeviceRunLengthEncode::Encode(s, b, in, out, extra, found, COUNT); }),
      "DeviceRunLengthEncode");
  expect(found[0] == (COUNT + 6) / 7, "DeviceRunLengthEncode::Encode, how many");
  right = true;
  for (int i = 0; i < COUNT / 7; ++i) right = right && out[i] == i && extra[i] == 7;
  expect(right, "DeviceRunLengthEncode::Encode");

  const int offsets[] = {0, 10, 10, 5000, COUNT};
  for (int i = 0; i < 5; ++i) found[i] = offsets[i];
  expect(run([&](void *s, size_t &b) { return cub::DeviceSegmentedReduce::Max(s, b, in, out, 4, found, found + 1); }),
         "DeviceSegmentedReduce");
  expect(out[0] == 9 / 7 && out[2] == 4999 / 7 && out[3] == (COUNT - 1) / 7, "DeviceSegmentedReduce::Max");
  return done();
}
